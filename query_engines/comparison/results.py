"""Computes results: the highest or lowest, a ranking, figures, trends, formulas, yes or no, answers side by side."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, localcontext
from itertools import pairwise

from query_engines.comparison.amounts import Amount, ComparisonResult, Part, SubAnswers, Undecided, value_text
from query_engines.comparison.plan import Calculation, Relation
from storage.lexicon.words import expression
from storage.records.answers import Unit, Value
from storage.records.derived_metrics import Formula
from storage.records.questions import AnswerKind
from storage.text import capital


def extreme(answers: SubAnswers) -> ComparisonResult:
    """The company with the highest or lowest figure, or the second or third one."""
    plan, falling = answers.plan, answers.plan.relation == "highest"
    missing = [i for i in range(len(answers.parts)) if i not in answers.usable]
    if missing and not plan.is_open and all(part.entity.year for part in answers.parts):
        raise Undecided(answers.first_missing(), "Not known of all years.")
    if len(answers.usable) == 1 and plan.place == 1 and len(answers.parts) > 1:
        if answers.needs_two:
            raise Undecided(
                answers.first_missing(), f"Not known of {', '.join(answers.label(i) for i in missing)}."
            )
        return _named(
            answers, answers.usable, f"{answers.label(answers.usable[0])} is the only one with data to compare."
        )
    order = [_leaders(answers, falling=falling)] if plan.place == 1 else _ordered(answers, falling=falling)
    at = 0
    for group in order:
        at += len(group)
        if at >= plan.place:
            place = {1: "", 2: "second ", 3: "third "}[plan.place]
            names = " and ".join(answers.label(i) for i in group)
            tied = ", a tie" if len(group) > 1 else ""
            count = len(answers.usable)
            if count == _BOTH and len(group) == 1 and plan.place == 1:
                statement = f"{names}: the {_OF_TWO[plan.relation]} of the two by {plan.subject}."
            else:
                statement = f"{names}: the {place}{plan.relation} of {count} compared by {plan.subject}{tied}."
            return _named(answers, group, statement)
    raise Undecided("not_found", f"Only {at} of them have data.")


def _named(answers: SubAnswers, positions: Sequence[int], statement: str) -> ComparisonResult:
    """One name, or the names of a tie; if the question wants one name, the first in the question's order."""
    labels = tuple(answers.label(i) for i in sorted(positions))
    if answers.kind == "number":
        first = answers.parts[positions[0]].amount
        return answers.result(float(first.value), statement, unit=answers.unit(first.currency))
    if answers.kind == "text":
        return answers.result(statement, statement)
    if answers.kind == "names" or (len(labels) > 1 and answers.is_open):
        return answers.result(labels, statement).model_copy(update={"kind": "names"})
    statement += f" One name is asked for: {labels[0]}, the first in the question." if len(labels) > 1 else ""
    return answers.result(labels[0], statement)


def ranking(answers: SubAnswers) -> ComparisonResult:
    """All companies with data, in order."""
    order = _ordered(answers, falling=not answers.plan.rising)
    labels = tuple(answers.label(i) for group in order for i in group)
    end = "lowest" if answers.plan.rising else "highest"
    statement = f"By {answers.plan.subject}, the {end} first: {', '.join(labels)}."
    value: Value = labels if answers.kind == "names" else labels[0] if answers.kind != "text" else statement
    return answers.result(value, statement)


def which(answers: SubAnswers) -> ComparisonResult:
    """The companies of which it is true."""
    chosen = [i for i in answers.usable if answers.parts[i].answer.value is True]
    labels = tuple(answers.label(i) for i in chosen)
    if not chosen:
        raise Undecided("not_found", f"Yes: none of {len(answers.parts)}.")
    statement = f"Yes: {', '.join(labels)} of {len(answers.parts)}."
    if answers.kind == "names":
        return answers.result(labels, statement)
    if answers.kind == "text":
        return answers.result(statement, statement)
    if len(labels) > 1:
        raise Undecided("company_ambiguous", f"One name is asked for, and it is true of several. {statement}")
    return answers.result(labels[0], statement)


