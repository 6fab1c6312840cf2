import datetime as dt
from pathlib import Path

import pytest

from storage.stores.inbox import Inbox, Received


def received(sha1: str, minute: int = 0) -> Received:
    when = dt.datetime(2024, 5, 1, 12, minute, tzinfo=dt.UTC)
    return Received(sha1=sha1, name="annual report.pdf", page_count=3, received=when, profile="offline")


def put_in(inbox: Inbox, folder: Path, letter: str, minute: int) -> Received:
    folder.joinpath("sent.pdf").write_bytes(letter.encode())
    note = received(letter * 40, minute)
    inbox.store(folder / "sent.pdf", note)
    return note


def test_what_was_received_waits_oldest_first_under_its_sha1(tmp_path: Path) -> None:
    inbox = Inbox(tmp_path / "inbox")
    later, earlier = put_in(inbox, tmp_path, "b", 2), put_in(inbox, tmp_path, "a", 1)
    assert inbox.waiting() == [earlier, later]
    (tmp_path / "sent.pdf").unlink()  # the session's own copy goes with the session
    assert inbox.pdf("a" * 40).read_bytes() == b"a"


def test_what_is_done_leaves_nothing(tmp_path: Path) -> None:
    inbox = Inbox(tmp_path / "inbox")
    put_in(inbox, tmp_path, "a", 1)
    inbox.drop("a" * 40)
    inbox.drop("a" * 40)
    assert list((tmp_path / "inbox").iterdir()) == []


@pytest.mark.parametrize("spoil", ["note", "pdf", "name"])
def test_half_of_an_entry_is_none(tmp_path: Path, spoil: str) -> None:
    inbox = Inbox(tmp_path / "inbox")
    put_in(inbox, tmp_path, "a", 1)
    note = tmp_path / "inbox" / f"{'a' * 40}.json"
    match spoil:
        case "note":
            note.write_bytes(note.read_bytes()[:20])
        case "pdf":
            inbox.pdf("a" * 40).unlink()
        case _:
            note.rename(note.with_name(f"{'b' * 40}.json"))
    assert inbox.waiting() == []


def test_no_path_is_made_of_what_is_no_sha1(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="does not name a report"):
        Inbox(tmp_path).pdf("../../etc/passwd")


def test_an_inbox_that_was_never_used_is_empty(tmp_path: Path) -> None:
    assert Inbox(tmp_path / "inbox").waiting() == []
