"""Answers are found by the shared task's rule, with their full raw text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeread.formats.conversion.occurrences import TokenizedText, fold
from closeread.text.normalize import mrqa


def tokenize(text: str) -> list[tuple[str, int]]:
    return [(m[0], m.start()) for m in re.finditer(r"\w+|[^\w\s]", text)]


def found(text: str, answer: str) -> list[str]:
    tokenized = TokenizedText(text, tokenize(text))
    return [span.of(text) for span in tokenized.find(answer)]


def test_every_occurrence_is_found():
    """The example of the shared task's own description."""
    text = "The answer is 42. 42 is the answer."
    spans = TokenizedText(text, tokenize(text)).find("42")
    assert [(span.start, span.end) for span in spans] == [(14, 16), (18, 20)]


@pytest.mark.parametrize(
    ("text", "answer", "expected"),
    [
        ("He lives in New York.", "new york", ["New York"]),
        ("The Denver Broncos won. Denver  Broncos!", "the Denver Broncos", None),
        ("He got his chest waxed, he said.", "his chest waxed,", ["his chest waxed,"]),
        ("He got his chest waxed - he said.", "his chest waxed,", ["his chest waxed"]),
        ("in the park", "in park", ["in the park"]),
        ("a state-of-the-art car", "stateoftheart", ["state-of-the-art"]),
        ("aspirin and spirin", "spirin", ["spirin"]),
        ("It is (very) good.", "(very)", ["(very)"]),
        ("Is it a?", "a?", ["a?"]),
        ("Nothing here.", "absent", []),
        ("Nothing here.", "", []),
        ("İstanbul is a city", "city", ["city"]),
        ("42 42 42", "42 42", ["42 42"]),
    ],
)
def test_answers_match_after_normalisation(text, answer, expected):
    """Case, articles, punctuation and blanks do not matter; the raw text of the passage is kept."""
    if expected is None:
        expected = ["The Denver Broncos", "Denver  Broncos"]
    assert found(text, answer) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("U.S.", ["U.S.", "U.S."]),
        ("the US", ["the U.S.", "The U.S."]),
        ("5 pm", ["5 p.m."]),
        ("90s", ["'90s"]),
        ("S", []),
    ],
)
def test_punctuation_in_the_same_token_belongs_to_the_answer(answer, expected):
    """spaCy leaves ``U.S.`` and ``p.m.`` whole: their last mark is not cut off."""
    text = "In the U.S. it was 5 p.m. then; The U.S. of the '90s grew"
    tokens = [(found[0], found.start()) for found in re.finditer(r"[\w'.]+", text)]
    assert [span.of(text) for span in TokenizedText(text, tokens).find(answer)] == expected


@pytest.mark.parametrize("text", ["ΟΔΟΣ ΕΡΜΟΥ", "Η ΟΔΟΣ", "İstanbul ΟΔΟΣ"])
def test_letters_with_context_dependent_lower_case(text):
    """The last sigma of a word is a letter of its own, and a dotted I becomes two."""
    answer = text.split()[-1] if text.startswith("Η") else text.split()[0]
    tokens = [(found[0], found.start()) for found in re.finditer(r"\S+", text)]
    found = TokenizedText(text, tokens).find(answer)
    assert [span.of(text) for span in found] == [answer]


def test_a_match_inside_a_token_does_not_count():
    """`6,000` is not an answer inside the single token `6,000-troop`."""
    text = "The 6,000-troop force and 6,000 more"
    tokens = [(m[0], m.start()) for m in re.finditer(r"\S+", text)]
    spans = TokenizedText(text, tokens).find("6,000")
    assert [span.start for span in spans] == [26]


def test_a_span_has_its_tokens():
    """A span that cuts a token has none."""
    tokenized = TokenizedText("one two three", tokenize("one two three"))
    (span,) = tokenized.find("two three")
    tokens = tokenized.token_span(span)
    assert (tokens.start, tokens.end) == (1, 3)
    assert tokenized.token_span(type(span)(5, 7)) is None


words = st.sampled_from(
    ["the", "A", "cat", "Cat", "sat", "an", "mat", "mat's", "x-y", "ß", "É", "猫"]
)
texts = st.lists(st.tuples(words, st.sampled_from([" ", "  ", ", ", ". ", "\n", "-"])), max_size=14)


@given(texts)
def test_folding_equals_the_official_normalisation(pieces):
    """The folded text equals the scorer's normal form, and every character knows its origin."""
    text = "".join(word + gap for word, gap in pieces)
    folded, offsets = fold(text)
    assert folded == mrqa(text)
    assert len(offsets) == len(folded)
    assert all(0 <= offset < len(text) for offset in offsets)


@given(texts, st.lists(words, min_size=1, max_size=3))
def test_found_spans_score_as_exact(pieces, answer):
    """Whatever is marked equals the answer for the scorer, in whole tokens, without overlap."""
    text = "".join(word + gap for word, gap in pieces)
    wanted = " ".join(answer)
    tokenized = TokenizedText(text, tokenize(text))
    end = 0
    for span in tokenized.find(wanted):
        assert mrqa(span.of(text)) == mrqa(wanted)
        assert tokenized.token_span(span) is not None
        assert span.start >= end
        end = span.end


@given(texts, st.data())
def test_whole_tokens_of_the_text_are_found(pieces, data):
    """Any run of tokens with a word in it is found again somewhere."""
    text = "".join(word + gap for word, gap in pieces)
    tokens = tokenize(text)
    if not tokens:
        return
    first = data.draw(st.integers(0, len(tokens) - 1))
    last = data.draw(st.integers(first, len(tokens) - 1))
    raw = text[tokens[first][1] : tokens[last][1] + len(tokens[last][0])]
    if "-" not in text and "'" not in text and mrqa(raw):
        assert TokenizedText(text, tokens).find(raw)
