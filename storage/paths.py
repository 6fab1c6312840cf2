"""The paths of a library's files and folders."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from storage.errors import UsageError
from storage.files import DAMAGED


@dataclass(frozen=True)
class DataPaths:
    """The folders and files below one data root. Nothing is created here."""

    root: Path

    def refuse_inside(self, path: Path) -> None:
        """Refuse to write what somebody asks for among the library's own files.

        Raises:
            UsageError: the path is the data root or in it.
        """
        if path.resolve().is_relative_to(self.root.resolve()):
            raise UsageError(f"{path} is in the library's own folder {self.root}; name a place outside it")

    @property
    def catalog(self) -> Path:
        """The catalog of companies and reports."""
        return self.root / "library.sqlite"

    @property
    def embedding_cache(self) -> Path:
        """Vectors, by text and model."""
        return self.root / "embeddings.sqlite"

    @property
    def answer_cache(self) -> Path:
        """Answers, by the content they were drawn from."""
        return self.root / "answers.sqlite"

    @property
    def table_texts(self) -> Path:
        """What models wrote about tables, by the table they were given."""
        return self.root / "table_texts.sqlite"

    @property
    def runs(self) -> Path:
        """The run log. It is not in the catalog's file, since readers load that again whenever it changes."""
        return self.root / "runs.sqlite"

    @property
    def copies(self) -> Path:
        """Copies of the catalog."""
        return self.root / "copies"

    @property
    def damaged(self) -> Path:
        """Damaged files, set aside."""
        return self.root / DAMAGED

    @property
    def reports(self) -> Path:
        """The PDFs, named by SHA-1."""
        return self.root / "reports"

    @property
    def pages(self) -> Path:
        """Page records by report and reader."""
        return self.root / "pages"

    @property
    def facts(self) -> Path:
        """Facts by report and by reader and rules."""
        return self.root / "facts"

    @property
    def indexes(self) -> Path:
        """Company indexes by company and fingerprint."""
        return self.root / "indexes"

    @property
    def qdrant(self) -> Path:
        """Qdrant's local mode."""
        return self.root / "qdrant"

    @property
    def pictures(self) -> Path:
        """Rendered pages."""
        return self.root / "pictures"

    @property
    def models(self) -> Path:
        """Language models that run on this machine."""
        return self.root / "models"

    @property
    def inbox(self) -> Path:
        """Uploaded PDFs that are not indexed yet."""
        return self.root / "inbox"

    @property
    def chat(self) -> Path:
        """The chat's run folder."""
        return self.root / "chat"

    @property
    def history(self) -> Path:
        """Conversations of the chat."""
        return self.root / "history.sqlite"

    @property
    def session_secret(self) -> Path:
        """The secret that signs the chat's sign-in cookies."""
        return self.root / "chat-secret"

    @property
    def tokens(self) -> Path:
        """The hashed tokens of the REST API."""
        return self.root / "tokens.json"

    @property
    def people(self) -> Path:
        """People's own libraries."""
        return self.root / "people"

    def of_owner(self, owner: str) -> "DataPaths":
        """The root of one person's own library; the path does not reveal the person's name."""
        name = hashlib.sha256(owner.encode()).hexdigest()[:32]
        return DataPaths(self.people / name)

    def owners(self) -> "tuple[DataPaths, ...]":
        """The roots of all people's own libraries."""
        return tuple(DataPaths(path) for path in sorted(self.people.glob("*")) if path.is_dir())

    def report_pdf(self, sha1: str) -> Path:
        """The PDF of one report."""
        return self.reports / f"{sha1}.pdf"
