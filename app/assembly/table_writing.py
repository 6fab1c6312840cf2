"""What writes tables out at ingestion, by the settings."""

from app.settings import Settings
from prompts.prompt_set import PromptSet
from query_engines.background_loop import BackgroundLoop
from query_engines.hosted_models import HostedModels
from query_engines.options import LlmOptions
from query_engines.table_writer import LlmTableWriter


def table_writer(
    settings: Settings, hosted: HostedModels, loop: BackgroundLoop, prompts: PromptSet
) -> LlmTableWriter | None:
    """The writer of `tables.serialize`, or None; its model is built when the first table is to be written."""
    if not settings.tables.serialize:
        return None
    options = table_model(settings)
    return LlmTableWriter(options.model, lambda: hosted.llm(options), loop, prompts.table_texts, prompts.repair)


def table_model(settings: Settings) -> LlmOptions:
    """The model that writes tables out: `tables.model` at the address of `llm`, else `llm` itself.

    The prices in the settings are those of `llm.model`; another one has its list price.
    """
    other = settings.tables.model
    if other is None or other == settings.llm.model:
        return settings.llm
    prices = {"prompt_usd_per_million": None, "completion_usd_per_million": None}
    return settings.llm.model_copy(update={"model": other, **prices})
