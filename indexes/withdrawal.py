"""Taking a report out of the published indexes, so that nothing of it is left."""

import shutil
from pathlib import Path

from llama_index.core import MockEmbedding

from indexes.company_index import company_folder, write_index
from indexes.company_moves import stored_nodes
from storage.errors import StaleIndex
from storage.generations import Generations
from storage.manifests import Manifest


def withdraw(folder: Path, company: str, sha1: str) -> None:
    """Publish the company's indexes of every fingerprint without the report, and remove what was published before.

    Vectors of other reports are kept; an index that no report is left in goes. It can be done again.

    Args:
        folder: of all companies' indexes.
        company: as its index is called.
        sha1: the report's.
    """
    home = company_folder(folder, company)
    published = [Generations(path) for path in sorted(home.glob("*")) if path.is_dir()]
    for generations in published:
        with generations.locked():
            _publish_without(generations, sha1)
    if home.is_dir() and not any(generations.current() for generations in published):
        shutil.rmtree(home)


def _publish_without(generations: Generations, sha1: str) -> None:
    folder = generations.current()
    manifest = _manifest(folder) if folder else None
    left = tuple(r for r in manifest.reports if r.sha1 != sha1) if manifest else ()
    if folder is None or manifest is None or not left:
        generations.drop_all()
        return
    if len(left) < len(manifest.reports):
        stored = stored_nodes(folder, manifest, [r.sha1 for r in left])
        nodes = [node for report in left for node in stored.get(report.sha1, [])]
        updated = manifest.model_copy(update={"reports": left, "chunk_count": len(nodes)})
        model = MockEmbedding(embed_dim=manifest.dimensions)  # the nodes have their vectors; nobody asks it
        generations.publish(lambda target: write_index(target, nodes, updated, model))
    generations.drop_earlier()


def _manifest(folder: Path) -> Manifest | None:
    """None where this version cannot read it: such an index answers nothing and may hold the report."""
    try:
        return Manifest.read(folder)
    except StaleIndex:
        return None
