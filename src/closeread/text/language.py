"""Which language a text is in, as far as closeread must know: Chinese or not."""

import re

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_LETTER = re.compile(r"[^\W\d_]")


def detect(text: str) -> str:
    """Return ``zh`` where at least a fifth of the first letters are Han characters, else ``en``."""
    sample = text[:2000]
    if sample.isascii():
        return "en"
    letters = len(_LETTER.findall(sample))
    return "zh" if letters and len(_HAN.findall(sample)) / letters >= 0.2 else "en"
