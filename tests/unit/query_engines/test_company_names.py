from collections import Counter

import pytest

from query_engines.company_names.matcher import CompanyNames
from query_engines.question.parser import read_text
from query_engines.question.search_text import requested_currency, search_text
from query_engines.question.wording import kind_in
from storage.records.questions import Question
from storage.records.reports import Company
from tests.support.known_companies import known_companies, outcome, padded, strangers, variants

HOLLEY = Company(name="Holley Inc.", aliases=("HLLY", "ALL"))
ARMADALE = Company(name="Armadale Capital Plc")
TOWER = Company(name="Tower Resources Plc")
TOWER_TRUST = Company(name="Tower Resources Trust Plc")
NAMES = CompanyNames([HOLLEY, ARMADALE, TOWER, TOWER_TRUST])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('Who is the CEO in the company "Holley Inc."?', ["Holley Inc."]),
        ("What did HOLLEY INC earn?", ["Holley Inc."]),
        ("What was Holley's revenue?", ["Holley Inc."]),
        ("What was HLLY's revenue?", ["Holley Inc."]),
        ("Tower Resources Trust: total assets?", ["Tower Resources Trust Plc"]),
        ("Compare Tower Resources plc with Armadale Capital", ["Tower Resources Plc", "Armadale Capital Plc"]),
        ("What was the revenue of Acme Inc.?", []),
        ("Hollywood Inc. revenue", []),
        ("the holley berries", []),
        ("What was ALL's revenue?", ["Holley Inc."]),
        ("All companies: what did all of them earn?", []),
        ("Holley 12/31/2022 - long-term debt?", ["Holley Inc."]),
        ("holley 31.12.2022 revenue", ["Holley Inc."]),
        ("Armadale Capital 31 December 2022 cash", ["Armadale Capital Plc"]),
        ("Holley 7 revenue in 2022", []),
    ],
)
def test_companies_are_found_by_name_alias_and_name_without_legal_form(text: str, found: list[str]) -> None:
    assert [m.company.name for m in NAMES.mentions(text)] == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('What was the total revenue of "Tower_ACQ"?', []),
        ("holley_energy total assets", []),
        ("What did Acme_Holley earn?", []),
        ("What was the net income of Armadale-Re?", []),
        ("holley_revenue_2022", ["Holley Inc."]),
        ("net_income_armadale_capital", ["Armadale Capital Plc"]),
        ("What did the Holley-Accel deal cost?", ["Holley Inc."]),
        ("How many Armadale-owned sites are there?", ["Armadale Capital Plc"]),
    ],
)
def test_a_part_of_what_is_written_as_one_word_is_no_name(text: str, found: list[str]) -> None:
    assert [m.company.name for m in NAMES.mentions(text)] == found


LOOSE = CompanyNames(
    [
        Company(name="Seiko Epson Corporation"),
        Company(name="Swiss Water Decaffeinated Coffee Inc."),
        Company(name="Tradition"),
        Company(name="OFX Group Limited"),
        Company(name="CrossFirst Bank"),
        Company(name="Creative Media & Community Trust Corporation"),
        Company(name="Mercia Asset Management PLC"),
        Company(name="ENRG ELEMENTS LIMITED"),
        Company(name="Tower Semiconductor Ltd."),
        Company(name="Safe & Green Holdings Corp."),
        Company(name="Verrica Pharmaceuticals Inc."),
        Company(name="Odyssey Gold Limited"),
        Company(name="Commerzbank"),
    ]
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("what was the revenue of epson?", ["Seiko Epson Corporation"]),
        ("revenue of Epson", ["Seiko Epson Corporation"]),
        ("how many employes did ofx hav left when 2022 was over", ["OFX Group Limited"]),
        ("OFX FY22 total revenue, meaning gross fee and trading income?", ["OFX Group Limited"]),
        ("Mercia YE22 GAAP basic EPS (p)?", ["Mercia Asset Management PLC"]),
        ("did cross first bank mention buying another bank", ["CrossFirst Bank"]),
        ("creative media community trust total revenues", ["Creative Media & Community Trust Corporation"]),
        ("Wie hoch war Epsons Umsatz?", ["Seiko Epson Corporation"]),
        ("Rohstoffe: Erwähnt ENRG Elements im Geschäftsbericht Fusionen?", ["ENRG ELEMENTS LIMITED"]),
        ("Swiss Water decaf - operating income, onto the one-pager", ["Swiss Water Decaffeinated Coffee Inc."]),
        ("Tradition, acquisition of property and equipment", ["Tradition"]),
        ("Tradition net cash flow, CHF", ["Tradition"]),
        ("Tradition of the house", []),
        ("Mercia Asset Management Gesamtumsatz", ["Mercia Asset Management PLC"]),
        ("What did Mercia Pharmaceuticals earn?", []),
        ("what did mercia pharmaceuticals earn", []),
        ("What did John Mercia say?", []),
        (
            "whats the operating income of that decaf company swiss water for 2022",
            ["Swiss Water Decaffeinated Coffee Inc."],
        ),
        ("tower semi basic eps 22", ["Tower Semiconductor Ltd."]),
        ("who is ceo of tower semicondctor israel", ["Tower Semiconductor Ltd."]),
        ("safe n green op cash burn 22", ["Safe & Green Holdings Corp."]),
        ("verica pharma capex 2022", ["Verrica Pharmaceuticals Inc."]),
        ("i dont get this odyssey gold report", ["Odyssey Gold Limited"]),
        ("How many staff did Commerz have?", ["Commerzbank"]),
        ("Commerzbank Konzernerträge gesamt, vor Risikoergebnis?", ["Commerzbank"]),
        ("Quelle est la perte nette d'Odyssey Gold ?", ["Odyssey Gold Limited"]),
        ("what was the revenue of swiss life", []),
        ("What did Tower Bridge Holdings earn?", []),
        ("By tradition the board pays a dividend. Did it?", []),
        ("Is the product safe and green?", []),
        ("the community trust of a creative media firm", []),
    ],
)
def test_where_a_name_is_typed_loosely_what_only_names_would_use_tells_it(text: str, found: list[str]) -> None:
    assert [m.company.name for m in LOOSE.mentions(text)] == found


