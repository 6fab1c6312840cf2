"""A report's sections with their pages and kinds, and the kinds with their headings."""

import re
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Literal

from pydantic import Field

from storage.files import digest
from storage.lexicon.words import expression
from storage.records.record import Box, Record
from storage.text import plain

SectionSource = Literal["outline", "item", "contents", "note", "heading"]
Listing = Literal["firm", "headings", "holders", "people", "rows", "sentences"]
MOST_TITLE = 130  # characters of a heading that can be a section's title
_CONTINUED = expression(
    r"(?i)[\s\-(\[]{0,4}\b(?:continued|cont(?:'d|d)?|fortsetzung|suite|continuaci[óo]n"
    r"|segue)\b[.)\]]{0,3}\s{0,3}$"
)
_NUMBER = expression(
    r"(?i)^(?:(?:item|part|note|section|chapter|anmerkung|nota"
    r"|punkt)\s{0,3}[\divx]{1,4}(?:\.?[a-k])?(?![a-z\d])[\s.:)\-]{0,5}"
    r"|\(?\d{1,2}(?:\.\d{1,2}){0,3}\)?[.):\-]?\s{0,3}(?=[^\d\s.,%])|\(?[a-z]{1,2}\)\s{0,3}|[a-k]\.\s{1,3}"
    r"|[ivx]{1,4}[.)]\s{1,3})"
)
_END = expression(r"[\s.:;,\-\d]{0,12}(?:\((?:as (?:of|at)|at|on) [^()]{4,30}\))?$")
_LEADERS = expression(r"(?:\s?\.){3,200}.{0,12}$")


_OF_RISKS = expression(r"\brisks?$")
_RISKS = frozenset({"risks", "financial_risk", "legal"})


class Section(Record):
    """One section of a report.

    Attributes:
        title: the heading as printed, without its number.
        number: the number before it, such as "Item 1A" or "12"; empty where it has none.
        kind: the id of a kind of section; empty where the heading is of no known kind.
        level: 1 for the report's own large parts, 2 for notes and for what stands under a part, 3 for other headings.
        first_page, last_page: 1-based; the last page is where the next section of this level begins, or the one before.
        box: the heading on the first page; None where only the outline or the table of contents names it.
        source: what found it: the PDF's bookmarks, a standard item, the table of contents, a numbered note, a heading.
    """

    title: str
    number: str = ""
    kind: str = ""
    level: int = Field(default=1, ge=1)
    first_page: int = Field(ge=1)
    last_page: int = Field(ge=1)
    box: Box | None = None
    source: SectionSource = "heading"
    is_main: bool = False

    @property
    def pages(self) -> range:
        """Its pages."""
        return range(self.first_page, self.last_page + 1)

    @property
    def named(self) -> str:
        """Number and title, as a reader would look for it."""
        return f"{self.number} {self.title}".strip()


class SectionKindRule(Record):
    """A kind of section.

    Attributes:
        title: its name on the screen.
        headings: whole headings, the surest first (regular expressions over lower case, without number).
        item: titles of standard items that are this section.
        excluded: headings that look like it and are not (`not` in the file).
        lists: what answers a question about it.
        called: one of the things listed, and several.
        said: what a sentence has that answers (over lower case); without it, every sentence of the section may.
        also: kinds of section that may say it too.
        said_there: what a sentence of such a section has, where any sentence of its own section may answer.
        is_of_names: whether each of the things listed has a name of its own.
        things: what a heading has that is one of the things listed; without it, every heading below may.
    """

    id: str
    title: str
    headings: tuple[str, ...]
    item: tuple[str, ...] = ()
    excluded: tuple[str, ...] = Field(default=(), alias="not")
    lists: Listing = "sentences"
    called: tuple[str, str] = ("sentence", "sentences")
    said: tuple[str, ...] = ()
    things: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    said_there: tuple[str, ...] = ()
    is_of_names: bool = False

    @cached_property
    def _headings(self) -> list[re.Pattern[str]]:
        return [re.compile(pattern) for pattern in self.headings]

    @cached_property
    def _excluded(self) -> re.Pattern[str] | None:
        return re.compile("|".join(self.excluded)) if self.excluded else None

    @cached_property
    def _item(self) -> re.Pattern[str] | None:
        return re.compile("|".join(self.item)) if self.item else None

    @cached_property
    def _said(self) -> re.Pattern[str] | None:
        return re.compile("|".join(self.said)) if self.said else None

    @cached_property
    def _said_there(self) -> re.Pattern[str] | None:
        return re.compile("|".join(self.said_there)) if self.said_there else self._said

    @cached_property
    def _things(self) -> re.Pattern[str] | None:
        return re.compile("|".join(self.things)) if self.things else None

    def place(self, title: str) -> int | None:
        """How surely a heading's bare title is of this kind: lower is surer, None is not."""
        if self.excludes(title):
            return None
        return next((i for i, pattern in enumerate(self._headings) if pattern.fullmatch(title)), None)

    def excludes(self, title: str) -> bool:
        """Whether a heading looks like one of this kind and is not."""
        return self._excluded is not None and self._excluded.fullmatch(bare_title(title)) is not None

    def is_item(self, title: str) -> bool:
        """Whether a standard item with this bare title is the section."""
        return self._item is not None and self._item.fullmatch(title) is not None

    def says(self, sentence: str, kind: str = "") -> bool:
        """Whether a sentence says something of the kind, and not only what stands beside it.

        Args:
            sentence: of a section.
            kind: of that section; empty for this kind.
        """
        said = self._said_there if kind in self.also else self._said
        return said is None or said.search(plain(sentence).lower()) is not None

    def is_thing(self, heading: str) -> bool:
        """Whether a heading in the section names one of the things that it lists, and not a part of the text."""
        return self._things is None or self._things.search(plain(heading).lower()) is not None


