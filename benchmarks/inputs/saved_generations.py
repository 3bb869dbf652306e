"""Saved DROP generations: a data set in our own form, and a run that answers it."""

import json
import random
import shutil
from pathlib import Path

import msgspec

from benchmarks.inputs.drop_pairs import RUN_ON, make_pairs
from closeread import load
from closeread.runs.records import ReaderInfo, RunInfo, describe_dataset
from closeread.runs.store import INFO, PREDICTIONS, open_run, write_document
from closeread.types import Answer, Generation, Passage, Prediction, Question

QUESTIONS_PER_PASSAGE = 16
MAX_DISTINCT = 50_000
RUN_ON_SHARE = 0.2


def write(folder: Path, count: int) -> tuple[Path, Path, Path]:
    """Write ``count`` questions, the run, and the same as plain rows for the peer.

    Nothing is written if they are there.

    Returns:
        The data set, the run folder, and the rows: in each line a ``prediction`` and its ``golds``.
    """
    data, run, rows = (folder / f"drop-{count}{end}" for end in (".jsonl", "-run", ".rows.jsonl"))
    if (run / INFO).exists() and rows.exists():
        return data, run, rows
    shutil.rmtree(run, ignore_errors=True)
    run.mkdir(parents=True)
    pairs = make_pairs(min(count, MAX_DISTINCT), seed=7)
    rng = random.Random(3)
    encode = msgspec.json.encode
    with (
        data.open("wb") as dataset,
        (run / PREDICTIONS).open("wb") as predictions,
        rows.open("wb") as plain,
    ):
        questions: list[Question] = []
        for index in range(count):
            predicted, gold = pairs[index % len(pairs)]
            golds = (gold,) if isinstance(gold, str) else tuple(gold)
            answer = Answer(kind="span" if len(golds) == 1 else "spans", texts=golds)
            passage = Passage(
                passage_id=f"p{index // QUESTIONS_PER_PASSAGE}", text="A short passage."
            )
            question = Question(
                question_id=f"q{index}", passage_id=passage.passage_id, text="How many?",
                kind="discrete", answers=(answer,),
            )  # fmt: skip
            questions.append(question)
            if len(questions) == QUESTIONS_PER_PASSAGE or index == count - 1:
                dataset.write(encode({"passage": passage, "questions": questions}) + b"\n")
                questions = []
            text = str(predicted) + (RUN_ON if rng.random() < RUN_ON_SHARE else "")
            prediction = Prediction(
                question_id=question.question_id,
                answer=Answer(kind="span", texts=(text,)),
                generation=Generation(text=text, finish_reason="stop"),
            )
            predictions.write(encode(prediction) + b"\n")
            plain.write(json.dumps({"prediction": text, "golds": list(golds)}).encode() + b"\n")
    info = RunInfo(
        closeread="0", created="2026-01-01T00:00:00+00:00",
        dataset=describe_dataset(load(data), count), reader=ReaderInfo(name="made up"),
        batch_size=1, complete=True, n_predictions=count, predictions_sha256="made up",
    )  # fmt: skip
    write_document(run / INFO, info)
    return data, run, rows


def load_pairs(run: Path, count: int) -> list[tuple[Question, Prediction]]:
    """Return the first questions with their predictions, as a rescoring in a notebook has them."""
    opened = open_run(run)
    pairs = zip(opened.dataset().questions(), opened.predictions(), strict=True)
    return [pair for pair, _ in zip(pairs, range(count), strict=False)]
