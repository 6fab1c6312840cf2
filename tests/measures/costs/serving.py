"""Many programs at once against `serve`: `DATA [CLIENTS [SECONDS]]`, over a copy of that library.

Every person has a library of their own, with a report that half of the others must not see. Each client is one of these
people and asks for figures of its own report, of a shared one, and of the others' report. Prints how soon it is
answered, how many answers were lost or were another person's, and the server's memory. `make bench-serve` does that.
"""

import asyncio
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from app.chat_options import ServeOptions
from app.serving.tokens import Tokens
from storage.process_memory import resident_megabytes
from tests.support.served import served

PEOPLE = 10
OWN = {"ostermere_2024.pdf": "Ostermere Instruments, Inc.", "veldhoorn_2024.pdf": "Veldhoorn Packaging N.V."}
SHARED = "Tsukimine Seiki Co., Ltd."
WORDINGS = (
    "What was the total revenue of {} in 2024?",
    "What was the net income of {} in 2024?",
    "Who is the CEO of {}?",
)
SAMPLES = Path(__file__).parents[3] / "app" / "samples"


@dataclass
class Crowd:
    """What all clients met."""

    seconds: list[float] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    mixed: list[str] = field(default_factory=list)
    given: dict[str, set[str]] = field(default_factory=dict)


async def measure(address: str, tokens: Sequence[str], clients: int, seconds: float) -> Crowd:
    """Let so many clients ask for so long; each person's token is used by several of them."""
    crowd = Crowd()
    own = list(OWN)
    async with httpx.AsyncClient(base_url=f"{address}/v1", timeout=300) as api:
        await asyncio.gather(*(_send(api, token, own[n % 2]) for n, token in enumerate(tokens)))
        until = time.perf_counter() + seconds
        people = [n % len(tokens) for n in range(clients)]
        await asyncio.gather(
            *(
                _ask_until(api, tokens[person], own[person % 2], until, random.Random(n), crowd)
                for n, person in enumerate(people)
            )
        )
    return crowd


async def _send(api: httpx.AsyncClient, token: str, file: str) -> None:
    """Send a person's own report and wait until it answers."""
    headers = {"Authorization": f"Bearer {token}"}
    sent = await api.post("/reports", headers=headers, files={"file": (file, (SAMPLES / file).read_bytes())})
    sent.raise_for_status()
    while OWN[file] not in str((await api.get("/companies", headers=headers)).json()):
        await asyncio.sleep(0.5)


async def _ask_until(
    api: httpx.AsyncClient, token: str, file: str, until: float, chance: random.Random, crowd: Crowd
) -> None:
    others = next(company for name, company in OWN.items() if name != file)
    headers = {"Authorization": f"Bearer {token}"}
    while time.perf_counter() < until:
        company = chance.choice((OWN[file], OWN[file], SHARED, others))
        text = chance.choice(WORDINGS).format(company)
        started = time.perf_counter()
        try:
            response = await api.post("/ask", headers=headers, json={"question": text})
            answer = response.raise_for_status().json()
        except (httpx.HTTPError, ValueError) as error:
            crowd.lost.append(f"{type(error).__name__}: {error}")
            continue
        crowd.seconds.append(time.perf_counter() - started)
        value = str(answer["value"])
        if answer["question"] != text or (company == others) != (answer["company"] is None):
            crowd.mixed.append(f"{text} -> {answer['company']} {value}")
        if company != others:
            crowd.given.setdefault(text, set()).add(value)
        await asyncio.sleep(chance.uniform(0.2, 1.0))


def main(data: Path, clients: int = 50, seconds: float = 120) -> None:
    """Serve a copy of the library, measure, remove it."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(
            shutil.copytree(data, Path(folder) / "data", ignore=shutil.ignore_patterns("people", "tokens.json"))
        )
        tokens = [Tokens(copy / "tokens.json").add(f"person{number}") for number in range(PEOPLE)]
        with served(copy, ServeOptions(requests_per_minute=100_000), people=True) as address:
            before = resident_megabytes()
            crowd = asyncio.run(measure(address, tokens, clients, seconds))
            after = resident_megabytes()
    ordered = sorted(crowd.seconds)
    differing = [text for text, values in crowd.given.items() if len(values) > 1]
    sys.stdout.write(
        f"{clients} clients of {PEOPLE} people, {seconds:.0f} s: {len(ordered)} answers, median "
        f"{statistics.median(ordered):.2f} s, p90 {ordered[int(0.9 * (len(ordered) - 1))]:.2f} s, "
        f"longest {ordered[-1]:.2f} s\nlost: {len(crowd.lost)} {crowd.lost[:3]}; from another's report or question: "
        f"{len(crowd.mixed)} {crowd.mixed[:3]}; questions with differing answers: {differing}\n"
        f"memory: {before:.0f} MB before, {after:.0f} MB after\n"
    )


if __name__ == "__main__":
    given = sys.argv[1:]
    main(Path(given[0]), int(given[1]) if len(given) > 1 else 50, float(given[2]) if len(given) > 2 else 120)
