"""Extracts: the report's own sentences that answer an open question, chosen without a language model."""

from collections.abc import Sequence

import pytest

from prompts.kinds.text import TextDraft
from query_engines.extraction.asked import Asked
from query_engines.extraction.extracts import MOST, Extracts
from query_engines.extraction.program import ExtractiveProgram
from query_engines.question.parsed import FactMatch
from query_engines.question.parser import read_text
from storage.records.pages import Block, BlockKind, Line, Page
from storage.records.questions import Question
from storage.records.record import Box
from storage.records.reports import Report
from storage.records.sections import Section
from storage.text import stems

MEANING = {"landlord": 0.6, "delta": 0.6, "retire": 0.6, "401(k)": 0.6}


def alike(question: str, texts: Sequence[str]) -> list[float]:
    """The share of the question's words that a text has, and 0.6 for the words of a small dictionary of meanings."""
    asked = stems(question)
    return [
        max([len(asked & stems(text)) / len(asked), *(m for word, m in MEANING.items() if word in text.lower())])
        for text in texts
    ]


def page(number: int, *texts: str) -> Page:
    """A page of headings ("# "), list items ("* ") and paragraphs, one below the other."""
    blocks = []
    for i, text in enumerate(texts):
        kind: BlockKind = (
            "heading" if text.startswith("# ") else "list_item" if text.startswith("* ") else "paragraph"
        )
        box = Box(left=50, top=50 + 20 * i, right=300, bottom=60 + 20 * i)
        printed = text.removeprefix("# ").removeprefix("* ")
        blocks.append(Block(kind=kind, text=printed, box=box, lines=(Line(text=printed, box=box),)))
    return Page(report_sha1="ab", page_number=number, width=600, height=800, blocks=tuple(blocks))


def extracts(asked: Asked, *pages: Page, likeness: float | None = None) -> list[str]:
    """The texts of the extracts; empty for N/A. With `likeness`, every text is that much like the question."""
    compared = alike if likeness is None else lambda _, texts: [likeness] * len(texts)
    draft = Extracts(compared).draft(asked, pages, ())
    return [s.text for s in draft.final_answer] if draft and isinstance(draft.final_answer, list) else []


def question(text: str, **fields: object) -> Asked:
    return Asked(text=text, words=text.rstrip("?"), **fields)  # type: ignore[arg-type]  # names of its fields


NEEDED = "The second line in Delta is needed because the landlord of the Burnaby plant will not extend the lease."
COST = "The cost of the second line in Delta is now projected at $53 million."
WEATHER = "Weather in the region was mild for most of the year and rain was rare."


def test_an_open_question_gets_the_sentences_that_say_it_in_their_order() -> None:
    found = extracts(question("Why is the second line in Delta needed?"), page(4, WEATHER, NEEDED, COST))
    assert found[0] == NEEDED
    assert WEATHER not in found


def test_no_more_than_five_extracts_are_shown() -> None:
    many = [f"The second line in Delta needed {thing} in the year under review." for thing in "abcdefgh"]
    assert len(extracts(question("What was needed for the second line in Delta?"), page(4, *many))) <= MOST


def test_a_sentence_that_only_shares_words_is_no_answer_but_its_page_is_the_nearest() -> None:
    about = "Our employees at the plant in Delta are the foundation of everything that we do here."
    draft = Extracts(lambda _, texts: [0.42] * len(texts)).draft(
        question("What does the plant in Delta make?"), [page(4, about)], ()
    )
    assert isinstance(draft, TextDraft)
    assert draft.final_answer == "N/A"
    assert [e.page for e in draft.evidence] == [4]


def test_a_question_why_is_not_answered_without_a_cause() -> None:
    closed = "The Reykjavik plant was closed in the spring of the year under review."
    assert extracts(question("Why was the Reykjavik plant closed?"), page(4, closed)) == []


