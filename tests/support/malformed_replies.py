"""Replies of models that are not quite the form, as they are seen in the wild, with what is to become of each."""

import json
from dataclasses import dataclass
from typing import Literal

from storage.records.questions import AnswerKind

Rung = Literal["read", "repaired", "restated"]
Answer = float | bool | str | list[str] | None


@dataclass(frozen=True)
class Malformed:
    """A reply, the rung of the cascade that makes a draft of it, and the answer in that draft.

    "read": as it is. "repaired": by us, without asking again. "restated": only by asking the model again.
    """

    name: str
    kind: AnswerKind
    text: str
    rung: Rung
    answer: Answer = None


ANSWERS: dict[AnswerKind, Answer] = {
    "number": -28641000,
    "boolean": True,
    "name": "Dana R. Whitcombe",
    "names": ["Chief Executive Officer", "Director"],
    "text": "Sales rose by 4%, to $12 million.",
}
SENTENCES = [{"text": ANSWERS["text"], "evidence_numbers": [1]}]


def form(kind: AnswerKind, **changes: object) -> dict[str, object]:
    """A good reply with some fields changed."""
    passage = {
        "page": 80,
        "quote": "Operating loss (28,641)",
        "printed_figure": "(28,641)",
        "scale": 1000,
        "currency": "USD",
        "period": "2022",
    }
    good = {
        "step_by_step_analysis": "1. Asked for 2022. 2. Page 80 prints it.",
        "reasoning_summary": "Page 80 prints it.",
        "evidence": [passage],
        "relevant_pages": [80],
        "unavailable_because": None,
        "final_answer": SENTENCES if kind == "text" else ANSWERS[kind],
    }
    return good | changes


def reply(kind: AnswerKind, **changes: object) -> str:
    """The same as text."""
    return json.dumps(form(kind, **changes), ensure_ascii=False)


def without(kind: AnswerKind, *names: str) -> str:
    """A good reply with some fields left out."""
    return json.dumps({name: value for name, value in form(kind).items() if name not in names})


def evidence(**changes: object) -> list[dict[str, object]]:
    """The evidence of a good reply with some fields changed."""
    return [json.loads(reply("number"))["evidence"][0] | changes]


N, B, P, S, T = (reply(kind) for kind in ("number", "boolean", "name", "names", "text"))
LAST = '"final_answer": -28641000'


def _number(name: str, text: str, rung: Rung, answer: Answer = -28641000) -> Malformed:
    return Malformed(name, "number", text, rung, answer)


def _written(name: str, value: str, rung: Rung, answer: Answer = None) -> Malformed:
    """A number's last field as these characters."""
    return Malformed(f"number written {name}", "number", N.replace(LAST, f'"final_answer": {value}'), rung, answer)


def _reply(name: str, kind: AnswerKind, value: object, rung: Rung, answer: Answer = None) -> Malformed:
    return Malformed(name, kind, reply(kind, final_answer=value), rung, answer)


