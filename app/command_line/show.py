"""What the commands print: text for people on stdout, or JSON for programs."""

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import BaseModel

from app.fact_scores import FactReport
from app.readiness import Finding, ProfileState
from app.retrieval_scores import RetrievalMiss, RetrievalReport
from app.scoring import ScoreReport
from storage.answers import Answer, Check, Unit
from storage.catalog_edits import CatalogEdit
from storage.reports import Company, Evidence, ReportField

if TYPE_CHECKING:
    from indexes.ingestion import Ingested  # pulls in LlamaIndex, and --help should not wait

MARKS = {"passed": "✓", "failed": "✗", "not_applicable": "·"}


def as_json(value: object) -> None:
    """A JSON value or record."""
    body = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
    _print(json.dumps(body, ensure_ascii=False, indent=1))


def answer(found: Answer) -> None:
    """An answer: value first, then where it stands, how it was checked and why."""
    _print(_value(found))
    if found.company:
        _print(f"  {found.company} · {found.kind}{_unit(found.unit)}")
    if found.reason:
        _print(f"  reason: {found.reason.replace('_', ' ')}")
    if found.candidates:
        _print(f"  nearest names: {'; '.join(found.candidates)}")
    for citation in found.citations:
        by_ocr = " (read by OCR)" if citation.text_source == "ocr" else ""
        _print(f"  {citation.file}, page {citation.page}{by_ocr}: “{citation.quote}”")
    if found.checks:
        _print("  " + "   ".join(map(_check, found.checks)))
    if found.summary:
        _print(f"  {found.summary}")
    model = f"{found.usage.requests} model requests" if found.usage.requests else "no language model used"
    _print(f"  {found.seconds:.1f} s · {model} · profile {found.profile}")


def ingested(outcomes: Sequence["Ingested"], as_json: bool) -> None:
    """What became of each PDF; failures on stderr."""
    if as_json:
        _print(json.dumps([o.model_dump(mode="json") for o in outcomes], ensure_ascii=False, indent=1))
    for outcome in outcomes:
        if outcome.status == "failed":
            sys.stderr.write(f"pageproof: {outcome.reason}\n")
        elif not as_json:
            told = f"; {outcome.reason}" if outcome.reason else ""
            _print(f"{outcome.status:9}  {outcome.company}  ({outcome.file}, {outcome.page_count} pages{told})")
        if outcome.warning:
            sys.stderr.write(f"pageproof: {' '.join(outcome.warning.split())}\n")
    if not as_json and len(outcomes) > 1:
        done = sum(o.status != "failed" for o in outcomes)
        _print(f"{done} of {len(outcomes)} reports are in the library")


def failures(lines: Sequence[str]) -> None:
    """What failed, one line each, on stderr."""
    for line in lines:
        sys.stderr.write(f"pageproof: {' '.join(line.split())}\n")


def scores(report: ScoreReport, facts: FactReport | None, as_json: bool) -> None:
    """The challenge's score, and the fact counts where the truth is facts."""
    if as_json:
        extra = {"facts": facts.model_dump(mode="json")} if facts else {}
        _print(json.dumps({**report.model_dump(mode="json"), **extra}, ensure_ascii=False, indent=1))
        return
    references = "none in the truth" if report.R is None else f"{report.R:.1f}"
    _print(
        f"{report.n} questions   values G {report.G:.1f}   references R {references}   score {report.score:.1f}"
    )
    for kind, figures in report.by_kind.items():
        _print(
            f"  {kind:12} n={figures.n:4}  G {figures.G:5.1f}"
            + ("" if figures.R is None else f"  R {figures.R:5.1f}")
        )
    _print(f"  wrong {report.wrong}, missing {report.missing}")
    for note in report.notes:
        _print(f"  {note}")
    if facts:
        for metric, counts in {**facts.by_metric, "all facts": facts.overall}.items():
            _print(
                f"  {metric:36} right {counts.right:4}  wrong {counts.wrong:4}  "
                f"missing {counts.missing:4}  right N/A {counts.right_na:4}"
            )


