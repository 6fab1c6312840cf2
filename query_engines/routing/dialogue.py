"""What a conversation remembers: the last question and its answer, and the companies that it was about."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from storage.records.answers import Answer
from storage.records.questions import AnswerKind, Question
from storage.records.reports import Company

_MOST = 10  # companies that "them" may stand for
Continue = Callable[["Dialogue", str], Question]


@dataclass(frozen=True)
class Dialogue:
    """The state of a conversation; a reply to small talk leaves it as it is.

    Attributes:
        question: the last one, itself complete; None at the beginning.
        answer: to it.
        companies: that were asked about, each once, the one asked about last at the end.
        reports: SHA-1s of those that questions without a company's name are about; empty for the whole library.
    """

    question: Question | None = None
    answer: Answer | None = None
    companies: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()

    def about(self, companies: Sequence[Company]) -> "Dialogue":
        """The state once reports are chosen: what was asked before goes on only if it was about their companies.

        Args:
            companies: with the chosen reports alone; empty for the whole library.
        """
        reports = tuple(report.sha1 for company in companies for report in company.reports)
        named = self.companies[-1:] if self.answer is not None else ()
        if not companies or {company.name for company in companies}.issuperset(named):
            return replace(self, reports=reports)
        return Dialogue(reports=reports)

    def after(self, question: Question, answer: Answer) -> "Dialogue":
        """The state once a question is answered."""
        if _is_small_talk(answer):
            return self
        named = answer.understood.companies if answer.understood else ()
        named = named or ((answer.company,) if answer.company else ())
        earlier = (name for name in self.companies if name not in named)
        return Dialogue(question, answer, (*earlier, *named)[-_MOST:], self.reports)


class Conversation:
    """Asks a client one question after the other; each may leave out what the one before it said."""

    def __init__(self, continued: Continue, answer: Callable[[Question], Answer]) -> None:
        """Start one.

        Args:
            continued: what a text means after a state.
            answer: answers a complete question.
        """
        self._continued = continued
        self._answer = answer
        self.state = Dialogue()

    def ask(self, text: str, *, kind: AnswerKind | None = None, company: str | None = None) -> Answer:
        """The answer to a question, or to what is left of one: "and the year before?"."""
        question = Question(text=text, company=company) if company else self._continued(self.state, text)
        question = question.model_copy(update={"kind": kind}) if kind else question
        answer = self._answer(question)
        self.state = self.state.after(question, answer)
        return answer


def _is_small_talk(answer: Answer) -> bool:
    return answer.is_available and answer.company is None and not answer.citations and not answer.parts
