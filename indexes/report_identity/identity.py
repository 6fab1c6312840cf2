"""Company, ticker, currency and period of a report: from the catalog, an edit, or the report's own pages."""

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from indexes.enrichment.periods import PrintedTime, YearNames
from indexes.report_identity.catalog import CatalogEntry
from indexes.report_identity.currency import elected_currency
from indexes.report_identity.filing import ReadFiling, elected_fiscal_year, elected_type, filing_of, tells_results
from indexes.report_identity.legal_names import name_key
from indexes.report_identity.names import elected_name, former_names, full_name, short_names
from indexes.report_identity.period import elected_period_end
from indexes.report_identity.votes import (
    Elected,
    PrintedLine,
    PrintedText,
    Vote,
    elect,
    printed_lines,
    printed_texts,
)
from storage.incoming import one_line
from storage.lexicon.names import form_code
from storage.lexicon.words import expression
from storage.records.pages import Page
from storage.records.record import Record
from storage.records.reports import (
    ANNUAL,
    Evidence,
    EvidenceSource,
    Filing,
    Report,
    ReportField,
    in_order,
    names_of_year,
)

_LEAP_YEAR = 2024  # that has every day

_QUOTE = 200  # characters


class CompanyData(Record):
    """The identity of a report, with the evidence of each field."""

    company: str
    aliases: tuple[str, ...] = ()
    currency: str | None = None
    period_end: dt.date | None = None
    fiscal_year: int | None = None
    filing: Filing = Filing()
    evidence: tuple[Evidence, ...] = ()


def company_data(pages: Sequence[Page], path: Path) -> CompanyData:
    """The identity from the pages, by votes of several places. If no name has enough votes, the file's name is used."""
    lines, texts = printed_lines(pages), printed_texts(pages)
    name = elected_name(lines, texts, len(pages))
    currency = elected_currency(pages, lines, texts)
    end, day, read_filing = _filing(pages, lines, texts)
    year = read_filing.fiscal_year
    ticker = elected_ticker(lines, texts, len(pages))
    read: dict[ReportField, Elected | None] = {
        "company": name,
        "currency": currency,
        "period_end": end,
        "fiscal_year": year,
        "alias": ticker,
    }
    evidence = [_evidence(field, elected) for field, elected in read.items() if elected]
    evidence += read_filing.evidence
    if name is None:
        evidence.append(Evidence(field="company", source="file_name", quote=path.name))
    return CompanyData(
        company=one_line(full_name(name) if name else path.stem),
        aliases=(
            *((ticker.votes[0].value,) if ticker else ()),
            *((*short_names(name, texts), *former_names(name, texts)) if name else ()),
        ),
        currency=currency.votes[0].value if currency else None,
        period_end=day,
        fiscal_year=int(year.votes[0].value) if year else None,
        filing=read_filing.filing,
        evidence=in_order(evidence),
    )


def _filing(
    pages: Sequence[Page], lines: Sequence[PrintedLine], texts: Sequence[PrintedText]
) -> tuple[Elected | None, dt.date | None, ReadFiling]:
    """The last day of the period, with its votes, and what kind of filing it is."""
    type_ = elected_type(lines, texts)
    kind = type_.votes[0].value if type_ else None
    has_results = kind == "8-K" and tells_results(lines, texts)
    end = elected_period_end(pages, lines, "earnings release") if has_results else None
    has_results = end is not None
    end = end or elected_period_end(pages, lines, kind)
    day = dt.date.fromisoformat(end.votes[0].value) if end else None
    return end, day, filing_of(pages, lines, texts, type_, day, has_results=has_results)


def year_names(pages: Sequence[Page], usual: PrintedTime) -> YearNames:
    """What an annual report calls its years, which usually end on this day: it may be another year than that of it."""
    if usual.month and usual.day and names_of_year(dt.date(_LEAP_YEAR, usual.month, usual.day)) == (_LEAP_YEAR,):
        return YearNames(usual)
    lines, texts = printed_lines(pages), printed_texts(pages)
    type_ = elected_type(lines, texts)
    if type_ is None or type_.votes[0].value not in ANNUAL:
        return YearNames(usual)
    end = elected_period_end(pages, lines, type_.votes[0].value)
    day = dt.date.fromisoformat(end.votes[0].value) if end else None
    possible = names_of_year(day) if day else ()
    named = elected_fiscal_year(lines, texts, day) if len(possible) > 1 else None
    newest = int(named.votes[0].value) if named else possible[0] if len(possible) == 1 else 0
    return YearNames(usual, day.year - newest, newest) if day and newest else YearNames(usual)


def reconciled_data(
    entry: CatalogEntry | None, known: Report | None, read: Callable[[], CompanyData]
) -> CompanyData:
    """The valid data: a person's edit takes precedence over the catalog, and the catalog over the report.

    Args:
        entry: the catalog's entry for the report.
        known: the report in the library; values edited there stay.
        read: reads the report; called only when the library has no result of an earlier reading.
    """
    found = read() if known is None or not _was_read(known) else _stored(known)
    if known is not None and _was_read(known) and known.filing.type is None:
        found = _with_filing(found, read())  # a library of an earlier version
    data = _by_catalog(found, entry) if entry else found
    return _with_edits(data, known) if known else data


def _was_read(known: Report) -> bool:
    """Whether an earlier reading found a name, or a person or catalog set it."""
    return bool(known.evidence) and known.source("company") != "file_name"


def _stored(known: Report) -> CompanyData:
    return CompanyData(
        company=known.company,
        currency=known.currency,
        period_end=known.period_end,
        fiscal_year=known.fiscal_year,
        filing=known.filing,
        evidence=known.evidence,
    )


