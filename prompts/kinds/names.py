"""An answer that is a list of names."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from prompts.drafts import Draft, DraftedKind, Example, marked
from prompts.loose_values import read_names
from storage.records.answers import Value


class NamesDraft(Draft):
    """The form for an answer that is a list of names."""

    final_answer: Annotated[list[str] | Literal["N/A"], BeforeValidator(read_names)] = Field(
        description=(
            "The names alone, each once. Positions: titles in the singular, without persons. Products: exactly "
            "as printed. 'N/A' where there are none."
        )
    )

    @property
    def value(self) -> Value:
        """The names as a tuple."""
        return tuple(self.final_answer) if isinstance(self.final_answer, list) else self.final_answer


_INSTRUCTION = """\
## This question asks for a list of names
- Positions: give titles only, in the singular, without persons, dates or remarks. Keep the title that the report
  prints; a seat on the board of directors is plainly "Director".
  List each title once, however many persons it concerns.
- A leadership position changes when somebody is appointed, promoted, replaced, resigns, retires or is removed. A
  list of officers or a biography tells it too ("in this office since June 2022"); a post at another company does not.
  An appointment to a new position counts, and so does one to the board. Count changes that took effect in the
  reporting period, unless the question names another; a re-election of somebody in office is no change.
+ Where one office passes from an acting to an interim or a full holder, it is listed once, with the newcomer's title.
+ A change after the period's end does not count: name it in reasoning_summary as "later:" with its date. A change
  without a date counts if it stands among the period's changes. "President and CEO" is one entry, as printed. A new
  title for the same person and the same work is no change.
- Persons: full names, without forms of address, degrees or titles.
- Products: only those brought to market, named exactly as printed. Candidates, products in tests or
  trials and older products in new places do not count.
- Go through all the pages before you finish the list. If nothing qualifies, answer "N/A", not an empty list.\
"""
_TITLES_WITHOUT_PERSONS = Example(
    question=(
        "Which leadership positions changed at Orla Networks Corp. in the reporting period? If data is not "
        "available, return 'N/A'. Give me the title of the position."
    ),
    company="Orla Networks Corp.",
    currency="USD",
    period_end=dt.date(2023, 12, 31),
    pages=(
        (
            8,
            "[8.1] In March 2023 we welcomed Ines Farrow as Chief Technology Officer, a newly created role. "
            "[8.2] Paul Okafor retired as Chief Financial Officer on June 30, 2023, and Dana Reyes succeeded him.",
        ),
        (
            41,
            "[41.1] Lena Brandt and Koji Mori joined the Board as independent directors in May 2023. "
            "[41.2] In February 2024, our General Counsel, Ruth Adeyemi, gave notice of her resignation.",
        ),
    ),
    draft=NamesDraft(
        step_by_step_analysis=(
            "1. Asked are titles of leadership positions that changed in the year to December 31, 2023.\n"
            "2. Page 8: the Chief Technology Officer was appointed in March 2023. The role is new, and an "
            "appointment to a new position counts.\n"
            "3. Page 8: the Chief Financial Officer retired and was succeeded in June 2023. These are two changes "
            "of one position, so the title is listed once.\n"
            "4. Page 41: two persons joined the Board as independent directors in May 2023. The title is listed "
            "once, in the singular and plainly: Director.\n"
            "5. Page 41: the General Counsel resigned in February 2024, after the period, so this does not count. "
            "No persons belong in the list."
        ),
        reasoning_summary=(
            "In 2023 a Chief Technology Officer was appointed and the Chief Financial Officer changed (page 8), "
            "and independent directors joined the Board (page 41)."
        ),
        evidence=[marked("8.1"), marked("8.2"), marked("41.1")],
        unavailable_because=None,
        final_answer=["Chief Technology Officer", "Chief Financial Officer", "Director"],
    ),
)
_LAUNCHED_ONLY = Example(
    question=(
        "What are the names of new products launched by Orla Networks Corp. as mentioned in the annual report?"
    ),
    company="Orla Networks Corp.",
    currency="USD",
    period_end=dt.date(2023, 12, 31),
    pages=(
        (
            12,
            "[12.1] In 2023 we launched OrlaMesh 7™ and the Beacon Mini. [12.2] OrlaVault, a storage "
            "product, is in beta tests with selected customers. "
            "[12.3] We also began to sell OrlaLink, introduced in 2019, in Japan.",
        ),
    ),
    draft=NamesDraft(
        step_by_step_analysis=(
            "1. Asked are names of products that were newly brought to market.\n"
            "2. Page 12: OrlaMesh 7™ and the Beacon Mini were launched in 2023. Both count.\n"
            "3. OrlaVault is in beta tests. A product in tests is not launched, so it does not count.\n"
            "4. OrlaLink dates from 2019 and is new in Japan only. An older product in a new place does not count.\n"
            "5. The names exactly as printed: 'OrlaMesh 7™' with its sign, and 'Beacon Mini'."
        ),
        reasoning_summary="Page 12: OrlaMesh 7™ and the Beacon Mini were launched in 2023.",
        evidence=[marked("12.1")],
        unavailable_because=None,
        final_answer=["OrlaMesh 7™", "Beacon Mini"],
    ),
)

KIND = DraftedKind(
    title="Names",
    other_words=("list", "liste", "namen", "list of names"),
    meaning="several names or titles.",
    dimension="names",
    checks=("page", "quote", "name"),
    form=NamesDraft,
    instruction=_INSTRUCTION,
    examples=(_LAUNCHED_ONLY, _TITLES_WITHOUT_PERSONS),
)
