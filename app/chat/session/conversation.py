"""One conversation: its settings, its last question and answer, and how it is resumed. No Chainlit here."""

import datetime as dt
import uuid
from typing import TYPE_CHECKING, Any

from app.chat.session.client_pool import ChatClient
from app.chat.session.settings_panel import Choices
from query_engines.events import PageRead
from query_engines.routing.dialogue import Dialogue
from storage.records.answers import Answer
from storage.records.questions import Question
from storage.records.record import Record
from storage.records.reports import Company

if TYPE_CHECKING:
    from chainlit.types import ThreadDict


class Conversation:
    """Turns what a person types into questions that stand on their own."""

    def __init__(self, choices: Choices, last: tuple[Question, Answer] | None = None) -> None:
        self.choices = choices
        self.is_begun = False  # something was sent in it, which gave it a name
        self.is_named = (
            False  # by a question, or by its reports: small talk and the names of files give way to these
        )
        self.connection = ""
        """The id of the connected model that answers; "" for the profile's own."""
        self.about: tuple[Company, ...] = ()
        """The companies of the reports that were chosen, with these reports alone; empty for the whole library."""
        self._dialogue = Dialogue().after(*last) if last else Dialogue()
        self._given: dict[str, set[float]] = {}

    def choose(self, companies: tuple[Company, ...]) -> None:
        """Let questions that name no company be about some reports; nothing takes the whole library."""
        self.about, self._dialogue = companies, self._dialogue.about(companies)

    @property
    def reports(self) -> list[str]:
        """The SHA-1s of the reports that were chosen."""
        return [report.sha1 for company in self.about for report in company.reports]

    def question(self, text: str, client: ChatClient, reports: tuple[str, ...] = ()) -> Question:
        """The question to ask of a client: what it leaves unsaid is taken from the one before; of the chosen kind.

        One that came beside reports is about these, whatever was asked before.
        """
        before = Dialogue(reports=reports) if reports else self._dialogue
        typed = client.follow_up(before, " ".join(text.split()))
        return typed.model_copy(update={"kind": self.choices.kind}) if self.choices.kind else typed

    def heard(self, question: Question, answer: Answer) -> None:
        """Remember what was answered last."""
        self._dialogue = self._dialogue.after(question, answer)
        for one in (answer, *answer.parts):
            if one.company and isinstance(one.value, float):
                self._given.setdefault(one.company, set()).add(one.value)

    def given(self, company: str) -> frozenset[float]:
        """The figures of a company that were given in it."""
        return frozenset(self._given.get(company, ()))


class Opinion(Record):
    """What a person said of an answer: thumbs up or down, and why."""

    helpful: bool
    comment: str = ""


class StoredAnswer(Record):
    """One question of a conversation and its answer.

    Attributes:
        id: of the step that it was answered in, which is what feedback is about.
        question: as it was asked of the client, a follow-up filled in.
        read: every page it was drawn from.
        choices: the settings of the conversation at that moment.
        run: of the run log; None where nothing is logged.
    """

    id: str
    at: dt.datetime
    question: Question
    answer: Answer
    read: tuple[PageRead, ...] = ()
    choices: Choices
    run: str | None = None
    opinion: Opinion | None = None


class SharedConversation(Record):
    """A conversation as others may read it: its name, whose it is, and what was answered until it was shared."""

    name: str
    owner: str
    at: dt.datetime
    answers: tuple[StoredAnswer, ...]


CUT_OFF = "This question was not answered: the server was stopped meanwhile. Ask it again."


def close_what_was_left_open(thread: "ThreadDict") -> None:
    """Mark steps that never ended, and say so below a question that has no answer."""
    steps: list[Any] = thread["steps"]
    for step in steps:
        if not _is_message(step) and not step.get("end"):
            step.update(end=step.get("start") or step.get("createdAt"), isError=step["name"] != "on_message")
    messages = [step for step in steps if _is_message(step)]
    if messages and messages[-1]["type"] == "user_message":
        question = messages[-1]
        steps.append(
            {
                "id": str(uuid.uuid4()),
                "threadId": thread["id"],
                "name": "Pageproof",
                "type": "assistant_message",
                "output": CUT_OFF,
                "input": "",
                "isError": True,
                "streaming": False,
                "metadata": {},
                "createdAt": question["createdAt"],
                "start": question["createdAt"],
                "end": question["createdAt"],
            }
        )


def _is_message(step: Any) -> bool:
    return str(step["type"]).endswith("message")
