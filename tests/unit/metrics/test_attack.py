import msgspec
import pytest

from closeread.errors import InputError
from closeread.metrics.attack import correctness, metric
from closeread.metrics.summary import summarize
from closeread.types import Answer, Option, Prediction, Question, Role, Submission, Summary

GOLD = Answer(kind="choice", label="A", texts=("a",))
WRONG = Answer(kind="choice", label="B", texts=("b",))


def question(group: str, role: Role | None, gold: bool = True) -> Question:
    return Question(
        question_id=f"{group}#{role}", passage_id="p", text="Which?", kind="choice",
        options=(Option(label="A", text="a"), Option(label="B", text="b")),
        answers=(GOLD,) if gold else (), group_id=group, role=role,
    )  # fmt: skip


def summaries(rows: dict[str, dict[Role, bool | None]]) -> dict[str, Summary]:
    """Score groups given by role: answered rightly, wrongly, or not at all (None)."""
    asked = [question(group, role) for group, roles in rows.items() for role in roles]
    given = [said for roles in rows.values() for said in roles.values()]
    handed = Submission(
        predictions={
            one.question_id: Prediction(question_id=one.question_id, answer=GOLD if said else WRONG)
            for one, said in zip(asked, given, strict=True)
            if said is not None
        }
    )
    scores = [metric().score(one, handed.predictions.get(one.question_id)) for one in asked]
    return {found.metric: found for found in summarize(metric(), scores, handed, None)}


def test_attack_scores_by_hand() -> None:
    found = summaries(
        {
            "a": {"original": True, "positive": True, "negative": True},
            "b": {"original": True, "positive": True, "negative": False},
            "c": {"original": True, "positive": False},
            "d": {"original": False, "positive": True, "negative": True},
            "e": {"original": True, "positive": True},
        }
    )
    assert found["attack.original"].value == 4 / 5
    assert found["attack.accuracy"].value == 2 / 5
    assert found["attack.kept"].value == 2 / 4
    assert {one.n_scored for one in found.values()} == {13}
    assert {one.unit for one in found.values()} == {"group"}


def test_missing_predictions_are_wrong() -> None:
    found = summaries(
        {"a": {"original": True, "positive": None}, "b": {"original": None, "positive": True}}
    )
    assert found["attack.original"].value == 1 / 2
    assert found["attack.accuracy"].value == 0.0
    assert found["attack.kept"].value == 0.0
    assert found["attack.kept"].n_answered == 2


def test_a_group_without_original_or_variants_is_not_counted() -> None:
    found = summaries(
        {
            "a": {"original": True},
            "b": {"positive": False, "negative": False},
            "c": {"original": True, "positive": True},
        }
    )
    assert found["attack.original"].value == found["attack.accuracy"].value == 1.0
    assert found["attack.original"].n_scored == 2


def test_without_correct_originals_the_ratio_is_undefined() -> None:
    found = summaries({"a": {"original": False, "positive": True}})
    assert found["attack.kept"].value is None
    assert found["attack.accuracy"].value == 0.0


def test_questions_without_gold_are_not_scored() -> None:
    asked = [question("a", "original"), question("a", "positive", gold=False)]
    assert correctness(asked[1], None) is None
    nameless = Answer(kind="choice", texts=("none of these",))  # as of an answer that is no option
    assert correctness(msgspec.structs.replace(asked[1], answers=(nameless,)), None) is None
    handed = Submission(predictions={})
    scores = [metric().score(one, None) for one in asked]
    (first, *_) = summarize(metric(), scores, handed, None)
    assert first.value is None
    assert first.n_scored == 0


def test_a_question_without_group_is_rejected() -> None:
    with pytest.raises(InputError, match="another metric"):
        metric().score(question("a", None), None)


def span(text: str, kind: str, *golds: Answer) -> Question:
    return Question(question_id="q", passage_id="p", text=text, kind=kind, answers=golds)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("asked", "said", "is_right"),
    [
        (span("Who?", "span", Answer(kind="span", texts=("The Cat",))), "cat", True),
        (span("Who?", "span", Answer(kind="span", texts=("The Cat",))), "a cat sat", False),
        (span("谁来了？", "span", Answer(kind="span", texts=("小王",))), "小王。", True),
        (span("谁来了？", "span", Answer(kind="span", texts=("小王",))), "王", False),
        (span("How many?", "discrete", Answer(kind="number", texts=("3",))), "3.0", True),
        (span("How many?", "discrete", Answer(kind="number", texts=("3",))), "4", False),
        (span("Who?", "span", Answer(kind="none")), "", True),
        (span("Who?", "span", Answer(kind="none")), "cat", False),
    ],
)
def test_texts_are_judged_by_the_scorer_of_their_kind(
    asked: Question, said: str, is_right: bool
) -> None:
    kind = "span" if said else "none"
    answer = Answer(kind=kind, texts=(said,) if said else ())  # type: ignore[arg-type]
    assert correctness(asked, Prediction(question_id="q", answer=answer)) == float(is_right)
    assert correctness(asked, None) == 0.0
    assert correctness(asked, Prediction(question_id="q", error="broken")) == 0.0
