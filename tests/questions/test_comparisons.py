"""Comparisons: read from wordings, decided from given answers, and asked of the sample reports."""

import asyncio
import datetime as dt
import random
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import pytest

from app import open_pageproof
from app.assembly.client import Pageproof
from app.files.answer_json import answer_json, submission_item
from app.files.sheets import FileQuestion
from indexes.facts.fact_table import FactTable
from query_engines.answering.company_engine import CompanyQueryEngine
from query_engines.company_names.matcher import CompanyNames
from query_engines.comparison.amounts import Amount, ComparisonResult, Part
from query_engines.comparison.by_topic import read_open_plan, read_plan
from query_engines.comparison.decision import decide
from query_engines.comparison.entities import listed
from query_engines.comparison.open_question import AllCompanies
from query_engines.comparison.plan import Entity, Plan
from query_engines.comparison.reader import ComparisonReader
from query_engines.comparison.years import about, read_years
from query_engines.events import Event, StepFinished, StepStarted, listening
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.question.fact_lookup import FactLookup
from query_engines.question.filings import ranked_filings
from query_engines.question.parsed import FactMatch, ParsedQuestion
from query_engines.question.parser import QuestionParser, read_text
from query_engines.routing.router import CompanyRouter
from storage.errors import ProviderError
from storage.records.answers import Answer, Citation, Unit, Usage, Value
from storage.records.facts import ReportFacts
from storage.records.metrics import Ontology
from storage.records.questions import AnswerKind, Question
from storage.records.reports import Company, Filing, Report
from storage.stores.pages import FactStore
from tests.support.doubles.openai_server import ErrorReply, OpenAIServer
from tests.support.doubles.readings import FORM, form_of, reading
from tests.support.example_pages import report
from tests.support.known_companies import TICKERS
from tests.support.known_comparisons import (
    METRICS,
    Figures,
    KnowingEngine,
    cases,
    is_right,
    is_routed,
    parser_over,
    reader,
    with_perfect_answers,
)

OSTERMERE, VELDHOORN, TSUKIMINE = (
    "Ostermere Instruments, Inc.",
    "Veldhoorn Packaging N.V.",
    "Tsukimine Seiki Co., Ltd.",
)
FIGURE_OF = QuestionParser.trained(Ontology.load()).figure_asked
NAMES = CompanyNames([Company(name=n) for n in ("Holley Inc.", "Rapid7", "Ocugen, Inc.", "TransUnion", "TSX_Y")])


def parsed(text: str, names: CompanyNames = NAMES) -> ParsedQuestion:
    return parser_over(()).parse(Question(text=text), names)


def answer_to(client: Pageproof, text: str, kind: AnswerKind | None = None) -> Answer:
    return client.ask(Question(text=text, kind=kind))


# ------------------------------------------------------------------------------------------------- reading
@pytest.mark.parametrize(
    ("text", "relation", "asked_of_each"),
    [
        ("Did Holley or Rapid7 earn more?", "highest", "Net income"),
        ("Which had more employees, Holley or Rapid7?", "highest", "Number of employees at year end"),
        ("Which of Holley and Rapid7 spent less on R&D?", "lowest", "Research and development expense"),
        (
            "Which announced a share buyback: Holley, Rapid7?",
            "which",
            "announced a share buyback",
        ),
        ("Did Holley and Rapid7 announce buybacks?", "all", "Did announce buybacks"),
        ("Who is the CEO of Holley and Rapid7?", "each", 'Who is the CEO of "Holley Inc."?'),
        (
            "Was Holley's revenue higher than Rapid7's in 2021?",
            "more",
            "Total revenue in 2021",
        ),
        (
            "Rank Holley, Rapid7 and Ocugen by cash in 2021",
            "ranking",
            "Cash and cash equivalents in 2021",
        ),
        (
            "What is the ratio of Holley's cash to Rapid7's in 2021?",
            "ratio",
            "Cash and cash equivalents in 2021",
        ),
        (
            "Which of Holley and Rapid7 had the higher cash in Swiss francs in 2021?",
            "highest",
            "Cash and cash equivalents (in CHF) in 2021",
        ),
        (
            "What was the combined cash of Holley and Rapid7 in 2021?",
            "sum",
            "Cash and cash equivalents in 2021",
        ),
    ],
)
def test_each_company_is_asked_by_itself(text: str, relation: str, asked_of_each: str) -> None:
    plan = read_plan(listed(parsed(text)), FIGURE_OF)
    assert plan is not None
    first = plan.entities[0].query
    assert (plan.relation, first.asked, first.companies) == (relation, asked_of_each, ("Holley Inc.",))