def _leaders(answers: SubAnswers, *, falling: bool) -> list[int]:
    """The companies with the best figure; undecided where it depends on an exchange rate."""
    amounts = {i: answers.parts[i].amount for i in answers.usable}
    ahead = {(i, j): _is_ahead(amounts[i], amounts[j], falling) for i in amounts for j in amounts if i != j}
    leaders = [i for i in amounts if not any(ahead[j, i] for j in amounts if j != i)]
    if any(ahead[i, j] is None for i in leaders for j in leaders if i != j):
        raise _needs_a_rate([amounts[i] for i in leaders])
    _note_currencies(answers, list(amounts.values()))
    return leaders


def _ordered(answers: SubAnswers, *, falling: bool) -> list[list[int]]:
    """Groups of equal figures in the wanted order; undecided where it depends on an exchange rate."""
    amounts = {i: answers.parts[i].amount for i in answers.usable}
    beaten: dict[int, list[int]] = {}
    for i, own in amounts.items():
        verdicts = [_is_ahead(other, own, falling) for j, other in amounts.items() if j != i]
        if None in verdicts:
            raise _needs_a_rate(list(amounts.values()))
        beaten.setdefault(sum(bool(t) for t in verdicts), []).append(i)
    _note_currencies(answers, list(amounts.values()))
    return [beaten[count] for count in sorted(beaten)]


def _needs_a_rate(amounts: Sequence[Amount]) -> Undecided:
    currencies = sorted({a.currency for a in amounts if a.currency})
    statement = (
        f"These are in different currencies ({', '.join(currencies)}), and too close to each other: only an exchange "
        "rate could tell which is more."
    )
    return Undecided("other_currency", statement)


def _note_currencies(answers: SubAnswers, amounts: Sequence[Amount]) -> None:
    if len({a.currency for a in amounts if a.currency}) > 1:
        answers.lines.append("In different currencies; no rate since 2015 would change the result.")


def _is_ahead(one: Amount, other: Amount, falling: bool) -> bool | None:
    return one.exceeds(other) if falling else other.exceeds(one)


_BOTH, _OF_TWO = 2, {"highest": "higher", "lowest": "lower"}
_PAIRED: set[Relation] = {"difference", "growth", "ratio"}
_WHOLE: set[Relation] = {"share", "sum", "average", "trailing"}  # relations for which every answer is needed
_RATIO_DIGITS = Decimal("1e-6")


def number(answers: SubAnswers) -> ComparisonResult:
    """The figure computed from the figures of the parts."""
    plan = answers.plan
    used = answers.pair() if plan.relation in _PAIRED else tuple(answers.usable)
    if plan.relation in _WHOLE and len(used) < len(answers.parts):
        raise Undecided(answers.first_missing(), "Not known of all of them, so there is no total.")
    currency = answers.needs_one_currency(used)
    values = [answers.parts[i].amount.value for i in used]
    money: str | None = currency
    is_percentage = plan.relation in ("growth", "share") or plan.is_percentage
    if plan.relation == "difference" and plan.is_percentage:
        pair = [values[0] - values[1], values[1]]
        found, shown, money = *_quotient(answers, pair, 100), None
    elif plan.relation == "difference":
        found = abs(values[0] - values[1]) if plan.is_unsigned else values[0] - values[1]
        shown = f"{_shown(values[0])} - {_shown(values[1])}"
    elif plan.relation == "sum":
        found, shown = sum(values, Decimal(0)), " + ".join(map(_shown, values))
    elif plan.relation == "trailing":
        found = values[0] + sum(values[1:2]) - sum(values[2:])
        shown = " ".join(f"{sign}{_shown(value)}" for sign, value in zip(("", "+ ", "- "), values, strict=False))
    elif plan.relation == "average":
        found = sum(values, Decimal(0)) / len(values)
        shown = f"({' + '.join(map(_shown, values))}) / {len(values)}"
    else:
        found, shown, money = *_quotient(answers, values, 100 if is_percentage else 1), None
    unit = answers.unit(money)
    if is_percentage:
        unit = unit.model_copy(update={"measure": "percent", "printed": f"{found:,.1f}%"})
    told = Amount(value=_rounded(found), currency=money, shown=unit.printed)
    statement = f"{_heading(answers)}: {told} ({shown})."
    value: Value = statement if answers.kind == "text" else float(_rounded(found))
    if answers.kind in ("name", "comparative") and plan.relation == "difference":
        value = answers.label(used[0] if values[0] >= values[1] else used[1])
    return answers.result(value, statement, unit=unit, used=used)


