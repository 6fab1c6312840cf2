"""Text: every part answered, every sentence with its passages."""

import datetime as dt

from prompts.drafts import Evidence, Sentence, TextDraft
from prompts.worked_example import Example, passage

EVERY_PART_ANSWERED = Example(
    question="Why did Tamarack Rail Ltd. close its Dorval depot, and what did the closure cost?",
    company="Tamarack Rail Ltd.",
    currency="CAD",
    period_end=dt.date(2022, 12, 31),
    pages=(
        (
            27,
            "The lease of the Dorval depot ended in August 2022 and the landlord did not renew it. We closed the "
            "depot on August 31, 2022 and moved its work to Laval. We expect the move to save $2 million a year.",
        ),
        (
            73,
            "Note 12. Restructuring (in thousands of Canadian dollars)\n\n| | 2022 | 2021 |\n| --- | --- | --- |\n"
            "| Closure of Dorval depot | 1,845 | – |\n| Other restructuring | 310 | 422 |",
        ),
    ),
    draft=TextDraft(
        step_by_step_analysis=(
            "1. The question has two parts: why the Dorval depot was closed, and what the closure cost.\n"
            "2. Page 27 gives the reason: the lease ended and the landlord did not renew it. The depot closed on "
            "August 31, 2022.\n"
            "3. Page 27 also expects yearly savings of $2 million. That is an expectation and no cost.\n"
            "4. Page 73 gives the cost in 2022 as 1,845 in thousands of Canadian dollars. 'Other restructuring' "
            "is something else and is not added.\n"
            "5. Both parts are answered: the first sentence rests on two passages of page 27, the second on the row "
            "of page 73."
        ),
        reasoning_summary=(
            "Page 27 names the lease that was not renewed; page 73 prints a closure cost of CAD 1,845 thousand."
        ),
        evidence=[
            passage(
                27,
                "The lease of the Dorval depot ended in August 2022 and the landlord did not renew it.",
                period="August 2022",
            ),
            passage(27, "We closed the depot on August 31, 2022", period="August 31, 2022"),
            Evidence(
                page=73,
                quote="Closure of Dorval depot | 1,845",
                printed_figure="1,845",
                scale=1000,
                currency="CAD",
                period="2022",
            ),
        ],
        relevant_pages=[27, 73],
        unavailable_because=None,
        final_answer=[
            Sentence(
                text=(
                    "Tamarack Rail closed the Dorval depot on August 31, 2022, after its lease had ended and the "
                    "landlord did not renew it."
                ),
                evidence_numbers=[1, 2],
            ),
            Sentence(text="The closure cost CAD 1,845 thousand in 2022.", evidence_numbers=[3]),
        ],
    ),
)
