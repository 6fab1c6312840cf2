"""Pages that speak of a thing without being the place where it is printed: contents, policies, risks, the parent."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from query_engines.lexical.report_rows import Floats
from query_engines.lexical.report_tables import NON_GAAP, PARENT
from storage.pages import Page
from storage.text import plain

_CONTENTS = re.compile(r"(?i)\b(?:table of )?contents\b|\bindex to (?:consolidated )?financial statements\b")
_POLICY = re.compile(
    r"(?i)\baccounting polic|\bbasis of preparation\b|\brecently (?:issued|adopted)\b|\buse of estimates\b"
)
_RISK = re.compile(r"(?i)\brisk factors?\b|\brisks? relat(?:ed|ing) to\b|\bprincipal risks\b")
_TO_A_PAGE = re.compile(r"(?m)(?:\.{3,}|\s)\|?\s*\d{1,3}\s*\|?$")
_TOP_BLOCKS, _TOP_LETTERS = 5, 400
_ENTRIES = 8  # lines that end in a page number


@dataclass(frozen=True)
class PageSigns:
    """1 for each page that has the sign, else 0; one entry for each page.

    Attributes:
        goes_on: the page's last table continues on the next page.
    """

    contents: Floats
    policy: Floats
    risk: Floats
    parent: Floats
    non_gaap: Floats
    goes_on: frozenset[int]


def page_signs(pages: Sequence[Page]) -> PageSigns:
    """The signs of a report's pages, in their order."""
    tops = [plain(" ".join(block.text for block in page.blocks[:_TOP_BLOCKS])[:_TOP_LETTERS]) for page in pages]
    sections = [f"{top} {' '.join(page.section)}" for top, page in zip(tops, pages, strict=True)]
    contents = [bool(_CONTENTS.search(top)) and _lists_pages(page) for top, page in zip(tops, pages, strict=True)]
    return PageSigns(
        contents=np.array(contents, dtype=np.float64),
        policy=_said(_POLICY, tops),
        risk=_said(_RISK, sections),
        parent=_said(PARENT, tops),
        non_gaap=_said(NON_GAAP, tops),
        goes_on=frozenset(page.page_number - 1 for page in pages if _continues_a_table(page)),
    )


def _said(pattern: re.Pattern[str], texts: Sequence[str]) -> Floats:
    return np.array([bool(pattern.search(text)) for text in texts], dtype=np.float64)


def _lists_pages(page: Page) -> bool:
    return len(_TO_A_PAGE.findall(page.markdown)) > _ENTRIES


def _continues_a_table(page: Page) -> bool:
    return any(block.continues and block.table is not None for block in page.blocks)
