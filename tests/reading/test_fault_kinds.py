"""Small reports that show one kind of fault each: nothing is answered wrongly, and most of what is printed is found."""

import pytest

from tests.measures.faults import tried
from tests.support.faults import KINDS

_FOUND = 0.3  # of what is printed, at least; `python -m tests.measures.faults` counts over many variants


@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_of_fault_leads_to_a_wrong_answer(kind: str) -> None:
    marks, misses = tried(kind, 1)
    assert [miss for miss in misses if not miss.strip().startswith("N/A")] == []
    assert marks["right"] >= _FOUND * marks.total()
