"""Writes predictions in the forms that official scorers and organisers take.

Each form that ``submissions`` reads and a run can fill has a short name here.
"""

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, BinaryIO

import msgspec

from closeread.errors import UsageError
from closeread.formats.layouts.json_writing import write_object
from closeread.formats.registry import Format
from closeread.formats.submissions import (
    conversations,
    hotpotqa_outputs,
    multirc_outputs,
    qasper_outputs,
)
from closeread.formats.submissions.vgaokao_outputs import NOTHING_FOUND
from closeread.types import (
    Answer,
    Dataset,
    Defects,
    Evidence,
    Item,
    Passage,
    Prediction,
    Question,
)

Predictions = Mapping[str, Prediction]
_object = partial(write_object, colon=b": ")
# Forms with the ids, titles or lines of the set's own format; forms with one answer a question.
_FORMS_OF_OWN_SET = ("hotpotqa", "coqa", "quac", "qasper", "multirc")
_FORMS_OF_ONE_ANSWER = ("texts", "nbest", "null-odds", "expmrc", "vgaokao")
_ANY_NUMBER = "multirc"
_MIN_PROBABILITY = 1e-12  # keeps the logit of a probability of 0 or 1 finite


def hand_in(predictions: Predictions, dataset: Dataset, form: str, stream: BinaryIO) -> None:
    """Write predictions in a published form, in the data set's order.

    Args:
        predictions: By question id; questions without one are left out, as in official files.
        dataset: The data set of the predictions.
        form: A key of ``FORMS``.
        stream: The output.

    Raises:
        UsageError: There is no such form, it does not suit this data set, or the predictions lack
            what it must hold.
    """
    if form not in FORMS:
        raise UsageError(
            f"there is no submission form named {form!r}", expected="one of " + ", ".join(FORMS)
        )
    _check_form(form, dataset)
    FORMS[form](predictions, dataset, stream)


def _check_form(form: str, dataset: Dataset) -> None:
    own = dataset.format.partition(",")[0]
    instead = _ANY_NUMBER if own == _ANY_NUMBER else "texts"
    if form in _FORMS_OF_OWN_SET and form != own:
        raise UsageError(
            f"the run's data set is in the format {dataset.format}",
            expected=f"a set in the format {form}, whose ids and places the submission uses",
            cure=f"write only the answers: --to {instead}",
        )
    if form in _FORMS_OF_ONE_ANSWER and own == _ANY_NUMBER:
        raise UsageError(
            f"the form {form} holds one answer for each question",
            expected="1 or 0 for each option: any number of MultiRC's options may be right",
            cure=f"choose --to {instead}",
        )


def _texts(predictions: Predictions, dataset: Dataset, stream: BinaryIO) -> None:
    _object(stream, ((q, _text(p)) for q, p in _iter_answered(predictions, dataset)))


def _nbest(predictions: Predictions, dataset: Dataset, stream: BinaryIO) -> None:
    def rows() -> Iterator[tuple[str, Any]]:
        for question_id, prediction in _iter_answered(predictions, dataset):
            if not prediction.candidates:
                raise _missing_error(question_id, "n-best candidates", "texts")
            ranked = [(_answer_text(c.answer), c.score) for c in prediction.candidates]
            texts, scores = zip(*ranked, strict=True)
            yield question_id, {"answers": texts, "scores": scores}

    _object(stream, rows())


def _null_odds(predictions: Predictions, dataset: Dataset, stream: BinaryIO) -> None:
    def rows() -> Iterator[tuple[str, float]]:
        for question_id, prediction in _iter_answered(predictions, dataset):
            none = [c.score for c in prediction.candidates if c.answer.kind == "none"]
            if not none:
                giver = "a reader that returns it (span: -o null=on)"
                raise _missing_error(question_id, "a score of having no answer", "texts", giver)
            yield question_id, none[0]

    _object(stream, rows())


def _expmrc(predictions: Predictions, dataset: Dataset, stream: BinaryIO) -> None:
    def rows() -> Iterator[tuple[str, Any]]:
        for question_id, prediction in _iter_answered(predictions, dataset):
            yield question_id, {"answer": _text(prediction), "evidence": _evidence_text(prediction)}

    _object(stream, rows())


def _evidence_text(prediction: Prediction) -> str:
    """Return the evidence for the given answer, as ``expmrc.*`` judges it within a run."""
    label = prediction.answer.label if prediction.answer else ""
    pieces = [evidence for evidence in prediction.evidence if evidence.option_label in ("", label)]
    return " ".join(text for piece in pieces for text in piece.texts)


def _gcrc(predictions: Predictions, dataset: Dataset, stream: BinaryIO) -> None:
    """Write GCRC_advRobust.json: the data set's own form with the predicted letters as answers."""
    from closeread.registry import lookup

    def read_answered(defects: Defects) -> Iterator[Item]:
        for passage, questions in dataset.read(defects):
            yield passage, tuple(_with_letter(question, predictions) for question in questions)

    form: Format = lookup.resolve("format", "gcrc-advrobust")
    assert form.write is not None
    form.write(dataclasses.replace(dataset, read=read_answered), stream)


def _with_letter(question: Question, predictions: Predictions) -> Question:
    prediction = predictions.get(question.question_id)
    if not question.role:
        raise UsageError(
            "the question belongs to no triple",
            where=f"question {question.question_id}",
            expected="a set of originals, each with a positive and a negative question",
            cure="write another form (such as texts)",
        )
    if prediction is None:
        raise UsageError(
            "the question has no prediction",
            where=f"question {question.question_id}",
            expected="predictions for all three questions of each record",
            cure="read the whole set",
        )
    # A language model may name no option: an empty letter counts as wrong.
    label = prediction.answer.label if prediction.answer else ""
    return msgspec.structs.replace(question, answers=(Answer(kind="choice", label=label),))


