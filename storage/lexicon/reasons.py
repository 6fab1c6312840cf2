"""What asks for reasons, what it wants explained, and what says reasons in a report."""

import re

from storage.lexicon.question_words import CHANGE_NOUN
from storage.lexicon.words import any_of, expression

_LED_TO_IT = """
drove driven driving caused causing behind led pushed pushing triggered explains explained lifted dragged lay lies
"""
_LED = r"(?:[a-z]{2,12}ed|made|sent|kept|drove|brought|took|held|hurt|hit|cut|let|put)"
_ENDS = r"(?=\W{0,3}$)"
# A story first, then: "How so?", "On account of what?", "To what does it put that down?"
_ASKED_OF_IT = (
    rf"how so{_ENDS}"
    r"|(?:(?:(?:any|the|main|key|biggest|major) ){1,3}|(?<=[.!?:;)–-] ))"
    r"(?:reasons?|drivers?|causes?|culprits?|triggers?)"
    rf"(?: given| (?:for|of|behind) (?:that|this|it))?{_ENDS}"
    rf"|(?:because|(?:on )?account|on the back|as a result|by reason|by virtue) of what\b"
    rf"|(?:due|owing|thanks) to what{_ENDS}"
    r"|to what (?:do|does|did|can|is|was)\b[^.?!]{2,60}\b(?:put|attribut\w*|ascrib\w*)\b"
    r"|how (?:on earth|the hell|the heck|in the world)"
    r"|where (?:did|does|has|have) (?:all )?(?:that|this|it|the (?:extra|money|rest|rise|growth)) (?:all )?"
    r"(?:come?|came|go|gone)(?: from)?"
    rf"{_ENDS}|(?:what(?:'s| is| was) )?the (?:story|background)(?: here| there| behind (?:it|that|this))?{_ENDS}"
    rf"|what {_LED} (?![^.?!]{{0,120}}\b(?:did|does|do|is|are|was|were|has|have|had|will|would|by)\b)"
    r"[^.?!]{2,60}? (?:up|down|lower|higher|below|above)\b"
    r"|for (?:which|what) (?:\w+ )?reasons?\b|put down to what\b"
    r"|what (?:allowed|enabled|permitted|forced|prompted|compelled|induced|persuaded|helped) (?:[^.?!]{1,40} )?to\b"
    r"|(?:i |we )?(?:do not|don't|dont|can't|cannot|can not) (?:quite )?(?:get|understand|follow|see|explain|grasp)"
    rf" (?:it|that|this|why|how)?{_ENDS}"
    r"|(?:please |kindly )(?:account for|elucidate)|to elucidate"
    r"|(?:give|need|want|state|name|clarify|identify|set out|tell (?:me|us)|know|supply|provide)\b[^.?!]{0,40}?"
    r"\b(?:the|its|their|main|key|any) (?:reasons?|causes?|drivers?|explanation|culprits?)\b"
    rf"|reasons? (?:pls|please)|what (?:helped|gives|hurt|did (?:it|that|this|the damage)){_ENDS}|what ate\b"
    r"|what do(?:es)? (?:they|it|management|the \w+) (?:blame|cite|credit (?:it|that|this|for)|hold responsible)"
    r"|what account(?:s|ed) for (?!the (?:largest|most|bulk|majority)\b|most\b|\d)"
    r"|what made (?!up\b|the most\b|the (?:money|difference)\b)|how did (?:it|they) go from"
    r"|(?:explain|(?:walk|talk|take) (?:me|us) through) (?:the |its |this |that )?"
    rf"(?:\w+ ){{0,2}}(?:swing|{CHANGE_NOUN})"
)
WHY = (
    rf"(?:why|how come|{_ASKED_OF_IT}|what(?:'s| is| was| has| were)? {any_of(_LED_TO_IT.split())}"
    rf"|what happened{_ENDS}|what (?!changed|happened|used|needed){_LED} "
    r"(?=(?:the|its|their|an?|that|this|these|it|them) |[\w.&-]{2,30}['’])"
    r"(?![^.?!]{0,120}\b(?:did|does|do|is|are|was|were|has|have|had|will|would|by)\b)"
    r"|what(?:'s| is| was| were) the (?:main |key |real )?(?:reasons?|causes?|drivers?|explanation)"
    r"|what(?:'s| is| went| was| has gone) wrong with"
    r"|warum|wieso|pourquoi|por qu[eé]|perch[eé])"
)
_DUE_TO = rf"\bwhat\b[^.?!]{{3,120}} (?:is|was|are|were) (?:\w+ )?(?:due|attributable|owed|down) to{_ENDS}"
_WHY = expression(rf"(?<!that's )(?<!thats )(?<!is )\b{WHY}\b|{_DUE_TO}", re.IGNORECASE)
_EXPLAINED = expression(
    r"\b(?:explain|describe|discuss|reasons?|causes?|drivers?|define|definition|calculated?|computed?|what happened"
    r"|squeez\w+|hurt|weigh(?:ed|s|ing)?|pressur\w+|boost\w*|dent(?:ed|s)?|drag(?:ged|s)?|behind|affect(?:ed|s)?"
    r"|impact(?:ed|s)?|drove|driven|driving|helped|how (?:is|are) .* (?:defined|calculated|measured))\b",
    re.IGNORECASE,
)

