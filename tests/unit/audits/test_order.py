"""Answers that belong to other questions than those that they stand at."""

import dataclasses
import random

import msgspec
import pytest

from closeread.audits.order import check, measure_alignment
from closeread.audits.subject import Subject
from closeread.reports.words.audit_sentences import SENTENCES
from closeread.types import ROLES, Answer, Option, Passage, Prediction, Question, Submission

NAMES = [f"{first} {last}" for first in ("Ada", "Ben", "Cleo", "Dora", "Emil")
         for last in ("Quill", "Marsh", "Harbour", "Brandt")]  # fmt: skip


def make_span_run(order, right=0.7, seed=1):
    """Sixty questions on twenty passages; at each is the answer of the question ``order[n]``."""
    dice = random.Random(seed)
    golds = [f"{name} the {part}" for name in NAMES for part in ("smith", "sailor", "judge")]
    questions = tuple(
        Question(
            question_id=f"q{place}", passage_id=f"p{place // 3}", text="Who was it?", kind="span",
            answers=(Answer(kind="span", texts=(gold,)),),
        )
        for place, gold in enumerate(golds)
    )  # fmt: skip
    passages = {
        f"p{place}": Passage(passage_id=f"p{place}", text=f"{'; '.join(golds[3 * place :][:3])}.")
        for place in range(20)
    }
    said = [gold if dice.random() < right else golds[3 * (n // 3)] for n, gold in enumerate(golds)]
    found = {
        f"q{place}": Prediction(
            question_id=f"q{place}", answer=Answer(kind="span", texts=(said[of] + "\n\nAnd so on",))
        )
        for place, of in enumerate(order)
        if of is not None
    }
    return Subject(
        name="run", dataset="d", sha256="", questions=questions, passages=passages,
        submission=Submission(predictions=found),
    )  # fmt: skip


def make_option_run(order, seed=1):
    """A hundred letters, seven of ten right, at the questions ``order[n]``."""
    dice = random.Random(seed)
    options = tuple(Option(label=label, text=label) for label in "ABCD")
    golds = [dice.choice("ABCD") for _ in range(100)]
    one = make_span_run([])
    questions = tuple(
        msgspec.structs.replace(
            one.questions[0], question_id=f"q{place}", kind="choice", options=options,
            answers=(Answer(kind="choice", label=gold),),
        )
        for place, gold in enumerate(golds)
    )  # fmt: skip
    said = [gold if dice.random() < 0.7 else "A" for gold in golds]
    found = {
        f"q{place}": Prediction(
            question_id=f"q{place}", answer=Answer(kind="choice", label=said[of])
        )
        for place, of in enumerate(order)
    }
    return dataclasses.replace(one, questions=questions, submission=Submission(predictions=found))


@pytest.mark.parametrize("made", [make_span_run, make_option_run])
@pytest.mark.parametrize(("shift", "offset"), [(1, "+1"), (-2, "-2")])
def test_a_shift_is_found_in_words_and_in_letters(made, shift, offset):
    n = len(made(range(60)).questions)
    one = made([(place + shift) % n for place in range(n)])
    found = check([one])
    assert found.verdict == "broken"
    assert f"answers fit the question at offset {offset}, and" in found.headline
    assert found.data["run"]["shift"] == shift
    assert SENTENCES.say(found.headline, "zh") != found.headline


def test_shuffled_answers_are_found():
    order = list(range(60))
    random.Random(3).shuffle(order)
    found = check([make_span_run(order)])
    assert (
        found.verdict == "broken"
        and "long answers are gold answers of other passages" in found.headline
    )


def test_verbal_labels_are_not_foreign_answers():
    """It is in no passage, and right at many others."""
    dice = random.Random(7)
    one = make_span_run(range(60))

    def label():
        words = dice.choice(("entailment", "contradiction", "neutral"))
        return Answer(kind="span", texts=(words,))

    guessed = dataclasses.replace(
        one,
        questions=tuple(
            msgspec.structs.replace(question, answers=(label(),), passage_id=f"p{place}")
            for place, question in enumerate(one.questions)
        ),
        passages={
            f"p{place}": Passage(passage_id=f"p{place}", text="A train left.")
            for place in range(60)
        },
        submission=Submission(
            predictions={
                name: msgspec.structs.replace(found, answer=label())
                for name, found in one.predictions.items()
            }
        ),
    )
    assert check([guessed]).verdict == "sound"


@pytest.mark.parametrize("right", [1.0, 0.7, 0.0])
def test_aligned_answers_are_sound_at_any_accuracy(right):
    for seed in range(20):
        assert check([make_span_run(range(60), right, seed)]).verdict == "sound"
        assert check([make_option_run(range(100), seed)]).verdict == "sound"


def test_constant_letters_and_few_answers_are_not_a_shift():
    one = make_option_run(range(100))
    same = {
        name: msgspec.structs.replace(found, answer=Answer(kind="choice", label="A"))
        for name, found in one.predictions.items()
    }
    assert (
        check([dataclasses.replace(one, submission=Submission(predictions=same))]).verdict
        == "sound"
    )
    assert measure_alignment(make_span_run([*range(10)])) is None
    assert check([make_span_run([*range(10)])]).verdict == "skipped"


def make_triple_run(say):
    """Two hundred triples, at whose questions ``say`` is told the three letters and the place."""
    dice = random.Random(5)
    options = tuple(Option(label=label, text=f"the {label}") for label in "ABCD")
    one = make_span_run([])
    questions, found = [], {}
    for number in range(200):
        letters = dice.sample("ABCD", 3)
        for place, role in enumerate(ROLES):
            name = f"g{number}#{role}"
            questions.append(
                msgspec.structs.replace(
                    one.questions[0], question_id=name, kind="choice", options=options,
                    answers=(Answer(kind="choice", label=letters[place]),),
                    group_id=f"g{number}", role=role,
                )
            )  # fmt: skip
            found[name] = Prediction(question_id=name, **say(letters, place))
    submission = Submission(predictions=found)
    return dataclasses.replace(one, questions=tuple(questions), submission=submission)


def test_repeating_the_letter_of_the_original_is_not_a_shift():
    stuck = make_triple_run(lambda letters, _: {"answer": Answer(kind="choice", label=letters[0])})
    assert check([stuck]).verdict == "sound"


@pytest.mark.parametrize(
    "say",
    [
        lambda letter: {"answer": Answer(kind="choice", texts=(f"the {letter}",))},
        lambda letter: {"option_scores": tuple(float(one == letter) for one in "ABCD")},
    ],
    ids=["by text", "by scores"],
)
def test_options_are_picked_as_in_scoring(say):
    right = measure_alignment(make_triple_run(lambda letters, place: say(letters[place])))
    assert right is not None and right.own == right.n == 600
