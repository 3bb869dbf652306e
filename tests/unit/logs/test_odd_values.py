"""A value of another type anywhere in a log is never a traceback."""

import json
import random
from pathlib import Path

import pytest

from closeread.errors import CloseReadError
from closeread.formats.logs.detect import guess
from closeread.runs.ingest import ingest

FIXTURES = Path(__file__).parent / "fixtures"
LOGS = [
    ("lm-eval", "lm_eval/samples_drop_local_2026-11-20T12-01-37.903515.jsonl"),
    ("lm-eval", "lm_eval/samples_choice_local_2026-11-20T12-01-37.944379.jsonl"),
    ("lm-eval-results", "handmade/results-v1.json"),
    ("evalscope", "evalscope/reviews/canned/drop_default.jsonl"),
    ("evalscope", "evalscope/predictions/canned/drop_default.jsonl"),
    ("opencompass", "opencompass/predictions/canned/drop.json"),
    ("opencompass", "handmade/race-ppl.json"),
    ("simple-evals", "handmade/drop_canned-model_20261120_120000_allresults.json"),
    ("gaokao-bench", "handmade/canned-4_2030_Our_Own_Texts.json"),
]
ODD = (None, 7, -1.5, True, "", "text", [], {}, [None], {"a": None}, [[1]], float("nan"))


def with_odd_value(value, rng):
    """The value with something in it, at any depth, made something else."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = rng.choice(sorted(value))
        return value | {key: with_odd_value(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.85:
        place = rng.randrange(len(value))
        return [*value[:place], with_odd_value(value[place], rng), *value[place + 1 :]]
    return rng.choice(ODD)


@pytest.mark.parametrize(("harness", "name"), LOGS, ids=[name for _, name in LOGS])
def test_odd_values_are_counted_or_accepted(tmp_path, harness, name):
    text = (FIXTURES / name).read_text("utf-8")
    whole = not name.endswith(".jsonl")
    rows = [json.loads(text)] if whole else [json.loads(one) for one in text.splitlines()]
    path = tmp_path / Path(name).name
    refused = 0
    for seed in range(50):
        rng = random.Random(seed)
        place = rng.randrange(len(rows))
        made = [with_odd_value(row, rng) if at == place else row for at, row in enumerate(rows)]
        path.write_text("".join(json.dumps(row) + "\n" for row in made), "utf-8")
        try:
            ingest([path], tmp_path / f"run-{seed}", harness=harness, skip_bad=seed % 2 == 0)
        except CloseReadError:
            refused += 1
    assert refused < 50


def test_odd_values_in_inspect_logs_are_counted_or_accepted(tmp_path):
    (log,) = (FIXTURES / "inspect").glob("*.json")
    whole = json.loads(log.read_text("utf-8"))
    for sample in whole["samples"]:
        sample.pop("events", None)
    path = tmp_path / "log.json"
    refused = 0
    for seed in range(150):
        path.write_text(json.dumps(with_odd_value(whole, random.Random(seed))), "utf-8")
        try:
            ingest([path], tmp_path / f"run-{seed}", harness="inspect", skip_bad=seed % 2 == 0)
        except CloseReadError:
            refused += 1
    assert refused < 150


@pytest.mark.parametrize(
    ("harness", "name"),
    [
        *LOGS,
        ("inspect", "inspect/2026-11-20T12-01-42-00-00_choice-local_3eLZzKjCGPwk7m22iVKuqb.json"),
    ],
    ids=lambda name: name,
)
def test_a_log_with_nan_is_recognised(tmp_path, harness, name):
    """Also where the name tells nothing: the first record is all there is to guess by."""
    text = (FIXTURES / name).read_text("utf-8")
    place = text.rindex("}") if name.endswith("json") else text.index("}\n")
    path = tmp_path / f"log{Path(name).suffix}"
    path.write_text(f'{text[:place].rstrip()}, "odd": [NaN, -Infinity]{text[place:]}', "utf-8")
    found = guess(path)
    assert found is not None and found.name == harness
