"""Published sets are known by their content, and their terms travel with them."""

import json
from pathlib import Path

import pytest

from closeread import formats
from closeread.exam import locate

TERMS = [
    ("vgaokao/test.json", "Apache-2.0"),
    ("gcrc_advrobust/dev_GCRCadvrobust.json", "non-commercial"),
    ("gcrc_2020/dev.json", "none stated"),
    ("c3/c3-m-train.json.gz", "non-commercial"),
    ("c3/c3-d-dev.json", "non-commercial"),
    ("ocnli/dev.json", "CC BY-NC 2.0"),
    ("drop/drop_dataset_dev_sample.json", "CC BY-SA 4.0"),
    ("gaokao_bench/2010-2022_Chinese_Modern_Lit.json", "Apache-2.0"),
]


@pytest.mark.parametrize(("name", "terms"), TERMS)
def test_published_sets_have_their_terms(corpus: Path, name: str, terms: str):
    """The licence is the publishers', whatever the file is called."""
    assert terms in formats.load(corpus / "data" / name).license


@pytest.mark.parametrize("name", ["vgaokao", "gcrc-advrobust", "gcrc", "c3", "race"])
def test_other_sets_in_these_formats_have_no_terms(tmp_path: Path, name: str):
    """A set of one's own, written in a published form, does not take that set's licence."""
    path = tmp_path / "own.json"
    formats.dump(formats.load(locate("exam/zh")), path, name)
    assert formats.load(path).license == ""


def test_race_and_inference_sets_are_recognised_by_ids(tmp_path: Path):
    """RACE's article names, SNLI's captions and MultiNLI's prompts tell the set."""
    race = {"article": "a", "questions": [], "options": [], "answers": [], "id": "middle12.txt"}
    pair = {"sentence1": "a", "sentence2": "b", "gold_label": "neutral", "pairID": "1"}
    snli = pair | {"captionID": "1.jpg#0", "annotator_labels": ["neutral"]}
    multinli = pair | {"promptID": "1", "genre": "fiction"}
    said = []
    for row, name in ((race, "race"), (snli, "nli"), (multinli, "nli"), (pair, "nli")):
        path = tmp_path / "set.jsonl"
        path.write_text(json.dumps(row), "utf-8")
        said.append(formats.load(path, name).license.split()[0:1])
    assert said == [["non-commercial"], ["CC"], ["OANC's"], []]
