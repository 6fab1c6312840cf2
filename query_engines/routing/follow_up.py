"""What a short question in a conversation means after the one before it."""

import re
from collections.abc import Sequence

from query_engines.company_names.vocabulary import is_common
from query_engines.comparison.entities import Listed, listed
from query_engines.comparison.grammar import HIGH, LOW, SUP, extreme
from query_engines.comparison.patterns import read_open_plan, read_plan
from query_engines.comparison.times import names_several_years
from query_engines.question.parsed import ParsedQuestion, reported_year
from query_engines.question.parser import QuestionParser, chosen_of
from query_engines.question.wording import infer_kind
from query_engines.routing.dialogue import Dialogue
from query_engines.routing.everybody import MOST, is_the_most, listed_names, spelled_out
from query_engines.routing.small_talk import SOURCE, is_small_talk
from storage.lexicon.money import CODE, SCALE
from storage.lexicon.names import names_a_place
from storage.lexicon.periods import periods_in, without_periods, years_named
from storage.lexicon.question_words import MOVES, WHY
from storage.records.answers import Answer
from storage.records.questions import Question, check_length
from storage.text import plain

_LEAD = re.compile(
    r"^(?:(?:ok(?:ay)?|and|or|but|so|then|now|also|what about|how about|what of|the same|same|likewise|compare that"
    r"|for|with|to|in|of|at)\b[\s,]*)+",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"^(?:and|or|but|what about|how about|what of|also|the same|same)\b", re.IGNORECASE)
