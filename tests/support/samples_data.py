"""The three invented companies behind the sample reports: figures, prose, facts and questions.

Nothing here draws. A statement is a small ledger, one row a line, amounts newest year first:

    key | label | note | amount | amount     a figure
    key ~ other | label                      a figure repeated from elsewhere
    key = one + two - three | label          a total;  `==` is a grand total,  `/` divides to two decimals
    # label                                  a heading; a row without a label is computed and not printed

`$` before a label prints the currency sign. In the prose `{key.now}` and `{key.before}` are ledger figures
without their sign (`now_m`: thousands said in millions). The page a figure lands on is recorded under its key
(`now` only), that of other words under a name: `[[mark|words]]`. A block starts with `#` (chapter on a new page),
`+` (chapter on the same page), `##` (heading), `-` (bullet), `|` (table), `^` (bars), `>` (centred line),
`~` (small print) or `@` (statement).
"""

from dataclasses import dataclass, field
from typing import Literal

Value = str | bool | int | float | tuple[str, ...]


@dataclass(frozen=True)
class Fact:
    """What the report says about one metric outside the statements; its marks are the metric's name and `rows`."""

    metric: str
    kind: Literal["number", "boolean", "name"]
    value: Value
    printed: str | None = None
    rows: tuple[str, ...] = ()
    also: tuple[Value, ...] = ()


@dataclass(frozen=True)
class Question:
    """A question with its answer; the pages are those of its marks and ledger keys."""

    kind: Literal["number", "boolean", "name", "names", "text"]
    text: str
    value: Value
    marks: tuple[str, ...] = ()
    printed: str | None = None
    scale: int = 1
    trap: str = ""
    note: str = ""
    also: tuple[Value, ...] = ()
    must_say: tuple[str, ...] = ()


@dataclass(frozen=True)
class Statement:
    """A ledger with its column heads; `over` stands above the years, `ascending` prints the oldest year first."""

    caption: str
    over: str
    years: tuple[str, ...]
    ledger: str
    ascending: bool = False


@dataclass(frozen=True)
class Company:
    """One invented company: who it is, how its report looks, what it says."""

    name: str
    file: str
    aliases: tuple[str, ...]
    currency: str
    period_end: str
    scale: int
    paper: Literal["letter", "a4"]
    serif: bool
    colour: str
    sign: str
    brackets: bool
    leaders: bool
    unnumbered: int
    header: str
    cover: tuple[str, ...]
    statements: dict[str, Statement]
    report: str
    facts: tuple[Fact, ...]
    questions: tuple[Question, ...]
    also: dict[str, str] = field(default_factory=dict)  # metric -> ledger key of another value a reader may give


# A ledger's key for each metric that is read from a statement, in the order the facts are listed.
LEDGER_METRICS = {
    "Total revenue": "revenue",
    "Operating income": "operating_income",
    "Net income": "net_income",
    "EPS (earnings per share), basic": "eps",
    "Total assets": "total_assets",
    "Shareholders' equity": "equity",
    "Cash flow from operations": "operations",
    "Capital expenditures": "capex",
    "Long-term debt": "long_term_debt",
}

# --------------------------------------------------------------------------------------------------------------
# Ostermere Instruments, Inc.: US dollars in thousands, a loss-making year
# --------------------------------------------------------------------------------------------------------------

OSTERMERE_STATEMENTS = {
    "income": Statement(
        "(in thousands, except per share data)",
        "Year ended December 31,",
        ("2024", "2023"),
        """
revenue | $Net sales | | 386412 | 402875
cost | Cost of sales | | 241507 | 243118
gross = revenue - cost | Gross profit
# Operating expenses:
selling | Selling, general and administrative | | 92364 | 90218
research | Research and development | | 38146 | 34902
amortization | Amortization of acquired intangible assets | | 6420 | 4815
impairment | Goodwill impairment | | 24300 | 0
expenses = selling + research + amortization + impairment | Total operating expenses
operating_income = gross - expenses | Operating income (loss)
interest | Interest expense | | -7412 | -6105
other_income | Other income, net | | 918 | 1240
before_tax = operating_income + interest + other_income | Income (loss) before income taxes
tax | Income tax benefit (expense) | | 3274 | -6116
net_income == before_tax + tax | $Net income (loss)
# Net income (loss) per share:
eps ~ net_income / shares | $Basic
diluted ~ net_income / diluted_shares | $Diluted
# Weighted average shares outstanding:
shares | Basic | | 41236 | 40874
diluted_shares | Diluted | | 41236 | 41512
""",
    ),
    "balance": Statement(
        "(in thousands, except par value)",
        "December 31,",
        ("2024", "2023"),
        """
# Assets
cash | $Cash and cash equivalents | | 54516 | 58214
receivables | Accounts receivable, net | | 68725 | 66930
inventories | Inventories | | 79054 | 71488
prepaid | Prepaid expenses and other current assets | | 10558 | 9746
current_assets = cash + receivables + inventories + prepaid | Total current assets
property | Property, plant and equipment, net | | 96914 | 88305
goodwill | Goodwill | | 59920 | 61740
intangibles | Intangible assets, net | | 41592 | 29412
other_assets | Other assets | | 8490 | 8163
total_assets == current_assets + property + goodwill + intangibles + other_assets | $Total assets
# Liabilities and stockholders' equity
current_debt | $Current portion of long-term debt | | 7500 | 5000
payables | Accounts payable | | 31596 | 31204
accrued | Accrued compensation and other liabilities | | 38114 | 34877
deferred_revenue | Deferred revenue | | 9525 | 8418
current_liabilities = current_debt + payables + accrued + deferred_revenue | Total current liabilities
long_term_debt | Long-term debt, net of current portion | | 122500 | 92500
deferred_tax | Deferred income taxes | | 11541 | 11836
other_liabilities | Other long-term liabilities | | 7536 | 7209
liabilities = current_liabilities + long_term_debt + deferred_tax + other_liabilities | Total liabilities
common | Common stock, $0.01 par value | | 414 | 411
paid_in | Additional paid-in capital | | 157585 | 148902
retained | Retained earnings | | 42842 | 62387
comprehensive | Accumulated other comprehensive loss | | -9384 | -8746
equity = common + paid_in + retained + comprehensive | Total stockholders' equity
both_sides == liabilities + equity | $Total liabilities and stockholders' equity
""",
    ),
    "cash": Statement(
        "(in thousands)",
        "Year ended December 31,",
        ("2024", "2023"),
        """
# Operating activities
income_again ~ net_income | $Net income (loss)
depreciation | Depreciation | | 15830 | 14962
amortization_again ~ amortization | Amortization of acquired intangible assets
impairment_again ~ impairment | Goodwill impairment
stock | Stock-based compensation | | 7964 | 7215
deferred | Deferred income taxes | | -4120 | -1046
# Changes in operating assets and liabilities:
d_receivables | Accounts receivable | | 3415 | -4388
d_inventories | Inventories | | -2706 | -5930
d_prepaid | Prepaid expenses and other assets | | -812 | 654
d_payables | Accounts payable | | -1948 | 2217
d_accrued | Accrued liabilities | | 1362 | -1480
d_deferred | Deferred revenue | | 1107 | 735
non_cash ~ depreciation + amortization + impairment + stock + deferred |
working ~ d_receivables + d_inventories + d_prepaid + d_payables + d_accrued + d_deferred |
operations = net_income + non_cash + working | Net cash provided by operating activities
# Investing activities
capex | Capital expenditures | | -21684 | -18920
acquired | Acquisition of business, net of cash acquired | | -46250 | 0
sold | Proceeds from sale of property | | 385 | 210
investing = capex + acquired + sold | Net cash used in investing activities
# Financing activities
borrowed | Borrowings under term loan | | 40000 | 0
repaid | Repayments of term loan | | -7500 | -5000
options | Proceeds from exercise of stock options | | 1826 | 1412
withheld | Taxes paid on vested share awards | | -1104 | -958
financing = borrowed + repaid + options + withheld | Net cash provided by (used in) financing activities
exchange | Effect of exchange rates on cash | | -638 | 344
change = operations + investing + financing + exchange | Net change in cash and cash equivalents
opening | Cash and cash equivalents, beginning of year | | 58214 | 44531
closing == opening + change | $Cash and cash equivalents, end of year
""",
    ),
    "segments": Statement(
        "",
        "Year ended December 31,",
        ("2024", "2023"),
        """
process | $Process Analytics | | 241180 | 250366
environmental | Environmental Monitoring | | 145232 | 152509
segment_sales == process + environmental | $Net sales
""",
    ),
    "regions": Statement(
        "",
        "Year ended December 31,",
        ("2024", "2023"),
        """
us_sales | $United States | | 231847 | 244905
europe | Europe | | 92130 | 95418
asia | Asia Pacific | | 62435 | 62552
region_sales == us_sales + europe + asia | $Net sales
""",
    ),
    "purchase": Statement(
        "",
        "July 1,",
        ("2024",),
        """
p_receivables | $Accounts receivable | | 5210
p_inventories | Inventories | | 4860
p_property | Property, plant and equipment | | 3140
p_intangibles | Customer relationships and technology | | 18600
p_goodwill | Goodwill | | 22480
p_liabilities | Liabilities assumed | | -8040
p_total == p_receivables + p_inventories + p_property + p_intangibles + p_goodwill + p_liabilities | \
$Cash paid, net
""",
    ),
}

