"""A sixth kind of answer: a day. A test puts this file into `prompts/kinds/` as `date.py`."""

import datetime as dt
from typing import Annotated

from pydantic import BeforeValidator, Field

from prompts import loose_values as loose
from prompts.drafts import Draft, DraftedKind, Example, marked


class DateDraft(Draft):
    """The form for an answer that is one day."""

    final_answer: Annotated[str, BeforeValidator(loose.read_text)] = Field(
        description="The day as YYYY-MM-DD. 'N/A' where there is no answer."
    )


_LEASE_ENDED = Example(
    question="When did Tamarack Rail close the Dorval depot?",
    company="Tamarack Rail Ltd.",
    currency="CAD",
    period_end=dt.date(2022, 12, 31),
    pages=((27, "[27.1] We closed the depot on August 31, 2022 and moved its work to Laval."),),
    draft=DateDraft(
        step_by_step_analysis="1. Asked is a day.\n2. Page 27 prints it.\n3. …\n4. …\n5. It is August 31, 2022.",
        reasoning_summary="Page 27 prints the day.",
        evidence=[marked("27.1")],
        unavailable_because=None,
        final_answer="2022-08-31",
    ),
)

KIND = DraftedKind(
    title="Day",
    other_words=("day", "tag"),
    meaning="one day of the calendar.",
    dimension="date",
    checks=("page", "quote"),
    form=DateDraft,
    instruction="## This question asks for a day\n- Give the day that the report prints, and no other.",
    examples=(_LEASE_ENDED,),
)
