"""`pageproof model`: a language model on this machine, from its download to its use."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.command_line import show
from app.command_line.commands import AsJson, Data, typer_app
from storage.errors import UsageError

if TYPE_CHECKING:
    from query_engines.local_model.model_files import KnownModel, ModelFolder, RecommendedModel

_STOPPED = 1
Name = Annotated[str, typer.Argument(metavar="NAME", help="A name that `pageproof model list` shows.")]
model_app = typer.Typer(
    name="model",
    help="A language model on this machine: list, get, use, remove.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
typer_app.add_typer(model_app)


@model_app.command("list")
def list_models(data: Data = None, as_json: AsJson = False) -> None:
    """List the recommended models and those that are here."""
    from query_engines.local_model.model_server import EXTRA, is_installed

    found = _folder(data).all()
    if as_json:
        show.as_json([model.model_dump(mode="json") for model in found])
        return
    for model in found:
        sys.stdout.write(f"{show.visible(_line(model))}\n")
        if model.about:
            sys.stdout.write(f"    {model.about}\n")
    if not is_installed():
        sys.stderr.write(f"to run one, install llama.cpp first: {EXTRA}\n")
    elif not any(model.is_chosen for model in found):
        sys.stderr.write(
            "none is chosen: `pageproof model get NAME` downloads one, `pageproof model use` chooses\n"
        )


@model_app.command("get")
def get(
    name: Name,
    source: Annotated[
        Path | None, typer.Option("--from", help="Take this file instead, where there is no network.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Download without asking.")] = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Download a recommended model; says its licence, size and memory first."""
    from query_engines.local_model.model_files import recommended_as

    model, folder = recommended_as(name), _folder(data)
    if (folder.root / model.file).is_file():
        sys.stderr.write(f"{name} is here already\n")
    elif source is not None:
        folder.take(model, source)
    else:
        sys.stderr.write(
            f"{model.title}: licence {model.licence}, {model.size_gb:.1f} GB to download from {model.source}, "
            f"for a machine with {model.memory_gb} GB of memory\n"
        )
        if not yes and not _agreed():
            raise typer.Exit(_STOPPED)
        _download(model, folder)
    if folder.chosen() is None:
        folder.choose(name)
    _told(folder, name, as_json)


@model_app.command("use")
def use(
    name: Annotated[str, typer.Argument(metavar="NAME_OR_FILE", help="A model that is here, or a GGUF file.")],
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Let a model answer with the profile `local`."""
    folder = _folder(data)
    folder.choose(name)
    _told(folder, name, as_json)


@model_app.command("remove")
def remove(name: Name, data: Data = None, as_json: AsJson = False) -> None:
    """Delete a model's file."""
    freed = _folder(data).remove(name)
    if as_json:
        show.as_json({"model": name, "freed_gb": freed / 1e9})
    else:
        sys.stderr.write(f"removed: {name}, {freed / 1e9:.1f} GB\n")


def _folder(data: Path | None) -> "ModelFolder":
    from app.settings import data_paths  # late, like all of these: the settings load every package's options
    from query_engines.local_model.model_files import ModelFolder

    return ModelFolder(data_paths(data).models)


def _line(model: "KnownModel") -> str:
    is_here = model.path is not None
    state = "in use" if model.is_chosen else "here" if is_here else ""
    memory = f"memory {model.memory_gb} GB" if model.memory_gb else ""
    context = f"reads {model.context:,} tokens" if model.context else ""
    words = (
        f"{model.name:16}",
        f"{state:7}",
        f"{model.size_gb:5.1f} GB",
        f"{memory:13}",
        f"{model.licence:11}",
        context,
    )
    return " ".join(words).rstrip()


def _told(folder: "ModelFolder", name: str, as_json: bool) -> None:
    """Say where a model is, and how it is asked."""
    path = folder.file_of(name)
    is_chosen = folder.file_of("") == path
    if as_json:
        show.as_json({"model": folder.name_of(name), "path": str(path), "is_chosen": is_chosen})
    elif is_chosen:
        sys.stderr.write(f'{folder.name_of(name)} answers now: `pageproof ask "…" --profile local`\n')
    else:
        sys.stderr.write(f"{folder.name_of(name)} is here: `pageproof model use {name}` lets it answer\n")


def _agreed() -> bool:
    if not sys.stdin.isatty():
        raise UsageError("nobody can be asked here whether to download: give --yes")
    return typer.confirm("Download it?", err=True)


def _download(model: "RecommendedModel", folder: "ModelFolder") -> None:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn, TransferSpeedColumn

    from query_engines.local_model.download import Download  # late: it loads an HTTP client

    console = Console(stderr=True)
    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task(model.name, total=None)
        Download(model, folder.root).run(lambda here, whole: bar.update(task, completed=here, total=whole))
