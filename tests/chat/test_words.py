"""The words of the screen: the same ones in each language, over Chainlit's own."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from app.chat.cards.answer import ANSWERED_BEFORE, CHECK_LABELS, KINDS, model_use, seconds_words
from app.chat.launcher import FILES, screen_words
from storage.records.answers import Usage


def words(name: str) -> dict[str, str]:
    return dict(leaves(json.loads((FILES / name).read_text(encoding="utf-8"))))


def leaves(tree: dict[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{path}{key}/")
        else:
            yield f"{path}{key}", value


def test_german_has_the_words_that_english_has() -> None:
    assert words("words_de.json").keys() == words("words.json").keys()


def test_what_is_filled_in_is_the_same_in_german() -> None:
    english, german = words("words.json"), words("words_de.json")
    blanks = {key: sorted(re.findall(r"\{\w+\}", text)) for key, text in english.items()}
    assert {key: sorted(re.findall(r"\{\w+\}", text)) for key, text in german.items()} == blanks


@pytest.mark.parametrize(
    ("language", "placeholder"),
    [
        ("en-US", "Ask about a company's annual report"),
        ("fr-FR", "Ask about a company's annual report"),
        ("de", "Fragen Sie nach dem Geschäftsbericht eines Unternehmens"),
        ("de-DE", "Fragen Sie nach dem Geschäftsbericht eines Unternehmens"),
    ],
)
def test_a_german_browser_gets_german_and_every_other_english(language: str, placeholder: str) -> None:
    assert screen_words()[language]["chat"]["input"]["placeholder"] == placeholder


def test_every_label_that_a_card_may_have_is_in_the_words() -> None:
    labels = json.loads((FILES / "words.json").read_text(encoding="utf-8"))["pageproof"]["cards"]["labels"]
    used = [*KINDS.values(), *CHECK_LABELS.values(), ANSWERED_BEFORE, model_use(Usage()), seconds_words(0.0)]
    assert set(used) <= set(labels)
