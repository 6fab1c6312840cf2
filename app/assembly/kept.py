"""What is kept between questions, opened: prompts and facts."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.settings import Settings
from indexes.facts.fact_table import FactTable
from indexes.fingerprints import facts_fingerprint
from indexes.joined_library import JoinedLibrary
from indexes.joined_stores import JoinedFacts
from prompts.prompt_files import load_prompts
from prompts.prompt_set import PromptSet
from storage.fact_store import FactStore
from storage.kept import KnownCompanies
from storage.library import Library
from storage.metrics import Ontology
from storage.paths import DataPaths


@dataclass(frozen=True)
class KnownFacts:
    """A catalog, the facts of its reports, and where their PDFs are."""

    library: KnownCompanies
    table: FactTable
    pdf_of: Callable[[str], Path]


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


def build_known_facts(settings: Settings, paths: DataPaths, owner: str | None) -> KnownFacts:
    """The catalog and the facts that a person may see."""
    if owner is None:
        return KnownFacts(Library(paths.catalog), build_fact_table(settings, paths), paths.report_pdf)
    ontology, own = Ontology.load(), paths.of_owner(owner)
    library = JoinedLibrary(Library(paths.catalog), Library(own.catalog))
    facts = JoinedFacts(library, fact_store(settings, paths, ontology), fact_store(settings, own, ontology))
    return KnownFacts(
        library,
        FactTable(facts),
        lambda sha1: (paths if library.own_name(sha1) is None else own).report_pdf(sha1),
    )


def fact_store(settings: Settings, paths: DataPaths, ontology: Ontology) -> FactStore:
    """The facts that these settings and this ontology read."""
    return FactStore(paths.facts, facts_fingerprint(settings.reader, ontology))
