"""How well companies are found as people write them: `python -m tests.measures.names [--verbose]`.

200 variants of the names of the 29 companies whose reports docs/figures.md speaks of, made by rules and a
seed, and 25 names of companies that are not there; once among the 29, once among ten thousand invented ones besides.
"""

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from statistics import median

from query_engines.company_names.matcher import CompanyNames
from storage.records.reports import Company
from tests.support.known_companies import Outcome, Variant, known_companies, outcome, padded, strangers, variants

MANY = 10_000


def measure(
    companies: Sequence[Company], cases: Sequence[Variant], *, verbose: bool
) -> dict[str, Counter[Outcome]]:
    """Print and give the outcomes by kind."""
    started = time.perf_counter()
    names = CompanyNames(companies)
    built = 1000 * (time.perf_counter() - started)
    counts: dict[str, Counter[Outcome]] = {}
    taken: list[float] = []
    back: list[float] = []
    for variant in cases:
        found = outcome(variant, names)
        counts.setdefault(variant.kind, Counter())[found] += 1
        if verbose and found != "right":
            print(f"  {found}: {variant.text}  ->  {[c.name for c in names.read(variant.text).companies[:5]]}")
        started = time.perf_counter()
        names.read(variant.text)
        taken.append(1000 * (time.perf_counter() - started))
        started = time.perf_counter()
        names.nearest(variant.text)
        back.append(1000 * (time.perf_counter() - started))
    print(f"{len(companies)} companies: index {built:.0f} ms, reading {median(taken):.2f} ms (median), "
          f"{max(taken):.1f} ms (most), nearest names {median(back):.1f} ms (median)")  # fmt: skip
    for kind, count in counts.items():
        print(f"  {kind:20} " + ", ".join(f"{n} {what}" for what, n in count.most_common()))
    return counts


def main() -> None:
    """Measure among the 29 and among ten thousand."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--verbose", action="store_true", help="Show what was not right.")
    verbose = parser.parse_args().verbose
    cases = [*variants(), *strangers()]
    for companies in (known_companies(), padded(MANY)):
        measure(companies, cases, verbose=verbose)


if __name__ == "__main__":
    main()