OSTERMERE_REPORT = """
# Letter to Shareholders

To our shareholders,

2024 was a year of two halves. Municipal and industrial customers delayed orders for laboratory analyzers
through the summer, and our net sales fell to ${revenue.now_m} million from ${revenue.before_m} million. In the
second half bookings recovered, and we closed December with the largest order backlog in the history of
Ostermere.

The slow first half had a price. We concluded that the goodwill of our Environmental Monitoring segment was no
longer fully supported by its expected cash flows and wrote it down by ${impairment.now_m} million. That charge
takes no cash, but it turned what would have been a modest operating profit into an operating loss of
${operating_income.now_m} million. I would rather report this plainly than let it be found in a footnote.

Our operations nonetheless generated ${operations.now_m} million of cash. We used it to complete the new
calibration hall in Duluth and, together with a term loan, [[mergers or acquisitions mentioned|to buy Fenbrook
Spectral LLC]], whose optical benches give us the one measuring principle we had always bought from others.

[[leadership|In May we said goodbye to Lorraine Oakes]], who retired from the board after fourteen years of
patient and exacting service. [[leadership|In June Priya Venkatraman joined us]] to lead finance. Nearly 2,000
colleagues came to work every day for customers who must know what is in their water, and I thank each of them.

[[Dividend per share|The board has no plan to pay a dividend]] while we reduce the debt raised for Fenbrook. We
believe that paying down debt and finishing our product renewal are the best uses of your money in 2025.

Sincerely,

Alden P. Forsythe

Chairman of the Board

March 7, 2025

# Item 1. Business

## Overview

Ostermere Instruments, Inc. designs, makes and services instruments that measure the composition of water and
process liquids. Our analyzers are installed in drinking-water plants, breweries, pulp mills and power stations
in more than sixty countries. We were incorporated in Minnesota in 1968 and our common stock is listed under the
symbol OSTM. Our fiscal year is the calendar year.

We report two segments. Process Analytics sells in-line analyzers and the software that runs them to industrial
customers. Environmental Monitoring sells field stations, samplers and laboratory analyzers to utilities and
public authorities.

## New products

We renew about a fifth of our catalog every year. In 2024 we launched two products: [[new products|the ClearLine
900, an in-line turbidity analyzer]] that cleans its own windows, and [[new products|the RiverNode, a
solar-powered field station]] that reports by satellite. A handheld photometer is in development and is not yet
for sale.

## Research and development

We spent ${research.now_m} million on research and development in 2024, compared with ${research.before_m}
million in 2023. Most of the increase went into the optical platform that we share with Fenbrook. Our engineers
work in Duluth, Minnesota and in Graz, Austria.

## Customers and competition

No customer accounted for more than 6% of our net sales in 2024. We compete with a few large instrument groups
and with many regional makers. We believe that customers choose us for the cost of ownership of our instruments
over their life, for our service network and for the acceptance of our methods by regulators.

## Raw materials and suppliers

We buy lamps, detectors and housings from more than four hundred suppliers. For three detectors we depend on a
single source and hold stocks for about nine months. Lead times for electronic components, which had stretched
to a year in 2022, were back to twelve weeks at the end of 2024.

## Human capital

[[number of employees at year end|As of December 31, 2024, we had 1,942 employees]], of whom 1,207 worked in the
United States. As of December 31, 2023, we had 1,868 employees. About 310 of our production employees in Duluth
are covered by a collective bargaining agreement that runs to September 2026. We consider our relations with our
employees to be good.

## Acquisition of Fenbrook Spectral LLC

[[mergers or acquisitions mentioned|On July 1, 2024 we acquired all of the membership interests of Fenbrook
Spectral LLC]], a maker of optical benches in Rochester, New York, for ${p_total.now_m} million in cash, net of
cash acquired. The purchase was financed by a new term loan of ${borrowed.now_m} million and by cash on hand.
Fenbrook is part of Process Analytics from the date of acquisition and contributed $14.9 million to net sales in
2024.

+ Item 1A. Risk Factors

The following risks could harm our business, our results and the price of our common stock. They are not the
only risks we face.

## Our customers can postpone purchases for long periods

Utilities and public authorities buy our instruments from budgets that are set once a year. When budgets are
tight, orders move to the next year without notice. In the first half of 2024 such delays reduced the net sales
of Environmental Monitoring by about a tenth.

## We carry substantial goodwill

After the impairment recorded in 2024 our goodwill is ${goodwill.now_m} million, or about one seventh of our
total assets. Weaker cash flows or higher interest rates could require further charges.

## Our debt has increased

Our term loan requires us to keep a ratio of net debt to adjusted earnings below 3.75 and an interest cover
above 3.00. We met both covenants on December 31, 2024. If we fail to meet them, our lenders could demand
repayment.

## We may not integrate acquisitions well

Acquired businesses may lose customers or key employees, and the savings we expect may not be reached. We have
made one acquisition in the last three years and our experience is limited.

## We depend on a single site for calibration

All our laboratory analyzers are calibrated in Duluth. A fire, a flood or a long interruption of electric power
there would delay shipments for months.

## Currency movements affect our results

About 40% of our net sales are made outside the United States. A stronger dollar makes our instruments more
expensive for our customers and lowers the value of what we earn in euros and yen.

## Our information systems may be attacked

Our analyzers are connected to the control systems of plants. A breach of our software could interrupt the
supply of drinking water and expose us to claims. In 2024 we found no material incident.

+ Item 2. Properties

Our headquarters are in Duluth, Minnesota. We believe that our properties are in good condition and are
sufficient for our present needs. The table shows our principal sites on December 31, 2024.

| Location | Use | Segment | Square feet | Tenure
| Duluth, Minnesota | Headquarters, production, calibration | Both | 312,000 | Owned
| Rochester, New York | Production of optical benches | Process Analytics | 84,500 | Leased
| Macon, Georgia | Production of samplers | Environmental Monitoring | 127,000 | Owned
| Graz, Austria | Engineering and service | Process Analytics | 46,200 | Leased
| Penang, Malaysia | Assembly | Both | 98,000 | Leased

+ Item 3. Legal Proceedings

We are party to claims that arise in the ordinary course of business. A former distributor in Spain sued us in
2022 for the termination of its contract; the court dismissed the claim in October 2024 and the time for appeal
has passed. We do not expect any pending matter to have a material effect on our financial position.

+ Item 5. Market for Our Common Stock, Dividends and Repurchases

Our common stock trades under the symbol OSTM. On February 28, 2025 there were 1,106 holders of record.

## Dividends

[[Dividend per share|We have never declared or paid a cash dividend on our common stock]] and do not expect to
pay dividends in the foreseeable future. Our credit agreement limits the dividends we may pay. We made no change
to this policy in 2024.

## Share repurchases

[[share buyback announced|The repurchase program that our board authorized in March 2021 expired on March 31,
2023]]. We did not repurchase any shares in 2023 or 2024, and the board has not authorized a new program. Shares
withheld to cover the taxes of employees on vested awards are not repurchases under a program.

## Stock performance

The following table compares the closing price of our common stock at the end of each quarter.

| Quarter ended | 2024 | 2023
| March 31 | $ 21.36 | $ 24.80
| June 30 | $ 17.92 | $ 26.15
| September 30 | $ 16.48 | $ 25.07
| December 31 | $ 19.75 | $ 22.64

+ Item 7. Management's Discussion and Analysis

## Net sales

Net sales were ${revenue.now} thousand in 2024, a decrease of {revenue.growth}% from ${revenue.before} thousand
in 2023. Excluding Fenbrook, net sales fell by 7.8%. Process Analytics sold ${process.now_m} million and
Environmental Monitoring ${environmental.now_m} million.

## Gross profit and expenses

Gross profit was ${gross.now_m} million, or 37.5% of net sales, compared with 39.7% in 2023. The decline
reflects lower volumes in Environmental Monitoring and $2.9 million of inventory step-up from the Fenbrook
purchase. Selling, general and administrative expenses rose to ${selling.now_m} million because of acquisition
costs of $3.1 million.

## Goodwill impairment

[[why impaired|In the third quarter we lowered our forecast for Environmental Monitoring because public
authorities had postponed orders and because discount rates had risen. The fair value of the segment was then
below its carrying amount, and we recorded an impairment of ${impairment.now_m} million.]] No impairment was
recorded in 2023.

## Operating and net result

The operating loss was ${operating_income.now_m} million, compared with operating income of
${operating_income.before_m} million in 2023. Interest expense rose to ${interest.now_m} million because of the
new term loan. After an income tax benefit of ${tax.now_m} million the net loss was ${net_income.now_m} million,
or ${eps.now} per share, compared with net income of ${net_income.before_m} million, or ${eps.before} per share,
in 2023.

## Liquidity and capital resources

Net cash provided by operating activities was ${operations.now_m} million (2023: ${operations.before_m}
million). Capital expenditures were ${capex.now_m} million, of which $9.2 million went into the calibration hall
in Duluth. We expect capital expenditures of between $17 million and $19 million in 2025. On December 31, 2024
we held cash of ${cash.now_m} million and had $50.0 million available under our revolving credit facility.

# Item 8. Consolidated Statements of Operations

@income

The accompanying notes are an integral part of these consolidated financial statements.

# Consolidated Balance Sheets

@balance

The accompanying notes are an integral part of these consolidated financial statements.

# Consolidated Statements of Cash Flows

@cash

The accompanying notes are an integral part of these consolidated financial statements.

# Notes to Consolidated Financial Statements

## Note 1. Basis of presentation

The consolidated financial statements include Ostermere Instruments, Inc. and its wholly owned subsidiaries and
are prepared under accounting principles generally accepted in the United States. Amounts are in thousands of
dollars unless stated otherwise. Intercompany balances are eliminated.

## Note 2. Segments and geography

The chief operating decision maker reviews net sales and operating result of two segments. Net sales by segment
were as follows (in thousands):

@segments

Net sales by the location of the customer were as follows (in thousands):

@regions

## Note 3. Acquisition

[[mergers or acquisitions mentioned|The purchase of Fenbrook Spectral LLC]] on July 1, 2024 was accounted for as
a business combination. The purchase price was allocated as follows (in thousands):

@purchase

Customer relationships are amortized over eleven years and technology over eight. The goodwill is deductible for
income tax purposes.

## Note 4. Long-term debt

The term loan bears interest at a floating rate, 6.4% on December 31, 2024, and matures in June 2029. The
current portion is ${current_debt.now_m} million and the portion due after one year is ${long_term_debt.now_m}
million. Future maturities are $7.5 million in each of 2025 to 2028 and $100.0 million in 2029.

## Note 5. Net income (loss) per share

Basic net income (loss) per share is net income (loss) divided by the weighted average number of shares
outstanding. In 2024 potentially dilutive awards of 604 thousand shares were left out because they would have
reduced the loss per share.

## Note 6. Subsequent events

No event after December 31, 2024 requires adjustment or disclosure.

+ Item 10. Directors and Executive Officers

Our directors and executive officers on the date of this report are:

| Name | Age | Position
| Alden P. Forsythe | 67 | Chairman of the Board
| [[CEO|Dana R. Whitcombe]] | 54 | President and Chief Executive Officer, Director
| Priya Venkatraman | 46 | Senior Vice President and Chief Financial Officer
| Thomas J. Abernethy | 58 | Senior Vice President, Operations
| Ellen S. Kowalczyk | 61 | Director, Chair of the Audit Committee
| Marcus D. Trevelyan | 56 | Director

## Changes in 2024

[[leadership|Priya Venkatraman was appointed Chief Financial Officer with effect from June 3, 2024]]. She
succeeded Glenn T. Hathersage, who retired after nine years in that position. [[leadership|Lorraine M. Oakes
retired as a director at the annual meeting on May 16, 2024]] and was not replaced. There were no other changes
to the board or to the executive officers.

## Committees

The audit committee met seven times and the compensation committee five times in 2024. All their members are
independent.

# Signatures

The registrant has caused this report to be signed on its behalf by the undersigned, who is duly authorized.

> OSTERMERE INSTRUMENTS, INC.

> By: /s/ [[CEO|Dana R. Whitcombe]]

> Dana R. Whitcombe

> President and Chief Executive Officer

> March 7, 2025

The following persons have also signed this report on the date given above.

| Signature | Title
| /s/ Dana R. Whitcombe | President, Chief Executive Officer and Director (principal executive officer)
| /s/ Priya Venkatraman | Chief Financial Officer (principal financial officer)
| /s/ Alden P. Forsythe | Chairman of the Board
| /s/ Ellen S. Kowalczyk | Director
| /s/ Marcus D. Trevelyan | Director
"""

