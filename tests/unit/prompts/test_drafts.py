import json
from collections.abc import Iterator
from typing import Any, get_args

import pytest
from pydantic import BaseModel, ValidationError

from prompts.drafts import Draft, UnavailableBecause, reply_limit, strict_schema
from prompts.kinds import DRAFTED, draft_for
from prompts.kinds.text import Sentence
from prompts.tasks.rerank import PageJudgements
from storage.records.answers import Reason
from storage.records.questions import AnswerKind

FIELDS = [
    "step_by_step_analysis",
    "reasoning_summary",
    "evidence",
    "unavailable_because",
    "final_answer",
]
# The keywords that OpenAI's strict structured outputs are documented to take, as far as our forms need any.
STRICT_KEYWORDS = {
    "type",
    "enum",
    "anyOf",
    "items",
    "properties",
    "required",
    "additionalProperties",
    "description",
}
STRICT_KEYWORDS |= {"$defs", "$ref"}
NUMBERS: dict[str, tuple[object, object]] = {
    "number": (12500, 12500.0),
    "negative number": (-0.38, -0.38),
    "separators": ("12,500", 12500.0),
    "Swiss separators": ("1’204’000", 1204000.0),
    "narrow spaces": ("12\u202f500.5", 12500.5),
    "brackets": ("(28,641)", -28641.0),
    "brackets around currency": ("($28,641)", -28641.0),
    "currency before brackets": ("$ (28,641)", -28641.0),
    "minus sign": ("−28,641", -28641.0),
    "minus before currency": ("-$12,500", -12500.0),
    "currency sign": ("$12,500", 12500.0),
    "currency code": ("12,500 EUR", 12500.0),
    "percentage": ("12.5%", 12.5),
    "lower case": ("n/a", "N/A"),
    "full stop": ("N/A.", "N/A"),
    "words": ("Not available", "N/A"),
    "null": (None, "N/A"),
}
NAMES: dict[str, tuple[object, object]] = {
    "list": (["Director", "Chief Executive Officer"], ["Director", "Chief Executive Officer"]),
    "comma inside a name": ("Executive Vice President, Sales", ["Executive Vice President, Sales"]),
    "semicolons": ("Director; Chief Executive Officer", ["Director", "Chief Executive Officer"]),
    "lines with dashes": ("- Director\n- Chief Executive Officer\n", ["Director", "Chief Executive Officer"]),
    "list as text": ('["Director"]', ["Director"]),
    "one name twice": (["Director", "director ", "Secretary"], ["Director", "Secretary"]),
    "no names": ([], "N/A"),
    "N/A in a list": (["n/a"], "N/A"),
    "N/A": ("N/A.", "N/A"),
}
FORMS = pytest.mark.parametrize("form", [kind.form for kind in DRAFTED.values()], ids=DRAFTED)


def draft(kind: AnswerKind, **changes: object) -> Draft:
    reply = {
        "step_by_step_analysis": "1. …",
        "reasoning_summary": "Page 80 prints it.",
        "evidence": [passage()],
        "relevant_pages": [80],
        "unavailable_because": None,
        "final_answer": "N/A",
    }
    return draft_for(kind).model_validate_json(json.dumps(reply | changes))


def passage(**changes: object) -> dict[str, object]:
    figure = {"printed_figure": "(28,641)", "scale": 1000, "currency": "USD", "period": "2022"}
    return {"page": 80, "quote": "Operating loss (28,641)"} | figure | changes