def _with_filing(stored: CompanyData, read: CompanyData) -> CompanyData:
    """What was stored of a report, with what it is as a filing from a new look at its pages."""
    known = {e.field for e in stored.evidence}
    new = (e for e in read.evidence if e.field not in known and e.field not in ("company", "alias"))
    year = read.fiscal_year if stored.fiscal_year is None else stored.fiscal_year
    return stored.model_copy(
        update={"filing": read.filing, "fiscal_year": year, "evidence": in_order((*stored.evidence, *new))}
    )


def _by_catalog(read: CompanyData, entry: CatalogEntry) -> CompanyData:
    fields: dict[ReportField, object] = {"company": entry.company}
    fields |= {"currency": entry.currency} if entry.currency else {}
    fields |= {"period_end": entry.period_end} if entry.period_end else {}
    fields |= {"type": entry.type} if entry.type else {}
    changed = _changed(read, fields, "catalog")
    is_read = any(e.field == "company" and e.source == "report" for e in read.evidence)
    printed = (read.company,) if is_read and name_key(read.company) != name_key(entry.company) else ()
    aliases = tuple(dict.fromkeys((*entry.aliases, *printed, *read.aliases)))
    return changed.model_copy(update={"aliases": aliases})


def _with_edits(data: CompanyData, known: Report) -> CompanyData:
    values = {e.field: known.value(e.field) for e in known.evidence if e.source == "edited"}
    return _changed(data, values, "edited")


def _changed(data: CompanyData, fields: dict[ReportField, object], source: EvidenceSource) -> CompanyData:
    others = (e for e in data.evidence if e.field not in fields)
    evidence = in_order((*(Evidence(field=field, source=source) for field in fields), *others))
    of_filing = {str(f): v for f, v in fields.items() if f in Filing.model_fields}
    own: dict[str, object] = {str(f): v for f, v in fields.items() if f not in Filing.model_fields}
    filing = data.filing.model_copy(update=of_filing)
    return data.model_copy(update={**own, "filing": filing, "evidence": evidence})


def _evidence(field: ReportField, elected: Elected) -> Evidence:
    best = elected.votes[0]
    if best.is_hint:
        return Evidence(field=field, source="report")
    return Evidence(field=field, source="report", page=best.page, quote=best.quote[:_QUOTE])


_EXCHANGE = (
    r"(?:Nasdaq|NASDAQ|NYSE|New York Stock Exchange|ASX|TSX|TSXV|LSE|LON|AIM|NZX|JSE|HKEX|SGX|SIX"
    r"|OTCQ[BX]|Euronext)"
)
_MARKED = expression(
    rf"\b{_EXCHANGE}(?: [A-Z][a-z]+){{0,3}}\s?(?::|[Cc]ode:?|[Tt]icker:?|[Ss]ymbol:?)\s?"
    r"\"?(?P<symbol>[A-Z][A-Z0-9]{2,4})\b"
)
_TICKER = expression(rf"\b[Tt]icker(?: [Ss]ymbol)?:? ?\"?(?P<symbol>[A-Z][A-Z0-9]{{2,4}})\b.{{0,12}}{_EXCHANGE}")
_REGISTERED = expression(
    rf"(?i:^.{{0,20}}\b(?:common|ordinary) (?:stock|shares?)\b.{{0,80}}?)"
    rf"\s(?P<symbol>[A-Z]{{1,5}})(?:\s(?:The )?{_EXCHANGE}|\s?$)"
)  # on the cover of a filing, where a column of symbols stands beside that of the shares
_SAID = expression(r"(?i:\bsymbols? )['\"](?P<symbol>[A-Z]{1,5})[,.]?['\"]")
_SHARES = expression(r"(?i)\b(?:stock|shares?)\b")
_COVER_OF_A_FILING = expression(r"(?i)exact name of (?:the )?(?:registrant|company|issuer)")
_FIRST_PAGES, _LAST_PAGES = 4, 2
_NOT_A_SYMBOL = {"ABN", "ACN", "THE", "USA", "CODE", "NONE", "NYSE", "ASX"}


def elected_ticker(lines: Sequence[PrintedLine], texts: Sequence[PrintedText], page_count: int) -> Elected | None:
    """The symbol of the ordinary shares, or None where none is printed."""
    return elect((*_symbols(lines, page_count), *_symbols_said(texts)), least=1)


def _symbols(lines: Sequence[PrintedLine], page_count: int) -> Iterator[Vote]:
    filing = {line.page for line in lines if _COVER_OF_A_FILING.search(line.text)}
    for line in lines:
        if _FIRST_PAGES < line.page <= page_count - _LAST_PAGES and line.page not in filing:
            continue
        registered = ((_REGISTERED, 3.0),) if line.page in filing else ()
        for pattern, weight in (*registered, (_MARKED, 2.0), (_TICKER, 2.0)):
            if (found := pattern.search(line.text)) and _is_symbol(found["symbol"]):
                yield Vote(found["symbol"], weight, line.page, line.text)


def _symbols_said(texts: Sequence[PrintedText]) -> Iterator[Vote]:
    """The symbol by which sentences say that the shares are traded."""
    for text in texts:
        found = _SAID.search(text.text)
        if found and _is_symbol(found["symbol"]) and _SHARES.search(text.text[: found.start()]):
            yield Vote(found["symbol"], 1.0, text.page, text.text[: found.end()][-_QUOTE:])


def _is_symbol(letters: str) -> bool:
    return letters not in _NOT_A_SYMBOL and not form_code(letters)