OSTERMERE = Company(
    name="Ostermere Instruments, Inc.",
    file="ostermere_2024.pdf",
    aliases=("Ostermere", "Ostermere Instruments", "OSTM"),
    currency="USD",
    period_end="2024-12-31",
    scale=1000,
    paper="letter",
    serif=True,
    colour="#1f3a5f",
    sign="$",
    brackets=True,
    leaders=True,
    unnumbered=2,
    header="Ostermere Instruments, Inc. · Annual Report on Form 10-K",
    cover=(
        "Annual Report on Form 10-K",
        "For the fiscal year ended December 31, 2024",
        "Minnesota · Common stock, $0.01 par value · Trading symbol OSTM",
        "41,402,118 shares of common stock were outstanding on February 28, 2025.",
    ),
    statements=OSTERMERE_STATEMENTS,
    report=OSTERMERE_REPORT,
    facts=(
        Fact("Dividend per share", "number", "N/A", "", also=(0,)),
        Fact("CEO", "name", "Dana R. Whitcombe"),
        Fact("mergers or acquisitions mentioned", "boolean", True),
        Fact("share buyback announced", "boolean", False),
        Fact("number of employees at year end", "number", 1942, "1,942"),
    ),
    questions=(
        Question(
            "names",
            "Which leadership positions changed at Ostermere Instruments, Inc. in the reporting period? If data "
            "is not "
            "available, return 'N/A'. Give me the title of the position.",
            ("Chief Financial Officer", "Director"),
            ("leadership",),
            also=("Senior Vice President and Chief Financial Officer", "Member of the Board of Directors"),
        ),
        Question(
            "names",
            "What are the names of new products launched by Ostermere Instruments, Inc. as mentioned in the "
            "annual "
            "report?",
            ("ClearLine 900", "RiverNode"),
            ("new products",),
            note="the handheld photometer is only in development",
        ),
        Question(
            "boolean",
            "Did Ostermere Instruments, Inc. announce any changes to its dividend policy in the annual report? If "
            "there is no mention, return False.",
            False,
            ("Dividend per share",),
        ),
        Question(
            "number",
            "What was the total amount spent on research and development (in USD) by Ostermere Instruments, Inc. "
            "according to the annual report? If data is not available, return 'N/A'.",
            38_146_000,
            ("research",),
            printed="38,146",
            scale=1000,
            note="Item 1 gives it rounded, $38.1 million",
        ),
        Question(
            "number",
            "What were the net sales of Ostermere Instruments, Inc.'s Environmental Monitoring segment in 2024 "
            "(in "
            "USD)?",
            145_232_000,
            ("environmental",),
            printed="145,232",
            scale=1000,
        ),
        Question(
            "text",
            "Why did Ostermere Instruments, Inc. record a goodwill impairment in 2024?",
            "In the third quarter it lowered the forecast for Environmental Monitoring because public "
            "authorities had "
            "postponed orders and discount rates had risen; the segment's fair value fell below its carrying "
            "amount, "
            "and it recorded an impairment of $24.3 million.",
            ("why impaired",),
            must_say=(
                "Environmental Monitoring segment",
                "public authorities postponed orders / lower forecast",
                "higher discount rates",
                "impairment of $24.3 million",
            ),
        ),
        Question(
            "boolean",
            "Did Ostermere Instruments, Inc. repurchase shares in 2024 under the program authorized in 2021?",
            False,
            ("share buyback announced",),
            trap="the program is described, but it expired in March 2023 and nothing was bought in 2023 or 2024",
        ),
        Question(
            "name",
            'Who is the CFO in the company "Ostermere Instruments, Inc."?',
            "Priya Venkatraman",
            ("leadership",),
            trap="her predecessor Glenn T. Hathersage is named in the same paragraph",
        ),
        Question(
            "number",
            "How much did Ostermere Instruments, Inc. spend on advertising in 2024 (in USD)?",
            "N/A",
            printed="",
            note="advertising is not mentioned",
        ),
    ),
)

# --------------------------------------------------------------------------------------------------------------
# Veldhoorn Packaging N.V.: euros in millions, IFRS
# --------------------------------------------------------------------------------------------------------------

