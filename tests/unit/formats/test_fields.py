"""What each record of the corpus says, read a second time by plain means, is what we hold."""

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from closeread import formats
from closeread.formats.conversion.convert import convert
from closeread.types import Question

# passage, stem, options, gold: a letter, an option's text, or every accepted answer
Told = tuple[str, str, list[str], Any]


def _vgaokao(value: Any) -> Iterator[Told]:
    for row in value["data"]:
        for qa in row["qas"]:
            yield row["context"], qa["question"], qa["options"], qa["answer"]


def _triples(value: Any) -> Iterator[Told]:
    for row in value["data"]:
        passage = row["passage"]
        yield passage, row["question"], row["options"], row.get("answer")
        yield passage, row["question"], row["positive_options"], row.get("positive_answer")
        yield (
            passage,
            row["negative_question"],
            row["negative_options"],
            row.get("negative_answer"),
        )


def _gcrc(value: Any) -> Iterator[Told]:
    for row in value:
        yield "\n".join(row["passage"]), row["question"], row["opt"], row["answer"]


def _c3(value: Any) -> Iterator[Told]:
    for paragraphs, questions, _ in value:
        for row in questions:
            yield "\n".join(paragraphs), row["question"], row["choice"], [row["answer"]]


def _agieval(value: Any) -> Iterator[Told]:
    for row in value:
        options = [text.lstrip()[3:] if "(" in text[:2] else None for text in row["options"]]
        yield row["passage"], row["question"], options, row["label"]


def _nli(value: Any) -> Iterator[Told]:
    labels = ["entailment", "neutral", "contradiction"]
    for row in value:
        if row["label"] in labels:
            yield row["sentence1"], row["sentence2"], labels, [row["label"]]


def _drop(value: Any) -> Iterator[Told]:
    for row in value.values():
        for qa in row["qa_pairs"]:
            golds = []
            for answer in [qa["answer"], *qa.get("validated_answers", [])]:
                if answer["number"]:
                    golds.append([str(answer["number"])])
                elif answer["spans"]:
                    golds.append(answer["spans"])
                else:
                    date = answer["date"]
                    golds.append([f"{date['day']} {date['month']} {date['year']}"])
            yield row["passage"], qa["question"], [], golds


def _simple(value: Any) -> Iterator[Told]:
    for row in value:
        passage, question = row["context"][len("Passage: ") :].split("\nQuestion: ")
        golds = [[text] for text in row["ref_text"].split("|")]
        yield passage, question[: -len("\nAnswer:")], [], golds


FILES: list[tuple[str, Callable[[Any], Iterator[Told]]]] = [
    ("vgaokao/test.json", _vgaokao),
    ("vgaokao/sample_annotation_visible.json", _vgaokao),
    ("gcrc_advrobust/dev_GCRCadvrobust.json", _triples),
    ("gcrc_advrobust/dev_GCRCadvrobust_predict.json", _triples),
    ("gcrc_advrobust/test_GCRCadvrobust_public.json", _triples),
    ("gcrc_2020/dev.json", _gcrc),
    ("gcrc_2020/test.json", _gcrc),
    ("c3/c3-d-train.json.gz", _c3),
    ("c3/c3-m-dev.json", _c3),
    ("agieval/gaokao-chinese.jsonl", _agieval),
    ("ocnli/dev.json", _nli),
    ("drop/drop_contrast_sets_test.json", _drop),
    ("drop/drop_dataset_dev_sample.json", _drop),
    ("quoref/quoref_dataset_dev.json", _drop),
    ("drop/drop_v0_dev.jsonl.gz", _simple),
]


def _read(path: Path) -> Any:
    raw = path.read_bytes()
    raw = gzip.decompress(raw) if path.suffix == ".gz" else raw
    try:
        return json.loads(raw)
    except json.JSONDecodeError:
        return [json.loads(line) for line in raw.split(b"\n") if line.strip()]


def _gold(question: Question, gold: Any) -> Any:
    if gold is None:
        return None if not question.answers else question.answers
    if isinstance(gold, str):
        return question.answers[0].label
    if gold and isinstance(gold[0], list):
        return [list(answer.texts) for answer in question.answers]
    return list(question.answers[0].texts)


@pytest.mark.parametrize(("name", "tell"), FILES, ids=[name for name, _ in FILES])
def test_every_field_round_trips(corpus: Path, name: str, tell: Callable[[Any], Iterator[Told]]):
    """Passage, stem, options and gold of every question, in the file's order."""
    path = corpus / "data" / name
    ours = [(p, question) for p, questions in formats.load(path) for question in questions]
    theirs = list(tell(_read(path)))
    assert len(ours) == len(theirs) > 0
    for (passage, question), (text, stem, options, gold) in zip(ours, theirs, strict=True):
        assert passage.text == text
        assert question.text == stem
        for option, expected in zip(question.options, options, strict=True):
            assert expected is None or option.text == expected.strip() or option.text == expected
        assert _gold(question, gold) == gold
    print(f"{name}: {len(ours)} questions equal field by field")


def test_gaokao_bench_keeps_every_letter_and_character(corpus: Path):
    """Pieces and what was left out together are the printed string; the letters are all there."""
    path = corpus / "data/gaokao_bench/2010-2022_Chinese_Modern_Lit.json"
    examples = json.loads(path.read_text("utf-8"))["example"]
    for (passage, questions), example in zip(formats.load(path), examples, strict=True):
        assert [question.answers[0].label for question in questions] == example["answer"]
        printed = "".join(example["question"].split())
        for question in questions:
            for text in (question.text, *(option.text for option in question.options)):
                assert "".join(text.split()) in printed
        assert "".join(passage.text.split()) in printed


def test_gaokao_bench_may_end_after_any_question(corpus: Path, tmp_path: Path):
    """What is written of the first questions reads as they do."""
    dataset = formats.load(corpus / "data/gaokao_bench/2010-2022_Chinese_Modern_Lit.json")
    for limit in range(1, 88, 5):
        made = convert(dataset, tmp_path / "cut.json", "gaokao-bench", limit=limit)
        assert (made.questions, made.lost) == (limit, {})
    print("18 cuts of 87 questions read as the questions before them do")


STREAMED = [
    "vgaokao/test.json",
    "gcrc_advrobust/dev_GCRCadvrobust.json",
    "gcrc_2020/dev.json",
    "c3/c3-m-train.json.gz",
    "drop/drop_contrast_sets_test.json",
    "quoref/quoref_dataset_dev.json",
    "gaokao_bench/2010-2022_Chinese_Modern_Lit.json",
]


@pytest.mark.parametrize("name", STREAMED)
def test_large_files_read_the_same(corpus: Path, name: str, monkeypatch: pytest.MonkeyPatch):
    """Read element by element, as a large file is, a set gives the very same records."""
    path = corpus / "data" / name
    whole = formats.load(path)
    items = list(whole)
    monkeypatch.setattr(formats.Source, "is_large", True)
    streamed = formats.load(path)
    assert list(streamed) == items
    assert streamed.metadata == whole.metadata
