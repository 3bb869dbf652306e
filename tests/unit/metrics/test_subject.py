import pytest

from closeread.metrics.subject import applies_to, family, value_name
from closeread.types import Option, Question, Role

PLAIN = {"passage_id": "p", "text": "Which?", "kind": "span"}


@pytest.mark.parametrize(
    ("role", "group", "judged"),
    [(None, "", False), (None, "g", False), ("original", "", False), ("positive", "g", True)],
)
def test_the_attack_metric_applies_to_originals_and_variants(
    role: Role | None, group: str, judged: bool
) -> None:
    """A set that holds other questions, too, is scored all the same."""
    asked = Question(question_id="q", role=role, group_id=group, **PLAIN)  # type: ignore[arg-type]
    assert applies_to("attack")(asked) is judged


def test_options_and_texts_are_judged_by_different_metrics() -> None:
    written = Question(question_id="q", **PLAIN)  # type: ignore[arg-type]
    picked = Question(question_id="q", options=(Option(label="A", text="a"),), **PLAIN)  # type: ignore[arg-type]
    for name, of_options in (("choice", True), ("gcrc~strict", True), ("squad", False)):
        assert applies_to(name)(picked) is of_options
        assert applies_to(name)(written) is not of_options


def test_an_external_metric_applies_to_every_question() -> None:
    written = Question(question_id="q", **PLAIN)  # type: ignore[arg-type]
    picked = Question(question_id="q", options=(Option(label="A", text="a"),), **PLAIN)  # type: ignore[arg-type]
    for name in ("my_metrics:metric", "expmrc"):
        assert applies_to(name)(written) and applies_to(name)(picked)


@pytest.mark.parametrize(
    ("of", "key", "name"),
    [
        ("squad", "f1", "squad.f1"),
        ("gcrc~strict", "acc0", "gcrc.acc0~strict"),
        ("drop", "f1.number", "drop.f1.number"),
    ],
)
def test_names_of_values_and_families_are_inverse(of: str, key: str, name: str) -> None:
    assert value_name(of, key) == name
    assert family(name) == of
