"""What was read from reports, on disk: one file for each report and fingerprint."""

from pathlib import Path

from storage.errors import MissingIndex
from storage.facts import ReportFacts
from storage.files import write_atomically


class FactStore:
    """Facts by report and by the fingerprint of the reader and the rules; a file is there whole or not at all."""

    def __init__(self, folder: Path, fingerprint: str) -> None:
        self._folder = folder
        self._fingerprint = fingerprint

    def __contains__(self, sha1: str) -> bool:
        return self._file(sha1).exists()

    def write(self, facts: ReportFacts) -> None:
        """Keep the facts of a report, in place of any kept before."""
        write_atomically(self._file(facts.report_sha1), facts.model_dump_json().encode())

    def read(self, sha1: str) -> ReportFacts:
        """The facts of a report.

        Raises:
            MissingIndex: none were kept under this fingerprint.
        """
        try:
            content = self._file(sha1).read_bytes()
        except FileNotFoundError as error:
            raise MissingIndex(
                f"the facts of report {sha1} are not kept for this reader; ingest it again with this profile"
            ) from error
        return ReportFacts.model_validate_json(content)

    def _file(self, sha1: str) -> Path:
        return self._folder / sha1 / f"{self._fingerprint}.json"
