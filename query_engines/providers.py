"""The providers of models that speak OpenAI's API: where they listen and which key they take."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from query_engines.options import OpenAILikeLlmOptions, OpenAILlmOptions
from storage.errors import MissingKey, UsageError

NO_KEY = "none"


@dataclass(frozen=True)
class Provider:
    """Where a provider listens and which environment variables it is known by."""

    address: str | None
    key_variable: str
    key_needed: bool = True
    address_variable: str | None = None


SELF_HOSTED_KEY = "OPENAI_LIKE_API_KEY"
OPENAI = Provider("https://api.openai.com/v1", "OPENAI_API_KEY")
SELF_HOSTED = Provider(None, SELF_HOSTED_KEY, key_needed=False)
PRESETS: dict[str, Provider] = {
    "qwen": Provider("https://dashscope.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY"),
    "gemini": Provider("https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"),
    "azure": Provider(None, "AZURE_OPENAI_API_KEY", address_variable="AZURE_OPENAI_ENDPOINT"),
    "vllm": Provider("http://127.0.0.1:8000/v1", SELF_HOSTED_KEY, key_needed=False),
    "llama_cpp": Provider("http://127.0.0.1:8080/v1", SELF_HOSTED_KEY, key_needed=False),
    "ollama": Provider("http://127.0.0.1:11434/v1", SELF_HOSTED_KEY, key_needed=False),
}


def is_loopback(address: str) -> bool:
    """Whether an address is on this machine."""
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def provider_of(options: OpenAILlmOptions | OpenAILikeLlmOptions) -> Provider:
    """The provider that the options name."""
    if isinstance(options, OpenAILlmOptions):
        return OPENAI
    return SELF_HOSTED if options.preset is None else PRESETS[options.preset]


def address_of(
    options: OpenAILlmOptions | OpenAILikeLlmOptions, provider: Provider, environment: Mapping[str, str]
) -> str:
    """Where the model is asked.

    Raises:
        UsageError: the options, the preset and the environment name no address, or what they name is none.
    """
    address = options.api_base or provider.address
    if address is None and provider.address_variable is not None:
        address = environment.get(provider.address_variable)
    if not address:
        known = (
            f" or {provider.address_variable}"
            if provider.address_variable
            else f" or llm.preset ({', '.join(PRESETS)})"
        )
        raise UsageError(f"llm.kind 'openai_like' needs llm.api_base, such as http://127.0.0.1:8099/v1,{known}.")
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"llm.api_base {address!r} is no address: expected one such as http://127.0.0.1:8099/v1.")
    if provider.key_variable == "AZURE_OPENAI_API_KEY" and parts.path in ("", "/"):
        return f"{address.rstrip('/')}/openai/v1"  # where Azure speaks OpenAI's own API
    return address


def key_of(provider: Provider, address: str, environment: Mapping[str, str]) -> str:
    """The provider's key, or "none" where none is needed.

    Raises:
        MissingKey: it is needed and not in the environment.
    """
    key = environment.get(provider.key_variable, "").strip()
    if key and not key.isascii():
        raise MissingKey(f"{provider.key_variable} does not hold a key: it has characters other than ASCII.")
    if not key and provider.key_needed and not is_loopback(address):
        raise MissingKey(f"{address} needs a key: {how_to_set(provider.key_variable)}")
    return key or NO_KEY


def how_to_set(key_variable: str) -> str:
    """What to do about a missing key."""
    return f"set {key_variable} in the environment, such as `export {key_variable}=...`."
