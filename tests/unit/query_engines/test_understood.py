"""What is made of questions once the company is known, and what is said of it."""

import pytest

from query_engines.comparison.by_topic import read_plan
from query_engines.comparison.entities import listed
from query_engines.question.classifier import narrowing_words
from query_engines.question.parsed import ParsedQuestion
from query_engines.question.parser import QuestionParser
from query_engines.question.search_text import label_in
from query_engines.routing.dialogue import SmallTalkEngine, is_small_talk
from storage.lexicon.names import names_a_place
from storage.lexicon.question_words import silence_means
from storage.records.metrics import Ontology
from storage.records.questions import Question
from storage.records.reports import Company
from storage.records.sections import SectionKinds

COMPANIES = (Company(name="Acme Tools Inc."), Company(name="Seiko Epson Corporation"))
PARSER = QuestionParser.trained(Ontology.load(), lambda: COMPANIES)


def parsed(text: str) -> ParsedQuestion:
    question = PARSER.parse(Question(text=text))
    return PARSER.about(question, question.companies[0]) if len(question.companies) == 1 else question


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Which leadership positions changed at Acme Tools? If data is not available, return 'N/A'.", "names"),
        ("Into which new countries did Acme Tools expand?", "names"),
        ("How dependent is Acme Tools on its largest customer, and how does it earn fees from it?", "text"),
        ("When is Acme Tools' second line due, and what is it expected to cost?", "text"),
        ("Where does Acme Tools see its R&D expenses going in 2023?", "text"),
        ("Does Acme Tools carry much long-term debt, and what is the sum?", "number"),
        ("So Epson… everybody praises it, but how deep in the red was it in 2022? the net figure", "number"),
        ("When Acme Tools closed its books, how much did it list as total assets?", "number"),
    ],
)
def test_a_question_is_of_the_kind_that_can_hold_its_answer(text: str, kind: str) -> None:
    assert parsed(text).kind == kind


@pytest.mark.parametrize(
    ("text", "metric", "kind"),
    [
        ("Epson – net cash burned in operating activities, FY22?", "Cash flow from operations", "number"),
        ("acme tools net cash provieded by operateing activites", "Cash flow from operations", "number"),
        ("acme tools how deep in the red were they twenty twenty two", "Net income", "number"),
        (
            "Epson: equity attributable to the parent's owners, minorities stripped out",
            "Shareholders' equity",
            "number",
        ),
        ("Epson tot. stockholders' eq. 12/22 excl. NCI", "Shareholders' equity", "number"),
        ("Acme Tools ended 2022 deep in the red. By how much?", "Net income", "number"),
        ("hey, what did epson pull in as revenue last year? everything counted", "Total revenue", "number"),
        (
            "Our firm sells fit-outs. How much did Acme Tools pay for property and machines?",
            "Capital expenditures",
            "number",
        ),
        ("Wie groß ist das Gesamtvermögen von Acme Tools zum 31.12.2022?", "Total assets", "number"),
        ("¿A cuánto ascendía el patrimonio neto de Epson?", "Shareholders' equity", "number"),
        (
            "my neighbour swears he knows the CEO of Acme Tools, what's the name?",
            "chief executive officer",
            "name",
        ),
        (
            "As an Acme Tools shareholder from Lyon, what was the dividend on each share?",
            "Dividend per share",
            "number",
        ),
        ("acme tools total equity march 2022 pls, tryna do a ratio", "Shareholders' equity", "number"),
        (
            "What is Acme Tools' equity for its own owners, without the minority part?",
            "Shareholders' equity",
            "number",
        ),
        (
            "To win a bet I need Acme Tools' basic earnings per share, to the cent.",
            "EPS (earnings per share), basic",
            "number",
        ),
        ("ACME TOOLS TOT ASSTS 12/31/22", "Total assets", "number"),
        ("Acme Tools incom from opreations 2022, after depresiation", "Operating income", "number"),
        ("how much stuff does acme tools own in total, end of 2022", "Total assets", "number"),
        ("How deep in the red was Acme Tools overall for 2022? the net figure I mean", "Net income", "number"),
        (
            "Acme Tools has drilled here since 1994. Who is the CEO at Acme Tools?",
            "chief executive officer",
            "name",
        ),
        (
            "How quickly is Acme Tools using up cash, meaning the operating cash flow?",
            "Cash flow from operations",
            "number",
        ),
        (
            "Dear all, one for the file: has Acme Tools got a stock repurchase program going? Thx, J",
            "buyback",
            "boolean",
        ),
        (
            "Acme Tools, operating loss FY22? A founder wrote to me about a merger and I'm checking the runway.",
            "Operating income",
            "number",
        ),
        (
            "As a retired teacher from Mattoon, what dividend should I have got on each share of Acme Tools?",
            "Dividend per share",
            "number",
        ),
        (
            "Average number of employees at Acme Tools, year to March 2022? It's for a revenue-per-head ratio.",
            "number of employees at year end",
            "number",
        ),
        ("acme tools purchses of property and equipmnet 2022", "Capital expenditures", "number"),
        (
            "Tie out: Acme Tools net sales per consolidated statements of comprehensive income",
            "Total revenue",
            "number",
        ),
        ("bénéfice net Acme Tools 2022 part du groupe", "Net income attributable to shareholders", "number"),
        ("Acme Tools; Long-term financial debt; k; 31.12.2022", "Long-term debt", "number"),
        ("Acme Tools | operating income | FY22A | AUD", "Operating income", "number"),
        ("Acme Tools -> shareholders' equity, 2022 year-end", "Shareholders' equity", "number"),
        (
            "My thesis covers deals. Does Acme Tools' annual report mention a merger, such as with a larger rival?",
            "acquisition",
            "boolean",
        ),
        ("quick q: any share repurchase scheme announced by Acme Tools or nothing?", "buyback", "boolean"),
    ],
)
def test_what_is_asked_in_anybody_s_words_is_understood(text: str, metric: str, kind: str) -> None:
    found = parsed(text)
    assert (found.understood.metrics, found.kind, found.intent.is_plain) == ((metric,), kind, True)


