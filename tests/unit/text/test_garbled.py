"""What a text was before it was garbled: known where that is expected, never guessed."""

import json
import unicodedata

import pytest

from closeread.text import garbled
from closeread.text.garbled import iter_originals, undo_garbling

PASSAGE = "Im Café in Köln sagte José: „don’t“. 他住在北京市。AT&T."


def as_latin_1(text):
    return text.encode().decode("latin-1")


def as_windows_1252(text):
    return text.encode().decode("cp1252")


@pytest.mark.parametrize(
    ("how", "text", "was"),
    [
        (garbled.LATIN, as_latin_1("Köln"), "Köln"),
        (garbled.LATIN, as_windows_1252("don’t"), "don’t"),
        (garbled.LATIN, as_windows_1252(as_windows_1252("Köln")), "Köln"),  # over and over
        (garbled.LATIN, as_latin_1("北京市"), "北京市"),
        (garbled.LATIN, f"José, {as_latin_1('Köln')}", "José, Köln"),  # in a part of the text alone
        (garbled.GBK, "北京".encode().decode("gb18030"), "北京"),
        (garbled.GBK, "北京市".encode().decode("gb18030", "replace"), "北京市"),  # half of it lost
        (garbled.GBK, "José".encode().decode("gb18030"), "José"),
        (garbled.OF_GBK, "北京".encode("gbk").decode("latin-1"), "北京"),
        (garbled.ENTITIES, "AT&amp;T", "AT&T"),
        (garbled.ENTITIES, "K&#246;ln", "Köln"),
        (garbled.ESCAPES, json.dumps("Köln").strip('"'), "Köln"),
        (garbled.DECOMPOSED, unicodedata.normalize("NFD", "Köln"), "Köln"),
        (garbled.LOST_LETTERS, "K?ln", "Köln"),
        (garbled.LOST_LETTERS, "Jos\ufffd", "José"),
        (garbled.LOST_LETTERS, "Jos\ufffd\ufffd", "José"),
    ],
)
def test_the_original_of_a_garbled_text_is_found(how, text, was):
    found = undo_garbling(text, (), PASSAGE)
    if was in PASSAGE:
        assert found == (how, was)
    found = undo_garbling(text, [was], PASSAGE)
    assert found == (how, was)


@pytest.mark.parametrize(
    "text",
    [
        "CAFÉ»", "L'ÉTÉ”", "AMANHÃ”", "«VOILÀ»", "São Paulo", "Ação", "Việt Nam", "Đà Nẵng",
        "Ångström’s", "ŁÓDŹ”", "Ελλάδα", "Привет", "联通", "中国移动", "隆重", "150头", "日本語",
        "한국어", "R&D", "Q&A;", "what?", "是吗？", "C:\\users", "\\u12", "\ufffd", "?", "\ud800",
        "e\u0301", "",
    ],
)  # fmt: skip
def test_texts_that_only_look_garbled_are_kept(text):
    """Whatever undoing makes of it, a text that is accepted or in its passage is what it was."""
    assert undo_garbling(text, [text], text) is None
    assert undo_garbling(text, ["Köln"], "nothing of it") is None
    assert undo_garbling(text, (), text) is None


def test_a_plain_text_is_skipped():
    for text in ("Cologne", "12,300 goats", "don't", "北京市"):
        assert not list(iter_originals(text, PASSAGE))


def test_an_expected_text_is_kept():
    """An example of HTML is one, and stands in its passage."""
    assert undo_garbling("&amp;", ["&amp;"], "Write &amp; for &.") is None
    assert undo_garbling("&amp;", (), "Write &amp; for &.") is None
    assert undo_garbling("&lt;", ["<"], "Write < so.") == (garbled.ENTITIES, "<")


def test_short_expected_answers_prove_nothing():
    assert undo_garbling(as_latin_1("Köln liegt am Rhein"), ["Köln"], "") == (
        garbled.LATIN,
        "Köln liegt am Rhein",
    )
    assert undo_garbling(as_latin_1("Ö, Ä und so"), ["Ö"], "") is None


def test_many_holes_are_not_enumerated():
    """Each of them trebles the ways: with forty of these nobody would see the end."""
    assert not list(iter_originals("哈?" * 40 + "哈x", "哈" * 200))
    whole = "élan, général, mère, père, déjà vu, été"
    lost = "".join(one if one.isascii() else "\ufffd" for one in whole)
    assert next(iter_originals(lost, f"Il dit : {whole}.")) == (garbled.LOST_LETTERS, whole)
