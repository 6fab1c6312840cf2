"""An answer in sentences."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from prompts.drafts import Draft, DraftedKind, Evidence, Example, Form, marked
from prompts.loose_values import read_count, read_list, read_sentences, read_text
from storage.records.answers import Value


class Sentence(Form):
    """One sentence of the answer and the passages that say what it says."""

    text: Annotated[str, BeforeValidator(read_text)] = Field(
        description="One plain sentence, without page numbers or references in it."
    )
    evidence_numbers: Annotated[list[Annotated[int, BeforeValidator(read_count)]], BeforeValidator(read_list)] = (
        Field(
            description=(
                "Which entries of evidence say this: 1 for the first entry, 2 for the second. These are places in "
                "that list, not page numbers. At least one."
            )
        )
    )


class TextDraft(Draft):
    """The form for an answer in sentences."""

    final_answer: Annotated[list[Sentence] | Literal["N/A"], BeforeValidator(read_sentences)] = Field(
        description=(
            "One to five sentences that together answer every part of the question, with the figures, dates and "
            "names that the pages give. 'N/A' where there is no answer."
        )
    )

    @property
    def value(self) -> Value:
        """The sentences, joined to one text."""
        answer = self.final_answer
        return " ".join(sentence.text for sentence in answer) if isinstance(answer, list) else answer

    @property
    def broken_rule(self) -> str | None:
        """Every sentence rests on evidence."""
        sentences = self.final_answer if isinstance(self.final_answer, list) else []
        places = set(range(1, len(self.evidence) + 1))
        if all(s.evidence_numbers and places >= set(s.evidence_numbers) for s in sentences):
            return None
        return "every sentence names entries of evidence, counted from 1"


_INSTRUCTION = """\
## This question asks for an answer in sentences
- Answer every part of the question in one to five plain sentences, the answer itself first.
- Give the figures, dates, names and reasons that the pages print, with their unit and currency.
- Every sentence says in evidence_numbers which entries of evidence it rests on: 1 is the first. Say nothing that no
  passage supports.
+ If the question asks why something is not so or not useful, say what the pages say of it.
+ Keep apart what happened, what was decided and what is only expected.
+ Where the pages differ on a figure, the statement's comes first; say so and give both. printed_figure is the one
  that matters most at its mark.
- Write in the language of the question.
- If the pages answer only a part, answer that part. If they answer nothing, final_answer is "N/A" alone.
+ Name in reasoning_summary what they leave open.\
"""
_EVERY_PART_ANSWERED = Example(
    question="Why did Tamarack Rail Ltd. close its Dorval depot, and what did the closure cost?",
    company="Tamarack Rail Ltd.",
    currency="CAD",
    period_end=dt.date(2022, 12, 31),
    pages=(
        (
            27,
            "[27.1] The lease of the Dorval depot ended in August 2022 and the landlord did not renew it.",
        ),
        (
            73,
            "[73.1] Note 12. Restructuring (in thousands of Canadian dollars)\n\n"
            "| | 2022 | 2021 |\n| --- | --- | --- |\n"
            "[73.2] | Closure of Dorval depot | 1,845 | – |",
        ),
    ),
    draft=TextDraft(
        step_by_step_analysis=(
            "1. The question has two parts: why the Dorval depot was closed, and what the closure cost.\n"
            "2. Page 27 gives the reason: the lease ended and the landlord did not renew it.\n"
            "3. Page 73 gives the cost in 2022 as 1,845 in thousands of Canadian dollars.\n"
            "4. 'In thousands' stands above the table, so the sentence says it with the figure.\n"
            "5. Both parts are answered: the first sentence rests on page 27, the second on the row of page 73."
        ),
        reasoning_summary=(
            "Page 27 names the lease that was not renewed; page 73 prints a closure cost of CAD 1,845 thousand."
        ),
        evidence=[
            marked("27.1"),
            Evidence(mark="73.2", column="2022", printed_figure="1,845"),
        ],
        unavailable_because=None,
        final_answer=[
            Sentence(
                text="The lease of the Dorval depot ended in August 2022 and the landlord did not renew it.",
                evidence_numbers=[1],
            ),
            Sentence(text="The closure cost CAD 1,845 thousand in 2022.", evidence_numbers=[2]),
        ],
    ),
)

KIND = DraftedKind(
    title="Text",
    other_words=("string", "date", "datum", "str", "free text", "freitext", "prose", "explanation", "erklarung"),
    meaning="anything else: a reason, a description, a date, or several different things.",
    dimension="free text",
    checks=("page", "quote", "sentences", "sentence"),
    form=TextDraft,
    instruction=_INSTRUCTION,
    examples=(_EVERY_PART_ANSWERED,),
)