def _vgaokao(predictions: Predictions, dataset: Dataset, stream: BinaryIO) -> None:
    results, right = [], 0
    for _, question, prediction in _iter_predicted(predictions, dataset):
        labels = [option.label for option in question.options]
        label = prediction.answer.label if prediction.answer else ""
        if label not in labels:
            raise _missing_error(question.question_id, "a predicted letter", "texts")
        gold = question.answers[0].label if question.answers else ""
        right += label == gold
        row = {
            "qid": question.question_id,
            "prob": prediction.option_scores,
            "question": question.text,
            "prediction": labels.index(label),
            "answer": labels.index(gold) if gold in labels else None,
        }
        if prediction.scores_rank:  # else they would be read as probabilities
            row["scores_rank"] = True
        results.append(row)
    accuracy = right / len(results) if results else 0.0
    stream.write(msgspec.json.encode({"results": results, "accuracy": accuracy}))


def _vgaokao_logits(predictions: Predictions, dataset: Dataset, stream: BinaryIO) -> None:
    index = 0
    for _, question, prediction in _iter_predicted(predictions, dataset, require_all=True):
        if not question.options or len(prediction.option_scores) != len(question.options):
            instead = "vgaokao" if question.options else "texts"
            raise _missing_error(question.question_id, "a score for each option", instead)
        for score in prediction.option_scores:
            if not 0 <= score <= 1:
                raise UsageError(
                    f"the option score {score:g} is not a probability",
                    where=f"question {question.question_id}",
                    expected="probabilities, which the form stores as logits",
                    cure="write another form (such as vgaokao), or use a reader that returns some",
                )
            bounded = min(max(score, _MIN_PROBABILITY), 1 - _MIN_PROBABILITY)
            half = math.log(bounded / (1 - bounded)) / 2
            stream.write(f"{index}\t{-half!r}\t{half!r}\t\n".encode())
            index += 1


def _vgaokao_evidence(predictions: Predictions, dataset: Dataset, stream: BinaryIO) -> None:
    """Write the authors' training and input form: an option, its evidence, its truth."""
    rows = []
    for passage, question, prediction in _iter_predicted(predictions, dataset):
        if not question.options:
            raise _missing_error(question.question_id, "evidence for each option", "texts")
        for index, option in enumerate(question.options):
            pieces = [piece for piece in prediction.evidence if piece.option_label == option.label]
            if not pieces:
                raise _missing_error(question.question_id, "evidence for each option", "vgaokao")
            truth = question.option_truth[index] if question.option_truth else None
            row = {
                "sentence2": option.text,
                "label": None if truth is None else int(truth),
                "opid": index,
                "neighbor_type": "iterative",
                "sentence1": _join_evidence(pieces, passage.text) or NOTHING_FOUND,
                "qid": question.question_id,
            }
            rows.append(row)
    document = {"version": "train/test_mrc_with_iterative_retrieved_evidence", "data": rows}
    stream.write(msgspec.json.encode(document))


def _join_evidence(pieces: Sequence[Evidence], text: str) -> str:
    """Join the sentences in the passage's order, then the texts without a span."""
    spans = sorted({span for piece in pieces for span in piece.spans})
    texts = [text_piece for piece in pieces if not piece.spans for text_piece in piece.texts]
    return "".join([*(span.of(text) for span in spans), *texts])


def _iter_predicted(
    predictions: Predictions, dataset: Dataset, *, require_all: bool = False
) -> Iterator[tuple[Passage, Question, Prediction]]:
    for passage, questions in dataset:
        for question in questions:
            prediction = predictions.get(question.question_id)
            if prediction is not None:
                yield passage, question, prediction
            elif require_all:
                raise UsageError(
                    "the question has no prediction",
                    where=f"question {question.question_id}",
                    expected="a prediction for each question: a gap would shift the lines after it",
                    cure="read the whole set, or write another form (such as vgaokao)",
                )


def _iter_answered(predictions: Predictions, dataset: Dataset) -> Iterator[tuple[str, Prediction]]:
    for question in dataset.questions():
        prediction = predictions.get(question.question_id)
        if prediction is not None and prediction.answer is not None:
            yield question.question_id, prediction


def _text(prediction: Prediction) -> str | tuple[str, ...]:
    return _answer_text(prediction.answer) if prediction.answer else ""


def _answer_text(answer: Answer) -> str | tuple[str, ...]:
    if answer.kind == "choice":
        return answer.label
    if answer.kind == "spans":
        return answer.texts
    return answer.text


def _missing_error(
    question_id: str, missing: str, instead: str, giver: str = "a reader that returns it"
) -> UsageError:
    return UsageError(
        f"the prediction has no {missing.removeprefix('a ')}",
        where=f"question {question_id}",
        expected=missing,
        cure=f"write another form (such as {instead}), or use {giver}",
    )


FORMS: dict[str, Callable[[Predictions, Dataset, BinaryIO], None]] = {
    "texts": _texts,
    "nbest": _nbest,
    "null-odds": _null_odds,
    "expmrc": _expmrc,
    "hotpotqa": hotpotqa_outputs.write,
    "coqa": conversations.write_turns,
    "quac": conversations.write_conversations,
    "qasper": qasper_outputs.write,
    "multirc": multirc_outputs.write,
    "gcrc-advrobust": _gcrc,
    "vgaokao": _vgaokao,
    "vgaokao-logits": _vgaokao_logits,
    "vgaokao-evidence": _vgaokao_evidence,
}
