"""What a question asks, in slots: made once, merged in a conversation, spread over a comparison."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from query_engines.question.parser import QuestionParser
from query_engines.question.query_of import query_of
from storage.lexicon.periods import periods_in
from storage.lexicon.shorthand import in_figures
from storage.records.metrics import Ontology
from storage.records.queries import AskedPeriod, Conditions, Part, Query, Term, merged
from storage.records.questions import Question
from storage.records.reports import Company

COMPANIES = (Company(name="Acme Tools Inc."), Company(name="Borealis Shipping plc"))
PARSER = QuestionParser.trained(Ontology.load(), lambda: COMPANIES)
_TERMS = [
    Term(kind="metric", id="total_revenue", title="Total revenue"),
    Term(kind="office", id="ceo", title="chief executive"),
    Term(kind="words", title="deferred rent"),
]
_PERIODS = [AskedPeriod.of(period, "2022, 2023") for period in periods_in("2022, 2023")]
QUERIES = st.builds(
    Query,
    operation=st.sampled_from([None, "value", "growth", "rank"]),
    terms=st.lists(st.sampled_from(_TERMS), max_size=2, unique=True).map(tuple),
    subject=st.sampled_from(["", "revenue", "deferred rent"]),
    companies=st.lists(st.sampled_from([c.name for c in COMPANIES]), max_size=2, unique=True).map(tuple),
    is_of_all=st.booleans(),
    periods=st.lists(st.sampled_from(_PERIODS), max_size=2, unique=True).map(tuple),
    part=st.sampled_from([None, Part(which="largest"), Part(name="Marine")]),
    conditions=st.builds(
        Conditions,
        currency=st.sampled_from([None, "USD", "EUR"]),
        scale=st.sampled_from([None, 1_000]),
        without=st.sampled_from(["", "goodwill"]),
    ),
    kind=st.sampled_from([None, "number", "boolean"]),
    silence=st.sampled_from([None, "N/A", False]),
    residue=st.sampled_from([(), ("hotels",)]),
).map(lambda query: query.model_copy(update={"is_of_all": query.is_of_all and not query.companies}))


@given(QUERIES, QUERIES, QUERIES)
def test_it_does_not_matter_what_is_merged_first(a: Query, b: Query, c: Query) -> None:
    assert a.merged(b).merged(c) == a.merged(b.merged(c)) == merged(a, b, c)


@given(QUERIES)
def test_a_query_that_says_nothing_changes_nothing(query: Query) -> None:
    assert query.merged(Query()) == query == Query().merged(query) == query.merged(query)


@given(QUERIES)
def test_a_query_is_spread_over_what_it_names(query: Query) -> None:
    parts = query.spread("companies", "periods", "terms")
    count = max(1, len(query.companies)) * max(1, len(query.periods)) * max(1, len(query.terms))
    assert len(set(parts)) == len(parts) == count
    assert all(max(map(len, (part.companies, part.periods, part.terms))) <= 1 for part in parts)
    assert all(part.spread("companies", "periods", "terms") == (part,) for part in parts)
    of_all = (
        tuple(dict.fromkeys(c for part in parts for c in part.companies)),
        {p for q in parts for p in q.periods},
    )
    assert of_all == (query.companies, set(query.periods))


def read(text: str, *, kind: str | None = None) -> Query:
    parsed = PARSER.parse(Question.model_validate({"text": text, "kind": kind}))
    return (PARSER.about(parsed, parsed.companies[0]) if len(parsed.companies) == 1 else parsed).query


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        (
            "What was the total revenue of Acme Tools in FY 2022, in USD million?",
            {
                "operation": "value",
                "terms": ["total_revenue"],
                "kind": "number",
                "conditions": ("in USD", "in units of 1,000,000"),
            },
        ),
        (
            "Who is the CEO of Acme Tools?",
            {"operation": "who", "terms": ["chief_executive"], "dimension": "person"},
        ),
        ("Did Acme Tools announce a share buyback?", {"operation": "whether", "terms": ["buyback"]}),
        ("Why did Acme Tools' revenue fall in 2023?", {"operation": "why", "periods": ["2023"]}),
        (
            "By what percentage did the revenue of Acme Tools grow in 2023?",
            {"operation": "growth", "terms": ["total_revenue"], "periods": ["2023"]},
        ),
        ("What was the current ratio of Acme Tools?", {"terms": ["current_ratio"], "dimension": "ratio"}),
        (
            "Did Acme Tools pay a dividend? If there is no mention, return False.",
            {"operation": "whether", "silence": False},
        ),
        ("What was the total debt of Acme Tools excluding leases?", {"conditions": ("without leases",)}),
    ],
)
def test_a_question_fills_the_slots(text: str, slots: dict[str, object]) -> None:
    query = read(text)
    found = {
        "operation": query.operation,
        "terms": [term.id for term in query.terms],
        "kind": query.kind,
        "dimension": query.dimension,
        "periods": [period.said for period in query.periods],
        "conditions": query.conditions.in_words,
        "silence": query.silence,
    }
    assert {name: found[name] for name in slots} == slots
    assert query.companies == ("Acme Tools Inc.",)


def test_words_that_no_slot_explains_are_said() -> None:
    assert read("What was the net margin of Acme Tools for hotels?").residue == ("hotels",)
    assert read("What was the total revenue of Acme Tools in 2022?").residue == ()


def test_a_query_is_said_in_words() -> None:
    query = read("By what percentage did the revenue of Acme Tools grow in 2023?")
    assert query.in_words == "growth · Total revenue · Acme Tools Inc. · 2023"


def test_a_period_that_is_said_many_times_takes_no_time_of_its_own() -> None:
    text = "What was the total revenue of Acme Tools in " + "2024 and " * 200
    parsed = PARSER.parse(Question(text=text))
    began = time.process_time()
    in_figures(text)
    once = time.process_time() - began
    query_of(parsed)

    assert len(parsed.periods) == 200
    assert time.process_time() - began < 60 * once  # 200 times when the text was read for each of them


def test_a_question_s_periods_are_read_once() -> None:
    before = periods_in.cache_info().misses
    PARSER.about(PARSER.parse(Question(text="What were Acme Tools' sales in the year 2031?")), COMPANIES[0])
    assert periods_in.cache_info().hits > 0
    assert periods_in.cache_info().misses - before < 8
