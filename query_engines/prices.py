"""What tokens cost: the list prices that the package genai-prices ships, and prices from the settings."""

from dataclasses import dataclass

from query_engines.providers import Provider

_MILLION = 1_000_000


@dataclass(frozen=True)
class Tokens:
    """What a request took.

    Attributes:
        completion: reasoning included.
        cached: those of the prompt that the provider had in its cache.
    """

    prompt: int
    completion: int = 0
    cached: int = 0


@dataclass(frozen=True)
class ListedModel:
    """A model of a provider in the price list."""

    provider: str
    model: str

    def costs(self, tokens: Tokens) -> tuple[float, float]:
        """USD for what a request read and what it wrote, by today's prices.

        Raises:
            LookupError: the list does not have the model, or has no price of its text.
        """
        # Takes half a second and 30 MB, so it is not imported where no model is paid for. It is never told to update
        # its prices, which would be a request to another machine.
        from genai_prices import Usage, calc_price

        usage = Usage(input_tokens=tokens.prompt, cache_read_tokens=tokens.cached, output_tokens=tokens.completion)
        found = calc_price(usage, self.model, provider_id=self.provider)
        if found.model_price.input_mtok is None:
            raise LookupError(f"{self.model!r} has no price of its text")
        return float(found.input_price), float(found.output_price)


@dataclass(frozen=True)
class Price:
    """What a model's tokens cost.

    Attributes:
        prompt, completion: USD per million tokens from the settings, cached ones included; None: the list's price.
        listed: where that is.
    """

    prompt: float | None = None
    completion: float | None = None
    listed: ListedModel | None = None

    def of(self, tokens: Tokens) -> float:
        """USD for a request."""
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

    A server of one's own (vLLM, llama.cpp, Ollama) takes no money. Any other address, on this machine too, may pass
    requests on to somebody who does. Prices given in the settings go before those of the list.
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
