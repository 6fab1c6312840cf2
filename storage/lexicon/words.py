"""Small words of the lexicon, and a pattern that finds any of many words, as fast for two hundred as for two."""

import re
from collections.abc import Iterable

_Node = dict[str, "_Node"]
_END = ""


def any_of(words: Iterable[str]) -> str:
    """The source of a pattern that matches one of the words, the longest that stands there; no group of its own."""
    tree: _Node = {}
    for word in words:
        node = tree
        for letter in word:
            node = node.setdefault(letter, {})
        node[_END] = {}
    return _source(tree)


def _source(node: _Node) -> str:
    branches = [re.escape(letter) + _source(below) for letter, below in sorted(node.items()) if letter != _END]
    if not branches:
        return ""
    one = branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"
    return f"(?:{one})?" if _END in node else one


_COUNTED = """
acres acquisitions aircraft associates barrels beds branches cars centers centres clients companies countries customers
days dollars employees euros feet ftes gallons hectares homes hospitals hotels hours houses jobs kg kilometers
kilometres km kwh locations megawatts members meters metres miles minutes months mw offices options ounces outlets
patents patients people persons pounds products properties restaurants rooms schools seats shareholders shares shops
sites square staff stations stockholders stores subscribers tonnes tons units users vehicles vessels warrants weeks
wells workers yards
"""
COUNTED = tuple(_COUNTED.split())
"""What numbers count: "2000 stores" names no year."""
