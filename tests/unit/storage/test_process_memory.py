"""What is loaded is left out of the searches for cycles while a process works, and no longer."""

import subprocess
import sys

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
