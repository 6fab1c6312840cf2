"""Dependence on one customer, tenant or supplier, and covenants, from the sentences that say it."""

import pytest

from prompts.kinds.boolean import BooleanDraft
from prompts.kinds.number import NumberDraft
from query_engines.extraction.concentrations import draft_of_concentration
from tests.support.printed_tables import page_of, paragraph


@pytest.mark.parametrize(
    ("question", "sentence", "value"),
    [
        (
            "Does a single client bring in over half of Acme's turnover?",
            "Zarq Inc., our largest customer, represented 75% of our consolidated revenues for the year 2022.",
            True,
        ),
        (
            "Did one customer account for more than half of revenue?",
            "This customer represented 61% and 71% of our revenues for the years 2022 and 2021, respectively.",
            True,
        ),
        (
            "Did one customer account for more than half of revenue?",
            "Revenue relating to three and one customers represented 65% and 80% of total revenue in 2022 and 2021,"
            " respectively.",
            None,
        ),
        (
            "Did one customer account for more than half of revenue?",
            "For the year ended December 31, 2022, two customers accounted for 83% and 10% of total revenue.",
            True,
        ),
        (
            "Did one customer account for more than half of revenue?",
            "For the year ended December 31, 2021, two customers accounted for 83% and 10% of total revenue.",
            None,
        ),
        (
            "Does any single customer account for over 10% of revenues?",
            "No customer represented more than 10% of revenue for the financial years 2022 and 2021.",
            False,
        ),
        (
            "Does any single customer account for over 5% of revenues?",
            "No customer represented more than 10% of revenue for the financial year 2022.",
            None,
        ),
        (
            "Is there one tenant who pays more than a quarter of the rent?",
            "Zarq, which occupies space in a property, accounted for 29.8% of our annualized rental income in 2022.",
            True,
        ),
        (
            "Is there one tenant who pays more than a quarter of the rent?",
            "If a tenant that represented 40% of our rental income failed, we could lose much.",
            None,
        ),
        (
            "Does one customer bring over half of revenue?",
            "Four customers represented 60% of total revenue for the year ended December 31, 2022.",
            None,
        ),
        (
            "Did one customer account for more than half of revenue?",
            "Revenue from Clinical Services represented 82% of our total revenue in 2022.",
            None,
        ),
        (
            "Did one customer account for more than half of revenue?",
            "Customers in Europe and Asia accounted for 60% and 30% of total revenue in 2022.",
            None,
        ),
        (
            "Does one region account for more than half of revenue?",
            "Zarq, our largest customer, represented 75% of our revenues in 2022.",
            None,
        ),
        (
            "Did no single customer account for more than 10% of revenue?",
            "Zarq, our largest customer, represented 75% of our revenues in 2022.",
            None,
        ),
        ("Did revenue grow by over half?", "Zarq, our largest customer, represented 75% of our revenues.", None),
    ],
)
def test_one_partner_s_share_is_held_against_the_limit_that_is_asked_for(
    question: str, sentence: str, *, value: bool | None
) -> None:
    draft = draft_of_concentration(question, BooleanDraft, 2022, [page_of(4, paragraph(sentence))])

    assert (draft.final_answer if draft else None) is value


def test_the_share_of_the_largest_customer_is_a_number_with_its_sentence() -> None:
    page = page_of(4, paragraph("Zarq Inc., our largest customer, represented 75% of our revenues in 2022."))
    several = "What share of revenue came from its three largest customers?"
    assert draft_of_concentration(several, NumberDraft, 2022, [page]) is None
    draft = draft_of_concentration(
        "What share of revenue came from its largest customer?", NumberDraft, 2022, [page]
    )

    assert draft is not None
    assert draft.final_answer == 75
    assert draft.evidence[0].printed_figure == "75%"
