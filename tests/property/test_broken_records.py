"""A record with anything missing or of another kind is read, or refused with a clear message."""

import copy
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeread import formats
from closeread.errors import InputError, UsageError
from closeread.types import Defects
from format_samples import CHECKED, NEWS, PAGE, PAPER, SNIPPETS, STORY, TALK, WEB

FOUR = ["一", "二", "三", "四"]
DATE = {"day": "", "month": "", "year": "1962"}
VALID: dict[str, Any] = {
    "vgaokao": {
        "version": "1",
        "data": [
            {
                "cid": 1,
                "context": "一。二。",
                "qas": [
                    {
                        "qid": "q",
                        "question": "不正确的一项是",
                        "options": FOUR,
                        "answer": "A",
                        "correctness": [0, 1, 1, 1],
                        "golden_evidence": [["一。"], [], [], ["二。"]],
                    }
                ],
            }
        ],
    },
    "gcrc-advrobust": {
        "data": [
            {
                "id": "q",
                "title": "t",
                "passage": "一。",
                "question": "正确的一项是",
                "options": FOUR,
                "answer": "A",
                "positive_options": FOUR,
                "positive_answer": "B",
                "negative_question": "不正确的一项是",
                "negative_options": FOUR,
                "negative_answer": "C",
            }
        ]
    },
    "gcrc": [
        {
            "id": "q",
            "source": "s",
            "title": "null",
            "passage": ["一。", "二。"],
            "question": "正确的一项是",
            "opt": FOUR,
            "answer": "A",
        }
    ],
    "c3": [[["一。"], [{"question": "谁?", "choice": ["甲", "乙"], "answer": "甲"}], "d"]],
    "race": {
        "article": "a",
        "questions": ["q", "r"],
        "options": [FOUR, FOUR],
        "answers": ["A", "B"],
        "id": "x",
    },
    "agieval": {"passage": "p", "question": "q", "options": ["(A)a", "(B)b"], "label": "A"},
    "nli": {"sentence1": "a", "sentence2": "b", "label": "neutral", "id": 1, "genre": "g"},
    "drop": {
        "p": {
            "passage": "Ann won 3.",
            "qa_pairs": [
                {
                    "question": "q",
                    "query_id": "i",
                    "answer": {"number": "3", "date": DATE, "spans": []},
                    "validated_answers": [{"number": "", "date": DATE, "spans": ["Ann"]}],
                    "original_answer": [{"text": "Ann", "answer_start": 0}],
                }
            ],
        }
    },
    "drop-simple": {
        "context": "Passage: p\nQuestion: q\nAnswer:",
        "completion": " a",
        "ref_text": "a|b",
    },
    "gaokao-bench": {
        "keywords": "k",
        "example": [
            {
                "question": "文。\n（1）不正确的一项是（ ）\nA．一\nB．二\nC．三\nD．四\n",
                "answer": ["A"],
                "analysis": "",
                "index": 0,
                "year": "2012",
            }
        ],
    },
    "hotpotqa": {
        "_id": "q",
        "question": "Who?",
        "answer": "Ann",
        "type": "bridge",
        "level": "easy",
        "supporting_facts": [["Races", 0]],
        "context": [["Races", ["Ann won.", " Ben lost."]]],
    },
    "musique": {
        "id": "2hop__1_2",
        "question": "Who?",
        "paragraphs": [
            {"idx": 0, "title": "Races", "paragraph_text": "Ann won.", "is_supporting": True}
        ],
        "answer": "Ann",
        "answer_aliases": ["ann"],
        "answerable": True,
    },
    "rows": {
        "id": "q",
        "title": "t",
        "context": "Ann won.",
        "question": "Who?",
        "answers": {"text": ["Ann"], "answer_start": [0]},
    },
    "multirc": CHECKED,
    "multirc of SuperGLUE": {
        "idx": 0,
        "version": 1.1,
        "passage": {
            "text": "Ann won.",
            "questions": [
                {
                    "question": "Who?",
                    "answers": [
                        {"text": "Ann", "idx": 0, "label": 1},
                        {"text": "Ben", "idx": 1, "label": 0},
                    ],
                    "idx": 0,
                }
            ],
        },
    },
    "qasper": PAPER,
    "qasper in rows": {
        "id": "1901.00001",
        "title": "t",
        "abstract": "Ann won.",
        "full_text": {"section_name": ["Data"], "paragraphs": [["Ben lost."]]},
        "qas": {
            "question": ["Who?"],
            "question_id": ["q"],
            "answers": [
                {
                    "answer": [
                        {
                            "unanswerable": False,
                            "extractive_spans": ["Ann"],
                            "yes_no": None,
                            "free_form_answer": "",
                            "evidence": ["Ann won."],
                        }
                    ],
                    "annotation_id": ["a"],
                }
            ],
        },
        "figures_and_tables": {"caption": ["c"], "file": ["f"]},
    },
    "bioasq": SNIPPETS,
    "nq": PAGE,
    "newsqa": NEWS,
    "webqa": WEB,
    "nq in rows": {
        "id": "7",
        "document": {
            "title": "t",
            "url": "u",
            "html": "<p>",
            "tokens": {"token": ["Ann", "won"], "is_html": [False, False]},
        },
        "question": {"text": "who won", "tokens": ["who", "won"]},
        "annotations": {
            "id": ["1"],
            "long_answer": [{"start_token": 0, "end_token": 2, "candidate_index": 0}],
            "short_answers": [{"start_token": [0], "end_token": [1], "text": ["Ann"]}],
            "yes_no_answer": [-1],
        },
    },
    "coqa": STORY,
    "quac": TALK,
    "coqa in rows": {
        "source": "mctest",
        "story": "Ann won.",
        "questions": ["Who?", "Sure?"],
        "answers": {"input_text": ["Ann", "yes"], "answer_start": [0, 0], "answer_end": [3, 8]},
    },
    "quac in rows": {
        "dialogue_id": "d",
        "context": "Ann won. CANNOTANSWER",
        "turn_ids": ["d_q#0"],
        "questions": ["Who?"],
        "followups": [0],
        "yesnos": [2],
        "answers": {"texts": [["Ann"]], "answer_starts": [[0]]},
        "orig_answers": {"texts": ["Ann"], "answer_starts": [0]},
    },
    "rows of questions": {
        "article": "Ann won.",
        "set_unique_id": "s",
        "title": "t",
        "questions": [
            {
                "question": "Who?",
                "question_unique_id": "s_1",
                "options": ["Ben", "Ann"],
                "gold_label": 2,
                "difficult": 0,
            }
        ],
    },
    "rows of truth": {"passage": "Ann won.", "question": "did Ann win", "answer": True},
    "rows of options": {
        "id_string": "val_0",
        "context": "Ann won.",
        "question": "Who?",
        "answers": ["Ben", "Ann"],
        "label": 1,
    },
    "quoref": {
        "data": [
            {
                "title": "t",
                "paragraphs": [
                    {
                        "context_id": "c",
                        "context": "Ann won.",
                        "qas": [
                            {
                                "id": "q",
                                "question": "Who?",
                                "answers": [{"text": "Ann", "answer_start": 0}],
                            }
                        ],
                    }
                ],
            }
        ]
    },
}
ODD = st.sampled_from([None, True, 7, -1.5, "", "x", "\0", [], [[]], {}, {"a": None}, ["A"] * 6])


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            found += _places(inner, (*path, key))
    return found


