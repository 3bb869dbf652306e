"""Kills a run again and again in the middle of its work and logs what each kill left behind.

Run as a program: ``killed.py FOLDER KILLS SEED`` prints one JSON object. Every victim is a process
of its own (forked, so that none has to import anything) that ends by SIGKILL.
"""

import hashlib
import json
import os
import random
import re
import shutil
import signal
import sys
import time
from pathlib import Path

from closeread.runs.predict import Job, predict
from closeread.runs.records import ReaderInfo
from closeread.types import Answer, Dataset, Generation, Passage, Prediction, Question

PASSAGES = 50
ROLES = ("original", "positive", "negative")
BATCH = 8
ANYWHERE_SECONDS = 0.04
WRITING_SECONDS = 0.004


def items(_defects):
    for number in range(PASSAGES):
        passage = Passage(passage_id=f"p{number}", text=f"Text {number}. " * 20)
        yield (
            passage,
            tuple(
                Question(
                    question_id=f"q{number}#{role}",
                    passage_id=passage.passage_id,
                    text=f"Which {role} {number}?",
                    kind="span",
                    group_id=f"q{number}",
                    role=role,
                )
                for role in ROLES
            ),
        )


DATASET = Dataset(
    name="killed",
    format="jsonl",
    read=items,
    sha256="0" * 64,
    path="killed.jsonl",
)


class Sensitive:
    """Answers with a digest of its whole batch, out of order, at a length that takes writing."""

    def read(self, batch):
        shown = "".join(question.text for _, question in batch)
        for _, question in reversed(batch):
            mark = hashlib.sha256((shown + question.text).encode()).hexdigest()
            yield Prediction(
                question_id=question.question_id,
                answer=Answer(kind="span", texts=(mark,)),
                generation=Generation(text=mark * 400),
                seconds=time.monotonic(),
            )


def work(folder):
    job = Job(
        dataset=DATASET,
        reader=Sensitive(),
        reader_info=ReaderInfo(name="sensitive"),
        batch_size=BATCH,
    )
    predict(job, folder, resume=True)


def canonical(folder):
    """The bytes of the canonical predictions, but for their seconds."""
    return re.sub(rb'"seconds":[0-9.e+-]+', b"", (folder / "predictions.jsonl").read_bytes())


def wait_for_the_moment(chance, ledger):
    """Three times of four wait until the ledger grows and a little more, else anyhow long."""
    if chance.random() < 0.25:
        time.sleep(chance.uniform(0, ANYWHERE_SECONDS))
        return
    before = ledger.stat().st_size if ledger.exists() else 0
    patience = time.monotonic() + 10 * ANYWHERE_SECONDS
    while time.monotonic() < patience:
        if ledger.exists() and ledger.stat().st_size > before:
            break
        time.sleep(0.0002)
    time.sleep(chance.uniform(0, WRITING_SECONDS))


def main(folder, kills, seed):
    chance = random.Random(seed)
    work(folder / "whole")
    expected = canonical(folder / "whole")
    size = (folder / "whole" / "ledger.jsonl").stat().st_size
    log, finished, wrong, run = [], 0, 0, folder / "run"
    while len(log) < kills:
        child = os.fork()
        if not child:
            work(run)
            os._exit(0)
        wait_for_the_moment(chance, run / "ledger.jsonl")
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            ledger = run / "ledger.jsonl"
            raw = ledger.read_bytes() if ledger.exists() else b""
            torn = bool(raw) and not raw.endswith(b"\n")
            log.append({"offset": len(raw), "torn": torn, "lines": raw.count(b"\n")})
            continue
        wrong += os.waitstatus_to_exitcode(status) != 0
        wrong += canonical(run) != expected
        finished += 1
        shutil.rmtree(run)
    print(json.dumps({"log": log, "finished": finished, "wrong": wrong, "size": size}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
