"""Reading, scoring and verifying take no more memory for a large data set than for a small one."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import pathlib, re, sys
import msgspec
from closeread.formats import load
from closeread.readers import make
from closeread.runs.predict import Job, predict
from closeread.runs.records import ReaderInfo, ScoreSettings
from closeread.runs.score import score_run
from closeread.runs.verify import verify

folder, passages = pathlib.Path(sys.argv[1]), int(sys.argv[2])
path = folder / "set.jsonl"
with path.open("wb") as stream:
    for number in range(passages):
        text = f"Text {number} begins. " + "It goes on and on. " * 80
        answer = {"kind": "span", "texts": ["Text"], "spans": [[0, 4]]}
        questions = [
            {"question_id": f"{number}-{one}", "passage_id": str(number), "text": "What?",
             "kind": "span", "answers": [answer]}
            for one in range(3)
        ]
        row = {"passage": {"passage_id": str(number), "text": text}, "questions": questions}
        stream.write(msgspec.json.encode(row) + b"\\n")
job = Job(
    dataset=load(path), reader=make("first-sentence")[0], reader_info=ReaderInfo(name="first")
)
run = predict(job, folder / "run")
score_run(run, ScoreSettings(metrics=("squad",)))
assert verify(run).verdict == "verified"
peak = re.search(r"VmHWM:\\s+(\\d+) kB", pathlib.Path("/proc/self/status").read_text())[1]
print(int(peak) / 1024, path.stat().st_size / 1e6)
"""


def peak_mb(folder: Path, passages: int) -> tuple[float, float]:
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, folder, str(passages)],
        capture_output=True,
        text=True,
        check=True,
    )
    peak, size = map(float, done.stdout.split())
    return peak, size


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc to see the peak")
def test_memory_does_not_grow_with_the_data_set(tmp_path, capsys):
    """A hundred times the data: the peak grows by a small part of what the file holds more."""
    small, small_size = peak_mb(tmp_path / "small", 100)
    large, large_size = peak_mb(tmp_path / "large", 10_000)
    with capsys.disabled():
        print(
            f"\npeak {small:.0f} MB at {small_size:.1f} MB, {large:.0f} MB at {large_size:.1f} MB"
        )
    assert large < 120
    assert large - small < (large_size - small_size)
