"""The base of every record that crosses a module boundary."""

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """Frozen, closed to unknown fields, written to disk and to the wire as JSON."""

    model_config = ConfigDict(frozen=True, extra="forbid")