_OF_SIZE = expression(r"\b(?:loss|losses|deficit|outflows?|burn|expenses?|costs?|charges?)\b", re.IGNORECASE)


def _quotient(answers: SubAnswers, values: Sequence[Decimal], times: int) -> tuple[Decimal, str]:
    relation = answers.plan.relation
    if relation == "growth" and max(values) < 0 and _OF_SIZE.search(answers.plan.subject):
        values = [abs(value) for value in values]  # a loss that widens grows
    if relation == "share":
        top, bottom = answers.parts[answers.plan.first].amount.value, sum(values, Decimal(0))
    else:
        top, bottom = values[0] - (values[1] if relation == "growth" else 0), values[1]
    if bottom == 0 or (relation in ("growth", "share") and min(*values, bottom) < 0):
        raise Undecided("not_found", f"A {relation} of {bottom:,f} has no meaning.")
    return top / bottom * times, f"{_shown(top)} / {_shown(bottom)}"


def _heading(answers: SubAnswers) -> str:
    relation, subject = answers.plan.relation, answers.plan.subject
    if relation in _PAIRED:
        one, other = answers.label(answers.plan.first), answers.label(answers.plan.second)
        return f"{relation.capitalize()} of {subject}, {one} and {other}"
    if relation == "trailing":
        signs = ("", " plus ", " less ")
        made = "".join(f"{sign}{part.entity.label}" for sign, part in zip(signs, answers.parts, strict=False))
        return f"{subject.capitalize()} of the last twelve months, {made}"
    return f"{relation.capitalize()} of {subject}"


def _shown(value: Decimal) -> str:
    figure = str(Amount(value=value))
    return f"({figure})" if value < 0 else figure


def _rounded(value: Decimal) -> Decimal:
    """A quotient rounded to a limited number of digits."""
    return value if value == value.to_integral_value() else value.quantize(_RATIO_DIGITS).normalize()


def is_more(answers: SubAnswers) -> ComparisonResult:
    """Whether the first has more, or less, than the second."""
    one, other = answers.pair()
    wants_more = answers.plan.relation == "more"
    first, second = answers.parts[one].amount, answers.parts[other].amount
    larger, smaller = (second, first) if _is_of_losses(answers.plan.subject, first, second) else (first, second)
    exceeds = larger.exceeds(smaller) if wants_more else smaller.exceeds(larger)
    if exceeds is None:
        raise Undecided("other_currency", "They are in different currencies; only an exchange rate could tell.")
    sign = "more" if larger.exceeds(smaller) else "less" if smaller.exceeds(larger) else "as much"
    verb = "is" if answers.parts[one].entity.metric else "has"
    statement = f"{answers.plan.subject}: {answers.label(one)} {verb} {sign}, {first} against {second}."
    if answers.kind in ("name", "comparative"):
        return answers.result(answers.label(one if exceeds else other), statement, used=(one, other))
    return answers.result(statement if answers.kind == "text" else exceeds, statement, used=(one, other))


def direction(answers: SubAnswers) -> ComparisonResult:
    """In which direction a quantity went between two years."""
    told = change(answers).statements[0]
    one, other = answers.pair()
    later, earlier = answers.parts[one].amount, answers.parts[other].amount
    moved = later.value - earlier.value
    moved = -moved if _is_of_losses(answers.plan.subject, later, earlier) else moved
    word = "increased" if moved > 0 else "decreased" if moved < 0 else "unchanged"
    return answers.result(told if answers.kind == "text" else word, told, used=(one, other))


