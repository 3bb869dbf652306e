"""One tiny valid file of each format, for the fuzzer to start from. All text is ours."""

import io
import json
import zipfile

from format_samples import RAW_FILES


def _lines(*rows: object) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def _whole(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def _zipped(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as made:
        for name, content in members.items():
            made.writestr(name, content)
    return stream.getvalue()


_TEXT = "Ada saw 12 owls on 3 May 1901. Ben saw none."
_TEXT_ZH = "甲先到。乙后到，并且带来了书。"
_QA = {"id": "q", "question": "Who?", "answers": [{"text": "Ada", "answer_start": 0}]}
_QA_ZH = {"id": "q", "question": "谁？", "answers": [{"text": "甲", "answer_start": 0}]}
_OPTIONS = ["甲先到。", "乙先到。", "没有书。", "无人到。"]
_DROP_ANSWER = {
    "number": "",
    "date": {"day": "", "month": "", "year": ""},
    "spans": ["Ada"],
    "hit_id": "h",
    "worker_id": "w",
}

SEEDS: dict[str, list[bytes]] = {
    "mrqa": [
        _lines(
            {"header": {"dataset": "d", "split": "dev"}},
            {
                "id": "",
                "context": _TEXT,
                "context_tokens": [["Ada", 0], ["saw", 4]],
                "qas": [
                    {
                        "qid": "q",
                        "id": "i",
                        "question": "Who?",
                        "question_tokens": [["Who", 0], ["?", 3]],
                        "detected_answers": [
                            {"text": "Ada", "char_spans": [[0, 2]], "token_spans": [[0, 0]]}
                        ],
                        "answers": ["Ada"],
                    }
                ],
            },
        )
    ],
    "expmrc": [
        _whole(
            {
                "version": "expmrc-x",
                "data": [
                    {
                        "title": "t",
                        "paragraphs": [
                            {
                                "id": "p",
                                "context": _TEXT,
                                "qas": [_QA | {"evidences": [_TEXT[:31]]}],
                            }
                        ],
                    }
                ],
            }
        ),
        _whole(
            {
                "version": "expmrc-c3",
                "data": [
                    {
                        "id": "a",
                        "article": _TEXT_ZH,
                        "questions": ["谁？"],
                        "options": [["甲", "乙"]],
                        "answers": ["A"],
                        "evidences": [["甲先到。"]],
                    }
                ],
            }
        ),
    ],
    "squad": [
        _whole(
            {
                "version": "v2.0",
                "data": [
                    {
                        "title": "t",
                        "paragraphs": [
                            {
                                "context": _TEXT,
                                "qas": [
                                    _QA | {"is_impossible": False},
                                    {
                                        "id": "r",
                                        "question": "Why?",
                                        "answers": [],
                                        "is_impossible": True,
                                        "plausible_answers": [{"text": "Ben", "answer_start": 31}],
                                    },
                                ],
                            }
                        ],
                    }
                ],
            }
        )
    ],
    "cmrc": [
        _whole(
            {
                "version": "v1.0",
                "data": [
                    {
                        "title": "t",
                        "id": "1",
                        "paragraphs": [{"id": "P", "context": _TEXT_ZH, "qas": [_QA_ZH]}],
                    }
                ],
            }
        )
    ],
    "drop": [
        _whole(
            {
                "p": {
                    "passage": _TEXT,
                    "qa_pairs": [
                        {
                            "question": "Who?",
                            "query_id": "q",
                            "answer": _DROP_ANSWER,
                            "validated_answers": [_DROP_ANSWER | {"number": "12"}],
                        }
                    ],
                }
            }
        )
    ],
    "drop-simple": [
        _lines(
            {
                "context": f"Passage: {_TEXT}\nQuestion: Who?\nAnswer:",
                "completion": " Ada",
                "ref_text": "Ada|Ada and Ben",
            }
        )
    ],
    "gcrc-advrobust": [
        _whole(
            {
                "data": [
                    {
                        "id": "g",
                        "title": "t",
                        "passage": _TEXT_ZH,
                        "question": "正确的一项是",
                        "options": _OPTIONS,
                        "answer": "A",
                        "positive_options": _OPTIONS[::-1],
                        "positive_answer": "D",
                        "negative_question": "不正确的一项是",
                        "negative_options": _OPTIONS,
                        "negative_answer": "B",
                    }
                ]
            }
        )
    ],
    "gcrc": [
        _whole(
            [
                {
                    "id": "1",
                    "source": "s",
                    "title": "null",
                    "passage": ["甲先到。", "乙后到。"],
                    "question": "正确的一项是",
                    "options": _OPTIONS,
                    "answer": "A",
                    "opt": "",
                }
            ]
        )
    ],
    "vgaokao": [
        _whole(
            {
                "version": "VGaokao-x",
                "data": [
                    {
                        "cid": 3,
                        "context": _TEXT_ZH,
                        "qas": [
                            {
                                "qid": "6",
                                "question": "不正确的一项是",
                                "options": _OPTIONS,
                                "answer": "B",
                                "correctness": [1, 0, 1, 1],
                                "golden_evidence": [["甲先到。"], ["甲先到。"], [], []],
                            }
                        ],
                    }
                ],
            }
        )
    ],
    "c3": [
        _whole(
            [[["甲先到。"], [{"question": "谁？", "choice": ["甲", "乙"], "answer": "甲"}], "1"]]
        )
    ],
    "race": [
        _whole(
            {
                "article": _TEXT,
                "questions": ["Who?"],
                "options": [["Ada", "Ben"]],
                "answers": ["A"],
                "id": "x.txt",
            }
        )
    ],
    "agieval": [
        _lines(
            {
                "passage": _TEXT_ZH,
                "question": "谁？",
                "options": ["(A)甲", "(B)乙"],
                "label": "A",
                "answer": None,
                "other": {"source": "x"},
            }
        )
    ],
    "hotpotqa": [
        _whole(
            [
                {
                    "_id": "q",
                    "question": "Who?",
                    "answer": "Ada",
                    "type": "bridge",
                    "supporting_facts": [["Owls", 0]],
                    "context": [["Owls", [_TEXT, " Ben saw none."]]],
                }
            ]
        )
    ],
    "musique": [
        _lines(
            {
                "id": "2hop__1_2",
                "question": "Who?",
                "paragraphs": [
                    {"idx": 0, "title": "Owls", "paragraph_text": _TEXT, "is_supporting": True}
                ],
                "answer": "Ada",
                "answer_aliases": [],
                "answerable": True,
            }
        )
    ],
    "rows": [
        _lines(
            {
                "id": "q",
                "context": _TEXT,
                "question": "Who?",
                "answers": {"text": ["Ada"], "answer_start": [0]},
            }
        ),
        _lines(
            {
                "id_string": "q",
                "context": _TEXT,
                "question": "Who?",
                "answers": ["Ben", "Ada"],
                "label": 1,
            }
        ),
        _lines({"passage": _TEXT, "question": "did Ada see owls", "answer": True}),
    ],
    "gaokao-bench": [
        _whole(
            {
                "keywords": "k",
                "example": [
                    {
                        "year": "2010",
                        "category": "c",
                        "question": "阅读\n甲先到。\n1. 正确的一项是\nA. 甲\nB. 乙\nC. 丙\nD. 丁\n",
                        "answer": ["A"],
                        "analysis": "",
                        "index": 0,
                        "score": 3,
                    }
                ],
            }
        )
    ],
    "nli": [
        _lines(
            {"sentence1": "甲先到。", "sentence2": "甲到了。", "label": "entailment", "id": 1},
            {"sentence1": "甲先到。", "sentence2": "甲没到。", "label": "-", "id": 2},
        ),
        _lines(
            {
                "gold_label": "neutral",
                "sentence1": "A b.",
                "sentence2": "C.",
                "pairID": "1",
                "captionID": "2",
            }
        ),
    ],
    "jsonl": [
        _lines(
            {
                "passage": {"passage_id": "p", "text": _TEXT},
                "questions": [
                    {
                        "question_id": "q",
                        "passage_id": "p",
                        "text": "Who?",
                        "kind": "span",
                        "answers": [{"kind": "span", "texts": ["Ada"], "spans": [[0, 3]]}],
                    }
                ],
            }
        ),
        _lines({"id": "q", "passage": _TEXT, "question": "Who?", "answer": "Ada"}),
    ],
    **{
        name: [RAW_FILES[name].encode()]
        for name in (
            "coqa",
            "quac",
            "nq",
            "newsqa",
            "webqa",
            "bioasq",
            "qasper",
            "multirc",
        )
    },
    "csv": [b"id,passage,question,answer\nq,Ada saw owls.,Who?,Ada\n"],
}

_LETTERS = {"id": "g", "answer": "A", "positive_answer": "B", "negative_answer": "C"}

SUBMISSIONS: list[bytes] = [
    _whole({"q": "Ada", "r": ["Ada", "Ben"], "s": None}),
    _whole({"q": {"answers": ["Ada"], "scores": [0.5]}}),
    _whole({"q": [{"text": "Ada", "probability": 0.5}]}),
    _whole({"q": {"answer": "A", "evidence": "Ada saw."}}),
    _whole({"data": [_LETTERS]}),
    _zipped(
        {
            "GCRC_advRobust.json": _whole({"data": [_LETTERS]}),
            "model.zip": _zipped({"weights": b"0"}),
            "GCRC_advRobust.docx": _zipped({"word/document.xml": b"<x/>"}),
        }
    ),
    _whole({"results": [{"qid": "6", "prob": [0.1, 0.9], "prediction": 1}]}),
    _whole({"data": [{"qid": "6", "opid": 0, "sentence1": "甲先到。"}]}),
    _lines({"question_id": "q", "answer": {"kind": "span", "texts": ["Ada"]}}),
    b"0\t1.0\t-1.0\t\n1\t-1.0\t1.0\t\n",
    _whole([{"id": "q", "turn_id": 1, "answer": "Ada"}]),
    _lines({"qid": ["q"], "best_span_str": ["Ada"], "yesno": ["x"], "followup": ["n"]}),
    _whole([{"pid": "q", "qid": "0", "scores": [0, 1]}]),
    _lines({"idx": 0, "passage": {"questions": [{"idx": 0, "answers": [{"label": 1}]}]}}),
    _lines({"question_id": "q", "predicted_answer": "Ada", "predicted_evidence": ["Ada saw."]}),
]
