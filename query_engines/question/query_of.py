"""Fills a `Query` from a question that today's rules and classifier have read.

It is the one place where what they found becomes slots. What reads a question otherwise fills the same record.
"""

from typing import TYPE_CHECKING

from query_engines.question.classifier import SAYS_NOTHING
from query_engines.question.search_text import ROSE, label_in, movement_asked, requested_scale
from storage.lexicon.question_words import asks_for_beginning, is_yet_to_come, silence_means
from storage.lexicon.reasons import asks_why
from storage.lexicon.shorthand import in_figures
from storage.lexicon.words import EXCEPT
from storage.records.answers import NOT_AVAILABLE
from storage.records.facts import office_title
from storage.records.metrics import Metric, significant
from storage.records.queries import AskedPeriod, Conditions, Operation, Part, Presumed, Query, Term

if TYPE_CHECKING:
    from query_engines.question.parsed import Intent, ParsedQuestion

_OF_GUESS: dict[str, Operation] = {
    "change": "change",
    "growth": "growth",
    "share": "share",
    "series": "series",
    "list": "list",
    "explanation": "describe",
}
_RESULTS: dict[Presumed, tuple[str, ...]] = {
    "profit": (" a profit", " to profit", " profitable"),
    "loss": (" a loss", " to loss", " unprofitable", " lose money", " losing money", " lost money"),
}
_OF_KIND: dict[str, Operation] = {
    "comparative": "compare",
    "boolean": "whether",
    "name": "who",
    "names": "list",
    "text": "describe",
}


def query_of(parsed: "ParsedQuestion") -> Query:
    """The query of a question, as far as it is read: more slots are filled once its company is known."""
    terms = _terms(parsed)
    rest = _residue(parsed, terms)
    part = _part(parsed, rest)
    named = (parsed.company,) if parsed.company else parsed.companies
    text = in_figures(parsed.text)
    return Query(
        operation=_operation(parsed),
        terms=terms,
        subject=label_in(parsed.intent.text),
        search=parsed.intent.text,
        companies=tuple(company.name for company in named),
        periods=tuple(AskedPeriod.of(period, text) for period in parsed.periods),
        part=part,
        conditions=_conditions(parsed),
        kind=parsed.kind if parsed.is_kind_known else None,
        dimension=parsed.dimension,
        is_ahead=parsed.intent.asks_what_is_due or is_yet_to_come(parsed.text),
        is_opening=asks_for_beginning(parsed.wording),
        presumed=_presumed(parsed),
        silence=_silence(parsed),
        residue=() if part is not None and part.name else rest,
        language=parsed.language,
    )


def _terms(parsed: "ParsedQuestion") -> tuple[Term, ...]:
    """What it is about; free words where nothing that is known by name."""
    intent = parsed.intent
    found: list[Term] = []
    if intent.derived is not None:
        found.append(Term(kind="derived", id=intent.derived.id, title=intent.derived.title))
    elif (metric := _metric(intent)) is not None:
        found.append(Term(kind="metric", id=metric.id, title=metric.title))
    if intent.role is not None:
        found.append(Term(kind="office", id=intent.role, title=office_title(intent.role)))
    if intent.event is not None:
        found.append(Term(kind="event", id=intent.event, title=intent.event.replace("_", " ")))
    if intent.party is not None:
        office = intent.party.office
        found.append(
            Term(kind="party", id=office.id if office else "", title=office.id if office else "committee")
        )
    if not found and parsed.section is not None:
        found.append(Term(kind="section", id=parsed.section.id, title=parsed.section.title))
    if not found and (words := label_in(intent.text)):
        found.append(Term(kind="words", title=words))
    return tuple(found)


def _metric(intent: "Intent") -> Metric | None:
    """The line that is asked for, that changed, or whose change is to be explained."""
    return intent.metric or (intent.change.metric if intent.change else None) or intent.explained


def _operation(parsed: "ParsedQuestion") -> Operation:
    """What is asked of the terms: as rules are certain of it, else as the classifier guesses, else by the kind."""
    intent, guess = parsed.intent, parsed.guess
    if guess.is_talk:
        return "talk"
    if parsed.kind == "text" and asks_why(parsed.wording):
        return "why"
    if parsed.kind == "number":
        if intent.change is not None:
            return "growth" if intent.change.is_share or intent.change.is_growth else "change"
        if intent.dimension == "count" and intent.counted:
            return "count"
        return _OF_GUESS.get(guess.operation, "value")
    if parsed.dimension == "date":
        return "when"
    return _OF_KIND.get(parsed.kind, "value")


def _part(parsed: "ParsedQuestion", rest: tuple[str, ...]) -> Part | None:
    """The part of a figure: which one, or the words that name it, of which the figure's own name is not one."""
    asked = parsed.intent.parts
    if asked is None:
        return None
    if asked.is_of_names or asked.is_of_each:
        return Part(which=asked.operation)
    return Part(name=" ".join(rest)) if rest else None


def _conditions(parsed: "ParsedQuestion") -> Conditions:
    judgement = parsed.intent.judgement
    threshold = (judgement.at_least or judgement.at_most) if judgement else None
    out = EXCEPT.search(label_in(parsed.intent.text))
    return Conditions(
        currency=parsed.currency,
        scale=requested_scale(parsed.text),
        limit=None if threshold is None else "above" if judgement and judgement.at_least else "below",
        threshold=threshold,
        without=out["what"].strip() if out else "",
    )


def _presumed(parsed: "ParsedQuestion") -> Presumed | None:
    """What a question for reasons takes for granted: a rise or a fall, else a profit or a loss."""
    if parsed.kind != "text" or not asks_why(parsed.wording):
        return None
    if moved := movement_asked(parsed.intent.text):
        return "rose" if moved == ROSE else "fell"
    text = f" {parsed.wording.lower()}"
    said: list[Presumed] = [one for one, words in _RESULTS.items() if any(word in text for word in words)]
    return said[0] if len(said) == 1 else None


def _silence(parsed: "ParsedQuestion") -> bool | str | None:
    meant = silence_means(parsed.question.text)
    return NOT_AVAILABLE if meant is None and NOT_AVAILABLE in parsed.question.text else meant


def _residue(parsed: "ParsedQuestion", terms: tuple[Term, ...]) -> tuple[str, ...]:
    """The words that change what is asked and stand in no slot: none where free words are the term."""
    intent, standing = parsed.intent, parsed.standing
    if standing is not None and (standing.is_surely_another or standing.is_surely_exact):
        sure = dict.fromkeys(standing.surely_said.split())
        return tuple(word for word in sure if significant(word) - SAYS_NOTHING)
    if parsed.company is None or any(term.kind in ("words", "section") for term in terms):
        return ()
    metric = _metric(intent)
    names = [term.title for term in terms] + ([*metric.question_names, *metric.names] if metric else [])
    names += [*intent.derived.question_names] if intent.derived else []
    known = SAYS_NOTHING.union(*map(significant, (*names, parsed.company.name, intent.printed)))
    said = label_in(intent.change.what if intent.change else intent.text).split()
    return tuple(dict.fromkeys(word for word in said if (own := significant(word)) and not own & known))
