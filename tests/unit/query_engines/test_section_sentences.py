"""Which sentences of a section are told without those around them."""

import pytest

from query_engines.sections.passages import Said, is_of_itself, risks_in, stands_alone, what_it_is
from storage.records.pages import Page

PAGE = Page(report_sha1="0" * 40, page_number=1, width=595, height=842)


@pytest.mark.parametrize(
    "text",
    [
        "In addition, prices may fall.",
        "In such instances, our customers may cancel orders.",
        "Any decrease in the demand for these devices may harm us.",
        "All are served by third-party funding.",
        "He was appointed in May.",
        "We also depend on few suppliers.",
        "As a result of the factors described above, we may lose customers.",
        "The Directors do not envisage any change in this model.",
    ],
)
def test_a_sentence_that_hangs_on_the_one_before(text: str) -> None:
    assert not stands_alone(text)


@pytest.mark.parametrize(
    "text",
    [
        "We may lose customers, and those who stay may pay less.",
        "Some of our customers may cancel orders.",
        "We sell products such as gauges, which may be recalled.",
        "All costs may rise this year.",
        "This report may be late.",
        "Cyber attacks could stop our work.",
    ],
)
def test_a_sentence_that_says_all_itself(text: str) -> None:
    assert stands_alone(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We make gauges for mills.", True),
        ("The Group employs engineers.", True),
        ("Ostermere was founded in 1961.", True),
        ("Kirkmoor Instruments is a maker of gauges.", True),  # by a name that the library does not know
        ("Typically, foundries do not offer products of their own.", False),
        ("Precision gauging refers to the tailoring of mills to their grain.", False),
    ],
)
def test_sentences_of_the_company_and_of_its_trade(text: str, expected: bool) -> None:
    assert is_of_itself(text, "Ostermere Instruments, Inc.") is expected


def test_what_a_company_is_goes_on_with_what_it_says_of_itself() -> None:
    texts = [
        "Ostermere Instruments is a maker of gauges for mills.",
        "Typically, mills do not make gauges of their own.",
        "We sell them in forty countries.",
    ]
    found = what_it_is([Said(text, PAGE) for text in texts], "Ostermere Instruments, Inc.")
    assert [said.text for said in found] == [texts[0], texts[2]]


def test_what_hangs_on_the_sentence_before_or_only_leads_to_the_risks_names_none() -> None:
    texts = [
        "Cyber attacks could stop our work.",
        "In such instances, customers may leave us.",
        "The Group is subject to various risk factors.",
        "The Group risk report is a separate part of the annual report.",
    ]
    assert [said.text for said in risks_in([Said(text, PAGE) for text in texts])] == texts[:1]
