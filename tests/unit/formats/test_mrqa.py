"""MRQA: what its lines become, and which of the shared task's promises a file breaks."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from closeread.formats import dump, load
from closeread.types import Answer, Defects, Span

CONTEXT = "Réaumur measured heat. 他测量了热。 He measured 80 degrees 🔥, then 80 more."


def write_line(folder: Path, value: Any) -> Path:
    path = folder / "set.jsonl"
    path.write_text(json.dumps(value, ensure_ascii=False), "utf-8")
    return path


def read_single(path: Path) -> tuple[Any, Any, dict[str, int]]:
    defects = Defects()
    ((passage, (question,)),) = load(path).read(defects)
    return passage, question, defects.counts


def raw_json(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def tokenize(text: str) -> list[list[Any]]:
    """Words and marks with their places."""
    return [[found.group(), found.start()] for found in re.finditer(r"\w+|[^\w\s]", text)]


def mrqa_line(context: str = CONTEXT, **question: Any) -> dict[str, Any]:
    """A line with one question, whose answer 80 is marked where it stands first."""
    start, tokens = context.index("80"), tokenize(context)
    token = tokens.index(["80", start])
    asked = {
        "qid": "q",
        "question": "How many?",
        "question_tokens": [["How", 0], ["many", 4], ["?", 8]],
        "detected_answers": [
            {"text": "80", "char_spans": [[start, start + 1]], "token_spans": [[token, token]]}
        ],
        "answers": ["80"],
    }
    return {"context": context, "context_tokens": tokens, "qas": [asked | question]}


def test_spans_on_disk_are_inclusive(tmp_path):
    """Inclusive spans become half-open, in answers and in metadata, and inclusive again."""
    path = write_line(tmp_path, mrqa_line(answers=["80", "eighty"]))
    start = CONTEXT.index("80")
    passage, question, defects = read_single(path)
    assert question.answers == (
        Answer(kind="span", texts=("80",), spans=(Span(start, start + 2),)),
        Answer(kind="span", texts=("eighty",)),
    )
    assert question.metadata["detected_answers"] == [
        {"text": "80", "char_spans": [[start, start + 2]], "token_spans": [[8, 9]]}
    ]
    assert question.metadata["question_tokens"][1] == ("many", 4)
    assert passage.metadata["context_tokens"][8] == ("80", start)
    assert not defects
    dump(load(path), tmp_path / "back")
    assert raw_json(tmp_path / "back") == raw_json(path)


def test_wrong_offsets_are_moved_to_the_nearest_occurrence(tmp_path):
    """What stands elsewhere, or ends elsewhere, is counted and found; without it there is none."""
    first, second = (found.start() for found in re.finditer("80", CONTEXT))
    wrong = [[0, 1], [first, 900], [second + 1, second + 2], [second, second + 1]]
    found = {"text": "80", "char_spans": wrong, "token_spans": [[0, 0]] * 4}
    line = mrqa_line(detected_answers=[found]) | {"context_tokens": None}
    _, question, defects = read_single(write_line(tmp_path, line))
    assert defects == {"wrong-offset": 3}
    assert [span.start for span in question.answers[0].spans] == [first, second, second]
    gone = {"text": "eighty", "char_spans": [[0, 5]], "token_spans": [[0, 0]]}
    line = mrqa_line(detected_answers=[gone], answers=["eighty"]) | {"context_tokens": None}
    _, question, defects = read_single(write_line(tmp_path, line))
    assert defects == {"answer-not-in-passage": 1, "answer-without-place": 1}
    assert question.answers == (Answer(kind="span", texts=("eighty",)),)


def without(line: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in line.items() if name != key}


START = CONTEXT.index("80")
SHIFTED = [[token, place + (place > 0)] for token, place in tokenize(CONTEXT)]
BESIDE = {"text": "80", "char_spans": [[START, START + 1]], "token_spans": [[7, 7]]}
MANY = "80" + " more" * 800


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (mrqa_line(), {}),
        (without(mrqa_line(), "context_tokens"), {}),
        (mrqa_line(answers=[]), {"no-answer": 1}),
        (mrqa_line(answers=["eighty"]), {"answer-not-accepted": 1, "answer-without-place": 1}),
        (mrqa_line(answers=["The 80!", "eighty"]), {}),
        (mrqa_line(detected_answers=[]), {"answer-without-place": 1}),
        (mrqa_line(question_tokens=[["How", 0], ["many", -4]]), {"wrong-token": 1}),
        (mrqa_line() | {"context_tokens": SHIFTED}, {"wrong-token": 1, "wrong-token-span": 1}),
        (mrqa_line(detected_answers=[BESIDE]), {"wrong-token-span": 1}),
        (mrqa_line(detected_answers=[BESIDE | {"token_spans": []}]), {"wrong-token-span": 1}),
        (
            mrqa_line(detected_answers=[BESIDE | {"token_spans": [[8, 99]]}]),
            {"wrong-token-span": 1},
        ),
        (mrqa_line(MANY), {"too-many-tokens": 1}),
        (mrqa_line(MANY[:-5]), {}),
    ],
)
def test_defects_are_counted(tmp_path, line, found):
    """What the shared task says of its files, one by one; the file comes back in any case."""
    path = write_line(tmp_path, line)
    assert read_single(path)[2] == found
    dump(load(path), tmp_path / "back")
    assert raw_json(tmp_path / "back") == raw_json(path)


def test_the_header_names_the_set(tmp_path):
    """The header gives the name, and is written back; without it there is none."""
    path = tmp_path / "x.jsonl"
    header = {"header": {"dataset": "Heat", "split": "dev", "more": 1}}
    path.write_text(json.dumps(header) + "\n" + json.dumps(mrqa_line()) + "\n")
    dataset = load(path)
    assert (dataset.name, dataset.format) == ("Heat-dev", "mrqa")
    dump(dataset, tmp_path / "back.jsonl")
    assert json.loads((tmp_path / "back.jsonl").read_text().split("\n")[0]) == header
    assert load(write_line(tmp_path, mrqa_line())).metadata == {}


def test_sets_of_the_shared_task_have_their_terms(tmp_path):
    """By the names in their headers; a set of the user's that is called so has none of them."""
    path = tmp_path / "x.jsonl"
    for terms, header in (
        ("MIT; the plots keep their own terms", {"dataset": "DuoRC.ParaphraseRC", "split": "dev"}),
        ("non-commercial research only", {"dataset": "RACE", "split": "dev"}),
        ("", {"dataset": "RACE", "split": "dev", "tokenizer": "spaCy"}),
        ("CC0", {"dataset": "RACE", "split": "dev", "license": "CC0"}),
        ("", {"dataset": "Heat", "split": "dev"}),
    ):
        path.write_text(json.dumps({"header": header}) + "\n" + json.dumps(mrqa_line()) + "\n")
        assert load(path).license == terms


def test_markers_stay_in_the_text(tmp_path):
    """[TLE], [DOC] and [PAR] are part of the passage, as the spans count them."""
    text = "[TLE] Heat [PAR] It was 80."
    passage, question, defects = read_single(write_line(tmp_path, mrqa_line(text)))
    assert passage.text == text
    assert question.answers[0].spans[0].of(text) == "80"
    assert not defects


def test_the_official_sample_round_trips(corpus: Path):
    """Every detected span of the shared task's sample slices to its text."""
    compared = 0
    lines = (corpus / "data/mrqa/NewsQA_sample.jsonl").read_text("utf-8").splitlines()
    for (passage, questions), line in zip(
        load(corpus / "data/mrqa/NewsQA_sample.jsonl"), lines, strict=True
    ):
        raw = json.loads(line)
        assert passage.text == raw["context"]
        for question, asked in zip(questions, raw["qas"], strict=True):
            assert question.question_id == asked["qid"]
            assert [a.texts[0] for a in question.answers] == asked["answers"]
            expected = [Span(s, e + 1) for s, e in asked["detected_answers"][0]["char_spans"]]
            assert list(question.answers[0].spans) == expected
            compared += len(expected)
    assert compared == 17
