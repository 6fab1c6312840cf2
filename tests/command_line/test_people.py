"""`pageproof people`: the file of those who may sign in, changed by commands."""

import io
import json
import stat
from pathlib import Path

import pytest

from app.chat.session.people import INVITED_SECONDS, Invitation, NotAllowed, PasswordHash, People, Person
from app.chat.session.people_file import PeopleFile
from app.command_line import run
from storage.errors import UsageError

NOW = 1_800_000_000.0


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "team" / "people.txt"


def people(file: Path, *words: str) -> int:
    return run(["people", *words, "--set", f"chat.people={file}"])


def types(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def test_a_person_is_added_with_a_role_and_a_password_from_the_input(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    types(monkeypatch, "correct horse")
    assert people(file, "--add", "Ann Lee", "--role", "keeper") == 0
    types(monkeypatch, "battery staple")
    assert people(file, "--add", "bob") == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    known = People.load(str(file), {})
    assert known.verified("ann lee", "correct horse") == "Ann Lee"
    assert (known.rights("Ann Lee").role, known.rights("bob").role) == ("keeper", "contributor")
    capsys.readouterr()
    assert people(file, "--json") == 0
    assert json.loads(capsys.readouterr().out) == [
        {"name": "Ann Lee", "role": "keeper", "state": "active"},
        {"name": "bob", "role": "contributor", "state": "active"},
    ]
    assert "correct horse" not in file.read_text()


def test_what_else_stands_in_the_file_stays_as_it_was(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, bob = (Person.new(name, PasswordHash.of("long enough"), "contributor").line for name in ("ann", "bob"))
    file.parent.mkdir()
    file.write_text(f"# the team\n\n{ann}\n# since May\n{bob}\n")
    file.chmod(0o644)
    assert people(file, "ANN", "--role", "reader") == 0
    assert file.read_text() == f"# the team\n\n{ann}:reader\n# since May\n{bob}\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    types(monkeypatch, "another one")
    assert people(file, "--password", "bob") == 0
    known = People.load(str(file), {})
    assert known.verified("bob", "another one") == "bob"
    assert known.verified("ann", "long enough") == "ann"
    assert people(file, "--revoke", "ann") == 0
    assert file.read_text().startswith("# the team\n\n# since May\nbob:scrypt$")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--add", "ann"], "'ann' is there already"),
        (["--add", "ANN"], "'ANN' is there already"),
        (["--add", "a:b"], "cannot be a name"),
        (["--add", "bob", "--role", "admin"], "'admin' is no role: expected reader, contributor, keeper"),
        (["ann", "--role", "admin"], "'admin' is no role"),
        (["carl", "--role", "reader"], "there is no 'carl'"),
        (["--revoke", "carl"], "there is no 'carl'"),
        (["--password", "carl"], "there is no 'carl'"),
        (["env", "--role", "reader"], "PAGEPROOF_PEOPLE: change that"),
        (["ann"], "what of 'ann'?"),
        (["--role", "reader"], "people takes one of"),
        (["--add", "bob", "--revoke", "ann"], "people takes one of"),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, list) else "",
)
def test_what_cannot_be_done_is_said_and_changes_nothing(
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    message: str,
) -> None:
    monkeypatch.setenv("PAGEPROOF_PEOPLE", Person.new("env", PasswordHash.of("long enough"), "keeper").line)
    types(monkeypatch, "long enough")
    PeopleFile(file, {}).add(Person.new("ann", PasswordHash.of("long enough"), "keeper"))
    before = file.read_text()
    types(monkeypatch, "long enough")
    assert people(file, *words) == UsageError.exit_code
    assert message in capsys.readouterr().err
    assert file.read_text() == before


@pytest.mark.parametrize("lines", [("short",), (), ("two lines", "of input")])
def test_a_password_that_cannot_be_taken_adds_nobody(
    file: Path, monkeypatch: pytest.MonkeyPatch, lines: tuple[str, ...]
) -> None:
    types(monkeypatch, *lines)
    assert people(file, "--add", "ann") == UsageError.exit_code
    assert not file.exists()


def test_without_a_file_the_setting_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["people"]) == UsageError.exit_code
    assert "--set chat.people=people.txt" in capsys.readouterr().err


