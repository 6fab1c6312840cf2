"""The commands for programs: the API, MCP, their tokens, and the settings in effect."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from app.command_line import show
from app.command_line.commands import PROFILE, AsJson, Data, Overrides, Profile, typer_app
from storage.errors import UsageError


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
        return
    listed = found.all()
    if as_json:
        show.as_json([token.model_dump(mode="json", exclude={"digest"}) for token in listed])
        return
    for token in listed:
        rights = "reads and writes" if token.writes else "reads"
        sys.stdout.write(f"{token.id}  {token.made:%Y-%m-%d %H:%M}  {rights:16}  {show.visible(token.person)}\n")
    if not listed:
        sys.stderr.write("there are no tokens; `pageproof tokens --add NAME` makes one\n")


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