WRITTEN = CompanyNames(
    [
        HOLLEY,
        ARMADALE,
        Company(name="Ritchie Bros. Auctioneers Incorporated", aliases=("RBA",)),
        Company(name="Tower Semiconductor Ltd.", aliases=("TSEM", "CEO")),
        Company(name="Baker Inc."),
        Company(name="BAKER STEEL RESOURCES TRUST LIMITED"),
        Company(name="Target Corporation", aliases=("T",)),
        Company(name="Safe & Green Holdings Corp."),
        Company(name="TransUnion"),
        Company(name="Rapid7"),
        Company(name="Société Générale SA"),
        Company(name="The Gap, Inc.", aliases=("The Gap",)),
        Company(name="888 Holdings plc"),
        Company(name="Shell Company", aliases=("IT",)),
        Company(name="Kelvor Mining plc"),
        Company(name="Kelvor Foods plc"),
        Company(name="Alder Works 12 Inc."),
        Company(name="Verrica Pharmaceuticals Inc."),
        Company(name="Vellica Pharmaceuticals Inc."),
    ]
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # beginnings
        ("What did Armadale earn?", ["Armadale Capital Plc"]),
        ("Ritchie Bros' revenue", ["Ritchie Bros. Auctioneers Incorporated"]),
        ("Ritchie Brothers Auctioneers Inc.: revenue", ["Ritchie Bros. Auctioneers Incorporated"]),
        ("What did Armadale Aviation earn?", []),
        ("What did Tower earn?", ["Tower Semiconductor Ltd."]),
        ("How high is Tower Bridge?", []),
        ("Tower of Babel: revenue?", []),
        ("What did James Armadale say?", []),
        ("What did Bank of Armadale lend to Baker?", ["Baker Inc."]),
        # names inside names
        ("What did Baker earn?", ["Baker Inc."]),
        ("What did Baker Steel Resources Trust earn?", ["BAKER STEEL RESOURCES TRUST LIMITED"]),
        ("What did Baker Hughes earn?", []),
        ("What did Acme Holley Inc. earn?", []),
        # common words
        ("What did Target earn?", ["Target Corporation"]),
        ('revenue of "target"', ["Target Corporation"]),
        ("what did target corp earn?", ["Target Corporation"]),
        ("Target of the year?", []),
        ("What was the target for revenue?", []),
        ("What is the gap between 888 million and the shell company's debt?", []),
        ("What did the Gap and 888 Holdings earn?", ["The Gap, Inc.", "888 Holdings plc"]),
        ("what did gap inc earn on IT?", ["The Gap, Inc."]),
        ("What Was Target Revenue Growth Last Year?", []),
        ("Is the product safe and green?", []),
        # small letters, accents, signs
        ("what did safe and green holdings earn?", ["Safe & Green Holdings Corp."]),
        ("transunion and rapid7: revenue", ["TransUnion", "Rapid7"]),
        ("Societe Generale net income", ["Société Générale SA"]),
        ("What did Trans Union earn?", ["TransUnion"]),
        # tickers
        ("TSEM revenue 2022", ["Tower Semiconductor Ltd."]),
        ("tsem revenue 2022", []),
        ("Who is the CEO?", []),
        ("What did NYSE: CEO earn?", ["Tower Semiconductor Ltd."]),
        ("Give the T value, or N/A", []),
        ("What did RBA-like auctions earn?", []),
        # slips
        ("What did Tower Semicondutcor earn?", ["Tower Semiconductor Ltd."]),
        ("What did Tower Semicondutcor Inc. earn?", []),
        ("What did Power Semiconductor earn?", []),
        ("Compare Holley Inc. & Armadale", ["Holley Inc.", "Armadale Capital Plc"]),
        ("What did Sefa & Green Holdings Corp. earn?", []),
        ("What did Alder Works 13 earn?", []),
        ("What did Velrica Pharmaceuticals earn?", []),
        # several
        ("Did TSEM earn more than Holley's?", ["Tower Semiconductor Ltd.", "Holley Inc."]),
        ("Compare Ritchie Bros and Armadale", ["Ritchie Bros. Auctioneers Incorporated", "Armadale Capital Plc"]),
    ],
)
def test_names_are_found_as_people_write_them(text: str, found: list[str]) -> None:
    assert [m.company.name for m in WRITTEN.mentions(text)] == found


