"""The providers of models: addresses, keys and prices."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import quote, urlsplit

from indexes.options import OpenAIEmbeddingOptions, OpenAILikeEmbeddingOptions
from query_engines.options import (
    LlamaCppLlmOptions,
    LlmOptions,
    OpenAILikeLlmOptions,
    OpenAILlmOptions,
    OwnLlmOptions,
    WatsonxLlmOptions,
)
from storage.errors import MissingKey, UsageError

NO_KEY = "none"
SELF_HOSTED_KEY = "OPENAI_LIKE_API_KEY"
HostedLlmOptions = OpenAILlmOptions | OpenAILikeLlmOptions | WatsonxLlmOptions
HostedOptions = HostedLlmOptions | OpenAIEmbeddingOptions | OpenAILikeEmbeddingOptions
Section = Literal["llm", "embedding"]


@dataclass(frozen=True)
class Provider:
    """A provider: its address, its environment variables and its peculiarities.

    Attributes:
        prices: its name in the price list of genai-prices; None where it is not in the list.
        is_free: whether it is a server of your own, whose requests cost nothing.
        completion_limit: its name of the field that limits a reply.
        texts_per_request: the most that it embeds at once.
        other_key_variable: an alternative environment variable of the key.
        account_variables: one of them names the project or space that pays; it is sent with every request.
    """

    address: str | None
    key_variable: str = SELF_HOSTED_KEY
    key_needed: bool = False
    address_variable: str | None = None
    prices: str | None = None
    is_free: bool = False
    completion_limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    texts_per_request: int = 2048
    other_key_variable: str | None = None
    account_variables: Mapping[str, str] = field(default_factory=dict)


OPENAI = Provider(
    "https://api.openai.com/v1",
    "OPENAI_API_KEY",
    key_needed=True,
    prices="openai",
    completion_limit="max_completion_tokens",
)
SELF_HOSTED = Provider(None)
OWN_MACHINE = Provider(None, "", is_free=True)  # a server that this process starts
UNKNOWN = Provider(None, "")  # only the user's own class knows where it sends
AZURE = Provider(
    None,
    "AZURE_OPENAI_API_KEY",
    key_needed=True,
    address_variable="AZURE_OPENAI_ENDPOINT",
    completion_limit="max_completion_tokens",
)
WATSONX = Provider(
    None,
    "WATSONX_APIKEY",
    key_needed=True,
    address_variable="WATSONX_URL",
    completion_limit="max_completion_tokens",
    other_key_variable="WATSONX_API_KEY",
    account_variables={"WATSONX_PROJECT_ID": "project_id", "WATSONX_SPACE_ID": "space_id"},
)
JINA = Provider("https://api.jina.ai/v1", "JINA_API_KEY", key_needed=True)
PRESETS: dict[str, Provider] = {
    "qwen": Provider(
        "https://dashscope.aliyuncs.com/compatible-mode/v1",
        "DASHSCOPE_API_KEY",
        key_needed=True,
        texts_per_request=10,
    ),
    "gemini": Provider(
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "GEMINI_API_KEY",
        key_needed=True,
        prices="google",
        texts_per_request=100,
    ),
    "azure": AZURE,
    "vllm": Provider("http://127.0.0.1:8000/v1", is_free=True),
    "llama_cpp": Provider("http://127.0.0.1:8080/v1", is_free=True),
    "ollama": Provider("http://127.0.0.1:11434/v1", is_free=True),
}
_AZURE_VERSION_VARIABLE = "OPENAI_API_VERSION"
_IAM_VARIABLE = "WATSONX_IAM_URL"
_IAM = "https://iam.cloud.ibm.com/identity/token"


@dataclass(frozen=True)
class Endpoint:
    """The address of one model and the form of its requests.

    Attributes:
        address: to which `/chat/completions` or `/embeddings` is added.
        key: "none" where none is needed.
        key_header: "api-key", or "authorization" for a bearer.
        query: added to each address.
        account: for watsonx, the project or space that is sent with each request; empty for OpenAI's form.
        tokens_from: the address where the key is exchanged for a temporary bearer; None: the key is the bearer.
    """

    address: str
    key: str = field(default=NO_KEY, repr=False)
    key_variable: str = SELF_HOSTED_KEY
    key_header: Literal["authorization", "api-key"] = "authorization"
    query: Mapping[str, str] = field(default_factory=dict)
    account: Mapping[str, str] = field(default_factory=dict)
    tokens_from: str | None = None

    @property
    def shown(self) -> str:
        """The address without a password."""
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def is_loopback(address: str) -> bool:
    """Whether an address is on this machine."""
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def provider_of(options: HostedOptions | LlmOptions) -> Provider:
    """The provider in the options."""
    if isinstance(options, OpenAILlmOptions | OpenAIEmbeddingOptions):
        return OPENAI
    if isinstance(options, WatsonxLlmOptions):
        return WATSONX
    if isinstance(options, LlamaCppLlmOptions):
        return OWN_MACHINE
    if isinstance(options, OwnLlmOptions):
        return UNKNOWN
    return SELF_HOSTED if options.preset is None else PRESETS[options.preset]


def endpoint_of(options: HostedOptions, environment: Mapping[str, str]) -> Endpoint:
    """The endpoint of the model in the options.

    Raises:
        UsageError: there is no address in options, preset and environment, or it is invalid.
        MissingKey: the provider's key, or the account it belongs to, is not in the environment.
    """
    provider, address = provider_of(options), address_of(options, environment)
    key = _key(provider, address, environment)
    if isinstance(options, WatsonxLlmOptions):
        return _watsonx(address, key, options.api_version, environment)
    if provider is not AZURE:
        return Endpoint(address, key, provider.key_variable)
    assert isinstance(options, OpenAILikeLlmOptions | OpenAILikeEmbeddingOptions)
    return _azure(address, key, options.model, options.api_version or environment.get(_AZURE_VERSION_VARIABLE))


def jina_endpoint(api_base: str | None, environment: Mapping[str, str]) -> Endpoint:
    """The endpoint of Jina's reranker, or of another server with its API.

    Raises:
        UsageError: the address is invalid.
        MissingKey: JINA_API_KEY is not in the environment, and the server is not on this machine.
    """
    address = _checked(api_base or str(JINA.address), "rerank")
    return Endpoint(address, _key(JINA, address, environment), JINA.key_variable)


def section_of(options: HostedOptions) -> Section:
    """The section of the settings that the options belong to."""
    return (
        "llm" if isinstance(options, OpenAILlmOptions | OpenAILikeLlmOptions | WatsonxLlmOptions) else "embedding"
    )


def how_to_set(key_variable: str) -> str:
    """The advice about a missing key."""
    return f"set {key_variable} in the environment, such as `export {key_variable}=...`."


def _azure(address: str, key: str, deployment: str, version: str | None) -> Endpoint:
    """Azure's dated API has the deployment in its path; v1 is OpenAI's API. Both take the key as `api-key`."""
    path = urlsplit(address).path.rstrip("/")
    if not path:
        path = f"/openai/deployments/{quote(deployment, safe='')}" if version else "/openai/v1"
        address = address.rstrip("/") + path
    query = {"api-version": version} if version and not path.endswith("/v1") else {}
    return Endpoint(address, key, AZURE.key_variable, "api-key", query)


def _watsonx(address: str, key: str, version: str, environment: Mapping[str, str]) -> Endpoint:
    """watsonx: IBM's IAM exchanges the key for a bearer; a project or space is sent with every request."""
    values = {name: environment.get(variable, "").strip() for variable, name in WATSONX.account_variables.items()}
    account = next(({name: value} for name, value in values.items() if value), None)
    if account is None:
        raise MissingKey(
            f"watsonx at {address} needs a project or a space: {how_to_set('WATSONX_PROJECT_ID')} "
            "Its id stands in watsonx under Manage, General. WATSONX_SPACE_ID names a deployment space instead."
        )
    return Endpoint(
        address,
        key,
        WATSONX.key_variable,
        query={"version": version},
        account=account,
        tokens_from=None if key == NO_KEY else environment.get(_IAM_VARIABLE, "").strip() or _IAM,
    )