VELDHOORN_STATEMENTS = {
    "income": Statement(
        "EUR million",
        "",
        ("Note", "2024", "2023"),
        """
revenue | Revenue | 3 | 1842.6 | 1765.3
cost | Cost of sales | | -1289.8 | -1254.1
gross = revenue + cost | Gross profit
distribution | Distribution expenses | | -184.3 | -176.9
administration | Administrative expenses | | -142.7 | -139.5
other_income | Other operating income | | 12.4 | 9.8
operating_income = gross + distribution + administration + other_income | Operating profit | 3
finance_income | Finance income | | 6.1 | 4.7
finance_costs | Finance costs | 7 | -38.9 | -36.2
associates | Share of profit of associates | | 3.2 | 2.9
before_tax = operating_income + finance_income + finance_costs + associates | Profit before tax
tax | Income tax expense | | -52.3 | -44.8
net_income == before_tax + tax | Profit for the year
# Attributable to:
owners_profit ~ net_income - minority_profit | Owners of the parent
minority_profit | Non-controlling interests | | 4.5 | 3.6
# Earnings per share (EUR)
eps ~ owners_profit / shares | Basic | 8
diluted ~ owners_profit / diluted_shares | Diluted | 8
""",
    ),
    "balance": Statement(
        "EUR million",
        "",
        ("Note", "31 Dec 2024", "31 Dec 2023"),
        """
# Assets
goodwill | Goodwill | 4 | 316.0 | 284.6
intangibles | Other intangible assets | | 107.4 | 96.3
property | Property, plant and equipment | 5 | 785.3 | 712.4
leased | Right-of-use assets | | 66.0 | 68.7
investments | Investments in associates | | 32.9 | 31.5
tax_assets | Deferred tax assets | | 17.5 | 18.2
non_current = goodwill + intangibles + property + leased + investments + tax_assets | Total non-current assets
inventories | Inventories | | 250.1 | 231.8
receivables | Trade and other receivables | | 324.4 | 298.4
tax_due | Current tax assets | | 4.1 | 4.6
cash | Cash and cash equivalents | | 105.5 | 142.9
current = inventories + receivables + tax_due + cash | Total current assets
total_assets == non_current + current | Total assets
# Equity and liabilities
capital | Share capital | | 62.5 | 62.5
premium | Share premium | | 188.0 | 188.0
retained | Retained earnings | | 625.7 | 548.3
reserves | Other reserves | | -43.1 | -41.6
treasury | Treasury shares | 9 | -50.4 | -18.4
equity = capital + premium + retained + reserves + treasury | Equity attributable to owners of the parent
minority | Non-controlling interests | | 29.7 | 27.3
total_equity = equity + minority | Total equity
long_term_debt | Borrowings | 7 | 542.1 | 486.0
leases | Lease liabilities | | 47.9 | 51.2
benefits | Employee benefit obligations | | 62.7 | 64.9
deferred_tax | Deferred tax liabilities | | 53.5 | 47.8
provisions | Provisions | | 18.9 | 19.6
long_term = long_term_debt + leases + benefits + deferred_tax + provisions | Total non-current liabilities
short_debt | Borrowings | 7 | 73.5 | 88.5
short_leases | Lease liabilities | | 17.3 | 17.6
payables | Trade and other payables | | 345.2 | 311.7
tax_owed | Current tax liabilities | | 15.2 | 14.3
short_provisions | Provisions | | 20.5 | 21.7
short_term = short_debt + short_leases + payables + tax_owed + short_provisions | Total current liabilities
liabilities ~ long_term + short_term |
both_sides == total_equity + liabilities | Total equity and liabilities
""",
    ),
    "cash": Statement(
        "EUR million",
        "",
        ("Note", "2024", "2023"),
        """
profit_again ~ net_income | Profit for the year
depreciation | Depreciation and amortisation | 5 | 98.4 | 93.7
finance_net | Net finance costs | | 32.8 | 31.5
associates_again ~ - associates | Share of profit of associates
tax_again ~ - tax | Income tax expense
d_inventories | Change in inventories | | -9.6 | 6.3
d_receivables | Change in trade and other receivables | | -14.2 | -8.8
d_payables | Change in trade and other payables | | 17.9 | -5.4
d_provisions | Change in provisions and employee benefits | | -4.1 | -2.7
non_cash ~ depreciation + finance_net - associates - tax |
working ~ d_inventories + d_receivables + d_payables + d_provisions |
generated = net_income + non_cash + working | Cash generated from operations
interest_paid | Interest paid | | -36.4 | -35.1
tax_paid | Income tax paid | | -49.8 | -42.6
operations = generated + interest_paid + tax_paid | Net cash from operating activities
capex | Purchases of property, plant and equipment | 5 | -118.7 | -96.5
intangibles_bought | Purchases of intangible assets | | -9.3 | -7.8
acquired | Acquisition of subsidiaries, net of cash acquired | 4 | -64.2 | 0
sold | Proceeds from sale of property, plant and equipment | | 4.4 | 3.1
interest_received | Interest received | | 5.6 | 4.4
associates_paid | Dividends received from associates | | 1.8 | 1.6
investing = capex + intangibles_bought + acquired + sold + interest_received + associates_paid | \
Net cash used in investing activities
borrowed | Proceeds from borrowings | 7 | 120.0 | 60.0
repaid | Repayment of borrowings | 7 | -88.5 | -75.0
leases_paid | Payment of lease liabilities | | -18.9 | -17.8
bought_back | Purchase of treasury shares | 9 | -32.0 | 0
dividends | Dividends paid to owners of the parent | 9 | -74.4 | -68.2
minority_paid | Dividends paid to non-controlling interests | | -2.1 | -1.8
financing = borrowed + repaid + leases_paid + bought_back + dividends + minority_paid | \
Net cash used in financing activities
exchange | Effect of exchange rate changes | | -1.5 | 0.7
change = operations + investing + financing + exchange | Change in cash and cash equivalents
opening | Cash and cash equivalents at 1 January | | 142.9 | 130.2
closing == opening + change | Cash and cash equivalents at 31 December
""",
    ),
    "highlights": Statement(
        "EUR million",
        "",
        ("2024", "2023"),
        """
revenue_h ~ revenue | Revenue
operating_h ~ operating_income | Operating profit
profit_h ~ net_income | Profit for the year
operations_h ~ operations | Net cash from operating activities
capex_h ~ - capex | Capital expenditure
equity_h ~ equity | Equity attributable to owners of the parent
eps_h ~ eps | Basic earnings per share (EUR)
dividend_h | Dividend per share (EUR) | | 1.35 | 1.20
employees_h | Employees at year end | | 6418 | 6102
""",
    ),
    "segments": Statement(
        "Revenue, EUR million",
        "",
        ("2024", "2023"),
        """
food | Food Packaging | | 1012.4 | 968.1
films | Industrial Films | | 516.9 | 507.8
recycling | Recycling Services | | 313.3 | 289.4
segment_sales = food + films + recycling | Revenue
""",
    ),
    "results": Statement(
        "Operating profit, EUR million",
        "",
        ("2024", "2023"),
        """
food_profit | Food Packaging | | 142.6 | 121.8
films_profit | Industrial Films | | 63.9 | 58.4
recycling_profit | Recycling Services | | 41.2 | 33.1
corporate | Corporate | | -9.5 | -8.7
segment_profit = food_profit + films_profit + recycling_profit + corporate | Operating profit
""",
    ),
    "property": Statement(
        "Property, plant and equipment, EUR million",
        "",
        ("Land and\nbuildings", "Machinery", "Under\nconstruction", "Total"),
        """
at_opening | Carrying amount at 1 January 2024 | | 248.6 | 421.3 | 42.5 | 712.4
additions | Additions | | 18.2 | 62.5 | 38.0 | 118.7
through | Acquired through business combinations | | 9.4 | 16.9 | 0.5 | 26.8
disposals | Disposals | | -1.2 | -3.2 | 0 | -4.4
charge | Depreciation | | -14.6 | -53.6 | 0 | -68.2
transfers | Transfers | | 0 | 28.4 | -28.4 | 0
at_closing = at_opening + additions + through + disposals + charge + transfers | \
Carrying amount at 31 December 2024
""",
    ),
    "acquisition": Statement(
        "EUR million",
        "",
        ("Fair value",),
        """
a_property | Property, plant and equipment | | 26.8
a_intangibles | Customer relationships | | 14.0
a_inventories | Inventories | | 8.7
a_receivables | Trade and other receivables | | 11.3
a_payables | Trade and other payables | | -13.1
a_debt | Borrowings | | -9.6
a_tax | Deferred tax liabilities | | -5.3
a_net = a_property + a_intangibles + a_inventories + a_receivables + a_payables + a_debt + a_tax | \
Identifiable net assets
a_goodwill | Goodwill | | 31.4
a_price == a_net + a_goodwill | Consideration paid, net of cash acquired
""",
    ),
    "shares": Statement(
        "Earnings per share",
        "",
        ("2024", "2023"),
        """
owners_again ~ owners_profit | Profit attributable to owners of the parent (EUR million)
shares | Weighted average number of ordinary shares (million) | | 61.4 | 62.0
diluted_shares | Weighted average number, diluted (million) | | 61.9 | 62.4
""",
    ),
}

