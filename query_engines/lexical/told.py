"""Pages that tell who holds an office or what happened, by the rules that read facts from a report."""

import re
from collections.abc import Sequence

import numpy as np

from indexes.facts.events import events_of
from indexes.facts.people import TITLES, people_of
from indexes.facts.sentences import Sentence, headcounts
from query_engines.lexical.report_rows import Floats
from storage.facts import Confidence, EventKind, Role
from storage.pages import Page
from storage.reports import Report
from storage.text import plain

# Words without which a sentence tells no event of the kind, so that most sentences need not be read.
_NEEDED: dict[EventKind, re.Pattern[str]] = {
    "acquisition": re.compile(r"(?i)acqui|merger|combination"),
    "buyback": re.compile(r"(?i)repurchas|buy-?back|bought back|purchased|own shares"),
    "dividend_policy": re.compile(r"(?i)dividend"),
    "layoffs": re.compile(r"(?i)redundan|workforce|laid off|positions|headcount|employees|reduction in force"),
    "litigation": re.compile(r"(?i)complaint|lawsuit|class action|subpoena|petition|demand|proceeding"),
    "guidance": re.compile(r"(?i)guidance|outlook|expect|anticipat"),
    "restructuring": re.compile(r"(?i)restructur|reorgani|realign|cost[- ](?:reduction|saving)"),
    "esg": re.compile(r"(?i)esg|sustainab|net[- ]zero|carbon|emission|divers|tcfd|climate"),
    "supply_chain": re.compile(r"(?i)supply[- ]chain"),
    "leadership_change": re.compile(
        r"(?i)appoint|named|promoted|elected|joined|resign|stepp|retire|retiri|depart|ceased|succe|transition"
    ),
    "product_launch": re.compile(r"(?i)launch|introduced|released|unveiled"),
}
_SURENESS: dict[Confidence, float] = {"high": 1.0, "medium": 0.6, "low": 0.25}
_EACH_MORE, _MOST = 0.15, 4.0
_NEAR = 80  # letters between a name and its office
_LONG = 300  # letters of a paragraph that is about more than one person
_SURE_HEADCOUNT = 10.0


def telling_event(kind: EventKind, sentences: Sequence[Sentence], report: Report, page_count: int) -> Floats:
    """How surely each page tells an event of the kind, above 0; several sentences make it surer."""
    needed = _NEEDED[kind]
    best, sum_ = np.zeros(page_count), np.zeros(page_count)
    for event in events_of([s for s in sentences if needed.search(s.text)], report):
        if event.kind == kind:
            page, sureness = event.page_number - 1, _SURENESS[event.confidence]
            best[page] = max(best[page], sureness)
            sum_[page] += sureness
    found: Floats = best + _EACH_MORE * np.minimum(sum_, _MOST)
    return found


def telling_person(role: Role, pages: Sequence[Page], report: Report) -> Floats:
    """How plainly each page names the holder of an office with the office; all 0 where nobody was surely found."""
    plainness = np.zeros(len(pages))
    person = next((p for p in people_of(pages, report.company, report.sha1) if p.role == role), None)
    title = TITLES.get(role)
    if person is None or title is None or person.confidence == "low":
        return plainness
    last_name = re.compile(re.escape(person.name.split()[-1]), re.IGNORECASE)
    office = re.compile(title)
    for index, page in enumerate(pages):
        texts = [block.text for block in page.blocks if block.kind != "furniture"]
        for text in texts:
            if last_name.search(text) and office.search(text):
                plainness[index] = max(plainness[index], 0.6 if len(text) > _LONG else 0.8)
        if not plainness[index] and _beside(last_name, office, plain(" ".join(texts))):
            plainness[index] = 0.6
    plainness[person.page_number - 1] += 0.3
    return plainness


def telling_headcount(sentences: Sequence[Sentence], report: Report, page_count: int) -> Floats:
    """How surely a sentence of each page says how many people the company employs, 0..1 or a little more."""
    year = report.period_end.year if report.period_end else None
    found = np.zeros(page_count)
    for count in headcounts(sentences, year):
        page = count.page_number - 1
        found[page] = max(found[page], count.score / _SURE_HEADCOUNT)
    return found


def _beside(name: re.Pattern[str], office: re.Pattern[str], text: str) -> bool:
    around = (text[max(0, m.start() - _NEAR) : m.end() + _NEAR] for m in name.finditer(text))
    return any(office.search(words) for words in around)
