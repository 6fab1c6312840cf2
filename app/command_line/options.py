"""What every command takes."""

from pathlib import Path
from typing import Annotated

import typer

from app.settings import DEFAULT_PROFILE

Profile = Annotated[str, typer.Option("--profile", help="A named set of settings; see `pageproof profiles`.")]
Overrides = Annotated[
    list[str] | None, typer.Option("--set", metavar="SECTION.KEY=VALUE", help="One setting; may be given often.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a program.")]
Data = Annotated[
    Path | None, typer.Option("--data", help="The library's folder; else PAGEPROOF_DATA, else ./data.")
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Ask anew, and keep no answer; or answers.cache=false.")]
PROFILE = DEFAULT_PROFILE