@pytest.mark.parametrize(
    ("text", "entities"),
    [
        (
            'Compare "Holley Inc." with "Nobody plc" by cash',
            [("Holley Inc.", "Holley Inc."), ("Nobody plc", None)],
        ),
        ("Did Zorblax or Holley earn more?", [("Zorblax", None), ("Holley", "Holley Inc.")]),
        ('How much more did "Sensata" spend than "TSX_Y"?', [("Sensata", None), ("TSX_Y", "TSX_Y")]),
        ('Did "Holley Inc." mention "supply chain disruptions"?', [("Holley Inc.", "Holley Inc.")]),
        ("What did Holley and its CEO say?", [("Holley", "Holley Inc.")]),
        ("Is Holley's net income, in USD, above Holley's 2021 figure?", [("Holley", "Holley Inc.")]),
    ],
)
def test_a_partner_that_nobody_knows_is_kept_and_nothing_else_is_taken_for_one(
    text: str, entities: list[tuple[str, str | None]]
) -> None:
    assert [(p.label, p.company) for p in listed(parsed(text)).entities] == entities


@pytest.mark.parametrize(
    ("text", "relation", "first"),
    [
        ("Which of Holley and Rapid7 had the larger net loss?", "lowest", 0),
        ("Which lost more money, Holley or Rapid7?", "lowest", 0),
        ("Was Holley's net loss smaller than Rapid7's?", "more", 0),
        ("How much higher was Holley's net loss than Rapid7's?", "difference", 1),
    ],
)
def test_the_larger_loss_is_the_smaller_income(text: str, relation: str, first: int) -> None:
    plan = read_plan(listed(parsed(text)), FIGURE_OF)
    assert plan is not None
    assert (plan.relation, plan.subject, plan.first) == (relation, "net income", first)


def test_a_list_of_one_is_a_comparison_too(client: Pageproof) -> None:
    text = f'Which of the companies had the highest total assets in EUR: "{VELDHOORN}"?'
    assert answer_to(client, text, "name").value == VELDHOORN


@pytest.mark.parametrize(
    "text",
    [
        "Did Holley acquire Rapid7?",
        "Which auditor audited Holley and Rapid7?",
        "What was launched in 2021: Holley",
    ],
)
def test_what_is_no_comparison_is_not_made_one(text: str) -> None:
    assert read_plan(listed(parsed(text)), FIGURE_OF) is None


def test_a_name_that_fits_two_companies_is_a_company_that_is_asked_back() -> None:
    names = CompanyNames([Company(name=n) for n in ("Kelvor Mining plc", "Kelvor Foods plc", "Holley Inc.")])
    one, other = listed(parsed("Compare the cash of Kelvor and Holley", names)).entities
    assert (one.label, one.company, one.is_ambiguous) == ("Kelvor", None, True)
    assert one.candidates == ("Kelvor Mining plc", "Kelvor Foods plc")
    assert other.company == "Holley Inc."


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("Which company had the highest revenue?", "highest"),
        ("Which companies announced share buybacks?", "which"),
        ("Rank all companies by net income", "ranking"),
        ("Who is the CEO?", None),
        ("What were the highest revenues?", None),
    ],
)
def test_a_question_about_whichever_company_is_known_by_its_wording(text: str, relation: str | None) -> None:
    read = read_open_plan(parsed(text), FIGURE_OF)
    assert (read[0].relation if read else None) == relation


