"""What an installation brings, for machines to read: a bill of materials, and a lock with the digests of the files.

`python -m tests.support.supply sbom` writes CycloneDX 1.5 to the standard output; `hashes REPORT` in its place writes
a lock from the report of `pip install --report`.
"""

import hashlib
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from tests.support.licences import licences
from tests.support.samples import ROOT

# They follow the machine (CPU or CUDA), so neither their versions nor their digests are locked.
BY_MACHINE = re.compile(r"(?:torch|torchvision|triton)$|nvidia-|cuda-")


def bill_of_materials() -> dict[str, Any]:
    """The packages that are installed here, each with its version, its licence and a digest of the list of its files.

    The same installation gives the same bill.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {"type": "application", "name": project["name"], "version": project["version"]},
        },
        "components": [
            {
                "type": "library",
                "bom-ref": f"pkg:pypi/{row.name}@{row.version}",
                "name": row.name,
                "version": row.version,
                "purl": f"pkg:pypi/{row.name}@{row.version}",
                "licenses": [{"license": {"name": row.licence}}],
                "properties": [{"name": "pageproof:record-sha256", "value": _record_digest(row.name)}],
            }
            for row in licences()
        ],
    }


def locked(report: dict[str, Any]) -> Iterator[str]:
    """A line for each package that pip would install: its version and the SHA-256 of its file, without an address.

    Raises:
        ValueError: pip's report has no digest of a file.
    """
    entries = sorted(report["install"], key=lambda entry: str(entry["metadata"]["name"]).lower())
    for entry in entries:
        name, version = entry["metadata"]["name"].lower(), entry["metadata"]["version"]
        if BY_MACHINE.match(name):
            continue
        digest = entry["download_info"].get("archive_info", {}).get("hashes", {}).get("sha256")
        if not digest:
            raise ValueError(
                f"{name} {version}: pip names no SHA-256 of its file; install it from a package index"
            )
        yield f"{name}=={version} --hash=sha256:{digest}"


def _record_digest(name: str) -> str:
    """Of the list of a package's files and their digests, which pip wrote when it installed it."""
    return hashlib.sha256((distribution(name).read_text("RECORD") or "").encode()).hexdigest()


def main() -> None:
    """Write what is asked for."""
    if sys.argv[1] == "sbom":
        sys.stdout.write(json.dumps(bill_of_materials(), indent=1) + "\n")
    else:
        for line in locked(json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))):
            sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main()
