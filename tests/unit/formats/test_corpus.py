"""Every question file of the corpus loads whole and comes back equivalent, defects counted."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from closeread import formats
from closeread.types import Defects

UNCHANGED = "option-unchanged"

# file, format, passages (as items), questions, defects
FILES: list[tuple[str, str, int, int, dict[str, int]]] = [
    ("vgaokao/test.json", "vgaokao", 557, 700, {"repeated-option": 1}),
    ("vgaokao/sample_annotation_visible.json", "vgaokao", 13, 13, {}),
    (
        "gcrc_advrobust/dev_GCRCadvrobust.json",
        "gcrc-advrobust",
        336,
        3 * 336,
        {UNCHANGED: 687, "negative-stem-unchanged": 5, "repeated-option": 2},
    ),
    (
        "gcrc_advrobust/dev_GCRCadvrobust_predict.json",
        "gcrc-advrobust",
        336,
        3 * 336,
        {UNCHANGED: 687, "negative-stem-unchanged": 5, "repeated-option": 2},
    ),
    (
        "gcrc_advrobust/test_GCRCadvrobust_public.json",
        "gcrc-advrobust",
        288,
        3 * 288,
        {
            UNCHANGED: 595,
            "negative-stem-unchanged": 2,
            "repeated-option": 4,
            "empty-option": 2,
        },
    ),
    ("gcrc_2020/dev.json", "gcrc", 788, 788, {}),
    ("gcrc_2020/test.json", "gcrc", 788, 788, {}),
    ("c3/c3-d-train.json.gz", "c3", 4885, 5856, {"repeated-option": 3}),
    ("c3/c3-d-dev.json", "c3", 1628, 1825, {"repeated-option": 1}),
    ("c3/c3-d-test.json", "c3", 1627, 1890, {}),
    ("c3/c3-m-train.json.gz", "c3", 3138, 6013, {"repeated-option": 2}),
    ("c3/c3-m-dev.json", "c3", 1046, 1991, {}),
    ("c3/c3-m-test.json", "c3", 1045, 2002, {}),
    ("ocnli/train.10k.json", "nli", 9985, 9985, {"no-label": 15}),
    ("ocnli/dev.json", "nli", 2950, 2950, {"no-label": 50}),
    ("expmrc/expmrc-c3-dev.json", "expmrc", 273, 505, {}),
    ("expmrc/expmrc-cmrc2018-dev.json", "expmrc", 369, 515, {"answer-not-in-passage": 11}),
    ("expmrc/expmrc-race-dev.json", "expmrc", 167, 561, {"empty-option": 1}),
    ("expmrc/expmrc-squad-dev.json", "expmrc", 319, 501, {}),
    (
        "cmrc2018/cmrc2018_dev.json",
        "cmrc",
        848,
        3219,
        {"answer-not-in-passage": 193, "wrong-offset": 7},
    ),
    ("cmrc2018/cmrc2018_trial.json", "cmrc", 256, 1002, {"wrong-offset": 5}),
    ("drcd/DRCD_dev.json", "cmrc", 1000, 3524, {}),
    ("drcd/DRCD_test.json", "cmrc", 1000, 3493, {}),
    ("xquad/xquad.en.json", "squad", 240, 1190, {}),
    ("xquad/xquad.zh.json", "squad", 240, 1190, {}),
    ("squadshifts/new_wiki_v1.0.json.gz", "squad", 1581, 7938, {}),
    ("squadshifts/amazon_reviews_v1.0.json.gz", "squad", 2050, 9885, {}),
    ("squad_adv/sample1k-HCVerifyAll.json", "squad", 3358, 3560, {}),
    ("squad2_subset/appcoreopc_dev-v2.0.json", "squad", 83, 706, {}),
    ("mlqa/dev-context-en-question-en.json", "squad", 978, 1148, {}),
    ("covidqa/200423_covidQA.json", "squad", 98, 1380, {"wrong-offset": 234}),
    ("drop/drop_v0_dev.jsonl.gz", "drop-simple", 9536, 9536, {"duplicate-question": 848}),
    ("drop/drop_contrast_sets_test.json", "drop", 75, 947, {"answer-not-in-passage": 7}),
    ("drop/drop_dataset_dev_sample.json", "drop", 4, 73, {"answer-not-in-passage": 1}),
    ("quoref/quoref_dataset_dev.json", "drop", 454, 2418, {"wrong-offset": 50}),
    ("mrqa/NewsQA_sample.jsonl", "mrqa", 3, 17, {}),
    ("mrqa/NewsQA_single_sample.json", "mrqa", 1, 1, {}),
    (
        "agieval/gaokao-chinese.jsonl",
        "agieval",
        246,
        246,
        {"odd-option-letter": 11, "duplicate-question": 15},
    ),
    ("gaokao_bench/2010-2022_Chinese_Modern_Lit.json", "gaokao-bench", 29, 87, {}),
    ("gaokao_bench/gpt-4-0314_2010-2022_Chinese_Modern_Lit.json", "gaokao-bench", 29, 87, {}),
]

# What stands in the same folders and holds no questions.
NO_QUESTIONS = {
    "cmrc2018/predictions.json",
    "expmrc/train-pseudo-c3.zip",
    "mrqa/pred-output.json",
    "quoref/quoref_predictions_visible.jsonl",
    "squad_adv/add_one_sent_ids.json",
    "vgaokao/official_evidence.json",
    "vgaokao/official_logits.txt",
    "vgaokao/official_predictions.json",
    "vgaokao/stop_words.txt",
}


def _json(path: Path) -> Any:
    raw = path.read_bytes()
    raw = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
    try:
        return json.loads(raw)
    except json.JSONDecodeError:
        return [json.loads(line) for line in raw.split(b"\n") if line.strip()]


def _canonical_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def test_every_question_file_of_the_corpus_is_listed(corpus: Path):
    """Every file of the folders with questions is listed here, or named as holding none."""
    folders = {name.split("/")[0] for name, *_ in FILES}
    there = {
        f"{folder}/{path.name}"
        for folder in folders
        for path in (corpus / "data" / folder).iterdir()
        if path.is_file()
    }
    assert there == {name for name, *_ in FILES} | NO_QUESTIONS


@pytest.mark.parametrize("recorded", FILES, ids=[file[0] for file in FILES])
def test_a_corpus_file_round_trips(
    corpus: Path, tmp_path: Path, recorded: tuple[str, str, int, int, dict[str, int]]
):
    """Format, counts and defects are as recorded; spans slice to what they claim; dump is load."""
    name, format_name, passages, questions, defects = recorded
    path = corpus / "data" / name
    dataset = formats.load(path)
    assert dataset.format == format_name
    found, counted = Defects(), [0, 0]
    for passage, asked in dataset.read(found):
        counted[0] += 1
        counted[1] += len(asked)
        for question in asked:
            for answer in question.answers:
                for span in answer.spans:
                    assert span.of(passage.text) in "\n".join(answer.texts)
                if answer.kind == "choice" and answer.label:
                    texts = {option.label: option.text for option in question.options}
                    assert answer.texts == (texts[answer.label],)
            for evidence in question.gold_evidence:
                for span in evidence.spans:
                    assert span.of(passage.text).strip()
    assert counted == [passages, questions]
    assert found.counts == defects

    written = tmp_path / "written.json"
    formats.dump(dataset, written)
    before, after = _json(path), _json(written)
    if format_name == "nli":
        before = [row for row in before if row["label"] != "-"]
    assert _canonical_json(after) == _canonical_json(before)
    print(f"{name}: {passages} passages, {questions} questions equal")