@pytest.mark.parametrize(
    ("text", "relation", "years"),
    [
        ("What was the revenue of Holley in 2021 and 2022?", "each", ["2021", "2022"]),
        ("What was Holley's revenue from 2020 to 2022?", "each", ["2020", "2021", "2022"]),
        ("How did Holley's revenue change since 2020?", "change", ["2020", "2022"]),
        ("By what percentage did Holley's revenue grow from 2020 to 2022?", "growth", ["2020", "2022"]),
        ("Did Holley's revenue grow compared to the previous year?", "more", ["2021", "2022"]),
        ("What was Holley's average revenue over the last three years?", "average", ["2020", "2021", "2022"]),
        (
            "In which of the last three years was Holley's revenue the highest?",
            "highest",
            ["2020", "2021", "2022"],
        ),
        (
            "In which of the past three years did Holley earn the least, and how far short of it was 2022?",
            "lowest",
            ["2020", "2021", "2022"],
        ),
        ("Has Holley's operating margin been improving since 2020?", "rising", ["2020", "2021", "2022"]),
        ("Have Holley's debts been improving since 2020? Show figures.", "falling", ["2020", "2021", "2022"]),
        ("Holley: was there a fall in income in the last 3 years?", "ever_falling", ["2020", "2021", "2022"]),
        ("Holley revenue CAGR 2020-2022?", "compound_growth", ["2020", "2021", "2022"]),
        ("How did Holley's income develop from 2020 to 2022?", "series", ["2020", "2021", "2022"]),
        ("Which year was the best for Holley's revenue?", "highest", ["2018", "2019", "2020", "2021", "2022"]),
        ("Show the revenue trend of Holley from 2020 to 2022", "series", ["2020", "2021", "2022"]),
        ("What was Holley.' revenue trend?", "series", ["2018", "2019", "2020", "2021", "2022"]),
        ("When did Holley's expenses peak?", "highest", ["2018", "2019", "2020", "2021", "2022"]),
        ("How much revenue has Holley lost since 2020, in percent?", "growth", ["2020", "2022"]),
        ("Was Holley's revenue in 2022 higher than the year before?", "more", ["2021", "2022"]),
        ("Was revenue in 2021 lower than in 2022 at Holley?", "less", ["2021", "2022"]),
        ("Did revenue at Holley increase or decrease in 2021?", "direction", ["2020", "2021"]),
        ("Was Holley's revenue up in 2022?", "more", ["2021", "2022"]),
        ("Did the net loss of Holley widen or narrow?", "direction", ["2021", "2022"]),
        ("Did Holley's revenue change from 2020 to 2022?", "change", ["2020", "2022"]),
        ("Did Holley increase its dividend in the third quarter?", None, []),
        ("What was the revenue of Holley in 2021?", None, []),
        ("What are Holley's notes due 2025 and 2027?", None, []),
        ("What was the revenue of Holley in the year 2021/2022?", None, []),
        ("Of Holley's brands that were sold both in 2021 and in 2022, which ones shrank?", None, []),
    ],
)
def test_several_years_are_asked_one_by_one(text: str, relation: str | None, years: list[str]) -> None:
    plan = read_years(listed(parsed(text)), 2022, FIGURE_OF)
    assert (plan.relation if plan else None) == relation
    assert [p.label for p in plan.entities] == years if plan else not years
    queries = [entity.query for entity in (plan.entities if plan else ())]
    assert [query.periods[0].said for query in queries] == years
    assert {query.companies for query in queries} <= {("Holley Inc.",)}


def test_a_company_given_beside_the_question_is_asked_about_its_years() -> None:
    plan = read_years(
        about(parsed("How did its revenue change from 2020 to 2022?"), "Holley Inc."), 2022, FIGURE_OF
    )
    assert plan is not None
    assert [p.query.asked for p in plan.entities] == ["Total revenue in 2020", "Total revenue in 2022"]


def filing(kind: str, end: str, months: int, quarter: int | None = None) -> Report:
    known = Filing.model_validate({"type": kind, "months": months, "quarter": quarter, "year_end_month": 12})
    day = dt.date.fromisoformat(end)
    return Report(
        sha1=end, file=end, company="Acme", page_count=1, period_end=day, fiscal_year=day.year, filing=known
    )


