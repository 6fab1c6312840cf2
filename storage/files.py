"""Files are written completely or not at all."""

import codecs
import datetime as dt
import errno
import hashlib
import json
import os
import shutil
import uuid
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from storage.errors import UsageError

DAMAGED = "damaged"
"""The folder of a data root that damaged files are moved to."""
Stamp = tuple[int, int]
"""Size and time of change in nanoseconds."""


def write_atomically(path: Path, content: bytes, mode: int | None = None) -> None:
    """Write to a temporary file beside `path`, sync it, then rename it to `path`. Missing folders are made.

    With `mode`, such as 0o600, the file never has other permissions.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.draft")
    try:
        if mode is not None:
            draft.touch(mode=mode)
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make renames inside the folder survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove_path(path: Path) -> None:
    """Remove a file, or a folder with all that is in it; it may be gone already."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def set_aside(root: Path, path: Path) -> Path:
    """Move a damaged file or folder of a data root out of the way, under its own name; it may be gone already.

    Returns:
        Where it is now: below the folder `damaged` of the data root.
    """
    now = dt.datetime.now(dt.UTC)
    target = root / DAMAGED / f"{now:%Y%m%d-%H%M%S}-{uuid.uuid4().hex[:4]}" / path.relative_to(root)
    target.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileNotFoundError):
        path.replace(target)
    return target


def sha1_of(path: Path) -> str:
    """The SHA-1 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, partial(hashlib.sha1, usedforsecurity=False)).hexdigest()


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_NOT_WRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM)


def is_full_or_read_only(error: OSError) -> bool:
    """Whether the disk is full or a file may not be written."""
    return error.errno in _NOT_WRITABLE


def file_stamp(path: Path) -> Stamp:
    """A value that changes when the file is replaced; zeros where there is no file."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return (0, 0)
    return (found.st_size, found.st_mtime_ns)


def digest(value: Any, length: int = 12) -> str:
    """The first `length` hex digits of the SHA-256 of a JSON value with its keys sorted."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:length]


def read_table_text(path: Path) -> str:
    """A CSV as text: UTF-8, UTF-16 with its mark, or Windows-1252, as spreadsheets write it.

    Raises:
        UsageError: it does not exist, cannot be opened, or is in none of them.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encodings = ["utf-16"]
    else:
        encodings = ["utf-8-sig"] if b"\0" in content else ["utf-8-sig", "cp1252"]
    for encoding in encodings:
        with suppress(UnicodeDecodeError):
            return content.decode(encoding)
    raise UsageError(f"{path}: is not UTF-8 text; save it as CSV UTF-8")


def delimiter_of(text: str) -> str:
    """What separates the cells of a CSV: commas, semicolons or tabs."""
    header = next((line for line in text.splitlines() if line.strip()), "")
    return max(",;\t", key=header.count)