def _is_of_losses(subject: str, *amounts: Amount) -> bool:
    """Whether losses are compared that are printed below zero: the larger one is the lower figure."""
    return _LOSS.search(subject) is not None and any(amount.value < 0 for amount in amounts)


_LOSS = expression(r"\bloss(?:es)?\b", re.IGNORECASE)


def whether(answers: SubAnswers) -> ComparisonResult:
    """Whether it is true of all, or of any."""
    values = [answers.parts[i].answer.value is True for i in answers.usable]
    if answers.plan.relation == "all" and len(answers.usable) < len(answers.parts) and all(values):
        raise Undecided(answers.first_missing(), "Not known of all of them.")
    value = all(values) if answers.plan.relation == "all" else any(values)
    yes = [answers.label(i) for i in answers.usable if answers.parts[i].answer.value is True]
    statement = f"{'Yes' if value else 'No'}: {', '.join(yes) or 'none'} of {len(answers.parts)}."
    return answers.result(statement if answers.kind == "text" else value, statement)


def _labelled(label: str, text: str) -> str:
    return text if text.startswith(f"{label}: ") else f"{label}: {text}"


_LINE = 160  # letters of an answer that can stand beside others in one line


def each(answers: SubAnswers) -> ComparisonResult:
    """Each answer on its own; one yes or no where all say so."""
    texts = [_labelled(answers.label(i), _part_text(answers.parts[i])) for i in answers.usable]
    are_names = answers.plan.kind == "name"
    is_each_named = are_names or answers.plan.kind is None
    missing = [answers.label(i) for i in range(len(answers.parts)) if is_each_named and i not in answers.usable]
    told = [*texts, *(f"{label}: N/A" for label in missing)]
    are_long = any(len(text) > _LINE for text in told)
    statement = "\n\n".join(told) if are_long else "; ".join(text.rstrip(".") for text in told) + "."
    values = {answers.parts[i].answer.value for i in answers.usable}
    is_one = len(values) == 1 and len(answers.usable) == len(answers.parts)
    if is_one and values <= {True, False} and (answers.is_open or answers.kind == "boolean"):
        return answers.result(values.pop(), statement).model_copy(update={"kind": "boolean"})
    if answers.is_open:
        return answers.result(statement, statement).model_copy(update={"kind": "text"})
    if answers.kind == "names" and are_names:
        named = dict.fromkeys(str(answers.parts[i].answer.value) for i in answers.usable)
        return answers.result(tuple(named), statement)
    if answers.kind == "names":
        return answers.result(tuple(texts), statement)
    if answers.kind in ("text", "comparative"):
        return answers.result(statement, statement)
    raise Undecided("company_ambiguous", f"One answer is asked for, and there are several: {statement}")


def change(answers: SubAnswers) -> ComparisonResult:
    """How a quantity changed between two years."""
    one, other = answers.pair()
    later, earlier = answers.parts[one].amount, answers.parts[other].amount
    answers.needs_one_currency((one, other))
    moved, is_of_losses = later.value - earlier.value, _is_of_losses(answers.plan.subject, later, earlier)
    grown = -moved if is_of_losses else moved
    word = "rose" if grown > 0 else "fell" if grown < 0 else "did not change"
    size = Amount(value=abs(moved), currency=later.currency)
    percent = f" ({moved / earlier.value * 100:+.1f}%)" if earlier.value > 0 else ""
    by = f" by {size}{percent}" if moved else ""
    subject = answers.plan.subject
    text = f"{capital(subject)} {word}{by}: {earlier} in {answers.label(other)}, {later} in {answers.label(one)}."
    if answers.kind == "number":
        return answers.result(float(moved), text, unit=answers.unit(later.currency), used=(one, other))
    return answers.result(text, text, used=(one, other))


def _part_text(part: Part) -> str:
    return str(part.amount) if part.is_number else value_text(part.answer.value)