ACME = Company(name="Acme", reports=(filing("10-Q", "2023-06-30", 3, 2), filing("10-K", "2022-12-31", 12)))
PARTS_OF_YEARS = [
    ("What was Acme's revenue growth in Q2 2023 year over year?", "growth", ("Q2 2022", "Q2 2023")),
    ("How did Acme's revenue change in Q2 2023 compared with the same quarter of last year?", "change", None),
    ("By how much did Acme's revenue grow from Q2 2022 to Q2 2023?", "difference", ("Q2 2022", "Q2 2023")),
    ("Did Acme's net income rise in H1 2023 compared with H1 2022?", "more", ("H1 2022", "H1 2023")),
    ("What was Acme's revenue in Q1 and Q2 of fiscal 2023?", "each", ("Q1 fiscal 2023", "Q2 fiscal 2023")),
    ("What was Acme's trailing twelve months revenue?", "trailing", ("fiscal 2022", "H1 2023", "H1 2022")),
    ("How have Acme's total assets changed since the last annual report?", "change", ("fiscal 2022", "H1 2023")),
    ("How has Acme's revenue changed since its last annual report?", "change", ("H1 2022", "H1 2023")),
    ("What was Acme's revenue in FY 2022 and Q2 of FY2023?", "each", ("FY 2022", "Q2 of FY2023")),
    ("Acme: revenue for FY2022 and for Q2 FY2023?", "each", ("FY2022", "Q2 FY2023")),
    ("How did Acme's revenue in Q2 2023 compare with 2022?", None, None),  # a quarter is not held against a year
    ("What was Acme's cash over the last twelve months?", None, None),  # it does not add up
    ("What was Acme's revenue since the last annual report?", None, None),
]


@pytest.mark.parametrize(("text", "relation", "periods"), PARTS_OF_YEARS)
def test_parts_of_years_are_compared_with_parts_as_long(
    tmp_path: Path, text: str, relation: str | None, periods: tuple[str, ...] | None
) -> None:
    plan = reader(tmp_path).read(parser_over((ACME,)).parse(Question(text=text))).plan
    assert (plan and plan.relation) == relation
    labels = [e.label.replace("the first 6 months of fiscal", "H1") for e in plan.entities] if plan else []
    assert periods is None or tuple(labels) == periods
    assert all(e.query.periods[0].said in e.label for e in (plan.entities if plan else ()))


@pytest.mark.parametrize(("year", "file"), [("2022", "b"), ("2021", "a"), ("2020", "a"), ("2025", "b")])
def test_the_asked_year_s_report_answers_else_the_first_that_looks_back_on_it(year: str, file: str) -> None:
    kinds = [("b", 2022), ("a", 2021)]
    reports = [Report(sha1=f, file=f, company="A", page_count=1, fiscal_year=y) for f, y in kinds]
    assert ranked_filings(read_text(Question(text=f"What was the revenue in {year}?")), reports)[0].file == file


def test_the_prior_year_gets_its_number_from_the_newest_report() -> None:
    reports = tuple(
        Report(sha1=f, file=f, company="A", page_count=1, fiscal_year=y) for f, y in (("b", 2022), ("a", 2021))
    )
    parser = parser_over(())
    parsed_question = parser.about(
        parser.parse(Question(text="revenue in the prior year?")), Company(name="A", reports=reports)
    )
    assert (parsed_question.text, parsed_question.years, ranked_filings(parsed_question, reports)[0].file) == (
        "revenue in 2021?",
        (2021,),
        "a",
    )


# ------------------------------------------------------------------------------------------------ deciding
def part(label: str, value: Value, currency: str | None = "USD", page: int = 1) -> Part:
    cited = Citation(report_sha1=label, file=label, page=page, page_width=9, page_height=9, quote=str(value))
    answer = Answer(question=label, kind="number", company=label, value=value, citations=(cited,))
    answer = answer.model_copy(
        update={"unit": Unit(currency=currency)} if value != "N/A" else {"reason": "not_found"}
    )
    return Part(entity=Entity(label=label, company=label), answer=answer)


def decided(
    relation: str, *parts: Part, kind: AnswerKind | None = None, strict: bool = True, **more: object
) -> ComparisonResult:
    number = all(not isinstance(p.answer.value, bool) for p in parts)
    plan = Plan.model_validate(
        {"relation": relation, "subject": "cash", "entities": [p.entity for p in parts], **more}
        | ({} if number else {"kind": "boolean"})
    )
    return decide(plan, parts, kind, strict=strict)


A, B, C, NONE = part("A", 100.0), part("B", 40.0), part("C", 70.0), part("D", "N/A")
EURO, YES, NO = part("E", 90.0, "EUR"), part("Y", True), part("N", False)


