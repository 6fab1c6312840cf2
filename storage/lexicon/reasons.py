"""What asks for reasons, what it wants explained, and what says reasons in a report."""

import re

from storage.lexicon.words import any_of
from storage.text import stems

_LED_TO_IT = """
drove driven driving caused causing behind led pushed pushing triggered explains explained lifted dragged lay lies
"""
_LED = r"(?:[a-z]{2,12}ed|made|sent|kept|drove|brought|took|held|hurt|hit|cut|let|put)"
_ENDS = r"(?=\W{0,3}$)"
# A story first, then: "How so?", "On account of what?", "To what does it put that down?"
_ASKED_OF_IT = (
    rf"how so{_ENDS}|(?:any |the )?reasons?(?: given| for (?:that|this|it))?{_ENDS}"
    rf"|(?:because|on account|on the back|as a result|by reason|by virtue) of what\b"
    rf"|(?:due|owing|thanks) to what{_ENDS}"
    r"|to what\b[^.?!]{2,60}\b(?:put|attribut|ascrib)\w*|how (?:on earth|the hell|the heck|in the world)"
    r"|where (?:did|does|has|have) (?:all )?(?:that|this|it|they|the (?:\w+ )?\w+) (?:all )?"
    r"(?:come?|came|go|gone)(?: from)?"
    rf"{_ENDS}|(?:what(?:'s| is| was) )?the (?:story|background)(?: here| there| behind (?:it|that|this))?{_ENDS}"
    r"|what account(?:s|ed) for"
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
_WHY = re.compile(rf"(?<!that's )(?<!thats )(?<!is )\b{WHY}\b", re.IGNORECASE)
_EXPLAINED = re.compile(
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

ROSE = stems(
    "increase up more greater larger improved widened doubled tripled strengthened boosted lifted accelerated"
    " recovered rebounded advanced extra additional"
)
FELL = stems(
    "decrease down less fewer smaller reduced reduction halved narrowed cut worsened weakened softened eased slid slide"
    " contracted eroded deteriorated lagged lag underperformed underperform trailed squeezed dented dragged hurt"
)
_ASKING_WHY = (
    ROSE
    | FELL
    | stems(
        """
        why how come what cause caused causes reason reasons driver drivers drove driven drive behind explain led lead
        explanation squeeze weigh weighed pressure pressured boost dent drag
        affect affected impact impacted help helped push pushed happen happened much change changed changing develop
        developed move moved year last prior previous period almost nearly half halve double about fully just really
        than over nothing next went go gone going so sharply strongly significantly massively improve big strong
        worsen swing result reported million billion quarter third fifth tenth compare compared since while then yet
        spend spent make made earn earned lose lost see saw turn turned record company did didn't not still all
        below above under beyond well good badly bad poorly shoot shot pull pulled keep kept take took send sent bring
        brought one two three four five ten thirds quarters fifths lay lie lies fast faster quickly rapidly steep
        steeply heavily dramatically hugely suddenly far again actually thousand thousands millions wrong
        """
    )
)
_SO = r"(?:and |so |but |then |well,? |ok(?:ay)? ?,? ?)?"
ASKS_SOMETHING = (
    r"(?:what|which|how|who|whom|where|when|did|do|does|is|are|was|were|has|have|had|can|could|will|would)\b"
)
ONLY_WHY = re.compile(
    rf"(?:^|[.!?:;] ){_SO}{WHY}\b|^(?!{ASKS_SOMETHING})[^?]{{3,240}}?(?:,| [-–—]) ?{_SO}{WHY}\b",
    re.IGNORECASE,
)
_ASKS_WHY = re.compile(rf"(?:[,;:.?!-]\s{{0,3}}|\b)(?:(?:so|but|yet|and|then) )?{WHY}\b", re.IGNORECASE)
_DENIED = re.compile(r"(?:n't|\bnot)\b", re.IGNORECASE)


def part_that_asks_why(text: str) -> str:
    """What is asked, without what is told before: "Metals were up, so why did NAV fall"; all where nothing is left."""
    starts = [found.start() for found in _ASKS_WHY.finditer(text)]
    asked = text[starts[-1] :] if starts else text
    return asked if _explained(asked) else text


def explained_in(text: str) -> frozenset[str]:
    """The stems of what a question wants explained, without the words that say how it moved."""
    return _explained(part_that_asks_why(text))


def movement_asked(text: str) -> frozenset[str]:
    """The stems of a rise or of a fall, where a question wants one of them explained; "didn't go up" is a fall."""
    part = part_that_asks_why(text)
    asked = stems(part)
    found = [words for words in (ROSE, FELL) if words & asked]
    if len(found) != 1:
        return frozenset()
    is_denied = _DENIED.search(part) is not None
    return found[0] if not is_denied else FELL if found[0] is ROSE else ROSE


def _explained(text: str) -> frozenset[str]:
    return frozenset(word for word in stems(text) - _ASKING_WHY if word[0].isalpha())


def asks_why(text: str) -> bool:
    """Whether it asks "why", or what caused or drove something."""
    return _WHY.search(text) is not None


def asks_only_why(text: str) -> bool:
    """Whether a sentence of it, or what follows a story, begins with asking why."""
    return ONLY_WHY.search(text) is not None


def asks_for_reasons(text: str) -> bool:
    """Whether it asks for causes, a description or a definition."""
    return asks_why(text) or _EXPLAINED.search(text) is not None
