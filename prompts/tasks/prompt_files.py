"""All prompts as one set, which can be written to a folder of files, edited there and loaded again."""

import datetime as dt
import json
import string
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from prompts.answers import second_look
from prompts.answers.answer_prompts import AnswerPrompts, RepairPrompts
from prompts.answers.assemble import fingerprint, reformat_prompt, system_prompt
from prompts.drafts import Form, shown_fields, strict_schema
from prompts.kinds import draft_for
from prompts.tasks.rerank import RerankPrompts
from prompts.tasks.table_texts import TableTextPrompts
from prompts.tasks.understanding import UnderstandingPrompts
from prompts.templates import (
    CURRENCY_UNKNOWN,
    FILING_UNKNOWN,
    FOUND,
    NOTHING_UNDERSTOOD,
    PAGE,
    PERIOD_UNKNOWN,
    PromptGroup,
    Template,
)
from storage.errors import UsageError
from storage.records.answers import Strictness
from storage.records.questions import AnswerKind

G = TypeVar("G", bound=PromptGroup)
README = "README.md"
_ABOUT = """\
# Prompts

Change what you like, delete what you leave as it is, and name this folder in the setting `answers.prompts`.

- A `.md` file is a text that a model is told. In the files listed below `$name` is a blank that is filled in: every
  blank must stay, no other may come, and `$$` is a dollar sign. In all others a `$` is a `$`.
- A rule that begins with `+` instead of `-` is left out for models that are told little at once (`answers.prompt`).
- A `.json` file holds worked examples. They must fill in the form of their kind and keep its rules: each mark stands on
  their pages, in square brackets, before its row or sentence. Loading tells what does not fit.

"""


def as_files(group: PromptGroup) -> Iterator[tuple[str, str]]:
    """Each file of the group: its path, with slashes, and its text."""
    for path, part in _parts(group):
        yield path, _written(part)


def write_prompts(group: PromptGroup, folder: Path) -> tuple[Path, ...]:
    """Write the group and a README with the rules into a new or empty folder.

    Raises:
        UsageError: the folder is not empty or cannot be written.
    """
    blanks = [f"- `{path}`: {_blanks(part)}" for path, part in _parts(group) if isinstance(part, Template)]
    texts = {README: _ABOUT + "\n".join(blanks) + "\n", **dict(as_files(group))}
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(f"{folder} is there already and not an empty folder; choose another for --out")
        for path, text in texts.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"cannot write prompts into {folder}: {error}") from error
    return tuple(folder / path for path in texts)


def load_prompts(group: G, folder: Path) -> G:
    """The group, with the texts that the folder's files replace. Texts without a file stay; hidden files are ignored.

    Raises:
        UsageError: a file does not belong to the set, lacks a blank, or has an example that does not fit its form.
            The message names the file.
    """
    if not folder.is_dir():
        raise UsageError(f"setting 'answers.prompts': there is no folder {folder}")
    for file in sorted(p for p in folder.rglob("*") if p.is_file()):
        path = file.relative_to(folder).as_posix()
        if path != README and not any(name.startswith(".") for name in path.split("/")):
            group = _with_file(group, path, file)
    return group


def as_llamaindex(group: PromptGroup) -> dict[str, str]:
    """Each text of the group by its path, with blanks as LlamaIndex writes them: `{name}`, and `{{` for a brace."""
    texts: dict[str, str] = {}
    for path, part in _parts(group):
        if isinstance(part, str | Template):
            text = (part if isinstance(part, str) else part.text).replace("{", "{{").replace("}", "}}")
            if isinstance(part, Template):
                text = string.Template(text).substitute({name: f"{{{name}}}" for name in part.variables})
            texts[path.removesuffix(".md")] = text
    return texts


def _with_file(group: G, path: str, file: Path) -> G:
    known = dict(_parts(group))
    if path not in known:
        raise UsageError(f"{file} is no file of a prompt set; expected {', '.join(known)}")
    given = _read(file, known[path])
    try:
        made: G = _with(group, path.rpartition(".")[0].split("/"), given)
    except ValidationError as error:
        raise UsageError(f"{file}: {_message(error)}") from error
    if path.endswith(".json") and (difference := _difference(given, _plain(dict(_parts(made))[path]), "")):
        raise UsageError(f"{file}: {difference}")
    return made


