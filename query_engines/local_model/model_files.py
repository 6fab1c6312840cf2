"""The language models of a data root: which are recommended, which are here, which one answers."""

import json
import shutil
import tomllib
from functools import cache
from pathlib import Path

from query_engines.local_model.gguf import MAGIC, check_magic, read_head
from storage.errors import MissingModel, NotWritable, UsageError
from storage.files import write_atomically
from storage.records.record import Record

SUFFIX, PART = ".gguf", ".part"
_CHOICE = "chosen.json"
LIST = "`pageproof model list` shows the models"


class RecommendedModel(Record):
    """A model that was found to do the work.

    Attributes:
        memory_gb: that the machine should have in all.
        context: the most tokens that it was made to read.
        source: its repository on the Hugging Face hub.
        sha256: of the file; None takes what the hub says.
    """

    name: str
    title: str
    about: str
    licence: str
    size_gb: float
    memory_gb: int
    context: int
    source: str
    file: str
    sha256: str | None = None


class KnownModel(Record):
    """A model that is recommended, here, or both.

    Attributes:
        path: of its file; None where it is not here.
        size_gb: of the file, or about that of the one to download.
        is_chosen: whether it is the one that answers.
    """

    name: str
    title: str
    about: str = ""
    licence: str = ""
    size_gb: float
    memory_gb: int | None = None
    context: int | None = None
    source: str = ""
    path: Path | None = None
    is_chosen: bool = False


@cache
def recommended() -> tuple[RecommendedModel, ...]:
    """The recommended models, the smallest first."""
    text = (Path(__file__).parent / "recommended.toml").read_text(encoding="utf-8")
    return tuple(RecommendedModel(**entry) for entry in tomllib.loads(text)["model"])


def recommended_as(name: str) -> RecommendedModel:
    """The recommended model with this name.

    Raises:
        UsageError: there is none.
    """
    found = next((model for model in recommended() if model.name == name), None)
    if found is None:
        names = ", ".join(model.name for model in recommended())
        raise UsageError(
            f"there is no recommended model {name!r}; they are {names}; `pageproof model use` takes a file"
        )
    return found


