"""Builds a client with all its parts."""

import logging
import os
import secrets
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING

from app.assembly.client import Engines, Pageproof
from app.assembly.components import Components, OwnComponents
from app.assembly.engines import AnsweringModels, AnswerSources, company_engines, company_router, page_scorer
from app.assembly.libraries import (
    Root,
    build_maintenance,
    build_prompts,
    joined,
    one,
    open_root,
    stores_of_indexes,
)
from app.assembly.shared_parts import SharedParts
from app.library.editor import LibraryEditor
from app.library.fact_sheet import KnownFacts
from app.recording.answer_cache import AnswerKeys, AnswerMemory
from app.recording.recorded_engine import RecordedQueryEngine, RunTrail, Surroundings
from app.settings import Settings, differences, names_unused_model, without_credentials
from indexes.facts.extract import extract_facts
from indexes.facts.fact_table import FactTable
from indexes.ingestion.ingestion import Indexing, Ingestor, Reading
from indexes.ingestion.stores import LibraryStores
from indexes.options import IngestOptions, ReaderOptions
from indexes.reading.pool import MakePool, MakeReader, ReadingPool, docling_reader, mineru_reader
from indexes.search.cached_embedding import SentenceLikeness
from indexes.search.embeddings import build_embedder
from indexes.search.table_texts import TableTexts
from indexes.sections.section_map import Outlines
from prompts.tasks.prompt_files import PromptSet, as_llamaindex
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.options import LlmOptions
from query_engines.question.parser import QuestionParser
from storage.errors import MissingExtra
from storage.paths import DataPaths
from storage.records.metrics import Ontology
from storage.records.sections import SectionKinds
from storage.stores.caches import AnswerCache, TableTextCache
from storage.stores.run_log import Run, RunLog

if TYPE_CHECKING:  # they load PDFium, and the package openai
    from indexes.options import OpenAIEmbeddingOptions, OpenAILikeEmbeddingOptions
    from indexes.preflight import Look
    from query_engines.llm.hosted import HostedEmbedding, HostedModels
    from query_engines.llm.rate_limits import Spending
    from query_engines.llm.table_writer import LlmTableWriter
    from query_engines.local_model.model_server import ModelServer
    from query_engines.options import LlamaCppLlmOptions


logger = logging.getLogger(__name__)
_ASKING = ("program", "ask", "answer")  # elsewhere the settings change while somebody looks at them


def build_client(
    settings: Settings,
    profile: str,
    paths: DataPaths,
    purpose: str,
    shared: SharedParts | None = None,
    owner: str | None = None,
    given: Components | None = None,
) -> Pageproof:
    """Build a client for the library at `paths`; for an owner, also for their own library.

    `purpose` is written into the run log; `shared` holds the parts that it shares with other clients; `given` are
    objects in the place of what the settings name.

    Raises:
        SetupError: a key is missing.
    """
    ours = SharedParts()
    shared = shared or ours
    own_parts = OwnComponents(given or {})
    settings = own_parts.settings(settings)
    if names_unused_model(settings) and purpose in _ASKING:
        logger.warning(
            "llm.kind=%s is named, and nothing asks it: set answers.kind=llm for its answers", settings.llm.kind
        )
    ontology = Ontology.load()
    loop = BackgroundLoop()
    environment = {**os.environ, **own_parts.given.get("keys", {})}
    spending = partial(shared.spending, paths, profile, owner)
    server_of = partial(shared.model_server, paths=paths)
    hosted = _Hosted(partial(_hosted_models, settings, loop, spending, environment, server_of))

    prompts = build_prompts(settings)
    writer = table_writer(settings, hosted, loop, prompts)

    def root(at: DataPaths) -> Root:
        load = partial(own_parts.embedder, settings, partial(build_embedder, settings.embedding, hosted.embedding))
        return open_root(settings, at, ontology, shared, load, writer.identity if writer else None, own_parts)

    everyones = root(paths)
    own = everyones if owner is None else root(paths.of_owner(owner))
    read = one(own) if owner is None else joined(everyones, own)
    needs_llm = settings.answers.kind == "llm" or settings.rerank.kind == "llm" or own_parts.wants_llm(settings)
    llm = hosted().llm(settings.llm, own_parts.given.get("llm")) if needs_llm else None
    kinds = SectionKinds.load()
    parser = QuestionParser.trained(ontology, read.library.companies, shared.names, kinds)
    models = AnsweringModels(
        llm, page_scorer(settings, hosted), prompts, loop, own_parts, lambda: own.embedder.model
    )
    table = FactTable(read.facts)
    sources = AnswerSources(read.pages, read.index_cache, table, ontology, SentenceLikeness(own.embedder))
    engine_for = company_engines(settings, parser, sources, models)
    engine = company_router(settings, parser, engine_for, sources, models)
    model = f"{llm.model} at {llm.api_base}" if llm else None
    memory = None
    if model and settings.answers.cache:
        state = (read.generation_of, read.pages, read.facts)
        keys = AnswerKeys(settings, f"{model} {own_parts.state(settings)}".strip(), prompts.digest, *state)
        memory = AnswerMemory(AnswerCache(own.paths.answer_cache), keys, read.pages.read)
    run = Run.begin(purpose, profile, differences(settings), without_credentials(model) if model else None)
    trail = RunTrail(RunLog(own.paths.runs), run) if settings.runs.log else None
    beside = Surroundings(read.library.report, partial(as_llamaindex, prompts))
    ingestor = Ingestor(
        LibraryStores(
            own.paths, own.library, own.pages, own.facts, own.indexes, None if owner is None else everyones.library
        ),
        Reading(
            settings.reader,
            own_parts.reader_maker(settings.reader) or reader_maker(settings.reader, os.environ),
            reading_pools(settings.ingest),
            _guarded_looks,
        ),
        partial(extract_facts, ontology=ontology, outlines=Outlines(kinds, own.paths.report_pdf)),
        Indexing(
            settings.chunking,
            own.embedder,
            TableTexts(writer, TableTextCache(own.paths.table_texts)) if writer else None,
            partial(own_parts.chunker, settings.chunking),
        ),
    )
    known = KnownFacts(
        read.library, table, ontology, lambda sha1: read.paths_of(sha1).report_pdf(sha1), paths.root
    )
    return Pageproof(
        profile=profile,
        settings=settings,
        read=read,
        library=LibraryEditor(
            ingestor,
            partial(stores_of_indexes, own.paths, os.environ, shared, settings.vector_store, own_parts),
            known,
            build_maintenance(settings, own.paths, shared).prune,
        ),
        engines=Engines(
            parser,
            engine_for,
            RecordedQueryEngine(engine, parser, profile, memory, trail, loop, beside),
            partial(_close, hosted, ours),
            beside.named,
        ),
        loop=loop,
        run_id=run.id if trail else None,
    )