def _read(value: Any, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "set.json"
        path.write_text(json.dumps(value, ensure_ascii=False), "utf-8")
        try:
            dataset = formats.load(path, _format(name))
            taken = list(dataset.read(Defects()))
        except InputError as error:
            assert str(path) in str(error)
            assert "do: " in str(error)
            return
        # What was taken in can be given back; of nothing an empty file is not written.
        try:
            formats.dump(dataset, Path(folder) / "back.json")
        except UsageError as error:
            assert not taken
            assert "the file would be empty" in str(error)


def _format(name: str) -> str:
    return "drop" if name == "quoref" else name.split()[0]


@pytest.mark.parametrize("name", VALID)
def test_valid_records_are_valid(name: str, tmp_path: Path):
    """The records that are broken below are whole before: recognised, without defects."""
    path = tmp_path / "set.json"
    path.write_text(json.dumps(VALID[name], ensure_ascii=False), "utf-8")
    dataset = formats.load(path)
    assert dataset.format == _format(name)
    allowed = {"option-unchanged"}
    assert set(dataset.check().counts) <= allowed
    assert list(dataset.questions())


@pytest.mark.parametrize("name", VALID)
@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_broken_records_are_read_or_refused(name: str, data: st.DataObject):
    """One place of a record is taken out or replaced: no traceback, and a message with a cure."""
    value = copy.deepcopy(VALID[name])
    for _ in range(data.draw(st.integers(1, 2))):
        places = _places(value)
        if not places:
            break
        *above, last = data.draw(st.sampled_from(places))
        parent = value
        for key in above:
            parent = parent[key]
        if data.draw(st.booleans()):
            del parent[last]
        else:
            parent[last] = copy.deepcopy(data.draw(ODD))
    _read(value, name)
