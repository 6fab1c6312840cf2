"""The house of docs/architecture.md, held to the code."""

import ast
import re
from graphlib import CycleError, TopologicalSorter
from typing import get_args

import pytest

from app.chat.cards.answer import CHECK_LABELS
from prompts.answers.second_look import _FINDINGS
from query_engines.retrieval.page_scores import _NEEDED
from storage.records.answers import CheckName
from storage.records.facts import EventKind
from tests.support import house
from tests.support.samples import ROOT

MAY_IMPORT: dict[str, set[str]] = {
    "storage": {"storage"},
    "prompts": {"prompts", "storage"},
    "indexes": {"indexes", "storage"},
    "query_engines": {"query_engines", "indexes", "prompts", "storage"},
    "app": {"app", "query_engines", "indexes", "prompts", "storage"},
}
MOST_MODULES_IN_A_ROOM, MOST_MODULES, MOST_LINES = 14, 356, 600
PARAGRAPH, MOST_PARAGRAPHS = 60, 30  # modules of fewer lines than this, and how many of them
# A foreign library is imported only where its job is.
HOMES: dict[str, tuple[str, ...]] = {
    "docling": ("indexes/reading/",),
    "docling_core": ("indexes/reading/",),
    "babel": ("storage/lexicon/",),
    "faiss": ("indexes/search/faiss_store.py",),
    "chainlit": ("app/chat/",),
    "sqlalchemy": ("app/chat/history/",),
    "asyncpg": ("app/chat/history/tables.py",),
    "openai": ("query_engines/llm/",),
    "genai_prices": ("query_engines/llm/providers.py",),
    "sentence_transformers": ("query_engines/rerank/cross_encoder.py",),
    "openvino": ("indexes/search/minilm.py",),
    "ray": ("indexes/reading/ray_pool.py",),
    "xllamacpp": ("query_engines/local_model/serving_process.py",),
    "qdrant_client": ("indexes/search/qdrant_store.py",),
}
MOST_PARAMETERS = 7  # what travels together is one object
PROMPTS_MAY_READ = ("storage.records.", "storage.errors")
# Who sees the words of a question: what reads it, what searches with them, and what sends them to a language model.
SEES_THE_WORDS = (
    *("question/", "company_names/", "training/", "calculation/row_questions.py", "calculation/part_questions.py"),
    *("comparison/reader.py", "comparison/entities.py", "comparison/by_topic.py", "comparison/years.py"),
    *("comparison/asked.py", "comparison/apart.py", "comparison/open_question.py"),
    *("routing/follow_up.py", "routing/slots.py", "routing/model_reader.py"),
    *("retrieval/", "rerank/", "llm/", "local_model/", "answering/prompt_window.py"),
)
MODULES = house.modules()
NAMES = pytest.mark.parametrize("name", MODULES)


@NAMES
def test_no_arrow_points_up_the_house(name: str) -> None:
    packages = {target.split(".")[0] for target in MODULES[name].imports} & (set(MAY_IMPORT) | {"tests"})
    assert packages <= MAY_IMPORT[MODULES[name].package]


@NAMES
def test_nothing_is_taken_from_a_package_itself_since_its_name_may_be_a_module_of_the_program(name: str) -> None:
    text = (ROOT / MODULES[name].path).read_text(encoding="utf-8")
    assert re.findall(rf"(?m)^\s*(?:from|import) (?:{'|'.join(MAY_IMPORT)})(?: .*)?$", text) == []
    assert re.findall(rf"resources\.files\(\"(?:{'|'.join(MAY_IMPORT)})\"", text) == []


@NAMES
def test_a_foreign_library_stays_where_its_job_is(name: str) -> None:
    here = MODULES[name].path.as_posix()
    for library in {target.split(".")[0] for target in MODULES[name].imports} & set(HOMES):
        assert here.startswith(HOMES[library]), f"{here} imports {library}"


def test_rooms_import_one_another_without_a_circle() -> None:
    try:
        TopologicalSorter(house.arrows(MODULES)).prepare()
    except CycleError as error:
        pytest.fail(f"these rooms import each other in a circle: {error.args[1]}")


def test_a_room_holds_no_more_modules_than_one_can_take_in() -> None:
    sizes = {room: len(found) for room, found in house.rooms(MODULES).items()}
    assert {room: size for room, size in sizes.items() if size > MOST_MODULES_IN_A_ROOM} == {}
    assert sum(sizes.values()) <= MOST_MODULES


def test_a_module_is_a_chapter_neither_a_paragraph_nor_a_book() -> None:
    chapters = [module for found in house.rooms(MODULES).values() for module in found]
    assert [module.name for module in chapters if module.lines > MOST_LINES] == []
    assert len([module.name for module in chapters if module.lines < PARAGRAPH]) <= MOST_PARAGRAPHS


@NAMES
def test_no_constructor_or_function_takes_more_than_one_can_keep_apart(name: str) -> None:
    crowded = {of: count for of, count in house.signatures(MODULES[name]) if count > MOST_PARAMETERS}
    assert crowded == {}


def test_prompts_use_only_records_and_errors_of_storage() -> None:
    foreign = {
        (module.name, target)
        for module in MODULES.values()
        for target in module.imports
        if module.package == "prompts" and target.startswith("storage") and not target.startswith(PROMPTS_MAY_READ)
    }
    assert foreign == set()


@NAMES
def test_below_its_reader_nobody_looks_at_the_words_of_a_question(name: str) -> None:
    path = MODULES[name].path.as_posix().removeprefix("query_engines/")
    if MODULES[name].package != "query_engines" or path.startswith(SEES_THE_WORDS):
        return
    tree = ast.parse((ROOT / MODULES[name].path).read_text(encoding="utf-8"))
    # An answer says which question it answers, and LlamaIndex's bundle has a text.
    handed_on = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.keyword) and node.arg in ("question", "query_str")
    }
    looked_at = [
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr in ("text", "wording", "request")
        and ast.unparse(node.value).rpartition(".")[2].strip("_") in ("question", "parsed", "intent")
        and id(node) not in handed_on
    ]
    assert looked_at == []


def test_no_test_imports_another() -> None:
    # In programs that a test starts, too: what two tests need lies in tests/support.
    importing = [
        path.relative_to(ROOT).as_posix()
        for path in sorted((ROOT / "tests").rglob("*.py"))
        if re.search(r"\btests\.(?!support|measures)\w+(\.|\s+import\b)", path.read_text(encoding="utf-8"))
    ]
    assert importing == []


def test_no_file_in_app_hides_a_top_level_package() -> None:
    # Chainlit puts app/ first on sys.path.
    names = {path.stem for path in (ROOT / "app").iterdir()}
    assert names.isdisjoint({*MAY_IMPORT, "tests"})


def test_the_picture_of_the_house_is_the_house() -> None:
    page = house.PICTURE.read_text(encoding="utf-8")
    assert house.written(page, house.picture(MODULES)) == page, "python -m tests.support.house draws it anew"


def test_every_check_and_every_kind_of_event_is_in_each_table() -> None:
    assert set(CHECK_LABELS) == set(_FINDINGS) == set(get_args(CheckName))
    assert set(_NEEDED) == set(get_args(EventKind))
