"""What a written case is: files that make one library, and questions with every answer that is right."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Right = float | str | None


@dataclass(frozen=True)
class Asked:
    """A question and what is right for it.

    Attributes:
        right: every value that is right, in full units (shares and people as counts, pence or cents as printed or in
            the currency); None is N/A; a text must be contained in the answer's value.
        page: the physical page, from 1, on which the value is printed; 0 where any page will do.
    """

    question: str
    right: tuple[Right, ...]
    page: int = 0


@dataclass(frozen=True)
class Case:
    """One library: files in the order in which they are read in, and what is asked of them."""

    files: tuple[Path, ...]
    asked: tuple[Asked, ...]
    companies: tuple[
        str, ...
    ] = ()  # the names that the library must show, in any order; empty where not looked at
    settings: tuple[str, ...] = ()  # for reading, such as "reader.ocr=auto"
    refused: str = ""  # a word of the reason for which a file must not come into the library


Writer = Callable[[random.Random, Path], Case]
