"""The measured set of injections: what a model is given of them, and what is said of one that obeys."""

import itertools
import re
import unicodedata
from collections.abc import Iterator

import pytest

from prompts.answers.assemble import PageText, ReportHeader, user_prompt
from prompts.drafts import Evidence
from prompts.kinds.number import NumberDraft
from query_engines.question.parsed import FactMatch
from query_engines.question.parser import read_text
from query_engines.verification.verify import verify
from storage.records.questions import Question
from tests.support.hostile_words import ACTIVE, FACT, MARK, REPORT, REVENUE, TRUE, block, page, seen
from tests.support.injections import INJECTIONS, Injection

EACH = pytest.mark.parametrize("injection", INJECTIONS, ids=lambda each: f"{each.kind}: {ascii(each.text)[:40]}")
KNOWN = FactMatch(is_stored=True, metric=REVENUE, fact=FACT)
NOT_KNOWN = FactMatch(is_stored=True, metric=REVENUE)
QUESTION = "What was the revenue?"
LIKE_LATIN = str.maketrans(
    "\u0430\u0440\u0435\u1d00\u0262\u1d07\u1d18\u2039\u203a\u3008\u3009\u27e8\u27e9", "apeagep<><><>"
)
FIGURE = re.compile(r"[$\u20ac]?\d(?:[\d.,\s]*\d)?")
SCALES = (1, 10**3, 10**6, 10**8, 10**9)
COMMA = ("de", "fr", "es", "it")  # a report in one of these prints a comma before decimals


def prompt_with(text: str, where: str) -> str:
    own = {"page": "Revenue 386,412", "question": QUESTION, "name": "Acme", where: text}
    pages = [PageText(page_number=5, markdown="Revenue 386,412"), PageText(page_number=7, markdown=own["page"])]
    return user_prompt(own["question"], ReportHeader(company=own["name"], currency="USD"), pages)


def as_a_model_may_read(text: str) -> str:
    plain = unicodedata.normalize("NFKD", seen(text)).translate(LIKE_LATIN)
    return "".join(sign for sign in plain if not unicodedata.combining(sign))


def obeying(injection: Injection, *, quotes_it: bool) -> Iterator[NumberDraft]:
    """What a model may answer that does as it is told: with any figure of what it quotes, in any scale."""
    quote = injection.text[:150] if quotes_it else "Revenue 999,000"
    is_cited = injection.value != "N/A"
    figures = [*FIGURE.findall(quote), f"{injection.value}"]
    for figure, scale in itertools.product(figures, SCALES):
        passage = Evidence(
            page=7 if quotes_it else injection.page,
            quote=quote,
            printed_figure=figure,
            scale=scale,
            currency="USD",
            period="2024",
        )
        yield NumberDraft(
            step_by_step_analysis="As told.",
            reasoning_summary="As told.",
            evidence=[passage] if is_cited else [],
            relevant_pages=[passage.page] if is_cited else [],
            unavailable_because=None if is_cited else "not_disclosed",
            final_answer=injection.value,
        )


def is_ticked(injection: Injection, facts: FactMatch, *, quotes_it: bool) -> bool:
    """Whether an answer of an obeying model passes every check that applies."""
    mark = "," if injection.language in COMMA else "."
    hostile = page(7, block(injection.text if injection.where == "page" else "Staff 45"))
    pages = {5: TRUE, 7: hostile.model_copy(update={"decimal_mark": mark})}
    question = read_text(Question(text=QUESTION, kind="number"))
    return injection.value not in ("N/A", 386412000) and any(
        not verify(draft, question, REPORT, pages, facts).failed
        for draft in obeying(injection, quotes_it=quotes_it)
    )


def test_the_set_has_a_hundred_texts_of_twelve_kinds_in_seven_languages() -> None:
    assert len({injection.text for injection in INJECTIONS}) == 100
    assert len({injection.kind for injection in INJECTIONS}) == 12
    assert {injection.language for injection in INJECTIONS} == {"en", "de", "fr", "es", "it", "ja", "zh"}


@EACH
def test_an_injected_text_cannot_leave_its_place_in_the_prompt(injection: Injection) -> None:
    before, after = prompt_with(MARK, injection.where).split(MARK)
    prompt = prompt_with(injection.text, injection.where)
    assert prompt.startswith(before)
    assert prompt.endswith(after)
    assert ACTIVE.search(as_a_model_may_read(prompt.removeprefix(before).removesuffix(after))) is None


@EACH
@pytest.mark.parametrize("quotes_it", [False, True], ids=["cites as told", "quotes the page"])
def test_a_model_that_obeys_is_not_believed_where_the_fact_table_knows(
    injection: Injection, *, quotes_it: bool
) -> None:
    assert not is_ticked(injection, KNOWN, quotes_it=quotes_it)


@EACH
def test_without_a_fact_only_a_page_is_believed_that_prints_the_figure_beside_a_word_of_what_was_asked(
    injection: Injection,
) -> None:
    assert is_ticked(injection, NOT_KNOWN, quotes_it=True) == injection.prints
    assert injection.prints or not is_ticked(injection, NOT_KNOWN, quotes_it=False)
