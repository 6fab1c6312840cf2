"""What the classifier makes of questions in anybody's words."""

import time

import numpy as np
import pytest

from query_engines.question.classifier import QuestionClassifier, core, ngrams
from query_engines.training.topics import FOLDER, SET_ASIDE, Phrase, read_phrases, train
from storage.records.metrics import Ontology

CLASSIFIER = QuestionClassifier.load()


@pytest.mark.parametrize(
    ("text", "topic", "kind"),
    [
        ("basic loss per share", "eps_basic", "number"),
        ("who calls the shots there?", "ceo", "name"),
        ("How many folks were full time when 2022 wrapped up?", "employees", "number"),
        ("Is the company buying back its own shares?", "buyback", "boolean"),
        ("Wie hoch war der Jahresverlust?", "net_income", "number"),
        ("Quel était le total de l'actif ?", "total_assets", "number"),
        ("thanks a lot!", "talk_thanks", "text"),
        ("Why did the net profit fall?", "net_income", "text"),
    ],
)
def test_a_question_is_understood_in_words_that_no_rule_knows(text: str, topic: str, kind: str) -> None:
    guess = CLASSIFIER.read(core(text))
    assert (guess.topic, guess.kind) == (topic, kind)


@pytest.mark.parametrize(
    "text",
    [
        "What was the goodwill impairment?",
        "What was the cash balance at the beginning of the year?",
        "How many shares were bought back?",
        "Who was the previous CEO?",
        "revenue of the cloud segment",
    ],
)
def test_what_only_looks_like_a_metric_is_not_taken_for_it(text: str) -> None:
    assert CLASSIFIER.read(core(text)).topic not in {
        "goodwill",
        "cash",
        "share_repurchases",
        "ceo",
        "total_revenue",
    }


def test_what_is_asked_counts_and_not_what_is_told_before() -> None:
    text = (
        "My late uncle left me some shares and I got the revenue already. What do they owe for more than a year?"
    )
    assert CLASSIFIER.read(core(text)).topic == "long_term_debt"


def test_company_period_and_currency_are_no_part_of_what_is_classified() -> None:
    assert core("What was Acme Inc.'s revenue in FY2022 (in USD)?", ["Acme Inc"]) == "What was revenue ?"


def test_n_grams_of_a_text_have_length_one_together() -> None:
    _, counts = ngrams("total revenue")
    assert np.linalg.norm(counts) == pytest.approx(1.0)


def test_a_text_without_a_word_has_no_topic() -> None:
    assert CLASSIFIER.read("").probability == 0.0


def test_somebody_the_classifier_never_met_is_understood() -> None:
    phrases = read_phrases(FOLDER / f"{SET_ASIDE}.tsv")
    guesses = [CLASSIFIER.read(core(phrase.text.replace("{company}", " "))) for phrase in phrases]
    right = [guess.topic == phrase.topic for guess, phrase in zip(guesses, phrases, strict=True)]
    wrong = [g.is_sure and not r for g, r in zip(guesses, right, strict=True)]
    assert np.mean(right) > 0.92
    assert np.mean(wrong) < 0.05


def test_every_phrase_has_a_topic_that_the_engines_know_or_that_is_named_as_other() -> None:
    known = {metric.id for metric in Ontology.load().metrics}
    lines = [line for path in FOLDER.glob("*.tsv") for line in read_phrases(path)]
    assert len(lines) > 10_000
    assert {line.kind for line in lines} <= {"number", "boolean", "name", "names", "text"}
    assert len({line.topic for line in lines} & known) > 70


def test_training_learns_what_it_is_shown() -> None:
    shown = [
        ("sales", "total_revenue"),
        ("turnover", "total_revenue"),
        ("workers", "employees"),
        ("staff", "employees"),
    ]
    phrases = [
        Phrase(topic, "number", "value", "en", f"{lead} {word}") for word, topic in shown for lead in "abcdefgh"
    ]
    classifier = QuestionClassifier(train(phrases * 2, seeds=(1, 2)))
    assert [classifier.read(word).topic for word, _ in shown] == [topic for _, topic in shown]


def test_understanding_takes_less_than_three_milliseconds() -> None:
    text = core(
        "Our firm sells office fit-outs. How much did they pay for property, plant and machines? Leave the rest out."
    )
    taken = []
    for _ in range(50):
        started = time.perf_counter()
        CLASSIFIER.read(text)
        taken.append(time.perf_counter() - started)
    assert min(taken) < 0.003
