r"""Figures that MinerU took for formulas, as printed: "$1 2 . 5 \%$" is 12.5%.

What is a formula indeed stays as it is.
"""

import re

_INLINE = re.compile(r"(?<![\\$])\$(?P<inner>[^$]{1,120})\$")
_LATEX = re.compile(r"\\[a-zA-Z%$&#]|[\^_{}]")
_WORDS = re.compile(r"\\(?:mathrm|text|mathbf|mathit|textbf|textit|rm|bf|operatorname)\s*\{(?P<words>[^{}]*)\}")
_RAISED = re.compile(r"\s*\^\s*(?:\{\s*(?P<group>[^{}]*)\}|(?P<one>\S))")
_ESCAPED = re.compile(r"\\(?P<sign>[%$&#_*{}\[\]()<>~])")
_SIGNS = {"\\times": "×", "\\pm": "±", "\\pounds": "£", "\\euro": "€", "\\yen": "¥", "\\circ": "°", "\\cdot": "·"}
_GAP_IN_FIGURE = re.compile(r"(?<=[\d.,(£€¥$])\s+(?=[\d.,%)])")
_STILL_LATEX = re.compile(r"\\[a-zA-Z]|[\^_{}]")


def without_formulas(text: str) -> str:
    """The text with inline formulas that are plain figures or words written as these."""
    if "$" in text:
        text = _INLINE.sub(lambda match: _plain(match), text)
    return _ESCAPED.sub(lambda match: match["sign"], text) if "\\" in text else text


def _plain(match: re.Match[str]) -> str:
    inner = match["inner"]
    if not _LATEX.search(inner):
        return match[0]  # two amounts in dollars, with words between
    bare = _WORDS.sub(lambda m: _tight(m["words"]), inner.replace("{,}", ",").replace("~", " "))
    for command, sign in _SIGNS.items():
        bare = re.sub(rf"{re.escape(command)}(?![a-zA-Z])", sign, bare)
    bare = _RAISED.sub(lambda m: (m["group"] or m["one"] or "").strip(), bare)
    bare = _ESCAPED.sub(lambda m: m["sign"] if m["sign"] not in "{}" else "", bare)
    if _STILL_LATEX.search(bare):
        return match[0]
    return _GAP_IN_FIGURE.sub("", " ".join(bare.split()))


def _tight(words: str) -> str:
    """Letters set apart, as in "m i l l i o n", closed up."""
    return words.replace(" ", "") if re.fullmatch(r"\s*(?:\S\s+)+\S\s*", words) else words
