"""Worked examples for numbers (scale, sign, period) and for names (titles, positions, products)."""

import datetime as dt

from prompts.drafts import Evidence, Example, NameDraft, NamesDraft, NumberDraft, passage

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


CHIEF_EXECUTIVE_BY_ANOTHER_TITLE = Example(
    question='Who is the CEO in the company "Blue Wattle Minerals Limited"?',
    company="Blue Wattle Minerals Limited",
    currency="AUD",
    period_end=dt.date(2023, 6, 30),
    pages=(
        (
            19,
            "# Directors\n\nMs Helen Marsh, Non-Executive Chair\n\nDr Tomas R. Lindqvist, PhD, Managing Director. "
            "Dr Lindqvist has led the Company since 2019.\n\nMr Adam Cole, Executive Director and Chief "
            "Operating Officer",
        ),
    ),
    draft=NameDraft(
        step_by_step_analysis=(
            "1. Asked is the person who runs Blue Wattle Minerals as its chief executive.\n"
            "2. Page 19 lists the directors; nobody there has the title Chief Executive Officer.\n"
            "3. Tomas R. Lindqvist is Managing Director and leads the company, which is the same office under the "
            "title usual in Australia.\n"
            "4. Helen Marsh chairs the board, and Adam Cole is Chief Operating Officer; nothing says that either "
            "acts as chief executive.\n"
            "5. The name without form of address and degree is Tomas R. Lindqvist."
        ),
        reasoning_summary=(
            "The company has no officer called CEO; its Managing Director, who leads it, is Tomas R. Lindqvist "
            "(page 19)."
        ),
        evidence=[passage(19, "Dr Tomas R. Lindqvist, PhD, Managing Director")],
        relevant_pages=[19],
        unavailable_because=None,
        final_answer="Tomas R. Lindqvist",
    ),
)

TITLES_WITHOUT_PERSONS = Example(
    question=(
        "Which leadership positions changed at Orla Networks Corp. in the reporting period? If data is not "
        "available, return 'N/A'. Give me the title of the position."
    ),
    company="Orla Networks Corp.",
    currency="USD",
    period_end=dt.date(2023, 12, 31),
    pages=(
        (
            8,
            "In March 2023 we welcomed Ines Farrow as Chief Technology Officer, a newly created role. Paul Okafor "
            "retired as Chief Financial Officer on June 30, 2023, and Dana Reyes succeeded him.",
        ),
        (
            41,
            "Lena Brandt and Koji Mori joined the Board as independent directors in May 2023. In February 2024, "
            "our General Counsel, Ruth Adeyemi, gave notice of her resignation.",
        ),
    ),
    draft=NamesDraft(
        step_by_step_analysis=(
            "1. Asked are titles of leadership positions that changed in the year to December 31, 2023.\n"
            "2. Page 8: the Chief Technology Officer was appointed in March 2023. The role is new, and an "
            "appointment to a new position counts.\n"
            "3. Page 8: the Chief Financial Officer retired and was succeeded in June 2023. These are two changes "
            "of one position, so the title is listed once.\n"
            "4. Page 41: two persons joined the Board as independent directors in May 2023. The title is listed "
            "once, in the singular and plainly: Director.\n"
            "5. Page 41: the General Counsel resigned in February 2024, after the period, so this does not count. "
            "No persons belong in the list."
        ),
        reasoning_summary=(
            "In 2023 a Chief Technology Officer was appointed and the Chief Financial Officer changed (page 8), "
            "and independent directors joined the Board (page 41)."
        ),
        evidence=[
            passage(8, "In March 2023 we welcomed Ines Farrow as Chief Technology Officer", period="March 2023"),
            passage(8, "Paul Okafor retired as Chief Financial Officer on June 30, 2023", period="June 30, 2023"),
            passage(41, "joined the Board as independent directors in May 2023", period="May 2023"),
        ],
        relevant_pages=[8, 41],
        unavailable_because=None,
        final_answer=["Chief Technology Officer", "Chief Financial Officer", "Director"],
    ),
)

LAUNCHED_ONLY = Example(
    question=(
        "What are the names of new products launched by Orla Networks Corp. as mentioned in the annual report? If "
        "data is not available, return 'N/A'."
    ),
    company="Orla Networks Corp.",
    currency="USD",
    period_end=dt.date(2023, 12, 31),
    pages=(
        (
            12,
            "In 2023 we launched OrlaMesh 7™ and the Beacon Mini. OrlaVault, a storage product, is in beta tests "
            "with selected customers. We also began to sell OrlaLink, introduced in 2019, in Japan.",
        ),
    ),
    draft=NamesDraft(
        step_by_step_analysis=(
            "1. Asked are names of products that were newly brought to market.\n"
            "2. Page 12: OrlaMesh 7™ and the Beacon Mini were launched in 2023. Both count.\n"
            "3. OrlaVault is in beta tests. A product in tests is not launched, so it does not count.\n"
            "4. OrlaLink dates from 2019 and is new in Japan only. An older product in a new place does not count.\n"
            "5. The names exactly as printed: 'OrlaMesh 7™' with its sign, and 'Beacon Mini'."
        ),
        reasoning_summary="Page 12: OrlaMesh 7™ and the Beacon Mini were launched in 2023.",
        evidence=[passage(12, "In 2023 we launched OrlaMesh 7™ and the Beacon Mini.", period="2023")],
        relevant_pages=[12],
        unavailable_because=None,
        final_answer=["OrlaMesh 7™", "Beacon Mini"],
    ),
)
