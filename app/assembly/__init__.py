"""The only place that builds things from settings."""

from app.assembly.desk import build_desk, unbuilt
from app.assembly.kept import build_fact_table, build_known_facts, build_prompts

__all__ = ["build_desk", "build_fact_table", "build_known_facts", "build_prompts", "unbuilt"]
