"""OpenVINO, which runs the models for vectors and OCR, imported so that it tells its maker nothing.

Importing this module raises ImportError where there is no OpenVINO for the machine.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def _without_module(name: str) -> Iterator[None]:
    """A module that cannot be imported meanwhile."""
    known = sys.modules.get(name)
    sys.modules[name] = None  # type: ignore[assignment]  # Python's own way to forbid an import
    try:
        yield
    finally:
        del sys.modules[name]
        if known is not None:
            sys.modules[name] = known


# OpenVINO's converter reports each import to a server of its maker's. It is not needed here, and OpenVINO can do
# without it.
with _without_module("openvino.tools.ovc"):
    import openvino as ov
    from openvino import opset13 as ops

__all__ = ["ops", "ov"]
