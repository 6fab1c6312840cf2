"""Worked examples for each kind of answer, with the traps that models fall into most.

Companies, people and pages are invented.
"""

from prompts.drafts import Example
from prompts.examples import numbers_and_names, yes_or_no_and_text
from storage.records.questions import AnswerKind

EXAMPLES: dict[AnswerKind, tuple[Example, ...]] = {
    "number": (numbers_and_names.SCALE_AND_BRACKETS, numbers_and_names.RELATED_FIGURE),
    "boolean": (
        yes_or_no_and_text.POLICY_IS_NO_EVENT,
        yes_or_no_and_text.AMOUNT_IS_NO_POLICY,
        yes_or_no_and_text.ANNOUNCED_IS_YES,
    ),
    "name": (numbers_and_names.CHIEF_EXECUTIVE_BY_ANOTHER_TITLE,),
    "names": (numbers_and_names.TITLES_WITHOUT_PERSONS, numbers_and_names.LAUNCHED_ONLY),
    "text": (yes_or_no_and_text.EVERY_PART_ANSWERED,),
}
