"""Companies whose names differ by their legal form, and those whose names only look so."""

from pathlib import Path

import pytest

from indexes.ingestion.overlay import JoinedLibrary
from indexes.report_identity.legal_names import KnownNames, identity_of, names_in, whole_name
from query_engines.company_names.matcher import CompanyNames
from storage.lexicon.names import LEGAL_FORMS, form_code
from storage.records.reports import Company, Report
from storage.stores.library import Library

TOWERS = [Company(name="Tower Limited"), Company(name="Tower Corporation")]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Tower Limited", "TOWER LTD."),
        ("Tower Corporation", "Tower Corp"),
        ("Holley, Incorporated", "The Holley Inc."),
        ("Acme Co., Ltd.", "Acme Limited"),
        ("Acme p.l.c.", "ACME PLC"),
        ("Acme plc", "Acme Public Limited Company"),
        ("Acme S.p.A.", "Acme SpA"),
        ("Acme Aktiengesellschaft", "Acme AG"),
        ("Acme, S.A.", "Acme Société Anonyme"),
        ("Acme Berhad", "Acme Bhd."),
    ],
)
def test_spellings_of_one_legal_form_are_one_name(one: str, other: str) -> None:
    assert identity_of(one) == identity_of(other)


@pytest.mark.parametrize(
    "other", ["Tower Corporation", "Tower Pty Ltd", "Tower plc", "Tower Inc.", "Tower SE", "Towers Limited"]
)
def test_another_legal_form_is_another_name(other: str) -> None:
    assert not identity_of("Tower Limited").may_be(identity_of(other))


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Tower Ltd", "Tower Limited"),
        ("TOWER CORP.", "Tower Corporation"),
        ("Tower plc", None),
        ("Tower", None),
        ("Holley", "Holley Inc."),
        ("Holley Inc", "Holley Inc."),
        ("Holley Limited", None),
        ("Kelvor Resources Limited", "Kelvor Mining plc"),  # its alias has no form, so any may be meant
    ],
)
def test_a_report_s_company_is_the_known_one_only_where_it_is_sure(name: str, found: str | None) -> None:
    kelvor = Company(name="Kelvor Mining plc", aliases=("Kelvor Resources",))
    assert KnownNames([*TOWERS, Company(name="Holley Inc."), kelvor]).find(name) == found


@pytest.mark.parametrize(
    ("text", "companies"),
    [
        ("What was the revenue of Tower Ltd?", ["Tower Limited"]),
        ("What was Tower Corporation's revenue?", ["Tower Corporation"]),
        ("What was the revenue of Tower?", ["Tower Limited", "Tower Corporation"]),
    ],
)
def test_a_question_by_the_name_alone_may_mean_both_companies(text: str, companies: list[str]) -> None:
    assert [company.name for company in CompanyNames(TOWERS).read(text).companies] == companies


def test_companies_that_differ_by_their_legal_form_stay_two_in_joined_libraries(tmp_path: Path) -> None:
    shared, own = Library(tmp_path / "shared.sqlite"), Library(tmp_path / "own.sqlite")
    shared.add(Report(sha1="a" * 40, file="a.pdf", company="Tower Limited", page_count=1))
    for letter, name in (("b", "Tower"), ("c", "Tower Corporation"), ("d", "TOWER CORP.")):
        own.add(Report(sha1=letter * 40, file=f"{letter}.pdf", company=name, page_count=1))
    found = {c.name: sorted(r.sha1[0] for r in c.reports) for c in JoinedLibrary(shared, own).companies()}
    assert sorted(found.values()) == [["a"], ["b"], ["c", "d"]]


@pytest.mark.parametrize("spelling", [s for form in LEGAL_FORMS for s in form.spellings])
def test_every_spelling_of_a_form_ends_a_company_s_name(spelling: str) -> None:
    assert whole_name(f"Acme Tools {spelling}") == f"Acme Tools {spelling}"
    assert identity_of(f"Acme Tools {spelling.upper()}").form == form_code(spelling)


def test_a_form_in_a_sentence_ends_a_name_unless_subsidiaries_have_it() -> None:
    text = (
        "Acme Tools Inc. and Veld Foods plc are held by Nord GmbH while Example Holdings LIMITED owns A.G. Smith."
    )
    assert names_in(text) == ["Acme Tools Inc.", "Veld Foods plc", "Example Holdings LIMITED"]