def _with(part: Any, steps: Sequence[str], given: Any) -> Any:
    """A copy of the part, with another value at the place that the steps lead to."""
    if not steps:
        return given
    if isinstance(part, Mapping):
        return {**part, steps[0]: _with(part[steps[0]], steps[1:], given)}
    fields = {name: getattr(part, name) for name in type(part).model_fields}
    return type(part).model_validate({**fields, steps[0]: _with(fields[steps[0]], steps[1:], given)})


def _parts(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Each value that has a file of its own, with its path."""
    if isinstance(value, PromptGroup):
        for name in type(value).model_fields:
            yield from _parts(getattr(value, name), f"{path}/{name}" if path else name)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _parts(item, f"{path}/{key}")
    else:
        yield f"{path}{'.md' if isinstance(value, str | Template) else '.json'}", value


def _written(part: object) -> str:
    if isinstance(part, str | Template):
        return f"{part if isinstance(part, str) else part.text}\n"
    return json.dumps(_plain(part), indent=2, ensure_ascii=False) + "\n"


def _plain(value: object) -> Any:
    """A record as JSON, forms as a model fills them in; whole numbers without a decimal point."""
    if isinstance(value, Form):
        return _plain(shown_fields(value))
    if isinstance(value, BaseModel):
        return {name: _plain(getattr(value, name)) for name in type(value).model_fields}
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _read(file: Path, part: object) -> Any:
    try:
        text = file.read_text(encoding="utf-8-sig")
        if isinstance(part, str):
            return text.rstrip("\n")
        if isinstance(part, Template):
            return Template(text=text.rstrip("\n"), variables=part.variables)
        return json.loads(text)
    except ValidationError as error:
        raise UsageError(f"{file}: {_message(error)}; {_blanks(part)}, and $$ for a dollar sign") from error
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"cannot read {file}: {error}") from error


def _difference(given: Any, read: Any, place: str) -> str | None:
    """The first place where an example is not written exactly as its form; models may vary, examples may not."""
    if isinstance(given, dict) and isinstance(read, dict):
        if given.keys() != read.keys():
            return f"{place or 'the example'} has the fields {', '.join(given)}; expected {', '.join(read)}"
        pairs = [(f"{place}.{key}".lstrip("."), item, read[key]) for key, item in given.items()]
    elif isinstance(given, list) and isinstance(read, list) and len(given) == len(read):
        pairs = [(f"{place}[{number}]", *pair) for number, pair in enumerate(zip(given, read, strict=True))]
    else:
        return None if given == read else f"{place} is {given!r}; its form has it as {read!r}"
    return next(
        (difference for where, one, other in pairs if (difference := _difference(one, other, where))), None
    )


def _blanks(part: object) -> str:
    return (
        "its blanks are " + ", ".join(f"${name}" for name in part.variables) if isinstance(part, Template) else ""
    )


def _message(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"]))
    message = first["msg"].removeprefix("Value error, ")
    return f"{where}: {message}" if where else message


_APART = (
    "answers/",
    "table_texts/",
)  # one depends on the kind; the other is used at ingestion and is part of the index's fingerprint


class PromptSet(PromptGroup):
    """A group of texts for each job. The tags around pages, and the escaping of tags, are code and not part of it."""

    answers: AnswerPrompts = AnswerPrompts()
    rerank: RerankPrompts = RerankPrompts()
    understanding: UnderstandingPrompts = UnderstandingPrompts()
    table_texts: TableTextPrompts = TableTextPrompts()
    repair: RepairPrompts = RepairPrompts()

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits that change with any text that a set may replace."""
        return fingerprint([text for _, text in as_files(self)])

    def version(self, kind: AnswerKind, strictness: Strictness) -> str:
        """Twelve hexadecimal digits that change with any text or schema used for an answer of this kind."""
        if kind == "comparative":  # answered by sub-questions, each with its own version
            return self.digest
        besides = (text for path, text in as_files(self) if not path.startswith(_APART))
        return fingerprint(
            [
                system_prompt(kind, with_schema=True, strictness=strictness, prompts=self.answers),
                self.answers.brief_form,
                self.answers.user.text,
                self.answers.second_look.text,
                *second_look.texts(),
                PAGE.text,
                FOUND.text,
                *(FILING_UNKNOWN, NOTHING_UNDERSTOOD, PERIOD_UNKNOWN, CURRENCY_UNKNOWN),
                *(m.content for m in reformat_prompt(strict_schema(draft_for(kind)), "", self.repair)),
                *besides,
            ]
        )
