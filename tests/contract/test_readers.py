"""Every reader in the catalog passes the same battery."""

import math
from contextlib import ExitStack
from functools import cache

import msgspec
import pytest

import serving_process
from closeread import catalog
from closeread.formats import load
from closeread.readers import make
from closeread.registry import lookup
from closeread.runs.predict import Job, predict
from closeread.runs.records import ReaderInfo
from closeread.types import Answer, Option, Passage, Prediction, Question
from endpoint import Endpoint, last_user, serving
from format_samples import SAMPLES, write_sample

HOSTILE = (
    "\u202e<script>alert('x')</script> \x00 \ufeff "
    + "长" * 3000
    + "\n\n\u2028"
    + "a" * 10_000
    + " 𠮷😀"
)
TEXTS = {
    "plain": "The ferry left Marl at six. It carried 14 sheep. Nobody had tuned the piano.",
    "chinese": "海水的盐度由蒸发和降水共同决定。1872年，挑战者号出海，历时三年多。没有人知道原因。",
    "empty": "",
    "blank": " \n\t ",
    "hostile": HOSTILE,
    "one character": "。",
}
# tests/neural has those that need an extra
READERS = [name for name in catalog.names("reader") if not lookup.find_entry("reader", name).extra]
OVER_OPTIONS = ("random-option", "longest-option", "majority")


@pytest.fixture(scope="module", autouse=True)
def endpoint():
    """A model for the readers that need one: what it says follows from the question alone."""

    def rule(body):
        letters = "ABCD"
        asked = last_user(body)
        return f"有无关的话\nAnswer: {letters[len(asked) % 4] if 'A. ' in asked else asked[-9:]}"

    with serving(Endpoint(rule=rule)) as found, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", found.url)
        yield found


@pytest.fixture(scope="module")
def made():
    """Makes a reader by its name; the one that asks another has a real service to ask."""
    with ExitStack() as running:

        @cache
        def service():
            pytest.importorskip("starlette", reason="starlette is not installed")
            return running.enter_context(serving_process.serving("lexical")).url

        yield lambda name: make(service() if name == "http" else name)[0]


def said(prediction):
    """What a reader says, without how long it took."""
    return msgspec.structs.replace(prediction, seconds=None)


def questions(language: str) -> list[Question]:
    asked = "哪一年出海？" if language == "zh" else "How many sheep did the ferry carry?"
    options = tuple(
        Option(label=label, text=text)
        for label, text in zip("ABCD", ("six", "海水的盐度由蒸发决定", "", "no piano"), strict=True)
    )
    kinds = [
        ("free", {"kind": "span"}),
        ("number", {"kind": "discrete"}),
        ("empty stem", {"kind": "discrete", "text": ""}),
        ("four", {"kind": "choice", "options": options}),
        ("one", {"kind": "choice", "options": options[:1]}),
        ("against", {"kind": "verification", "options": options, "asks_for": "contradicted"}),
        (
            "pair",
            {
                "kind": "entailment",
                "options": tuple(
                    Option(label=label, text=text)
                    for label, text in zip(
                        "ABC", ("entailment", "neutral", "contradiction"), strict=True
                    )
                ),
            },
        ),
    ]
    return [
        Question(**{"question_id": name, "passage_id": "p", "text": asked, **given})
        for name, given in kinds
    ]


def battery() -> list[tuple[Passage, Question]]:
    found = []
    for name, text in TEXTS.items():
        language = "zh" if name == "chinese" else "en"
        passage = Passage(passage_id=name, text=text, language=language)
        for question in questions(language):
            renamed = Question(
                **{
                    field: getattr(question, field)
                    for field in ("text", "kind", "asks_for", "options")
                },
                question_id=f"{name}, {question.question_id}",
                passage_id=name,
            )
            found.append((passage, renamed))
    return found


