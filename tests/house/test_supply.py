"""What an installation brings."""

import re
import tomllib

from tests.support.licences import licences
from tests.support.samples import ROOT

# Licences that ask for the source of what is built on them.
COPYLEFT = re.compile(r"(?<!L)\b(?:GPL|AGPL|SSPL)|GNU (?:General|Affero)")


def test_every_package_that_is_required_is_listed_with_its_licence() -> None:
    listed = {row.name: row.licence for row in licences()}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required = {re.split(r"[\[<>=!~; ]", line)[0].lower() for line in project["dependencies"]}
    assert {name for name in required if listed.get(name, "not named") == "not named"} == set()


def test_no_package_asks_for_the_source_of_what_is_built_on_it() -> None:
    assert [row for row in licences() if COPYLEFT.search(row.licence)] == []
