"""Chainlit reads its environment and fills its folder once, when it is imported: so here, before any test of it."""

import atexit
import shutil
import tempfile
from pathlib import Path

import pytest

from tests.support.doubles.chat_visit import enter_chainlit

HOME = Path(tempfile.mkdtemp(prefix="pageproof-chat-"))
atexit.register(shutil.rmtree, HOME, ignore_errors=True)
enter_chainlit(HOME)


@pytest.fixture(scope="session")
def chainlit_home() -> Path:
    """The run folder that Chainlit was imported over."""
    return HOME
