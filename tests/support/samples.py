"""The sample reports: where they lie, what is known of them, and a model's draft about one of them."""

import json
from pathlib import Path
from typing import Any

from indexes.ingestion.requests import IngestRequest

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "app" / "samples"
OSTERMERE = "Ostermere Instruments, Inc."


def samples_request(*files: str) -> IngestRequest:
    """The named sample reports, or all of them, with their catalog."""
    return IngestRequest(paths=[SAMPLES / file for file in files] or [SAMPLES], catalog=SAMPLES / "catalog.csv")


def known_fact(company: str, metric: str) -> dict[str, Any]:
    reports = json.loads((SAMPLES / "facts.json").read_text(encoding="utf-8"))
    facts = next(r["facts"] for r in reports if r["company"] == company)
    found: dict[str, Any] = next(f for f in facts if f["metric"] == metric)
    return found


def draft(**changes: Any) -> dict[str, Any]:
    fact = known_fact(OSTERMERE, "Total revenue")
    passage = {
        "page": fact["pages"][1] + 1,
        "quote": fact["printed"],
        "printed_figure": fact["printed"],
        "scale": fact["scale"],
        "currency": "USD",
        "period": "2024",
    }
    return {
        "step_by_step_analysis": "1. …",
        "reasoning_summary": "The income statement prints it.",
        "evidence": [passage],
        "relevant_pages": [passage["page"]],
        "unavailable_because": None,
        "final_answer": fact["value"],
        **changes,
    }
