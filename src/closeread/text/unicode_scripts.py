"""Unicode scripts, as the contents of character classes in regular expressions."""

HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
HIRAGANA = r"\u3041-\u3096\u309d\u309e"
KANA = r"\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f"

# Combining accents and vowel signs, which belong to the word of their letter: Latin, Cyrillic,
# Hebrew, Arabic, and the blocks from Devanagari to Sinhala without dandas and digits.
SIGNS = (
    r"\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    r"\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
    r"\u0900-\u0963\u0971-\u0dff"
)

# Thai, Lao, Burmese and Khmer write no blanks between words.
UNSPACED = r"\u0e00-\u0e3e\u0e40-\u0eff\u1000-\u109f\u1780-\u17ff"
_LETTER = r"\u0e01-\u0e2e\u0e81-\u0eae\u1000-\u102a\u103f\u1050-\u1055\u1780-\u17b3"
_SIGN = (
    r"\u0e30-\u0e3a\u0e45-\u0e4e\u0eb0-\u0ebd\u0ec6-\u0ece\u102b-\u1038\u103a-\u103e\u1056-\u1059"
    r"\u17b4-\u17d1\u17d3\u17dd"
)
# A letter with its signs: the smallest unit of these scripts.
SYLLABLE = rf"[\u0e40-\u0e44\u0ec0-\u0ec4]?[{_LETTER}](?:[{_SIGN}]|[\u1039\u17d2][{_LETTER}])*"

# Scripts by the language that uses them most.
LANGUAGES = {
    "ar": r"\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufefc",
    "bn": r"\u0980-\u09ff",
    "el": r"\u0370-\u03ff\u1f00-\u1fff",
    "he": r"\u0590-\u05ff",
    "hi": r"\u0900-\u097f",
    "km": r"\u1780-\u17ff",
    "ko": r"\u1100-\u11ff\u3130-\u318f\uac00-\ud7af",
    "lo": r"\u0e80-\u0eff",
    "my": r"\u1000-\u109f",
    "ru": r"\u0400-\u052f",
    "ta": r"\u0b80-\u0bff",
    "te": r"\u0c00-\u0c7f",
    "th": r"\u0e00-\u0e7f",
}