def test_a_sentence_that_only_tells_of_the_person_is_not_taken_for_what_is_asked() -> None:
    found = parsed(
        "I own some Acme Tools shares. Does the company itself think its cash is enough for the next year?"
    )
    assert (found.kind, found.is_kind_known, found.intent.event) == ("boolean", True, None)


@pytest.mark.parametrize(
    "text",
    [
        "What did Acme Tools turn over in India?",
        "how much did acme tools take in from germany",
        "How many people worked for Acme Tools outside Japan?",
        "What did Acme Tools rake in from Nordbeam?",
        "What did Acme Tools' Environmental Monitoring segment take in?",
        "adjusted bottom line of acme tools",
        "By how many percent did Acme Tools' takings drop?",
        "how much did the bottom line of acme tools rise",
        "how much does acme tools take in per employee",
        "Is the headcount of Acme Tools higher or lower than before?",
        "What was the revenue of Acme Tools Inc. Q2 2022?",
        "Third quarter of 2022, nothing else: the revenue of Acme Tools?",
        "October to December 2022 by itself: revenue of Acme Tools?",
        "net profit of the parent company alone at Acme Tools, 2022",
        "Acme Tools net profit attributable to minority interests 2022",
        "How many temporary workers does Acme Tools have?",
        "Acme Tools employees per branch",
        "Acme Tools loss before income tax per tenement",
        "Did Acme Tools finish buying Baer Brakes?",
        "Did Acme Tools complete its acquisition of IAA?",
    ],
)
def test_a_part_of_a_figure_or_one_deal_by_its_name_is_not_taken_for_the_whole(text: str) -> None:
    assert not parsed(text).intent.is_plain


@pytest.mark.parametrize(
    "text",
    [
        "acme tools purchses of property and equipmnet 2022",
        "My thesis covers deals. Does Acme Tools' annual report mention a merger?",
    ],
)
def test_a_figure_s_words_and_a_yes_or_no_ask_for_no_section_of_the_report(text: str) -> None:
    parser = QuestionParser.trained(Ontology.load(), lambda: COMPANIES, kinds=SectionKinds.load())
    question = parser.parse(Question(text=text))
    assert parser.about(question, question.companies[0]).section is None


def test_a_place_told_before_the_question_narrows_nothing() -> None:
    found = parsed("I live in Germany and own a few shares. How much profit did Acme Tools make after tax?")
    assert found.intent.is_plain


def test_a_place_behind_a_company_s_name_makes_no_comparison() -> None:
    found = parsed(
        "Acme Tools, Minnesota: full-time employees at the end of 2022, how many? We think of organising there."
    )
    assert read_plan(listed(found), PARSER.figure_asked) is None


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Compare the revenue of Acme Tools with that of Zandervale Foods.", ["Acme Tools", "Zandervale Foods"]),
        ("Compare Acme Tools' total revenue with that of Brembo.", ["Acme Tools", "Brembo"]),
        ("How does Acme Tools' net income compare to Brembo Group?", ["Acme Tools", "Brembo Group"]),
        ("Is Acme Tools bigger than Brembo by revenue?", ["Acme Tools", "Brembo"]),
        ("acme tools vs brembo revenue", ["acme tools", "brembo"]),
        ("Did Acme Tools earn more than Brembo in 2022?", ["Acme Tools", "Brembo"]),
    ],
)
def test_an_unknown_company_of_a_comparison_is_named_as_a_stranger(text: str, named: list[str]) -> None:
    found = listed(parsed(text))
    assert [entity.label for entity in found.entities] == named
    assert found.entities[1].company is None
    assert read_plan(found, PARSER.figure_asked) is not None


