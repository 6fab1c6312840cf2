"""Yes and no: policies are no events, an amount is no policy, an announced plan is one."""

import datetime as dt

from prompts.drafts import BooleanDraft
from prompts.worked_example import Example, passage

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
            "5. So no page mentions a merger or acquisition of the company, and silence means false. It rests on "
            "no passage."
        ),
        reasoning_summary=(
            "The pages hold an accounting policy (page 97), a risk (page 22) and a customer's takeover (page 15), "
            "but no merger or acquisition of the company."
        ),
        evidence=[],
        relevant_pages=[],
        unavailable_because=None,
        final_answer=False,
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