VELDHOORN_REPORT = """
# Key figures

Veldhoorn Packaging N.V. makes packaging that protects food and goods and that can be used again. It operates
twenty-three plants in nine European countries and has its seat in Zwolle, the Netherlands. Its shares are
listed in Amsterdam.

@highlights

~ The dividend for 2024 is proposed to the general meeting of 15 May 2025.

## Revenue by segment, EUR million

^segments

## The year in brief

- Revenue grew by {revenue.growth}% to EUR {revenue.now} million, with volumes up in all three segments.
- Operating profit reached EUR {operating_income.now} million, or 12.9% of revenue.
- [[mergers or acquisitions mentioned|Karstmeer Folien GmbH]] joined the group on 2 April 2024.
- [[share buyback announced|A share buyback]] of up to EUR 75 million was announced in July.
- The dividend is proposed to rise to EUR {dividend_h.now} per share.

# Letter from the Chair {two}

Dear shareholders,

Packaging is judged twice: once on the shelf, where it must protect what people eat, and once in the bin, where
it must not become a burden. For many years our industry was good at the first and careless about the second.
Veldhoorn decided eight years ago to be good at both, and 2024 was the year in which that decision began to show
in our figures.

Revenue rose to EUR {revenue.now} million and operating profit to EUR {operating_income.now} million. More than
a third of the material we used had been used before. Our Recycling Services segment, which some of you called a
hobby when we founded it, earned EUR {recycling_profit.now} million.

The Supervisory Board met nine times. We spent much of our time on [[mergers or acquisitions mentioned|the
purchase of Karstmeer Folien]], on the succession of our Chief Financial Officer and on the safety of our
people. Two colleagues were seriously injured in our plants in 2024. That is two too many, and the Management
Board has changed how machines are locked before they are cleaned.

Pieter Lankhorst stepped down from the Management Board after eleven years as Chief Financial Officer. We thank
him for a balance sheet that lets us choose. [[leadership|Jonas Edelkamp succeeded him]] on 1 September 2024.
[[leadership|Ilse Brandhof retired]] from the Supervisory Board at the general meeting in May, after three
terms.

Our customers ask two things of us that pull in different directions: packaging that weighs less, and packaging
that can be collected, washed and filled again. A returnable tray is heavier than the tray it replaces and pays
back its weight only after its sixth journey. We therefore chose our first customers for the ReLoop Tray by the
length of their routes, and we publish how often each tray comes back. At the end of December the average was
nineteen journeys.

The purchase of Karstmeer was the largest since our listing. The Supervisory Board visited the plant in
Osnabrück before it gave its consent and again in November. We found what we had hoped to find: a team that
measures its waste by the shift, and machines that have been well looked after for forty years.

The coming year will ask for patience. New European rules apply from 2026, and some of our customers are waiting
for the details before they decide on their packaging. We do not wait. The lines we order today will comply with
the strictest reading of the rules that we can imagine.

We propose a dividend of EUR {dividend_h.now} per share, which is 55% of the profit attributable to you, and we
have [[share buyback announced|begun to buy back shares]]. Both are possible because the business generates more
cash than it needs for its own growth.

In January 2025 [[lommel|we agreed to sell our small plant in Lommel]] to its management. We expect the sale to
close in the second quarter of 2025. It does not change what we are, but it closes a chapter that began in 1954.

On behalf of the Supervisory Board I thank the people of Veldhoorn, who did all of this.

[[chair|Hendrika Solleveld]]

Chair of the Supervisory Board

Zwolle, 6 March 2025

# Report of the Management Board {two}

## What we do

We have three segments. Food Packaging makes trays, lids and bottles for producers of dairy, meat and fresh
meals. Industrial Films makes stretch and protective films for pallets and building materials. Recycling
Services collects used packaging, sorts it and turns it into flakes and pellets, half of which our own plants
use.

## New products

We launched [[new products|FibraSeal, a paper lid that peels without tearing]], in March and [[new products|the
ReLoop Tray, a returnable tray for fresh meals]], in October. FibraSeal is in use at eleven dairies. A
compostable film is being tested with two customers and has not been launched.

## Markets

Food producers stocked up again after a weak 2023, and volumes rose by 3.1%. Prices followed the cost of resin
down in the first half and up again in the second. Demand for stretch film was flat in Germany and better in
Poland and Italy.

## Innovation

Our application laboratories in Zwolle and Brescia adapt materials to the machines of our customers. Their cost
is part of cost of sales and is not reported separately. [[tax credits|Tax credits for research work came to EUR
2.1 million]] and are shown in other operating income.

## People

[[number of employees at year end|At 31 December 2024 we employed 6,418 people]] (2023: 6,102), of whom 287
joined with Karstmeer. The average number of employees during the year, in full-time equivalents, was 6,275.
Absence due to illness fell to 4.6%.

## Results

Gross profit improved to EUR {gross.now} million because of better capacity use and a richer mix. Distribution
expenses rose with volumes and with road tolls in Germany. Administrative expenses include EUR 2.8 million of
costs for the purchase of Karstmeer. Net finance costs were EUR {finance_net.now} million. Profit for the year
was EUR {net_income.now} million, an increase of {net_income.growth}%.

## Cash flow and investments

Net cash from operating activities rose to EUR {operations.now} million. We invested EUR {capex.now} million in
property, plant and equipment. The largest project was the second washing line in Gorzów, which started up in
November and cost EUR 31.6 million.

## Acquisition of Karstmeer

[[mergers or acquisitions mentioned|On 2 April 2024 we acquired all shares in Karstmeer Folien GmbH]], a maker
of protective films in Osnabrück, for EUR {a_price.now} million net of cash acquired. [[why karstmeer|Karstmeer
brought us a coating technique that lets films be recycled with paper, and customers in the building trade whom
we did not serve.]] It added EUR 48.7 million to revenue.

## Outlook

For 2025 we expect revenue growth of between 2% and 4% and an operating margin of about 13%. We plan capital
expenditure of EUR 105 million. The outlook does not include the sale of the plant in Lommel.

# Governance

The Management Board leads the company; the Supervisory Board appoints, advises and oversees it. Both follow the
Dutch corporate governance code, and where they depart from it this chapter says so.

## Management Board

| Name | Nationality | Position | In office since
| [[CEO|Marit van Haelst]] | Dutch | Chief Executive Officer | 2019
| Jonas Edelkamp | German | Chief Financial Officer | 2024
| Bartosz Zielonka | Polish | Chief Operating Officer | 2021

## Supervisory Board

| Name | Position | Term ends
| [[chair|Hendrika Solleveld]] | Chair | 2027
| Anders Rosendal | Vice-Chair, Chair of the Audit Committee | 2026
| Chiara Montefiore | Member | 2028
| Willem Osterbaan | Member | 2026

## Changes in 2024

[[leadership|Jonas Edelkamp was appointed Chief Financial Officer as of 1 September 2024]]. He came from a maker
of paper machines, where he held the same position. His predecessor Pieter Lankhorst remained available as an
adviser until the end of the year. [[leadership|Ilse Brandhof retired as a member of the Supervisory Board on 16
May 2024]], and [[leadership|Chiara Montefiore was elected member of the Supervisory Board]] on the same day.

## Diversity

Two of the four members of the Supervisory Board and one of the three members of the Management Board are women.
We aim at a share of at least one third in each body.

# Shares, dividend and share buyback

The issued capital is divided into 62.5 million ordinary shares with a nominal value of EUR 1.00 each. Three
shareholders have reported interests of more than 3%: a pension fund with 9.8%, the founding family with 8.1%
and an investment company with 4.2%.

## Dividend

We aim to pay out between 45% and 55% of the profit attributable to owners of the parent. For 2024 we propose
[[Dividend per share|a dividend of EUR 1.35 per share]] in cash (2023: EUR 1.20). The policy is unchanged. The
shares trade without the dividend from 19 May 2025.

## Share buyback

[[share buyback announced|On 25 July 2024 we announced a programme to buy back shares for up to EUR 75 million]]
by 31 December 2025. Until the end of 2024 we bought 1,118,000 shares at an average price of EUR 28.62, for EUR
{bought_back.now} million. The shares are to be cancelled, except for those needed for employee share plans.

## Financial calendar

| Date | Event
| 24 April 2025 | Trading update for the first quarter
| 15 May 2025 | General meeting of shareholders
| 24 July 2025 | Half-year results
| 23 October 2025 | Trading update for the third quarter

+ Risk factors

We accept risks where we are paid for them and where we understand them. The Management Board reviews the
following principal risks twice a year.

- Resin and energy prices. Two thirds of our contracts pass changes in the price of resin on to customers, with
a delay of two to four months. We hedge about 70% of the electricity we need for the coming year.
- Regulation. European rules require rising shares of recycled content. They help our recycling business but
could make some of our older trays unsaleable.
- Customers. Our ten largest customers account for 38% of revenue. The loss of one would leave capacity idle.
- Product safety. A fault in a food tray could cause a recall. Each line checks seals optically.
- Fire. Recycling plants store material that burns. Three sites were fitted with foam systems in 2024.
- Cyber attacks. Our plants can run for two days without central systems.

# Consolidated income statement

@income

The notes are an integral part of these consolidated financial statements.

# Consolidated statement of financial position

@balance

# Consolidated statement of cash flows

@cash

# Notes to the consolidated financial statements

## 1. General information

Veldhoorn Packaging N.V. is a public limited company with its seat in Zwolle, the Netherlands. The Management
Board authorised these financial statements for issue on 6 March 2025.

## 2. Basis of preparation

The consolidated financial statements are prepared in accordance with IFRS Accounting Standards as adopted by
the European Union and on the basis of historical cost. The presentation currency is the euro, and amounts are
rounded to the nearest hundred thousand unless stated otherwise.

## 3. Segments

The Management Board manages the group by three segments. Sales between segments are made at market prices.

@segments

@results

## 4. Business combinations

[[mergers or acquisitions mentioned|The group acquired Karstmeer Folien GmbH]] on 2 April 2024 for cash. The
fair values at the date of acquisition were:

@acquisition

The goodwill stands for the coating technique and for the skills of the workforce. It is not deductible for tax.

## 5. Property, plant and equipment

@property

Depreciation and amortisation of EUR {depreciation.now} million in the cash flow statement also includes EUR
18.0 million for right-of-use assets and EUR 12.2 million for intangible assets.

## 6. Employees

Employee benefit expenses were EUR 398.2 million (2023: EUR 376.5 million). The average number of employees was
6,275 in full-time equivalents (2023: 6,048).

## 7. Borrowings

The group has a syndicated loan of EUR 350.0 million that matures in 2028 and private placements that mature
between 2026 and 2032. Borrowings due after one year were EUR {long_term_debt.now} million and borrowings due
within one year EUR {short_debt.now} million. Interest on borrowings was EUR 33.5 million.

## 8. Earnings per share

@shares

## 9. Equity

At 31 December 2024 the company held 1,618,000 treasury shares (2023: 500,000). The dividend for 2023 of EUR
1.20 per share was paid on 24 May 2024 and came to EUR {dividends.now} million.

## 10. Events after the reporting period

In January 2025 the group [[lommel|agreed to sell its plant in Lommel, Belgium; the sale is expected to close in
the second quarter of 2025]]. The plant had revenue of EUR 14.3 million in 2024. The sale will not have a
material effect on profit.

# Responsibility statement

The members of the Management Board state that, to the best of their knowledge, the consolidated financial
statements give a true and fair view of the assets, liabilities, financial position and profit of Veldhoorn
Packaging N.V. and its subsidiaries, and that the management report gives a true and fair view of the course of
business and of the principal risks.

Zwolle, 6 March 2025

| Management Board | Position
| [[CEO|Marit van Haelst]] | Chief Executive Officer
| Jonas Edelkamp | Chief Financial Officer
| Bartosz Zielonka | Chief Operating Officer
"""