@pytest.mark.parametrize(
    ("relation", "parts", "value"),
    [
        ("highest", (A, B, C), "A"),
        ("lowest", (A, B, C), "B"),
        ("highest", (NONE, B), "B"),
        ("highest", (NONE, NONE), "N/A"),
        ("ranking", (B, A, C), ("A", "C", "B")),
        ("more", (A, B), True),
        ("less", (A, B), False),
        ("difference", (B, A), -60.0),
        ("difference", (A, NONE), "N/A"),
        ("difference", (A, EURO), "N/A"),
        ("growth", (A, B), 150.0),
        ("ratio", (A, B), 2.5),
        ("share", (A, B, C, part("Z", 40.0)), 40.0),
        ("share", (A, NONE), "N/A"),
        ("sum", (A, B, C), 210.0),
        ("average", (A, B, C), 70.0),
        ("which", (YES, NO), ("Y",)),
        ("which", (NO, NO), "N/A"),
        ("all", (YES, NO), False),
        ("any", (YES, NO), True),
        ("all", (YES, NONE), "N/A"),
        ("each", (A, NONE), "A: 100 USD."),
        ("change", (A, B), "Cash rose by 60 USD (+150.0%): 40 USD in B, 100 USD in A."),
    ],
)
def test_the_answers_come_to(relation: str, parts: tuple[Part, ...], value: Value) -> None:
    assert decided(relation, *parts).value == value


def test_sums_are_exact() -> None:
    assert decided("sum", part("A", 0.1), part("B", 0.2)).value == 0.3  # not 0.30000000000000004


@pytest.mark.parametrize(
    ("kind", "value", "shape"),
    [(None, ("A", "Z"), "names"), ("name", "A", "name"), ("comparative", "A", "comparative")],
)
def test_a_tie_names_all_or_where_one_name_is_asked_for_the_first(
    kind: AnswerKind | None, value: Value, shape: str
) -> None:
    found = decided("highest", B, A, part("Z", 100.0), kind=kind)
    assert (found.value, found.kind) == (value, shape)
    assert "a tie" in found.statements[0]


def test_another_currency_is_left_out_when_strict_and_else_labelled() -> None:
    huge = part("E", 9e9, "EUR")
    strict = decided("highest", A, huge, currency="USD")
    assert (strict.value, strict.used) == ("A", (0,))
    assert "E: left out, its report is in EUR, not in USD." in strict.statements
    analyst = decided("highest", A, huge, currency="USD", strict=False)
    assert analyst.value == "E"
    assert any(line.startswith("E (not in USD): ") for line in analyst.statements)


@pytest.mark.parametrize(
    ("other", "value", "reason"),
    [(part("E", 1000.0, "EUR"), "E", None), (part("E", 90.0, "EUR"), "N/A", "other_currency")],
)
def test_currencies_are_told_apart_only_where_no_rate_could_turn_them_round(
    other: Part, value: Value, reason: str | None
) -> None:
    found = decided("highest", A, other)
    assert (found.value, found.reason) == (value, reason)


def test_an_unknown_currency_is_never_ranked_by_a_guess() -> None:
    assert Amount(value=Decimal(9), currency="XXX").exceeds(Amount(value=Decimal(1), currency="USD")) is None


def test_a_technical_failure_decides_nothing() -> None:
    failed = part("F", "N/A")
    failed = failed.model_copy(update={"answer": failed.answer.model_copy(update={"reason": "model_failed"})})
    assert decided("highest", A, failed).reason == "model_failed"


# -------------------------------------------------------------------------------------------- all together
def invented() -> list[Figures]:
    rng = random.Random(3)
    figures = []
    for name in TICKERS:
        values = {m: None if rng.random() < 0.15 else float(rng.randint(-900, 900) * 10**6) for m in METRICS}
        figures.append(Figures(name, rng.choice(("USD", "USD", "USD", "GBP", "AUD", "CAD")), dict(values)))
    return figures


def test_three_hundred_comparisons_are_read_and_decided_as_by_hand(tmp_path: Path) -> None:
    known, read = invented(), reader(tmp_path)
    companies = [Company(name=k.company) for k in known]
    wrong = []
    for case in cases(known):
        answer, seen = asyncio.run(with_perfect_answers(case, read, companies))
        each_once = len(seen) == sum(bool(f.company) for f in case.figures.values())
        if not (is_routed(case, read, companies) and is_right(case, answer.value) and each_once):
            wrong.append((case.text, case.right, answer.value))
    assert wrong == []


