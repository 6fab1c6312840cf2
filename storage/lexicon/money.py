"""Currencies and scales as they are written: codes, signs, names in several languages, "thousand" and "Mrd"."""

from storage.lexicon.words import any_of

CODES = (
    *(
        "USD",
        "EUR",
        "GBP",
        "JPY",
        "CHF",
        "AUD",
        "CAD",
        "NZD",
        "SEK",
        "NOK",
        "DKK",
        "CNY",
        "RMB",
        "HKD",
        "SGD",
        "INR",
    ),
    *("ILS", "NIS", "ZAR", "BRL", "MXN", "KRW", "PLN", "TRY"),
)
ALSO_CALLED = {"RMB": "CNY", "NIS": "ILS"}
CODE = any_of(CODES)
SIGN = "[$€£¥₹₩₽]"
