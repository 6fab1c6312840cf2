"""All that models are told, as one replaceable whole."""

from prompts import second_look, templates
from prompts.answer_prompts import AnswerPrompts, RepairPrompts
from prompts.assemble import fingerprint, reformat_prompt, system_prompt
from prompts.company_choice import CompanyChoicePrompts
from prompts.drafts import draft_for, strict_schema
from prompts.instructions import Strictness
from prompts.kind_choice import KindChoicePrompts
from prompts.prompt_files import as_files
from prompts.prompt_group import PromptGroup
from prompts.rerank import RerankPrompts
from prompts.sub_questions import SubQuestionPrompts
from prompts.table_texts import TableTextPrompts
from storage.questions import AnswerKind

_APART = ("answers/", "table_texts/")  # said by its kind; said to a model at ingestion, in the index's fingerprint


class PromptSet(PromptGroup):
    """A group of texts for each job. What fences pages (tags, and the escaping of tags) is code and in no set."""

    answers: AnswerPrompts = AnswerPrompts()
    rerank: RerankPrompts = RerankPrompts()
    kind_choice: KindChoicePrompts = KindChoicePrompts()
    company_choice: CompanyChoicePrompts = CompanyChoicePrompts()
    sub_questions: SubQuestionPrompts = SubQuestionPrompts()
    table_texts: TableTextPrompts = TableTextPrompts()
    repair: RepairPrompts = RepairPrompts()

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits that change with any text that the set may replace."""
        return fingerprint([text for _, text in as_files(self)])

    def version(self, kind: AnswerKind, strictness: Strictness) -> str:
        """Twelve hexadecimal digits that change with any text or schema that an answer of this kind may go through."""
        if kind == "comparative":  # asked in parts, each of which has its own
            return self.digest
        besides = (text for path, text in as_files(self) if not path.startswith(_APART))
        return fingerprint(
            [
                system_prompt(kind, with_schema=True, strictness=strictness, prompts=self.answers),
                self.answers.user.text,
                self.answers.second_look.text,
                *second_look.texts(),
                templates.PAGE.text,
                templates.PERIOD_UNKNOWN,
                templates.CURRENCY_UNKNOWN,
                *(m.content for m in reformat_prompt(strict_schema(draft_for(kind)), "", self.repair)),
                *besides,
            ]
        )