def retrieval(report: RetrievalReport, misses: Sequence[RetrievalMiss] | None, as_json: bool) -> None:
    """Recall and mean reciprocal rank of the right page, and the misses where they are asked for."""
    if as_json:
        told = None if misses is None else [m.model_dump(mode="json") | {"why": m.why} for m in misses]
        extra = {} if told is None else {"errors": told}
        _print(json.dumps(report.model_dump(mode="json") | extra, ensure_ascii=False, indent=1))
        return
    for name, figures in {**report.by_metric, "all": report}.items():
        recall = "  ".join(f"R@{k} {share:.3f}" for k, share in figures.recall.items())
        _print(f"{name:36} n={figures.n:4}  {recall}  MRR {figures.mrr:.3f}")
    for miss in misses or ():
        wanted, found = (", ".join(map(str, pages)) for pages in (miss.wanted, miss.found))
        _print(
            f"  {miss.company or miss.report_sha1[:8]}: {miss.metric}: wanted {wanted}; came {found}; {miss.why}"
        )


def companies(known: Sequence[Company], as_json: bool) -> None:
    """The library's companies and reports, and where what is known of them was read."""
    if as_json:
        _print(json.dumps([c.model_dump(mode="json") for c in known], ensure_ascii=False, indent=1))
        return
    for company in known:
        _print(company.name + (f"  ({'; '.join(company.aliases)})" if company.aliases else ""))
        for report in company.reports:
            _print(
                f"  {report.file}  {report.page_count} pages  {report.currency or 'currency unknown'}  "
                f"{report.period_end or 'period unknown'}"
            )
            for evidence in report.evidence:
                _print(f"    {_FIELDS[evidence.field]} {_from_where(evidence, company)}")
    if not known:
        _print("The library is empty; run `pageproof ingest PATH`, or `pageproof demo`.")


def edited(edit: CatalogEdit, as_json: bool) -> None:
    """What an edit changed."""
    if as_json:
        _print(json.dumps([c.model_dump(mode="json") for c in edit.after], ensure_ascii=False, indent=1))
        return
    for company in edit.after:
        others = [c.name for c in edit.before if c.name != company.name and _hands_over(c, company)]
        was = f"  (was {'; '.join(others)})" if others else ""
        _print(f"changed: {company.name}{was}")
    if edit.changes_nothing:
        _print("nothing to change")


def _hands_over(before: Company, after: Company) -> bool:
    return bool({r.sha1 for r in before.reports} & {r.sha1 for r in after.reports})


def _from_where(evidence: Evidence, company: Company) -> str:
    if evidence.source == "report":
        return f'from page {evidence.page}: "{evidence.quote}"'
    if evidence.source == "file_name":
        return f"taken from the file name; edit with `pageproof companies {company.name!r} --edit --name …`"
    return "from the catalog" if evidence.source == "catalog" else "edited by hand"


def profiles(states: Sequence[ProfileState], as_json: bool) -> None:
    """The profiles and what each needs."""
    if as_json:
        _print(json.dumps([s.model_dump(mode="json") for s in states], ensure_ascii=False, indent=1))
        return
    for state in states:
        _print(f"{state.name:28} {state.description}")
        if state.needs:
            _print(f"{'':28} needs {'; '.join(state.needs)}")


def findings(found: Sequence[Finding], as_json: bool) -> None:
    """What the doctor saw."""
    if as_json:
        _print(json.dumps([f.model_dump(mode="json") for f in found], ensure_ascii=False, indent=1))
        return
    for finding in found:
        _print(
            f"{finding.state:8} {finding.what}: {finding.detail}"
            + (f" — {finding.advice}" if finding.advice else "")
        )


_FIELDS: dict[ReportField, str] = {
    "company": "name",
    "currency": "currency",
    "period_end": "period end",
    "fiscal_year": "year",
    "alias": "ticker",
}


def _value(found: Answer) -> str:
    if isinstance(found.value, bool):
        return "yes" if found.value else "no"
    if isinstance(found.value, float):
        currency = f" {found.unit.currency}" if found.unit and found.unit.currency else ""
        return f"{found.value:,.10g}{currency}" if found.value % 1 else f"{found.value:,.0f}{currency}"
    return "; ".join(found.value) if isinstance(found.value, tuple) else found.value


def _unit(unit: Unit | None) -> str:
    if unit is None:
        return ""
    printed = f" · as printed: {unit.printed}" + (f" × {unit.scale:,}" if unit.scale > 1 else "")
    return printed + (f" · period to {unit.period_end}" if unit.period_end else "")


def _check(check: Check) -> str:
    return f"{MARKS[check.verdict]} {check.name}" + (f" ({check.detail})" if check.verdict == "failed" else "")


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")
