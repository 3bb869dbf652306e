"""Sentences and words of languages other than English and Chinese, on texts of our own."""

import pytest

from closeread.text.language import detect
from closeread.text.segment import is_character, sentences, tokens
from languages import SAMPLES, SHOWN


def split(text, language):
    return [span.of(text) for span in sentences(text, language)]


def words(text):
    return [span.of(text) for span in tokens(text)]


@pytest.mark.parametrize("language", SAMPLES)
def test_sentences_of_other_scripts(language):
    """As they should be, by the language and by the one that the letters show."""
    sample = SAMPLES[language]
    expected = [one for sentence in sample.sentences for one in _parts(sentence)]
    assert split(sample.text, language) == expected
    assert split(sample.text, detect(sample.text)) == expected


def _parts(sentence):
    """The Hindi sample's third sentence is two."""
    return ["क्या कोई गाया?", "नहीं॥"] if sentence.startswith("क्या") else [sentence]


@pytest.mark.parametrize("language", SAMPLES)
def test_scripts_are_detected_by_letters(language):
    sample = SAMPLES[language]
    assert detect(sample.text) == SHOWN.get(language, language)
    assert detect(sample.question) == SHOWN.get(language, language)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("قال: «هل تأتي؟» ثم نام. عاد", "ar", ["قال: «هل تأتي؟»", "ثم نام.", "عاد"]),
        ("متى؟، لا أدري. نعم", "ar", ["متى؟، لا أدري.", "نعم"]),
        ("Пришёл «Пётр.» Ушёл.", "ru", ["Пришёл «Пётр.»", "Ушёл."]),
        ("Τι; Ναι· όχι. Πότε\u037e Ποτέ.", "el", ["Τι;", "Ναι· όχι.", "Πότε\u037e", "Ποτέ."]),
        ("One; Two. Three", "en", ["One; Two.", "Three"]),
        ("มีเรือ ต่าง ๆ มาถึง ปี 2475 นี้", "th", ["มีเรือ", "ต่าง ๆ มาถึง", "ปี 2475 นี้"]),
        ("มีเรือ มาถึง", "en", ["มีเรือ มาถึง"]),
        ("本当?はい!", "ja", ["本当?", "はい!"]),
        ("हाँ।नहीं", "hi", ["हाँ।", "नहीं"]),
    ],
)
def test_marks_of_other_scripts(text, language, expected):
    """Quotes close with their sentence; a lesser mark goes on; ``;`` asks in Greek alone."""
    assert split(text, language) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("हिन्दी की क़िताबें १९३१ में।", ["हिन्दी", "की", "क़िताबें", "१९३१", "में"]),
        ("கூட்டம் বাংলা తెలుగు", ["கூட்டம்", "বাংলা", "తెలుగు"]),
        ("العبّارةُ، القديمة؟", ["العبّارةُ", "القديمة"]),
        ("می‌برد، هیچ‌کس", ["می‌برد", "هیچ‌کس"]),
        ("שָׁלוֹם", ["שָׁלוֹם"]),
        ("ประเทศไทยมี ๑๒ คน", ["ป", "ระ", "เท", "ศ", "ไท", "ย", "มี", "๑๒", "ค", "น"]),
        ("កម្ពុជា ១៤", ["ក", "ម្ពុ", "ជា", "១៤"]),
        ("ລາວ ພາສາ", ["ລາ", "ວ", "ພາ", "ສາ"]),
        ("မြန်မာ", ["မြ", "န်", "မာ"]),
        ("食べるテレビは", ["食", "べ", "る", "テレビ", "は"]),
        ("Tiếng Việt, İstanbul’da", ["Tiếng", "Việt", "İstanbul’da"]),
        ("한국어 말", ["한국어", "말"]),
    ],
)
def test_tokens_of_other_scripts(text, expected):
    """Vowel signs belong to their letters; where there are no blanks each syllable is one."""
    assert words(text) == expected


def test_is_character_is_false_for_words_and_numbers():
    for one in ("渡", "べ", "ระ", "ម្ពុ"):
        assert is_character(one)
    for one in ("ferry", "テレビ", "१२", "๑๒", "वह", "한국어"):
        assert not is_character(one)


def test_few_letters_of_another_script_do_not_matter():
    """Half of the letters must be of it; of kana a third, of Han characters a fifth."""
    assert detect("The word Σωκράτης is Greek.") == "en"
    assert detect("俄罗斯的 Достоевский") == "zh"
    assert detect("《となりの山》是一部短片，导演是谁？") == "zh"
