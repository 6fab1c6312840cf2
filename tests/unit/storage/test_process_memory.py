"""What is loaded is left out of the searches for cycles while a process works, and no longer."""

import subprocess
import sys

SETTLED = """
import atexit, gc
atexit.register(lambda: print(gc.get_freeze_count()))  # called last
from storage.process_memory import settle
settle()
print(gc.get_freeze_count() > 1_000)
"""


def test_what_is_frozen_is_let_go_at_the_end() -> None:
    said = subprocess.run([sys.executable, "-c", SETTLED], capture_output=True, text=True, check=True)
    assert (said.stdout.split(), said.stderr) == (["True", "0"], "")
