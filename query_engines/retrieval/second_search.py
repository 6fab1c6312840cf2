"""Searches a report a second time, for pages that the first search did not find."""

from collections.abc import Collection
from typing import Literal

from llama_index.core.schema import NodeWithScore

from prompts.drafts import Draft
from query_engines.question.parsed import FactMatch, Intent, QuestionBundle
from query_engines.retrieval.index_cache import ReportSearch
from query_engines.retrieval.page_nodes import ReadPages, page_node
from storage.records.answers import NOT_AVAILABLE
from storage.records.metrics import Metric, Ontology, significant

_RELATED = 2  # similar metrics whose names are tried for a question outside the ontology
_SHARED = 0.5  # of the words of such a metric's name that the question must contain


class SecondSearch:
    """Searches for other words: the printed names of the requested metric, or of similar metrics.

    All pages are scored by their rows and words, without a model; the metric's own statement comes first.
    """

    def __init__(self, search: ReportSearch, ontology: Ontology, read_pages: ReadPages, page_count: int) -> None:
        """Prepare a search that gives at most `page_count` pages."""
        self._search = search
        self._ontology = ontology
        self._read_pages = read_pages
        self._page_count = page_count

    def find(self, query: QuestionBundle, read: Collection[int]) -> tuple[str, list[NodeWithScore]]:
        """The search words, and pages that were not read yet, best first."""
        intent = query.parsed.intent
        metric = query.facts.metric or intent.metric
        words = self._other_words(intent, metric)
        scores = self._search.scores
        own = scores.of(
            intent.model_copy(
                update={"text": words, "metric": metric, "topic": "line" if metric else intent.topic}
            ),
            self._search.words.page_shares(words, scores.page_count),
        )
        at_home = scores.statement_pages(metric.statement) if metric else ()
        found = [n for n in at_home if n not in read]
        by_score = sorted((n for n in range(1, len(own) + 1) if own[n - 1] > 0), key=lambda n: -own[n - 1])
        found += [n for n in by_score if n not in read and n not in found]
        pages = self._read_pages(self._search.report.sha1, found[: self._page_count])
        return words, [
            page_node(p, p.markdown, float(own[p.page_number - 1])) for p in pages if p.markdown.strip()
        ]

    def _other_words(self, intent: Intent, metric: Metric | None) -> str:
        near = [metric] if metric else self._related(intent) if intent.topic == "other" else []
        names = [name for m in near for name in (m.title, *m.question_names, *m.names_in_english)]
        return " ".join(dict.fromkeys([intent.text, intent.printed, *names])).strip()

    def _related(self, intent: Intent) -> list[Metric]:
        wanted = significant(intent.text)
        shares = {
            m.id: max(_share(wanted, name) for name in (m.title, *m.question_names))
            for m in self._ontology.metrics
        }
        nearest = sorted(shares, key=lambda metric_id: -shares[metric_id])[:_RELATED]
        return [self._ontology[metric_id] for metric_id in nearest if shares[metric_id] >= _SHARED]


def may_find_more(draft: Draft, facts: FactMatch, answerer: Literal["llm", "extractive"]) -> bool:
    """Whether other pages can help: the draft found nothing, and not because of the fact table."""
    if draft.final_answer != NOT_AVAILABLE or draft.unavailable_because not in (
        None,
        "not_found",
        "not_disclosed",
    ):
        return False
    if facts.no_meaning:
        return False
    if answerer == "llm":
        return True
    if facts.calculated is not None:
        return False
    return facts.role is None and facts.event is None and not (facts.metric is not None and facts.is_read)


def _share(wanted: frozenset[str], name: str) -> float:
    """The share of a name's words that the question contains."""
    words = significant(name)
    return len(words & wanted) / len(words) if words else 0.0