def test_every_sub_question_is_a_step_of_its_own(tmp_path: Path) -> None:
    figures = [Figures(n, "USD", {"cash": float(i)}) for i, n in enumerate(("Holley Inc.", "Rapid7"))]
    by_name = {f.company: f for f in figures}
    companies = [Company(name=n) for n in by_name]
    parser = parser_over(companies, is_trained=True)
    router = CompanyRouter(
        parser,
        lambda c: KnowingEngine(by_name[c.name], "cash", []),
        reader(tmp_path, is_trained=True),
        BackgroundLoop(),
    )
    events: list[Event] = []
    with listening(events.append):
        asyncio.run(
            router.aquery(parser.bundle(Question(text="Compare the cash of Holley, Rapid7 and Nobody plc")))
        )
    steps = [e for e in events if isinstance(e, StepStarted) and e.kind == "sub_question"]
    assert [s.label.split(":")[0] for s in steps] == ["Holley", "Rapid7", "Nobody plc"]
    assert {s.step_id for s in steps} <= {e.step_id for e in events if isinstance(e, StepFinished)}


def test_an_all_companies_question_looks_up_each_company_s_facts_once(tmp_path: Path) -> None:
    figures = {n: Figures(n, "USD", {"cash": float(i)}) for i, n in enumerate(("Holley Inc.", "Rapid7"))}
    companies = [Company(name=n, reports=(report(n, n),)) for n in figures]
    store, looked_up = FactStore(tmp_path, "print"), list[str]()
    for company in companies:
        store.write(company.reports[0], ReportFacts(report_sha1=company.name))

    class Counting(FactLookup):
        def look_up(self, parsed: ParsedQuestion, report: Report) -> FactMatch:
            looked_up.append(report.company)
            return super().look_up(parsed, report)

    lookup, parser, loop = Counting(FactTable(store)), parser_over(companies), BackgroundLoop()

    class Engines:
        def engine(self, company: Company, report: Report) -> Any:
            del report
            return KnowingEngine(figures[company.name], "cash", [])

        def from_facts(self, company: Company, report: Report) -> None:
            del company, report

    def engine(company: Company) -> CompanyQueryEngine:
        return CompanyQueryEngine(company, parser, lookup, Engines(), loop)

    router = CompanyRouter(parser, engine, ComparisonReader(AllCompanies(lookup, parser)), loop)
    question = parser.bundle(Question(text="Which company had the highest cash?"))
    answer = asyncio.run(router.aquery(question)).response  # type: ignore[union-attr]  # a PydanticResponse
    assert answer.value == "Rapid7"
    assert sorted(looked_up) == sorted(figures)


class Failing(KnowingEngine):
    def _query(self, query_bundle: object) -> object:  # type: ignore[override]  # never answers
        del query_bundle
        raise ProviderError("down")


@pytest.mark.parametrize("all_fail", [True, False])
def test_a_provider_that_fails_for_one_leaves_it_undecided_and_for_all_is_an_error(
    tmp_path: Path, all_fail: bool
) -> None:
    figures = Figures("Holley Inc.", "USD", {"cash": 1.0})
    companies = [Company(name=n) for n in ("Holley Inc.", "Rapid7")]

    def engine(company: Company) -> KnowingEngine:
        kind = Failing if all_fail or company.name == "Rapid7" else KnowingEngine
        return kind(figures, "cash", [])

    parser = parser_over(companies, is_trained=True)
    router = CompanyRouter(parser, engine, reader(tmp_path, is_trained=True), BackgroundLoop())
    question = parser.bundle(Question(text="Compare the cash of Holley and Rapid7"))
    if all_fail:
        with pytest.raises(ProviderError):
            asyncio.run(router.aquery(question))
    else:
        answer = asyncio.run(router.aquery(question)).response  # type: ignore[union-attr]  # a PydanticResponse
        assert answer.reason == "model_failed"
        assert [p.value for p in answer.parts] == [1.0, "N/A"]


