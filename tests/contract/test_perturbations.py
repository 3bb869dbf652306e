"""Every strategy in the catalog passes the same battery."""

import pytest

import closeread
from closeread import catalog
from closeread.attacks.apply import apply
from closeread.attacks.context import Surroundings
from closeread.evidence.cover import cover
from closeread.protocols import Perturbation
from closeread.registry import lookup
from closeread.types import Edit, Passage, Question

NAMES = catalog.names("perturbation")
SETS = {name: list(closeread.load(name)) for name in ("exam/zh", "exam/en")}


def made(name: str, exam: str, seed: int = 0) -> Perturbation:
    passages = [passage for passage, _ in SETS[exam]]
    around = Surroundings(seed=seed, retriever=cover(), passages=passages)
    strategy: Perturbation = lookup.resolve("perturbation", name)(around)
    assert isinstance(strategy, Perturbation)
    return strategy


def proposed(name: str, exam: str, seed: int = 0) -> list[tuple[Passage, Question, list[Edit]]]:
    strategy = made(name, exam, seed)
    return [
        (passage, question, list(strategy.propose(passage, question)))
        for passage, questions in SETS[exam]
        for question in questions
    ]


@pytest.fixture(scope="module", params=[(name, exam) for name in NAMES for exam in SETS],
                ids="-".join)  # fmt: skip
def case(request: pytest.FixtureRequest) -> tuple[str, str, list]:
    name, exam = request.param
    return name, exam, proposed(name, exam)


def test_some_question_of_the_exams_is_changed() -> None:
    for name in NAMES:
        assert any(edits for exam in SETS for _, _, edits in proposed(name, exam)), name


def test_changes_say_whose_they_are_and_change_something(case: tuple) -> None:
    name, _, rows = case
    for passage, question, edits in rows:
        assert len({str(edit) for edit in edits}) == len(edits)
        for edit in edits:
            assert edit.strategy == name
            assert edit.rule
            assert edit.place == "option" or not edit.label
            assert edit.place == "option" or edit.truth == "same"
            assert apply(passage, question, [edit]) != (passage, question)


def test_a_change_leaves_answers_where_they_are(case: tuple) -> None:
    for passage, question, edits in case[2]:
        texts = [span.of(passage.text) for one in question.answers for span in one.spans]
        for edit in edits:
            after, harder = apply(passage, question, [edit])
            spans = [span.of(after.text) for one in harder.answers for span in one.spans]
            assert spans == texts
            assert [one.label for one in harder.options] == [one.label for one in question.options]


def test_the_same_seed_proposes_the_same_whatever_was_asked_before(case: tuple) -> None:
    name, exam, rows = case
    strategy = made(name, exam)
    for passage, question, edits in reversed(rows):
        assert list(strategy.propose(passage, question)) == edits


def test_what_it_does_with_empty_texts(case: tuple) -> None:
    strategy = made(case[0], case[1])
    for kind in ("span", "discrete", "choice", "verification", "entailment"):
        passage = Passage(passage_id="p", text="")
        question = Question(question_id="q", passage_id="p", text="", kind=kind)  # type: ignore[arg-type]
        for edit in strategy.propose(passage, question):
            apply(passage, question, [edit])


def test_an_entailment_is_left_alone(case: tuple) -> None:
    import msgspec

    strategy = made(case[0], case[1])
    for passage, question, _ in case[2]:
        other = msgspec.structs.replace(question, kind="entailment")
        assert not list(strategy.propose(passage, other))
