"""An answer that is yes or no."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from prompts.drafts import Draft, DraftedKind, Example, marked
from prompts.loose_values import read_boolean


class BooleanDraft(Draft):
    """The form for an answer that is yes or no."""

    final_answer: Annotated[bool | Literal["N/A"], BeforeValidator(read_boolean)] = Field(
        description=(
            "True where a page shows it; false where a page denies it, with the passage in evidence. 'N/A' with "
            "not_found where the pages do not say, even if the question wants false then: the program sees to that."
        )
    )


_INSTRUCTION = """\
## This question asks for yes or no
- Decide what would have to be printed for "yes": who, what, when. Then look for a passage that says that.
- A policy, a risk or a possibility is not an event. How acquisitions are accounted for, that lawsuits may arise,
  or that shares could be bought back does not show that it happened. A plan is not its execution either; but
  where the question asks for a plan, programme or outlook, one that the company has announced means "yes".
+ Mind the verb. Signed or announced is not completed; proposed is not adopted. A question about what the report
  mentions or announces asks for an actual case in its text, of whatever time; a question about what happened in a
  period asks whether it happened within that period.
+ A dividend's amount is not its policy. A higher, lower or skipped dividend under the same rules is no change
  of policy; a new payout ratio, a first dividend or the end of dividends is.
+ Whether something rose or fell may be read from two printed figures.
+ Sentences that every report has are no actual case: "from time to time we are party to routine litigation", or
  that no material proceedings are pending.
- A page that denies it, or states the standing policy that is said to have changed, is what a "no" rests on: point
  at it. "False" never rests on silence. If no page given says it or denies it, or the pages that would say it are not
  among those given, the answer is "N/A" with not_found and no evidence, even where the question says what to
  return if there is no mention: then other pages are searched, and the program gives what the question wants.
+ Mergers and acquisitions: one of the company's own that the report tells of as done or agreed counts, also one of
  earlier years, unless the question names a period. The purchase of single properties or of assets does not.
+ A plan or programme that was announced before the period counts while it goes on in the period. An initiative
  is new if the report tells of its start, its launch or its first year in the period.\
"""
_POLICY_IS_NO_EVENT = Example(
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
            "[97.1] ## Business combinations\n\n[97.2] The Group accounts for acquisitions by the acquisition "
            "method.",
        ),
        (
            22,
            "[22.1] We may acquire businesses in future and may fail to integrate them, which could harm our results.",
        ),
        (15, "[15.1] Our largest customer, Maris Stores, was taken over by a private equity fund in June 2022."),
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
        unavailable_because="not_found",
        final_answer="N/A",
    ),
)
_AMOUNT_IS_NO_POLICY = Example(
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
            "[38.1] We raised our quarterly dividend four times in 2023, from $0.31 to $0.34 per share. [38.2] Our "
            "aim remains to pay a steady and growing dividend of 75% to 80% of funds from operations.",
        ),
        (20, "[20.1] Our board may change our dividend policy at any time without notice to shareholders."),
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
        evidence=[marked("38.2")],
        unavailable_because=None,
        final_answer=False,
    ),
)
_ANNOUNCED_IS_YES = Example(
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
            "[31.1] In August 2023 our Board authorized the repurchase of up to $25 million of common stock through "
            "2025. [31.2] No shares had been repurchased under it by year end.",
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
        evidence=[marked("31.1")],
        unavailable_because=None,
        final_answer=True,
    ),
)

KIND = DraftedKind(
    title="Yes or no",
    other_words=("bool", "yes/no", "yes / no", "yes or no", "y/n", "ja/nein", "ja / nein", "j/n"),
    meaning="yes or no.",
    dimension="yes/no",
    checks=("page", "quote", "period", "sentence", "fact_table"),
    form=BooleanDraft,
    instruction=_INSTRUCTION,
    examples=(_ANNOUNCED_IS_YES, _POLICY_IS_NO_EVENT, _AMOUNT_IS_NO_POLICY),
)
