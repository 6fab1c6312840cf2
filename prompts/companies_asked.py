"""A question beside a list of companies: the messages of every job that reads the two together."""

import json
from collections.abc import Sequence

from prompts import templates
from prompts.assemble import Message
from prompts.drafts import Form, strict_schema
from prompts.prompt_group import PromptGroup


class CompaniesAskedPrompts(PromptGroup):
    """What a model is told of such a job; `user` has blanks for the companies and the question."""

    rules: str
    form: str
    form_with_schema: templates.Template = templates.FORM_WITH_SCHEMA
    system: templates.Template
    user: templates.Template

    def messages(
        self, question: str, companies: Sequence[str], shown: tuple[str, Sequence[str], Form], with_schema: bool
    ) -> tuple[Message, Message]:
        """What a model is sent.

        Args:
            question: as asked.
            companies: the list.
            shown: the worked example: its question, its companies, and the form filled in.
            with_schema: states the form's JSON schema too.
        """
        example_question, example_companies, reply = shown
        form = self.form
        if with_schema:
            schema = json.dumps(strict_schema(type(reply)), indent=2, ensure_ascii=False)
            form = self.form_with_schema.render(form=form, schema=schema)
        example = templates.EXAMPLE.render(
            user=self._asked(example_question, example_companies),
            reply=json.dumps(reply.model_dump(), indent=2, ensure_ascii=False),
        )
        return (
            Message(role="system", content=self.system.render(rules=self.rules, form=form, example=example)),
            Message(role="user", content=self._asked(question, companies)),
        )

    def _asked(self, question: str, companies: Sequence[str]) -> str:
        return self.user.render(
            companies="\n".join(f"- {templates.one_line(name)}" for name in companies),
            question=templates.one_line(question),
        )
