"""The Chinese exam keeps its promises."""

import re
from collections import Counter, defaultdict
from itertools import pairwise
from statistics import correlation, mean

import pytest

import closeread
from closeread.errors import UnknownNameError
from closeread.exam import EXAMS, locate
from closeread.text.polarity import is_verification, polarity, vgaokao_polarity
from closeread.types import Question

STRATEGIES = ("keyword", "logic", "spacetime", "causality")
ROLES = ("original", "positive", "negative")
OPPOSITE = {"supported": "contradicted", "contradicted": "supported"}
# A sentence of a passage: what stands between two ends of sentence or line.
SENTENCE = re.compile(r"[^。！？\n]+[。！？]")


@pytest.fixture(scope="module")
def items():
    return list(closeread.load(locate("exam/zh")))


@pytest.fixture(scope="module")
def questions(items):
    return [question for _, asked in items for question in asked]


@pytest.fixture(scope="module")
def triples(questions):
    found = defaultdict(dict)
    for question in questions:
        assert question.role not in found[question.group_id], question.question_id
        found[question.group_id][question.role] = question
    return found


def _of(questions: list[Question], role: str | None) -> list[Question]:
    return [question for question in questions if role in (None, question.role)]


def _right(question: Question) -> int:
    return [option.label for option in question.options].index(question.answers[0].label)


def test_exams_are_found_by_name():
    """Every exam lies on disk, and another name is refused with the names there are."""
    for name in EXAMS:
        assert locate(name).is_file()
    with pytest.raises(UnknownNameError, match="exam/zh or exam/zh-practice or exam/en"):
        locate("exam/fr")


def test_the_file_is_plain_utf8_without_defects():
    """Characters stand as themselves, and a second reading finds nothing wrong."""
    raw = locate("exam/zh").read_text("utf-8")
    assert "\\u" not in raw
    assert not closeread.load(locate("exam/zh")).check().counts


def test_size(items, questions):
    """At least ten passages of 600 to 1,200 characters and twenty original questions."""
    assert len(items) >= 10
    assert len(_of(questions, "original")) >= 20
    for passage, asked in items:
        assert 600 <= len(re.sub(r"\s", "", passage.text)) <= 1200, passage.passage_id
        assert passage.text.count("\n") >= 3
        assert passage.title
        assert passage.language == "zh"
        assert len(_of(list(asked), "original")) >= 2


def test_ids_are_stable_and_unique(items, questions):
    """Ids say passage, question and variant."""
    ids = [question.question_id for question in questions]
    assert len(set(ids)) == len(ids)
    suffix = {"original": "", "positive": "-pos", "negative": "-neg"}
    for number, (passage, asked) in enumerate(items, start=1):
        assert passage.passage_id == f"zh-{number:02d}"
        for question in asked:
            assert question.passage_id == passage.passage_id
            assert re.fullmatch(rf"{passage.passage_id}-q\d", question.group_id)
            assert question.question_id == question.group_id + suffix[question.role]


def test_exactly_one_option_answers(questions):
    """A supported stem has one true option, a contradicted one has one false, and it is gold."""
    for question in questions:
        assert question.kind == "verification"
        assert [option.label for option in question.options] == list("ABCD")
        wanted = question.asks_for == "supported"
        assert question.option_truth.count(wanted) == 1, question.question_id
        right = question.option_truth.index(wanted)
        (answer,) = question.answers
        assert (answer.kind, answer.label) == ("choice", "ABCD"[right])
        assert answer.texts == (question.options[right].text,)


def test_stems_ask_what_they_are_said_to_ask(questions):
    """Each stem reads as a verification stem of its polarity, by both readings of a stem."""
    for question in questions:
        assert is_verification(question.text), question.text
        assert polarity(question.text) == vgaokao_polarity(question.text) == question.asks_for
    assert len({question.text for question in _of(questions, "original")}) >= 12


def test_evidence_is_whole_sentences_in_order(items):
    """Every option has one to three whole sentences, each once, in the order of the text."""
    for passage, asked in items:
        whole = {match.span() for match in SENTENCE.finditer(passage.text)}
        for question in asked:
            labels = [evidence.option_label for evidence in question.gold_evidence]
            assert labels == list("ABCD"), question.question_id
            for evidence in question.gold_evidence:
                assert 1 <= len(evidence.spans) <= 3
                assert all((span.start, span.end) in whole for span in evidence.spans)
                assert all(a.end <= b.start for a, b in pairwise(evidence.spans))


def test_many_options_need_several_sentences(questions):
    """About two options in five need more than one sentence."""
    several = [len(e.spans) > 1 for question in questions for e in question.gold_evidence]
    assert 0.35 <= mean(several) <= 0.55


def test_every_question_is_a_whole_triple(triples):
    """Original, positive and negative: same stem, then the stem reversed."""
    for group, triple in triples.items():
        assert set(triple) == set(ROLES), group
        original, positive, negative = (triple[role] for role in ROLES)
        assert positive.text == original.text
        assert positive.asks_for == original.asks_for
        assert negative.asks_for == OPPOSITE[original.asks_for]