_ALSO = re.compile(r"^(?:(?:ok(?:ay)?|and|or|but|so|then|now|also)\b[\s,]*)+", re.IGNORECASE)
_ITS = re.compile(r"\b(?:its|their|the company's)\b", re.IGNORECASE)
_IT = re.compile(r"\b(?:it|they|that company|this company|the company)\b", re.IGNORECASE)
_THERE = re.compile(r"\bthere(?=\W*$)", re.IGNORECASE)
_BOTH = re.compile(r"\b(?:it|its|they|them|their|both|these|those|the (?:two|companies))\b", re.IGNORECASE)
_IT_MOVES = re.compile(
    rf"\b(?:it|that)(?= (?:{MOVES}|compared?)\b)",
    re.IGNORECASE,
)
_IT_IS_MORE = re.compile(
    rf"(?:and |but |so )?(?:is|was|are|were) (?:it|that|this|they|those)(?= (?:\w+ ){{0,2}}(?:{HIGH}|{LOW})\b)",
    re.IGNORECASE,
)
_WHICH_IS_MORE = re.compile(
    r"(?:and |but |so )?(?:which|who)(?: (?:one|company|of (?:them|these|those|the (?:two|three))))? "
    rf"(?:is|was|has|had|are|comes out|came out)(?: the)? {SUP}(?: one)?",
    re.IGNORECASE,
)
_A_NAME = re.compile(r"[A-Z][\w&'.-]*(?: (?:(?:of|and|the|de|&) )?[A-Z][\w&'.-]*){0,3}\W*")
_SENTENCE = re.compile(
    r"^(?:what|which|who|whose|when|where|why|how (?!about)|did|does|do|is|are|was|were|has|have|had|can|could|will)\b",
    re.IGNORECASE,
)
_ALL_OF = re.compile(
    r"(?:and |now |please ){0,4}compare (?:the |their )?(?P<subject>[^?]{2,60}?) (?:of|for|across|between|at) "
    r"(?:all(?: of)?(?: (?:them|these|those|two|three|four|five|the companies))?|both(?: of them)?|them|these|those"
    r"|the (?:two|three|others?|companies))",
    re.IGNORECASE,
)
_OF_TODAY = re.compile(
    r"(?:who|is|are|does|do|has|have)\b|(?:how|what|which)(?: \w{1,20}){1,6}? (?:is|are|does|do|has|have)\b",
    re.IGNORECASE,
)  # asks for the newest state, whatever year was asked about before
_OF_THEN = re.compile(r"\b(?:did|was|were|had)\b", re.IGNORECASE)
_SET_AGAINST = re.compile(r"\b(?:against|versus|vs|compared (?:to|with)|over|than)\W*$", re.IGNORECASE)
_THEM = re.compile(
    r"(?:and |now |please ){0,4}compare (?:them|these|those|both|all|the (?:two|three|others?|companies))"
    r"(?: (?:all|now|please))*",
    re.IGNORECASE,
)
_WHY = re.compile(rf"(?:and |but )?(?:{WHY}|what happened)(?: (?:it|that|so))?", re.IGNORECASE)
_THE_OTHERS = re.compile(
    r"(?:and |what about |how about |(?:the )?same (?:thing |question )?){1,3}(?:for )?(?:the )?"
    r"(?:other (?P<many>two|three|four|ones|companies)|others|rest|all of them)",
    re.IGNORECASE,
)
_IN_PERCENT = re.compile(
    r"(?:and |but |what is (?:it|that) |how much is that |that ){0,4}(?:in|as an?|by (?:what|how many)) "
    r"(?:%|per ?cent(?:age)?)(?: terms)?",
    re.IGNORECASE,
)
_AS_A_SHARE = re.compile(
    r"(?:and |but |what is (?:it|that) |how much is that ){0,3}(?:as|in) (?:an? )?(?:%|per ?cent(?:age)?|share) of "
    r"(?:the |its )?(?P<of>[\w &-]{3,40})",
    re.IGNORECASE,
)
_IN_SCALE = re.compile(rf"(?:and |but |the same ){{0,3}}in (?:{CODE} |[$€£] ?)?{SCALE}(?: of \w+)?", re.IGNORECASE)
_IF_YOU_LIKE = re.compile(
    r",? (?:please|if (?:it|you|that|possible|i)\b[^?.,]{0,80}|though)(?=\W*$)", re.IGNORECASE
)
_MANY = {"two": 2, "three": 3, "four": 4}
_OFFICES = {
    "chief executive": "CEO",
    "chief financial": "CFO",
    "chief operating": "COO",
    "chair": "chair",
    "president": "president",
}
# Says something, and is no name of anything.
_SAYS = re.compile(
    r"\b(?:i|we|you|my|me|our|your|am|is|are|was|were|will|would|should|could|can|do|does|did|let)\b|n't\b",
    re.IGNORECASE,
)
_FEW_WORDS = 6  # of a topic alone
_MARKED_LIST = re.compile(r"@\d+(?:(?:,? and |,? or |, )@\d+)*")  # companies one after the other
_OF_THAT = re.compile(
    r"(?:\W|\b(?:what|how|about|was|is|it|that|this|the|figure|number|value|amount|for|of|compared|with|to|against|versus|vs"
    r"|as well|too|then|please|instead)\b)*+",
    re.IGNORECASE,
)
_NOTHING = re.compile(r"[\s?.!,:;]*+(?:as well|too|then|please|instead)?[\s?.!,:;]*+")


def follow_up(text: str, before: Dialogue, parser: QuestionParser) -> Question:
    """The question with what it leaves out, taken from the conversation; one that stands alone stays as it is.

    Args:
        text: what is asked now: "and its net income?", "what about 2021?", "compare them", or a whole question.
        before: the conversation so far.
        parser: of the library.

    Raises:
        QuestionTooLong: nobody asks that much at once.
    """
    check_length(text)
    text = _with_everybody(text, before, parser)
    if before.question is None or before.answer is None or _is_of_chosen(text, before, parser):
        return Question(text=text, reports=before.reports)
    meant = _of_same_topic(text, before, parser) if before.reports and before.question.company is None else None
    meant = meant or _continued(text, before.question, before.answer, before.companies, parser)
    return meant.model_copy(update={"reports": before.reports})


