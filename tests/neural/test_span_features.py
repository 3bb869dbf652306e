"""What a span reader is shown of a question while it learns."""

import json
from collections import Counter
from random import Random

import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")

import torch

from closeread.api.datasets import open_dataset
from closeread.readers.neural.checkpoint_opening import open_checkpoint
from closeread.training.neural.task import collate
from closeread.training.neural.tasks.span import SpanTask
from closeread.training.neural.training_data import draw_questions
from closeread.training.recipes.settings import Source
from closeread.training.recipes.span import SpanOptions
from closeread.types import Answer, Passage, Question, Span
from neural.colours import THINGS

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]


def _task(**options):
    return SpanTask(SpanOptions(**{"max_length": 96, "stride": 16, **options}))


@pytest.mark.parametrize("stride", [16, 128])
def test_every_answer_is_learned_from(encoder, stride):
    """A stride as long as a window cut answers in two at its edges, and they were passed over."""
    checkpoint = open_checkpoint(encoder, "span", new_head=True)
    words = [THINGS[place % len(THINGS)] for place in range(200)]
    begins = [sum(len(word) + 1 for word in words[:place]) for place in range(len(words))]
    passage = Passage(passage_id="p", text=" ".join(words))
    items = []
    for place in range(0, 170):
        span = Span(begins[place], begins[place + 29] + len(words[place + 29]))  # 30 tokens
        answer = Answer(kind="span", texts=(span.of(passage.text),), spans=(span,))
        asked = Question(
            question_id=str(place), passage_id="p", text="which colour", kind="span",
            answers=(answer,),
        )  # fmt: skip
        items.append((passage, asked))
    made = list(_task(stride=stride).features(checkpoint, items, Random(0)))
    assert len(made) == len(items)
    for feature, (_, question) in zip(made, items, strict=True):
        start, end = feature.target[2:4]
        shown = checkpoint.tokenizer.decode(feature.sequences[0].ids[start : end + 1])
        assert shown == question.answers[0].text


def test_one_window_is_drawn_from_those_that_hold_an_answer(encoder):
    """An answer early in the passage and one late: both are learned from, in any window."""
    checkpoint = open_checkpoint(encoder, "span", new_head=True)
    words = [THINGS[place % len(THINGS)] for place in range(200)]
    words[60] = words[195] = "red"
    text = " ".join(words)
    begins = [sum(len(word) + 1 for word in words[:place]) for place in (60, 195)]
    spans = tuple(Span(begin, begin + 3) for begin in begins)
    question = Question(
        question_id="q", passage_id="p", text="which colour", kind="span",
        answers=(Answer(kind="span", texts=("red",), spans=spans),),
    )  # fmt: skip
    item = (Passage(passage_id="p", text=text), question)
    task = _task()
    shown = task.reader(checkpoint)._tokenize_question(*item).windows
    holding = [
        tuple(one.encoded.ids)
        for one in shown
        if any(one.first <= place < one.first + one.length for place in (60, 195))
    ]
    assert 2 < len(holding) < len(shown)
    made = list(task.features(checkpoint, [item] * 40 * len(holding), Random(0)))
    drawn_from = Counter(tuple(one.sequences[0].ids) for one in made)
    assert set(drawn_from) == set(holding)
    assert min(drawn_from.values()) > 15
    red = checkpoint.tokens("red").ids
    for one in made:
        start, end = one.target[2:4]
        assert one.sequences[0].ids[start : end + 1] == red


@pytest.mark.parametrize("accepted", ["the red key", "RED KEY", "Red key."])
def test_a_place_that_was_detected_is_learned_from_whatever_its_capitals(
    tmp_path, encoder, accepted
):
    """MRQA's sets hold answers as they were collected, and places found by its scorer's rules."""
    checkpoint = open_checkpoint(encoder, "span", new_head=True)
    text = "a cup and a Red Key and a map"
    found = {"text": "Red Key", "char_spans": [[12, 18]], "token_spans": [[4, 5]]}
    asked = {"qid": "1", "question": "?", "answers": [accepted], "detected_answers": [found]}
    path = tmp_path / "train.jsonl"
    path.write_text(json.dumps({"context": text, "qas": [asked]}) + "\n", "utf-8")
    items, _ = draw_questions(Source(path=str(path)), open_dataset, None, 0)
    (feature,) = _task().features(checkpoint, items, Random(0))
    start, end = feature.target[2:4]
    shown = checkpoint.tokenizer.decode(feature.sequences[0].ids[start : end + 1])
    assert shown == "red key"


def _several(text, *given):
    """A question with an answer of each annotator, by its words."""
    answers = tuple(
        Answer(kind="span", texts=(one,), spans=(Span(text.find(one), text.find(one) + len(one)),))
        for one in given
    )
    passage = Passage(passage_id="p", text=text)
    return passage, Question(
        question_id="q", passage_id="p", text="which colour", kind="span", answers=answers
    )


def test_all_answers_are_learned_as_often_as_they_were_given(encoder):
    """Two of three annotators say one thing: its share of the loss is two thirds."""
    checkpoint = open_checkpoint(encoder, "span", new_head=True)
    item = _several("a cup and a red key and a map", "red key", "red", "red key")
    (whole,) = _task(all_answers=True).features(checkpoint, [item], Random(0))
    ids = whole.sequences[0].ids
    spans = list(zip(whole.target[2::2], whole.target[3::2], strict=True))
    assert [checkpoint.tokenizer.decode(ids[start : end + 1]) for start, end in spans] == [
        "red key",
        "red",
        "red key",
    ]

    one_by_one = [
        feature
        for answer in ("red key", "red", "red key")
        for feature in _task().features(checkpoint, [_several(item[0].text, answer)], Random(0))
    ]
    other = next(iter(_task().features(checkpoint, [_several("the blue hat", "blue")], Random(0))))
    task = _task()

    def losses(*features):
        batch = collate(features, 0)
        names = ("input_ids", "attention_mask", "token_type_ids")
        with torch.inference_mode():
            outputs = checkpoint.model(**{name: batch[name] for name in names})
        return float(task.loss(outputs, batch["targets"], batch["sizes"].tolist()))

    of_each = [losses(one) for one in one_by_one]
    assert of_each[0] != pytest.approx(of_each[1], abs=1e-3)  # else their shares could not be told
    assert losses(whole) == pytest.approx(sum(of_each) / 3, abs=1e-5)
    # Beside a question with one answer, where targets are filled up to one width.
    assert losses(whole, other) == pytest.approx((losses(whole) + losses(other)) / 2, abs=1e-5)


def test_one_answer_is_drawn_unless_all_are_asked_for(encoder):
    checkpoint = open_checkpoint(encoder, "span", new_head=True)
    item = _several("a cup and a red key and a map", "red key", "red", "key")
    made = list(_task().features(checkpoint, [item] * 60, Random(0)))
    assert {len(one.target) for one in made} == {4}
    assert min(Counter(one.target for one in made).values()) > 8
    assert len({one.target for one in made}) == 3
