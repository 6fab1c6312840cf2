"""The language that a report is written in, as far as reading it depends on it."""

import re
from collections import Counter
from typing import Literal

Language = Literal[
    "english", "german", "french", "spanish", "italian", "dutch", "portuguese", "japanese", "chinese"
]
COMMA_LANGUAGES = frozenset(
    {"german", "french", "spanish", "italian", "dutch", "portuguese"}
)  # "1.234,5", "1 234,5"
# Small words that the other languages of the list do not have, or seldom.
_SMALL_WORDS: dict[Language, str] = {
    "english": "the of and to for with from this that our which were has been",
    "german": "der und das den des dem von mit für auf nicht wurde sich eine einer werden zum",
    "french": "le les et des du une dans pour sur est par aux au sont cette",
    "spanish": "el los las y del para por una con se su como ha",
    "italian": "il di della che del per gli nel è dei delle alla sono",
    "dutch": "het een van de en voor met zijn wordt aan door niet",
    "portuguese": "o os da do das dos em uma não para com foi são",
}
_LANGUAGES_OF: dict[str, list[Language]] = {}
for _language, _words in _SMALL_WORDS.items():
    for _word in _words.split():
        _LANGUAGES_OF.setdefault(_word, []).append(_language)
_WORD = re.compile(r"[^\W\d_]+")
_KANA = re.compile(r"[\u3040-\u30ff]")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_HAN_SHARE = 0.2  # of the letters
_FEWEST = 5  # small words; fewer do not tell


def language_of(text: str) -> Language | None:
    """The language of most small words of a text, or of its script; None where there is too little to tell."""
    letters = sum(map(len, _WORD.findall(text)))
    kana, han = len(_KANA.findall(text)), len(_HAN.findall(text))
    if letters and (kana + han) / letters > _HAN_SHARE:
        return "japanese" if kana > han / 20 else "chinese"
    votes: Counter[Language] = Counter()
    for word in _WORD.findall(text.lower()):
        for language in _LANGUAGES_OF.get(word, ()):
            votes[language] += 1
    language, count = max(votes.items(), key=lambda item: item[1], default=("english", 0))
    return language if count >= _FEWEST else None