@pytest.mark.parametrize(
    "text",
    [
        "What was the revenue of Acme Tools compared with the industry average?",
        "What was Acme Tools' revenue compared to Q3 2022?",
        "How did Acme Tools' sales compare with Budget?",
        "Was the revenue of Acme Tools higher in Germany than in France?",
        "What was Acme Tools' revenue vs FY21?",
        "Did Acme Tools' revenue exceed its Guidance?",
    ],
)
def test_what_is_compared_with_a_time_or_a_plan_names_no_stranger(text: str) -> None:
    assert [entity.company for entity in listed(parsed(text)).entities] == ["Acme Tools Inc."]


def test_what_was_understood_is_told_in_words() -> None:
    understood = parsed("What was Acme Tools' revenue in FY2021 in USD million?").understood
    assert understood.companies == ("Acme Tools Inc.",)
    assert understood.metrics == ("Total revenue",)
    assert understood.dimension == "money"
    assert understood.periods == ("FY2021",)
    assert (understood.currency, understood.scale, understood.operation) == ("USD", 1_000_000, "value")


@pytest.mark.parametrize(
    "text",
    [
        "For its stores in Germany, what was the revenue of Acme Tools?",
        "What was the revenue of Acme Tools, for our segment alone?",
        "How many staff does Zarqon employ, going by Acme Tools' annual report?",
        "Cuántos empleados tiene Zarqon según el informe de Acme Tools?",
        "Hoeveel mensen werken er op het kantoor in Leeds van Acme Tools?",
        "What was the net debt of Acme Tools, cash plus deposits minus all borrowings?",
        "Free cash flow margin of Acme Tools after capex and capitalised software?",
    ],
)
def test_a_clause_that_narrows_the_question_is_no_aside(text: str) -> None:
    intent = parsed(text).intent
    assert not intent.is_plain
    assert intent.derived is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Revenue rose, so did the costs. How many points did the operating margin of Acme Tools move?", "number"),
        ("Did the total assets of Acme Tools rise or fall?", "name"),
        ("Sales depend on few buyers. Who are the biggest customers of Acme Tools?", "names"),
        ("Warum hat Acme Tools den Aktienrückkauf ausgesetzt?", "text"),
        ("What guidance does Acme Tools give for the coming year?", "text"),
        ("What did Acme Tools do with the business it bought?", "text"),
        ("Would you call Acme Tools capital-intensive?", "boolean"),
    ],
)
def test_the_kind_follows_from_the_sentence_that_asks(text: str, kind: str) -> None:
    assert parsed(text).kind == kind


@pytest.mark.parametrize(
    ("text", "dimension"),
    [
        ("What was the total revenue of Acme Tools?", "money"),
        ("How many employees does Acme Tools have?", "count"),
        ("How many depots did Acme Tools run?", "count"),
        ("How many million dollars did Acme Tools earn before tax?", "money"),
        ("What was the gross margin of Acme Tools?", "percent"),
        ("What was the current ratio of Acme Tools?", "ratio"),
        ("What did Acme Tools earn per share?", "per share"),
        ("Who is the CEO of Acme Tools?", "person"),
        ("Which leadership positions changed at Acme Tools?", "titles"),
        ("What are the names of the products that Acme Tools launched?", "names"),
        ("Did Acme Tools buy back shares?", "yes/no"),
        ("Why did the revenue of Acme Tools fall?", "reasons"),
        ("Describe the business of Acme Tools.", "free text"),
        ("Tell me about the pension plans of Acme Tools.", "free text"),
        ("When was Acme Tools founded?", "date"),
    ],
)
def test_the_dimension_of_the_answer_is_known_once_for_all(text: str, dimension: str) -> None:
    assert parsed(text).understood.dimension == dimension


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ("hello", "Hello!"),
        ("thanks", "You're welcome"),
        ("what can you do?", "I answer questions"),
        ("which companies do you know?", "I have read the reports of:\n• Acme Tools Inc."),
        ("Danke schön!", "Gern geschehen"),
        ("tell me a joke", "That is nothing"),
    ],
)
def test_what_is_no_question_gets_a_kind_reply_in_its_language(text: str, begins: str) -> None:
    question = parsed(text)
    assert is_small_talk(question)
    assert SmallTalkEngine(COMPANIES).reply(question).startswith(begins)


@pytest.mark.parametrize(
    "text", ["thanks, and what was the revenue of Acme Tools?", "hello Epson net income", "Who is the CEO?"]
)
def test_a_question_with_a_greeting_is_a_question(text: str) -> None:
    assert not is_small_talk(parsed(text))