VELDHOORN = Company(
    name="Veldhoorn Packaging N.V.",
    file="veldhoorn_2024.pdf",
    aliases=("Veldhoorn", "Veldhoorn Packaging"),
    currency="EUR",
    period_end="2024-12-31",
    scale=1_000_000,
    paper="a4",
    serif=False,
    colour="#1d5c4b",
    sign="",
    brackets=False,
    leaders=False,
    unnumbered=0,
    header="Veldhoorn Packaging N.V. | Annual Report 2024",
    cover=("Annual Report 2024", "Packaging that comes back", "Financial year ended 31 December 2024"),
    statements=VELDHOORN_STATEMENTS,
    report=VELDHOORN_REPORT,
    also={"Net income": "owners_profit", "Shareholders' equity": "total_equity"},
    facts=(
        Fact("Dividend per share", "number", 1.35, "1.35", rows=("dividend_h",)),
        Fact("CEO", "name", "Marit van Haelst"),
        Fact("mergers or acquisitions mentioned", "boolean", True),
        Fact("share buyback announced", "boolean", True),
        Fact("number of employees at year end", "number", 6418, "6,418", rows=("employees_h",)),
    ),
    questions=(
        Question(
            "names",
            "Which leadership positions changed at Veldhoorn Packaging N.V. in the reporting period? If data is "
            "not "
            "available, return 'N/A'. Give me the title of the position.",
            ("Chief Financial Officer", "Member of the Supervisory Board"),
            ("leadership",),
            also=("Supervisory Board member",),
        ),
        Question(
            "names",
            "What are the names of new products launched by Veldhoorn Packaging N.V. as mentioned in the annual "
            "report?",
            ("FibraSeal", "ReLoop Tray"),
            ("new products",),
            note="the compostable film has not been launched",
        ),
        Question(
            "number",
            "What was the total amount spent on research and development (in EUR) by Veldhoorn Packaging N.V. "
            "according "
            "to the annual report? If data is not available, return 'N/A'.",
            "N/A",
            ("tax credits",),
            printed="",
            note="only tax credits for research work are stated (EUR 2.1 million)",
        ),
        Question(
            "number",
            "What was the Capital expenditures (in USD) for Veldhoorn Packaging N.V. according to the annual "
            "report "
            "(within the last period or at the end of the last period)? If data is not available, return 'N/A'.",
            "N/A",
            printed="",
            trap="the report is in EUR only",
        ),
        Question(
            "number",
            "What was the revenue of Veldhoorn Packaging N.V.'s Recycling Services segment in 2024 (in EUR)?",
            313_300_000,
            ("recycling",),
            printed="313.3",
            scale=1_000_000,
        ),
        Question(
            "text",
            "Why did Veldhoorn Packaging N.V. buy Karstmeer Folien and what did it pay?",
            "It acquired all shares on 2 April 2024 for EUR 64.2 million net of cash acquired, because "
            "Karstmeer brought "
            "a coating technique that lets films be recycled with paper and customers in the building trade that "
            "Veldhoorn did not serve.",
            ("why karstmeer",),
            must_say=(
                "acquired on 2 April 2024",
                "EUR 64.2 million net of cash acquired",
                "coating technique for films that can be recycled with paper",
                "new customers in the building trade",
            ),
        ),
        Question(
            "boolean",
            "Did Veldhoorn Packaging N.V. complete the sale of its plant in Lommel in 2024?",
            False,
            ("lommel",),
            trap="the sale was only agreed in January 2025 and should close in the second quarter of 2025",
        ),
        Question(
            "name",
            "Who chairs the Supervisory Board of Veldhoorn Packaging N.V.?",
            "Hendrika Solleveld",
            ("chair",),
        ),
    ),
)

# --------------------------------------------------------------------------------------------------------------
# Tsukimine Seiki Co., Ltd.: Japanese yen in millions
# --------------------------------------------------------------------------------------------------------------

TSUKIMINE_STATEMENTS = {
    "income": Statement(
        "(Millions of yen)",
        "Fiscal year ended March 31,",
        ("2025", "2024"),
        """
revenue | Net sales | | 214836 | 203417
cost | Cost of sales | | 148922 | 142065
gross = revenue - cost | Gross profit
selling | Selling, general and administrative expenses | | 43187 | 42536
operating_income = gross - selling | Operating profit
# Non-operating income
interest_income | Interest and dividend income | | 1318 | 1104
gains | Foreign exchange gains | | 0 | 1862
other_gains | Other | | 412 | 387
non_operating = interest_income + gains + other_gains | Total non-operating income
# Non-operating expenses
interest | Interest expenses | | 286 | 301
losses | Foreign exchange losses | | 1145 | 0
other_losses | Other | | 203 | 198
non_operating_cost = interest + losses + other_losses | Total non-operating expenses
ordinary = operating_income + non_operating - non_operating_cost | Ordinary profit
sale_gain | Gain on sale of investment securities | | 1460 | 215
impairment | Impairment losses | | 2318 | 640
before_tax = ordinary + sale_gain - impairment | Profit before income taxes
current_tax | Income taxes - current | | 6742 | 6118
deferred | Income taxes - deferred | | -488 | 214
taxes = current_tax + deferred | Total income taxes
profit = before_tax - taxes | Profit
minority_profit | Profit attributable to non-controlling interests | | 402 | 371
net_income == profit - minority_profit | Profit attributable to owners of parent
# Per share (yen)
eps ~ net_income / shares | Basic earnings per share
""",
    ),
    "balance": Statement(
        "(Millions of yen)",
        "As of March 31,",
        ("2025", "2024"),
        """
# Assets
cash | Cash and deposits | | 48491 | 46318
receivables | Notes and accounts receivable - trade | | 56656 | 52744
goods | Merchandise and finished goods | | 25318 | 24105
work | Work in process | | 14602 | 13862
materials | Raw materials and supplies | | 12094 | 11407
other_current | Other | | 6104 | 5926
allowance | Allowance for doubtful accounts | | -196 | -188
current = cash + receivables + goods + work + materials + other_current + allowance | Total current assets
buildings | Buildings and structures, net | | 33142 | 31480
machinery | Machinery and equipment, net | | 26012 | 24836
land | Land | | 18205 | 18205
construction | Construction in progress | | 4101 | 3912
other_property | Other, net | | 4224 | 4127
property = buildings + machinery + land + construction + other_property | Total property, plant and equipment
intangibles | Intangible assets | | 6654 | 6284
securities | Investment securities | | 20215 | 19846
tax_assets | Deferred tax assets | | 3903 | 3415
other_investments | Other | | 4355 | 4208
investments = securities + tax_assets + other_investments | Total investments and other assets
total_assets == current + property + intangibles + investments | Total assets
# Liabilities
payables | Notes and accounts payable - trade | | 29649 | 27914
short_debt | Short-term borrowings | | 7000 | 8500
current_debt | Current portion of long-term borrowings | | 4600 | 4200
tax_owed | Income taxes payable | | 3518 | 3186
bonuses | Provision for bonuses | | 3868 | 3742
other_owed | Other | | 15276 | 14268
current_liabilities = payables + short_debt + current_debt + tax_owed + bonuses + other_owed | \
Total current liabilities
long_term_debt | Long-term borrowings | | 22800 | 22400
retirement | Retirement benefit liability | | 9731 | 9517
other_long | Other | | 4199 | 3863
liabilities = current_liabilities + long_term_debt + retirement + other_long | Total liabilities
# Net assets
capital | Share capital | | 18240 | 18240
surplus | Capital surplus | | 20115 | 20115
retained | Retained earnings | | 130314 | 118402
treasury | Treasury shares | | -7930 | -4930
equity = capital + surplus + retained + treasury | Total shareholders' equity
comprehensive | Accumulated other comprehensive income | | 16559 | 15363
minority | Non-controlling interests | | 5941 | 5707
net_assets = equity + comprehensive + minority | Total net assets
both_sides == liabilities + net_assets | Total liabilities and net assets
""",
    ),
    "cash": Statement(
        "(Millions of yen)",
        "Fiscal year ended March 31,",
        ("2025", "2024"),
        """
# Cash flows from operating activities
before_tax_again ~ before_tax | Profit before income taxes
depreciation | Depreciation | | 9846 | 9412
impairment_again ~ impairment | Impairment losses
interest_out ~ - interest_income | Interest and dividend income
interest_again ~ interest | Interest expenses
gain_out ~ - sale_gain | Gain on sale of investment securities
d_receivables | Increase in trade receivables | | -3912 | -1526
d_inventories | Decrease (increase) in inventories | | -2640 | 918
d_payables | Increase (decrease) in trade payables | | 1735 | -2044
d_bonuses | Increase in provision for bonuses | | 126 | 88
d_retirement | Increase in retirement benefit liability | | 214 | 175
d_other | Other, net | | 838 | -610
non_cash ~ depreciation + impairment - interest_income + interest - sale_gain |
working ~ d_receivables + d_inventories + d_payables + d_bonuses + d_retirement + d_other |
subtotal = before_tax + non_cash + working | Subtotal
received ~ interest_income | Interest and dividends received
interest_paid ~ - interest | Interest paid
tax_paid | Income taxes paid | | -6410 | -5603
operations = subtotal + received + interest_paid + tax_paid | Net cash provided by operating activities
# Cash flows from investing activities
capex | Purchase of property, plant and equipment | | -14372 | -11845
software | Purchase of intangible assets | | -1286 | -1104
bought | Purchase of investment securities | | -604 | -582
sold | Proceeds from sale of investment securities | | 2815 | 430
other_investing | Other, net | | -147 | -96
investing = capex + software + bought + sold + other_investing | Net cash used in investing activities
# Cash flows from financing activities
d_short | Net decrease in short-term borrowings | | -1500 | -2000
borrowed | Proceeds from long-term borrowings | | 5000 | 3000
repaid | Repayments of long-term borrowings | | -4200 | -4200
bought_back | Purchase of treasury shares | | -3000 | -2
dividends | Dividends paid | | -3397 | -3218
minority_paid | Dividends paid to non-controlling interests | | -168 | -154
financing = d_short + borrowed + repaid + bought_back + dividends + minority_paid | \
Net cash used in financing activities
exchange | Effect of exchange rate change on cash | | 412 | 1186
change = operations + investing + financing + exchange | Net increase in cash and cash equivalents
opening | Cash and cash equivalents at beginning of period | | 46318 | 42423
closing == opening + change | Cash and cash equivalents at end of period
""",
    ),
    "shares": Statement(
        "",
        "Fiscal year ended March 31,",
        ("2025", "2024"),
        """
parent_again ~ net_income | Profit attributable to owners of parent (millions of yen)
shares | Average number of shares (millions) | | 58.412 | 58.901
eps_again ~ eps | Basic earnings per share (yen)
""",
    ),
    "segments": Statement(
        "Net sales to external customers (Millions of yen)",
        "Fiscal year ended March 31,",
        ("2025", "2024"),
        """
spindles | Precision Spindles | | 98214 | 92630
motion | Motion Components | | 71906 | 68415
inspection | Inspection Systems | | 44716 | 42372
segment_sales = spindles + motion + inspection | Total
""",
    ),
    "results": Statement(
        "Segment profit (Millions of yen)",
        "Fiscal year ended March 31,",
        ("2025", "2024"),
        """
spindles_profit | Precision Spindles | | 12840 | 10612
motion_profit | Motion Components | | 7316 | 6205
inspection_profit | Inspection Systems | | 4487 | 3783
adjustment | Adjustments | | -1916 | -1784
segment_profit = spindles_profit + motion_profit + inspection_profit + adjustment | Operating profit
""",
    ),
    "five": Statement(
        "Millions of yen, except per share data, ratios and number of employees",
        "Fiscal years ended March 31,",
        ("2021", "2022", "2023", "2024", "2025"),
        """
revenue_5 ~ revenue | Net sales | | 198760 | 187245 | 162318
operating_5 ~ operating_income | Operating profit | | 19874 | 17930 | 9406
ordinary_5 ~ ordinary | Ordinary profit | | 20615 | 18452 | 9877
profit_5 ~ net_income | Profit attributable to owners of parent | | 14208 | 12736 | 6214
research_5 | Research and development expenses | | 8462 | 8105 | 7840 | 7512 | 7098
capex_5 ~ - capex | Capital expenditures | | 10932 | 8714 | 7260
depreciation_5 ~ depreciation | Depreciation | | 9105 | 8876 | 8691
operations_5 ~ operations | Net cash provided by operating activities | | 21034 | 16482 | 18795
investing_5 ~ investing | Net cash used in investing activities | | -12240 | -9876 | -8043
financing_5 ~ financing | Net cash used in financing activities | | -7105 | -6420 | -5318
assets_5 ~ total_assets | Total assets | | 259830 | 248116 | 233574
net_assets_5 ~ net_assets | Total net assets | | 160214 | 147905 | 135482
eps_5 ~ eps | Basic earnings per share (yen) | | 241.22 | 216.23 | 105.50
dividend_5 | Dividends per share (yen) | | 62.00 | 58.00 | 54.00 | 48.00 | 40.00
ratio_5 | Equity ratio (%) | | 62.5 | 61.8 | 59.6 | 57.6 | 56.1
employees_5 | Number of employees (consolidated) | | 5284 | 5196 | 5107 | 5042 | 4986
""",
        ascending=True,
    ),
}

