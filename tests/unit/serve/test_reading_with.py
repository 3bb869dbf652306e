"""`closeread read --reader http:URL` against a real service, beside the reader itself."""

import msgspec
import pytest

pytest.importorskip("starlette", reason="starlette is not installed")

from closeread.api.datasets import open_dataset
from closeread.readers import make
from closeread.readers.cues.reader import save_weights, shipped_weights
from closeread.runs.predict import Job, batch_size_of, predict
from closeread.runs.records import describe_reader
from closeread.runs.store import PREDICTIONS
from serving_process import serving


def read(name, exam, folder):
    """The run's file of predictions, without how long each took."""
    reader, options = make(name, {})
    job = Job(
        dataset=open_dataset(exam),
        reader=reader,
        reader_info=describe_reader(name, options, reader),
        limit=12,
        batch_size=batch_size_of(reader),
    )
    predict(job, folder)
    return (folder / PREDICTIONS).read_bytes()


def test_other_weights_under_the_same_name_are_detected(tmp_path):
    """As where the reader runs in this process: a run is not gone on with."""
    weights = tmp_path / "weights.json"
    learned = shipped_weights()
    told = []
    for name in ("一些", "一切"):
        some = {key: value for key, value in learned.weights.items() if key != f"cue:{name}"}
        save_weights(weights, msgspec.structs.replace(learned, weights=some))
        with serving("cues", "-o", f"weights={weights}") as server:
            told.append(server.health()["record_sha256"])
            record = make(f"http:{server.url}", {})[0].record
            assert record["record_sha256"] == told[-1]
    assert len(told[0]) == len(told[1]) == 64
    assert told[0] != told[1]


@pytest.mark.parametrize(
    ("reader", "exam"),
    [
        ("longest-option", "exam/zh"),
        ("random-option", "exam/zh"),  # draws by id
        ("cues", "exam/zh"),
        ("lexical", "exam/en"),
    ],
)
def test_a_served_reader_reads_as_it_does_in_this_process(tmp_path, reader, exam):
    """Byte for byte: what the service's retriever finds is not taken for the reader's evidence."""
    here = read(reader, exam, tmp_path / "here")
    with serving(reader) as server:
        assert read(f"http:{server.url}", exam, tmp_path / "there") == here
