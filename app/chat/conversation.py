"""One conversation: what it has chosen and what was asked last. No Chainlit here."""

from app.chat.choices import Choices
from app.chat.client_view import ChatClient
from storage.answers import Answer
from storage.questions import Question


class Conversation:
    """Turns what a person types into questions that stand on their own."""

    def __init__(self, choices: Choices, last: tuple[Question, Answer] | None = None) -> None:
        self.choices = choices
        self._last = last

    def question(self, text: str, client: ChatClient) -> Question:
        """The question to ask of a client: what it leaves unsaid is taken from the one before; of the chosen kind."""
        typed = Question(text=" ".join(text.split()))
        if self._last is not None:
            typed = client.follow_up(*self._last, typed.text)
        return typed.model_copy(update={"kind": self.choices.kind}) if self.choices.kind else typed

    def heard(self, question: Question, answer: Answer) -> None:
        """Remember what was answered last."""
        self._last = (question, answer)
