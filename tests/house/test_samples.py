"""The sample reports are what the script writes, add up, and say what is known about them."""

import csv
import hashlib
import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

from tests.support.samples_data import COMPANIES, Company
from tests.support.write_filings import write_samples_of_filings
from tests.support.write_samples import FOLDER, Ledgers, write_samples

NAMES = ("catalog.csv", "facts.json", "questions.json", *(each.file for each in COMPANIES))
KNOWN = {
    kind: {each["company"]: each for each in json.loads((FOLDER / f"{kind}.json").read_text(encoding="utf-8"))}
    for kind in ("facts", "questions")
}
# Ledger keys whose figures two roads must reach.
TWO_ROADS = (("total_assets", "both_sides"), ("cash", "closing"), ("segment_sales", "revenue"))
every_company = pytest.mark.parametrize("company", COMPANIES, ids=lambda each: each.name)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("samples")
    write_samples(folder)
    return folder


def page_texts(company: Company) -> list[str]:
    with pypdfium2.PdfDocument(FOLDER / company.file) as pdf:
        return [" ".join(page.get_textpage().get_text_bounded().split()) for page in pdf]


def stands_on(figure: str, text: str) -> bool:
    bare = re.escape(figure.strip("()–"))
    return re.search(rf"(?<![\d.,]){bare}(?![\d,]*\d|\.\d)", text) is not None


def known(kind: str, company: Company) -> list[dict[str, Any]]:
    return KNOWN[kind][company.name][kind]


@pytest.mark.parametrize("name", NAMES)
def test_the_committed_file_is_what_the_script_writes(name: str, written: Path) -> None:
    assert (FOLDER / name).read_bytes() == (written / name).read_bytes()


@every_company
def test_the_catalog_names_each_report_with_its_hash(company: Company) -> None:
    with (FOLDER / "catalog.csv").open(encoding="utf-8", newline="") as stream:
        row = next(each for each in csv.DictReader(stream) if each["file"] == company.file)

    assert row["company_name"] == company.name
    assert row["sha1"] == hashlib.sha1((FOLDER / company.file).read_bytes()).hexdigest()
    assert {KNOWN[kind][company.name]["sha1"] for kind in KNOWN} == {row["sha1"]}


@every_company
@pytest.mark.parametrize(("one", "other"), TWO_ROADS)
def test_the_statements_agree_with_each_other(company: Company, one: str, other: str) -> None:
    ledgers = Ledgers(company)

    assert ledgers.values(one) == ledgers.values(other)


@every_company
def test_a_year_opens_with_the_cash_the_year_before_closed_with(company: Company) -> None:
    ledgers = Ledgers(company)

    assert ledgers.values("opening")[0] == ledgers.values("closing")[1]


@every_company
def test_retained_earnings_move_by_the_profit_and_the_dividends(company: Company) -> None:
    ledgers = Ledgers(company)
    profit = ledgers.values("owners_profit" if "owners_profit" in ledgers.by_key else "net_income")[0]
    paid = ledgers.values("dividends")[0] if "dividends" in ledgers.by_key else Decimal(0)
    now, before = ledgers.values("retained")

    assert now == before + profit + paid


@every_company
def test_a_known_figure_stands_on_each_of_its_pages_and_on_no_other(company: Company) -> None:
    texts = page_texts(company)

    for fact in known("facts", company):
        if fact.get("printed"):
            pages = [index for index, text in enumerate(texts) if stands_on(fact["printed"], text)]
            assert pages == fact["pages"], fact["metric"]


@every_company
def test_a_known_name_stands_on_each_of_its_pages(company: Company) -> None:
    texts = page_texts(company)
    names = [(each["value"], each["pages"]) for each in known("facts", company) if each["kind"] == "name"]
    names += [(each["value"], each["pages"]) for each in known("questions", company) if each["kind"] == "name"]

    assert all(name in texts[page] for name, pages in names for page in pages)


@every_company
def test_a_question_with_a_figure_finds_it_on_its_pages(company: Company) -> None:
    texts = page_texts(company)

    for question in known("questions", company):
        if question.get("printed"):
            assert question["pages"], question["text"]
            assert all(stands_on(question["printed"], texts[page]) for page in question["pages"]), question["text"]


@every_company
def test_each_metric_is_known_once(company: Company) -> None:
    metrics = [each["metric"] for each in known("facts", company)]

    assert len(metrics) == len(set(metrics)) == 14


def test_the_five_year_summary_is_turned_upright_by_its_page() -> None:
    company = next(each for each in COMPANIES if "five" in each.statements)

    with pypdfium2.PdfDocument(FOLDER / company.file) as pdf:
        turned = [page for page in pdf if page.get_rotation() == 90]

        assert len(turned) == 1
        assert "Five-Year Summary" in turned[0].get_textpage().get_text_bounded()


@every_company
def test_a_report_is_small_and_has_the_length_of_a_report(company: Company) -> None:
    assert (FOLDER / company.file).stat().st_size < 100_000
    assert 10 <= len(page_texts(company)) <= 20


def test_the_committed_filings_are_what_the_script_writes(tmp_path: Path) -> None:
    folder = FOLDER.parent / "sample_filings"
    written = write_samples_of_filings(tmp_path)

    assert sorted(path.name for path in folder.iterdir()) == sorted(path.name for path in written)
    assert all((folder / path.name).read_bytes() == path.read_bytes() for path in written)
    assert sum(path.stat().st_size for path in written) < 60_000
