"""Questions made from passages: their answers stand where they say, and a seed decides them."""

from itertools import pairwise
from random import Random

import pytest

from closeread.formats import load
from closeread.text.segment import sentences
from closeread.training.cloze import Wording, cloze_questions

FERRY = (
    "The ferry left Marl in March 1850 because of a heavy storm over the bay. It carried 14 sheep"
    " and the old keeper of the lighthouse, who paid $3 million by selling his boats. Later the"
    " harbour was moved to Aldbrook, and about 40 percent of the families went with it.\n"
    "Nobody knows when Alice Brown returned to the town with her brother."
)


def make_questions(passage=FERRY, seed=0, words=5):
    return list(cloze_questions(passage, Random(seed), words))


def test_cloze_answers_have_spans_and_fitting_questions():
    """Every answer is a phrase of the passage; a figure is not asked for by "why"."""
    asked = {
        one.span.of(FERRY): one.text.lower()
        for seed in range(20)
        for one in make_questions(seed=seed)
    }
    for answer, words in (
        ("March 1850", ("when", "on what date", "in what month")),
        ("14", ("how many", "what number", "how much")),
        ("$3 million", ("how much",)),
        ("40 percent", ("what percentage", "how much")),
        ("a heavy storm over the bay", ("why",)),
        ("Aldbrook", ("who", "what", "which")),
    ):
        assert any(word in asked[answer] for word in words), (answer, asked[answer])
    assert "Nobody" not in asked  # a capital begins every sentence


def test_a_question_is_the_rest_of_its_sentence():
    """Its words come from there, but for the question word; it ends in one question mark."""
    for seed in range(20):
        for one in make_questions(seed=seed):
            assert one.text.endswith("?")
            assert one.text.count("?") == 1
            (sentence,) = [
                found for found in sentences(FERRY) if found.start <= one.span.start < found.end
            ]
            around = FERRY[sentence.start : one.span.start] + FERRY[one.span.end : sentence.end]
            added = [word for word in one.text[:-1].split() if word.strip(",.") not in around]
            assert len(added) <= 3, (one.text, added)  # such as "On what date"


def test_cloze_questions_depend_on_the_seed():
    """In the order of the passage, no place asked for twice."""
    assert make_questions(seed=3) == make_questions(seed=3)
    assert make_questions(seed=3) != make_questions(seed=4)
    spans = [one.span for one in make_questions(words=1)]
    assert len(spans) > 8
    assert all(one.end <= other.start for one, other in pairwise(spans))


def test_the_number_of_cloze_questions():
    """One for so many words; at least one."""
    long = " ".join([FERRY] * 4)
    assert len(make_questions(words=1000)) == 1
    assert 0 < len(make_questions(long, words=20)) <= len(long.split()) / 20 + 1


def test_cloze_questions_can_stay_close_to_their_sentence():
    """So many words from either side at most; every word where none is left out, few where most."""
    for around in (2, 5):
        for one in cloze_questions(FERRY, Random(1), 5, Wording(around, 0)):
            assert len(one.text.split()) <= 2 * around + 3  # "On what date"
    whole = {one.span: one.text for one in cloze_questions(FERRY, Random(1), 1, Wording(99, 0))}
    thin = {one.span: one.text for one in cloze_questions(FERRY, Random(1), 1, Wording(99, 0.5))}
    both = whole.keys() & thin.keys()
    assert len(both) > 5
    kept = [sum(len(made[span].split()) for span in both) for made in (thin, whole)]
    assert 0.4 < kept[0] / kept[1] < 0.75
    (sheep,) = [text for span, text in whole.items() if span.of(FERRY) == "14"]
    assert {"It", "carried", "sheep", "keeper", "selling"} <= set(sheep.strip("?").split())


@pytest.mark.parametrize(
    "passage", ["", "   \n", "and so on", "1850", "灯塔建于1850年，后来停用了。"]
)
def test_a_text_without_phrases_gives_no_cloze_questions(passage):
    """Nor does one whose phrases have too few words around them."""
    assert make_questions(passage) == []


def test_cloze_answers_do_not_split_words():
    """A clause too long for its pattern, a name inside a word; white space is not an answer's."""
    clause = (
        "the quick brown keeper and all his many unrelated relatives unexpectedly returned home"
    )
    text = (
        f"The town was abandoned in the end due to {clause} after the war. The bnAbs were found"
        " by using the old method (as before) in all of the animals."
    )
    answers = {one.span.of(text) for seed in range(40) for one in make_questions(text, seed, 1)}
    assert answers
    assert not {one for one in answers if one.endswith("unexpe") or one == "Abs"}
    assert "using the old method" in answers
    for one in answers:
        assert f" {one} " in text.replace(".", " ").replace("(", " ").replace(")", " ")


def test_every_answer_on_real_passages_is_whole(corpus):
    """XQuAD's 240 passages: no answer begins or ends within a word or with white space."""
    passages = [
        passage.text for passage, _ in load(str(corpus / "data" / "xquad" / "xquad.en.json"))
    ]
    found = 0
    for text in passages:
        for one in cloze_questions(text, Random(0), 24):
            answer = one.span.of(text)
            assert answer == answer.strip() != ""
            assert not (text[one.span.end : one.span.end + 1].isalnum() and answer[-1].isalnum())
            before = text[max(0, one.span.start - 1) : one.span.start]
            assert not (before.isalnum() and answer[0].isalnum())
            found += 1
    assert len(passages) == 240
    assert found > 1000
