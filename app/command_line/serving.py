"""The commands for programs: the API, MCP, their tokens, and the settings in effect."""

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.command_line import show
from app.command_line.commands import PROFILE, AsJson, Data, Overrides, Profile, typer_app
from storage.errors import UsageError

if TYPE_CHECKING:
    from app.chat.session.people import Person
    from app.serving.tokens import Tokens


@typer_app.command()
def serve(
    host: Annotated[str, typer.Option(help="An address of this machine.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0 takes a free one.")] = 8000,
    profile: Profile = PROFILE,
    overrides: Overrides = None,
    data: Data = None,
) -> None:
    """Serve the REST API (/v1, documentation at /docs) and MCP over HTTP (/mcp)."""
    from app.serving.launcher import serve as start  # late: FastAPI, MCP

    start(profile, overrides or (), data, host, port)


@typer_app.command()
def mcp(profile: Profile = PROFILE, overrides: Overrides = None, data: Data = None) -> None:
    """Serve MCP over stdin and stdout, for an assistant on this machine."""
    from app.serving.launcher import serve_mcp  # late: MCP

    serve_mcp(profile, overrides or (), data)


@typer_app.command()
def tokens(
    add: Annotated[
        str | None, typer.Option(metavar="NAME", help="Make one for this person; it is shown once.")
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="With --add: it changes no report.")] = False,
    revoke: Annotated[str | None, typer.Option(metavar="ID", help="Make this one worthless.")] = None,
    profile: Profile = PROFILE,
    overrides: Overrides = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """List the tokens with which programs use the API and MCP over HTTP; --add makes one, --revoke ends one."""
    from app.serving.launcher import tokens_of  # late: FastAPI
    from app.settings import load_settings

    found = tokens_of(load_settings(profile, overrides or (), data=data), data)
    if add is not None:
        made = found.add(add, writes=not read_only)
        if as_json:
            show.as_json({"token": made, "person": add, "writes": not read_only})
            return
        sys.stdout.write(f"{made}\n")
        sys.stderr.write("keep it like a password: it is shown this once\n")
        return
    if revoke is not None:
        gone = found.revoke(revoke)
        sys.stderr.write(f"revoked: {gone.id} of {gone.person}\n")
        if not found.all():
            sys.stderr.write(f"{_none_left(found)}\n")
        return
    listed = found.all()
    if as_json:
        show.as_json([token.model_dump(mode="json", exclude={"digest"}) for token in listed])
        return
    for token in listed:
        rights = "reads and writes" if found.writes(token) else "reads"
        sys.stdout.write(f"{token.id}  {token.made:%Y-%m-%d %H:%M}  {rights:16}  {show.visible(token.person)}\n")
    if not listed:
        none_yet = "there are no tokens; `pageproof tokens --add NAME` makes one"
        sys.stderr.write(f"{_none_left(found) if found.is_closed() else none_yet}\n")


def _none_left(tokens: "Tokens") -> str:
    return (
        "no token is left, and the server stays closed: `pageproof tokens --add NAME` makes one; "
        f"to open it to everybody on this machine, remove {tokens.path}"
    )


@typer_app.command()
def people(
    name: Annotated[str | None, typer.Argument(help="With --role: whose role to change.")] = None,
    add: Annotated[str | None, typer.Option(metavar="NAME", help="Add a person; reads their password.")] = None,
    role: Annotated[str | None, typer.Option(help="reader, contributor or keeper; with --add or NAME.")] = None,
    password: Annotated[
        str | None, typer.Option(metavar="NAME", help="Give a person another password, which is read.")
    ] = None,
    revoke: Annotated[str | None, typer.Option(metavar="NAME", help="Let a person sign in no more.")] = None,
    profile: Profile = PROFILE,
    overrides: Overrides = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """List the people who may sign in to the chat; add and revoke them, change roles and passwords."""
    from app.chat.session.people import Person, new_password
    from app.chat.session.people_file import PeopleFile
    from app.settings import load_settings

    if sum(each is not None for each in (name, add, password, revoke)) > 1 or (role and not (add or name)):
        raise UsageError(
            "people takes one of --add NAME [--role ROLE], NAME --role ROLE, --password NAME, --revoke NAME"
        )
    if name is not None and role is None:
        raise UsageError(f"what of {name!r}? `pageproof people NAME --role ROLE` changes a role")
    chosen = load_settings(profile, overrides or (), data=data).chat.people
    if chosen is None:
        raise UsageError(
            "chat.people names no file: give one with --set chat.people=people.txt, or in pageproof.toml"
        )
    file = PeopleFile(Path(chosen), os.environ)
    if add is not None:
        person = Person.new(add, new_password(_typed_password()), role or "contributor")
        file.add(person)
        sys.stderr.write(f"added: {person.name}, {person.role}\n")
    elif password is not None:
        changed = file.change(password, secret=new_password(_typed_password()))
        sys.stderr.write(f"another password: {changed.name}\n")
    elif name is not None:
        changed = file.change(name, role=role)
        sys.stderr.write(f"{changed.role}: {changed.name}\n")
    elif revoke is not None:
        gone = file.revoke(revoke)
        sys.stderr.write(f"revoked: {gone.name}\n")
    else:
        _show_people(file.all(), as_json)


def _show_people(known: "Sequence[Person]", as_json: bool) -> None:
    now = time.time()
    if as_json:
        show.as_json([{"name": p.name, "role": p.role, "state": p.state(now)} for p in known])
        return
    words = {"active": "", "invited": "invited, has no password yet", "expired": "the invitation has ended"}
    for person in known:
        sys.stdout.write(
            f"{person.role:12} {show.visible(person.name)}  {words[person.state(now)]}".rstrip() + "\n"
        )
    if not known:
        sys.stderr.write("there is nobody; `pageproof people --add NAME` adds a person\n")


def _typed_password() -> str:
    """As typed on the terminal, unseen; of a pipe, its one line."""
    if sys.stdin.isatty():
        return str(typer.prompt("Password", hide_input=True, confirmation_prompt="Again", err=True))
    lines = sys.stdin.read().splitlines()
    if len(lines) != 1:
        raise UsageError(f"the password is read from the input, as one line; got {len(lines)} lines")
    return lines[0]


@typer_app.command()
def settings(
    init: Annotated[
        bool, typer.Option("--init", help="Write ./pageproof.toml with every setting, as comments to change.")
    ] = False,
    profile: Profile = PROFILE,
    overrides: Overrides = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Print the settings in effect and where each comes from; --init writes a file of them."""
    from app.settings import FILE, settings_file, settings_in_effect

    if init:
        path = Path(FILE)
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(settings_file())
        except FileExistsError as error:
            raise UsageError(f"{path.absolute()} is there already; remove it or write it elsewhere") from error
        sys.stderr.write(f"wrote {path.absolute()}\n")
        return
    found = settings_in_effect(profile, overrides or (), data=data)
    if as_json:
        show.as_json([setting.model_dump() for setting in found])
        return
    for setting in found:
        sys.stdout.write(show.visible(f"{setting.key:36} {setting.value:44} {setting.source}".rstrip()) + "\n")
