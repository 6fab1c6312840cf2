"""What asks for reasons, what it wants explained, and what says reasons in a report."""

import re

from storage.lexicon.question_words import CHANGE_NOUN
from storage.lexicon.words import any_of, expression

_LED_TO_IT = """
drove driven driving caused causing behind led pushed pushing triggered explains explained lifted dragged lay lies
brought made helped hurt squeezed pressured boosted dented weighed
"""
_WHY_SAID = (
    rf"(?:why|how (?:come|so)|what(?:'s| is| was| has| were)? {any_of(_LED_TO_IT.split())}"
    r"|what(?:'s| is| was| were) the (?:main |key |real )?(?:reasons?|causes?|drivers?|explanation)"
    r"|what(?:'s| is| went| was| has gone) wrong with|(?:because|account|as a result) of what|what happened(?=\W{0,3}$)"
    r"|(?:give|need|want|state|name|tell (?:me|us)|know)\b[^.?!]{0,40}? (?:reasons?|causes?|drivers?|explanation)"
    rf"|(?:the |any )?(?:reasons?|drivers?|causes?)(?= given|\W{{0,3}}$)"
    rf"|(?:explain|(?:walk|talk|take) (?:me|us) through) (?:\w+ ){{0,3}}(?:swing|{CHANGE_NOUN})"
    r"|warum|wieso|weshalb|pourquoi|por qu[eé]|perch[eé])"
)
ONLY_WHY = expression(rf"(?:^|[.!?:;] )(?:and |so |but |then )?{_WHY_SAID}\b", re.IGNORECASE)
"""A sentence that begins with asking why."""
_WHY = expression(rf"(?<!that's )(?<!thats )(?<!is )\b{_WHY_SAID}\b", re.IGNORECASE)
# Words that say what led to something, in a report's sentences.
CAUSE = (
    r"\b(?:due (?:\w+ )?to|primarily|mainly|largely|principally|attribut(?:able|ed) (?:\w+ )?to"
    r"|as a (?:\w+ )?result of"
    r"|result(?:ed|ing|s) (?:\w+ )?from|driven (?:\w+ )?by|because|owing to|caused by|reflect(?:s|ed|ing)|thanks to"
    r"|arose (?:\w+ )?from|arising (?:\w+ )?from|explained by|on account of|offset by|led to"
    r"|stem(?:s|med|ming) from|in connection with|contributed"
    r"|benefit(?:ed|ing) from|associated with)\b"
)


def asks_why(text: str) -> bool:
    """Whether it asks "why", or what caused or drove something."""
    return _WHY.search(text) is not None
