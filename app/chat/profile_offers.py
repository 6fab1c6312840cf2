"""The profiles that can be chosen in the chat, and where each sends what it reads. No Chainlit here."""

from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from app.readiness import needs
from app.settings import Settings, profiles
from indexes.options import EmbeddingOptions, OpenAIEmbeddingOptions, OpenAILikeEmbeddingOptions
from query_engines.options import OpenAILikeLlmOptions, OpenAILlmOptions
from query_engines.providers import HostedOptions, address_of, is_loopback
from storage.errors import UsageError
from storage.record import Record

SettingsOf = Callable[[str], Settings]
"""A profile's settings in this process."""
_UNNAMED_HOST = "its provider"


class ProfileOffer(Record):
    """A profile that can be used here; `hosts` are the other machines that it sends text to."""

    name: str
    description: str
    hosts: tuple[str, ...]

    @property
    def privacy(self) -> str:
        """Where questions and pages go, in one sentence."""
        return privacy(self.hosts)


def profile_offers(
    first: str, settings_of: SettingsOf, environment: Mapping[str, str]
) -> tuple[ProfileOffer, ...]:
    """The profiles that lack nothing here, and the one the chat was started with, which comes first."""
    known = sorted(profiles(), key=lambda profile: profile.name != first)
    offers = []
    for profile in known:
        settings = settings_of(profile.name)
        if profile.name == first or not needs(settings, environment):
            hosts = hosts_of(settings, environment)
            offers.append(ProfileOffer(name=profile.name, description=profile.description, hosts=hosts))
    return tuple(offers)


def hosts_of(settings: Settings, environment: Mapping[str, str]) -> tuple[str, ...]:
    """The other machines that questions and pages of reports are sent to under these settings."""
    addresses = [_embedding_address(settings.embedding, environment), _reader_address(settings)]
    if uses_model(settings) or settings.tables.serialize:
        addresses.append(_model_address(settings, environment))
    abroad = (a for a in addresses if a is not None and not is_loopback(a))
    return tuple(dict.fromkeys(urlsplit(a).hostname or _UNNAMED_HOST for a in abroad))


def uses_model(settings: Settings) -> bool:
    """Whether a language model reads pages under these settings."""
    return settings.answers.kind == "llm" or settings.rerank.kind == "llm"


def privacy(hosts: tuple[str, ...]) -> str:
    """Where questions and pages go, in one sentence."""
    if not hosts:
        return "Everything stays on this machine."
    return f"Questions and pages of reports leave this machine: they are sent to {' and '.join(hosts)}."


def _embedding_address(options: EmbeddingOptions, environment: Mapping[str, str]) -> str | None:
    if isinstance(options, OpenAIEmbeddingOptions | OpenAILikeEmbeddingOptions):
        return _address(options, environment)
    return None


def _reader_address(settings: Settings) -> str | None:
    return settings.reader.mineru_api_base if settings.reader.kind == "mineru" else None


def _model_address(settings: Settings, environment: Mapping[str, str]) -> str:
    llm = settings.llm
    if not isinstance(llm, OpenAILlmOptions | OpenAILikeLlmOptions):
        return f"https://{llm.kind}"
    return _address(llm, environment)


def _address(options: HostedOptions, environment: Mapping[str, str]) -> str:
    try:
        return address_of(options, environment)
    except UsageError:  # no address is set yet; whatever it will be, it is not known to be this machine
        return ""
