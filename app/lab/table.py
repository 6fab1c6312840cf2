"""The lab's table: one line for each variant, as Markdown and for the terminal."""

from collections.abc import Sequence

from app.evaluation import Evaluation
from app.lab.comparison import Comparison, VariantResult

NOTHING = "–"


def columns(comparison: Comparison) -> tuple[str, ...]:
    """The heads: the score, its parts, each kind, errors, pages, time and money."""
    kinds = tuple(f"G {kind}" for kind in _kinds(comparison))
    return (
        "variant",
        "score",
        "G",
        "R",
        *kinds,
        "wrong",
        "missing",
        "pages P",
        "pages R",
        "s/question",
        "USD/question",
    )


def lines(comparison: Comparison) -> tuple[tuple[str, ...], ...]:
    """The cells of the variants that were asked, in their order."""
    kinds = _kinds(comparison)
    return tuple(
        _line(variant.name, variant.evaluation, kinds) for variant in comparison.done if variant.evaluation
    )


def best(comparison: Comparison) -> frozenset[str]:
    """The names of the variants with the highest score."""
    scores = {v.name: v.evaluation.score for v in comparison.done if v.evaluation}
    return frozenset(name for name, score in scores.items() if score == max(scores.values()))


def troubles(variants: Sequence[VariantResult]) -> tuple[str, ...]:
    """What could not be asked or got no answer, a line for each variant."""
    lacking = [f"{v.name}: not asked: needs {'; '.join(v.lacks)}" for v in variants if v.lacks]
    failing = [
        f"{v.name}: {v.failed} questions got no answer; the first: {v.first_error}"
        for v in variants
        if v.failed and not v.lacks
    ]
    warned = [f"{v.name}: {warning}" for v in variants for warning in v.warnings]
    return (*lacking, *failing, *warned)


def as_markdown(comparison: Comparison) -> str:
    """The table with what could not be asked below it."""
    heads = columns(comparison)
    ruler = ["---", *("---:" for _ in heads[1:])]
    rows = [heads, ruler, *(_marked(line, best(comparison)) for line in lines(comparison))]
    table = "\n".join("| " + " | ".join(cells) + " |" for cells in rows)
    told = "".join(f"\n- {trouble}" for trouble in troubles(comparison.variants))
    asked = f"{comparison.count} questions of `{comparison.questions}`, truth `{comparison.truth}`."
    return f"{table}\n\n{asked}\n{told}\n"


def _marked(line: Sequence[str], winners: frozenset[str]) -> list[str]:
    return [f"**`{line[0]}`**" if line[0] in winners else f"`{line[0]}`", *line[1:]]


def _line(name: str, found: Evaluation, kinds: Sequence[str]) -> tuple[str, ...]:
    pages = found.references
    by_kind = [f"{found.by_kind[kind].G:.1f}" if kind in found.by_kind else NOTHING for kind in kinds]
    precision = NOTHING if pages is None or pages.precision is None else f"{pages.precision:.3f}"
    return (
        name,
        f"{found.score:.1f}",
        f"{found.G:.1f}",
        NOTHING if found.R is None else f"{found.R:.1f}",
        *by_kind,
        f"{found.wrong / found.n:.1%}",
        f"{found.missing / found.n:.1%}",
        precision,
        NOTHING if pages is None else f"{pages.recall:.3f}",
        NOTHING if found.seconds_per_question is None else f"{found.seconds_per_question:.2f}",
        NOTHING if found.cost_usd_per_question is None else f"{found.cost_usd_per_question:.4f}",
    )


def _kinds(comparison: Comparison) -> tuple[str, ...]:
    return tuple(sorted({kind for v in comparison.done if v.evaluation for kind in v.evaluation.by_kind}))
