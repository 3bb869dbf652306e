"""From one format into another: what both can hold arrives, what cannot be held is refused."""

import json
from pathlib import Path

import pytest

from closeread import formats
from closeread.errors import UsageError
from closeread.exam import locate
from closeread.types import Dataset, Question


@pytest.fixture
def exam() -> Dataset:
    return formats.load(locate("exam/zh"))


def _convert_questions(dataset: Dataset, name: str, tmp_path: Path) -> list[Question]:
    path = tmp_path / f"{name}.json"
    formats.dump(dataset, path, name)
    again = formats.load(path)
    assert again.format == name
    defects = again.check().counts
    assert not set(defects) - {"option-unchanged", "odd-option-letter"}
    return list(again.questions())


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("vgaokao", {"question_id", "option_truth", "asks_for", "gold_evidence", "kind"}),
        ("gcrc-advrobust", {"role", "asks_for", "kind"}),
        ("gcrc", {"question_id", "asks_for", "kind"}),
        ("c3", {"asks_for"}),
        ("race", {"asks_for"}),
        ("agieval", {"asks_for"}),
    ],
)
def test_the_exam_converts_to_every_format_that_holds_it(
    exam: Dataset, tmp_path: Path, name: str, kept: set[str]
):
    """Stems, options and gold arrive everywhere; truth, roles and evidence where they have room."""
    before, after = list(exam.questions()), _convert_questions(exam, name, tmp_path)
    assert len(before) == len(after) > 0
    for one, other in zip(before, after, strict=True):
        assert one.text == other.text
        assert [(o.label, o.text) for o in one.options] == [
            (o.label, o.text) for o in other.options
        ]
        assert one.answers == other.answers
        for field in kept - {"gold_evidence"}:
            assert getattr(one, field) == getattr(other, field), field
        if "gold_evidence" in kept:
            spans = [sorted(found.spans) for found in one.gold_evidence]
            assert spans == [list(found.spans) for found in other.gold_evidence]


@pytest.mark.parametrize("name", ["drop", "drop-simple", "nli", "gaokao-bench"])
def test_formats_without_options_reject_the_exam(exam: Dataset, tmp_path: Path, name: str):
    """The refusal names the question or the set and what to do, and leaves no file."""
    with pytest.raises(UsageError, match="do: "):
        formats.dump(exam, tmp_path / "out.json", name)
    assert list(tmp_path.iterdir()) == []


def test_the_english_exam_as_drop_counts_lost_fields(tmp_path: Path):
    """A question without answer has no place in DROP or its flattened form."""
    dataset = formats.load(locate("exam/en"))
    for name in ("drop", "drop-simple"):
        with pytest.raises(UsageError, match="question en-"):
            formats.dump(dataset, tmp_path / "out.json", name)


def test_gaokao_bench_with_many_blanks_is_read_in_linear_time(tmp_path: Path):
    """The gap for a letter was looked for from every blank, and 5,000 of them took minutes."""
    many = " " * 100_000
    printed = (
        f"桥很长。{many}河很宽。\n（1）正确的一项是（3分）（{many}）\nA．长B．短C．高D．低{many}\n"
    )
    example = {"question": printed, "answer": ["A"], "index": 0, "year": "2020", "category": "x"}
    (tmp_path / "x.json").write_text(json.dumps({"example": [example]}), "utf-8")
    ((passage, (question,)),) = formats.load(tmp_path / "x.json", format="gaokao-bench")
    assert passage.text == "桥很长。河很宽。"
    assert question.text == "正确的一项是"
    assert [option.text for option in question.options] == ["长", "短", "高", "低"]
