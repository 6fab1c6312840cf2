"""A client against a server that fails, and against one that is slow: `python -m tests.measures.costs.rate_limits`."""

import argparse
import tempfile
from pathlib import Path

from app import open_pageproof
from tests.support.faulty_server import measure_failures, pace
from tests.support.samples import samples_request


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--share", type=float, default=0.2, help="of requests that fail")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pace", action="store_true", help="only the slow server")
    parser.add_argument("--data", type=Path, help="a library of the samples; without it they are read anew")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = chosen.data or Path(folder)
        if chosen.data is None:
            with open_pageproof("offline", data=data) as client:
                assert all(o.status == "indexed" for o in client.library.ingest(samples_request()))
        if not chosen.pace:
            wrong = list(measure_failures(data, chosen.questions, chosen.share, chosen.seed))
            print("\n".join(wrong) or "  none lost, none doubled, no request beyond one layer of attempts")
        taken = pace(data, 100, 1.0, 25)
        print(
            f"100 questions, a reply after 1 s, 25 in flight: {taken.seconds:.2f} s, {taken.seconds / taken.least:.2f} "
            f"of {taken.least:.2f} s; {taken.processor:.2f} s of a processor"
        )


if __name__ == "__main__":
    main()
