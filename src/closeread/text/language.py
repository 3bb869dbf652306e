"""Detect the language of a text by its letters and its most common words."""

import re
import unicodedata
from collections.abc import Iterable

from closeread.text.function_words import ENGLISH
from closeread.text.unicode_scripts import HAN, KANA, LANGUAGES

_LETTER = re.compile(r"[^\W\d_]")
_HAN, _KANA = re.compile(f"[{HAN}]"), re.compile(f"[{KANA}]")
_SCRIPTS = {language: re.compile(f"[{script}]") for language, script in LANGUAGES.items()}
# Function words by language; some belong to several languages.
_COMMON = {
    language: frozenset(words.split())
    for language, words in {
        "de": "der die das und den dem des ein eine von mit für auf ist nicht im zu sich als auch",
        "es": "el la los las de del y que en por una un con para su se es como al lo no fue más",
        "fr": "le la les de des et du en est dans un une pour au aux que par sur il qui ne plus",
        "it": "il la di che della e del nel un una per con le gli dei da sono alla è non in si i",
        "nl": "de het een van en in is op te dat met voor zijn door werd aan niet die als ook",
        "pt": "o a de da do e em que os um uma para com as no na dos não por se foi mais ao",
        "ro": "și de în la a cu din care pentru pe este sau ale unei o un nu că al fost mai",
    }.items()
}
_WORD = re.compile(r"[^\W\d_]+")
_OWN_LETTERS = {"tr": re.compile("[ğı]"), "vi": re.compile(r"[ơưđ\u1ea0-\u1ef9]")}


def detect(text: str) -> str:
    """Return the language of a text, detected in its first 2,000 characters.

    ``ja`` where at least a third of the letters are kana, else ``zh`` where a fifth are Han
    characters, else the language of the script of half of the letters (``ar``, ``el``, ``hi``,
    ``ru``, ``th``, ...: a script, whichever of its languages the text is in). A text in Latin
    letters is ``en`` where all of them are ASCII's or a sixth of the words are English function
    words, ``tr`` or ``vi`` where a sixtieth of the letters are that language's own, else the one of
    ``de``, ``es``, ``fr``, ``it``, ``nl``, ``pt`` and ``ro`` of which it has most function words,
    at least five and a sixth of all. All else is ``en``.
    """
    sample = text[:2000]
    if sample.isascii():
        return "en"
    sample = unicodedata.normalize("NFC", sample)  # decomposed letters count as ASCII
    letters = "".join(_LETTER.findall(sample))
    n_non_ascii = len(letters) - len(letters.encode("ascii", "ignore"))
    if not letters or n_non_ascii / len(letters) < 0.2:  # too few for any other script
        return _detect_latin(sample) if n_non_ascii else "en"
    if len(_KANA.findall(letters)) * 3 >= len(letters):
        return "ja"
    if len(_HAN.findall(letters)) / len(letters) >= 0.2:
        return "zh"
    for language, script in _SCRIPTS.items():
        if len(script.findall(letters)) / len(letters) >= 0.5:
            return language
    return _detect_latin(sample)


def _detect_latin(sample: str) -> str:
    words = _WORD.findall(sample.lower())
    if sum(word in ENGLISH for word in words) * 6 >= len(words):
        return "en"
    letters = "".join(words)
    for language, own_letters in _OWN_LETTERS.items():
        if len(own_letters.findall(letters)) * 60 >= len(letters):
            return language
    counts = {lang: sum(word in common for word in words) for lang, common in _COMMON.items()}
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] >= max(5, len(words) / 6) else "en"


def language_code(tag: str) -> str:
    """Return the ISO 639-1 code that a language tag begins with: ``zh`` of ``zh-Hant-TW``, ``ZH``.

    Args:
        tag: As BCP 47 or a locale writes it (``pt-BR``, ``pt_BR``); "" stays "".
    """
    return tag.strip().lower().replace("_", "-").partition("-")[0]


def most_common_language(languages: Iterable[str]) -> str:
    """Return ``zh`` if more than half of several texts' languages are Chinese, else ``en``."""
    chinese = [language.startswith("zh") for language in languages]
    return "zh" if sum(chinese) * 2 > len(chinese) else "en"
