"""A question and the kind of its answer."""

from typing import Annotated, Literal

from pydantic import AfterValidator

from storage.errors import QuestionTooLong
from storage.incoming import normal_length
from storage.records.record import GivenRecord
from storage.text import storable

LONGEST_QUESTION = 2_000  # characters; rules read every question, and the longest sensible ones have 600
LONGEST_COMPANY = 300
AnswerKind = Literal["number", "boolean", "name", "names", "comparative", "text"]


class Question(GivenRecord):
    """A question in plain words, with optional hints.

    Attributes:
        kind: None lets Pageproof infer it.
        company: a company's name that overrides what the text says.
        currency: that the answer must be in, by ISO 4217 code, sign or name; None means the report's currency.
        reports: SHA-1s of the reports that a question which names no company is about; empty for the whole library.
        said: what the user wrote, where `text` was made of it: a question that goes on with an earlier one, or the
            whole one of which this is a part.
        before: what was asked before it in a conversation, where it may leave out something of that.
    """

    text: Annotated[str, AfterValidator(storable)]
    kind: AnswerKind | None = None
    company: Annotated[str, AfterValidator(storable)] | None = None
    currency: str | None = None
    reports: tuple[str, ...] = ()
    said: Annotated[str, AfterValidator(storable)] = ""
    before: Annotated[str, AfterValidator(storable)] = ""

    @property
    def in_words(self) -> "Question":
        """What its text and its hints say, and nothing else."""
        return Question.model_validate({name: getattr(self, name) for name in Question.model_fields})

    def made_of(self, said: str) -> "Question":
        """The same question, with the user's own words beside it where these are others."""
        said = storable(said)
        return self if said == self.text else self.model_copy(update={"said": said})


def check_length(text: str, company: str | None = None) -> None:
    """Refuse what is too long to be a question, before any rule reads it.

    Raises:
        QuestionTooLong: the text or the company's name.
    """
    if (count := _length(text, LONGEST_QUESTION)) > LONGEST_QUESTION:
        raise QuestionTooLong(
            f"the question has {count:,} characters, and at most {LONGEST_QUESTION:,} are read: ask for less at once"
        )
    if company is not None and (count := _length(company, LONGEST_COMPANY)) > LONGEST_COMPANY:
        raise QuestionTooLong(
            f"the company's name has {count:,} characters, and at most {LONGEST_COMPANY} are read"
        )


def _length(text: str, most: int) -> int:
    """How long a text is, of one that is not too long anyway in the form that rules read."""
    return len(text) if len(text) > most else normal_length(text)
