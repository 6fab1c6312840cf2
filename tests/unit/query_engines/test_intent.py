"""What questions are understood to ask for."""

import pytest

from query_engines.question.classifier import QuestionClassifier, core
from query_engines.question.intent import IntentReader
from query_engines.question.parsed import Intent
from query_engines.question.search_text import requested_currency, search_text
from storage.records.metrics import Ontology
from storage.records.reports import Company
from tests.support.known_facts import PARAPHRASES

ACME = Company(name="Acme Tools Inc.")
ONTOLOGY = Ontology.load()
INTENTS, GUESSES = IntentReader(ONTOLOGY), QuestionClassifier.load()


def ask(question: str) -> Intent:
    return INTENTS.read(question, ACME, GUESSES.read(core(question, (ACME.name, "Acme Tools"))))


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What was Acme Tools Inc.'s net income for the year ended December 31, 2022?", "net income"),
        ("What was Acme Tools Inc.'s net income in fiscal 2022 (in USD)?", "net income"),
        ("What was the net income of Acme Tools in the year ended 31 March 2022?", "net income"),
        (
            "What were Acme Tools Inc.'s long-lived assets in Japan at the end of 2022?",
            "long-lived assets in Japan",
        ),
        ("What was Acme Tools Inc.'s net income since 2020 (in EUR million)?", "net income"),
        ("What was Acme Tools Inc.'s net income in FY'22?", "net income"),
        ("What was Acme Tools Inc.'s net income from its 2000 stores?", "net income from its 2000 stores"),
        ("What was Acme Tools Inc.'s net income in Q2 2022?", "net income in Q2 2022"),
        ("What was Acme Tools Inc.'s profit for the year?", "profit for the year"),
    ],
)
def test_company_period_and_currency_are_not_searched_for(question: str, text: str) -> None:
    assert search_text(question, ACME) == text


@pytest.mark.parametrize(
    ("question", "metric"),
    [
        (
            "What was the total amount spent on research and development by Acme Tools Inc.?",
            "research_and_development",
        ),
        ("What was the EPS (earnings per share) (in USD) for Acme Tools Inc.?", "eps_basic"),
        ("What was the Gross margin (%) for Acme Tools Inc.?", "gross_margin"),
    ],
)
def test_a_metric_is_known_by_its_name_beside_words_that_ask_for_nothing_else(question: str, metric: str) -> None:
    intent = ask(question)
    assert (intent.topic, intent.metric) == ("line", ONTOLOGY[metric])


@pytest.mark.parametrize(
    "question",
    [
        "What revenue did Acme Tools Inc. make in the United States in 2022?",
        "How much goodwill did Acme Tools Inc. record on the Nestor acquisition?",
        "What did Acme Tools Inc. report for Depreciation and amortization (Adjusted EBITDA)?",
        "What was Issuance of stock (Consolidated Statements of Stockholders' Equity) at Acme Tools Inc.?",
    ],
)
def test_a_part_of_a_metric_is_not_taken_for_the_metric_by_its_name(question: str) -> None:
    assert not ask(question).is_by_name


@pytest.mark.parametrize(("wanted", "wordings"), PARAPHRASES.values(), ids=PARAPHRASES)
def test_everyday_wordings_are_understood(wanted: str, wordings: tuple[str, str]) -> None:
    for wording in wordings:
        intent = ask(wording.replace("COMPANY", ACME.name))
        assert wanted in (intent.role, intent.event, intent.metric and intent.metric.id), wording


@pytest.mark.parametrize("when", ["Q2 2022", "H1 FY22", "from 2019 to 2022", "since 2020", "the last three years"])
def test_a_part_of_a_year_or_several_years_are_not_the_year_s_figure(when: str) -> None:
    assert (ask(f"What was the revenue of Acme Tools Inc. in {when}?").sole_metric) is None


@pytest.mark.parametrize(
    ("phrase", "code"),
    [
        ("in USD", "USD"),
        ("(in euros)", "EUR"),
        ("in millions of Swiss francs", "CHF"),
        ("in EUR million", "EUR"),
        ("in Mio. EUR", "EUR"),
        ("en millions d'euros", "EUR"),
        ("in Schweizer Franken", "CHF"),
        ("en dólares estadounidenses", "USD"),
        ("in RMB", "CNY"),
        ("in US dollars and euros", None),
        ("in euro bonds", None),
        ("in dollars", "USD"),
    ],
)
def test_the_currency_asked_for_is_read_in_any_of_the_languages(phrase: str, code: str | None) -> None:
    assert requested_currency(f"What was the revenue of Acme {phrase}?") == code


def test_the_names_that_reports_print_are_searched_for_too() -> None:
    assert (
        "net cash provided by operating activities" in ask("How much cash did Acme Tools generate?").search_words
    )
    assert ask("Why did Acme Tools close Delta?").search_words == "Why did close Delta"


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("How much did Acme Tools sell last year?", True),
        ("How much did Acme Tools sell in Germany?", False),
        ("How much did the German subsidiary of Acme Tools sell?", False),
        ("What did Acme Tools earn per share?", True),
        ("How much did Acme Tools earn per employee?", False),
    ],
)
def test_everyday_words_are_plain_when_they_ask_for_nothing_narrower(question: str, plain: bool) -> None:
    assert ask(question).is_plain is plain


@pytest.mark.parametrize(
    ("question", "role"),
    [
        ("Who is the CEO in the company 'Acme Tools Inc.'?", "chief_executive"),
        ("Who is the Chief Executive Officer of Acme Tools?", "chief_executive"),
        ("What is the name of the current CFO of Acme Tools?", "chief_financial"),
        ("Who was the former CEO of Acme Tools?", None),
        ("What was the CEO's total compensation at Acme Tools?", None),
        ("Who is CEO of the North American segment of Acme Tools?", None),
    ],
)
def test_only_a_question_for_the_officer_itself_is_plain(question: str, role: str | None) -> None:
    intent = ask(question)
    assert (intent.role if intent.is_plain else None) == role


@pytest.mark.parametrize(
    ("question", "event"),
    [
        ("Did Acme Tools announce a share buyback plan?", "buyback"),
        ("Did Acme Tools mention any mergers or acquisitions in the annual report?", "acquisition"),
        ("Did Acme Tools announce any changes to its dividend policy?", "dividend_policy"),
        ("Did Acme Tools mention any ongoing litigation or regulatory inquiries?", "litigation"),
        ("Did Acme Tools complete the acquisition of Firma?", None),
    ],
)
def test_only_a_question_about_any_event_of_a_kind_is_plain(question: str, event: str | None) -> None:
    intent = ask(question)
    assert (intent.event if intent.is_plain else None) == event


@pytest.mark.parametrize(
    ("question", "derived"),
    [
        ("What was the gross margin of Acme Tools Inc. in Fiscal 2022?", "gross_margin"),
        ("What Was The Gross Margin Of Acme Tools Inc. In Fiscal Year 2022?", "gross_margin"),
    ],
)
def test_a_ratio_of_the_company_is_read_beside_other_capitals(question: str, derived: str) -> None:
    found = ask(question).derived
    assert found is not None
    assert found.id == derived


def test_what_is_committed_to_is_not_what_was_spent() -> None:
    assert ask("Exploration spending that Acme Tools Inc. is committed to next year?").sole_metric is None


def test_a_forecast_is_not_the_reported_figure() -> None:
    assert not ask("How much revenue does Acme Tools expect?").is_plain