class _Hosted:
    """The models on servers. Their packages take most of a second to load, so they are loaded for the first model."""

    def __init__(self, make: "Callable[[], HostedModels]") -> None:
        self._make = make
        self._models: HostedModels | None = None

    def __call__(self) -> "HostedModels":
        if self._models is None:
            self._models = self._make()
        return self._models

    def embedding(self, options: "OpenAIEmbeddingOptions | OpenAILikeEmbeddingOptions") -> "HostedEmbedding":
        """An embedding model."""
        return self().embedding(options)

    async def aclose(self) -> None:
        """Close the connections of the models that were made."""
        if self._models is not None:
            await self._models.aclose()


def _hosted_models(
    settings: Settings,
    loop: BackgroundLoop,
    spending: "Callable[[], Spending]",
    environment: Mapping[str, str],
    server_of: "Callable[[LlamaCppLlmOptions], ModelServer]",
) -> "HostedModels":
    from query_engines.llm.connection import access  # late: it loads the package openai
    from query_engines.llm.hosted import HostedModels

    return HostedModels(access(settings.llm, loop, environment, spending=spending()), server_of)


async def _close(hosted: _Hosted, own: SharedParts) -> None:
    """Close a client's own parts; shared parts stay open."""
    await hosted.aclose()
    own.close()


def table_writer(
    settings: Settings, hosted: "Callable[[], HostedModels]", loop: BackgroundLoop, prompts: PromptSet
) -> "LlmTableWriter | None":
    """The writer for `tables.serialize`, or None; its model is built at the first table."""
    if not settings.tables.serialize:
        return None
    from query_engines.llm.table_writer import LlmTableWriter  # late: it loads the package openai

    options = table_model(settings)
    return LlmTableWriter(options.model, lambda: hosted().llm(options), loop, prompts.table_texts, prompts.repair)


def table_model(settings: Settings) -> LlmOptions:
    """The model that writes tables out: `tables.model` at the address of `llm`, else `llm` itself.

    The prices in the settings are for `llm.model`; another model has its list price.
    """
    other = settings.tables.model
    if other is None or other == settings.llm.model:
        return settings.llm
    prices = {"prompt_usd_per_million": None, "completion_usd_per_million": None}
    return settings.llm.model_copy(update={"model": other, **prices})


_AUTHENTICATION = "RAY_AUTH_MODE"


def reader_maker(options: ReaderOptions, environment: Mapping[str, str]) -> MakeReader:
    """A function that makes the reader in each reading process; it carries the key, which the process does not have."""
    if options.kind == "mineru":
        from indexes.mineru.transport import KEY_VARIABLE  # late: it loads an HTTP client

        return partial(mineru_reader, key=environment.get(KEY_VARIABLE, "").strip())
    return docling_reader


def _guarded_looks() -> "AbstractContextManager[Look]":
    from indexes.preflight import guarded_looks  # late: it loads PDFium

    return guarded_looks()


def reading_pools(options: IngestOptions) -> MakePool:
    """A function that makes the reading pool; a cluster that it starts accepts work only from this process.

    Raises:
        MissingExtra: Ray is chosen and not installed.
    """
    if options.executor == "local":
        return ReadingPool
    if options.ray_address is None and "ray" not in sys.modules and _AUTHENTICATION not in os.environ:
        # Ray would listen on every network of this machine; it reads this variable once, when it is imported.
        os.environ |= {_AUTHENTICATION: "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    try:
        # imported late: it is an optional package and takes a second
        from indexes.reading.ray_pool import RayReadingPool
    except ImportError as error:
        raise MissingExtra(
            f"ingest.executor=ray needs a package that is not installed ({error.name}); "
            "run `pip install 'pageproof[ray]'`, on every machine of the cluster"
        ) from error
    return partial(RayReadingPool, address=options.ray_address)