def test_adversarial_options_keep_or_turn_the_truth_of_their_originals(triples):
    """Each names its original, its strategy and its truth, and is really edited."""
    for triple in triples.values():
        original = triple["original"]
        assert all(not option.tags for option in original.options)
        truth = {o.label: t for o, t in zip(original.options, original.option_truth, strict=True)}
        text = {option.label: option.text for option in original.options}
        for role, word in (("positive", "same"), ("negative", "opposite")):
            question = triple[role]
            assert sorted(option.tags["origin"] for option in question.options) == list("ABCD")
            for option, true in zip(question.options, question.option_truth, strict=True):
                assert set(option.tags) == {"truth", "strategy", "origin"}
                assert option.tags["truth"] == word
                assert option.tags["strategy"] in STRATEGIES
                assert (true == truth[option.tags["origin"]]) == (word == "same")
                assert option.text != text[option.tags["origin"]]


def test_every_option_is_said_once(questions):
    """No option is repeated, has an odd length or trails off."""
    texts = [option.text for question in questions for option in question.options]
    assert len(set(texts)) == len(texts)
    assert all(25 <= len(text) <= 70 and text.endswith("。") for text in texts)


def test_strategies_are_all_well_represented(questions):
    """None makes fewer than an eighth of the adversarial options."""
    made = [option.tags["strategy"] for q in questions for option in q.options if option.tags]
    counts = Counter(made)
    assert all(counts[strategy] >= 0.12 * len(made) for strategy in STRATEGIES)


@pytest.mark.parametrize("role", ROLES)
def test_letters_and_polarities_are_balanced(questions, role):
    """No letter and no polarity is worth betting on."""
    asked = _of(questions, role)
    letters = Counter(question.answers[0].label for question in asked)
    assert max(letters.values()) - min(letters[label] for label in "ABCD") <= 1
    polarities = Counter(question.asks_for for question in asked)
    assert abs(polarities["supported"] - polarities["contradicted"]) <= 1


def test_letters_of_a_triple_coincide_in_half(triples):
    """The positive answer always moves; the negative one meets another letter half of the time."""
    letters = [tuple(t[role].answers[0].label for role in ROLES) for t in triples.values()]
    assert all(original != positive for original, positive, _ in letters)
    assert 0.4 <= mean(len(set(three)) < 3 for three in letters) <= 0.6


@pytest.mark.parametrize("role", [*ROLES, None])
def test_length_does_not_tell_the_answer(questions, role):
    """True options are as long as false ones, and the longest is right about as often as any."""
    asked = _of(questions, role)
    length = [len(option.text) for q in asked for option in q.options]
    truth = [float(true) for q in asked for true in q.option_truth]
    assert abs(correlation(length, truth)) < 0.15
    longest = [max(range(4), key=lambda i, q=q: len(q.options[i].text)) for q in asked]
    right = mean(pick == _right(q) for pick, q in zip(longest, asked, strict=True))
    assert 0.12 <= right <= 0.38


def test_word_overlap_does_not_tell_the_answer(items):
    """Neither the option covered best by a sentence nor the one covered least is a good guess."""
    most, least = defaultdict(list), defaultdict(list)
    for passage, asked in items:
        sentences = [_bigrams(match) for match in SENTENCE.findall(passage.text)]
        for question in asked:
            wanted = [_bigrams(option.text) for option in question.options]
            cover = [max(len(w & s) / len(w) for s in sentences) for w in wanted]
            high, low = cover.index(max(cover)), cover.index(min(cover))
            fits = question.asks_for == "supported"
            most[question.role].append((high if fits else low) == _right(question))
            least[question.role].append((low if fits else high) == _right(question))
    for role in ROLES:
        assert mean(most[role]) <= 0.45, role
        assert mean(least[role]) <= 0.45, role


def _bigrams(text: str) -> set[str]:
    letters = re.sub(r"\W", "", text)
    return {a + b for a, b in pairwise(letters)}


@pytest.mark.parametrize("cue", ["都", "可能", "往往", "因此", "虽", "却", "不能", "并不"])
def test_no_cue_word_gives_truth_away(questions, cue):
    """Hedges, absolutes and connectives stand in true and in false options alike."""
    with_cue = [
        true
        for question in questions
        for option, true in zip(question.options, question.option_truth, strict=True)
        if cue in option.text
    ]
    assert len(with_cue) >= 15
    assert 1 / 3 <= mean(with_cue) <= 2 / 3


def test_every_question_has_tags_to_break_results_down_by(questions):
    """Topic, skill and polarity, each value on enough questions to mean something."""
    for tag in ("topic", "skill", "polarity"):
        counts = Counter(question.tags[tag] for question in questions)
        assert len(counts) >= 2
        assert min(counts.values()) >= 12, tag
    assert all(question.tags["polarity"] == question.asks_for for question in questions)
