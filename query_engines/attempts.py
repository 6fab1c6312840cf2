"""One draft with its verification, and which of two drafts is the better verified."""

from dataclasses import dataclass

from llama_index.core.schema import NodeWithScore

from prompts.drafts import AnyDraft, value_of
from query_engines.verification import Verification
from storage.answers import NOT_AVAILABLE, Reason, Value


@dataclass(frozen=True)
class Attempt:
    """A draft, what its checks say, and the pages that it was drawn from, best first."""

    draft: AnyDraft
    verified: Verification
    nodes: tuple[NodeWithScore, ...]

    @property
    def is_available(self) -> bool:
        """Whether it claims anything but N/A."""
        return self.draft.final_answer != NOT_AVAILABLE

    @property
    def value(self) -> Value:
        """What it claims."""
        return value_of(self.draft)

    @property
    def unavailable_because(self) -> Reason | None:
        """Why it claims nothing; None where it does."""
        return None if self.is_available else self.draft.unavailable_because or "not_found"

    def is_better_than(self, other: "Attempt") -> bool:
        """Whether it should take the other's place.

        An answer is better than N/A only when it passes every check, and N/A is better than an answer that does not.
        Of two answers the one with fewer failed checks, then with more passed ones. An answer that cites nothing is
        never better, since fewer checks apply to it; only a "no" may rest on silence, and then not against N/A.
        """
        if not self.is_available:
            return other.is_available and bool(other.verified.failed)
        if not self.draft.evidence and not (other.is_available and self.draft.final_answer is False):
            return False
        if not other.is_available:
            return not self.verified.failed
        return self._faults < other._faults

    @property
    def _faults(self) -> tuple[int, int]:
        passed = sum(check.verdict == "passed" for check in self.verified.checks)
        return len(self.verified.failed), -passed
