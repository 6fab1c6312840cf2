"""An answer that is one number."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from prompts.drafts import AS_PRINTED, Draft, DraftedKind, Evidence, Example
from prompts.loose_values import read_number


class NumberDraft(Draft):
    """The form for an answer that is one number."""

    final_answer: Annotated[
        float | Literal["as printed", "N/A"],
        BeforeValidator(read_number),
        WithJsonSchema({"enum": [AS_PRINTED, "N/A"], "type": "string"}),
    ] = Field(
        description=(
            "'as printed' where the figure at the first mark in evidence is the answer: a program reads it there with "
            "its unit and sign. 'N/A' where there is no answer."
        )
    )


_INSTRUCTION = """\
## This question asks for a number
- Accept a figure only if it measures exactly what the question asks. Reports have their own names for one and the
  same measure: revenue, net sales, turnover; operating income, profit from operations; cash flow from operations, net
  cash provided by operating activities; capital expenditures, purchases of property and equipment. Such a figure is
  the answer.
- A figure of another measure is not, however near. If no printed figure measures it, the answer is "N/A".
+ Nor is one of which you cannot tell what it measures.
- Point at the figure; final_answer is then "as printed". A program reads its unit, sign and currency from the page: do
  not work them out.
+ Name the nearest figures on the pages and say for each why it is the one or is not.
+ A figure in cents or pence, in words or with "about" counts as printed, too.
+ A question for the largest, smallest or single item wants that item, not a total that contains it.
+ The same figure may be printed exactly in a statement and rounded in the text: take the exact one. A statement's
  own line comes before a note's total of the same name. Unless the question says otherwise, take the
  consolidated group, the reported figure and basic earnings per share.
+ Total revenue of a bank, lender, insurer or fund is the line that its own statement calls total revenue, total income
  or total operating income; where it prints no such line, there is none.
+ Employees: the company's own count at the period's end, in heads or full-time equivalents, whichever it prints;
  in heads where it prints both. An average counts only where no count of a day is printed.
+ A dividend per share is the year's. If only single dividends of the year are printed and no total, it is "N/A";
  but where the question also allows "at the end of the period", it is the last regular one declared in it.
+ Employees let go, laid off or made redundant: jobs that were cut, or whose end was agreed, by the period's end
  count, also as the total of a programme under way. A target still to be reached does not.
+ A printed 0 is zero. Words such as "no dividend was paid" are not: answer "N/A" with not_disclosed. A lone dash
  is no figure.\
"""
_SCALE_AND_BRACKETS = Example(
    question="What was the Operating income (in USD) for Halvorsen Tools Inc. according to the annual report?",
    company="Halvorsen Tools Inc.",
    currency="USD",
    period_end=dt.date(2023, 12, 31),
    pages=(
        (
            61,
            "[61.1] # CONSOLIDATED STATEMENTS OF OPERATIONS\n\n[61.2] (in thousands, except per share data)\n\n"
            "| | 2023 | 2022 |\n| --- | --- | --- |\n"
            "[61.3] | Net sales | 88,214 | 97,530 |\n"
            "[61.4] | Gross profit | 21,906 | 30,117 |\n"
            "[61.5] | Loss from operations | (6,418) | (2,977) |\n"
            "[61.6] | Loss before income taxes | (7,682) | (4,079) |",
        ),
        (
            34,
            "[34.1] Our adjusted operating loss was $4.9 million in 2023, after an operating loss of $6.4 million.",
        ),
    ),
    draft=NumberDraft(
        step_by_step_analysis=(
            "1. Asked is operating income in USD for the latest period, the year 2023: the result of operations "
            "before interest and taxes.\n"
            "2. Page 61 prints 'Loss from operations', which is operating income with the sign of a loss. 'Gross "
            "profit' comes before operating costs and 'Loss before income taxes' after interest, so neither "
            "matches.\n"
            "3. Page 34 prints an adjusted loss of $4.9 million, which is another measure, and the operating loss "
            "rounded to $6.4 million. The statement's figure is the exact one.\n"
            "4. The column 2023 shows (6,418); (2,977) belongs to 2022.\n"
            "5. So the answer is (6,418) in the row [61.5], column 2023, as printed. The currency is USD, as asked."
        ),
        reasoning_summary=(
            "Page 61, the statement of operations, prints a loss from operations of (6,418) in thousands for 2023."
        ),
        evidence=[Evidence(mark="61.5", column="2023", printed_figure="(6,418)")],
        unavailable_because=None,
        final_answer=AS_PRINTED,
    ),
)
_RELATED_FIGURE = Example(
    question=(
        "What was the total amount spent on research and development (in EUR) by Kestrel Marine SE according to "
        "the annual report? If data is not available, return 'N/A'."
    ),
    company="Kestrel Marine SE",
    currency="EUR",
    period_end=dt.date(2023, 9, 30),
    pages=(
        (
            118,
            "[118.1] Reconciliation of income tax (EUR million)\n\n| | 2022/23 | 2021/22 |\n| --- | --- | --- |\n"
            "[118.2] | Research and development tax credits | (0.8) | (0.6) |",
        ),
        (90, "[90.1] Capitalised development costs are carried at EUR 3.1 million (2022: EUR 2.7 million)."),
    ),
    draft=NumberDraft(
        step_by_step_analysis=(
            "1. Asked is what was spent on research and development in EUR in the year to 30 September 2023.\n"
            "2. Page 118 prints research and development tax credits of 0.8 million. A credit is what the tax "
            "office gives back, not what was spent.\n"
            "3. Page 90 prints capitalised development costs of 3.1 million. That is a book value at a day, of "
            "development alone, and not the year's spending.\n"
            "4. Both share words with the question, but neither means the same, and the spending does not follow "
            "from them.\n"
            "5. No other passage speaks of it, and nothing says that there was none. So there is no answer, and "
            "no passage to rest on: not_found."
        ),
        reasoning_summary=(
            "The pages print tax credits (page 118) and capitalised development costs (page 90), but not what was "
            "spent on research and development."
        ),
        evidence=[],
        unavailable_because="not_found",
        final_answer="N/A",
    ),
)

KIND = DraftedKind(
    title="Number",
    other_words=(
        "percent",
        "percentage",
        "per cent",
        "%",
        "prozent",
        "ratio",
        "money",
        "currency",
        "integer",
        "decimal",
        "count",
        "anzahl",
        "figure",
        "amount",
        "numeric",
        "zahl",
        "betrag",
        "int",
        "float",
        "nummer",
    ),
    meaning="one figure.",
    dimension="number",
    checks=("page", "quote", "figure", "currency", "period", "fact_table", "dimension", "row"),
    form=NumberDraft,
    instruction=_INSTRUCTION,
    examples=(_SCALE_AND_BRACKETS, _RELATED_FIGURE),
)
