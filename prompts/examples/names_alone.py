"""Names: equivalents of a title, positions without persons, products that were launched."""

import datetime as dt

from prompts.drafts import NameDraft, NamesDraft
from prompts.worked_example import Example, passage

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
