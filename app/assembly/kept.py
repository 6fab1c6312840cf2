"""What is kept between questions, opened: prompts and facts."""

from app.settings import Settings
from indexes.facts.fact_table import FactTable
from indexes.fingerprints import facts_fingerprint
from prompts.prompt_files import load_prompts
from prompts.prompt_set import PromptSet
from storage.fact_store import FactStore
from storage.metrics import Ontology
from storage.paths import DataPaths


def build_prompts(settings: Settings) -> PromptSet:
    """The built-in prompts, with what the folder of `answers.prompts` replaces.

    Raises:
        UsageError: a file of that folder does not fit.
    """
    folder = settings.answers.prompts
    return PromptSet() if folder is None else load_prompts(PromptSet(), folder.expanduser())


def build_fact_table(settings: Settings, paths: DataPaths) -> FactTable:
    """The facts kept at `paths` for these settings."""
    return FactTable(fact_store(settings, paths, Ontology.load()))


def fact_store(settings: Settings, paths: DataPaths, ontology: Ontology) -> FactStore:
    """The facts that these settings and this ontology read."""
    return FactStore(paths.facts, facts_fingerprint(settings.reader, ontology))
