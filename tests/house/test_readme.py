"""The README is held to the code."""

import os
import re

from app.command_line.commands import typer_app
from app.settings import Settings, known_keys
from tests.support.samples import ROOT

README = ROOT / "README.md"
SECTION = re.compile(r"(<!-- settings: [^>]* -->\n).*?(<!-- /settings -->)", re.DOTALL)


def settings_table() -> str:
    rows = ["| setting | default | |", "|---|---|---|"]
    for key in known_keys():
        section, name = key.split(".")
        options = Settings.unions.get(section) or (Settings.model_fields[section].annotation,)
        field = next(o.model_fields[name] for o in options if o is not None and name in o.model_fields)
        kinds = [str(o.model_fields["kind"].default) for o in options if o is not None] if len(options) > 1 else []
        default = " \\| ".join(kinds) if name == "kind" and kinds else field.get_default(call_default_factory=True)
        shown = "" if "Undefined" in str(default) else f"`{default}`"
        rows.append(f"| `{key}` | {shown} | {field.description or ''} |")
    return "\n".join(rows) + "\n"


def test_the_readme_s_table_of_settings_is_the_code_s() -> None:
    text = README.read_text(encoding="utf-8")
    wanted = SECTION.sub(lambda m: f"{m[1]}{settings_table()}{m[2]}", text)
    if os.environ.get("UPDATE_SNAPSHOTS"):
        README.write_text(wanted, encoding="utf-8")
    assert wanted == README.read_text(encoding="utf-8"), "run with UPDATE_SNAPSHOTS=1"


def test_every_command_is_named_in_the_readme() -> None:
    text = README.read_text(encoding="utf-8")
    names = [c.name or getattr(c.callback, "__name__", "") for c in typer_app.registered_commands]
    assert [n for n in names if f"pageproof {n}" not in text and f"make {n}" not in text] == []


def test_every_file_that_the_readme_names_is_there() -> None:
    text = README.read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:app|storage|prompts|indexes|query_engines|tests)/[\w/.]+)`", text))
    assert {n for n in named if not (README.parent / n).exists()} == set()
