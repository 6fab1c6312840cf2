"""Worked examples for each kind of answer, with the traps that models fall into most.

Companies, people and pages are invented.
"""

from prompts.examples import figures, names_alone, sentences, yes_or_no
from prompts.worked_example import Example
from storage.questions import AnswerKind

EXAMPLES: dict[AnswerKind, tuple[Example, ...]] = {
    "number": (figures.SCALE_AND_BRACKETS, figures.RELATED_FIGURE),
    "boolean": (yes_or_no.POLICY_IS_NO_EVENT, yes_or_no.AMOUNT_IS_NO_POLICY, yes_or_no.ANNOUNCED_IS_YES),
    "name": (names_alone.CHIEF_EXECUTIVE_BY_ANOTHER_TITLE,),
    "names": (names_alone.TITLES_WITHOUT_PERSONS, names_alone.LAUNCHED_ONLY),
    "text": (sentences.EVERY_PART_ANSWERED,),
}
