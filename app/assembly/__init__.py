"""The only place that builds things from settings."""

from app.assembly.desk import build_desk, unbuilt
from app.assembly.kept import build_fact_table, build_prompts

__all__ = ["build_desk", "build_fact_table", "build_prompts", "unbuilt"]
