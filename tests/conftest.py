"""What every test stands on: no network but loopback, no keys, one ingested library of the sample reports."""

import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from app import open_pageproof
from app.assembly.client import Pageproof

os.environ["HF_HUB_OFFLINE"] = "1"
from tests.support.libraries import ingest_samples, made_once

# How long an example takes says more of the machine than of the code.
hypothesis.settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any machine")
LOOPBACK = {"127.0.0.1", "::1", "localhost"}


@pytest.fixture(scope="session", autouse=True)
def closed_network() -> Iterator[None]:
    """A connection to anywhere but this machine fails the test."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in LOOPBACK:
            raise AssertionError(f"a test tried to reach {address}")
        connect(self, address)

    socket.socket.connect = guarded  # type: ignore[method-assign]  # the one place all clients go through
    yield
    socket.socket.connect = connect  # type: ignore[method-assign]


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """No provider's key and no setting of the developer's own."""
    for name in list(os.environ):
        if name.endswith("_API_KEY") or name.startswith(("PAGEPROOF__", "WATSONX_")):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def sample_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data root with the three sample reports, ingested offline once for all tests; do not write to it."""
    samples = made_once(tmp_path_factory, "samples", ingest_samples)
    # Answering writes a log and caches: each worker process has its own.
    return Path(shutil.copytree(samples, tmp_path_factory.mktemp("samples") / "data"))


@pytest.fixture(scope="session")
def client(sample_data: Path) -> Iterator[Pageproof]:
    """An offline client over the sample reports, by the challenge's rule: nothing is calculated."""
    with open_pageproof("offline", overrides=["answers.strictness=strict"], data=sample_data) as opened:
        yield opened


@pytest.fixture(scope="session")
def real_reports() -> Path:
    """The folder of real reports and their truth."""
    folder = os.environ.get("PAGEPROOF_REAL_REPORTS")
    if not folder:
        pytest.skip("PAGEPROOF_REAL_REPORTS is not set: no real reports to read")
    return Path(folder)
