"""Whose report it is, its currency and its year: from the catalog, an edit, or the report's own pages."""

import datetime as dt
from collections.abc import Callable, Sequence
from pathlib import Path

from indexes.catalog import CatalogEntry
from indexes.printed_lines import printed_lines, printed_texts
from indexes.registrant_names import elected_name, full_name
from indexes.reporting_currencies import elected_currency
from indexes.reporting_periods import elected_period_end, elected_year
from indexes.tickers import elected_ticker
from indexes.votes import Elected
from storage.pages import Page
from storage.record import Record
from storage.reports import Evidence, EvidenceSource, Report, ReportField, in_order

_QUOTE = 200  # characters


class CompanyData(Record):
    """What is known of a report beyond its pages, each with where it comes from."""

    company: str
    aliases: tuple[str, ...] = ()
    currency: str | None = None
    period_end: dt.date | None = None
    fiscal_year: int | None = None
    evidence: tuple[Evidence, ...] = ()


def company_data(pages: Sequence[Page], path: Path) -> CompanyData:
    """What the pages say, by votes of several places; where no name is sure, the file's name stands in and says so."""
    lines, texts = printed_lines(pages), printed_texts(pages)
    name = elected_name(lines, texts, len(pages))
    currency = elected_currency(pages, lines, texts)
    end = elected_period_end(pages, lines)
    year = elected_year(lines)
    ticker = elected_ticker(lines)
    read: dict[ReportField, Elected | None] = {
        "company": name,
        "currency": currency,
        "period_end": end,
        "fiscal_year": year,
        "alias": ticker,
    }
    evidence = [_evidence(field, elected) for field, elected in read.items() if elected]
    if name is None:
        evidence.append(Evidence(field="company", source="file_name", quote=path.name))
    return CompanyData(
        company=full_name(name) if name else path.stem,
        aliases=(ticker.votes[0].value,) if ticker else (),
        currency=currency.votes[0].value if currency else None,
        period_end=dt.date.fromisoformat(end.votes[0].value) if end else None,
        fiscal_year=int(year.votes[0].value) if year else None,
        evidence=in_order(evidence),
    )


def settled_data(entry: CatalogEntry | None, known: Report | None, read: Callable[[], CompanyData]) -> CompanyData:
    """What holds: a person's edit before the catalog, the catalog before the report.

    Args:
        entry: what a catalog says of the report.
        known: the report as the library has it; what was edited there stays.
        read: reads the report; called only when the library has not kept what an earlier reading found.
    """
    found = _kept(known) if known and _was_read(known) else read()
    data = _by_catalog(found, entry) if entry else found
    return _with_edits(data, known) if known else data


def _was_read(known: Report) -> bool:
    """An earlier reading found a name, or the report's own name was settled by somebody."""
    return bool(known.evidence) and known.source("company") != "file_name"


def _kept(known: Report) -> CompanyData:
    return CompanyData(
        company=known.company,
        currency=known.currency,
        period_end=known.period_end,
        fiscal_year=known.fiscal_year,
        evidence=known.evidence,
    )


def _by_catalog(read: CompanyData, entry: CatalogEntry) -> CompanyData:
    said: dict[ReportField, object] = {"company": entry.company}
    said |= {"currency": entry.currency} if entry.currency else {}
    said |= {"period_end": entry.period_end} if entry.period_end else {}
    changed = _changed(read, said, "catalog")
    aliases = tuple(dict.fromkeys((*entry.aliases, *read.aliases)))
    return changed.model_copy(update={"aliases": aliases})


def _with_edits(data: CompanyData, known: Report) -> CompanyData:
    values: dict[ReportField, object] = {
        "company": known.company,
        "currency": known.currency,
        "period_end": known.period_end,
    }
    return _changed(data, {f: v for f, v in values.items() if known.source(f) == "edited"}, "edited")


def _changed(data: CompanyData, said: dict[ReportField, object], source: EvidenceSource) -> CompanyData:
    others = (e for e in data.evidence if e.field not in said)
    evidence = (*(Evidence(field=field, source=source) for field in said), *others)
    return data.model_copy(update={**{str(f): v for f, v in said.items()}, "evidence": in_order(evidence)})


def _evidence(field: ReportField, elected: Elected) -> Evidence:
    best = elected.votes[0]
    return Evidence(field=field, source="report", page=best.page, quote=best.quote[:_QUOTE])