def _with_everybody(text: str, before: Dialogue, parser: QuestionParser) -> str:
    """The text with its companies by name, where it says "all three" or "who has the most"."""
    parsed = parser.parse(Question(text=text))
    chosen = tuple(c.name for c in chosen_of(parsed.names.companies, before.reports)) if before.reports else ()
    named = spelled_out(text, parsed, chosen or before.companies)
    named = named if named == text else _ALSO.sub("", named)
    more = is_the_most(plain(text)) if named != text else None
    subject = _subject(parser.parse(before.question)) if more and before.question else None
    if more is None or subject is None or before.question is None:
        return named
    names = [entity.label for entity in listed(parser.parse(Question(text=named))).entities]
    word = "highest" if extreme(more).is_high else "lowest"
    return _ranked(word, subject, names, _when(before.question.text))


def _is_of_chosen(text: str, before: Dialogue, parser: QuestionParser) -> bool:
    """Whether a whole question is about the chosen reports, though the one before was about another company."""
    wording = plain(text)
    is_whole = _SENTENCE.match(wording) and not any(
        p.search(wording) for p in (_ITS, _IT, _IT_MOVES, _THERE, _BOTH)
    )
    if not before.reports or not is_whole:
        return False
    chosen = {company.name for company in chosen_of(parser.names.companies, before.reports)}
    return not chosen.issuperset(before.companies[-1:])


def _of_same_topic(text: str, before: Dialogue, parser: QuestionParser) -> Question | None:
    """The question before, about the same chosen reports, at another time or about another topic; None for others."""
    previous, parsed = before.question, parser.parse(Question(text=text, reports=before.reports))
    names_nobody = not parsed.naming.companies and len(parsed.companies) > 1 and not is_small_talk(parsed)
    if previous is None or not names_nobody or parser.parse(previous, parsed.names).naming.companies:
        return None
    rest = _LEAD.sub("", without_periods(_LEAD.sub("", plain(text))).strip())
    if parsed.years and _NOTHING.fullmatch(rest):
        return previous.model_copy(update={"text": _at_another_time(previous.text, parsed.years[-1])})
    if _SENTENCE.match(rest) or not parsed.guess.is_sure or not 0 < len(rest.split()) <= _FEW_WORDS:
        return None
    subject = re.sub(r"^(?:its|their|the|an?)\b ?", "", rest, flags=re.IGNORECASE).strip(" ?.!")
    when = "" if parsed.periods else _when(previous.text)
    return Question(text=f"What was the {subject}{when}?") if _GOES_ON.match(plain(text)) else None


def _continued(
    text: str, previous: Question, answer: Answer, companies: Sequence[str], parser: QuestionParser
) -> Question:
    parsed = parser.parse(Question(text=text))
    if is_small_talk(parsed):
        return previous if parsed.guess.topic == SOURCE else Question(text=text)
    now, before = listed(parsed), listed(parser.parse(previous.model_copy(update={"company": None}), parsed.names))
    if now.entities and all(entity.company for entity in now.entities):
        rest = _LEAD.sub("", re.sub(r"@\d+(?:'s)?|\band\b", " ", _LEAD.sub("", now.text)).strip())
        is_name_only = _NOTHING.fullmatch(rest) is not None
        return _of_other_company(now, previous, before) if is_name_only else Question(text=text)
    if not now.entities and (other := _name_alone(text, parsed, parser)) and len(before.entities) == 1:
        return previous.model_copy(update={"text": before.text.replace("@0", other), "company": None})
    company = previous.company or answer.company or _only_company(before)
    if now.entities or read_open_plan(parsed) is not None or (company is None and len(before.entities) < 2):
        return Question(text=text)
    wording = plain(text)
    if (filled := _from_the_state(wording, parsed, previous, company, companies, parser)) is not None:
        return filled
    rest = _LEAD.sub("", without_periods(_LEAD.sub("", wording)).strip())
    if parsed.years and _NOTHING.fullmatch(rest) is not None:
        at_another_time = _at_another_time(previous.text, parsed.years[-1])
        return previous.model_copy(update={"text": at_another_time, "company": company})
    if company is None or (previous.company is None and len(before.entities) > 1):
        return _of_several(wording, before)
    return _of_company(wording, company, _when(previous.text))


