"""Which language a text is in, as far as closeread must know: Chinese or not."""

import re
from collections.abc import Iterable

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_LETTER = re.compile(r"[^\W\d_]")


def detect(text: str) -> str:
    """Return ``zh`` where at least a fifth of the first letters are Han characters, else ``en``."""
    sample = text[:2000]
    if sample.isascii():
        return "en"
    letters = len(_LETTER.findall(sample))
    return "zh" if letters and len(_HAN.findall(sample)) / letters >= 0.2 else "en"


def of_most(languages: Iterable[str]) -> str:
    """Return ``zh`` where more than half of several texts' languages are Chinese, else ``en``."""
    chinese = [language.startswith("zh") for language in languages]
    return "zh" if sum(chinese) * 2 > len(chinese) else "en"
