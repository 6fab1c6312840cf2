"""What tokens cost: the list prices kept in `prices.toml`, and prices from the settings."""

import functools
import re
import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import Any

from query_engines.providers import Provider

_DATE = re.compile(r"-\d{4}-\d{2}-\d{2}$")
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
class Price:
    """USD for a million tokens; cached ones cost what others do where no price of theirs is known."""

    prompt: float
    completion: float = 0.0
    cached: float | None = None

    def of(self, tokens: Tokens) -> float:
        """USD for a request."""
        cached = self.prompt if self.cached is None else self.cached
        dear = (tokens.prompt - tokens.cached) * self.prompt + tokens.completion * self.completion
        return (dear + tokens.cached * cached) / _MILLION


def price_of(
    provider: Provider, model: str, prompt: float | None = None, completion: float | None = None
) -> Price | None:
    """The price of a model; None where it is not known.

    A server of one's own (vLLM, llama.cpp, Ollama) takes no money. Any other address, on this machine too, may pass
    requests on to somebody who does. Prices given in the settings go before those of the list.
    """
    listed = Price(0.0) if provider.is_free else _listed(provider.prices, model)
    if listed is None:
        return None if prompt is None or completion is None else Price(prompt, completion)
    return Price(
        listed.prompt if prompt is None else prompt,
        listed.completion if completion is None else completion,
        listed.cached if prompt is None else None,
    )


def _listed(provider: str | None, model: str) -> Price | None:
    models = _price_list().get(provider or "", {})
    found = models.get(model) or models.get(_DATE.sub("", model))
    return Price(**found) if found else None


@functools.cache
def _price_list() -> dict[str, Any]:
    text = (resources.files("query_engines") / "prices.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
