import re

import pytest

from storage.records.metrics import Ontology, folded, significant

ONTOLOGY = Ontology.load()
CHALLENGE = {
    "Total revenue": "total_revenue",
    "Operating income": "operating_income",
    "Net income": "net_income",
    "Gross margin (%)": "gross_margin",
    "Operating margin (%)": "operating_margin",
    "EPS (earnings per share)": "eps_basic",
    "EBITDA": "ebitda",
    "Capital expenditures": "capital_expenditures",
    "Cash flow from operations": "operating_cash_flow",
    "Long-term debt": "long_term_debt",
    "Shareholders' equity": "shareholders_equity",
    "Dividend per share": "dividend_per_share",
    "Total assets": "total_assets",
    "Number of stores": "stores",
    "Total deposits": "deposits",
    "Loans outstanding": "loans",
    "Fleet size": "fleet_size",
    "number of employees let go": "employees_let_go",
}


def test_the_ontology_has_some_sixty_metrics_each_known_by_one_id() -> None:
    ids = [metric.id for metric in ONTOLOGY.metrics]
    assert len(ids) >= 60
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize(("question", "metric"), CHALLENGE.items())
def test_the_words_of_the_challenge_name_a_metric(question: str, metric: str) -> None:
    found = ONTOLOGY.metric_named(question)
    assert found is not None
    assert found.id == metric


def test_no_two_metrics_are_asked_for_with_the_same_words() -> None:
    names = [significant(words) for metric in ONTOLOGY.metrics for words in set(metric.question_names)]
    by_metric = {(significant(words), metric.id) for metric in ONTOLOGY.metrics for words in metric.question_names}
    assert len({words for words, _ in by_metric}) == len(by_metric), names


@pytest.mark.parametrize("metric", ONTOLOGY.metrics, ids=lambda m: m.id)
def test_every_pattern_of_a_metric_is_one_and_lower_case(metric) -> None:  # type: ignore[no-untyped-def]  # by pytest
    for pattern in [
        *metric.patterns,
        *metric.never,
        *metric.never_under,
        metric.after,
        metric.words,
        metric.doubt,
    ]:
        re.compile(pattern)
        assert not re.search(r"(?<!\\)[A-Z]", pattern), "labels are compared in lower case"
    assert metric.names


@pytest.mark.parametrize(
    ("metric", "label", "heading"),
    [
        ("net_income", "Net (loss)/gain for the year", ""),
        ("net_income", "Profit and total comprehensive income for the year", ""),
        ("net_income", "Loss after income tax for the year", ""),
        ("eps_basic", "Basic", "Net income (loss) per share:"),
        ("eps_basic", "Net loss per common share - basic and diluted", ""),
        ("eps_basic", "Return per Ordinary share (pence)", ""),
        ("total_revenue", "Total", "Revenue:"),
        ("total_assets", "Total", "Assets"),
        ("operating_cash_flow", "Net cash (used in)/generated from operating activities", ""),
        ("capital_expenditures", "Property, plant and equipment additions", "Investing activities:"),
        ("capital_expenditures", "Fixed assets and intangible assets", "Payments for the acquisition of:"),
        ("long_term_debt", "Borrowings", "Non-current liabilities"),
        ("long_term_debt", "Convertible senior notes, net", ""),
        ("shareholders_equity", "Total stockholders' equity (deficit)", ""),
        ("weighted_shares_basic", "Basic", "Weighted average number of shares outstanding:"),
        ("liabilities_and_equity", "Total liabilities and stockholders' deficit", ""),
    ],
)
def test_a_row_says_its_metric_by_label_or_by_the_heading_above(metric: str, label: str, heading: str) -> None:
    assert ONTOLOGY[metric].place(label, heading) is not None


@pytest.mark.parametrize(
    ("metric", "label", "heading"),
    [
        ("total_revenue", "Cost of revenue", ""),
        ("total_revenue", "Deferred revenue", ""),
        ("operating_income", "Adjusted operating income", ""),
        ("operating_income", "Net operating income", ""),
        ("net_income", "Net income attributable to non-controlling interests", ""),
        ("net_income", "Net loss per share", ""),
        ("eps_basic", "Diluted", "Earnings per share:"),
        ("eps_basic", "Basic", "Weighted average number of shares outstanding:"),
        ("total_assets", "Total current assets", ""),
        ("total_assets", "Total assets less current liabilities", ""),
        ("long_term_debt", "Current portion of long-term debt", ""),
        ("long_term_debt", "Long-term debt", "Current liabilities"),
        ("shareholders_equity", "Total liabilities and stockholders' equity", ""),
        ("capital_expenditures", "Purchases of property and equipment in accounts payable", ""),
        ("capital_expenditures", "Purchase of property and equipment", "Supplemental non-cash disclosures"),
        ("ebitda", "Adjusted EBITDA", ""),
    ],
)
def test_what_only_looks_like_a_metric_is_not_it(metric: str, label: str, heading: str) -> None:
    assert ONTOLOGY[metric].place(label, heading) is None


def test_a_name_goes_before_a_row_under_a_heading_and_that_before_a_pattern() -> None:
    eps = ONTOLOGY["eps_basic"]
    named, nested = eps.place("Basic earnings per share"), eps.place("Basic", "Earnings per share:")
    patterned = eps.place("Basic net income per Class A ordinary share")
    assert named is not None
    assert nested is not None
    assert patterned is not None
    assert named < nested < patterned


def test_a_label_loses_footnote_marks_leaders_and_its_colon() -> None:
    assert folded("Total assets (a) ........") == "total assets"
    assert folded("Net income*:") == "net income"
    assert folded("Net income (loss)") == "net income (loss)"


def test_a_line_of_debt_that_no_pattern_knows_leaves_the_sum_in_doubt() -> None:
    debt = ONTOLOGY["debt"]
    assert debt.leaves_in_doubt("Shareholder debt facility drawn, secured") is False  # it fits
    assert debt.leaves_in_doubt("Loans of the parent, subordinated")
    assert not debt.leaves_in_doubt("Loans receivable")
    assert not debt.leaves_in_doubt("Loans, net", "Assets")
    assert debt.place("Current portion of long-term debt", "Liabilities and stockholders' equity") is not None
    assert debt.place("Borrowings embedded option") is None
