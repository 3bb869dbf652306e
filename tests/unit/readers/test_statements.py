"""What a verifier is shown of an option."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeread.readers.statements import (
    Claim,
    Statement,
    encode_statement,
    option_claim,
    premise,
    statements,
    truncate_longest_first,
)
from closeread.readers.windows import Template
from closeread.types import Evidence, Option, Passage, Question, Span

ZH = Passage(passage_id="z", text="海水是咸的。河水是淡的。雨水也淡。", language="zh")
EN = Passage(passage_id="e", text="The ferry left at six. It carried sheep. Nobody sang.")
TEMPLATE = Template(before=(2,), between=(3,), after=(3,), second=1)


class Fixed:
    """Finds the same spans for every option and remembers what it was asked."""

    def __init__(self, *spans):
        self.spans = spans
        self.asked = []

    def retrieve(self, question, passage, option, k=None):
        self.asked.append((question, option))
        return Evidence(spans=self.spans, option_label=option.label if option else "")


def letters(text):
    return [ord(one) for one in text if not one.isspace()]


def make_question(kind="verification", text="下列说法正确的是", **given):
    options = tuple(Option(label=label, text=f"说法{label}") for label in "ABCD")
    return Question(
        question_id="q", passage_id="z", text=text, kind=kind, **{"options": options} | given
    )


def test_evidence_is_in_passage_order_without_blanks_in_chinese():
    found = Evidence(spans=(Span(12, 17), Span(0, 6)))
    assert premise(ZH, found) == "海水是咸的。雨水也淡。"


def test_english_sentences_are_joined_with_a_blank():
    assert premise(EN, Evidence(spans=(Span(0, 22), Span(23, 40)))) == (
        "The ferry left at six. It carried sheep."
    )


def test_missing_evidence_has_the_authors_placeholder_in_chinese():
    assert premise(ZH, Evidence()) == "无"
    assert premise(EN, Evidence()) == ""


def test_every_option_has_its_own_statement():
    retriever = Fixed(Span(0, 6))
    found = statements(make_question(), ZH, retriever)
    assert [one.claim for one in found] == ["说法A", "说法B", "说法C", "说法D"]
    assert [one.evidence.option_label for one in found] == list("ABCD")
    assert retriever.asked == [(make_question(), option) for option in make_question().options]


def test_a_hypothesis_is_compared_with_the_whole_premise():
    retriever = Fixed(Span(0, 6))
    (found,) = statements(make_question("entailment", "河水是咸的。"), ZH, retriever)
    assert found == Statement(Evidence(), ZH.text, "河水是咸的。")
    assert not retriever.asked


def test_premise_and_claim_are_framed_as_a_pair():
    statement = Statement(Evidence(), "abcd", "xyz")
    found = encode_statement(statement, letters, TEMPLATE, 8)
    assert found.ids == [2, *map(ord, "abc"), 3, *map(ord, "xy"), 3]
    assert found.types == [0, 0, 0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("stem", "most", "shown"),
    [
        ("read this and say who", 10, "saywhoAnne"),
        ("read this and say who", 3, "Ann"),
        ("it was ___ who sang here", 8, "twasAnne"),
        ("it was ___ who sang here", 3, "Ann"),
        ("___ who sang here", 10, "Annewhosan"),
    ],
)
def test_an_option_replaces_the_blank_of_its_stem(stem, most, shown):
    option = Option(label="A", text="Anne")
    question = make_question("choice", stem, options=(option,))
    claim = option_claim(question, option, letters)
    assert "".join(map(chr, claim.truncate(most))) == shown
    alone = option_claim(make_question(options=(option,)), option, letters)
    assert "".join(map(chr, alone.truncate(3))) == "Ann"


def test_options_after_an_overlong_stem_stay_distinct():
    question = make_question("choice", "据此，" * 40)
    found = statements(question, ZH, Fixed(Span(0, 6)))
    shown = [encode_statement(one, letters, TEMPLATE, 40).ids for one in found]
    assert len({tuple(one) for one in shown}) == 4
    assert [chr(one[-2]) for one in shown] == list("ABCD")


@given(st.integers(0, 60), st.integers(0, 30), st.integers(0, 30), st.integers(0, 30))
def test_the_shown_part_of_a_claim_contains_its_option(most, before, n_option, behind):
    ids = [*[1] * before, *[2] * n_option, *[3] * behind]
    shown = Claim(ids, before, behind).truncate(most)
    assert len(shown) == min(most, len(ids))
    assert shown.count(2) == min(n_option, most)


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 50))
def test_the_longer_text_is_truncated_first(n_first, n_second, room):
    first, second = truncate_longest_first([1] * n_first, Claim([2] * n_second), room)
    kept = len(first), len(second)
    assert sum(kept) == min(room, n_first + n_second)
    lost = n_first - kept[0], n_second - kept[1]
    if lost[0] and lost[1]:
        assert abs(kept[0] - kept[1]) <= 1
    elif lost[0] or lost[1]:
        cut = lost.index(max(lost))
        assert kept[cut] >= kept[1 - cut] - 1