def _name_alone(text: str, parsed: ParsedQuestion, parser: QuestionParser) -> str | None:
    """The name that a follow-up gives and nothing else, of a company that the library does not know; None for others.

    A name is written with capitals, and no word of questions, statements or maps is one.
    """
    name = _LEAD.sub("", " ".join(text.split())).rstrip(" ?.!")
    is_name = _GOES_ON.match(plain(text)) and _A_NAME.fullmatch(name) and not name.isupper()
    is_known = (
        parsed.periods
        or parser.metric_called(name)
        or names_a_place(name)
        or all(is_common(w.lower()) for w in name.split())
    )
    return name if is_name and not is_known and not is_small_talk(parsed) else None


def _from_the_state(
    wording: str,
    parsed: ParsedQuestion,
    previous: Question,
    company: str | None,
    companies: Sequence[str],
    parser: QuestionParser,
) -> Question | None:
    """A follow-up that gives one thing alone: another time, another topic, "why?", "compare them"; None for others."""
    known = next((c for c in parsed.names.companies if c.name == company), None)
    if known is None:
        return None
    before = parser.about(parser.parse(previous, parsed.names), known)
    if (
        filled := _of_few_words(_IF_YOU_LIKE.sub("", wording).strip(" ?.!,"), before, previous, companies, parser)
    ) is not None:
        return filled
    subject = _subject(before)
    if subject and _IT_IS_MORE.match(wording):
        asked = f"Was {company}'s {subject}{_when(previous.text)}"
        return Question(text=_IT_IS_MORE.sub(lambda _: asked, wording, count=1), company=company)
    if subject and _IT_MOVES.search(wording):
        moved = _IT_MOVES.sub(f"{company}'s {subject}", _ALSO.sub("", wording), count=1)
        return Question(text=moved[:1].upper() + moved[1:], company=company)
    rest = _LEAD.sub("", without_periods(_LEAD.sub("", wording)).strip())
    back = next((p.years_back for p in parsed.periods if p.years_back), None)
    if back and _OF_THAT.fullmatch(rest):
        newest = reported_year(known.main_report) if known.main_report else None
        year = before.year or newest
        return _at_that_time(previous, year - back, company) if year is not None else None
    asked_now = parser.about(parsed, known)
    if _SENTENCE.match(rest) or not (parsed.guess.is_sure or asked_now.intent.role):
        return None
    topic = _subject(asked_now)
    if topic is None or len(rest.split()) > _FEW_WORDS:
        return None
    when = "" if parsed.periods else _when(previous.text)
    if topic in _OFFICES:
        return Question(text=f"Who is the {_OFFICES[topic]} of {company}?", company=company)
    phrase = "".join(f" {p.phrase(wording).strip()}" for p in parsed.periods)
    return Question(text=f"What was the {topic} of {company}{phrase or when}?", company=company)


def _of_few_words(
    alone: str, before: ParsedQuestion, previous: Question, companies: Sequence[str], parser: QuestionParser
) -> Question | None:
    """The question before for others, in another unit, or compared; or why it is so."""
    company, subject = before.company.name if before.company else None, _subject(before)
    if (said := _THE_OTHERS.fullmatch(alone)) and (others := _others(company, said["many"], companies, before)):
        return _of_others(previous, others, parser)
    if _IN_SCALE.fullmatch(alone):
        return previous.model_copy(update={"text": f"{previous.text.rstrip(' ?.!')} {alone}?", "company": company})
    if (share := _AS_A_SHARE.fullmatch(alone)) and subject:
        when = _when(previous.text)
        return Question(
            text=f"What was the {subject} of {company} as a percentage of {share['of']}{when}?", company=company
        )
    if _IN_PERCENT.fullmatch(alone) and subject:
        moved = f"By what percentage did the {subject} of {company} change{_when(previous.text)}?"
        return Question(text=moved, company=company)
    everybody = companies if len(companies) > 1 else tuple(c.name for c in before.names.companies[: MOST + 1])
    if _THEM.fullmatch(alone) and 1 < len(everybody) <= MOST and subject:
        return Question(text=f"Compare the {subject} of {listed_names(everybody)}{_when(previous.text)}?")
    if (named := _ALL_OF.fullmatch(alone)) and 1 < len(everybody) <= MOST:
        return Question(text=f"Compare the {named['subject']} of {listed_names(everybody)}{_when(previous.text)}?")
    if _WHY.fullmatch(alone) and subject:
        return Question(text=f"Why did the {subject} of {company} change?", company=company, kind="text")
    return None


