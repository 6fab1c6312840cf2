"""Shows or writes the fact table for the command line."""

from collections.abc import Sequence
from pathlib import Path

from app.assembly import build_known_facts
from app.library.fact_files import write_facts
from app.library.fact_sheet import FactSheet
from app.settings import data_paths, load_settings


def run_facts(
    names: Sequence[str],
    metrics: Sequence[str],
    out: Path | None,
    profile: str,
    overrides: Sequence[str],
    data: Path | None,
    owner: str | None = None,
) -> FactSheet:
    """The facts of the named companies, or of all, also written to `out` if given; with an owner, also theirs.

    Raises:
        UsageError: a company, a metric or the file's suffix is unknown.
        MissingIndex: the library is empty, or no facts are stored for these settings.
    """
    known = build_known_facts(load_settings(profile, overrides), data_paths(data), owner)
    sheet = known.sheet(names, metrics)
    if out is not None:
        write_facts(sheet, out)
    return sheet