def series(answers: SubAnswers) -> ComparisonResult:
    """The figures of all years, with the change of each step and over the span."""
    used, text = _steps(answers)
    subject = answers.plan.subject
    statement = f"{capital(subject)}: {text}."
    return answers.result(statement, statement, used=used)


def compound_growth(answers: SubAnswers) -> ComparisonResult:
    """The growth a year, in percent, that leads from the first figure to the last one."""
    first, last = _span(answers)
    ends = {_year(answers, i) for i in range(len(answers.parts))}
    if not answers.plan.is_open and {_year(answers, first), _year(answers, last)} != {min(ends), max(ends)}:
        raise Undecided(answers.first_missing(), "Not known at both ends of the span.")
    start, end = answers.parts[first].amount, answers.parts[last].amount
    answers.needs_one_currency((first, last))
    years = _year(answers, last) - _year(answers, first)
    if min(start.value, end.value) <= 0 or years <= 0:
        raise Undecided("not_found", "A growth rate from or to a figure that is not above zero has no meaning.")
    with localcontext(prec=_DIGITS):
        rate = ((end.value / start.value) ** (Decimal(1) / years) - 1) * _HUNDRED
    statement = (
        f"Compound annual growth of {answers.plan.subject}, {answers.label(first)} to {answers.label(last)}: "
        f"{rate:,.1f}% = ({_shown(end.value)} / {_shown(start.value)}) ^ (1 / {years}) - 1."
    )
    unit = Unit(measure="percent", printed=f"{rate:,.1f}%")
    value: Value = statement if answers.kind == "text" else float(_rounded(rate))
    return answers.result(value, statement, unit=unit, used=(first, last))


def moves(answers: SubAnswers) -> ComparisonResult:
    """Whether it rose, or fell, over the span; where each step is meant, in each of them."""
    used, text = _steps(answers)
    if len(used) < len(answers.parts) and not answers.plan.is_open:
        raise Undecided(answers.first_missing(), "Not known of all years.")
    steps = _changes(answers, used) if answers.plan.is_strict_trend else [_change(answers, used[0], used[-1])]
    up = answers.plan.relation == "rising"
    return _whether_moved(answers, all(step > 0 if up else step < 0 for step in steps), text, used)


def ever_moves(answers: SubAnswers) -> ComparisonResult:
    """Whether it rose, or fell, in any step."""
    used, text = _steps(answers)
    if len(used) < len(answers.parts) and not answers.plan.is_open:
        raise Undecided(answers.first_missing(), "Not known of all years.")
    up = answers.plan.relation == "ever_rising"
    return _whether_moved(
        answers, any(step > 0 if up else step < 0 for step in _changes(answers, used)), text, used
    )


def calculation(answers: SubAnswers) -> ComparisonResult:
    """The value of a planned formula over the sub-answers, or the yes or no that rests on it."""
    asked = answers.plan.calculation
    if asked is None:
        raise TypeError("the plan has no calculation")
    missing = [answers.label(i) for i in range(len(answers.parts)) if i not in answers.usable]
    if missing:
        why = f"{asked.title} is not calculated: there is no figure for {', '.join(missing)}."
        raise Undecided(answers.first_missing(), why)
    cells = [part.answer.citations[0] for part in answers.parts if part.answer.citations]
    if len(set(cells)) < len(cells):  # of two figures, one at least is another than the one that was asked for
        raise Undecided(
            "not_found", f"{asked.title} is not calculated: one printed figure was found for two of it."
        )
    currency = answers.needs_one_currency(answers.usable)
    amounts = {name: part.amount for name, part in zip(asked.names, answers.parts, strict=True)}
    titles = {name: part.entity.label for name, part in zip(asked.names, answers.parts, strict=True)}
    value = _calculated(asked, asked.formula, amounts)
    money = currency if asked.metric.is_money else None
    shown = asked.metric.shown(value, money)
    formula = Formula(asked.formula)
    in_words = formula.written(lambda name, _: titles[name])
    in_figures = formula.written(lambda name, _: _shown(amounts[name].value))
    statement = f"{_verdict(asked, value)}{asked.title}: {shown} = {in_words} = {in_figures}."
    if asked.definition:
        statement += f" Definition: {asked.definition}."
    if asked.other_formula:
        other = asked.metric.shown(_calculated(asked, asked.other_formula, amounts), money)
        statement += f" By another definition ({asked.other_definition or asked.other_formula}): {other}."
    measure = None if asked.metric.is_money or asked.unit in ("count", "amount", "per_share") else asked.unit
    unit = Unit(currency=money, printed=shown, measure=measure)
    given: Value = statement if answers.kind == "text" else float(value)
    if asked.limit is not None and answers.kind != "text":
        given = asked.holds(value)
    found = answers.result(given, statement, unit=None if isinstance(given, bool) else unit)
    kind: AnswerKind = "boolean" if isinstance(given, bool) else found.kind
    return found.model_copy(update={"kind": kind, "formula": in_words, "in_figures": in_figures})