TSUKIMINE_REPORT = """
# To Our Shareholders and Stakeholders

In the fiscal year ended March 31, 2025 the makers of semiconductor equipment began to invest again, while
demand from the automotive industry remained slow. Tsukimine Seiki met this mixed market with net sales of
¥{revenue.now} million, up {revenue.growth}% from the year before, and operating profit of
¥{operating_income.now} million, up {operating_income.growth}%.

Seventy-one years ago the founder of our company ground his first spindle in a shed behind a rice mill in Ueda.
He measured it with a gauge that he had also made himself, because no gauge on sale was good enough. We still
believe that nobody can make what he cannot measure. That is why the Inspection Systems segment, the smallest of
our three, receives more than its share of our research.

The first half of our medium-term plan "Straight Line 2027" is now behind us. We have moved grinding of large
bearings to the new hall in Komoro, closed one of two foundries and reduced the number of product variants by a
fifth. An impairment loss on the older foundry was the price of that decision.

We will propose a year-end dividend of ¥34 per share to the general meeting of shareholders, which makes
¥{dividend_5.now} for the year. We also [[share buyback announced|completed a repurchase of our own shares]] for
¥{bought_back.now} million.

## Net sales by segment (Millions of yen)

^segments

In the second half of the plan we will turn to what we sell together with our machines: measurement, maintenance
and the retraining of operators. Service accounted for a tenth of net sales in the fiscal year, and we aim for a
sixth by March 2027. To train the people for it we have opened a workshop in Rayong, where machines from all
three segments stand side by side.

I ask you for your continued support.

Kenjiro Hatoyanagi

Chairman of the Board

May 2025

# Five-Year Summary {wide}

@five

~ Figures up to the fiscal year ended March 31, 2023 have not been adjusted for later changes in presentation.

# Our Business

Tsukimine Seiki Co., Ltd. was founded in 1954 in Ueda, Nagano Prefecture. It makes spindles, linear guides and
measuring machines for manufacturers who work to a thousandth of a millimeter. The Group consists of the Company
and fourteen consolidated subsidiaries in Japan, Thailand, Germany and the United States.

## Precision Spindles

Spindles for grinding machines, for wafer cutting and for machining centers. Net sales were ¥{spindles.now}
million. Orders from makers of semiconductor equipment rose by more than a quarter, and the Komoro plant worked
three shifts from October.

## Motion Components

Linear guides, ball screws and actuators for robots and for machines of all kinds. Net sales were ¥{motion.now}
million. Automotive customers reduced their orders; customers who build packing and medical machines made up for
it.

## Inspection Systems

Machines that measure roundness, surface and thickness. Net sales were ¥{inspection.now} million.

## New products

In the fiscal year we launched [[new products|the TSX-900 high-speed dicing spindle]] in June 2024 and [[new
products|the RondoScan 5 roundness measuring machine]] in January 2025. Both sold better than planned.

## Research and development

Research and development expenses were ¥{research_5.now} million (¥{research_5.before} million in the previous
fiscal year). The main subjects were air bearings, the compensation of heat in spindles and the automatic
reading of surface images.

## Employees

[[number of employees at year end|As of March 31, 2025 the Group had 5,284 employees]] (5,196 a year earlier).
The Company itself had 2,017 employees with an average age of 42.6 years.

# Management's Discussion of Results

## Operating results

Net sales increased by {revenue.growth}% to ¥{revenue.now} million. Gross profit rose to ¥{gross.now} million as
higher volumes in spindles covered the cost of materials. Operating profit increased to ¥{operating_income.now}
million. The yen was stronger at the end of the period than at its beginning, and foreign exchange losses of
¥{losses.now} million took the place of the gains of the previous year. Ordinary profit therefore rose only to
¥{ordinary.now} million.

## Impairment

[[why impaired|We decided in November 2024 to stop casting at the Tomi foundry and to buy castings from
suppliers, because the foundry was half empty and its furnaces would have had to be replaced. Its carrying
amount was reduced to the recoverable amount, and an impairment loss of ¥{impairment.now} million was
recorded.]]

## Profit

Profit attributable to owners of parent was ¥{net_income.now} million, compared with ¥{net_income.before}
million in the previous fiscal year. Basic earnings per share were ¥{eps.now}.

## Financial position

Total assets increased to ¥{total_assets.now} million, mainly because of trade receivables and of buildings and
machinery in Komoro. Liabilities increased to ¥{liabilities.now} million and net assets to ¥{net_assets.now}
million. The equity ratio was {ratio_5.now}%.

## Cash flows

Operating activities provided ¥{operations.now} million and investing activities used ¥{investing.now} million,
of which ¥{capex.now} million was spent on property, plant and equipment. Financing activities used
¥{financing.now} million.

## Principal facilities

| Site | Location | Use | Employees
| Ueda Head Plant | Ueda, Nagano | Headquarters, spindles | 1,146
| Komoro Plant | Komoro, Nagano | Spindles, large bearings | 602
| Tomi Foundry | Tomi, Nagano | Castings (closing) | 88
| Rayong Plant | Rayong, Thailand | Linear guides, ball screws | 1,934
| Esslingen Works | Esslingen, Germany | Inspection systems | 371

# Corporate Governance

The Company has a board of directors and an audit and supervisory board. Four of the nine directors are outside
directors. The board met fourteen times in the fiscal year.

## Directors and executive officers (as of March 31, 2025)

| Name | Position
| Kenjiro Hatoyanagi | Chairman of the Board
| [[CEO|Takahiro Ogasaki]] | Representative Director, President and Chief Executive Officer
| Naoko Ishimure | Director, Managing Executive Officer, Chief Financial Officer
| Daisuke Umetani | Director, Senior Executive Officer, Motion Components
| Reiko Shirahama | Director, Executive Officer, Research
| Four outside directors | See the notice of the general meeting

## Changes during the fiscal year

[[leadership|Naoko Ishimure was appointed Chief Financial Officer on June 26, 2024]], when the term of Masato
Kirihara ended. On the same day [[leadership|Shigeo Manabe retired as Director]].

## Change after the fiscal year

[[president|The board resolved on May 13, 2025 that Daisuke Umetani is to become President and Chief Executive
Officer on June 25, 2025]]. Takahiro Ogasaki is to become Vice Chairman on that day. Until then the positions
shown above are unchanged.

## Remuneration

The remuneration of directors consists of a fixed part, a bonus that depends on operating profit and restricted
shares. The total for nine directors was ¥412 million.

# Returns to Shareholders

## Dividends

The Company aims at a payout ratio of about 25% and at dividends that do not fall. The dividends for the fiscal
year are:

| | Interim | Year-end | Annual
| Fiscal year ended March 31, 2025 | ¥28.00 | ¥34.00 | [[Dividend per share|¥62.00]]
| Fiscal year ended March 31, 2024 | ¥28.00 | ¥30.00 | ¥58.00

The basic policy on dividends was not changed.

## Repurchase of shares

[[share buyback announced|On May 14, 2024 the board resolved to repurchase up to 1,200,000 shares for up to
¥3,000 million]] between May 15 and December 20, 2024. The repurchase was completed on November 8, 2024:
1,020,000 shares were bought for ¥{bought_back.now} million. No further repurchase has been resolved.

## Shares

| | March 31, 2025 | March 31, 2024
| Shares issued | 60,400,000 | 60,400,000
| Treasury shares | 2,520,000 | 1,500,000
| Shareholders | 14,382 | 13,907

+ Risk Factors

The following matters could have a material effect on the business of the Group.

- Cycles of investment. The makers of semiconductor equipment buy about 40% of our spindles and change their
plans quickly.
- Exchange rates. A change of one yen against the U.S. dollar changes annual operating profit by about ¥190
million.
- Earthquakes. Three of our plants lie within thirty kilometers of each other. Critical machines stand on damped
foundations.
- Materials. Bearing steel of the required purity is made by few mills.
- Succession. Skills in hand scraping take ten years to learn. A school in Ueda trains sixteen people a year.
- Export control. Some spindles need a license for export, and the rules change often.

# Consolidated Statements of Income

@income

# Consolidated Balance Sheets

@balance

# Consolidated Statements of Cash Flows

@cash

# Notes to Consolidated Financial Statements

## Note 1. Basis of presentation

The consolidated financial statements are prepared in accordance with accounting principles generally accepted
in Japan. Amounts of less than one million yen are rounded. "Fiscal 2024" means the fiscal year ended March 31,
2025.

## Note 2. Significant accounting policies

Inventories are stated at cost by the moving average method and written down when profitability declines.
Property, plant and equipment is depreciated by the straight-line method over 15 to 50 years for buildings and 5
to 12 years for machinery.

[[mergers or acquisitions mentioned|Business combinations are accounted for by the purchase method]]. The
difference between the cost of an acquired business and the fair value of its net assets is recorded as goodwill
and amortized over the period in which it has effect, at most twenty years. The Group made no acquisition of a
business and took part in no merger in either of the fiscal years presented, and no goodwill is recorded.

## Note 3. Segment information

The reportable segments are the units whose results the board reviews to allocate resources.

@segments

@results

~ Adjustments are corporate expenses that are not allocated to a segment.

## Note 4. Impairment losses

The impairment loss of ¥{impairment.now} million concerns buildings and furnaces of the Tomi foundry in the
Precision Spindles segment. The recoverable amount is the net selling price, based on an appraisal.

## Note 5. Borrowings

The average interest rate was 0.7% on short-term borrowings and 0.9% on long-term borrowings. Long-term
borrowings of ¥{long_term_debt.now} million, without the current portion of ¥{current_debt.now} million, mature
between 2026 and 2031.

## Note 6. Per share information

@shares

Diluted earnings per share are not shown because there are no dilutive shares.

## Note 7. Subsequent events

The board resolved on May 13, 2025 to propose the year-end dividend described in this report. There is nothing
else to report.

# Confirmation by the Representative

I confirm that the statements in this annual report for the fiscal year from April 1, 2024 to March 31, 2025 are
appropriate, and that internal control over financial reporting was effective as of March 31, 2025.

> TSUKIMINE SEIKI CO., LTD.

> [[CEO|Takahiro Ogasaki]]

> Representative Director, President and Chief Executive Officer

> June 2, 2025

## Company data

| Item | Content
| Head office | 3-18 Tokiiri, Ueda, Nagano Prefecture, Japan
| Established | April 9, 1954
| Share capital | ¥18,240 million
| Accounting auditor | Sazanami & Partners
| Fiscal year end | March 31
"""

