"""A file's name as somebody sent it, made fit to be shown. No Chainlit here."""

import re
import unicodedata

LONGEST = 120  # characters
NAMELESS = "report.pdf"


def shown_name(given: str | None) -> str:
    """The last part of the name, without what a screen or a path would take for something else.

    No path is ever made of it; it is what people call the report.
    """
    last = re.split(r"[/\\]", given or "")[-1]
    # Control characters, and those that turn the direction of writing: "fdp.exe" must not look like "exe.pdf".
    visible = "".join(" " if c.isspace() else c for c in last if c.isspace() or unicodedata.category(c)[0] != "C")
    name = " ".join(visible.split()).lstrip(". ")
    stem, dot, suffix = name.rpartition(".")
    if len(name) > LONGEST and dot and len(suffix) <= 5:
        name = f"{stem[: LONGEST - len(suffix) - 2].rstrip()}….{suffix}"
    return name[:LONGEST] or NAMELESS
