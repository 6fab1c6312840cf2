"""The fact table from the command line."""

from collections.abc import Sequence
from pathlib import Path

from app.assembly import build_known_facts
from app.library.fact_files import write_facts
from app.library.fact_sheet import FactSheet, companies_named, fact_sheet, metrics_named
from app.settings import data_paths, load_settings
from storage.errors import MissingIndex
from storage.records.metrics import Ontology


def run_facts(
    names: Sequence[str],
    metrics: Sequence[str],
    out: Path | None,
    profile: str,
    overrides: Sequence[str],
    data: Path | None,
    owner: str | None = None,
) -> tuple[FactSheet, list[str]]:
    """The facts of the named companies, or of all, written to `out` where one is given; an owner's own too.

    Returns:
        The facts, and for each report without any what to do about it.

    Raises:
        UsageError: a company or metric that is not known, or a file ending.
        MissingIndex: the library is empty, or no facts are kept for these settings.
    """
    known = build_known_facts(load_settings(profile, overrides), data_paths(data), owner)
    library = known.library.companies()
    if not library:
        raise MissingIndex("nothing is ingested yet; run `pageproof ingest PATH`, or `pageproof demo`")
    wanted = metrics_named(metrics, Ontology.load())
    read = [(r, known.table.of(c, r)) for c in companies_named(names, library) for r in c.reports]
    missing = [
        f"{report.company}: no facts of {report.file} are kept; ingest it again with this profile"
        for report, facts in read
        if facts is None
    ]
    if len(missing) == len(read):
        raise MissingIndex("no facts are kept for these settings; ingest the reports again with this profile")
    found = [(report, facts) for report, facts in read if facts is not None]
    sheet = fact_sheet(found, wanted, known.pdf_of, whole=not metrics)
    if out is not None:
        write_facts(sheet, out)
    return sheet, missing
