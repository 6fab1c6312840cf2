"""Reads known answers in one form from the challenge's files, checked facts and questions, and workbooks."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from app.evaluation.question_workbook import FilledRow, read_filled
from app.files.answer_json import PageRef
from app.files.questions import parse_json, read_text
from storage.errors import UsageError
from storage.records.answers import NOT_AVAILABLE
from storage.records.record import Record

Row = TypeVar("Row")
TruthValue = bool | int | float | str | tuple[str, ...]
TruthForm = Literal["round1", "round2", "facts", "fact_table", "questions", "wordings", "workbook"]
FACTS = "facts.json"  # the file of facts beside a file of wordings

_FIGURE = (
    "What was the {} (in CUR) for COMPANY according to the annual report (within the last period or at the end of "
    "the last period)? If data is not available, return 'N/A'."
)
# The question about a fact, in the words of the challenge's round 2; `_FIGURE` is for unlisted figures.
WORDING = {
    "EPS (earnings per share), basic": _FIGURE.format("EPS (earnings per share)"),
    "CEO": 'Who is the CEO in the company "COMPANY"?',
    "mergers or acquisitions mentioned": "Did COMPANY mention any mergers or acquisitions in the annual report? "
    "If there is no mention, return False.",
    "share buyback announced": "Did COMPANY announce a share buyback plan in the annual report? "
    "If there is no mention, return False.",
    "number of employees at year end": "What is the total number of employees of COMPANY at the end of the period "
    "listed in annual report? If data is not available, return 'N/A'.",
}


class Truth(Record):
    """A question whose answer is known.

    Attributes:
        answers: any of them is right; "N/A" where the report has no answer.
        also_names: for `names`, other names that may replace one of the answer's.
        pools: the answer needs one cited page of each; None where the file names no pages at all.
        report_sha1, company, metric: if the file has them.
    """

    question: str
    kind: str
    answers: tuple[TruthValue, ...]
    also_names: tuple[str, ...] = ()
    pools: tuple[frozenset[PageRef], ...] | None = None
    report_sha1: str | None = None
    company: str | None = None
    metric: str | None = None

    @property
    def is_not_available(self) -> bool:
        """Whether N/A is the only right answer."""
        return all(answer == NOT_AVAILABLE for answer in self.answers)


class TruthFile(Record):
    """The content of a file of known answers, in its order."""

    form: TruthForm
    truths: tuple[Truth, ...]


def read_truth(path: Path) -> TruthFile:
    """Read known answers from a workbook of `pageproof questions` or a JSON form, recognised by content.

    Raises:
        UsageError: it has none of the forms; the message names the file, the place and what was expected.
    """
    if path.suffix.lower() == ".xlsx":
        return TruthFile(form="workbook", truths=tuple(map(_by_hand, read_filled(path))))
    content = parse_json(read_text(path), path)
    first = content[0] if isinstance(content, list) and content else None
    fields = set(first) if isinstance(first, dict) else set()
    try:
        if isinstance(content, dict) and isinstance(content.get("facts"), list):
            table = _FactTable.model_validate(content)
            return TruthFile(form="fact_table", truths=tuple(table.truths()))
        if isinstance(content, dict) and content:
            items = TypeAdapter(dict[str, _Round2]).validate_python(content).items()
            return TruthFile(form="round2", truths=tuple(item.truth(question) for question, item in items))
        if "facts" in fields or "questions" in fields:
            form: TruthForm = "facts" if "facts" in fields else "questions"
            reports = TypeAdapter(list[_Report]).validate_python(content)
            return TruthFile(form=form, truths=tuple(truth for report in reports for truth in report.truths()))
        if {"metric", "text"} <= fields:
            wordings = TypeAdapter(list[_Wording]).validate_python(content)
            return TruthFile(form="wordings", truths=_worded(wordings, path))
        if "schema" in fields:
            rows = TypeAdapter(list[_Round1]).validate_python(content)
            return TruthFile(form="round1", truths=tuple(row.truth() for row in rows))
    except ValidationError as error:
        first_error = error.errors(include_url=False, include_input=False)[0]
        place = " → ".join(map(str, first_error["loc"]))
        raise UsageError(f"{path}: {place}: {first_error['msg']}") from error
    forms = (
        "the challenge's answers of round 1 or 2, reports with `facts` or `questions`, wordings of facts, or what "
        "`pageproof facts --out` writes"
    )
    raise UsageError(f"{path}: no known form of truth; expected {forms}")


class _Item(Record, extra="ignore"):
    """A part of a truth file; notes for people are ignored."""


_Answers = Annotated[list[TruthValue], Field(min_length=1)]
_Pool = list[Annotated[str, Field(pattern=r"^.+:\d+$")]]


class _Round1(_Item):
    question: str
    kind: str = Field(alias="schema")
    answer: _Answers

    def truth(self) -> Truth:
        return Truth(question=self.question, kind=self.kind, answers=tuple(self.answer))


class _Round2(_Item):
    kind: str
    answers: _Answers
    reference_pools: list[_Pool]

    def truth(self, question: str) -> Truth:
        pools = tuple(frozenset(map(_page_ref, pool)) for pool in self.reference_pools)
        return Truth(question=question, kind=self.kind, answers=tuple(self.answers), pools=pools)


class _Known(_Item):
    """A checked fact (`metric`) or question (`text`); pages are 0-based."""

    kind: str
    value: TruthValue
    pages: list[int]
    also: tuple[TruthValue, ...] = ()
    metric: str | None = None
    text: str | None = None


class _Report(_Item):
    sha1: str
    company: str
    currency: str | None = None
    facts: tuple[_Known, ...] = ()
    questions: tuple[_Known, ...] = ()

    def truths(self) -> Iterable[Truth]:
        for known in [*self.facts, *self.questions]:
            names = tuple(str(a) for a in known.also if a != NOT_AVAILABLE) if known.kind == "names" else ()
            also = [answer for answer in known.also if answer not in names]
            pages = frozenset((self.sha1, index + 1) for index in known.pages)
            yield Truth(
                question=known.text or self._worded(known),
                kind=known.kind,
                answers=(known.value, *also),
                also_names=names,
                # As in the challenge, an answer that is not in the report has no page to cite.
                pools=(pages,) if pages and known.value != NOT_AVAILABLE else (),
                report_sha1=self.sha1,
                company=self.company,
                metric=known.metric,
            )

    def _worded(self, fact: _Known) -> str:
        metric = fact.metric or ""
        if metric not in WORDING and fact.kind != "number":
            raise UsageError(f"{self.company}: no wording for the fact {metric!r}; known are {', '.join(WORDING)}")
        wording = WORDING.get(metric, _FIGURE.format(metric))
        return wording.replace("CUR", self.currency or "the reporting currency").replace("COMPANY", self.company)


class _FactRow(_Item):
    """A figure as `pageproof facts --out` writes it; its page is 1-based."""

    company: str
    report_sha1: str
    page: int
    title: str
    value: int | float
    unit: str = ""
    is_current: bool
    formula: str = ""


class _Officer(_Item):
    company: str
    report_sha1: str
    page: int
    role: str
    name: str


class _FactTable(_Item):
    """A fact table, as checked by somebody. Figures of the reported period count, and those that are printed."""

    facts: tuple[_FactRow, ...]
    officers: tuple[_Officer, ...] = ()

    def truths(self) -> Iterable[Truth]:
        """One question for each metric and for each chief executive of a report."""
        printed = (row for row in self.facts if row.is_current and not row.formula)
        for (sha1, title), rows in _grouped(printed, lambda row: (row.report_sha1, row.title)):
            yield Truth(
                question=_FIGURE.format(title)
                .replace("CUR", rows[0].unit or "units")
                .replace("COMPANY", rows[0].company),
                kind="number",
                answers=tuple(dict.fromkeys(row.value for row in rows)),
                pools=(frozenset((sha1, row.page) for row in rows),),
                report_sha1=sha1,
                company=rows[0].company,
                metric=title,
            )
        chiefs = (officer for officer in self.officers if officer.role == "chief executive")
        for (sha1, company), found in _grouped(chiefs, lambda officer: (officer.report_sha1, officer.company)):
            yield Truth(
                question=WORDING["CEO"].replace("COMPANY", company),
                kind="name",
                answers=tuple(dict.fromkeys(officer.name for officer in found)),
                pools=(frozenset((sha1, officer.page) for officer in found),),
                report_sha1=sha1,
                company=company,
                metric="CEO",
            )


def _grouped(
    rows: Iterable[Row], key: Callable[[Row], tuple[str, str]]
) -> Iterable[tuple[tuple[str, str], list[Row]]]:
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups.items()


class _Wording(_Item):
    """A wording of the question about a fact; the fact is in the file of facts beside it."""

    sha1: str
    metric: str
    text: str


def _worded(wordings: Sequence[_Wording], path: Path) -> tuple[Truth, ...]:
    """Each wording with the answer and the pages of its fact.

    Raises:
        UsageError: there is no file of facts beside it, or a fact is missing there.
    """
    beside = path.with_name(FACTS)
    if not beside.is_file():
        raise UsageError(f"{path}: its facts are expected beside it, in {beside.name}")
    facts = {(truth.report_sha1, truth.metric): truth for truth in read_truth(beside).truths}
    missing = next((w for w in wordings if (w.sha1, w.metric) not in facts), None)
    if missing is not None:
        raise UsageError(
            f"{path}: {missing.text!r} asks for {missing.metric!r}, which {beside.name} does not hold"
        )
    return tuple(facts[w.sha1, w.metric].model_copy(update={"question": w.text}) for w in wordings)


def _by_hand(row: FilledRow) -> Truth:
    # In the challenge, a comparison has the kind "name".
    kind = "name" if row.kind == "comparative" else row.kind
    return Truth(question=row.question, kind=kind, answers=row.answers, pools=row.pools, company=row.company)


def _page_ref(pool_entry: str) -> PageRef:
    """The challenge's "<sha1>:<page index>" with a page number."""
    sha1, _, index = pool_entry.rpartition(":")
    return sha1, int(index) + 1
