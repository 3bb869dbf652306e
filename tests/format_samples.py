"""Provide one small data set for every format, as the format's own writer writes it."""

import gzip
import json
from pathlib import Path
from typing import Any

from closeread.formats import dump
from closeread.types import Answer, Dataset, Evidence, Option, Passage, Question, Span

TEXT = (
    "The ferry left Marl at six. It carried 14 sheep and one piano. "
    "Nobody had tuned the piano since 1931."
)
SENTENCES = (Span(0, 27), Span(28, 62), Span(63, 101))


def _dataset(*questions: Question, text: str = TEXT, metadata: dict | None = None) -> Dataset:
    passage = Passage(passage_id="p1", text=text, title="Ferries", metadata=metadata or {})
    return Dataset(
        name="sample",
        format="jsonl",
        read=lambda defects: iter([(passage, questions)]),
    )


def span(start: int, end: int) -> Answer:
    return Answer(kind="span", texts=(TEXT[start:end],), spans=(Span(start, end),))


def spans() -> Dataset:
    """Two extractive questions."""
    return _dataset(
        Question(
            question_id="q1",
            passage_id="p1",
            text="When did the ferry leave?",
            kind="span",
            answers=(span(20, 26), span(23, 26)),
        ),
        Question(
            question_id="q2",
            passage_id="p1",
            text="What had nobody tuned?",
            kind="span",
            answers=(span(80, 89),),
            gold_evidence=(Evidence(spans=SENTENCES[2:], texts=(SENTENCES[2].of(TEXT),)),),
        ),
    )


def tokenized() -> Dataset:
    """The same, with the fields that the MRQA format needs."""
    tokens = [[word, TEXT.index(word)] for word in ("The", "ferry", "left", "Marl")]
    _, questions = next(iter(spans()))
    made = [
        Question(
            question_id=question.question_id,
            passage_id="p1",
            text=question.text,
            kind="span",
            answers=question.answers,
            metadata={
                "question_tokens": [["When", 0]],
                "detected_answers": [
                    {
                        "text": question.answers[0].texts[0],
                        "char_spans": [[s.start, s.end] for s in question.answers[0].spans],
                        "token_spans": [[0, 1]],
                    }
                ],
            },
        )
        for question in questions
    ]
    return _dataset(*made, metadata={"context_tokens": tokens})


def choice(name: str, **fields: Any) -> Question:
    return Question(
        question_id=name,
        passage_id="p1",
        text=fields.pop("text", "Which of these did the ferry carry?"),
        kind=fields.pop("kind", "choice"),
        options=tuple(
            Option(label=label, text=text)
            for label, text in zip(
                "ABCD", ("A horse", "A piano", "Forty sheep", "A tuner"), strict=True
            )
        ),
        answers=(Answer(kind="choice", label="B", texts=("A piano",)),),
        **fields,
    )


def choices() -> Dataset:
    """Two questions of four options."""
    return _dataset(choice("q1"), choice("q2", text="What was on board?"))


def verifications() -> Dataset:
    """One question about the truth of its four options."""
    question = choice(
        "q1",
        kind="verification",
        asks_for="supported",
        option_truth=(False, True, False, False),
        gold_evidence=tuple(
            Evidence(spans=SENTENCES[1:2], texts=(SENTENCES[1].of(TEXT),), option_label=label)
            for label in "ABCD"
        ),
    )
    return _dataset(question)


def triples() -> Dataset:
    """One question, the same with other options, and the reverse."""
    return _dataset(
        choice("q1-original", group_id="q1", role="original"),
        choice("q1-positive", group_id="q1", role="positive"),
        choice("q1-negative", group_id="q1", role="negative", text="Which was not on board?"),
    )


def pairs() -> Dataset:
    """A premise and a hypothesis."""
    labels = ("entailment", "neutral", "contradiction")
    return _dataset(
        Question(
            question_id="q1",
            passage_id="p1",
            text="The ferry carried a piano.",
            kind="entailment",
            options=tuple(Option(label=label, text=label) for label in labels),
            answers=(Answer(kind="choice", label="entailment", texts=("entailment",)),),
        )
    )


