"""What an installation brings."""

import re
import tomllib
from typing import Any

import pytest

from tests.support.licences import licences
from tests.support.samples import ROOT
from tests.support.supply import bill_of_materials, locked

# Licences that ask for the source of what is built on them.
COPYLEFT = re.compile(r"(?<!L)\b(?:GPL|AGPL|SSPL)|GNU (?:General|Affero)")


def test_every_package_that_is_required_is_listed_with_its_licence() -> None:
    listed = {row.name: row.licence for row in licences()}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required = {re.split(r"[\[<>=!~; ]", line)[0].lower() for line in project["dependencies"]}
    assert {name for name in required if listed.get(name, "not named") == "not named"} == set()


def test_no_package_asks_for_the_source_of_what_is_built_on_it() -> None:
    assert [row for row in licences() if COPYLEFT.search(row.licence)] == []


def test_the_bill_of_materials_names_every_package_once_with_its_version_and_licence() -> None:
    bill = bill_of_materials()
    named = {
        (part["name"], part["version"], part["licenses"][0]["license"]["name"]) for part in bill["components"]
    }
    assert named == {tuple(row) for row in licences()}
    assert len({part["bom-ref"] for part in bill["components"]}) == len(bill["components"]) > 100
    assert bill == bill_of_materials()


def entry(name: str, digest: str = "") -> dict[str, Any]:
    """A package as pip reports it."""
    info = {
        "url": "https://index.example/file.whl",
        "archive_info": {"hashes": {"sha256": digest} if digest else {}},
    }
    return {"metadata": {"name": name, "version": "1.2"}, "download_info": info}


def test_a_lock_has_a_digest_for_each_file_and_no_address() -> None:
    report = {
        "install": [entry("Numpy", "ab"), entry("faiss-cpu", "cd"), entry("torch", "ef"), entry("nvidia-nccl")]
    }
    assert list(locked(report)) == ["faiss-cpu==1.2 --hash=sha256:cd", "numpy==1.2 --hash=sha256:ab"]
    with pytest.raises(ValueError, match=r"numpy 1\.2: pip names no SHA-256"):
        list(locked({"install": [entry("numpy")]}))