SHORTENED = CompanyNames(
    [
        Company(name="Bridgewater Bancshares, Inc."),
        Company(name="First Mid Bancshares, Inc."),
        Company(name="Tower Semiconductor Ltd."),
        Company(name="Creative Media & Community Trust Corporation"),
        Company(name="abrdn Japan Investment Trust plc"),
        Company(name="Safe & Green Holdings Corp."),
        Company(name="Odyssey Gold Limited"),
    ]
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("how much in assets does bridgewater bank have", ["Bridgewater Bancshares, Inc."]),
        ("odyssey mining cash 2022", ["Odyssey Gold Limited"]),
        ("creative media trust - dividends per share?", ["Creative Media & Community Trust Corporation"]),
        ("abrdn japan trust total income", ["abrdn Japan Investment Trust plc"]),
        ("TowerSemi revenue 2022", ["Tower Semiconductor Ltd."]),
        ("if i buy 10 safe & green shares, do i get dividends?", ["Safe & Green Holdings Corp."]),
        ("revenue of Bridgewater Bank", []),  # with capitals it is a name, which another bank may have
        ("Odyssey Resources Limited revenue", []),
        ("first bank revenue", []),
        ("TowerBridge revenue", []),
    ],
)
def test_names_with_words_left_out_or_of_the_same_business_are_found(text: str, found: list[str]) -> None:
    assert [m.company.name for m in SHORTENED.mentions(text)] == found


def test_the_words_of_a_shortened_name_are_no_metric() -> None:
    text = "Mercia Asset Mgmt | DPS, total for year"
    (mention,) = LOOSE.mentions(text)
    assert mention.words == "Mercia Asset Mgmt"


def test_a_name_that_fits_several_companies_offers_them_and_names_none() -> None:
    read = WRITTEN.read("What did Kelvor earn?")
    assert (read.mentions, [c.name for c in read.unclear]) == ((), ["Kelvor Mining plc", "Kelvor Foods plc"])
    in_full = WRITTEN.read("Kelvor Foods plc: what did Kelvor earn?")
    assert [c.name for c in in_full.companies] == ["Kelvor Foods plc"]


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("HLLY", HOLLEY.name),
        ("hlly", HOLLEY.name),
        ("armadale", ARMADALE.name),
        ("armadale cap", ARMADALE.name),  # the last word is cut off
    ],
)
def test_a_given_company_is_found_without_capitals(given: str, found: str) -> None:
    assert [c.name for c in WRITTEN.named(given)] == [found]
    assert WRITTEN.named("") == WRITTEN.named("Nobody Ltd") == WRITTEN.named("Armadale Captial") == []


@pytest.mark.parametrize("companies", [29, 2_000])
def test_two_hundred_ways_to_write_names_never_find_a_wrong_company(companies: int) -> None:
    names = CompanyNames(known_companies() if companies == 29 else padded(companies))
    counts = Counter(outcome(variant, names) for variant in (*variants(), *strangers()))
    assert counts["wrong"] == 0
    assert counts["right"] >= 200