def test_what_might_happen_is_no_answer_unless_it_is_asked() -> None:
    might = "Competitors could also launch new lines of chairs that our customers prefer to ours."
    assert (
        extracts(question("What new lines of chairs did competitors launch?"), page(4, might), likeness=0.57) == []
    )
    assert extracts(
        question("Which new lines of chairs could competitors launch?"), page(4, might), likeness=0.6
    ) == [might]


def test_an_accounting_rule_is_no_answer_to_a_question_for_events() -> None:
    rule = "Costs of litigation about patents are recognized when a loss is probable and can be estimated."
    case = "In May 2022 Veldhoorn began litigation about patents against Acme in the court of Delft."
    asked = question("What litigation about patents is there?")
    assert extracts(asked, page(4, rule, case), likeness=0.57) == [case]


def test_a_sentence_that_refers_back_brings_the_one_before_it() -> None:
    before = "We maintain a defined contribution plan for all of our people in Canada."
    after = "It is a 401(k) retirement plan in which we match 4% of the pay of each employee."
    found = extracts(question("Which retirement plan is there for employees?"), page(4, before, after))
    assert found == [before, after]


def test_a_sentence_that_announces_a_list_brings_the_items() -> None:
    announced = "The retirement plan of the employees has these parts:"
    items = ["* A defined contribution of 4% of the pay.", "* A lump sum at the age of sixty-five years."]
    found = extracts(question("What parts has the retirement plan of the employees?"), page(4, announced, *items))
    assert found == [announced, *(item.removeprefix("* ") for item in items)]


def test_a_name_of_the_question_must_be_named() -> None:
    other = "The purchase agreement with Delta Holdings was signed in May and the price was paid in June."
    assert (
        extracts(question("What are the terms of the purchase agreement with Blackhawk Bancorp?"), page(4, other))
        == []
    )


@pytest.mark.parametrize("kind", ["", "competition"])
def test_the_kind_of_section_that_is_asked_for_speaks_for_a_sentence(kind: str) -> None:
    said = "Our main rivals are Acme in Delft and Veldhoorn in Utrecht and some smaller workshops."
    section = Section(title="Competition", kind="competition", first_page=4, last_page=4, is_main=True, level=1)
    likeness = Extracts(lambda _, texts: [0.52] * len(texts))
    draft = likeness.draft(
        question("Who are its main competitors in packaging?", kind=kind), [page(4, said)], [section]
    )
    assert draft is not None
    assert (draft.final_answer != "N/A") == bool(kind)


def test_what_reports_say_of_a_topic_counts_beside_the_question() -> None:
    asked = question("How dependent is it on a few customers?")
    demand = "Demand for our services is dependent on the demand of customers in a few end markets."
    share = "Revenue from three customers was 65% of the revenue of all customers in 2022."

    def likeness(text: str, texts: Sequence[str]) -> list[float]:
        is_of_topic = text != asked.text
        return [0.7 if "65%" in each and is_of_topic else 0.3 if is_of_topic else 0.5 for each in texts]

    draft = Extracts(likeness).draft(asked, [page(4, demand, share)], ())
    assert draft is not None
    assert [e.quote for e in draft.evidence] == [share]


@pytest.mark.parametrize(("ending", "pages"), [("", [4]), (" If there is no mention, return False.", [])])
def test_a_yes_or_no_that_rules_cannot_decide_cites_what_comes_nearest(ending: str, pages: list[int]) -> None:
    said = "The kiln of the plant in Delta has a permit of the province that ends in the spring."
    program = ExtractiveProgram("boolean", Extracts(lambda _, texts: [0.6] * len(texts)))
    asked = read_text(
        Question(text=f"Has the kiln of the Delta plant an electric heater?{ending}", kind="boolean")
    )
    report = Report(sha1="ab", file="ab.pdf", company="Veldhoorn Packaging N.V.", page_count=9)
    draft = program(question=asked, report=report, pages=[page(4, said)], facts=FactMatch(is_stored=True))
    assert draft.final_answer == "N/A"
    assert draft.relevant_pages == pages


