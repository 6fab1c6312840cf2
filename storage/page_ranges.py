"""Page numbers as people list them."""

from collections.abc import Iterable


def page_ranges(numbers: Iterable[int]) -> str:
    """Numbers in order, neighbours joined: "3-5, 17"; empty for none."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