# Words that say what led to something, in a report's sentences.
CAUSE = (
    r"\b(?:due (?:\w+ )?to|primarily|mainly|largely|principally|attribut(?:able|ed) (?:\w+ )?to"
    r"|as a (?:\w+ )?result of"
    r"|result(?:ed|ing|s) (?:\w+ )?from|driven (?:\w+ )?by|because|owing to|caused by|reflect(?:s|ed|ing)|thanks to"
    r"|arose (?:\w+ )?from|arising (?:\w+ )?from|explained by|on account of|offset by|led to"
    r"|stem(?:s|med|ming) from|in connection with|contributed"
    r"|benefit(?:ed|ing) from|associated with)\b"
)

# "Profit is a quarter ahead. What carried it?", "… What is that attributable to?"; not "… What was it in 2021?"
OF_WHAT_IS_TOLD = (
    r"what (?!(?:\w+ ){0,2}(?:is|was|are|were|'s|will|would|about|of|does|do|did) (?:it|that|this|they|these)\W{0,3}$)"
    r"(?:[a-z]{2,15}(?:'s)? ){0,2}?(?:it|that|this|them|these)"
    r"(?: (?:attributable|due|down|owed|owing|linked|related|tied) to| reflect| stem from| mean| so| about)?"
    rf"{_ENDS}"
)
_EXPLAIN = rf"(?:please )?explain(?: that| this| it)?(?: please)?{_ENDS}"
_SO = r"(?:and |so |but |then |well,? |ok(?:ay)? ?,? ?)?"
ASKS_SOMETHING = (
    r"(?:what|which|how|who|whom|where|when|did|do|does|is|are|was|were|has|have|had|can|could|will|would)\b"
)
# A sentence that begins with asking why, or what follows a story.
ONLY_WHY = expression(
    rf"(?:^|[.!?:;] ){_SO}{WHY}\b|^(?!{ASKS_SOMETHING})[^?]{{3,240}}?(?:,| [-–—]) ?{_SO}{WHY}\b"
    rf"|^(?!{ASKS_SOMETHING})[^?]{{12,240}}?(?:[.,:;!]| [-–—]) ?{_SO}(?:{OF_WHAT_IS_TOLD}|{_EXPLAIN})",
    re.IGNORECASE,
)


def asks_why(text: str) -> bool:
    """Whether it asks "why", or what caused or drove something."""
    return _WHY.search(text) is not None or ONLY_WHY.search(text) is not None


def asks_for_reasons(text: str) -> bool:
    """Whether it asks for causes, a description or a definition."""
    return asks_why(text) or _EXPLAINED.search(text) is not None