def _others(company: str | None, many: str | None, companies: Sequence[str], parsed: ParsedQuestion) -> list[str]:
    """The other companies of the conversation, else those of a small library, if there are as many as is written."""
    known = [c.name for c in parsed.names.companies[: MOST + 1]]
    for names in (list(companies), known if len(known) <= MOST else []):
        others = [name for name in names if name != company]
        if others and len(others) == _MANY.get((many or "").lower(), len(others)):
            return others
    return []


def _of_others(previous: Question, others: Sequence[str], parser: QuestionParser) -> Question | None:
    """The question before, about other companies."""
    before = listed(parser.parse(previous.model_copy(update={"company": None})))
    if len(before.entities) != 1:
        return None
    return previous.model_copy(update={"text": before.text.replace("@0", listed_names(others)), "company": None})


def _subject(parsed: ParsedQuestion) -> str | None:
    """What a question is about, as people call it."""
    if parsed.intent.metric is not None:
        title = parsed.intent.metric.title
        return title if title[1:2].isupper() else title[:1].lower() + title[1:]
    return next(iter(parsed.understood.metrics), None)


def _at_that_time(previous: Question, year: int, company: str | None) -> Question:
    return previous.model_copy(update={"text": _at_another_time(previous.text, year), "company": company})


def _of_other_company(now: Listed, previous: Question, before: Listed) -> Question:
    """The question before about the company that is named now; a name that was not understood is settled by it."""
    label, company = now.entities[0].label, now.entities[0].company
    if len(now.entities) > 1:
        label = " and ".join(entity.label for entity in now.entities)
    elif len(before.entities) > 1 and (plan := read_plan(before)) is not None and plan.subject:
        return Question(text=f"What was the {plan.subject} of {label}{_when(before.text)}?", company=company)
    elif len(before.entities) != 1 or before.entities[0].company is None:
        return previous.model_copy(update={"company": company})
    named = _MARKED_LIST.sub(lambda _: label, before.text, count=1)
    for number, entity in enumerate(before.entities):
        named = re.sub(rf"@{number}\b", entity.label.replace("\\", ""), named)
    return previous.model_copy(update={"text": named, "company": None})


def _of_company(wording: str, company: str, when: str) -> Question:
    body = re.sub(r"^(?:and|or|but|so|also)\b[\s,]*", "", wording, flags=re.IGNORECASE)
    is_of_today = _OF_TODAY.match(body) and not _OF_THEN.search(body)
    later = "" if is_of_today or periods_in(wording) or names_several_years(wording) else when
    if _SENTENCE.match(body):
        text = _named(body, company)
        text = text[:1].upper() + text[1:]
        is_whole = later and (text != body[:1].upper() + body[1:] or _GOES_ON.match(wording))
        bare = _named(body.rstrip(" ?.!"), company)
        return Question(text=f"{bare[:1].upper()}{bare[1:]}{later}?" if is_whole else text, company=company)
    subject = re.sub(r"^(?:its|their|the|an?)\b ?", "", _LEAD.sub("", wording), flags=re.IGNORECASE).strip(" ?.!")
    is_said = _SAYS.search(subject) is not None and not _GOES_ON.match(wording)
    if not subject or is_said:
        return Question(text=wording, company=company)
    made = f"What was the {subject} of {company}{later}?"
    return Question(text=made, company=company, kind="number" if infer_kind(made) == "text" else None)