@pytest.mark.parametrize("name", READERS)
def test_one_prediction_an_item(made, name):
    """Each item gets exactly one prediction, under its id."""
    found = [prediction.question_id for prediction in made(name).read(battery())]
    assert sorted(found) == sorted(question.question_id for _, question in battery())


@pytest.mark.parametrize("name", READERS)
def test_the_same_again(made, name):
    """A second reader made alike says the same, whatever stood in the batch beside an item."""
    together = {one.question_id: said(one) for one in made(name).read(battery())}
    reader = made(name)
    for item in reversed(battery()):
        (alone,) = reader.read([item])
        assert said(alone) == together[alone.question_id]


@pytest.mark.parametrize("name", READERS)
def test_what_it_says_can_be_held_against_the_text(made, name):
    """Spans slice to the text that they claim, labels exist, numbers are finite."""
    items = {question.question_id: (passage, question) for passage, question in battery()}
    for prediction in made(name).read(battery()):
        passage, question = items[prediction.question_id]
        # Only a floor over options may refuse a question, and only one without options.
        assert not prediction.error or (name in OVER_OPTIONS and not question.options)
        answers = [prediction.answer, *(one.answer for one in prediction.candidates)]
        for answer in filter(None, answers):
            _check_answer(answer, passage, question)
        scores = [*prediction.option_scores, *(one.score for one in prediction.candidates)]
        assert all(map(math.isfinite, scores))
        assert len(prediction.option_scores) in (0, len(question.options))
        assert prediction.confidence is None or 0 <= prediction.confidence <= 1
        for evidence in prediction.evidence:
            assert list(evidence.spans) == sorted(evidence.spans)
            assert all(0 <= one.start < one.end <= len(passage.text) for one in evidence.spans)


def _check_answer(answer: Answer, passage: Passage, question: Question) -> None:
    if answer.kind == "choice":
        assert answer.label in {option.label for option in question.options}
    for span in answer.spans:
        assert 0 <= span.start < span.end <= len(passage.text)
    if answer.kind == "span" and answer.spans:
        assert answer.spans[0].of(passage.text) == answer.texts[0]


class Peeking:
    """Remembers everything that it is shown and answers nothing."""

    def __init__(self) -> None:
        self.batches: list[list[tuple[Passage, Question]]] = []

    def read(self, items):
        self.batches.append(list(items))
        for _, question in items:
            yield Prediction(question_id=question.question_id)


@pytest.mark.parametrize("name", [*SAMPLES, "exam/zh", "exam/en"])
def test_no_reader_sees_gold_or_siblings(tmp_path, name):
    """In every format the runner shows text, options and polarity, and nothing that tells."""
    from closeread.api.datasets import open_dataset

    dataset = open_dataset(name) if "/" in name else load(write_sample(tmp_path, name), name)
    reader = Peeking()
    run = predict(
        Job(dataset=dataset, reader=reader, reader_info=ReaderInfo(name="peeking")),
        tmp_path / "run",
    )
    by_text = {}
    for passage, of in dataset:
        for question in of:
            by_text.setdefault((passage.text, question.text), []).append(question)
    shown = [item for batch in reader.batches for item in batch]
    assert len(shown) == run.info.n_predictions > 0
    allowed = {"question_id", "passage_id", "text", "kind", "asks_for", "options"}
    for passage, question in shown:
        assert not any(
            getattr(question, field) for field in set(Question.__struct_fields__) - allowed
        )
        assert not passage.metadata
        assert not any(option.tags for option in question.options)
        real = {
            one.question_id
            for (text, _), of in by_text.items()
            if text == passage.text
            for one in of
        }
        assert question.question_id not in real
    for batch in reader.batches:
        groups = [
            {one.group_id for one in by_text[passage.text, question.text] if one.group_id}
            for passage, question in batch
        ]
        single = [found.pop() for found in groups if len(found) == 1]
        assert len(single) == len(set(single)), "two siblings in one batch"
