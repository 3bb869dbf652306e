"""Which language a text is in, as far as its letters show: Latin ones are all taken for English."""

import re
from collections.abc import Iterable

from closeread.text.scripts import HAN, KANA, LANGUAGES

_LETTER = re.compile(r"[^\W\d_]")
_HAN, _KANA = re.compile(f"[{HAN}]"), re.compile(f"[{KANA}]")
_SCRIPTS = {language: re.compile(f"[{script}]") for language, script in LANGUAGES.items()}


def detect(text: str) -> str:
    """Return the language that the first 2,000 characters show.

    ``ja`` where at least a third of the letters are kana, else ``zh`` where a fifth are Han
    characters, else the language of the script of half of the letters (``ar``, ``el``, ``hi``,
    ``ru``, ``th``, ...: a script, whichever of its languages the text is in), else ``en``.
    """
    sample = text[:2000]
    if sample.isascii():
        return "en"
    letters = "".join(_LETTER.findall(sample))
    others = len(letters) - len(letters.encode("ascii", "ignore"))
    if not letters or others / len(letters) < 0.2:  # too few for any other language
        return "en"
    if len(_KANA.findall(letters)) * 3 >= len(letters):
        return "ja"
    if len(_HAN.findall(letters)) / len(letters) >= 0.2:
        return "zh"
    for language, script in _SCRIPTS.items():
        if len(script.findall(letters)) / len(letters) >= 0.5:
            return language
    return "en"


def code(tag: str) -> str:
    """Return the ISO 639-1 code that a language tag begins with: ``zh`` of ``zh-Hant-TW``, ``ZH``.

    Args:
        tag: As BCP 47 or a locale writes it (``pt-BR``, ``pt_BR``); "" stays "".
    """
    return tag.strip().lower().replace("_", "-").partition("-")[0]


def of_most(languages: Iterable[str]) -> str:
    """Return ``zh`` where more than half of several texts' languages are Chinese, else ``en``."""
    chinese = [language.startswith("zh") for language in languages]
    return "zh" if sum(chinese) * 2 > len(chinese) else "en"