# ------------------------------------------------------------------------------------- over the sample reports
def test_a_comparison_cites_the_page_of_each_company_s_figure_and_no_other(client: Pageproof) -> None:
    text = (
        f"Which of the companies had the lowest total revenue in EUR at the end of the period listed in annual report: "
        f'"{OSTERMERE}", "{VELDHOORN}", "Nobody plc"? If data for the company is not available, exclude it from the '
        f"comparison. If only one company is left, return this company."
    )
    answer = answer_to(client, text, "name")
    assert (answer.value, answer.kind, answer.usage) == (VELDHOORN, "name", Usage())
    assert [p.reason for p in answer.parts] == ["other_currency", None, "company_unknown"]
    assert {c.file for c in answer.citations} == {"veldhoorn_2024.pdf"}
    row = answer_json(answer)
    assert [p["company"] for p in row["parts"]] == [OSTERMERE, VELDHOORN, "Nobody plc"]  # type: ignore[union-attr,call-overload,index]  # JSON
    item = submission_item(FileQuestion(question=Question(text=text, kind="name"), kind_in_file="name"), answer)
    assert item["references"] == [{"pdf_sha1": c.report_sha1, "page_index": c.page - 1} for c in answer.citations]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Which of Ostermere and Tsukimine has more employees?", "Tsukimine"),
        (f"How many more employees does {TSUKIMINE} have than {OSTERMERE}?", 3342.0),
        ("Did Ostermere's total revenue grow from 2023 to 2024?", False),
        ("By how much did Ostermere's total revenue decrease from 2023 to 2024?", 16463000.0),
        ("What was the total revenue of Ostermere in the prior year?", 402875000.0),
        (
            "Which of Ostermere, Veldhoorn and Tsukimine announced a share buyback plan?",
            ("Veldhoorn", "Tsukimine"),
        ),
        ("Which company has the most employees?", VELDHOORN),
        (
            "Who is the CEO of Ostermere and Veldhoorn?",
            "Ostermere: Dana R. Whitcombe; Veldhoorn: Marit van Haelst.",
        ),
        ("Did Ostermere acquire Veldhoorn?", "N/A"),
        ("Was Ostermere's revenue in 2024 higher than the year before?", False),
        ("Is Ostermere's revenue in 2023 higher than in 2024?", True),
        ("Was revenue in 2024 lower than in 2023 at Ostermere?", True),
        ("Was Ostermere's net income higher than last year?", False),
        ("Was Ostermere's net loss larger in 2024 than in 2023?", True),
        ("Did Ostermere's revenue go up in 2024?", False),
        ("Did revenue increase or decrease at Ostermere in 2024?", "decreased"),
        ("Did Tsukimine's net income rise or fall?", "increased"),
        (
            "Did Ostermere's revenue change from 2023 to 2024?",
            "Total revenue fell by 16,463,000 USD (-4.1%): 402,875,000 USD in 2023, 386,412,000 USD in 2024.",
        ),
    ],
)
def test_comparisons_over_the_sample_reports(client: Pageproof, text: str, value: Value) -> None:
    assert answer_to(client, text).value == value


@pytest.mark.parametrize("kind", [None, "names", "name", "text"])
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Which companies changed their dividend policy?", "not_found"),
        ("Which companies launched a restructuring?", "not_found"),
        ("Which company had the highest total revenue in CHF?", "other_currency"),
    ],
)
def test_a_question_to_all_companies_that_fits_none_is_answered_so_and_fails_with_no_index_error(
    client: Pageproof, text: str, reason: str, kind: AnswerKind | None
) -> None:
    answer = answer_to(client, text, kind)
    assert (answer.value, answer.reason, answer.parts) == ("N/A", reason, ())
    assert answer.summary.startswith("None of the companies")


# ---------------------------------------------------------------------------------------------- with a model
ODD = "Between Ostermere and Veldhoorn, whose kettle whistles the louder tune?"
TAKEN_APART = reading("comparative", (OSTERMERE, VELDHOORN), relation="highest", asks="number of employees")
ANSWER = {
    "step_by_step_analysis": "a",
    "reasoning_summary": "s",
    "evidence": [],
    "relevant_pages": [],
    "unavailable_because": None,
    "final_answer": 7,
}


