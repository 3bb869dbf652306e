"""A million saved DROP generations: a data set in our own form, and a run that answers it."""

import json
import random
import shutil
from pathlib import Path

import msgspec

from benchmarks.inputs.drop_pairs import RUN_ON, pairs
from closeread import load
from closeread.runs.records import ReaderInfo, RunInfo, describe_dataset
from closeread.runs.store import INFO, PREDICTIONS, Run, write_document
from closeread.types import Answer, Generation, Passage, Prediction, Question

A_PASSAGE = 16


def write(folder: Path, count: int) -> tuple[Path, Path, Path]:
    """Write, once, ``count`` questions, the run, and the same as plain rows for the peer."""
    data, run, rows = (folder / f"drop-{count}{end}" for end in (".jsonl", "-run", ".pairs.jsonl"))
    if (run / INFO).exists() and rows.exists():
        return data, run, rows
    shutil.rmtree(run, ignore_errors=True)
    run.mkdir(parents=True)
    made = pairs(min(count, 50_000), seed=7)
    rng = random.Random(3)
    encode = msgspec.json.encode
    with (
        data.open("wb") as dataset,
        (run / PREDICTIONS).open("wb") as predictions,
        rows.open("wb") as plain,
    ):
        questions: list[Question] = []
        for place in range(count):
            said, gold = made[place % len(made)]
            texts = (gold,) if isinstance(gold, str) else tuple(gold)
            answer = Answer(kind="span" if len(texts) == 1 else "spans", texts=texts)
            name = f"q{place}"
            passage = Passage(passage_id=f"p{place // A_PASSAGE}", text="A short passage.")
            questions.append(
                Question(
                    question_id=name, passage_id=passage.passage_id, text="How many?",
                    kind="discrete", answers=(answer,),
                )
            )  # fmt: skip
            if len(questions) == A_PASSAGE or place == count - 1:
                dataset.write(encode({"passage": passage, "questions": questions}) + b"\n")
                questions = []
            text = str(said) + (RUN_ON if rng.random() < 0.2 else "")
            prediction = Prediction(
                question_id=name,
                answer=Answer(kind="span", texts=(text,)),
                generation=Generation(text=text, finish_reason="stop"),
            )
            predictions.write(encode(prediction) + b"\n")
            plain.write(json.dumps({"said": text, "gold": list(texts)}).encode() + b"\n")
    opened = load(data)
    info = RunInfo(
        closeread="0", created="2026-01-01T00:00:00+00:00",
        dataset=describe_dataset(opened, count), reader=ReaderInfo(name="made up"), batch_size=1,
        complete=True, n_predictions=count, predictions_sha256="made up",
    )  # fmt: skip
    write_document(run / INFO, info)
    return data, run, rows


def in_memory(run: Path, count: int) -> list[tuple[Question, Prediction]]:
    """Return questions with their predictions, as a rescoring in a notebook has them."""
    opened = Run(run, msgspec.json.decode((run / INFO).read_bytes(), type=RunInfo))
    both = zip(opened.dataset().questions(), opened.predictions(), strict=True)
    return [pair for pair, _ in zip(both, range(count), strict=False)]