def address_of(options: HostedOptions, environment: Mapping[str, str]) -> str:
    """The address of the model in the options.

    Raises:
        UsageError: there is no address in options, preset and environment, or it is invalid.
    """
    provider, section = provider_of(options), section_of(options)
    address = options.api_base or provider.address
    if address is None and provider.address_variable is not None:
        address = environment.get(provider.address_variable)
    if not address and provider is WATSONX:
        raise UsageError(
            "llm.kind 'watsonx' needs the address of its region: set WATSONX_URL in the environment or llm.api_base, "
            "such as https://us-south.ml.cloud.ibm.com or https://eu-de.ml.cloud.ibm.com."
        )
    if not address:
        known = (
            f" or {provider.address_variable}"
            if provider.address_variable
            else f" or {section}.preset ({', '.join(PRESETS)})"
        )
        raise UsageError(
            f"{section}.kind 'openai_like' needs {section}.api_base, such as http://127.0.0.1:8099/v1,{known}."
        )
    return _checked(address, section)


def _checked(address: str, section: str) -> str:
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(
            f"{section}.api_base {address!r} is no address: expected one such as http://127.0.0.1:8099/v1."
        )
    return address


def key_in(environment: Mapping[str, str], provider: Provider) -> str:
    """The provider's key; empty where there is none."""
    variables = (provider.key_variable, provider.other_key_variable)
    return next((k for v in variables if v and (k := environment.get(v, "").strip())), "")


