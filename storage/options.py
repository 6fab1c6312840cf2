"""How much is cached, and for how long."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

CacheName = Literal["embeddings", "tables", "answers", "runs", "pictures"]
SECONDS_PER_DAY = 86_400.0
_Megabytes = Annotated[int | None, Field(ge=1)]
_Days = Annotated[int | None, Field(ge=1)]


@dataclass(frozen=True)
class Limit:
    """The size and the age that one cache may have; None is no limit."""

    megabytes: int | None = None
    days: int | None = None

    @property
    def bytes(self) -> float:
        """The size, without a limit infinite."""
        return float("inf") if self.megabytes is None else self.megabytes * 1e6

    def oldest(self, now: float) -> float:
        """The earliest time, in seconds since 1970, that is within the age."""
        return float("-inf") if self.days is None else now - self.days * SECONDS_PER_DAY


class CacheOptions(BaseModel):
    """The limits of everything that would grow for ever. Sizes are of one library, a person's own counts by itself."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    embeddings_mb: _Megabytes = Field(
        default=4000,
        description="Vectors of chunks, in megabytes: one or two for a report. A chunk whose vector is there is not "
        "embedded again.",
    )
    embeddings_days: _Days = Field(default=365, description="Days since an ingestion last used a vector.")
    tables_mb: _Megabytes = Field(default=500, description="Tables that a model wrote out, in megabytes.")
    tables_days: _Days = Field(default=365, description="Days since an ingestion last used such a text.")
    answers_mb: _Megabytes = Field(default=500, description="Answers of models, in megabytes.")
    answers_days: _Days = Field(default=90, description="Days since an answer was given by the model.")
    runs_mb: _Megabytes = Field(
        default=500, description="The run log, in megabytes. The runs that ended first are removed first."
    )
    runs_days: _Days = Field(default=730, description="Days since the last question of a run.")
    pictures_mb: _Megabytes = Field(default=500, description="Pictures of pages, in megabytes.")
    pictures_days: _Days = Field(default=90, description="Days since a picture was last looked at.")
    replies_days: _Days = Field(
        default=30, description="Days for which the replies of a run of `answer` that was cut off can be resumed."
    )
    leftovers_days: _Days = Field(
        default=30,
        description="Days for which files stay that nothing uses any more: earlier indexes, and pages and facts of "
        "reports that left the library or that were read anew.",
    )

    def limit(self, cache: CacheName) -> Limit:
        """The limits of one cache."""
        return Limit(megabytes=getattr(self, f"{cache}_mb"), days=getattr(self, f"{cache}_days"))
