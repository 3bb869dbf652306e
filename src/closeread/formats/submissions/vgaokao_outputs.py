"""Reads the outputs of VGaokao's programs: results, logits and evidence.

Published with the repository and its forks: ``test_mc_results.json``, ``test_prob_None.txt`` and
``test_nli_iterative.json``.
"""

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from closeread.errors import InputError, UsageError
from closeread.formats.files.parse_errors import explain
from closeread.types import Answer, Dataset, Evidence, Passage, Prediction, Span
from closeread.wording import count_of

Rows = Iterator[tuple[str, Prediction]]
NOTHING_FOUND = "无"  # what the authors' program writes for an option without evidence
_NUMBER = rb"-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?"
_LOGIT_LINE = re.compile(rb"\s*\d+\t(%b)\t(%b)\s*" % (_NUMBER, _NUMBER))
LOGITS = re.compile(_LOGIT_LINE.pattern + rb"(?:\n|$)")


class _Result(msgspec.Struct):
    qid: str | int
    prediction: int
    prob: tuple[float, ...] = ()
    scores_rank: bool = False


class _EvidenceRow(msgspec.Struct):
    qid: str | int
    opid: int
    sentence1: str


def parse_results(source: str, rows: list[Any]) -> Rows:
    """Parse rows with a 0-based prediction and one probability for each option.

    ``scores_rank``, which closeread writes, marks numbers that are no probabilities.

    Raises:
        InputError: A row is of another form, or its prediction is not the index of a letter.
    """
    for number, row in enumerate(rows):
        result = _convert(source, row, _Result, f"results[{number}]")
        if not 0 <= result.prediction < 26:
            raise InputError(
                f"the prediction {result.prediction} is not the index of an option",
                where=f"{source}, at results[{number}]",
                expected="0 for A, 1 for B, ...",
            )
        answer = Answer(kind="choice", label=chr(ord("A") + result.prediction))
        question_id = str(result.qid)
        yield (
            question_id,
            Prediction(
                question_id=question_id,
                answer=answer,
                option_scores=result.prob,
                scores_rank=result.scores_rank,
            ),
        )


def parse_logits(source: str, raw: bytes, dataset: Dataset | None) -> Rows:
    """Parse lines of ``index, logit of false, logit of true``, one for each option in order.

    Raises:
        InputError: A line is of another form, or there are more or fewer lines than options.
    """
    scores = []
    for number, line in enumerate(raw.splitlines(), 1):
        match = _LOGIT_LINE.fullmatch(line)
        if match:
            scores.append(_probability(float(match[1]), float(match[2])))
        elif line.strip():
            raise InputError(
                "not a line of logits",
                where=f"{source}, line {number}",
                expected="index, logit of false and logit of true, separated by tabs",
            )
    position = 0
    for question in _require_dataset(dataset, source, "logits").questions():
        option_scores = tuple(scores[position : position + len(question.options)])
        position += len(question.options)
        if not option_scores or len(option_scores) < len(question.options):
            break
        pick = min if question.asks_for == "contradicted" else max
        best = pick(range(len(option_scores)), key=option_scores.__getitem__)
        yield (
            question.question_id,
            Prediction(
                question_id=question.question_id,
                answer=Answer(kind="choice", label=question.options[best].label),
                option_scores=option_scores,
            ),
        )
    if position != len(scores):
        raise InputError(
            count_of(len(scores), "line of logits", "lines of logits"),
            where=source,
            expected=f"one for each of the data set's options ({position} so far)",
            cure="pass the data set that the logits were computed on",
        )


def _probability(false: float, true: float) -> float:
    """Softmax over the two logits, computed as the authors' program did, to the last bit."""
    if max(abs(false), abs(true)) > 700:  # where exp would overflow
        return 1.0 if true > false else 0.5 if true == false else 0.0
    return math.exp(true) / (math.exp(false) + math.exp(true))


def parse_evidence(source: str, data: list[Any], dataset: Dataset | None) -> Rows:
    """Parse rows, one for each option, whose ``sentence1`` is joined sentences of the passage."""
    by_question: dict[str, dict[int, str]] = {}
    for number, row in enumerate(data):
        evidence_row = _convert(source, row, _EvidenceRow, f"data[{number}]")
        by_question.setdefault(str(evidence_row.qid), {})[evidence_row.opid] = (
            evidence_row.sentence1
        )
    for passage, questions in _require_dataset(dataset, source, "evidence rows"):
        for question in questions:
            sentences_by_option = by_question.get(question.question_id)
            if sentences_by_option is None:
                continue
            pieces = tuple(
                _piece(option.label, sentences_by_option[index], passage)
                for index, option in enumerate(question.options)
                if index in sentences_by_option
            )
            yield (
                question.question_id,
                Prediction(question_id=question.question_id, evidence=pieces),
            )


def _piece(label: str, joined: str, passage: Passage) -> Evidence:
    if joined == NOTHING_FOUND:
        return Evidence(option_label=label)
    spans = _sentences_of(passage, joined)
    return Evidence(option_label=label, spans=spans, texts=(joined,))


def _convert(source: str, row: Any, type: Any, where: str) -> Any:  # noqa: A002
    try:
        return msgspec.convert(row, type)
    except msgspec.ValidationError as error:
        raise explain(error, source, value=row, within=where, kind=type) from error


def _require_dataset(dataset: Dataset | None, source: str, content: str) -> Dataset:
    if dataset is None:
        raise UsageError(
            f"{content} need their data set",
            where=source,
            cure="pass the data set with --dataset",
        )
    return dataset


def _sentences_of(passage: Passage, joined: str) -> tuple[Span, ...]:
    """Return the sentences of a passage that make up ``joined``; () if none do.

    These are the authors' sentences, or, for a file written from a run, closeread's own.
    """
    from closeread.text import segment

    text = passage.text
    return (
        _find_cover(segment.vgaokao(text), text, joined)
        or _find_cover(segment.sentences(text, passage.language), text, joined)
        or ()
    )


def _find_cover(sentences: Sequence[Span], text: str, joined: str) -> tuple[Span, ...] | None:
    """Return the sentences that concatenate to ``joined``; None if none do.

    Of equal sentences, takes the earliest that still lets the rest be found.
    """

    def follow(remaining: str, first: int) -> tuple[Span, ...] | None:
        if not remaining:
            return ()
        for index in range(first, len(sentences)):
            piece = sentences[index].of(text)
            if remaining.startswith(piece):
                spans = follow(remaining[len(piece) :], index + 1)
                if spans is not None:
                    return (sentences[index], *spans)
        return None

    return follow(joined, 0)
