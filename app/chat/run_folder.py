"""The folder that Chainlit runs in: filled anew at each start, below the data root, never in the checkout."""

import importlib.util
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from storage.errors import SetupError

FILES = Path(__file__).parent / "files"
README = Path(__file__).parent.parent.parent / "chainlit.md"
# Each of these, set for another program, would make Chainlit send conversations somewhere.
_FOREIGN = ("LITERAL_API_", "DATABASE_URL", "SLACK_", "DISCORD_", "TEAMS_", "OAUTH_", "CHAINLIT_", "TRACELOOP_")


def prepare_run_folder(folder: Path, origins: Sequence[str], *, signs_in: bool = False) -> None:
    """Fill the folder with our settings, words, looks and readme.

    Args:
        folder: made anew.
        origins: the addresses that a browser may name.
        signs_in: whether people do; else nothing on the screen speaks of signing out.

    Raises:
        SetupError: Chainlit is not installed.
    """
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(FILES / "public", folder / "public")
    if not signs_in:
        with (folder / "public" / "custom.css").open("a", encoding="utf-8") as looks:
            looks.write("#user-nav-button { display: none; }\n")
    settings = folder / ".chainlit"
    (settings / "translations").mkdir(parents=True)
    template = (FILES / "config.toml").read_text(encoding="utf-8")
    (settings / "config.toml").write_text(template.replace("@ORIGINS@", json.dumps(origins)), encoding="utf-8")
    words = json.dumps(_words(), ensure_ascii=False, indent=1)
    (settings / "translations" / "en-US.json").write_text(words, encoding="utf-8")
    readme = README.read_text(encoding="utf-8") if README.is_file() else ""
    for name in ("chainlit.md", "chainlit_en-US.md"):
        (folder / name).write_text(readme, encoding="utf-8")


def enter_run_folder(folder: Path, secret: str = "") -> None:
    """Point Chainlit at the folder, and hand it what it signs sign-ins with.

    It reads its environment once, when it is imported: call this before.
    """
    for name in [name for name in os.environ if name.startswith(_FOREIGN)]:
        del os.environ[name]
    os.environ |= {
        "CHAINLIT_APP_ROOT": str(folder),
        "CHAINLIT_ENV_FILE": str(folder / "no.env"),
        "OTEL_SDK_DISABLED": "true",
        "TRACELOOP_TELEMETRY": "false",
    } | ({"CHAINLIT_AUTH_SECRET": secret} if secret else {})


def local_origins(host: str, port: int) -> list[str]:
    """The addresses that a browser on this machine may name."""
    shown = f"[{host}]" if ":" in host else host
    suffix = "" if port == 80 else f":{port}"
    return [f"http://{name}{suffix}" for name in dict.fromkeys([shown, "127.0.0.1", "localhost"])]


def _words() -> dict[str, Any]:
    """Chainlit's English with ours over it."""
    package = importlib.util.find_spec("chainlit")  # finds it without importing it
    if package is None or package.origin is None:
        raise SetupError("chainlit is not installed: install Pageproof with its dependencies")
    theirs = Path(package.origin).parent / "translations" / "en-US.json"
    ours = json.loads((FILES / "words.json").read_text(encoding="utf-8"))
    return _merged(json.loads(theirs.read_text(encoding="utf-8")), ours)


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    both = {key: _merged(below[key], above[key]) for key in above if isinstance(above[key], dict)}
    return {**below, **above, **both}