def _key(provider: Provider, address: str, environment: Mapping[str, str]) -> str:
    key = key_in(environment, provider)
    if key and not key.isascii():
        raise MissingKey(f"{provider.key_variable} does not hold a key: it has characters other than ASCII.")
    if not key and provider.key_needed and not is_loopback(address):
        raise MissingKey(f"{address} needs a key: {how_to_set(provider.key_variable)}")
    return key or NO_KEY


_MILLION = 1_000_000


@dataclass(frozen=True)
class Tokens:
    """The tokens of a request.

    Attributes:
        completion: reasoning included.
        cached: tokens of the prompt that were in the provider's cache.
    """

    prompt: int
    completion: int = 0
    cached: int = 0


@dataclass(frozen=True)
class ListedModel:
    """A provider's model in the price list."""

    provider: str
    model: str

    def costs(self, tokens: Tokens) -> tuple[float, float]:
        """The cost in USD of a request's input and output, by today's prices.

        Raises:
            LookupError: the list lacks the model, or the price of its text.
        """
        # The import takes half a second and 30 MB, so it is done only for paid models. Its prices are never updated
        # online, which would be a request to another machine.
        from genai_prices import Usage, calc_price

        usage = Usage(input_tokens=tokens.prompt, cache_read_tokens=tokens.cached, output_tokens=tokens.completion)
        found = calc_price(usage, self.model, provider_id=self.provider)
        if found.model_price.input_mtok is None:
            raise LookupError(f"{self.model!r} has no price of its text")
        return float(found.input_price), float(found.output_price)


@dataclass(frozen=True)
class Price:
    """The price of a model's tokens.

    Attributes:
        prompt, completion: USD per million tokens from the settings, also for cached ones; None: the list's price.
        listed: the model in the price list.
    """

    prompt: float | None = None
    completion: float | None = None
    listed: ListedModel | None = None

    def of(self, tokens: Tokens) -> float:
        """The cost of a request in USD."""
        read, written = self.listed.costs(tokens) if self.listed else (0.0, 0.0)
        if self.prompt is not None:
            read = tokens.prompt * self.prompt / _MILLION
        if self.completion is not None:
            written = tokens.completion * self.completion / _MILLION
        return read + written


def price_of(
    provider: Provider, model: str, prompt: float | None = None, completion: float | None = None
) -> Price | None:
    """The price of a model; None where it is not known.

    A server of your own (vLLM, llama.cpp, Ollama) is free. Any other address, also on this machine, may forward
    requests to a paid service. Prices in the settings take precedence over those of the list.
    """
    if provider.is_free or (prompt is not None and completion is not None):
        return Price(prompt, completion)
    listed = ListedModel(provider.prices, model) if provider.prices else None
    return Price(prompt, completion, listed) if listed and _is_known(listed) else None


def _is_known(listed: ListedModel) -> bool:
    try:
        listed.costs(Tokens(prompt=1))
    except LookupError:
        return False
    return True