@pytest.mark.parametrize(
    ("text", "is_named"),
    [("sales in asien", True), ("resultado en México", True), ("the world over", False), ("total assets", False)],
)
def test_countries_are_known_in_several_languages(text: str, is_named: bool) -> None:
    assert names_a_place(text) is is_named


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Did it merge? If there is no mention, return False.", False),
        ("Did it merge? If the report does not say so, answer no.", False),
        ("Hat sie fusioniert? Falls nicht erwähnt, antworte mit nein.", False),
        ("Is it debt-free? If no debt is mentioned, return True.", True),
        ("Did it merge?", None),
        ("What was revenue? If data is not available, return 'N/A'.", None),
    ],
)
def test_what_silence_means_is_read_from_the_question(text: str, meant: bool | None) -> None:
    assert silence_means(text) is meant


@pytest.mark.parametrize(
    ("topic", "text", "narrowed"),
    [
        ("total_liabilities", "accrued and other liabilities", True),
        ("capital_expenditures", "additional paid-in capital", True),
        ("total_revenue", "how much money came in the door", False),
    ],
)
def test_words_of_other_rows_narrow_a_question(topic: str, text: str, narrowed: bool) -> None:
    assert bool(narrowing_words(topic, text)) is narrowed


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("What figure did report for total Non-Current Assets", "total Non-Current Assets"),
        ("was the change in fair value of earn-out liability", "change in fair value of earn-out liability"),
        ("the value of inventories", "inventories"),
    ],
)
def test_the_label_in_a_question_is_without_the_words_that_ask(text: str, label: str) -> None:
    assert label_in(text) == label


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Did Acme Tools' net result get better or worse?", "name"),
        ("Has Acme Tools' equity gone up or gone down since the last annual report?", "name"),
        ("Was Acme Tools' operating cash inflow larger or smaller than in 2020?", "name"),
        ("Net increase or decrease in cash of Acme Tools", "number"),
        ("Is Acme Tools burning cash in its ordinary operations?", "boolean"),
        ("Can Acme Tools comfortably meet its interest bill from operating profit?", "boolean"),
        ("Does Acme Tools print its total assets, and what are they?", "number"),
        ("What was the rationale for Acme Tools' largest takeover?", "text"),
        ("Do you have the total assets of Acme Tools?", "number"),
        ("How does Acme Tools protect its patents?", "text"),
        ("How is Acme Tools funded?", "text"),
        ("What is the status of Acme Tools' merger with Nordbeam?", "text"),
        ("Does inflation affect Acme Tools, and how does it respond?", "text"),
        ("What covenants does the loan of Acme Tools contain?", "text"),
        ("What does Acme Tools say about research and development?", "text"),
        ("What is written about goodwill by Acme Tools?", "text"),
        ("How does Acme Tools account for research and development?", "text"),
        ("How is revenue recognised at Acme Tools?", "text"),
        ("How much did goodwill account for at Acme Tools?", "number"),
        ("Was war der Umsatz von Acme Tools?", "number"),
        ("Was the revenue of Acme Tools higher than in 2020?", "boolean"),
    ],
)
def test_how_a_question_opens_shows_its_kind(text: str, kind: str) -> None:
    assert parsed(text).kind == kind


@pytest.mark.parametrize(
    ("text", "metric"),
    [
        ("How much did Acme Tools lose altogether in 2022?", "net_income"),
        ("How much money did Acme Tools burn altogether in 2022?", None),
        ("What was the draft that I was writing of Acme Tools?", None),
    ],
)
def test_what_was_lost_is_no_revenue_and_what_nobody_says_is_no_figure(text: str, metric: str | None) -> None:
    found = parsed(text).intent.sole_metric
    assert (found.id if found else None) == metric


@pytest.mark.parametrize(
    ("text", "metric"),
    [
        ("Acme Tools names Zarqon as a rival. What was Zarqon's revenue?", None),
        ("Compared with Acme Tools: what was the net income of Zarqon?", None),
        ("I hold Acme Tools. What was Acme Tools' revenue?", "total_revenue"),
        ("Acme Tools NAV in pounds (whole fund, not per share), YE22", None),
        ("acme tools comma uh total assets end of december two thousand twenty two comma pounds", "total_assets"),
        ("Roughly how many does Acme Tools employ, going by its 2022 annual report?", "employees"),
        ("acme tools net earnings 22?", "net_income"),
        ("My uncle's firm supplies Acme Tools. What was the revenue?", "total_revenue"),
    ],
)
def test_the_figure_is_that_of_the_company_and_of_the_measure_that_is_meant(text: str, metric: str | None) -> None:
    sole = parsed(text).intent.sole_metric

    assert (sole.id if sole else None) == metric
