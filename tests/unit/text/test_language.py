"""Which language a text is in, by its letters."""

import pytest

from closeread.text.language import detect, language_code


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("", "en"),
        ("A ferry.", "en"),
        ("Café", "en"),
        ("１，２。", "en"),  # no letter at all
        ("abcd盐", "zh"),  # one of five
        ("abcde盐", "en"),
        ("盐____12345678", "zh"),  # only one letter
        ("㐀䶿鿿豈", "zh"),
        ("㐁", "zh"),
        ("\uf901", "zh"),
        ("ひらがな", "ja"),
        ("é" * 1600 + "盐" * 400 + "é" * 9000, "zh"),  # the first 2,000 characters count
        ("é" * 1601 + "盐" * 9000, "en"),
    ],
)
def test_a_fifth_of_the_first_letters_makes_a_text_chinese(text: str, language: str):
    assert detect(text) == language


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Die Ostsee ist ein Meer im Norden und mit der Nordsee durch Straßen verbunden."),
        ("es", "El río es el más largo de la región, y el agua del lago viene de una montaña."),
        ("fr", "La Seine est un fleuve, et elle coule dans le Bassin de Paris dès sa source."),
        ("it", "La capitale è la città più grande del paese, e il mare non è di là dal monte."),
        ("nl", "De stad ligt aan de monding van het IJ, en het café is niet één keer open."),
        ("pt", "O Brasil é o maior país da América do Sul e o quinto do mundo em área."),
        ("ro", "România este o țară din Europa, în nordul Dunării, și la est este marea."),
        ("tr", "Ülkenin nüfus bakımından en kalabalık kenti açık denizin kıyısındadır."),
        ("vi", "Hà Nội là thủ đô của nước Việt Nam."),
        ("en", "The café of Señor Peña on La Calle de la Paz is in the old town of El Faro."),
        ("en", "El café de Peña"),  # too few words
        ("en", "Skåne är ett landskap i Sverige och ligger längst i söder."),  # not known
        ("en", "Die Nordsee ist ein Meer und der Rhein ist ein Fluss."),  # ASCII alone
        ("de", "Die Ha\u0308user fu\u0308r das Volk und der Hof sind nicht in der Stadt."),
    ],
)
def test_latin_languages_differ_by_function_words(language: str, text: str):
    assert detect(text) == language


@pytest.mark.parametrize(
    ("tag", "language"),
    [("zh", "zh"), ("zh-Hant-TW", "zh"), ("pt_BR", "pt"), (" EN-us ", "en"), ("", "")],
)
def test_the_code_is_the_beginning_of_a_tag(tag: str, language: str):
    assert language_code(tag) == language