def test_a_passage_that_means_the_same_needs_fewer_of_the_words() -> None:
    said = "Some reagents come from a single source in Japan under a contract for three years."
    asked = question("How does it depend on the makers of its reagents?")
    assert extracts(asked, page(4, said), likeness=0.5) == []
    assert extracts(asked, page(4, said), likeness=0.7) == [said]


def test_who_is_not_answered_with_a_sentence_that_names_nobody() -> None:
    praise = "Our solutions offer a quality in cartons that differs from that of our competitors in packaging."
    named = "Our competitors in packaging include Acme in Delft and some smaller workshops in the north."
    asked = question("Who are its competitors in packaging?")
    assert extracts(asked, page(4, praise), likeness=0.6) == []
    assert extracts(asked, page(4, praise, named), likeness=0.6) == [named]


def test_what_is_only_connected_with_a_deal_is_no_reason_for_it() -> None:
    beside = "In connection with the acquisition of Karstmeer, the company took a loan of two hundred million."
    reason = "The acquisition of Karstmeer is expected to enable us to expand into the market for paper cups."
    asked = question("Why did it agree to the acquisition of Karstmeer?")
    assert extracts(asked, page(4, beside), likeness=0.6) == []
    assert extracts(asked, page(4, beside, reason), likeness=0.6) == [reason]


def test_a_second_question_that_leans_on_an_unanswered_first_is_not_answered_alone() -> None:
    first, second = question("Who makes the kilns and what is the risk of that?").parts
    assert (first.leans, second.leans) == (False, True)
    risk = "The kilns have a risk of fire that the insurance covers up to two hundred million."
    assert (
        extracts(question("Who makes the kilns and what is the risk of that?"), page(4, risk), likeness=0.5) == []
    )


def test_a_half_that_no_passage_answers_is_named() -> None:
    said = "The second line in Delta is needed because the landlord will not extend the lease of Burnaby."
    asked = question("Why is the second line in Delta needed, and who paid for the kiln of Karstmeer in Utrecht?")
    draft = Extracts(alike).draft(asked, [page(4, said)], ())
    assert draft is not None
    assert "No passage was found" in draft.reasoning_summary


def test_who_makes_a_thing_is_not_answered_with_what_else_is_said_of_it() -> None:
    beside = "We announced good results of our second trial of VP-102 in Delta in November of that year."
    maker = "Our supply of VP-102 is manufactured at the plant of Sterling in Delta under a contract."
    asked = question("Who makes VP-102?")
    assert extracts(asked, page(4, beside), likeness=0.6) == []
    assert extracts(asked, page(4, beside, maker), likeness=0.6) == [maker]


def test_a_partner_is_whoever_collaborates() -> None:
    rival = "We expect that ALG-527 would compete with the products of Crescendo in the same field."
    partner = "We work on ALG-527 in collaboration with Alligator in Lund and share the costs of it."
    asked = question("Who does it partner with on ALG-527?")
    assert extracts(asked, page(4, rival, partner), likeness=0.6) == [partner]


def test_a_sentence_that_has_the_name_alone_says_nothing_of_what_is_asked() -> None:
    beside = "The building in Burnaby was painted in white and blue in the spring of that year."
    said = "The leases in Burnaby end in June, and the landlord will not extend any of them."
    asked = question("What about leases in Burnaby?")
    assert extracts(asked, page(4, beside), likeness=0.6) == []
    assert extracts(asked, page(4, beside, said), likeness=0.6) == [said]


def test_a_party_that_is_asked_for_by_two_words_is_called_so_beside_a_name() -> None:
    outside = "The Non-executive Director fees were set by the full Board for the foreseeable future."
    granted = "The options granted to the three Executive Directors are subject to the usual clawback provisions."
    named = "The Executive Directors are Mark Aldous and Martin Fenn, who are employed by the company."
    assert extracts(question("Executive directors?"), page(4, outside, granted)) == []
    assert extracts(question("Executive directors?"), page(4, outside, granted, named)) != []


