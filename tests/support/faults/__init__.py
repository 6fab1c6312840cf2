"""Small reports of invented companies, each made to show one kind of fault, with what is right for it."""

from tests.support.faults.cases import Writer

KINDS: dict[str, Writer] = {}
