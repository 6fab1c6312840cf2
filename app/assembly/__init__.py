"""Builds all parts from the settings; no other package does."""

from app.assembly.build import build_client
from app.assembly.libraries import build_fact_table, build_known_facts, build_maintenance, build_prompts

__all__ = ["build_client", "build_fact_table", "build_known_facts", "build_maintenance", "build_prompts"]
