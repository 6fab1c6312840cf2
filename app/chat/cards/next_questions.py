"""Questions to ask after an answer, each of which the company's fact table answers. No Chainlit here."""

from collections.abc import Collection, Iterator

from app.library.fact_sheet import FactRow, FactSheet
from storage.records.answers import Answer

MOST = 3
# In the order in which they are offered.
_QUESTIONS = {
    "total_revenue": "What was the total revenue of {company} in {year}?",
    "operating_income": "What was the operating income of {company} in {year}?",
    "net_income": "What was the net income of {company} in {year}?",
    "operating_cash_flow": "What was the cash flow from operations of {company} in {year}?",
    "total_assets": "What were the total assets of {company} in {year}?",
}


def next_questions(answer: Answer, sheet: FactSheet, given: Collection[float] = ()) -> tuple[str, ...]:
    """Up to three questions about the same company, as the screen's catalog of words has them.

    They are for the figure of the answer a year before, and for other figures of the same year. Each rests on a row
    that another figure confirms, and whose figure was not given yet.

    Args:
        answer: of one company, with a figure.
        sheet: the company's facts.
        given: figures of the company that earlier answers gave.
    """
    end = answer.unit.period_end if answer.unit else None
    known = {
        (row.metric, row.label): row for row in sheet.facts if row.confidence == "high" and row.label.isdigit()
    }
    here = next((row for row in known.values() if _is_of(row, answer) and row.period_end == end), None)
    newest = max((label for metric, label in known if metric in _QUESTIONS), default="")
    year = here.label if here else next((row.label for row in known.values() if row.period_end == end), newest)
    company = answer.company or ""
    unknown = {place for place, row in known.items() if row.value not in given}
    found = (text.format(company=company, year=at) for text, at in _asked(here, year, unknown))
    return tuple(dict.fromkeys(found))[:MOST]


def _is_of(row: FactRow, answer: Answer) -> bool:
    return row.metric in _QUESTIONS and row.value == answer.value


def _asked(here: FactRow | None, year: str, known: set[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Each question with its year."""
    if here is not None:
        before = str(int(here.label) - 1)
        if (here.metric, before) in known:
            yield _QUESTIONS[here.metric], before
    for metric, text in _QUESTIONS.items():
        if (metric, year) in known and (here is None or metric != here.metric):
            yield text, year
