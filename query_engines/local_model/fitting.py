"""Fits a model to this machine: how many threads, how much it can read at once, and whether its memory suffices."""

import os
from dataclasses import dataclass
from pathlib import Path

from query_engines.local_model.gguf import read_head
from query_engines.options import LlamaCppLlmOptions
from storage.errors import SetupError
from storage.process_memory import available_megabytes

USUAL_CONTEXT = 16_384  # rules, three pages and a reply; more would only take memory
LEAST_CONTEXT = 6_144  # rules, a page and a reply
_STEP = 256
_BESIDE = 600e6  # bytes for what is computed with, beside weights and context
_MOST_CACHE_MB = 1_024  # for the beginnings of earlier prompts
_MOST_THREADS = 16


@dataclass(frozen=True)
class FittedModel:
    """A model as it runs here.

    Attributes:
        name: what it is called in answers.
        context: the most tokens of one request, its reply included.
        parallel: requests at once; each has a context of its own.
        cache_mb: memory for the beginnings of earlier prompts.
    """

    file: Path
    name: str
    threads: int
    context: int
    parallel: int
    cache_mb: int


def fitted(options: LlamaCppLlmOptions, file: Path, name: str, available_mb: float | None = None) -> FittedModel:
    """A model with the settings, and what they leave open as it fits this machine.

    Args:
        options: the settings.
        file: of the model.
        name: what it is called in answers.
        available_mb: memory that is free; None looks.

    Raises:
        SetupError: the memory does not suffice for the least that a question takes.
        UsageError, DamagedFile: the file is no model.
    """
    head = read_head(file)
    available = available_megabytes() if available_mb is None else available_mb
    per_token = max(1, head.bytes_per_token) * options.parallel
    free = None if available is None else available * 2**20 - file.stat().st_size - _BESIDE
    room = head.context if free is None else int(free // per_token)
    context = options.context_window or min(head.context, USUAL_CONTEXT, room) // _STEP * _STEP
    if not options.context_window and context < min(LEAST_CONTEXT, head.context // _STEP * _STEP):
        needed = (file.stat().st_size + _BESIDE + per_token * LEAST_CONTEXT) / 1e9
        raise SetupError(
            f"the model {name!r} needs about {needed:.1f} GB of memory, and {(available or 0) / 1e3:.1f} GB are free: "
            "close other programs, or choose a smaller one; `pageproof model list` says what each needs"
        )
    left = 0.0 if free is None else max(0.0, free - per_token * context)
    return FittedModel(
        file=file,
        name=name,
        threads=options.threads or usual_threads(),
        context=min(context, head.context),
        parallel=options.parallel,
        cache_mb=min(_MOST_CACHE_MB, int(left / 4e6)),
    )


def usual_threads() -> int:
    """How many threads compute where nobody says it: all cores of a small machine, and one less of a larger one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores if cores <= 2 else cores - 1, _MOST_THREADS))
