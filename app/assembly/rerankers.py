"""The reranker of the settings."""

from llama_index.core.postprocessor.types import BaseNodePostprocessor

from app.settings import Settings
from prompts.prompt_set import PromptSet
from query_engines.background_loop import BackgroundLoop
from query_engines.cross_encoder import MODEL as CROSS_ENCODER
from query_engines.cross_encoder import CrossEncoderScorer
from query_engines.hosted_models import HostedModels
from query_engines.index_shelf import ReportSearch
from query_engines.lexical_rerank import LexicalRerankPostprocessor
from query_engines.llm import CompatOpenAI
from query_engines.llm_rerank import LLMRerankPostprocessor, page_judge
from query_engines.scorer_rerank import PageScorer, ScorerRerankPostprocessor
from storage.kept import KeptPages


def page_scorer(settings: Settings, hosted: HostedModels) -> PageScorer | None:
    """The model that scores pages, where the reranker has one; made once for all companies."""
    options = settings.rerank
    if options.kind == "jina":
        return hosted.jina(options)
    return CrossEncoderScorer(options.model or CROSS_ENCODER) if options.kind == "cross_encoder" else None


def rerankers(
    settings: Settings,
    search: ReportSearch,
    pages: KeptPages,
    llm: CompatOpenAI | None,
    scorer: PageScorer | None,
    loop: BackgroundLoop,
    prompts: PromptSet,
) -> list[BaseNodePostprocessor]:
    """The reranker over one report, or none."""
    options = settings.rerank
    if options.kind == "lexical":
        return [
            LexicalRerankPostprocessor(
                search=search,
                first_weight=options.vector_weight,
                own_weight=options.llm_weight,
                page_count=settings.retrieval.pages,
            )
        ]
    if options.kind == "llm" and llm is not None:
        return [
            LLMRerankPostprocessor(
                judge=page_judge(llm, loop, prompts.rerank, prompts.repair),
                report=search.report,
                read_pages=pages.read,
                loop=loop,
                first_weight=options.vector_weight,
                own_weight=options.llm_weight,
                pages_per_request=options.pages_per_request,
            )
        ]
    if scorer is not None:
        return [
            ScorerRerankPostprocessor(
                scorer=scorer,
                read_pages=pages.read,
                loop=loop,
                first_weight=options.vector_weight,
                own_weight=options.llm_weight,
                pages_per_request=options.pages_per_request,
            )
        ]
    return []