class SectionKinds:
    """All kinds of section."""

    def __init__(self, rules: Iterable[SectionKindRule]) -> None:
        self.rules = tuple(rules)
        self._by_id = {rule.id: rule for rule in self.rules}
        self._seen: dict[str, str] = {}

    def __getitem__(self, kind: str) -> SectionKindRule:
        return self._by_id[kind]

    @cached_property
    def digest(self) -> str:
        """Twelve hex digits that change whenever a kind changes."""
        return digest([rule.model_dump(mode="json", by_alias=True) for rule in self.rules])

    def of(self, title: str, *, is_item: bool = False, without: str = "") -> tuple[str, int]:
        """The kind of a heading and how surely it is that, 0 for the surest; ("", 0) for none.

        Args:
            title: the heading.
            is_item: whether it is the heading of a standard item.
            without: a kind that it is not, whatever its words are.
        """
        bare = bare_title(title)
        if _OF_RISKS.search(bare):  # "Product Development Risks" are no products
            places = [(place, r.id) for r in self.rules if r.id in _RISKS and (place := r.place(bare)) is not None]
            place, kind = min(places, default=(0, ""))
            return kind, place
        if is_item:
            named = next((rule.id for rule in self.rules if rule.is_item(bare)), None)
            if named is not None:
                return named, 0
        rules = (rule for rule in self.rules if rule.id != without)
        places = [(place, rule.id) for rule in rules if (place := rule.place(bare)) is not None]
        place, kind = min(places, default=(0, ""))
        return kind, place

    @classmethod
    @cache
    def load(cls) -> "SectionKinds":
        """The kinds that come with Pageproof."""
        content = tomllib.loads((Path(__file__).parents[1] / "sections.toml").read_text(encoding="utf-8"))
        return cls(SectionKindRule.model_validate(entry) for entry in content["section"])


def bare_title(heading: str) -> str:
    """A heading in lower case without its number, "continued", dots that lead to a page, and the stop at its end."""
    text = _CONTINUED.sub("", _LEADERS.sub("", plain(heading)[: 2 * MOST_TITLE]))
    return _END.sub("", _NUMBER.sub("", text, count=1)).lower()


def split_number(heading: str) -> tuple[str, str]:
    """The number of a heading and its title as printed."""
    text = _LEADERS.sub("", plain(heading)[: 2 * MOST_TITLE])
    match = _NUMBER.match(text)
    number = match[0].strip(" .:-") if match else ""
    return number, _CONTINUED.sub("", text[len(match[0]) if match else 0 :]).strip(" .:-")


def is_continued(heading: str) -> bool:
    """Whether a heading says that it continues from a page before."""
    return _CONTINUED.search(plain(heading)) is not None


def main_section(sections: Sequence[Section], kind: str) -> Section | None:
    """The report's section of a kind that answers questions about it; None where it has none."""
    return next((s for s in sections if s.kind == kind and s.is_main), None)


def following(section: Section, sections: Sequence[Section]) -> Section | None:
    """The section of a report that begins where this one ends, where its heading is known; None where none does."""
    later = sections[sections.index(section) + 1 :] if section in sections else ()
    found = next((s for s in later if s.level <= section.level and s.box is not None), None)
    return found if found is not None and found.first_page <= section.last_page else None
