"""Where questions and pages of reports go under some settings."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from app.settings import Settings, without_credentials
from indexes.options import OpenAIEmbeddingOptions, OpenAILikeEmbeddingOptions
from query_engines.providers import JINA, HostedOptions, address_of, is_loopback
from storage.errors import UsageError
from storage.record import Record

_UNNAMED_HOST = "its provider"


class Destination(Record):
    """Another machine that text is sent to; `address` is empty where the settings do not say it yet."""

    setting: str
    text: str
    address: str

    @property
    def host(self) -> str:
        """Its name."""
        return urlsplit(self.address).hostname or _UNNAMED_HOST

    @property
    def told(self) -> str:
        """All of it in one sentence."""
        return f"{self.setting} sends {self.text} to {without_credentials(self.address) or _UNNAMED_HOST}"


def destinations(settings: Settings, environment: Mapping[str, str]) -> tuple[Destination, ...]:
    """The other machines that questions and pages of reports are sent to under these settings."""
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
    if rerank.kind == "jina":
        found.append(("rerank.kind=jina", pages, rerank.api_base or str(JINA.address)))
    return tuple(Destination(setting=s, text=t, address=a) for s, t, a in found if not is_loopback(a))


def hosts_of(settings: Settings, environment: Mapping[str, str]) -> tuple[str, ...]:
    """The names of those machines, each once."""
    return tuple(dict.fromkeys(place.host for place in destinations(settings, environment)))


def uses_model(settings: Settings) -> bool:
    """Whether a language model reads pages under these settings."""
    return settings.answers.kind == "llm" or settings.rerank.kind == "llm"


def privacy(hosts: tuple[str, ...]) -> str:
    """Where questions and pages go, in one sentence."""
    if not hosts:
        return "Everything stays on this machine."
    return f"Questions and pages of reports leave this machine: they are sent to {' and '.join(hosts)}."


def _address(options: HostedOptions, environment: Mapping[str, str]) -> str:
    try:
        return address_of(options, environment)
    except UsageError:  # no address is set yet; whatever it will be, it is not known to be this machine
        return ""
