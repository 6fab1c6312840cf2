"""Small reports of invented companies, each made to show one kind of fault, with what is right for it."""

from tests.support.faults import companies, headings, marks
from tests.support.faults.cases import Writer

KINDS: dict[str, Writer] = {**headings.KINDS, **marks.KINDS, **companies.KINDS}
