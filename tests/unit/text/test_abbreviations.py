"""Sentences of languages with abbreviations, ordinals and quotation marks of their own."""

import pytest

from closeread.text.abbreviations import _BY_LANGUAGE, abbreviations_of
from closeread.text.segment import sentences

# A bar stands where one sentence ends and the next begins.
_CUT = {
    "de": (
        "Er mag Obst, z. B. Äpfel, z.B. Birnen u. a. Früchte.|Sie nicht.",
        "Das heißt, d. h. Peter, kommt.|Gut.",
        "Dr. Müller traf Prof. Dr. med. Meier am 3. Oktober 1990.|Er ging.",
        "Siehe Nr. 5, S. 12 und Bd. 3.|Danach Abb. 4.",
        "Im 19. Jahrhundert lebte er.|Das war 1990.|Dann starb er.",
        "Ludwig XIV. König von Frankreich regierte lange.|Er starb.",
        "Sie begann ca. 500 v. Chr. Geburt.|Das weiß man.",
        "Das kostet usw.|Danach nichts.",
        "Er war 12.|Die Mutter weinte.",
        "Das stieg auf 3,5.|Kinder lachten.",
        "Er sagte: „Ich komme.“|Dann ging er.",
        "»Was?«|Sie lachte.",
        "„Gut!“ sagte er.|„Ja.“|Er ging.",
        "Es ist spät.|Am Ende schlief er.",
        "Herr K. schlief.|Das war Plan B.|Er ging zu J. S. Bach.",
    ),
    "es": (
        "El Sr. García y la Sra. López viven en EE. UU.|Desde 1990 trabajan.",
        "Véase pág. 12 y núm. 3.|Fin.",
        "La Dra. Ruiz nació en el s. XIX d. C. en Roma.|Murió.",
        "Dijo que no.|Pero vino.",
        "Mira al este.|Est. es otra cosa.",
        "Compró pan, etc.|Luego se fue.",
    ),
    "fr": (
        "M. Dupont et Mme. Durand arrivent.|Ils partent.",
        "« Viens ! » dit-il.|« Non. »|Elle partit.",
        "Il vit au nord-est.|Paris est loin.",
        "Voir p. 12 et art. 3 de la loi.|C'est tout.",
        "Il a pris du pain, etc.|Puis il partit.",
    ),
    "ro": ("Dl. Popescu, str. Lungă nr. 5, vine.|Apoi pleacă.",),
    "tr": (
        "Dr. Ahmet 1. Dünya Savaşı'nda öldü.|Bu doğru.",
        "Elma, armut vb. Bunlar iyi.|Sonra gitti.",
    ),
    "vi": ("TP. Hồ Chí Minh rất đông.|TS. Nguyễn Văn A đi ba ca.|Ông về.",),
    "ru": (
        "Он родился в г. Москва, ул. Ленина, д. 5.|Потом уехал.",
        "В 1837 г. Россия росла.|Это было в 1837 г.|Он умер.",
        "А. С. Пушкин, проф. Иванов и т. д.|Он ушёл.",
        "До н. э. Рим был мал.|Он купил рис и др.|Потом ушёл.",
        "— Привет! — сказал он.|— Как дела?",
    ),
    "el": ("Ο κ. Παπαδόπουλος ήρθε, π.χ. Δευτέρα.|Τι κάνεις;|Καλά.",),
    "ar": ("قال د. أحمد: نعم.|ثم ذهب.|كيف حالك؟|أنا بخير.",),
    "hi": ("डॉ. शर्मा और बी. आर. अंबेडकर आए।|वे गए।",),
    "ja": (
        "「来た。」と言った。|「本当？」|彼は笑った。",
        "「行こう！」|「うん。」と二人。",
    ),
    "en": (
        "By Dr. J. Butz, A. A. Milne and J. The.|Nobody but I.|The rest slept.",
        "It began c. 1900, see p. 5 and Op. 3, vol. II of it.|Good.",
        "He waited . . . then left.|Good.",
        "It ended. . . .|Then came more.",
        "1. First item.|2. Second item.",
        "It ended.[1]|Then it began.[2][3]|Ok.",
        "Go! — he said.|— Why?",
    ),
}  # fmt: skip
_CASES = [(language, cut) for language, cuts in _CUT.items() for cut in cuts]


@pytest.mark.parametrize(("language", "cut"), _CASES)
def test_sentences_respect_the_languages_abbreviations(language: str, cut: str):
    pieces = [piece.strip() for piece in cut.split("|")]
    joined = ("" if language == "ja" else " ").join(pieces)
    assert [span.of(joined) for span in sentences(joined, language)] == pieces


@pytest.mark.parametrize("language", sorted(_BY_LANGUAGE))
def test_every_listed_abbreviation_can_match(language: str):
    """What is in small letters is compared with the word in small letters."""
    known = abbreviations_of(language)
    assert not known.always & known.unless_starter
    assert all(word == word.lower() for word in known.always | known.before_number | known.starters)
    assert not known.before_number & known.always


def test_a_language_without_a_list_uses_english():
    assert abbreviations_of("xx") is abbreviations_of("en")
    assert "dr" in abbreviations_of("en").always
