"""What a model replies that reads a question or finds nothing, for doubles of its server."""

from collections.abc import Sequence
from typing import Any

FORM = "Understanding"
NOT_FOUND: dict[str, Any] = {
    "step_by_step_analysis": "1. …",
    "reasoning_summary": "The pages do not say.",
    "evidence": [],
    "relevant_pages": [],
    "unavailable_because": "not_found",
    "final_answer": "N/A",
}
"""A draft of any kind that finds nothing on the pages."""


def form_of(body: dict[str, Any]) -> str:
    """The form that a request asks for; "none" where it asks for none."""
    return str(body.get("response_format", {}).get("json_schema", {}).get("name", "none"))


def reading(kind: str = "number", companies: Sequence[str] = (), **said: object) -> dict[str, object]:
    """A question's reading: of this kind, about these companies, and whatever else is said."""
    nothing = {"meaning": "m", "relation": "one", "asks": "what", "figure": None, "calculation": None}
    return {**nothing, "kind": kind, "companies": list(companies), **said}
