"""Where a library keeps what it knows."""

import hashlib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class DataPaths:
    """The folders and files below one data root. Nothing is created here."""

    root: Path

    @property
    def catalog(self) -> Path:
        """Companies and reports."""
        return self.root / "library.sqlite"

    @property
    def embedding_cache(self) -> Path:
        """Vectors by text and model."""
        return self.root / "embeddings.sqlite"

    @property
    def answer_cache(self) -> Path:
        """Answers by what they rest on."""
        return self.root / "answers.sqlite"

    @property
    def table_texts(self) -> Path:
        """Tables written out by models, by what they were given."""
        return self.root / "table_texts.sqlite"

    @property
    def runs(self) -> Path:
        """The run log. Apart from the catalog, whose readers look again whenever its file changes."""
        return self.root / "runs.sqlite"

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
    def inbox(self) -> Path:
        """PDFs that were received and are not indexed yet."""
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
        """What the chat's sign-ins are signed with."""
        return self.root / "chat-secret"

    def of_owner(self, owner: str) -> "DataPaths":
        """The root of one person's own library; no part of it tells the name."""
        name = hashlib.sha256(owner.encode()).hexdigest()[:32]
        return DataPaths(self.root / "people" / name)

    def report_pdf(self, sha1: str) -> Path:
        """The PDF of one report."""
        return self.reports / f"{sha1}.pdf"
