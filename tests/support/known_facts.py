"""The known facts' metrics: their names here, and in everyday words, two wordings of each."""

METRICS = {
    "Total revenue": "total_revenue",
    "Operating income": "operating_income",
    "Net income": "net_income",
    "EPS (earnings per share), basic": "eps_basic",
    "Total assets": "total_assets",
    "Shareholders' equity": "shareholders_equity",
    "Cash flow from operations": "operating_cash_flow",
    "Capital expenditures": "capital_expenditures",
    "Long-term debt": "long_term_debt",
    "Dividend per share": "dividend_per_share",
    "number of employees at year end": "employees",
}
PARAPHRASES: dict[str, tuple[str, tuple[str, str]]] = {
    "Total revenue": (
        "total_revenue",
        ("How much did COMPANY sell last year?", "How much money did COMPANY take in from its customers?"),
    ),
    "Operating income": (
        "operating_income",
        (
            "What did COMPANY earn from its operations before interest and tax?",
            "What profit did COMPANY's ordinary business make before financing costs?",
        ),
    ),
    "Net income": (
        "net_income",
        ("What was COMPANY's bottom line for the year?", "How much profit did COMPANY make after tax?"),
    ),
    "EPS (earnings per share), basic": (
        "eps_basic",
        ("What did COMPANY earn per share?", "How much profit came to each share of COMPANY?"),
    ),
    "Total assets": (
        "total_assets",
        (
            "What do COMPANY's assets add up to?",
            "How much is everything that COMPANY owns worth on its balance sheet?",
        ),
    ),
    "Shareholders' equity": (
        "shareholders_equity",
        (
            "How much of COMPANY belongs to its owners on the balance sheet?",
            "What is COMPANY's book value, its assets less its liabilities?",
        ),
    ),
    "Cash flow from operations": (
        "operating_cash_flow",
        (
            "How much cash did COMPANY's business generate?",
            "How much cash came in from COMPANY's day-to-day operations?",
        ),
    ),
    "Capital expenditures": (
        "capital_expenditures",
        (
            "How much did COMPANY invest in property and equipment?",
            "What did COMPANY spend on plant and equipment?",
        ),
    ),
    "Long-term debt": (
        "long_term_debt",
        (
            "How much long-dated borrowing does COMPANY have?",
            "How much does COMPANY owe that falls due in more than a year?",
        ),
    ),
    "Dividend per share": (
        "dividend_per_share",
        (
            "What dividend did COMPANY pay on each share?",
            "How much did shareholders of COMPANY get per share in dividends?",
        ),
    ),
    "CEO": ("chief_executive", ("Who runs COMPANY?", "Who is the boss of COMPANY?")),
    "mergers or acquisitions mentioned": (
        "acquisition",
        ("Did COMPANY buy or merge with any other company?", "Has COMPANY taken over another business?"),
    ),
    "share buyback announced": (
        "buyback",
        ("Is COMPANY buying back its own shares?", "Did COMPANY decide to repurchase stock?"),
    ),
    "number of employees at year end": (
        "employees",
        ("How many people work for COMPANY?", "How big is COMPANY's staff?"),
    ),
}