def _of_several(wording: str, before: Listed) -> Question:
    """The comparison before with another subject."""
    entities = [entity.label for entity in before.entities]
    body = re.sub(r"^(?:and|or|but|so|also)\b[\s,]*", "", wording, flags=re.IGNORECASE)
    everyone, plan, alone = listed_names(entities), read_plan(before), body.strip(" ?.!")
    if _IN_SCALE.fullmatch(alone):
        written = re.sub(r"@(\d+)", lambda match: entities[int(match[1])], before.text)
        return Question(text=f"{written.rstrip(' ?.!')} {alone}?")
    if _THE_OTHERS.fullmatch(alone):
        return Question(text=wording)
    plan = None if plan and plan.relation == "each" else plan
    if plan and plan.subject and (_WHY.fullmatch(alone) or _IN_PERCENT.fullmatch(alone)):
        opening = "Why" if _WHY.fullmatch(alone) else "By what percentage"
        return Question(text=f"{opening} did the {plan.subject} of {everyone} change?")
    if plan and plan.subject and (more := _WHICH_IS_MORE.fullmatch(alone)):
        word = "highest" if extreme(more).is_high else "lowest"
        return Question(text=_ranked(word, plan.subject, entities, _when(before.text)))
    if plan and plan.subject and _IT_MOVES.search(body):
        moved = _IT_MOVES.sub(f"the {plan.subject} of {everyone}", body, count=1)
        return Question(text=moved[:1].upper() + moved[1:])
    if _SENTENCE.match(body):
        text = _BOTH.sub(everyone, body, count=1) if _BOTH.search(body) else f"{body.rstrip(' ?.!')}: {everyone}?"
        return Question(text=text[:1].upper() + text[1:])
    subject = re.sub(r"^(?:its|their|the|an?)\b ?", "", _LEAD.sub("", wording), flags=re.IGNORECASE).strip(" ?.!")
    if plan is None or not subject:
        return Question(text=wording)
    text = before.text
    if plan.subject and plan.subject in text:
        text = text.replace(plan.subject, subject, 1)
    else:
        word = "lowest" if plan.relation in ("lowest", "less") else "highest"
        return Question(text=_ranked(word, subject, entities, _when(before.text)))
    return Question(text=re.sub(r"@(\d+)", lambda match: entities[int(match[1])], text))


def _ranked(word: str, subject: str, entities: Sequence[str], when: str) -> str:
    return f"Which company had the {word} {subject}{when}: {', '.join(entities)}?"


def _only_company(before: Listed) -> str | None:
    known = {entity.company for entity in before.entities if entity.company}
    return known.pop() if len(known) == 1 and len(before.entities) == 1 else None


def _named(body: str, company: str) -> str:
    if _ITS.search(body):
        return _ITS.sub(f"{company}'s", body, count=1)
    return _THERE.sub(f"at {company}", _IT.sub(company, body, count=1), count=1)


def _when(text: str) -> str:
    bare = plain(text)
    dated = [p for p in periods_in(bare) if years_named([p]) and not _SET_AGAINST.search(bare[: p.phrase_start])]
    found = [period.phrase(bare) for period in dated]
    return f"{' in' if found[-1].strip().isdigit() else ''} {found[-1].strip()}" if found else ""


def _at_another_time(previous: str, year: int) -> str:
    """The question before with the year that is named now."""
    bare = plain(previous)
    if dated := [period for period in periods_in(bare) if years_named([period])]:
        before, after = bare[: dated[0].phrase_start], bare[dated[0].end :]
        return " ".join(f"{before} in {year} {after}".split()).replace(" ?", "?")
    return f"{bare.rstrip(' ?.!')} in {year}?"
