"""Numbers: scale, sign and period; a figure that is only related."""

import datetime as dt

from prompts.drafts import Evidence, NumberDraft
from prompts.worked_example import Example

SCALE_AND_BRACKETS = Example(
    question=(
        "What was the Operating income (in USD) for Halvorsen Tools Inc. according to the annual report (within "
        "the last period or at the end of the last period)? If data is not available, return 'N/A'."
    ),
    company="Halvorsen Tools Inc.",
    currency="USD",
    period_end=dt.date(2023, 12, 31),
    pages=(
        (
            61,
            "# CONSOLIDATED STATEMENTS OF OPERATIONS\n\n(in thousands, except per share data)\n\n"
            "| | 2023 | 2022 |\n| --- | --- | --- |\n"
            "| Net sales | 88,214 | 97,530 |\n"
            "| Gross profit | 21,906 | 30,117 |\n"
            "| Loss from operations | (6,418) | (2,977) |\n"
            "| Interest expense | (1,264) | (1,102) |\n"
            "| Loss before income taxes | (7,682) | (4,079) |",
        ),
        (34, "Our adjusted operating loss was $4.9 million in 2023, after an operating loss of $6.4 million."),
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
            "5. The statement is in thousands, so 6,418 is 6,418,000. Brackets mean negative: -6418000. The "
            "reporting currency is USD, as asked."
        ),
        reasoning_summary=(
            "Page 61, the statement of operations, prints a loss from operations of (6,418) in thousands for 2023."
        ),
        evidence=[
            Evidence(
                page=61,
                quote="Loss from operations | (6,418)",
                printed_figure="(6,418)",
                scale=1000,
                currency="USD",
                period="2023",
            )
        ],
        relevant_pages=[61],
        unavailable_because=None,
        final_answer=-6_418_000,
    ),
)

RELATED_FIGURE = Example(
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
            "Reconciliation of income tax (EUR million)\n\n| | 2022/23 | 2021/22 |\n| --- | --- | --- |\n"
            "| Research and development tax credits | (0.8) | (0.6) |",
        ),
        (90, "Capitalised development costs are carried at EUR 3.1 million (2022: EUR 2.7 million)."),
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
        relevant_pages=[],
        unavailable_because="not_found",
        final_answer="N/A",
    ),
)