def _calculated(asked: Calculation, formula: str, amounts: Mapping[str, Amount]) -> Decimal:
    try:
        return asked.value(formula, {name: amount.value for name, amount in amounts.items()})
    except ZeroDivisionError:
        raise Undecided("not_found", f"{asked.title} is not calculated: a divisor is zero.") from None


def _verdict(asked: Calculation, value: Decimal) -> str:
    """The yes or no and its threshold; empty for a figure."""
    if asked.limit is None:
        return ""
    limit = f"{asked.limit.replace('_', ' ')} {asked.metric.shown(asked.threshold)}"
    basis = f" ({asked.basis})" if asked.basis else ""
    return f"{'Yes' if asked.holds(value) else 'No'}. Asked: {limit}{basis}. "


_HUNDRED = Decimal(100)
_DIGITS = 28


def _whether_moved(answers: SubAnswers, holds: bool, text: str, used: Sequence[int]) -> ComparisonResult:
    statement = f"{'Yes' if holds else 'No'}. {answers.plan.subject}: {text}."
    return answers.result(statement if answers.kind == "text" else holds, statement, used=used)


def _steps(answers: SubAnswers) -> tuple[list[int], str]:
    """The years with a figure in their order, and their figures and changes in words."""
    first, last = _span(answers)
    used = sorted(answers.usable, key=lambda i: _year(answers, i))
    answers.needs_one_currency(used)
    texts = [f"{answers.label(first)} {answers.parts[first].amount}"]
    for before, now in pairwise(used):
        texts.append(f"{answers.label(now)} {answers.parts[now].amount} ({_moved(answers, before, now)})")
    over = f"; {answers.label(first)} to {answers.label(last)} {_moved(answers, first, last)}"
    return used, ", ".join(texts) + (over if len(used) > 2 else "")


def _span(answers: SubAnswers) -> tuple[int, int]:
    """The first and the last year with a figure."""
    used = sorted(answers.usable, key=lambda i: _year(answers, i))
    if len(used) < 2:
        raise Undecided("other_period", f"Only {answers.label(used[0])} has a figure, so nothing can be compared.")
    return used[0], used[-1]


def _year(answers: SubAnswers, at: int) -> int:
    return answers.parts[at].entity.year or 0


def _change(answers: SubAnswers, before: int, now: int) -> Decimal:
    return answers.parts[now].amount.value - answers.parts[before].amount.value


def _changes(answers: SubAnswers, used: Sequence[int]) -> list[Decimal]:
    return [_change(answers, before, now) for before, now in pairwise(used)]


def _moved(answers: SubAnswers, before: int, now: int) -> str:
    """A change as people write it: in points for percentages, in percent for amounts above zero."""
    unit, start = answers.parts[now].answer.unit, answers.parts[before].amount.value
    change = _change(answers, before, now)
    if answers.parts[now].is_percentage:
        return f"{change:+,.1f} points"
    if unit is not None and unit.measure is not None:
        return f"{change:+,.2f}"
    end = answers.parts[now].amount.value
    return (
        f"{change / start * _HUNDRED:+,.1f}%"
        if start > 0 and end > 0
        else f"{'+' * (change > 0)}{Amount(value=change)}"
    )