def answering(body: dict[str, object]) -> dict[str, object] | ErrorReply:
    sent = str(body["messages"])
    if form_of(body) == FORM:
        return TAKEN_APART if "Between" in sent.rpartition("<question>")[2] else reading(companies=[VELDHOORN])
    return {**ANSWER, "final_answer": 9 if "Company: Veldhoorn" in sent else 7}


def with_model(data: Path, server: OpenAIServer, text: str, *more: str) -> Answer:
    chosen = ["answers.kind=llm", "llm.kind=openai_like", "llm.model=any", f"llm.api_base={server.api_base}"]
    chosen += ["verification.second_look=false", *more]
    with open_pageproof("offline", overrides=chosen, data=data) as own:
        return answer_to(own, text)


def test_a_wording_that_no_rule_knows_is_taken_apart_by_the_model(sample_data: Path) -> None:
    with OpenAIServer(answer=answering) as server:
        answer = with_model(sample_data, server, ODD)
    assert answer.value == "Veldhoorn"
    assert answer.usage.requests == len(server.chats) == 3  # its parts, and an answer to each


def test_without_a_usable_reply_the_question_is_asked_back(sample_data: Path) -> None:
    with OpenAIServer(answer=lambda _: "I cannot help.") as server:
        answer = with_model(sample_data, server, ODD)
    assert (answer.value, answer.reason) == ("N/A", "company_ambiguous")


@pytest.mark.parametrize(
    ("meant", "value"),
    [((VELDHOORN,), 9.0), ((), "N/A"), ((OSTERMERE, VELDHOORN), "N/A")],
    ids=["one", "none", "two"],
)
def test_the_model_chooses_a_company_only_when_it_is_sure_of_one(
    sample_data: Path, meant: tuple[str, ...], value: Value
) -> None:
    def choosing(body: dict[str, object]) -> dict[str, object] | ErrorReply:
        if form_of(body) != FORM:
            return answering(body)
        shown = str(body["messages"]).rpartition("<question>")[0]
        return reading(companies=[name for name in meant if name in shown])

    with OpenAIServer(answer=choosing) as server:
        answer = with_model(sample_data, server, "How many people does the Veldhorne group employ?")
    assert answer.value == value
    assert answer.is_available or VELDHOORN in answer.candidates


def test_a_company_stands_in_the_model_s_list_with_its_other_names(sample_data: Path) -> None:
    shown: list[str] = []

    def choosing(body: dict[str, object]) -> dict[str, object] | ErrorReply:
        if form_of(body) != FORM:
            return answering(body)
        messages = cast(list[dict[str, str]], body["messages"])
        shown.append(messages[-1]["content"])
        line = next(text for text in messages[-1]["content"].splitlines() if VELDHOORN in text)
        return reading(companies=[line.removeprefix("- ")])

    with OpenAIServer(answer=choosing) as server:
        answer = with_model(sample_data, server, "How many people does the Veldhorne group employ?")
    assert f"- {VELDHOORN} (also " in shown[0]
    assert answer.company == VELDHOORN


@pytest.mark.parametrize("text", [ODD, "How many people does the Veldhorne group employ?"])
def test_the_prompt_that_reads_questions_can_be_replaced(sample_data: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "understanding").mkdir()
    (tmp_path / "understanding" / "rules.md").write_text("Do as our house does.\n")
    with OpenAIServer(answer=answering) as server:
        with_model(sample_data, server, text, f"answers.prompts={tmp_path}")
    system_prompts = [chat["messages"][0]["content"] for chat in server.chats]
    assert sum(content.startswith("Do as our house does.") for content in system_prompts) == 1


def test_a_company_with_its_abbreviation_in_brackets_is_one_company(client: Pageproof) -> None:
    answer = client.ask(
        'What was the cost of the Ostermere ("OI") pension plans of Ostermere Instruments, Inc. in 2024?'
    )

    assert (answer.company, answer.reason) == ("Ostermere Instruments, Inc.", "not_found")


def test_the_only_company_with_a_figure_is_not_the_highest_of_all(sample_data: Path) -> None:
    with open_pageproof("offline", data=sample_data) as client:
        answer = client.ask("Which company had the highest capital expenditure in 2021?")

    assert (answer.value, [part.is_available for part in answer.parts]) == ("N/A", [False, True, False])
    assert answer.summary.startswith("Not known of Ostermere Instruments, Inc., Veldhoorn Packaging N.V.")
