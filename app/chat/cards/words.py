"""The words of the screen by language, and what the server says put into them. No Chainlit here."""

import importlib.util
import json
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from storage.errors import SetupError
from storage.lexicon.words import expression
from storage.text import capital

FILES = Path(__file__).parent.parent / "files"
_BLANK = expression(r"\{(\w+)\}")
_SENTENCES = expression(r"(?<=[.!?]) |\n+")
# What our own words say on a card; everything else there is a report's, a person's or a model's.
_OURS = frozenset(
    (
        *(
            "kind",
            "label",
            "detail",
            "note",
            "printed",
            "period",
            "reason",
            "summary",
            "analysis",
            "rows_are",
            "before",
        ),
        *(
            "model_use",
            "seconds",
            "sent",
            "headline",
            "counts",
            "source",
            "year",
            "heads",
            "columns",
            "title",
            "unit",
        ),
        *("questions", "value", "next"),
    )
)
# Texts that name metrics among other things: only the metrics are put into this language.
_WITH_METRICS = frozenset(("title", "columns", "meant", "words"))
_MARKS = str.maketrans(",.", ".,")
_BEHIND_A_TITLE = r"(?=$|[,;)]| [·/×+(\d-]| (?:and|of|to)\b)"  # else it begins somebody's name
T = TypeVar("T")


class Speech:
    """One language: puts whole texts in English into it, by the catalog, and leaves what the catalog does not have.

    The entries are English texts with blanks such as {name}: {n} and {n_pages} hold a number, {what} and {date} words
    of the catalog itself, and {what_each} several with commas between them. Other languages than English write numbers
    as 1.234,5.
    """

    def __init__(self, catalog: Mapping[str, str], metrics: Mapping[str, str] | None = None) -> None:
        """Make one.

        Args:
            catalog: what is said, by the English.
            metrics: the titles of metrics in this language, by the English ones.
        """
        self._metrics = dict(metrics or {})
        longest = sorted(self._metrics, key=len, reverse=True)
        self._titles = expression(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))}){_BEHIND_A_TITLE}")
        self._exact = {english: said for english, said in catalog.items() if not _BLANK.search(english)}
        templates = [
            (_BLANK.split(english), said) for english, said in catalog.items() if english not in self._exact
        ]
        self._templates = sorted(templates, key=lambda each: -sum(map(len, each[0][::2])))

    def __call__(self, english: str) -> str:
        """A text in this language; sentence by sentence where it is not known as a whole."""
        if not self._exact or not english:
            return english
        whole = self._said(english)
        if whole is not None:
            return whole
        ends = [found.span() for found in _SENTENCES.finditer(english)]
        starts = [0, *(end for _, end in ends)]
        pieces = [english[start:end] for start, end in zip(starts, [*(s for s, _ in ends), None], strict=True)]
        gaps = [*(english[start:end] for start, end in ends), ""]
        said = [self._said(piece) or piece for piece in pieces]
        return "".join(piece + gap for piece, gap in zip(said, gaps, strict=True))

    def knows(self, english: str) -> bool:
        """Whether a whole text can be said in this language."""
        return not self._exact or self._said(english) is not None

    def card(self, props: T) -> T:
        """The props of a card with what our own words say on it in this language."""
        return self._card(props) if self._exact else props

    def _card(self, props: Any, name: str = "") -> Any:
        if isinstance(props, dict):
            said = {key: self._card(value, key) for key, value in props.items()}
            table = props.get("table")
            if isinstance(table, dict) and props.get("values") == [table["title"]]:  # a table alone is the answer
                said["values"] = [said["table"]["title"]]
            return said
        if isinstance(props, list | tuple):
            return [self._card(value, name) for value in props]
        if isinstance(props, str) and name in _WITH_METRICS:
            return self._with_metrics(props)
        if isinstance(props, str) and name == "names":  # of rows: metrics, companies, years, a report's own labels
            return self._metrics.get(props, props)
        return self(props) if isinstance(props, str) and name in _OURS else props

    def _with_metrics(self, english: str) -> str:
        """A text in which metrics are named, the names in this language."""
        whole = self._said(english) or self._metrics.get(capital(english))
        said = self._titles.sub(lambda found: self._metrics[found[0]], english) if whole is None else whole
        if whole is None and said != english:
            for joint in ("and", "to"):
                said = said.replace(f" {joint} ", f" {self._exact.get(joint, joint)} ")
        return said

    def _said(self, english: str) -> str | None:
        if english in self._exact:
            return self._exact[english]
        if english in self._metrics:
            return self._metrics[english]
        for pieces, said in self._templates:
            values = _filled(pieces, english)
            if values is not None:
                return said.format_map({name: self._within(name, value) for name, value in values.items()})
        return None

    def _within(self, name: str, value: str) -> str:
        if name == "what_each":
            return ", ".join(map(self, value.split(", ")))
        if _is_number(name):
            return value.translate(_MARKS)
        if name.startswith("what"):
            said = self(value)
            return self._with_metrics(value) if said == value else said
        return self(value) if name.startswith("date") else value


def _is_number(blank: str) -> bool:
    return blank == "n" or blank.startswith("n_")


def _filled(pieces: list[str], text: str) -> dict[str, str] | None:
    """What stands in the blanks of a template, whose pieces are text and names by turns; None where it is another."""
    if not text.startswith(pieces[0]):
        return None
    values: dict[str, str] = {}
    place = len(pieces[0])
    for number, (name, following) in enumerate(zip(pieces[1::2], pieces[2::2], strict=True), 1):
        is_last = 2 * number + 1 == len(pieces)
        end = len(text) - len(following) if is_last else text.find(following, place)
        if end <= place or (is_last and not text.endswith(following)):
            return None
        value = text[place:end]
        if "\n" in value:
            return None
        if _is_number(name) and not value.replace(",", "").replace(".", "").isdigit():
            return None
        values[name] = value
        place = end + len(following)
    return values


@lru_cache(64)  # browsers name what they like
def speech_of(language: str) -> Speech:
    """What the server says in the language that a browser names first, such as "de-AT,de;q=0.9": German or English."""
    is_german = re.split("[^a-z]", language.lower(), maxsplit=1)[0] == "de"
    return (
        Speech(_read(FILES / "words_de.json")["said"], _read(FILES / "metrics_de.json"))
        if is_german
        else Speech({})
    )


def screen_words() -> dict[str, dict[str, Any]]:
    """Chainlit's words with ours over them, by the language that a browser may ask for.

    German browsers get German; all others English, also where Chainlit has their language: half of the screen would
    be in another.
    """
    package = importlib.util.find_spec("chainlit")  # finds it without importing it
    if package is None or package.origin is None:
        raise SetupError("chainlit is not installed: install Pageproof with its dependencies")
    folder = Path(package.origin).parent / "translations"
    english = _merged(_read(folder / "en-US.json"), _of_the_page("words.json"))
    german = _merged(_merged(english, _read(folder / "de-DE.json")), _of_the_page("words_de.json"))
    known = {path.stem for path in folder.glob("*.json")}
    languages = sorted(known | {name.partition("-")[0] for name in known} | {"de-AT", "de-CH", "en-GB"})
    return {name: german if name.partition("-")[0] == "de" else english for name in languages}


def _of_the_page(name: str) -> dict[str, Any]:
    return {part: words for part, words in _read(FILES / name).items() if part != "said"}


def _read(path: Path) -> dict[str, Any]:
    words: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return words


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    both = {key: _merged(below.get(key, {}), above[key]) for key in above if isinstance(above[key], dict)}
    return {**below, **above, **both}
