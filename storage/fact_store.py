"""What was read from reports, on disk: one file for each report, fingerprint and what was known of the report."""

from pathlib import Path

from storage.errors import MissingIndex
from storage.facts import ReportFacts
from storage.files import Stamp, digest, file_stamp, write_atomically
from storage.kept_in_memory import StampedCache
from storage.reports import Report

HELD = 8_000_000  # bytes of JSON, of about a hundred reports, whose facts are kept in memory


class FactStore:
    """Facts by report and by the fingerprint of the reader and the rules; a file is there whole or not at all.

    A report's company, currency and period end say how its pages are read, so they are part of the key.
    """

    def __init__(self, folder: Path, fingerprint: str) -> None:
        self._folder = folder
        self._fingerprint = fingerprint
        self._held: StampedCache[Path, ReportFacts] = StampedCache(HELD)

    def __contains__(self, report: Report) -> bool:
        return self._file(report).exists()

    def stamp(self, report: Report) -> Stamp:
        """What changes whenever the report's facts are written."""
        return file_stamp(self._file(report))

    def write(self, report: Report, facts: ReportFacts) -> None:
        """Keep the facts of a report, in place of any kept before."""
        write_atomically(self._file(report), facts.model_dump_json().encode())

    def read(self, report: Report) -> ReportFacts:
        """The facts of a report.

        Raises:
            MissingIndex: none were kept under this fingerprint.
        """
        file, stamp = self._file(report), self.stamp(report)
        if (held := self._held.get(file, stamp)) is not None:
            return held
        try:
            content = file.read_bytes()
        except FileNotFoundError as error:
            raise MissingIndex(
                f"the facts of {report.file!r} are not kept for this profile; ingest it again with the same "
                "--profile and --set"
            ) from error
        facts = ReportFacts.model_validate_json(content)
        self._held.put(file, stamp, facts, len(content))
        return facts

    def _file(self, report: Report) -> Path:
        known = [report.company, report.currency, report.period_end]
        return self._folder / report.sha1 / f"{digest([self._fingerprint, *known])}.json"