def test_an_invitation_sets_a_password_once_and_for_a_day(file: Path) -> None:
    clock = [NOW]
    book = PeopleFile(file, {}, lambda: clock[0])
    secret, invitation = Invitation.new(NOW)
    book.add(Person.new("ann", invitation, "reader"))
    assert secret not in file.read_text()
    assert People.load(str(file), {}).mark("ann") is None
    assert People.load(str(file), {}).verified("ann", "") is None
    with pytest.raises(UsageError, match="not valid any more"):
        book.accept("x" * 43, "long enough")
    with pytest.raises(UsageError, match="at least 8"):
        book.accept(secret, "short")
    assert book.accept(secret, "long enough") == "ann"
    known = People.load(str(file), {})
    assert (known.verified("ann", "long enough"), known.rights("ann").role) == ("ann", "reader")
    with pytest.raises(UsageError, match="not valid any more"):
        book.accept(secret, "somebody else's")
    late, invitation = Invitation.new(NOW)
    book.change("ann", secret=invitation)
    clock[0] += INVITED_SECONDS
    with pytest.raises(UsageError, match="not valid any more"):
        book.accept(late, "long enough")


def test_only_a_keeper_changes_others_and_nobody_themselves(file: Path) -> None:
    book, password = PeopleFile(file, {}), PasswordHash.of("long enough")
    for name, role in (("ann", "keeper"), ("bob", "contributor"), ("eve", "reader")):
        book.add(Person.new(name, password, role))
    for by in ("bob", "eve", "stranger"):
        with pytest.raises(NotAllowed):
            book.change(by, role="keeper", by=by)
        with pytest.raises(NotAllowed):
            book.revoke("ann", by=by)
        with pytest.raises(NotAllowed):
            book.add(Person.new("carl", password, "keeper"), by=by)
    for name in ("ann", "ANN"):
        with pytest.raises(NotAllowed, match="ask another keeper"):
            book.revoke(name, by="ann")
    book.change("bob", role="keeper", by="ann")
    book.change("ann", role="reader", by="bob")
    with pytest.raises(NotAllowed):  # she was one when she opened the page
        book.change("bob", role="reader", by="ann")


def test_a_running_chat_sees_a_change_of_the_file_and_a_wrong_line_locks_out_its_person_alone(file: Path) -> None:
    book, password = PeopleFile(file, {}), PasswordHash.of("long enough")
    book.add(Person.new("ann", password, "keeper"))
    book.add(Person.new("bob", password, "contributor"))
    known = People.load(str(file), {})
    before = known.mark("ann")
    book.change("ann", secret=PasswordHash.of("another one"))
    assert known.mark("ann") not in (before, None)
    file.write_text(file.read_text().replace("bob:scrypt", "bob:scrpt"))
    assert known.mark("bob") is None
    assert known.mark("ann") is not None
    file.unlink()
    assert known.mark("ann") is not None  # no file says that she was revoked
    file.write_text("# nobody\n")
    assert (known.mark("ann"), bool(known)) == (None, True)
    assert known.rights("ann").sends is False


def test_who_revokes_the_last_token_is_told_that_the_server_stays_closed_and_how_to_open_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def tokens(*words: str) -> str:
        assert run(["tokens", *words, "--data", str(tmp_path)]) == 0
        printed = capsys.readouterr()
        return printed.out + printed.err

    assert "there are no tokens" in tokens()
    number = tokens("--add", "ann").split("_")[1]
    for words in (["--revoke", number], []):
        told = tokens(*words)
        assert "the server stays closed" in told
        assert str(tmp_path / "tokens.json") in told
