"""Checks of the user's own, beside Pageproof's."""

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from prompts.drafts import Draft
from query_engines.question.parsed import ParsedQuestion
from query_engines.verification.verify import Verification
from storage.errors import ComponentError, PageproofError
from storage.lexicon.words import expression
from storage.records.answers import OWN_CHECK, Check, Verdict
from storage.records.pages import Page
from storage.records.reports import Report

_NAME = expression(r"[a-z][a-z0-9_]{0,40}")


@runtime_checkable
class OwnCheck(Protocol):
    """A check. Its `name` is shown on the card: lower-case letters, digits and `_`."""

    name: str

    def check(
        self, draft: Draft, question: ParsedQuestion, report: Report, pages: Mapping[int, Page]
    ) -> tuple[Verdict, str]:
        """The verdict on a draft, and the reason in a sentence.

        Args:
            draft: `final_answer` is its value; `evidence` has its pages and quotes.
            question: as it was understood.
            report: of the pages.
            pages: that the draft was made of, by 1-based number.
        """
        ...


def with_own_checks(
    verified: Verification,
    checks: Sequence[OwnCheck],
    draft: Draft,
    question: ParsedQuestion,
    report: Report,
    pages: Mapping[int, Page],
) -> Verification:
    """The verification with further checks. One that fails with an error counts as failed: no tick without a check.

    Raises:
        ComponentError: a check has no good name.
    """
    found = []
    for each in checks:
        if not isinstance(each.name, str) or not _NAME.fullmatch(each.name):
            raise ComponentError(
                f"the check {type(each).__name__} is called {each.name!r}: expected a name of lower-case letters, "
                "digits and _, such as 'round_figures'"
            )
        try:
            verdict, detail = _as_verdict(each.check(draft, question, report, pages))
        except PageproofError:
            raise
        except Exception as error:  # noqa: BLE001  # the user's code; its failure is shown with the answer
            verdict, detail = "failed", f"the check itself failed with {type(error).__name__}: {error}"
        found.append(Check(name=f"{OWN_CHECK}{each.name}", verdict=verdict, detail=detail))
    return verified.model_copy(update={"checks": (*verified.checks, *found)})


def _as_verdict(found: object) -> tuple[Verdict, str]:
    """What a check returned; where that is no verdict, it failed and says so."""
    match found:
        case (("passed" | "failed" | "not_applicable") as verdict, str(detail)):
            return verdict, detail
        case _:
            wanted = "('passed', 'failed' or 'not_applicable', and the reason in a sentence)"
            return "failed", f"the check itself returned {found!r}, expected {wanted}"
