"""MinerU's output for one report, in a folder or an archive. Archives are never unpacked to disk."""

import io
import zipfile
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from indexes.mineru.transport import ENTRIES, Entry, Middle
from storage.errors import DocumentError, ProviderError

_CONTENT = "content_list.json"
_MIDDLE = ("middle.json", "layout.json")  # the hosted service's archive has the latter
_LARGEST = 1 << 30  # bytes of one file of an archive, unpacked


@dataclass(frozen=True)
class MineruOutput:
    """MinerU's output for one report: at least one of the two files."""

    entries: tuple[Entry, ...] | None
    middle: Middle | None

    @classmethod
    def of_folder(cls, folder: Path, path: Path, sha1: str) -> "MineruOutput":
        """Find the output for a PDF below a folder, by its file name or SHA-1, as files or as an archive.

        Raises:
            DocumentError: there is no output, or more than one.
        """
        names = (path.stem, sha1)
        found = [f for f in sorted(folder.rglob(f"*{_CONTENT}")) if _is_of(f, names)]
        found += [f for f in sorted(folder.rglob("*.zip")) if f.stem in names]
        if len(found) > 1:
            listed = ", ".join(str(f.relative_to(folder)) for f in found)
            raise DocumentError(f"{path}: reader.mineru_folder has several outputs for it ({listed}); keep one")
        if not found:
            raise DocumentError(
                f"{path}: no output of MinerU for it in {folder}; expected {path.stem}_{_CONTENT} or "
                f"{sha1}_{_CONTENT}, or a folder or .zip of one of these names"
            )
        if found[0].suffix == ".zip":
            return cls.of_archive(found[0].read_bytes(), str(found[0]))
        beside = (found[0].with_name(found[0].name.replace(_CONTENT, name)) for name in _MIDDLE)
        middle = next((f.read_bytes() for f in beside if f.exists()), None)
        return cls.of_files(found[0].read_bytes(), middle, str(found[0]))

    @classmethod
    def of_archive(cls, content: bytes, source: str) -> "MineruOutput":
        """The output in a .zip archive, read without unpacking it to disk.

        Raises:
            ProviderError: the archive is damaged or contains no output.
        """
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                return cls.of_files(
                    _member(archive, _CONTENT, source),
                    next((m for name in _MIDDLE if (m := _member(archive, name, source))), None),
                    source,
                )
        except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, EOFError, OSError) as error:
            raise ProviderError(f"the archive of {source} is damaged ({error}); try again") from error

    @classmethod
    def of_files(cls, content: bytes | str | None, middle: bytes | str | None, source: str) -> "MineruOutput":
        """The output from the contents of its files.

        Raises:
            ProviderError: there is no output, or it is not MinerU's.
        """
        if not content and not middle:
            raise ProviderError(f"{source} has neither *_{_CONTENT} nor *_{_MIDDLE[0]}; is it MinerU's output?")
        try:
            return cls(
                tuple(ENTRIES.validate_json(content)) if content else None,
                Middle.model_validate_json(middle) if middle else None,
            )
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            raise ProviderError(
                f"{source} is not in the form of MinerU 2 or 3 ({place}: {first['msg']})"
            ) from error


def _is_of(file: Path, names: tuple[str, ...]) -> bool:
    """Whether it is `report_content_list.json` in any folder, or any content list in a folder named `report`."""
    own = file.name.removesuffix(_CONTENT).rstrip("_")
    return own in names or any(parent.name in names for parent in list(file.parents)[:2])


def _member(archive: zipfile.ZipFile, ending: str, source: str) -> bytes | None:
    found = [i for i in archive.infolist() if i.filename.rpartition("/")[2].endswith(ending)]
    if not found:
        return None
    if len(found) > 1:
        raise ProviderError(f"{source} has several files *{ending}; expected the output of one report")
    if found[0].file_size > _LARGEST:
        raise ProviderError(f"{source}: {found[0].filename} unpacks to {found[0].file_size:,} bytes; refused")
    return archive.read(found[0])
