"""How many modules of Pageproof one question runs through: `python -m tests.measures.question_trace [--modules]`.

Over the sample reports, offline, in every thread. A module counts when one of its functions is called while the
question is answered; what is only imported, or only holds data, does not. "First" is the first question to a client,
which also opens the index; "next" is a question like it on another company, asked of the same client.
"""

import argparse
import sys
import tempfile
import threading
from pathlib import Path
from types import FrameType

from app import open_pageproof
from app.assembly.client import Pageproof
from tests.support.libraries import ingest_samples
from tests.support.samples import ROOT

PACKAGES = ("app", "indexes", "prompts", "query_engines", "storage")
QUESTIONS: dict[str, tuple[str, str]] = {
    "a fact": (
        "What was the total revenue of Ostermere Instruments, Inc.?",
        "What was the total revenue of Veldhoorn Packaging N.V.?",
    ),
    "a free question": (
        "What are the main risks of Ostermere Instruments, Inc.?",
        "What are the main risks of Veldhoorn Packaging N.V.?",
    ),
    "a comparison": (
        "Which company has more employees, Ostermere Instruments or Veldhoorn Packaging?",
        "Which company has more employees, Tsukimine Seiki or Veldhoorn Packaging?",
    ),
}


class Trace:
    """Sees every call in this thread and in those that start later: make it before what it is to see."""

    def __init__(self) -> None:
        self._files: set[str] = set()
        threading.setprofile(self._note)
        sys.setprofile(self._note)

    def modules_of(self, client: Pageproof, text: str) -> set[str]:
        """The modules, by their dotted names, that a client runs through for a question."""
        self._files.clear()
        client.query(text)
        return {name for file in tuple(self._files) if (name := module_name(file))}

    def end(self) -> None:
        """See nothing more."""
        threading.setprofile(None)
        sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            self._files.add(frame.f_code.co_filename)


def module_name(file: str) -> str:
    """The dotted name of a file of ours; nothing for others."""
    path = Path(file)
    if not path.is_relative_to(ROOT):
        return ""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__") if parts[0] in PACKAGES else ""


def trace(data: Path) -> dict[str, tuple[set[str], set[str]]]:
    """For each question, the modules of the first to a client over a library and of the next."""
    seen = Trace()
    try:
        found = {}
        for what, texts in QUESTIONS.items():
            with open_pageproof("offline", data=data) as client:
                first, following = (seen.modules_of(client, text) for text in texts)
            found[what] = (first, following)
        return found
    finally:
        seen.end()


def main() -> None:
    """Print the figures, and with --modules the names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--modules", action="store_true", help="Name the modules.")
    names_too = parser.parse_args().modules
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        ingest_samples(data)
        found = trace(data)
    for what, (first, following) in found.items():
        print(f"{what}: first {len(first)} modules, next {len(following)}")
        for name in sorted(first | following) if names_too else ():
            print(f"  {name}{'' if name in following else '  (first only)'}")


if __name__ == "__main__":
    main()
