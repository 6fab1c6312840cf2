"""Regular expressions that are compiled when they are first used."""

import pickle
import re

import pytest

from storage.lexicon.words import expression


def test_an_expression_is_compiled_when_first_used(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    inner = re.compile

    def recording(pattern: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append(pattern)
        return inner(pattern, flags)

    monkeypatch.setattr(re, "compile", recording)
    made = expression(r"(?P<unit>k?g)\b", re.IGNORECASE)
    assert compiled == []
    assert [found["unit"] for found in made.finditer("1 KG, 2 g")] == ["KG", "g"]
    assert made.sub("-", "1 KG") == "1 -"
    assert (made.pattern, made.groups, dict(made.groupindex)) == (r"(?P<unit>k?g)\b", 1, {"unit": 1})
    assert compiled == [r"(?P<unit>k?g)\b"]


def test_an_expression_of_bytes_searches_bytes() -> None:
    assert expression(rb"\d+").findall(b"1, 22") == [b"1", b"22"]


@pytest.mark.parametrize("is_used", [False, True])
def test_an_expression_goes_to_another_process(is_used: bool) -> None:
    made = expression("a+", re.IGNORECASE)
    if is_used:
        assert made.match("A")
    sent = pickle.loads(pickle.dumps(made))
    assert sent.fullmatch("AAA")


def test_an_expression_has_nothing_that_a_pattern_has_not() -> None:
    with pytest.raises(AttributeError, match="find"):
        expression("a").find  # type: ignore[attr-defined]  # noqa: B018 - on purpose
