"""Reads the head of a GGUF file: what kind of model it holds, how much it can read, how much memory that takes."""

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from storage.errors import DamagedFile, UsageError
from storage.records.record import Record

MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_MOST_KEYS = 10_000
_LONGEST_TEXT = 1 << 24
_MOST_ITEMS = 1 << 24
_FORMATS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_TEXT, _ARRAY = 8, 9
_HALF = 2  # bytes of one number of the context, which is kept in 16 bits


class ModelHead(Record):
    """What a model file says of itself.

    Attributes:
        context: the most tokens that the model was made to read.
        bytes_per_token: memory that each token of the context takes while the model reads and writes.
    """

    name: str
    licence: str
    architecture: str
    context: int
    bytes_per_token: int


def check_magic(start: bytes, what: str) -> None:
    """Refuse what does not begin as a GGUF file does.

    Raises:
        UsageError: it is something else, such as a web page.
    """
    if not start.startswith(MAGIC):
        seen = "a web page" if start.lstrip().startswith(b"<") else f"something that begins with {start[:8]!r}"
        raise UsageError(f"{what} is no model: expected a GGUF file, got {seen}")


def read_head(path: Path) -> ModelHead:
    """The head of a model file.

    Raises:
        UsageError: it cannot be opened, or is no GGUF file.
        DamagedFile: it is cut off, or its head cannot be understood.
    """
    try:
        with path.open("rb") as file:
            check_magic(file.read(len(MAGIC)), str(path))
            values = _values(file)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    except (struct.error, ValueError, OverflowError, UnicodeDecodeError, EOFError) as error:
        raise DamagedFile(f"{path}: the head of the model cannot be read ({error}); get the file anew") from error
    kind = str(values.get("general.architecture", ""))
    context = values.get(f"{kind}.context_length")
    if not kind or not isinstance(context, int) or context < 1:
        raise DamagedFile(f"{path}: holds no language model with a context of its own; get another file")
    return ModelHead(
        name=str(values.get("general.name") or path.stem),
        licence=str(values.get("general.license") or ""),
        architecture=kind,
        context=context,
        bytes_per_token=_bytes_per_token(values, kind),
    )


def _bytes_per_token(values: Mapping[str, Any], kind: str) -> int:
    """Keys and values of all layers, in 16 bits; a layer may have heads of its own number."""

    def number(name: str, otherwise: int) -> int:
        found = values.get(f"{kind}.{name}", otherwise)
        return found if isinstance(found, int) and found > 0 else otherwise

    layers, heads = number("block_count", 1), values.get(f"{kind}.attention.head_count", 1)
    several = values.get(f"{kind}.attention.head_count_kv", heads)
    of_layers = several if isinstance(several, list) else [several] * layers
    most = max([n for n in (heads if isinstance(heads, list) else [heads]) if isinstance(n, int)] or [1])
    width = number("embedding_length", 1) // max(most, 1)
    wide = number("attention.key_length", width) + number("attention.value_length", width)
    return sum(n for n in of_layers if isinstance(n, int)) * wide * _HALF


def _values(file: BinaryIO) -> dict[str, Any]:
    """The keys before those of the tokenizer, whose lists of words nobody needs here."""
    version, _, count = struct.unpack("<IQQ", _exactly(file, 20))
    if version not in _VERSIONS:
        raise ValueError(f"version {version} of GGUF")
    if count > _MOST_KEYS:
        raise ValueError(f"{count} keys")
    found: dict[str, Any] = {}
    for _ in range(count):
        key = _text(file)
        (kind,) = struct.unpack("<I", _exactly(file, 4))
        is_known = "general.architecture" in found and f"{found['general.architecture']}.context_length" in found
        if key.startswith("tokenizer.") and is_known:
            break
        found[key] = _value(file, kind)
    return found


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == _TEXT:
        return _text(file)
    if kind == _ARRAY:
        of, length = struct.unpack("<IQ", _exactly(file, 12))
        if of == _ARRAY or length > _MOST_ITEMS:
            raise ValueError(f"a list of {length} items")
        return [_value(file, of) for _ in range(length)]
    if kind not in _FORMATS:
        raise ValueError(f"a value of type {kind}")
    form = _FORMATS[kind]
    (value,) = struct.unpack(form, _exactly(file, struct.calcsize(form)))
    return value


def _text(file: BinaryIO) -> str:
    (length,) = struct.unpack("<Q", _exactly(file, 8))
    if length > _LONGEST_TEXT:
        raise ValueError(f"a text of {length} bytes")
    return _exactly(file, length).decode(errors="replace")


def _exactly(file: BinaryIO, count: int) -> bytes:
    read = file.read(count)
    if len(read) < count:
        raise EOFError("it is cut off")
    return read
