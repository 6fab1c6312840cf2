import re
from pathlib import Path

import pytest

from app.readiness import needs
from app.settings import (
    known_keys,
    load_profile,
    load_settings,
    profiles,
    settings_file,
    settings_in_effect,
)
from storage.errors import UsageError

SEED_PROFILES = {
    *("base", "pdr", "max", "max_no_ser_tab", "max_nst_o3m", "max_st_o3m", "ibm_llama70b", "ibm_llama8b"),
    *("gemini_thinking", "gemini_flash", "max_nst_o3m_big_context", "ibm_llama70b_big_context"),
    *("gemini_thinking_big_context", "qwen", "ollama", "local", "offline", "openai"),
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


# A person's own profiles, and what is in effect


def _own(folder: Path, name: str, text: str) -> Path:
    (folder / "profiles").mkdir(exist_ok=True)
    path = folder / "profiles" / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_an_own_profile_extends_another_and_is_found_beside_the_settings_and_in_the_data_root(
    tmp_path: Path,
) -> None:
    here, data = tmp_path / "here", tmp_path / "data"
    here.mkdir()
    data.mkdir()
    _own(data, "house", 'extends = "openai"\n[llm]\nmodel = "gpt-4o"\n')
    team = _own(here, "team", 'extends = "house"\n[retrieval]\npages = 5\n')

    for name in ("team", str(team)):
        found = load_settings(name, environment={}, folder=here, data=data)
        assert (found.retrieval.pages, found.llm.model, found.answers.kind) == (5, "gpt-4o", "llm")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('extends = "team"\n', "goes in a circle: team"),
        ('extends = "nothing"\n', "there is no profile 'nothing'"),
        ("extends = 3\n", "`extends` names one profile"),
        ("pages = 3\n", "'pages' stands in no section"),
        ("[retrieval\n", "cannot read the profile 'team'"),
    ],
)
def test_a_profile_that_cannot_be_used_says_why(tmp_path: Path, text: str, message: str) -> None:
    _own(tmp_path, "team", text)

    with pytest.raises(UsageError, match=re.escape(message)):
        load_settings("team", environment={}, folder=tmp_path, data=tmp_path / "data")


def test_an_own_profile_does_not_hide_one_of_pageproof_s(tmp_path: Path) -> None:
    _own(tmp_path, "openai", "[retrieval]\npages = 3\n")

    with pytest.raises(UsageError, match="there is a profile 'openai' already"):
        load_settings("offline", environment={}, folder=tmp_path, data=tmp_path / "data")


def test_a_slip_in_a_profile_s_name_is_answered_with_the_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="did you mean 'openai'"):
        load_settings("opneai", environment={}, folder=tmp_path)


def test_each_setting_in_effect_says_where_it_comes_from(tmp_path: Path) -> None:
    (tmp_path / "pageproof.toml").write_text("[retrieval]\npages = 7\n", encoding="utf-8")
    environment = {"PAGEPROOF__ANSWERS__STRICTNESS": "analyst"}

    found = settings_in_effect("openai", ["chunking.tokens=200"], environment, tmp_path)

    shown = {setting.key: (setting.value, setting.source) for setting in found}
    assert shown["retrieval.pages"] == ("7", "pageproof.toml")
    assert shown["answers.strictness"] == ("analyst", "environment")
    assert shown["chunking.tokens"] == ("200", "--set")
    assert shown["llm.model"] == ("gpt-4o-mini", "profile openai")
    assert shown["rerank.kind"][1] == "default"


def test_a_password_in_an_address_is_not_shown(tmp_path: Path) -> None:
    found = settings_in_effect("offline", ["llm.api_base=http://ann:secret@127.0.0.1/v1"], {}, tmp_path)

    assert "secret" not in " ".join(setting.value for setting in found)


def test_the_file_of_all_settings_changes_nothing_until_a_line_is_wanted(tmp_path: Path) -> None:
    (tmp_path / "pageproof.toml").write_text(settings_file(), encoding="utf-8")
    assert load_settings(environment={}, folder=tmp_path) == load_settings(environment={})

    wanted = re.sub(r"^# ([a-z_]+ = )", r"\1", settings_file(), flags=re.MULTILINE)
    (tmp_path / "pageproof.toml").write_text(wanted, encoding="utf-8")
    assert load_settings(environment={}, folder=tmp_path) == load_settings(environment={})


def test_the_challenges_profiles_keep_to_its_rule_and_all_others_calculate() -> None:
    names = {profile.name for profile in profiles()}
    strict = {name for name in names if load_settings(name).answers.strictness == "strict"}
    assert names - strict == {"offline", "openai", "qwen", "ollama", "local"}
