"""The words of the screen and of the server: the same ones in each language, over Chainlit's own."""

import ast
import datetime as dt
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from app.chat.cards.answer import ANSWERED_BEFORE, CHECK_LABELS, model_use, seconds_words
from app.chat.cards.words import FILES, screen_words, speech_of
from app.chat.session.requests import read_request
from app.chat.session.settings_panel import Choices, panel
from app.chat.uploads.report_card import upload_card
from app.chat.uploads.uploads import UploadStage, UploadState
from app.settings import load_settings
from prompts.kinds import KINDS
from query_engines.extraction.program import LOOKED_FOR, NOT_READ
from storage.records.answers import Usage
from storage.records.derived_metrics import DerivedMetrics
from storage.records.metrics import Ontology
from storage.stores.inbox import Received
from tests.support.samples import ROOT


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


GERMAN, ENGLISH = speech_of("de-AT,de;q=0.9"), speech_of("en-US")
SAID = json.loads((FILES / "words.json").read_text(encoding="utf-8"))["said"]


def test_every_label_that_a_card_may_have_is_in_the_words() -> None:
    titles = [kind.title for kind in KINDS.values()]
    used = [*titles, *CHECK_LABELS.values(), ANSWERED_BEFORE, model_use(Usage()), seconds_words(0.0)]
    assert set(used) <= set(SAID)
    assert {*LOOKED_FOR.values(), NOT_READ} <= set(SAID)


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("Reading page 5 of 1,120", "Seite 5 von 1.120 wird gelesen"),
        ("period ended 31 December 2022", "Zeitraum bis 31. Dezember 2022"),
        ("Stopped after less than 0.1 s", "Angehalten nach weniger als 0,1 s"),
        ("Stopped after 2.3 s", "Angehalten nach 2,3 s"),
        ("Revenue of Page plc", "Revenue of Page plc"),
        ("Reading page one of two", "Reading page one of two"),
        (
            "You can ask about it now. Unknown to the catalog.",
            "Sie können schon danach fragen. Unknown to the catalog.",
        ),
        (
            "- page: passed (printed there)\n- own: passed (fine)",
            "- Seite: bestanden (dort gedruckt)\n- own: passed (fine)",
        ),
        (
            "Confidence: high. The balance sheet balances. A sentence of the report gives the same figure.",
            "Sicherheit: hoch. Die Bilanz geht auf. Ein Satz des Berichts nennt dieselbe Zahl.",
        ),
    ],
)
def test_what_the_server_says_is_put_into_german_text_by_text(english: str, german: str) -> None:
    assert (GERMAN(english), ENGLISH(english)) == (german, english)


def test_a_card_is_german_but_for_what_reports_and_people_say() -> None:
    card = {
        "kind": "Number",
        "question": "Number",
        "values": ["Number"],
        "checks": [{"label": "Page", "detail": "x"}],
    }
    assert GERMAN.card(card) == card | {"kind": "Zahl", "checks": [{"label": "Seite", "detail": "x"}]}
    assert ENGLISH.card(card) is card


def step_labels(source: Path) -> Iterator[str]:
    for call in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "step" and len(call.args) == 2:
            parts = call.args[1].values if isinstance(call.args[1], ast.JoinedStr) else [call.args[1]]
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in parts)


def test_every_step_of_an_answer_has_german_words() -> None:
    labels = {label for path in (ROOT / "query_engines").rglob("*.py") for label in step_labels(path)}
    own = {"X", "X: X"}  # a class's label, and a company with its question
    assert len(labels) > 10
    assert {label for label in labels - own if GERMAN(label) == label} == set()


def test_the_panel_is_german() -> None:
    settings = load_settings("offline")
    tabs = panel(Choices.of("offline", settings), settings, (), ())
    fields = [field for tab in tabs for field in tab.fields]
    texts = [tab.label for tab in tabs] + [t for f in fields for t in (f.label, f.description, *f.items)]
    assert [text for text in texts if text not in SAID] == []


@pytest.mark.parametrize("stage", get_args(UploadStage))
def test_a_report_on_its_way_is_spoken_of_in_german(stage: UploadStage) -> None:
    received = Received(
        sha1="0" * 40,
        name="a.pdf",
        page_count=12,
        received=dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
        owner=None,
        profile="offline",
        overrides=(),
    )
    card = upload_card(received, UploadState(stage=stage, done=3, of=12), 2, None, can_change=False)
    said = GERMAN.card(card)
    assert said["headline"] != card["headline"]
    assert not card["note"] or said["note"] != card["note"]


@pytest.mark.parametrize(
    ("english", "what", "name"),
    [
        ("Show the facts of {company}", "facts", "Acme AG"),
        ("Overview of {company}", "overview", "Acme AG"),
        ("Which companies are there?", "companies", ""),
    ],
)
def test_what_a_german_button_asks_is_understood(english: str, what: str, name: str) -> None:
    german = words("words_de.json")
    both = {text: german[place] for place, text in words("words.json").items()}
    request = read_request(both[english].replace("{company}", "Acme AG"))
    assert request is not None
    assert (request.what, request.name) == (what, name)


def test_a_text_with_blanks_has_words_by_which_it_is_known() -> None:
    """Else it would be found in what a report says."""
    literals = {text: re.sub(r"\{\w+\}", "", text) for text in SAID if "{" in text}
    loose = {text for text, rest in literals.items() if not re.search(r"[A-Za-z]", rest)}
    assert loose == set()


def test_every_metric_has_a_german_title() -> None:
    ontology = Ontology.load()
    titles = {metric.title for metric in (*ontology.metrics, *DerivedMetrics.load(ontology).metrics)}
    assert json.loads((FILES / "metrics_de.json").read_text(encoding="utf-8")).keys() == titles


def test_metrics_are_named_in_german_wherever_a_card_names_them() -> None:
    card = {
        "title": "Total revenue and Net income of Acme AG, 2022",
        "columns": ["Total revenue, 2021 to 2023"],
        "meant": "EPS (earnings per share), basic · Debt Collectors plc · 2022",
        "names": ["Inventories", "Debt Collectors plc"],
        "quote": "Inventories 12",
        "values": ["Total assets"],
        "table": {"title": "Total assets"},
    }
    assert GERMAN.card(card) == {
        "title": "Umsatz und Jahresergebnis von Acme AG, 2022",
        "columns": ["Umsatz, 2021 bis 2023"],
        "meant": "Ergebnis je Aktie, unverwässert · Debt Collectors plc · 2022",
        "names": ["Vorräte", "Debt Collectors plc"],
        "quote": "Inventories 12",
        "values": ["Bilanzsumme"],
        "table": {"title": "Bilanzsumme"},
    }