class ModelFolder:
    """The models of one data root, each a GGUF file."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def all(self) -> tuple[KnownModel, ...]:
        """The recommended models, then others that are here."""
        chosen = self.chosen()
        known = [self._recommended(model, chosen) for model in recommended()]
        files = {model.file for model in recommended()}
        here = sorted(self.root.glob(f"*{SUFFIX}")) if self.root.is_dir() else []
        others = [path for path in here if path.name not in files]
        if chosen and (path := Path(chosen)).is_absolute() and path.is_file():
            others.append(path)
        return (*known, *(self._other(path, chosen) for path in others))

    def chosen(self) -> str | None:
        """The name or the path of the model that answers where the settings name none."""
        try:
            named = json.loads((self.root / _CHOICE).read_text(encoding="utf-8"))["model"]
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError, KeyError, TypeError):  # somebody wrote something else into it
            return None
        return str(named)

    def choose(self, wanted: str) -> str:
        """Let a model answer where the settings name none.

        Args:
            wanted: its name, or a file.

        Returns:
            What was written down: a name, or an absolute path.

        Raises:
            MissingModel: it is not here.
            UsageError, DamagedFile: the file is no model.
        """
        path = self.file_of(wanted)
        read_head(path)
        is_here = path.resolve().parent == self.root.resolve()
        name = self.name_of(wanted) if is_here else str(path.absolute())
        write_atomically(self.root / _CHOICE, json.dumps({"model": name}).encode())
        return name

    def file_of(self, wanted: str) -> Path:
        """The file of a model, by its name or as a path; "" stands for the chosen one.

        Raises:
            MissingModel: none is chosen, or it is not here.
        """
        wanted = wanted or self.chosen() or ""
        if not wanted:
            raise MissingModel(
                f"no language model is chosen on this machine: {LIST}, `pageproof model get NAME` downloads one, "
                "`pageproof model use FILE` takes a file"
            )
        for path in (self._named(wanted), Path(wanted).expanduser()):
            if path is not None and path.is_file():
                return path
        if wanted in {model.name for model in recommended()}:
            raise MissingModel(
                f"the model {wanted!r} is not here yet: `pageproof model get {wanted}` downloads it"
            )
        raise MissingModel(f"there is no model {wanted!r} and no such file: {LIST}")

    def name_of(self, wanted: str) -> str:
        """What a model is called in answers: its own name, or that of its file."""
        wanted = wanted or self.chosen() or ""
        by_file = {model.file: model.name for model in recommended()}
        name = Path(wanted).name
        return by_file.get(name, name.removesuffix(SUFFIX))

    def take(self, model: RecommendedModel, source: Path) -> Path:
        """Copy a recommended model from a file, where there is no network.

        Raises:
            UsageError: the file is no model.
            NotWritable: the disk is full.
        """
        try:
            with source.open("rb") as file:
                check_magic(file.read(len(MAGIC)), str(source))
            size = source.stat().st_size
        except OSError as error:
            raise UsageError(f"{source}: cannot be read: {error.strerror}") from error
        read_head(source)
        self.root.mkdir(parents=True, exist_ok=True)
        check_room(self.root, size)
        target, draft = self.root / model.file, self.root / f"{model.file}.copy{PART}"
        try:
            shutil.copyfile(source, draft)
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
        return target

    def remove(self, name: str) -> int:
        """Delete a model's file, and what a broken download left of it.

        Returns:
            How many bytes that frees.

        Raises:
            MissingModel: it is not here.
            UsageError: the file lies elsewhere; then it is its owner's.
        """
        path = self._named(name)
        parts = [] if path is None else sorted(self.root.glob(f"{path.name}.*{PART}"))
        if path is None or not (path.is_file() or parts):
            if Path(name).is_file():
                raise UsageError(f"{name} is not in {self.root}: delete the file yourself")
            raise MissingModel(f"there is no model {name!r} here to remove: {LIST}")
        freed = 0
        if self.chosen() in (name, self.name_of(name)):
            (self.root / _CHOICE).unlink(missing_ok=True)
        for file in (path, *parts):
            freed += file.stat().st_size if file.is_file() else 0
            file.unlink(missing_ok=True)
        return freed

    def _named(self, name: str) -> Path | None:
        """Where the file of a name lies, or would lie."""
        known = next((model.file for model in recommended() if model.name == name), None)
        if known is None and Path(name).name != name:  # a path
            return None
        return self.root / (known or f"{name.removesuffix(SUFFIX)}{SUFFIX}")

    def _recommended(self, model: RecommendedModel, chosen: str | None) -> KnownModel:
        path = self.root / model.file
        is_here = path.is_file()
        return KnownModel(
            **model.model_dump(exclude={"file", "sha256", "size_gb"}),
            size_gb=path.stat().st_size / 1e9 if is_here else model.size_gb,
            path=path if is_here else None,
            is_chosen=is_here and chosen == model.name,
        )

    def _other(self, path: Path, chosen: str | None) -> KnownModel:
        name = path.name.removesuffix(SUFFIX)
        is_chosen = chosen in (name, str(path))
        return KnownModel(name=name, title=name, size_gb=path.stat().st_size / 1e9, path=path, is_chosen=is_chosen)


SPARE_BYTES = 500_000_000  # that stay free beside a model


def check_room(folder: Path, size: int) -> None:
    """See that so many bytes fit on the disk of a folder.

    Raises:
        NotWritable: they do not.
    """
    free = shutil.disk_usage(folder).free
    if free < size + SPARE_BYTES:
        raise NotWritable(
            f"the disk of {folder} has {free / 1e9:.1f} GB free, and the model takes {size / 1e9:.1f} GB more: "
            "make room, or choose another folder with --data"
        )
