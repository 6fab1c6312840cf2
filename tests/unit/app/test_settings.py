from pathlib import Path

import pytest

from app.readiness import needs
from app.settings import known_keys, load_profile, load_settings, profiles
from storage.errors import UsageError

SEED_PROFILES = {
    *("base", "pdr", "max", "max_no_ser_tab", "max_nst_o3m", "max_st_o3m", "ibm_llama70b", "ibm_llama8b"),
    *("gemini_thinking", "gemini_flash", "max_nst_o3m_big_context", "ibm_llama70b_big_context"),
    *("gemini_thinking_big_context", "qwen", "ollama", "offline", "openai"),
}


def test_no_reranker_can_be_chosen_by_its_name() -> None:
    assert load_settings("offline", ["rerank.kind=none"], {}).rerank.kind == "none"


@pytest.mark.parametrize("name", ["max", "max_nst_o3m", "max_st_o3m", "max_no_ser_tab", "max_nst_o3m_big_context"])
def test_the_winner_s_profile_and_its_kin_have_all_they_need(name: str) -> None:
    assert needs(load_settings(name), {"OPENAI_API_KEY": "sk-1"}) == ()


def test_every_named_profile_loads_and_offline_is_the_first() -> None:
    names = [p.name for p in profiles()]
    assert names[0] == "offline"
    assert set(names) == SEED_PROFILES
    for name in names:
        load_settings(name, environment={})


def test_a_key_in_the_environment_does_not_change_the_default(tmp_path: Path) -> None:
    settings = load_settings(environment={"OPENAI_API_KEY": "sk-1"}, folder=tmp_path)
    assert (settings.answers.kind, settings.embedding.kind) == ("extractive", "minilm")


def test_each_source_overrides_the_one_before(tmp_path: Path) -> None:
    pages = [load_settings("max_nst_o3m_big_context", environment={}, folder=tmp_path).retrieval.pages]
    (tmp_path / "pageproof.toml").write_text("[retrieval]\npages = 3\nchunks = 7\n")
    pages.append(load_settings("max_nst_o3m_big_context", environment={}, folder=tmp_path).retrieval.pages)
    environment = {"PAGEPROOF__RETRIEVAL__PAGES": "4"}
    pages.append(load_settings(environment=environment, folder=tmp_path).retrieval.pages)
    settings = load_settings(overrides=["retrieval.pages=5"], environment=environment, folder=tmp_path)
    assert [*pages, settings.retrieval.pages] == [14, 3, 4, 5]
    assert settings.retrieval.chunks == 7


@pytest.mark.parametrize(
    ("overrides", "environment", "file", "expected"),
    [
        (["retrieval.page=3"], {}, "", "known: retrieval.chunks"),
        ([], {"PAGEPROOF__RETRIEVAL__PAGE": "3"}, "", "known: retrieval.chunks"),
        ([], {"PAGEPROOF__NONSENSE": "3"}, "", "expected section.key"),
        ([], {}, "[retrieval]\npage = 3", "known: retrieval.chunks"),
        ([], {}, "[nonsense]\npage = 3", "known: answers"),
        ([], {}, "nonsense", "cannot read"),
        (["retrieval.pages=many"], {}, "", "'retrieval.pages' is 'many'"),
        (["llm.kind=nonsense"], {}, "", "openai_like"),
        (["retrieval.pages"], {}, "", "no '='"),
    ],
)
def test_a_wrong_setting_is_an_error_in_every_source(
    overrides: list[str], environment: dict[str, str], file: str, expected: str, tmp_path: Path
) -> None:
    if file:
        (tmp_path / "pageproof.toml").write_text(file)
    with pytest.raises(UsageError, match=expected):
        load_settings(overrides=overrides, environment=environment, folder=tmp_path)


def test_another_kind_voids_what_only_the_earlier_kind_knows(tmp_path: Path) -> None:
    settings = load_settings("openai", ["embedding.kind=minilm"], environment={}, folder=tmp_path)
    assert settings.embedding.kind == "minilm"
    settings = load_settings("gemini_flash", ["llm.kind=openai"], environment={}, folder=tmp_path)
    assert settings.llm.kind == "openai"


def test_the_settings_that_people_type_are_there() -> None:
    typed = [
        "reader.kind",
        "reader.layout",
        "reader.ocr",
        "chunking.tokens",
        "chunking.overlap",
        "embedding.kind",
        "vector_store.kind",
        "vector_store.index",
        "retrieval.mode",
        "retrieval.chunks",
        "retrieval.pages",
        "retrieval.parent_pages",
        "rerank.kind",
        "rerank.vector_weight",
        "rerank.llm_weight",
        "rerank.pages_per_request",
        "answers.kind",
        "answers.strictness",
        "verification.on_failure",
        "llm.kind",
        "llm.preset",
        "llm.model",
        "llm.api_base",
        "llm.temperature",
        "llm.parallel",
        "llm.tokens_per_minute",
        "llm.budget_usd",
        "tables.serialize",
    ]
    assert set(typed) <= set(known_keys())


def test_a_profile_holds_differences_only() -> None:
    assert load_profile("offline").settings == {}
