"""An answer as a conversation keeps it, with what it was drawn from and what was said of it. No Chainlit here."""

import datetime as dt

from app.chat.choices import Choices
from query_engines.events import PageRead
from storage.answers import Answer
from storage.questions import Question
from storage.record import Record


class Opinion(Record):
    """What a person said of an answer: thumbs up or down, and why."""

    helpful: bool
    comment: str = ""


class KeptAnswer(Record):
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
