"""The house of README's picture, held to the code."""

import ast
from pathlib import Path

import pytest

from tests.support.samples import ROOT

MAY_IMPORT: dict[str, set[str]] = {
    "storage": {"storage"},
    "prompts": {"prompts", "storage"},
    "indexes": {"indexes", "storage"},
    "query_engines": {"query_engines", "indexes", "prompts", "storage"},
    "app": {"app", "query_engines", "indexes", "prompts", "storage"},
}
DOCLING = tuple(f"indexes/{m}.py" for m in ("docling_reader", "docling_pages", "ocr_engine", "geometric/plugin"))
# A foreign library is imported only by the modules whose job it is.
HOMES: dict[str, tuple[str, ...]] = {
    "docling": DOCLING,
    "docling_core": DOCLING,
    "faiss": ("indexes/search/faiss_store.py",),
    "chainlit": ("app/chat/",),
    "sqlalchemy": ("app/chat/history",),
    "asyncpg": ("app/chat/history/tables.py",),
    "openai": tuple(
        f"query_engines/{m}.py"
        for m in (
            "chat_wire",
            "connection",
            "faults",
            "hosted_embedding",
            "hosted_rerank",
            "kept_replies",
            "llm",
            "streaming",
        )
    ),
    "sentence_transformers": ("query_engines/rerank/cross_encoder.py",),
    "genai_prices": ("query_engines/llm/providers.py",),
    "ray": ("indexes/reading/ray_pool.py",),
    "qdrant_client": ("indexes/search/qdrant_store.py",),
}
MODULES = sorted(p for room in MAY_IMPORT for p in (ROOT / room).rglob("*.py"))


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names.add(node.module or "")
    return names


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_arrow_points_up_the_house(path: Path) -> None:
    room = path.relative_to(ROOT).parts[0]
    rooms = {name.split(".")[0] for name in imported(path)} & (set(MAY_IMPORT) | {"tests"})
    assert rooms <= MAY_IMPORT[room]


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_foreign_library_stays_in_its_module(path: Path) -> None:
    here = path.relative_to(ROOT).as_posix()
    for library in {name.split(".")[0] for name in imported(path)} & set(HOMES):
        assert here.startswith(HOMES[library]), f"{here} imports {library}"


def test_prompts_use_only_records_and_errors_of_storage() -> None:
    records = ("answers", "questions", "errors", "pages", "record", "table_texts")
    allowed = {f"storage.{name}" for name in records}
    for path in sorted((ROOT / "prompts").rglob("*.py")):
        assert {n for n in imported(path) if n.startswith("storage")} <= allowed, path


def test_no_file_in_app_hides_a_top_level_package() -> None:
    # Chainlit puts app/ first on sys.path.
    names = {p.stem for p in (ROOT / "app").iterdir()}
    assert names.isdisjoint({*MAY_IMPORT, "tests"})
