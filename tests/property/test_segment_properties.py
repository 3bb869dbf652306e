"""Splitters lose nothing and move nothing, whatever the text."""

from hypothesis import given
from hypothesis import strategies as st

from closeread.text.segment import sentences, tokens, vgaokao
from closeread.types import Span

# Dense in everything that a splitter looks at.
TEXT = st.text(
    st.sampled_from(
        "。！？｡!?….．,，、；;：:“”‘’「」『』\"'()（）《》 \n\r\t\u3000\u2028aAB的一二三5%-—"
    )
    | st.sampled_from("؟۔।»«;،؛กาๆ๑ํखिあカ\u200c")
    | st.characters(codec="utf-8")
)
LANGUAGES = st.sampled_from(["zh", "en", "ja", "el", "th", "ar", "de", "fr", "ru", "hi"])
WORDS = st.lists(
    st.sampled_from(["Dr.", "U.S.", "No.", "5.", "3.14", "The", "he", "e.g.", "I.", '"Go!"', "…"])
)


def _check(text: str, spans: tuple[Span, ...]) -> str:
    position = 0
    left = []
    for span in spans:
        assert position <= span.start < span.end <= len(text)
        left.append(text[position : span.start])
        position = span.end
    return "".join([*left, text[position:]])


@given(TEXT | WORDS.map(" ".join), LANGUAGES)
def test_sentences_hold_every_character(text: str, language: str):
    """Sentences are in order, apart, not blank at either end, and leave out only white space."""
    spans = sentences(text, language)
    assert not _check(text, spans).strip()
    for span in spans:
        piece = span.of(text)
        assert piece == piece.strip() != ""
        assert sentences(piece.replace("\n", ""), language)


@given(TEXT)
def test_the_authors_sentences_leave_out_line_breaks_and_final_space(text: str):
    """VGaokao's splitter drops line breaks, and white space at the very end, and nothing else."""
    spans = vgaokao(text)
    assert not _check(text, spans).strip()
    for span in spans:
        assert "\n" not in span.of(text)


@given(TEXT)
def test_tokens_are_words(text: str):
    """Tokens are in order and apart; no letter or digit of ASCII or Chinese is in none."""
    left = _check(text, tokens(text))
    assert not any("a" <= c.lower() <= "z" or "0" <= c <= "9" or "一" <= c <= "鿿" for c in left)