def test_the_nearest_names_come_first() -> None:
    assert NAMES.nearest("What was the revenue of Holly Incorporated?", 1) == ("Holley Inc.",)
    assert NAMES.nearest("Armadele Capital", 1) == ("Armadale Capital Plc",)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("What was the Total revenue (in USD) for Acme according to the annual report?", "number"),
        ("How many employees does Acme have?", "number"),
        ("For Acme, what was the value of Number of stores at the end of the period?", "number"),
        ("Did Acme announce a share buyback plan?", "boolean"),
        ("Who is the CEO in the company Acme?", "name"),
        ("What is the name of the last product launched by Acme?", "name"),
        ("Which leadership positions changed at Acme in the reporting period?", "names"),
        ("What are the names of new products launched by Acme?", "names"),
        ('Which of the companies had the lowest total assets in USD: "A", "B"?', "comparative"),
        ("Describe how Acme manages currency risk.", "text"),
        ("net income of Acme", "number"),
        ("What is the investment policy of Acme?", "text"),
        ("What are Acme's strategic objectives?", "text"),
        ("What drug is Acme developing, and for what?", "text"),
        ("What share of revenue does Acme make in Canada?", "number"),
        ("What net sales does Acme make in Canada?", "number"),
        ("Did Acme buy and sell shares?", "boolean"),
    ],
)
def test_a_question_without_a_kind_is_read_by_its_wording(text: str, kind: str) -> None:
    assert kind_in(text) == kind


@pytest.mark.parametrize(
    ("question", "search"),
    [
        (
            "What was the Total revenue (in USD) for Holley Inc. according to the annual report (within the last "
            "period or at the end of the last period)? If data is not available, return 'N/A'.",
            "Total revenue",
        ),
        ('Who is the CEO in the company "Holley Inc."?', "CEO in the company"),
        ("What was Holley's revenue?", "revenue"),
        ("What was the total revenue of Holley in euros?", "total revenue"),
        ("What was Holley's total revenue in 2021 (in US dollars)?", "total revenue"),
        ("How much of Holley's debt is in euros?", "of debt is in euros"),
        ("Holley", "Holley"),
    ],
)
def test_the_search_text_leaves_out_company_and_boilerplate(question: str, search: str) -> None:
    assert search_text(question, HOLLEY) == search


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("Net income (in EUR) in 2021?", "EUR"),
        ("What was the revenue of Holley in euros?", "EUR"),
        ("In 2021 in Euro, what was Holley's revenue?", "EUR"),
        ("Revenue in millions of euros for Holley?", "EUR"),
        ("What was Holley's debt in US dollars in 2021?", "USD"),
        ("Holley's sales in U.S. dollars?", "USD"),
        ("Holley's sales in US$?", "USD"),
        ("What were total assets in pounds?", "GBP"),
        ("Total assets in pounds sterling at Holley?", "GBP"),
        ("Net loss in Swiss francs?", "CHF"),
        ("Net loss in yen?", "JPY"),
        ("Net loss in Canadian dollars?", "CAD"),
        ("Net loss in A$?", "AUD"),
        ("Net loss in Swedish kronor?", "SEK"),
        ("Net loss in Norwegian kroner?", "NOK"),
        ("Net loss in Danish kroner?", "DKK"),
        ("Net loss in yuan?", "CNY"),
        ("Net loss in RMB?", "CNY"),
        ("Net loss in Indian rupees?", "INR"),
        ("What were the earnings in USD per share?", "USD"),
        ("Net loss in dollars?", "USD"),
        ("Net loss in rupees?", "INR"),
        ("Net loss in euros and US dollars?", None),
        ("in total?", None),
        ("How much was sold in Euronext shares?", None),
        ("How much was sold in euro area countries?", None),
        ("How much did it raise in euro-denominated bonds?", None),
        ("How much of Holley's debt is in euros?", None),
        ("Does Holley report in US dollars?", None),
    ],
)
def test_the_currency_of_the_answer_is_read_as_people_write_it(question: str, code: str | None) -> None:
    assert requested_currency(question) == code


@pytest.mark.parametrize(
    ("question", "own", "code"),
    [
        ("Net loss in dollars?", "AUD", "AUD"),
        ("Net loss in dollars?", "JPY", "USD"),
        ("Net loss in US dollars?", "AUD", "USD"),
        ("Net loss in kroner?", "NOK", "NOK"),
    ],
)
def test_dollars_are_the_reports_own_where_it_has_any(question: str, own: str, code: str) -> None:
    assert requested_currency(question, own) == code


def test_the_asked_year_is_read_from_the_question() -> None:
    assert read_text(Question(text="Net income in 2021?")).year == 2021
    assert read_text(Question(text="from 2020 to 2021")).year is None


@pytest.mark.parametrize(
    ("text", "is_meant"),
    [
        ("What was the revenue?", True),
        ("how many people work there in 2022?", True),
        ("What was the revenue of Zarquon?", False),
        ("what was the revenue of zarquon", False),
        ("What did Acme Inc. earn?", False),
        ("What was Holley's revenue?", False),  # it is named, so there is nothing to take for granted
    ],
)
def test_a_library_of_one_company_is_asked_about_it_where_nobody_else_is_named(text: str, is_meant: bool) -> None:
    assert (CompanyNames([HOLLEY]).only(text) is HOLLEY) is is_meant
    assert NAMES.only(text) is None
