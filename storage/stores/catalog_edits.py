"""A person's changes to the catalog: checked as a whole, before anything is written."""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from storage.errors import UsageError
from storage.incoming import company_name, one_line
from storage.lexicon.calendar import YEARS_OF_REPORTS
from storage.lexicon.money import currency_code
from storage.records.record import Record
from storage.records.reports import FILING_TYPES, Company, Report, ReportField

_NUMBERS: dict[ReportField, range] = {
    "months": range(1, 25),
    "quarter": range(1, 5),
    "fiscal_year": range(1980, 2100),
}


class ReportEdit(Record):
    """New data for one report.

    Attributes:
        filing: what kind of document it is (`type`), and `months`, `quarter` and `fiscal_year` of its period. What is
            not in it stays as it is.
    """

    sha1: str
    company: str
    currency: str | None = None
    period_end: dt.date | None = None
    filing: Mapping[ReportField, str | int | None] = {}


class CatalogEdit(Record):
    """What the catalog will say.

    Attributes:
        before: the companies that lose or change something.
        after: the companies as they will be.
        reports: those that change.
    """

    before: tuple[Company, ...] = ()
    after: tuple[Company, ...] = ()
    reports: tuple[Report, ...] = ()

    @property
    def changes_nothing(self) -> bool:
        """Whether the edit changes nothing."""
        return self.before == self.after


def catalog_edit(
    known: Sequence[Company], edits: Sequence[ReportEdit], aliases: Mapping[str, tuple[str, ...]]
) -> CatalogEdit:
    """Work out an edit; reports that are not named stay as they are.

    When all reports of a company move to a new name, the new company takes over the old name and aliases. So
    questions and later reports that use the old name still find it.

    Args:
        known: every company of the library.
        edits: each report at most once.
        aliases: complete lists, by the company's name after the edit; other companies keep their aliases.

    Raises:
        UsageError: a value is wrong, or a report is not in the library.
    """
    reports = {r.sha1: r for c in known for r in c.reports}
    changed = {edit.sha1: _edited(edit, reports) for edit in edits}
    if len(changed) < len(edits):
        raise UsageError("a report is named twice; each report is one line")
    final = {**reports, **changed}
    names = list(dict.fromkeys(r.company for r in final.values()))
    inherited = _inherited(known, final)
    own = {c.name: c.aliases for c in known}
    after = tuple(
        Company(
            name=name,
            aliases=_clean(name, (*aliases.get(name, own.get(name, ())), *inherited.get(name, ()))),
            reports=tuple(r for r in final.values() if r.company == name),
        )
        for name in names
    )
    was = {c.name: by_sha1(c) for c in known}
    will = {c.name: by_sha1(c) for c in after}
    touched = {n for n in {*was, *will} if was.get(n) != will.get(n)}
    return CatalogEdit(
        before=tuple(was[n] for n in sorted(touched & set(was))),
        after=tuple(will[n] for n in sorted(touched & set(will))),
        reports=tuple(r for sha1, r in final.items() if r != reports[sha1]),
    )


def by_sha1(company: Company) -> Company:
    """The company with its reports in an order that no edit changes."""
    return company.model_copy(update={"reports": tuple(sorted(company.reports, key=lambda r: r.sha1))})


def _edited(edit: ReportEdit, reports: Mapping[str, Report]) -> Report:
    if edit.sha1 not in reports:
        raise UsageError(f"there is no report {edit.sha1!r} in the library; see `pageproof companies`")
    name = company_name(edit.company)
    currency = edit.currency
    # What an earlier version stored does not stop another edit.
    if currency is not None and currency != reports[edit.sha1].currency:
        currency = currency_code(currency)
        if currency is None:
            raise UsageError(f"{edit.currency!r} is no currency; expected a code of three letters such as EUR")
    _check(edit)
    values: dict[ReportField, Any] = {
        "company": name,
        "currency": currency,
        "period_end": edit.period_end,
        **edit.filing,
    }
    return reports[edit.sha1].edited(values)


def _check(edit: ReportEdit) -> None:
    """Raises UsageError where a value of the filing is wrong."""
    if (given := edit.filing.get("type")) is not None and given not in FILING_TYPES:
        raise UsageError(f"the type {given!r} is not known; expected one of {', '.join(FILING_TYPES)}")
    if edit.period_end is not None and edit.period_end.year not in YEARS_OF_REPORTS:
        raise UsageError(f"the period ends on {edit.period_end}: no report is of that year")
    for field, numbers in _NUMBERS.items():
        value = edit.filing.get(field)
        if value is not None and value not in numbers:
            what = field.replace("_", " ")
            raise UsageError(f"the {what} is {value!r}, expected {numbers.start} to {numbers.stop - 1}")


def _inherited(known: Sequence[Company], final: Mapping[str, Report]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for company in known:
        heirs = {final[r.sha1].company for r in company.reports}
        if len(heirs) == 1 and company.name not in heirs | {r.company for r in final.values()}:
            (heir,) = heirs
            found[heir] = (*found.get(heir, ()), company.name, *company.aliases)
    return found


def _clean(name: str, aliases: Sequence[str]) -> tuple[str, ...]:
    shown = map(one_line, aliases)
    return tuple(dict.fromkeys(alias for alias in shown if alias and alias != name))
