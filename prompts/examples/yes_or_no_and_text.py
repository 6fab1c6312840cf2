"""Worked examples for yes or no (a policy is no event, a plan is one) and for text."""

import datetime as dt

from prompts.drafts import BooleanDraft, Evidence, Example, Sentence, TextDraft, passage

POLICY_IS_NO_EVENT = Example(
    question=(
        "Did Nordhaven Foods plc mention any mergers or acquisitions in the annual report? If there is no "
        "mention, return False."
    ),
    company="Nordhaven Foods plc",
    currency="GBP",
    period_end=dt.date(2023, 3, 31),
    pages=(
        (
            97,
            "## Business combinations\n\nThe Group accounts for acquisitions by the acquisition method. Costs of "
            "an acquisition are expensed as incurred.",
        ),
        (22, "We may acquire businesses in future and may fail to integrate them, which could harm our results."),
        (15, "Our largest customer, Maris Stores, was taken over by a private equity fund in June 2022."),
    ),
    draft=BooleanDraft(
        step_by_step_analysis=(
            "1. 'Yes' needs an actual merger or acquisition in which Nordhaven Foods took part.\n"
            "2. Page 97 says how acquisitions are accounted for. A policy stands in the notes whether or "
            "not there was one.\n"
            "3. Page 22 says that the company may acquire businesses. That is a risk and a possibility.\n"
            "4. Page 15 tells of a takeover that did happen, but of a customer, not of Nordhaven Foods.\n"
            "5. So no page given says that there was one, and none denies it. Other pages may: not_found, not false. "
            "What silence means in the end, the program decides by the question."
        ),
        reasoning_summary=(
            "The pages hold an accounting policy (page 97), a risk (page 22) and a customer's takeover (page 15), "
            "but no merger or acquisition of the company."
        ),
        evidence=[],
        relevant_pages=[],
        unavailable_because="not_found",
        final_answer="N/A",
    ),
)

AMOUNT_IS_NO_POLICY = Example(
    question=(
        "Did Corran Property Trust announce any changes to its dividend policy in the annual report? If there is "
        "no mention, return False."
    ),
    company="Corran Property Trust",
    currency="USD",
    period_end=dt.date(2023, 12, 31),
    pages=(
        (
            38,
            "We raised our quarterly dividend four times in 2023, from $0.31 to $0.34 per share. Our aim remains "
            "to pay a steady and growing dividend of 75% to 80% of funds from operations.",
        ),
        (20, "Our board may change our dividend policy at any time without notice to shareholders."),
    ),
    draft=BooleanDraft(
        step_by_step_analysis=(
            "1. 'Yes' needs a change of the policy, the rule by which dividends are set, not of their amount.\n"
            "2. Page 38 tells of four increases in 2023. That is the amount.\n"
            "3. The same page states the rule, 75% to 80% of funds from operations, and says that it remains. So the "
            "increases follow from the old policy.\n"
            "4. Page 20 says that the board may change the policy. That is a possibility and no change.\n"
            "5. A page says that the policy stayed as it was, so the answer is false and rests on that passage."
        ),
        reasoning_summary=(
            "The dividend rose in 2023, but page 38 says that the aim behind it, 75% to 80% of funds from "
            "operations, remains."
        ),
        evidence=[
            passage(
                38, "Our aim remains to pay a steady and growing dividend of 75% to 80% of funds from operations"
            )
        ],
        relevant_pages=[38],
        unavailable_because=None,
        final_answer=False,
    ),
)

ANNOUNCED_IS_YES = Example(
    question=(
        "Did Halvorsen Tools Inc. announce a share buyback plan in the annual report? If there is no mention, "
        "return False."
    ),
    company="Halvorsen Tools Inc.",
    currency="USD",
    period_end=dt.date(2023, 12, 31),
    pages=(
        (
            31,
            "In August 2023 our Board authorized the repurchase of up to $25 million of common stock through 2025. "
            "No shares had been repurchased under it by year end.",
        ),
    ),
    draft=BooleanDraft(
        step_by_step_analysis=(
            "1. 'Yes' needs a plan of the company to buy back its own shares that it has announced.\n"
            "2. Page 31 says that the Board authorized repurchases of up to $25 million in August 2023. An "
            "authorization with an amount and a term is such a plan.\n"
            "3. Against it: no shares had been bought by year end. But the question asks for the plan, not for "
            "purchases.\n"
            "4. It is the company's own common stock, and August 2023 is within the year reported on.\n"
            "5. So the answer is true."
        ),
        reasoning_summary="Page 31: in August 2023 the Board authorized repurchases of up to $25 million.",
        evidence=[
            passage(
                31,
                "In August 2023 our Board authorized the repurchase of up to $25 million of common stock",
                period="August 2023",
            )
        ],
        relevant_pages=[31],
        unavailable_because=None,
        final_answer=True,
    ),
)


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