def schemas(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    children = [*node.get("properties", {}).values(), *node.get("$defs", {}).values(), *node.get("anyOf", [])]
    for child in [*children, *([node["items"]] if "items" in node else [])]:
        yield from schemas(child)


@FORMS
def test_a_form_asks_for_the_reasoning_before_the_answer(form: type[Draft]) -> None:
    assert list(strict_schema(form)["properties"]) == FIELDS
    assert list(strict_schema(form)["$defs"]["Evidence"]["properties"]) == [
        "mark",
        "column",
        "printed_figure",
        "relation",
    ]


@FORMS
def test_a_forms_schema_stays_in_the_strict_subset(form: type[Draft]) -> None:
    root = strict_schema(form)
    assert root["type"] == "object"
    for node in schemas(root):
        assert set(node) <= STRICT_KEYWORDS
        assert "$ref" not in node or set(node) == {"$ref"}, "a reference has nothing beside it"
        assert "$ref" not in node or node["$ref"].removeprefix("#/$defs/") in root["$defs"]
        assert {"type", "anyOf", "$ref"} & set(node), "every value has a type"
        if node.get("type") == "object":
            assert node["additionalProperties"] is False
            assert node["required"] == list(node["properties"])


@FORMS
def test_every_field_tells_the_model_its_rule(form: type[Draft]) -> None:
    schema = strict_schema(form)
    for owner in (schema, schema["$defs"]["Evidence"]):
        assert all(field["description"] for field in owner["properties"].values())


@FORMS
def test_no_field_has_a_default(form: type[Draft]) -> None:
    assert all(form.model_fields[name].is_required() for name in FIELDS)


def test_a_comparison_has_no_form_of_its_own() -> None:
    with pytest.raises(ValueError, match="comparative"):
        draft_for("comparative")


def test_the_reasons_of_a_draft_are_reasons_of_an_answer() -> None:
    assert set(get_args(UnavailableBecause)) < set(get_args(Reason))


@pytest.mark.parametrize(
    ("written", "read"),
    NUMBERS.values(),
    ids=NUMBERS.keys(),
)
def test_a_number_is_read_however_it_is_written(written: object, read: object) -> None:
    assert draft("number", final_answer=written).final_answer == read


@pytest.mark.parametrize(
    "written",
    [
        True,
        False,
        "true",
        "12,5",
        "1,2345",
        "12.500,75",
        "3 million",
        "12 mln",
        "between 3 and 4",
        "(12",
        "1e999",
        [7, 8],
    ],
)
def test_what_is_not_one_number_is_refused(written: object) -> None:
    with pytest.raises(ValidationError):
        draft("number", final_answer=written)


@pytest.mark.parametrize("written", ["NaN", "Infinity"])
def test_infinity_and_nan_are_no_numbers(written: str) -> None:
    reply = draft("number").model_dump_json().replace('"final_answer":"N/A"', f'"final_answer":{written}')
    with pytest.raises(ValidationError):
        draft_for("number").model_validate_json(reply)


@pytest.mark.parametrize(
    ("written", "read"),
    [(True, True), ("yes", True), ("True", True), ("No.", False), ("false", False), ("n/a", "N/A"), (None, "N/A")],
)
def test_a_boolean_is_read_however_it_is_written(written: object, read: object) -> None:
    assert draft("boolean", final_answer=written).final_answer == read


@pytest.mark.parametrize("written", ["maybe", "Yes, it did", 7])
def test_what_is_neither_yes_nor_no_is_refused(written: object) -> None:
    with pytest.raises(ValidationError):
        draft("boolean", final_answer=written)


@pytest.mark.parametrize(
    ("written", "read"),
    NAMES.values(),
    ids=NAMES.keys(),
)
def test_names_are_read_however_they_are_written(written: object, read: object) -> None:
    assert draft("names", final_answer=written).final_answer == read


@pytest.mark.parametrize("kind", ["name", "text"])
@pytest.mark.parametrize(("written", "read"), [(" Ann Reyes\n", "Ann Reyes"), ("n/a", "N/A"), (None, "N/A")])
def test_a_text_is_read_without_its_margins(kind: AnswerKind, written: object, read: str) -> None:
    assert draft(kind, final_answer=written).value == read


SENTENCES: dict[str, tuple[object, list[tuple[str, list[int]]]]] = {
    "as the form has them": ([{"text": "Sales rose.", "evidence_numbers": [1, 2]}], [("Sales rose.", [1, 2])]),
    "one alone": ({"text": "Sales rose.", "evidence_numbers": [1]}, [("Sales rose.", [1])]),
    "one number alone": ([{"text": "Sales rose.", "evidence_numbers": "2"}], [("Sales rose.", [2])]),
    "no numbers": ([{"text": "Sales rose.", "evidence_numbers": None}], [("Sales rose.", [])]),
    "bare texts": (["Sales rose.", "Costs fell."], [("Sales rose.", []), ("Costs fell.", [])]),
    "one bare text": ("Sales rose.", [("Sales rose.", [])]),
    "a list as text": ('[{"text": "Sales rose.", "evidence_numbers": [1]}]', [("Sales rose.", [1])]),
}


@pytest.mark.parametrize(("written", "read"), SENTENCES.values(), ids=SENTENCES.keys())
def test_sentences_are_read_however_they_are_written(written: object, read: list[tuple[str, list[int]]]) -> None:
    stated = draft("text", final_answer=written)
    assert isinstance(stated.final_answer, list)
    assert [(s.text, s.evidence_numbers) for s in stated.final_answer if isinstance(s, Sentence)] == read


@pytest.mark.parametrize("written", [[], ["N/A"], [{"text": "n/a", "evidence_numbers": []}]])
def test_sentences_that_say_nothing_are_no_answer(written: object) -> None:
    assert draft("text", final_answer=written).final_answer == "N/A"


@pytest.mark.parametrize("numbers", [[True], ["page 27"], [1.5], ["1, 2"], {}])
def test_a_pointer_that_could_mean_anything_is_refused(numbers: object) -> None:
    with pytest.raises(ValidationError, match="evidence_numbers"):
        draft("text", final_answer=[{"text": "Sales rose.", "evidence_numbers": numbers}])


def test_sentences_become_one_text_and_names_stay_apart() -> None:
    assert draft("text", final_answer=["Sales rose.", "Costs fell."]).value == "Sales rose. Costs fell."
    assert draft("names", final_answer=["Ann Reyes", "Bo Lind"]).value == ("Ann Reyes", "Bo Lind")


@pytest.mark.parametrize(
    "form", [*(kind.form for kind in DRAFTED.values()), PageJudgements], ids=lambda f: f.__name__
)
def test_every_schema_that_a_model_is_given_stays_in_the_strict_subset(form: type[BaseModel]) -> None:
    for node in schemas(strict_schema(form)):
        assert set(node) <= STRICT_KEYWORDS
        assert {"type", "anyOf", "$ref"} & set(node), "every value has a type"
        if node.get("type") == "object":
            assert node["additionalProperties"] is False
            assert node["required"] == list(node["properties"])


@pytest.mark.parametrize(
    ("written", "read"), [([80, 81], [80, 81]), (["80", "page 81", "p. 82"], [80, 81, 82]), (80, [80]), (None, [])]
)
def test_pages_are_read_however_they_are_written(written: object, read: list[int]) -> None:
    assert draft("number", relevant_pages=written).relevant_pages == read


@pytest.mark.parametrize("written", [[True], ["80-82"], ["eighty"], [80.5], "80, 81"])
def test_what_is_not_a_page_number_is_refused(written: object) -> None:
    with pytest.raises(ValidationError):
        draft("number", relevant_pages=written)


@pytest.mark.parametrize(
    ("field", "written", "read"),
    [
        ("page", "80", 80),
        ("printed_figure", 28641, "28641"),
        ("printed_figure", "null", None),
        ("scale", "1,000", 1000),
        ("scale", "in thousands", 1000),
        ("scale", "million", 1000000),
        ("scale", 1000.0, 1000),
        ("scale", 0.01, None),
        ("currency", "usd", "USD"),
        ("currency", "", None),
        ("period", 2022, "2022"),
    ],
)
def test_evidence_is_read_however_it_is_written(field: str, written: object, read: object) -> None:
    assert getattr(draft("number", evidence=[passage(**{field: written})]).evidence[0], field) == read


@pytest.mark.parametrize(
    ("field", "written"), [("scale", True), ("scale", "dozens"), ("page", False), ("page", None)]
)
def test_evidence_that_could_mean_anything_is_refused(field: str, written: object) -> None:
    with pytest.raises(ValidationError, match=field):
        draft("number", evidence=[passage(**{field: written})])


@pytest.mark.parametrize(
    ("written", "read"), [("Not found.", "not_found"), ("other-currency", "other_currency"), ("null", None)]
)
def test_a_reason_is_read_however_it_is_written(written: str, read: str | None) -> None:
    assert draft("number", unavailable_because=written).unavailable_because == read


@pytest.mark.parametrize(
    ("written", "read"), [("61.5", "61.5"), ("[61.5]", "61.5"), (61.5, "61.5"), ("page 61.5", "61.5"), ("x", "x")]
)
def test_a_mark_is_read_however_it_is_written(written: object, read: str) -> None:
    assert draft("number", evidence=[{"mark": written}]).evidence[0].mark == read


def test_a_passage_without_a_mark_needs_its_page_and_its_quote() -> None:
    with pytest.raises(ValidationError, match="mark"):
        draft("number", evidence=[{"printed_figure": "12"}])


@pytest.mark.parametrize("written", ["as printed", "As printed.", "as_printed"])
def test_a_number_may_be_left_to_its_mark(written: str) -> None:
    assert draft("number", final_answer=written).final_answer == "as printed"


@FORMS
def test_every_form_has_a_limit_of_tokens_and_less_where_little_is_written(form: type[Draft]) -> None:
    assert 500 < reply_limit(form, brief=True) < 1_300
    assert 2_500 < reply_limit(form) < 8_000


def test_a_reason_of_the_models_own_is_refused() -> None:
    with pytest.raises(ValidationError):
        draft("number", unavailable_because="the pages are too blurred")


def test_what_may_be_null_may_be_left_out() -> None:
    reply = {
        "step_by_step_analysis": "1. …",
        "reasoning_summary": "Page 3 says so.",
        "evidence": [{"page": 3, "quote": "Ann Reyes, Chief Executive Officer"}],
        "relevant_pages": [3],
        "final_answer": "Ann Reyes",
    }
    read = draft_for("name").model_validate(reply)
    assert read.unavailable_because is None
    assert read.evidence[0].scale is None


@pytest.mark.parametrize("missing", ["step_by_step_analysis", "evidence", "final_answer"])
def test_what_may_not_be_null_must_be_there(missing: str) -> None:
    reply = draft("number").model_dump()
    del reply[missing]
    with pytest.raises(ValidationError, match=missing):
        draft_for("number").model_validate(reply)


def test_a_field_that_the_form_does_not_have_is_ignored() -> None:
    assert draft("number", confidence=0.9, final_answer=7).final_answer == 7.0
