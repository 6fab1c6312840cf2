"""Reasons that are found by the amounts which a question tells."""

import pytest

from query_engines.extraction.causes import draft_of_causes
from query_engines.question.search_text import amounts_in, changes_between, tells_an_amount
from tests.support.printed_tables import page_of, paragraph

PAGE = page_of(
    4,
    paragraph("Interest expense increased $118.3 million in 2022, compared with 2021."),
    paragraph("Interest expense had decreased $13.7 million in the year before."),
    paragraph("The increase in interest expense was due primarily to additional borrowings."),
    paragraph(
        "The $20.2 million increase in operating profit resulted from lower research costs of $3.4 million."
    ),
)


@pytest.mark.parametrize(
    ("query", "begins"),
    [
        ("our committee asks: interest burden heavier by $118.3m, which borrowing", "Interest expense increased"),
        ("interest expense plus 118,3 Mio. dollars, who is to blame", "Interest expense increased"),
        ("operating profit 20.2m above the year before, what single event inflated it", "The $20.2 million"),
        ("research costs 3.4m lower, any motive", None),  # it says why another figure moved
        ("interest expense heavier by $55.5m, which borrowing", None),
        ("marketing costs heavier by $118.3m, which campaign", None),
    ],
)
def test_a_sentence_of_cause_with_the_amount_that_a_question_tells_explains_it(
    query: str, begins: str | None
) -> None:
    draft = draft_of_causes(query, (), 2022, "", [PAGE], only_of_amounts=True)

    assert (draft is None) == (begins is None)
    assert draft is None or draft.evidence[0].quote.startswith(str(begins))


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("8.0m down to 4.0 million", {("m", "8.0"), ("m", "4.0")}),
        ("de 9,3 à 1,8 millions", {("m", "9.3"), ("m", "1.8")}),
        ("um 37 Prozent auf 642 Mio. Euro", {("%", "37"), ("m", "642")}),
        ("fees totalling £2,607,000", {("m", "2.607")}),
        ("0.2bn lighter", {("b", "0.2")}),
        ("in 2022, on page 12", set()),
    ],
)
def test_amounts_are_read_as_people_write_them(text: str, amounts: set[tuple[str, str]]) -> None:
    assert amounts_in(text) == amounts


def test_two_amounts_also_tell_their_difference() -> None:
    assert {("m", "3.9"), ("m", "3.1")} <= changes_between("from a minus of 0.4m to a plus of 3.5m")
    assert changes_between("up 3.5m") == frozenset()


@pytest.mark.parametrize(("text", "expected"), [("up 8.5m", True), ("up 6%", False), ("up a lot", False)])
def test_an_amount_of_one_digit_tells_nothing(text: str, *, expected: bool) -> None:
    assert tells_an_amount(text) is expected