PRINTED = {
    "keywords": "made",
    "example": [
        {
            "year": "2031",
            "category": "made",
            "question": (
                "阅读下面的文字，完成1~1题。\n轮船载着一架piano和十四只羊离开了码头。\n"
                "1．下列说法符合原文的一项是（3分）\nA．船上有马。\nB．船上有琴。\n"
                "C．船上有四十只羊。\nD．轮船没有离开。\n"
            ),
            "answer": ["B"],
            "analysis": "",
            "index": 0,
            "score": 3,
        }
    ],
}


ROW = {
    "id": "q1",
    "title": "Ferries",
    "context": TEXT,
    "question": "When did the ferry leave?",
    "answers": {"text": ["at six"], "answer_start": [20]},
}
HOPS = [
    {
        "_id": "q1",
        "question": "When did the ferry leave?",
        "answer": "at six",
        "type": "bridge",
        "level": "easy",
        "supporting_facts": [["Ferries", 0]],
        "context": [
            ["Ferries", ["The ferry left Marl at six.", " It carried 14 sheep and one piano."]]
        ],
    }
]
PARTS = {
    "id": "2hop__1_2",
    "question": "When did the ferry leave?",
    "paragraphs": [
        {"idx": 0, "title": "Ferries", "paragraph_text": TEXT, "is_supporting": True},
        {"idx": 1, "title": "Sheep", "paragraph_text": "All went home.", "is_supporting": False},
    ],
    "answer": "at six",
    "answer_aliases": [],
    "answerable": True,
}
STORY = {
    "version": "1.0",
    "data": [
        {
            "source": "mctest",
            "id": "s1",
            "filename": "s1.txt",
            "story": TEXT,
            "questions": [
                {"input_text": "When did the ferry leave?", "turn_id": 1},
                {"input_text": "And what did it carry?", "turn_id": 2},
            ],
            "answers": [
                {"span_start": 20, "span_end": 26, "span_text": "at six", "input_text": "six",
                 "turn_id": 1},
                {"span_start": 39, "span_end": 61, "span_text": "14 sheep and one piano",
                 "input_text": "sheep and a piano", "turn_id": 2},
            ],
            "name": "s1.txt",
        }
    ],
}  # fmt: skip
TALK = {
    "data": [
        {
            "paragraphs": [
                {
                    "context": TEXT + " CANNOTANSWER",
                    "qas": [
                        {
                            "followup": "y", "yesno": "x", "question": "When did it leave?",
                            "answers": [{"text": "at six", "answer_start": 20}], "id": "d_q#0",
                            "orig_answer": {"text": "at six", "answer_start": 20},
                        },
                        {
                            "followup": "n", "yesno": "x", "question": "And who was on board?",
                            "answers": [{"text": "CANNOTANSWER", "answer_start": 102}],
                            "id": "d_q#1",
                            "orig_answer": {"text": "CANNOTANSWER", "answer_start": 102},
                        },
                    ],
                    "id": "d",
                }
            ],
            "section_title": "Last days",
            "background": "Ferries.",
            "title": "Ferry",
        }
    ]
}  # fmt: skip
PAGE = {
    "example_id": 7,
    "question_text": "when did the ferry leave",
    "document_text": "<P> The ferry left Marl at six . </P> <P> The piano went home . </P>",
    "document_url": "//example.org",
    "long_answer_candidates": [{"start_token": 0, "end_token": 9, "top_level": True}],
    "annotations": [
        {
            "yes_no_answer": "NONE",
            "long_answer": {"start_token": 0, "end_token": 9, "candidate_index": 0},
            "short_answers": [{"start_token": 5, "end_token": 7}],
            "annotation_id": 1,
        }
    ],
}
NEWS = {
    "data": [
        {
            "storyId": "./stories/1",
            "type": "dev",
            "text": TEXT,
            "questions": [
                {
                    "q": "When did the ferry leave?",
                    "consensus": {"s": 20, "e": 26},
                    "isAnswerAbsent": 0,
                    "isQuestionBad": 0,
                    "answers": [{"sourcerAnswers": [{"s": 20, "e": 26}]}],
                },
                {
                    "q": "Who was on board?",
                    "consensus": {"noAnswer": True},
                    "isAnswerAbsent": 1,
                    "answers": [{"sourcerAnswers": [{"noAnswer": True}]}],
                },
            ],
        }
    ],
    "version": "1",
}
WEB = {
    "Q_1": {
        "question": "船几点离开码头？",
        "evidences": {
            "Q_1#00": {"answer": ["六点"], "evidence": "船六点离开了码头。"},
            "Q_1#01": {"answer": ["no_answer"], "evidence": "船上有一架piano。"},
        },
    }
}
CHECKED = {
    "data": [
        {
            "id": "Fiction/1.txt",
            "paragraph": {
                "text": "<b>Sent 1: </b>The ferry left Marl at six.<br>"
                "<b>Sent 2: </b>It carried 14 sheep and one piano.<br>",
                "questions": [
                    {
                        "question": "What was on board?",
                        "sentences_used": [1],
                        "answers": [
                            {"text": "A piano", "isAnswer": True, "scores": {}},
                            {"text": "A horse", "isAnswer": False, "scores": {}},
                            {"text": "Sheep", "isAnswer": True, "scores": {}},
                        ],
                        "idx": "0",
                        "multisent": False,
                    }
                ],
            },
        }
    ]
}
PAPER = {
    "1901.00001": {
        "title": "Ferries",
        "abstract": "We study ferries.",
        "full_text": [
            {"section_name": "Data", "paragraphs": ["The ferry left at six.", "It had a piano."]}
        ],
        "qas": [
            {
                "question": "When did it leave?",
                "question_id": "q1",
                "nlp_background": "two",
                "answers": [
                    {
                        "answer": {
                            "unanswerable": False,
                            "extractive_spans": ["at six"],
                            "yes_no": None,
                            "free_form_answer": "",
                            "evidence": ["The ferry left at six."],
                            "highlighted_evidence": ["The ferry left at six."],
                        },
                        "annotation_id": "a1",
                        "worker_id": "w1",
                    }
                ],
            }
        ],
        "figures_and_tables": [{"caption": "Table 1: Ferries", "file": "1.png"}],
    }
}
SNIPPETS = {
    "questions": [
        {
            "id": "b1",
            "body": "When did the ferry leave?",
            "type": "factoid",
            "documents": ["http://example.org/1"],
            "snippets": [
                {"text": "The ferry left at six.", "document": "http://example.org/1",
                 "beginSection": "abstract", "offsetInBeginSection": 0},
                {"text": "It had a piano.", "document": "http://example.org/1",
                 "beginSection": "abstract", "offsetInBeginSection": 30},
            ],
            "exact_answer": [["at six", "six"]],
            "ideal_answer": ["At six."],
        },
        {
            "id": "b2",
            "body": "Was a piano on board?",
            "type": "yesno",
            "snippets": [{"text": "It had a piano."}],
            "exact_answer": "yes",
        },
    ]
}  # fmt: skip
# File contents of formats that are written only as they were read.
RAW_FILES = {
    "bioasq": json.dumps(SNIPPETS),
    "qasper": json.dumps(PAPER),
    "multirc": json.dumps(CHECKED),
    "nq": json.dumps(PAGE) + "\n",
    "newsqa": json.dumps(NEWS),
    "webqa": json.dumps(WEB, ensure_ascii=False),
    "coqa": json.dumps(STORY),
    "quac": json.dumps(TALK),
    "gaokao-bench": json.dumps(PRINTED, ensure_ascii=False),
    "hotpotqa": json.dumps(HOPS),
    "musique": json.dumps(PARTS) + "\n",
    "rows": json.dumps(ROW) + "\n",
}
SAMPLES = {
    "mrqa": tokenized,
    "expmrc": spans,
    "quac": None,
    "squad": spans,
    "cmrc": spans,
    "coqa": None,
    "drop": spans,
    "nq": None,
    "newsqa": None,
    "webqa": None,
    "qasper": None,
    "bioasq": None,
    "drop-simple": spans,
    "gcrc-advrobust": triples,
    "gcrc": choices,
    "vgaokao": verifications,
    "c3": choices,
    "race": choices,
    "agieval": choices,
    "gaokao-bench": None,
    "multirc": None,
    "nli": pairs,
    "hotpotqa": None,
    "musique": None,
    "rows": None,
    "jsonl": spans,
    "csv": spans,
}


def write_sample(folder: Path, name: str, *, packed: bool = False) -> Path:
    """Write the sample of a format into a folder; return its path."""
    path = folder / (f"{name}.gz" if packed else name)
    make = SAMPLES[name]
    if make is not None:
        dump(make(), path, name)
    else:
        raw = RAW_FILES[name].encode()
        path.write_bytes(gzip.compress(raw) if packed else raw)
    return path