AROUND = (
    _number("as it should be", N, "read"),
    _number("spread over lines", json.dumps(form("number"), indent=4), "read"),
    _number("byte order mark", "\ufeff" + N, "repaired"),
    _number("fence", f"```\n{N}\n```", "repaired"),
    _number("fence of json", f"```json\n{N}\n```", "repaired"),
    _number("fence of JSON5", f"```json5\n{N}\n```", "repaired"),
    _number("tildes", f"~~~json\n{N}\n~~~", "repaired"),
    _number("fence left open", f"```json\n{N}", "repaired"),
    _number("prose before", f"Here is the completed form:\n\n{N}", "repaired"),
    _number("prose after", f"{N}\n\nLet me know if you need anything else!", "repaired"),
    _number("prose with a colon and quotes", f'The "form" you asked for: {N}', "repaired"),
    _number("prose with braces", f"I use {{curly}} braces. {N}", "repaired"),
    _number("prose with braces after", f"{N} (The {{form}} is filled in.)", "repaired"),
    _number("heading", f"## Answer\n\n{N}", "repaired"),
    _number("label", f"JSON: {N}", "repaired"),
    _number("thoughts", f"<think>Is it 7? {{no}}</think>\n{N}", "repaired"),
    _number("thoughts of another kind", f"<thinking>\nfinal_answer is {{7}}\n</thinking>\n{N}", "repaired"),
    _number("end of thoughts alone", f"It may be 7.\n</think>\n{N}", "repaired"),
    _number("tag around", f"<answer>{N}</answer>", "repaired"),
    _number("special tokens", f"<|channel|>final<|message|>{N}<|return|>", "repaired"),
    _number("end token", f"{N}<|im_end|>", "repaired"),
    _number("tool call", f'<tool_call>{{"name": "NumberDraft", "arguments": {N}}}</tool_call>', "repaired"),
    _number("tool call with text", json.dumps({"name": "NumberDraft", "arguments": N}), "repaired"),
    _number("python call", f"NumberDraft(**{N})", "repaired"),
    _number("assignment", f"result = {N};", "repaired"),
    _number("form twice", f"{N}\n{N}", "repaired"),
    _number("a first try", f"{reply('number', final_answer=7)}\nCorrection:\n{N}", "repaired"),
    _number("schema first", f'{{"type": "object", "properties": {{}}}}\n{N}', "repaired"),
    _number("in a list", f"[{N}]", "repaired"),
    _number("as a text", json.dumps(N), "repaired"),
    _number("as a text in a fence", f"```json\n{json.dumps(N)}\n```", "repaired"),
    _number("under answer", f'{{"answer": {N}}}', "repaired"),
    _number("under the form's name", f'{{"NumberDraft": {N}}}', "repaired"),
    _number("under response and data", f'{{"response": {{"data": {N}}}}}', "repaired"),
    _number("under properties", f'{{"type": "object", "properties": {N}}}', "repaired"),
    _number("under a key beside another", f'{{"status": "ok", "result": {N}}}', "repaired"),
)
SYNTAX = (
    _number("trailing comma", N[:-1] + ",}", "repaired"),
    _number("trailing comma in a list", N.replace("[80]", "[80,]"), "repaired"),
    _number("missing comma", N.replace(', "relevant_pages"', ' "relevant_pages"'), "repaired"),
    _number("single quotes", N.replace('"', "'"), "repaired"),
    _number(
        "bare keys", N.replace('"final_answer"', "final_answer").replace('"evidence"', "evidence"), "repaired"
    ),
    _number("python literals", repr(form("number")), "repaired"),
    _number("smart quotes", N.replace('"', "“", 1).replace('":', "”:", 1), "repaired"),
    _number("all quotes smart", N.replace(' "', " “").replace('{"', "{“").replace('"', "”"), "repaired"),
    _number("line comment", N.replace(LAST, f"// in full units\n{LAST}"), "repaired"),
    _number("block comment", N.replace(LAST, f"/* full units */ {LAST}"), "repaired"),
    _number("hash comment", N.replace(LAST, f"# full units\n{LAST}"), "repaired"),
    _number("comment after the answer", N[:-1] + " // -28,641 in thousands\n}", "restated"),
    _number("line break in a text", N.replace("2022. 2.", "2022.\n2."), "repaired"),
    _number("quoted word in a text", N.replace("Page 80 prints it.", 'Page 80 prints "a loss" here.'), "repaired"),
    _number("tab in a text", N.replace("2022. 2.", "2022.\t2."), "repaired"),
    _number("backslash in a text", N.replace("Asked for", "Asked \\for \\% and \\$"), "repaired"),
    _number("escaped dollar", N.replace("Asked for", "Asked \\$ for"), "repaired"),
    _number("doubled braces", "{" + N + "}", "repaired"),
    _number("end bracket missing", N[:-1], "restated"),
    _number("end bracket of the list missing", N.replace("}], ", "}, "), "restated"),
    _number("equals signs", N.replace('": ', '" = '), "restated"),
    _number("yaml", "\n".join(f"{k}: {json.dumps(v)}" for k, v in form("number").items()), "restated"),
)
FIELDS = (
    _number("nullable field left out", without("number", "unavailable_because"), "read"),
    _number("field of its own", reply("number", confidence=0.9), "read"),
    _number(
        "keys in capitals", N.replace("final_answer", "FINAL_ANSWER").replace("evidence", "Evidence"), "repaired"
    ),
    _number(
        "camel case", N.replace("final_answer", "finalAnswer").replace("step_by_step_a", "stepByStepA"), "repaired"
    ),
    _number("keys with spaces", N.replace("final_answer", "Final answer"), "repaired"),
    _number("keys with dashes", N.replace("final_answer", "final-answer"), "repaired"),
    _number("misspelt key", N.replace("reasoning_summary", "reasoning_sumary"), "repaired"),
    _number("key misspelt in the evidence", N.replace("printed_figure", "printed_figures"), "read"),
    _number("another word for a key", N.replace('"final_answer"', '"answer"'), "restated"),
    _number("no final answer", without("number", "final_answer"), "restated"),
    _number("no evidence", without("number", "evidence"), "restated"),
    _number("no pages", without("number", "relevant_pages"), "read"),
    _number("evidence as one object", reply("number", evidence=evidence()[0]), "read"),
    _number("evidence as text", reply("number", evidence="Operating loss (28,641)"), "restated"),
    _number("evidence null", reply("number", evidence=None), "read"),
    _number("evidence as a text of JSON", reply("number", evidence=json.dumps(evidence())), "read"),
    _number("analysis as a list", reply("number", step_by_step_analysis=["1. Asked.", "2. Page 80."]), "read"),
    _number("pages as text", reply("number", relevant_pages=["80", "page 81"]), "read"),
    _number("pages in one text", reply("number", relevant_pages="80, 81"), "restated"),
    _number("page with a decimal", reply("number", relevant_pages=[80.0]), "read"),
    _number("page as a range", reply("number", evidence=evidence(page="80-81")), "restated"),
    _number("page null", reply("number", evidence=evidence(page=None)), "restated"),
    _number("scale as a word", reply("number", evidence=evidence(scale="in thousands")), "read"),
    _number("scale with a separator", reply("number", evidence=evidence(scale="1,000")), "read"),
    _number("scale with a currency", reply("number", evidence=evidence(scale="USD thousand")), "restated"),
    _number("figure as a number", reply("number", evidence=evidence(printed_figure=-28641)), "read"),
    _number("currency in lower case", reply("number", evidence=evidence(currency="usd")), "read"),
    _number("currency n/a", reply("number", evidence=evidence(currency="n/a")), "read"),
    _number("reason of its own", reply("number", unavailable_because="It is there."), "restated"),
    _number("reason in other words", reply("number", unavailable_because="Not Found"), "read"),
    _number("reason none", reply("number", unavailable_because="None"), "read"),
    _number("reason n/a", reply("number", unavailable_because="N/A"), "read"),
)
NUMBERS = (
    _written("with separators", "-28,641,000", "repaired", -28641000),
    _written("with separators and decimals", "1,234.50", "repaired", 1234.5),
    _written("with two groups", "1,234", "repaired", 1234),
    _written("with spaces", "1 234 567", "repaired", 1234567),
    _written("with underscores", "1_234_567", "restated"),
    _written("with a plus", "+7.5", "restated"),
    _written("with a point at the end", "12.", "restated"),
    _written("with a point at the front", ".5", "restated"),
    _written("with an exponent", "1.2e6", "read", 1200000),
    _written("in brackets", "(28,641)", "repaired", -28641),
    _written("with a dollar", "$12,500", "repaired", 12500),
    _written("with a percent sign", "12.5%", "repaired", 12.5),
    _written("with a word", "3 million", "restated"),
    _written("as a product", "28641 * 1000", "restated"),
    _written("as a difference", "2000 - 1500", "restated"),
    _written("as a fraction", "1/3", "restated"),
    _written("as a text", '"-28641000"', "read", -28641000),
    _written("as a text with separators", '"1,234"', "read", 1234),
    _written("as a text with points", '"1.234.567"', "restated"),
    _written("as a text with a comma for a point", '"12,5"', "restated"),
    _written("as a text with a unit", '"12.5 million"', "restated"),
    _written("as a sum of money", '"$ (28,641)"', "read", -28641),
    _written("with a comment", "12 /* million */", "restated"),
    _written("in a list", "[7]", "restated"),
    _written("in a list of two", "[7, 8]", "restated"),
    _written("in an object", '{"value": 7, "unit": "USD"}', "restated"),
    _written("NaN", "NaN", "restated"),
    _written("Infinity", "-Infinity", "restated"),
    _written("None", "None", "repaired", "N/A"),
    _written("null", "null", "read", "N/A"),
    _written("n/a", '"n/a"', "read", "N/A"),
    _written("N/A without quotes", "N/A", "repaired", "N/A"),
    _written("an empty text", '""', "read", "N/A"),
    _written("true", "true", "restated"),
    _written("with leading zeros", "007", "repaired", 7),
    _written("with Swiss separators", "1'234'567", "repaired", 1234567),
    _written("with European separators", "1.234.567,00", "restated"),
    _written("unknown", "unknown", "restated"),
    _written("left empty", "", "restated"),
)
OTHERS = (
    _reply("yes", "boolean", "Yes", "read", True),
    _reply("true as text", "boolean", "TRUE", "read", True),
    _reply("false as text", "boolean", "false", "read", False),
    _reply("one for true", "boolean", 1, "read", True),
    _reply("yes with a reason", "boolean", "Yes, on page 80", "restated"),
    _reply("boolean in a list", "boolean", [True], "restated"),
    Malformed("python True", "boolean", B.replace("true}", "True}"), "repaired", True),
    Malformed("boolean n/a", "boolean", B.replace("true}", "N/A}"), "repaired", "N/A"),
    Malformed(
        "name without quotes",
        "name",
        P.replace('"Dana R. Whitcombe"', "Dana R. Whitcombe"),
        "repaired",
        ANSWERS["name"],
    ),
    _reply("name in a list", "name", ["Dana R. Whitcombe"], "read", "Dana R. Whitcombe"),
    _reply("two names for one", "name", ["Dana R. Whitcombe", "Lee Ng"], "restated"),
    _reply("name as a number", "name", 3, "read", "3"),
    _reply("name as an object", "name", {"name": "Dana R. Whitcombe"}, "restated"),
    _reply("name null", "name", None, "read", "N/A"),
    _reply("names in one text", "names", "Chief Executive Officer; Director", "read", ANSWERS["names"]),
    _reply(
        "names as a text of JSON", "names", '["Chief Executive Officer", "Director"]', "read", ANSWERS["names"]
    ),
    _reply("names as a text of Python", "names", "['Chief Executive Officer', 'Director']", "restated"),
    _reply("names as objects", "names", [{"name": "Director"}], "restated"),
    _reply("names with dashes", "names", "- Chief Executive Officer\n- Director", "read", ANSWERS["names"]),
    Malformed(
        "names in a tuple",
        "names",
        repr(form("names", final_answer=("A. Lee", "B. Ng"))),
        "repaired",
        ["A. Lee", "B. Ng"],
    ),
    Malformed(
        "names in a list left open", "names", S.replace('"Director"]', '"Director"'), "repaired", ANSWERS["names"]
    ),
    Malformed(
        "text with single quotes inside",
        "text",
        reply("text", final_answer="Acme's sales rose by 4%.").replace('"', "'"),
        "restated",
    ),
    Malformed(
        "sentence with single quotes inside",
        "text",
        T.replace("Sales rose", "Acme's sales rose").replace('"', "'"),
        "repaired",
        "Acme's sales rose by 4%, to $12 million.",
    ),
    Malformed(
        "text with a fence inside",
        "text",
        f"```json\n{T.replace('Sales', '```Sales```')}\n```",
        "repaired",
        "```Sales``` rose by 4%, to $12 million.",
    ),
    Malformed(
        "text with braces inside",
        "text",
        T.replace("Sales", "{Sales}"),
        "read",
        "{Sales} rose by 4%, to $12 million.",
    ),
    _reply("text in a list", "text", ["Sales rose.", "So did costs."], "read", "Sales rose. So did costs."),
    _reply("sentences in one text", "text", ANSWERS["text"], "read", ANSWERS["text"]),
    Malformed(
        "sentence with a misspelt name",
        "text",
        T.replace("evidence_numbers", "evidenceNumbers"),
        "repaired",
        ANSWERS["text"],
    ),
    Malformed("sentence that points with a word", "text", T.replace("[1]", '["first"]'), "restated"),
    Malformed("sentence that points with true", "text", T.replace("[1]", "[true]"), "restated"),
)
ALL = (*AROUND, *SYNTAX, *FIELDS, *NUMBERS, *OTHERS)
