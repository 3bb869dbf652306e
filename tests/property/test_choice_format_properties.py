"""Exam and discrete formats give back what they read, for any content that they allow."""

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from closeread import formats
from closeread.types import Defects

TEXT = st.text(st.characters(codec="utf-8"), max_size=30) | st.text(
    st.sampled_from("一不正确的。！？\n\t 　“”（）ABCD．.、1|/\"'\\[](){}，"), max_size=30
)
LETTER = st.sampled_from("ABCDE") | TEXT
EXTRA = st.dictionaries(
    st.sampled_from(["note", "source", "year", "x"]),
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT | st.lists(TEXT, max_size=2),
    max_size=2,
)
FOUR = st.lists(TEXT, min_size=4, max_size=4)
IDS = st.text(st.sampled_from("ab0123-_"), max_size=4)


def _record(required: dict[str, Any], optional: dict[str, Any] | None = None) -> Any:
    return st.builds(
        lambda one, other: other | one,
        st.fixed_dictionaries(required, optional=optional),
        EXTRA,
    )


def _text_values(values: dict[str, Any]) -> dict[str, str]:
    return {key: str(value) for key, value in values.items()}


def _round_trip(value: Any, name: str, *, lines: bool = False) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, back = Path(folder) / "in.json", Path(folder) / "out.json"
        rows = value if lines else [value]
        text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        path.write_bytes(text.encode())
        dataset = formats.load(path, name)
        for passage, questions in dataset.read(Defects()):
            for question in questions:
                for answer in question.answers:
                    for span in answer.spans:
                        assert span.of(passage.text) in "\0".join(answer.texts)
                for evidence in question.gold_evidence:
                    assert list(evidence.spans) == sorted(evidence.spans)
        formats.dump(dataset, back)
        written = back.read_bytes().decode()
        again = (
            [json.loads(line) for line in written.split("\n") if line]
            if lines
            else [json.loads(written)]
        )
        assert json.dumps(again, sort_keys=True) == json.dumps(rows, sort_keys=True)


QUESTION = _record(
    {"qid": IDS | st.integers(0, 99), "question": TEXT, "options": FOUR},
    {
        "answer": LETTER,
        "correctness": st.lists(st.integers(-1, 2), min_size=4, max_size=4),
        "golden_evidence": st.lists(st.lists(TEXT, max_size=3), min_size=4, max_size=4),
    },
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        _record(
            {
                "cid": IDS | st.integers(0, 99),
                "context": TEXT,
                "qas": st.lists(QUESTION, max_size=2),
            }
        ),
        max_size=3,
    ),
    EXTRA,
)
def test_vgaokao(data: list[Any], beside: dict[str, Any]):
    """VGaokao."""
    _round_trip(beside | {"data": data}, "vgaokao")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        _record(
            {
                "id": IDS,
                "passage": TEXT,
                "question": TEXT,
                "options": FOUR,
                "positive_options": FOUR,
                "negative_question": TEXT,
                "negative_options": FOUR,
            },
            {
                "title": TEXT,
                "answer": LETTER,
                "positive_answer": LETTER,
                "negative_answer": LETTER,
            },
        ),
        max_size=3,
    ),
    st.booleans(),
)
def test_gcrc_advrobust(data: list[Any], bare: bool):
    """GCRC_advRobust, with and without answers."""
    _round_trip(data if bare else {"data": data}, "gcrc-advrobust")


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_gcrc(data: st.DataObject):
    """Both forms of GCRC."""
    ids, titles = IDS | st.integers(0, 99), st.just("null") | TEXT
    common = {"id": ids, "question": TEXT}
    new = _record(common | {"passage": TEXT, "options": FOUR, "title": titles}, {"answer": LETTER})
    old = _record(
        common | {"passage": st.lists(TEXT, max_size=3), "opt": FOUR, "title": titles},
        {"answer": LETTER},
    )
    rows = data.draw(st.lists(data.draw(st.sampled_from([new, old])), min_size=1, max_size=3))
    _round_trip(rows if data.draw(st.booleans()) else {"data": rows}, "gcrc")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.lists(TEXT, max_size=3),
            st.lists(
                _record(
                    {"question": TEXT, "choice": st.lists(TEXT, min_size=2, max_size=5)},
                    {"answer": TEXT},
                ),
                max_size=2,
            ),
            IDS,
        ).map(list),
        max_size=3,
    )
)
def test_c3(value: list[Any]):
    """C3 and DREAM."""
    _round_trip(value, "c3")


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_race(data: st.DataObject):
    """RACE as JSON lines."""
    count = data.draw(st.integers(0, 3))

    def parallel(what: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
        return st.lists(what, min_size=count, max_size=count)

    article = _record(
        {
            "article": TEXT,
            "questions": parallel(TEXT),
            "options": parallel(st.lists(TEXT, min_size=2, max_size=5)),
        },
        {"answers": parallel(LETTER), "id": IDS},
    )
    _round_trip(data.draw(st.lists(article, min_size=1, max_size=3)), "race", lines=True)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        _record(
            {
                "question": TEXT,
                "options": st.lists(st.just("(A)") | TEXT, min_size=2, max_size=5),
                "label": st.none() | LETTER | st.lists(LETTER, max_size=2),
            },
            {"passage": st.none() | TEXT, "answer": st.none() | TEXT},
        ),
        min_size=1,
        max_size=3,
    )
)
def test_agieval(rows: list[Any]):
    """AGIEval."""
    _round_trip(rows, "agieval", lines=True)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["label", "gold_label"]).flatmap(
        lambda label: st.lists(
            _record(
                {
                    "sentence1": TEXT,
                    "sentence2": TEXT,
                    label: st.sampled_from(["entailment", "neutral", "contradiction"]),
                },
                {"id": IDS | st.integers(0, 99), "genre": TEXT, "level": st.none() | TEXT},
            ),
            min_size=1,
            max_size=3,
        )
    )
)
def test_nli(rows: list[Any]):
    """Natural language inference."""
    _round_trip(rows, "nli", lines=True)


