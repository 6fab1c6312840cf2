"""The symbol under which a company's shares are traded, where the first pages print it."""

import re
from collections.abc import Iterator, Sequence

from indexes.printed_lines import PrintedLine
from indexes.votes import Elected, Vote, elect

_EXCHANGE = r"(?:Nasdaq|NASDAQ|NYSE|New York Stock Exchange|ASX|TSX|TSXV|LSE|AIM|NZX|JSE|HKEX|SGX|SIX|OTCQ[BX])"
_MARKED = re.compile(
    rf"\b{_EXCHANGE}(?: [A-Z][a-z]+){{0,3}}\s?(?::|[Cc]ode:?|[Tt]icker:?|[Ss]ymbol:?)\s?"
    r"\"?(?P<symbol>[A-Z][A-Z0-9]{2,4})\b"
)
_TICKER = re.compile(rf"\b[Tt]icker(?: [Ss]ymbol)?:? ?\"?(?P<symbol>[A-Z][A-Z0-9]{{2,4}})\b.{{0,12}}{_EXCHANGE}")
_REGISTERED = re.compile(
    rf"(?i:^.{{0,20}}\b(?:common|ordinary) (?:stock|shares?)\b.{{0,80}}?)"
    rf"\s(?P<symbol>[A-Z]{{3,5}})\s(?:The )?{_EXCHANGE}"
)
_COVER_OF_A_FILING = re.compile(r"(?i)exact name of (?:the )?(?:registrant|company|issuer)")
_FIRST_PAGES = 4
_NOT_A_SYMBOL = {"ABN", "ACN", "INC", "LTD", "PLC", "LLC", "THE", "USA", "CODE", "NONE", "NYSE", "ASX"}


def elected_ticker(lines: Sequence[PrintedLine]) -> Elected | None:
    """The symbol of the ordinary shares, or None where none is printed; two letters or fewer are too few to trust."""
    return elect(_symbols(lines), least=1)


def _symbols(lines: Sequence[PrintedLine]) -> Iterator[Vote]:
    filing = {line.page for line in lines if _COVER_OF_A_FILING.search(line.text)}
    for line in lines:
        if line.page > _FIRST_PAGES and line.page not in filing:
            continue
        for pattern, weight in ((_REGISTERED, 3.0), (_MARKED, 2.0), (_TICKER, 2.0)):
            found = pattern.search(line.text)
            if found and found["symbol"] not in _NOT_A_SYMBOL:
                yield Vote(found["symbol"], weight, line.page, line.text)