def test_the_talk_around_a_question_does_not_hide_what_it_asks() -> None:
    told = "Procurement person here, we may start using it in our lab soon. I heard supply can be a headache, honestly."
    asked = "How dependent is the company on single suppliers for its reagents?"
    supplied = "Some of the reagents depend on single suppliers, and the company has no second source for them."
    first, second = told.split(". ", 1)
    assert question(f"{first}. {asked} {second}").focused.text == asked
    assert extracts(question(f"{first}. {asked} {second}"), page(4, WEATHER, supplied)) == [supplied]


@pytest.mark.parametrize(
    ("text", "focus"),
    [
        ("Share repurchases: what did the board authorize last year?", ""),
        (
            "In one sentence please: what is the claim of the federal suit?",
            "what is the claim of the federal suit?",
        ),
        ("The bank failed in March. What does it say of that?", ""),
    ],
)
def test_what_a_question_is_about_stays_with_it(text: str, focus: str) -> None:
    assert question(text).focused.text == (focus or text)


def test_who_it_is_may_stand_in_the_sentence_before_of_the_same_paragraph() -> None:
    box = Box(left=50, top=50, right=300, bottom=90)
    told = "Growth came from the addition of Larchmont Group as a customer in 2018, as was told before."
    share = "In total, this customer represented 75 percent of our revenue and is our biggest customer."
    lines = tuple(Line(text=text, box=box) for text in (told, share))
    block = Block(kind="paragraph", text=f"{told} {share}", box=box, lines=lines)
    both = Page(report_sha1="ab", page_number=4, width=600, height=800, blocks=(block,))
    asked = question("Who is the biggest customer?")
    assert told in extracts(asked, both)
    assert extracts(asked, page(4, share)) == [], "nobody is named"


OWNER = "The headquarters building in Norcross is leased from the chairman, who owns the building alone."
OFFICES = "Other offices are rented in Dubai and in Timisoara for the sales staff."


def test_a_second_question_is_answered_too_or_said_to_be_open() -> None:
    both = question("Who owns the headquarters building in Norcross? And where else does it rent offices?")
    pages = page(4, OWNER), page(9, OFFICES)
    assert extracts(both, *pages) == [OWNER, OFFICES]
    draft = Extracts(alike).draft(both, pages[:1], ())
    assert draft is not None
    assert "says enough of" in draft.reasoning_summary
    assert "offices" in draft.reasoning_summary
    alone = Extracts(alike).draft(question("Who owns the headquarters building in Norcross?"), pages, ())
    assert alone is not None
    assert "says enough of" not in alone.reasoning_summary


@pytest.mark.parametrize(
    ("text", "further"),
    [
        ("Why did it buy Acme, and did it sell its old plants?", ["sell old plants"]),
        ("What is the lease cost and who is the landlord of the plant?", ["landlord plant"]),
        ("I send money abroad - what could go wrong with payments?", []),
        ("What does the plant make, which was built in 1990?", []),
    ],
)
def test_a_clause_that_asks_again_is_a_further_question(text: str, further: list[str]) -> None:
    found = [part.words.removesuffix(" Acme") for part in question(text).further]
    assert [sorted(stems(words)) for words in found] == [sorted(stems(words)) for words in further]


@pytest.mark.parametrize(
    "text",
    [
        "How much building revenue did it make from hotel customers last year?",
        "How much tunnel work did it do for hotel customers (in EUR)?",
    ],
)
@pytest.mark.parametrize(
    ("passage", "is_answer"),
    [
        ("Building revenue from tunnel work for hotel customers was $9.0 million in the year.", True),
        ("Building revenue from tunnel work for hotel customers grew by 88% in the year.", False),
        ("Building revenue from tunnel work for all customers was $24.4 million in the year.", False),
    ],
)
def test_how_much_is_answered_with_an_amount_of_what_is_asked(text: str, passage: str, is_answer: bool) -> None:
    asked = Asked(text=text, words="building revenue tunnel work hotel customers")
    assert asked.is_given_in(passage, "") is is_answer