TSUKIMINE = Company(
    name="Tsukimine Seiki Co., Ltd.",
    file="tsukimine_2025.pdf",
    aliases=("Tsukimine", "Tsukimine Seiki"),
    currency="JPY",
    period_end="2025-03-31",
    scale=1_000_000,
    paper="a4",
    serif=False,
    colour="#7a1f2b",
    sign="",
    brackets=True,
    leaders=False,
    unnumbered=1,
    header="TSUKIMINE SEIKI CO., LTD.   Annual Report 2025",
    cover=("Annual Report 2025", "Fiscal year ended March 31, 2025", "Straight Line 2027"),
    statements=TSUKIMINE_STATEMENTS,
    report=TSUKIMINE_REPORT,
    also={"Net income": "profit", "Shareholders' equity": "net_assets"},
    facts=(
        Fact("Dividend per share", "number", 62, "62.00", rows=("dividend_5",)),
        Fact("CEO", "name", "Takahiro Ogasaki"),
        Fact("mergers or acquisitions mentioned", "boolean", False),
        Fact("share buyback announced", "boolean", True),
        Fact("number of employees at year end", "number", 5284, "5,284", rows=("employees_5",)),
    ),
    questions=(
        Question(
            "names",
            "Which leadership positions changed at Tsukimine Seiki Co., Ltd. in the reporting period? If data "
            "is not "
            "available, return 'N/A'. Give me the title of the position.",
            ("Chief Financial Officer", "Director"),
            ("leadership",),
            also=("Managing Executive Officer",),
            note="the new President takes office only on June 25, 2025",
        ),
        Question(
            "names",
            "What are the names of new products launched by Tsukimine Seiki Co., Ltd. as mentioned in the annual "
            "report?",
            ("TSX-900", "RondoScan 5"),
            ("new products",),
        ),
        Question(
            "number",
            "What was the total amount spent on research and development (in JPY) by Tsukimine Seiki Co., Ltd. "
            "according to the annual report? If data is not available, return 'N/A'.",
            8_462_000_000,
            ("research_5",),
            printed="8,462",
            scale=1_000_000,
        ),
        Question(
            "number",
            "What were the net sales of Tsukimine Seiki Co., Ltd. in the fiscal year ended March 31, 2022 (in "
            "JPY)?",
            187_245_000_000,
            ("revenue_5",),
            printed="187,245",
            scale=1_000_000,
            note="only in the five-year summary, a page turned by 90 degrees whose years run from left to right",
        ),
        Question(
            "number",
            "What was the segment profit of Tsukimine Seiki Co., Ltd.'s Motion Components in the fiscal year "
            "ended "
            "March 31, 2025 (in JPY)?",
            7_316_000_000,
            ("motion_profit",),
            printed="7,316",
            scale=1_000_000,
        ),
        Question(
            "text",
            "Why did Tsukimine Seiki Co., Ltd. record an impairment loss in the fiscal year ended March 31, 2025?",
            "In November 2024 it decided to stop casting at the Tomi foundry and to buy castings from "
            "suppliers, because "
            "the foundry was half empty and its furnaces would have had to be replaced; it recorded an "
            "impairment loss "
            "of ¥2,318 million.",
            ("why impaired",),
            must_say=(
                "Tomi foundry",
                "casting stopped, castings bought from suppliers",
                "half empty / furnaces to be replaced",
                "impairment loss of ¥2,318 million",
            ),
        ),
        Question(
            "boolean",
            "Did the President of Tsukimine Seiki Co., Ltd. change in the fiscal year ended March 31, 2025?",
            False,
            ("president",),
            trap="the change was resolved in May 2025 and takes effect on June 25, 2025, after the fiscal year",
        ),
        Question(
            "number",
            "How many patents did Tsukimine Seiki Co., Ltd. hold at the end of the period?",
            "N/A",
            printed="",
            note="patents are not mentioned",
        ),
    ),
)

COMPANIES = (OSTERMERE, VELDHOORN, TSUKIMINE)
