"""Reads and writes HotpotQA's submissions.

``{"answer": {id: text}, "sp": {id: [[title, number], ...]}}``.
"""

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

import msgspec
from msgspec.structs import replace

from closeread.errors import InputError, UsageError
from closeread.formats.layouts.supporting_facts import facts_to_evidence, overlapping_facts
from closeread.formats.submissions.raw_prediction import parse_prediction
from closeread.types import Dataset, Evidence, Prediction

_FORM = "hotpotqa"


def is_hotpotqa(value: Mapping[str, Any]) -> bool:
    """Whether a document holds answers and supporting facts, each by id."""
    return isinstance(value.get("answer"), dict) and isinstance(value.get("sp"), dict)


def parse_predictions(
    source: str, value: Mapping[str, Any], dataset: Dataset | None
) -> Iterator[tuple[str, Prediction]]:
    """Yield each question's answer with its facts, looked up in the set's contexts.

    A question may have only one of the two. Facts of unknown questions are left out.

    Raises:
        InputError: An answer or a list of facts is of an unknown form.
        UsageError: There is no data set in HotpotQA's format to look the facts up.
    """
    answers, facts = value["answer"], value["sp"]
    if facts and (dataset is None or dataset.format != _FORM):
        raise UsageError(
            "supporting facts are titles and sentence numbers",
            where=source,
            expected="the data set in HotpotQA's form, to look the facts up",
            cure="pass it with --dataset; for a set in another form, submit {id: text}",
        )
    evidence_of: dict[str, Evidence] = {}
    for passage, questions in dataset or ():
        for question in questions:
            name = question.question_id
            if name in facts:
                cuts = passage.metadata[_FORM]
                paragraphs = [
                    (passage.text[a:b], [passage.text[c:d] for c, d in spans])
                    for (a, b), spans in cuts
                ]
                evidence_of[name] = facts_to_evidence(
                    _facts(source, name, facts[name]), paragraphs, cuts
                )
    for name in dict.fromkeys((*answers, *facts)):
        prediction = parse_prediction(source, name, answers.get(name))
        yield (
            name,
            replace(prediction, evidence=(evidence_of[name],))
            if name in evidence_of
            else prediction,
        )


def write(predictions: Mapping[str, Prediction], dataset: Dataset, stream: BinaryIO) -> None:
    """Write answers, and as facts the sentences that evidence overlaps; for HotpotQA's sets."""
    answers: dict[str, str] = {}
    facts: dict[str, list[tuple[str, int]]] = {}
    for passage, questions in dataset:
        cuts = passage.metadata[_FORM]
        for question in questions:
            prediction = predictions.get(question.question_id)
            if prediction is not None and prediction.answer is not None:
                answers[question.question_id] = prediction.answer.text
            if prediction is not None and prediction.evidence:
                facts[question.question_id] = overlapping_facts(
                    prediction.evidence, passage.text, cuts
                )
    stream.write(msgspec.json.encode({"answer": answers, "sp": facts}) + b"\n")


def _facts(source: str, name: str, facts: Any) -> list[tuple[str, int]]:
    try:
        return [(str(title), _number(number)) for title, number in facts]
    except (TypeError, ValueError) as error:
        raise InputError(
            f"the supporting facts are {facts!r:.80}",
            where=f"{source}, question {name}",
            expected='[["title of a paragraph", index of its sentence from 0], ...]',
            cure="fix the file",
        ) from error


def _number(value: Any) -> int:
    if not isinstance(value, int):
        raise TypeError("not an integer")
    return value