WHOLE_DATE = st.fixed_dictionaries(
    {"day": TEXT | st.integers(1, 31), "month": TEXT, "year": TEXT | st.integers(0, 2000)},
    optional={"date": TEXT},
)
ANNOTATION = _record(
    {"date": WHOLE_DATE}, {"number": TEXT | st.integers(0, 99), "spans": st.lists(TEXT, max_size=3)}
) | _record({"spans": st.lists(TEXT, min_size=1, max_size=3)}, {"date": EXTRA.map(_text_values)})


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(
        IDS,
        _record(
            {
                "passage": TEXT,
                "qa_pairs": st.lists(
                    _record(
                        {"question": TEXT, "query_id": IDS},
                        {
                            "answer": ANNOTATION,
                            "validated_answers": st.lists(ANNOTATION, max_size=2),
                            "original_answer": st.lists(
                                st.fixed_dictionaries(
                                    {"text": TEXT, "answer_start": st.integers(0, 9)}
                                ),
                                max_size=2,
                            ),
                        },
                    ),
                    max_size=2,
                ),
            },
            {"title": TEXT},
        ),
        max_size=3,
    )
)
def test_drop(value: dict[str, Any]):
    """DROP and Quoref in its form, whatever an annotation holds."""
    _round_trip(value, "drop")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(TEXT, TEXT, TEXT, TEXT, EXTRA), min_size=1, max_size=3))
def test_drop_simple(rows: list[Any]):
    """The simple-evals form."""
    _round_trip(
        [
            extra
            | {
                "context": f"Passage: {passage}\nQuestion: {question}\nAnswer:",
                "completion": completion,
                "ref_text": references,
            }
            for passage, question, completion, references, extra in rows
        ],
        "drop-simple",
        lines=True,
    )


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.lists(TEXT | st.sampled_from(["（1）下列", "A．", "B．", "C.", "D、", "\n", "  "])),
            st.lists(LETTER, max_size=3),
            EXTRA,
        ),
        min_size=1,
        max_size=3,
    )
)
def test_gaokao_bench(examples: list[Any]):
    """A printed text comes back to the last space, split or not."""
    value = [
        extra | {"question": "".join(pieces), "answer": letters, "analysis": "", "index": 0}
        for pieces, letters, extra in examples
    ]
    _round_trip({"example": value}, "gaokao-bench")
