"""What is loaded is left out of the searches for cycles while a process works, and no longer; they may be rarer."""

import gc
import subprocess
import sys

from storage.process_memory import searching_seldom

PROGRAM = """
import atexit, gc
atexit.register(lambda: print(gc.get_freeze_count()))  # called last
from storage.process_memory import freeze_loaded_objects
freeze_loaded_objects()
print(gc.get_freeze_count() > 1_000)
"""


def test_what_is_frozen_is_let_go_at_the_end() -> None:
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert (run.stdout.split(), run.stderr) == (["True", "0"], "")


def test_cycles_are_searched_seldom_until_the_first_who_wants_it_is_done() -> None:
    before = gc.get_threshold()
    with searching_seldom():
        seldom = gc.get_threshold()
        with searching_seldom():
            pass
        assert gc.get_threshold() == seldom
    assert seldom[2] > before[2]  # searches through all objects
    assert gc.get_threshold() == before
