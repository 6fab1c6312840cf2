"""What a follow-up wants done with the thing asked about before: its growth, its reasons, the highest of them."""

import re

from query_engines.comparison.grammar import HIGH, LOW, SUP
from query_engines.routing.slots import Operation
from storage.lexicon.question_words import MOVES, YEAR_ON_YEAR
from storage.lexicon.reasons import WHY
from storage.lexicon.words import expression

# What is to be done with the thing asked about before; "it" stands for the company, too.
_THAT = r"(?:it|that|this|so|they|those|its)"
_A_MOVE = "(?:swing|change|jump|rise|fall|drop|increase|decrease|decline|growth|difference|move|surge|plunge)"
_ONE_OF = r"(?: (?:one|company|of (?:it|them|these|those|the (?:two|three))))?"
OPERATIONS: tuple[tuple[re.Pattern[str], Operation | None], ...] = (
    (
        expression(
            rf"(?:and )?why (?:such an?|the|that|this) (?:\w+ )?{_A_MOVE}|where did {_THAT} come from"
            rf"|what(?:'s| is| was)? (?:drove|driving|behind|caused|explains) (?:{_THAT}|the {_A_MOVE})"
            rf"|(?:what explains|what is behind) (?:it|that|the (?:change|rise|fall|increase|decrease|difference))"
            rf"|(?:{WHY}|what happened)(?: (?:is|was|are|were|has|did))?(?: {_THAT})*"
            rf"(?: (?:much |so )?(?:{HIGH}|{LOW}|low|high|different|bad|good|{MOVES}))?(?: for it)?",
            re.IGNORECASE,
        ),
        "reasons",
    ),
    (
        expression(
            rf"(?:what is {_THAT} |how much is {_THAT} |{_THAT} )?(?:in|as an?|by (?:what|how many)) "
            rf"(?:%|per ?cent(?:age)?)(?: terms)?(?: for it)?"
            rf"|(?:how much|what)(?: of an?)? {_A_MOVE}(?: is| was)?(?: {_THAT})?(?: (?:in|as an?))?"
            r"(?: (?:%|per ?cent(?:age)?))?"
            r"|(?:up|down) by how (?:much|many)(?: (?:%|per ?cent))?"
            r"|(?:and )?(?:in|as an?) (?:%|per ?cent(?:age)?)(?: terms)?"
            r" (?:versus|vs|against|compared (?:to|with)|on|from) (?:the )?(?:year|one) before(?: that)?"
            rf"|(?:what was |how much |the |{_THAT} ){{0,4}}(?:{YEAR_ON_YEAR} )?(?:growth(?: rate)?|{YEAR_ON_YEAR})"
            r"(?: (?:for|of|at) it)?",
            re.IGNORECASE,
        ),
        "growth",
    ),
    (expression(r"by how much(?: did it change)?", re.IGNORECASE), "change"),
    (
        expression(
            r"how (?:many|much|high|large|big)(?: (?:is|was|are|were))?(?: (?:it|that|they))? (?:exactly|precisely)"
            r"(?:,? and (?:on which|when|as of|at which)[^?]{0,60})?",
            re.IGNORECASE,
        ),
        "value",
    ),
    (
        expression(
            rf"(?:(?:is|has|did|was) {_THAT} )?(?:gone )?(?:up or down|rising or falling)"
            rf"|(?:is|was|were|are) {_THAT} (?:up|down)(?: too| as well| also)?"
            rf"|{_THAT} (?:has |have |is )?{MOVES}",
            re.IGNORECASE,
        ),
        "direction",
    ),
    (
        expression(
            rf"(?:which|who){_ONE_OF} (?:is|was|has|had|are|comes out|came out|\w+s|\w+ed)(?: the)? {SUP}(?: one)?"
            r"(?: of (?:all|them))?",
            re.IGNORECASE,
        ),
        None,
    ),
    (
        expression(
            r"(?:who|which)(?: (?:one|company|of (?:it|them|these|those)))?(?:'s| is| does| did| was) (?:the )?"
            r"(?:better|best|worse|worst)"
            r"|(?:please )?compare (?:them|these|those|both|it|all|the (?:two|three|others?|companies))"
            r"(?: (?:all|now|please))*",
            re.IGNORECASE,
        ),
        "comparison",
    ),
    (expression(r"(?:please )?rank (?:them|these|those|both|it|all)", re.IGNORECASE), "ranking"),
)  # with None, the superlative says which
