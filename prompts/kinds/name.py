"""An answer that is one name."""

import datetime as dt
from typing import Annotated

from pydantic import BeforeValidator, Field

from prompts.drafts import Draft, DraftedKind, Example, marked
from prompts.loose_values import read_name


class NameDraft(Draft):
    """The form for an answer that is one name."""

    final_answer: Annotated[str, BeforeValidator(read_name)] = Field(
        description=(
            "The name alone, as printed. A person: first and last name in full, without forms of address, "
            "degrees or position. 'N/A' where there is no answer."
        )
    )


_INSTRUCTION = """\
## This question asks for one name
- Give the name alone, as the report prints it. A person: the full name without forms of address, degrees or
  position. A product: its name as printed; the last one launched is the one with the latest launch on the pages.
- "CEO" means whoever runs the company as its chief executive. It covers Chief Executive Officer, Group Chief
  Executive, President and CEO, Chairman and CEO, Managing Director, Principal Executive Officer; a President,
  Representative Director, General Manager or Executive Director only where nobody holds one of those titles and
  the report shows that this person leads the whole company. It does not cover a Chief Operating Officer, Chief
  Financial Officer or chair, unless the report says that this person acts as chief executive. An interim chief
  executive counts.
+ If the office changed hands and the question names no time, give the person who holds it when the report is
  issued.
+ The head of a subsidiary, of a fund's manager or of another company is not the company's CEO. Where a title
  appears without a name, or the company has no such office, answer "N/A".
- The name has no title, form of address or degree in it, and a title is no name.\
"""
_CHIEF_EXECUTIVE_BY_ANOTHER_TITLE = Example(
    question='Who is the CEO in the company "Blue Wattle Minerals Limited"?',
    company="Blue Wattle Minerals Limited",
    currency="AUD",
    period_end=dt.date(2023, 6, 30),
    pages=(
        (
            19,
            "[19.1] # Directors\n\n[19.2] Ms Helen Marsh, Non-Executive Chair\n\n[19.3] Dr Tomas R. Lindqvist, PhD, "
            "Managing Director. [19.4] Dr Lindqvist has led the Company since 2019.\n\n[19.5] Mr Adam Cole, Executive "
            "Director and Chief Operating Officer",
        ),
    ),
    draft=NameDraft(
        step_by_step_analysis=(
            "1. Asked is the person who runs Blue Wattle Minerals as its chief executive.\n"
            "2. Page 19 lists the directors; nobody there has the title Chief Executive Officer.\n"
            "3. Tomas R. Lindqvist is Managing Director and leads the company, which is the same office under the "
            "title usual in Australia.\n"
            "4. Helen Marsh chairs the board, and Adam Cole is Chief Operating Officer; nothing says that either "
            "acts as chief executive.\n"
            "5. The name without form of address and degree is Tomas R. Lindqvist."
        ),
        reasoning_summary=(
            "The company has no officer called CEO; its Managing Director, who leads it, is Tomas R. Lindqvist "
            "(page 19)."
        ),
        evidence=[marked("19.3")],
        unavailable_because=None,
        final_answer="Tomas R. Lindqvist",
    ),
)

KIND = DraftedKind(
    title="Name",
    other_words=("person",),
    meaning="one name, of a person, product, company or place.",
    dimension="name",
    checks=("page", "quote", "name", "fact_table"),
    form=NameDraft,
    instruction=_INSTRUCTION,
    examples=(_CHIEF_EXECUTIVE_BY_ANOTHER_TITLE,),
)
