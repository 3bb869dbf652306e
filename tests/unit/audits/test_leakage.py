"""What a reader may have seen that it should not have."""

import json
import random

import pytest

from audit_runs import PASSAGES, loaded, make_run
from closeread import load
from closeread.audits import shortcuts
from closeread.audits.leakage import check
from closeread.audits.material import Subject
from closeread.types import Answer, Option, Passage, Prediction, Question, Span, Submission


def made(questions, predictions, passages=()):
    return Subject(
        name="run", dataset="set", sha256="", questions=tuple(questions),
        passages={one.passage_id: one for one in passages},
        submission=Submission(predictions={one.question_id: one for one in predictions}),
    )  # fmt: skip


def triples(pick):
    questions, predictions = [], []
    rng = random.Random(5)
    for place in range(200):
        letters = rng.sample("ABCD", 3)
        for turn, role in enumerate(("original", "positive", "negative")):
            name = f"t{place}#{role}"
            questions.append(
                Question(
                    question_id=name, passage_id=f"p{place}", text="?", kind="verification",
                    options=tuple(Option(label=label, text=label * 3) for label in "ABCD"),
                    answers=(Answer(kind="choice", label=letters[turn]),),
                    group_id=f"t{place}", role=role,
                )
            )  # fmt: skip
            label = pick(rng, letters, turn)
            predictions.append(
                Prediction(question_id=name, answer=Answer(kind="choice", label=label))
            )
    return made(questions, predictions)


def test_letters_that_always_differ_were_repaired():
    """A reader that saw the siblings: wrong, but never twice the same letter."""
    state = {}

    def repaired(rng, letters, turn):
        if turn == 0:
            state["left"] = rng.sample("ABCD", 3)
        return state["left"][turn]

    found = check(triples(repaired))
    assert found.verdict == "broken"
    assert found.data["siblings"]["distinct"] == 200


@pytest.mark.parametrize(
    "pick",
    [
        lambda rng, letters, turn: rng.choice("ABCD"),
        lambda rng, letters, turn: letters[turn],
        lambda rng, letters, turn: letters[0],
    ],
)
def test_guesses_right_answers_and_repeats_are_no_repair(pick):
    """Right letters differ, too."""
    assert check(triples(pick)).verdict == "sound"


def test_the_published_baseline_repaired_nothing(corpus, tmp_path):
    """Only 8 of its 336 triples have three letters."""
    from closeread.formats.submissions import load_submission
    from closeread.runs.keep import keep

    folder = corpus / "data/gcrc_advrobust"
    dataset = load(folder / "dev_GCRCadvrobust.json")
    file = folder / "dev_GCRCadvrobust_predict.json"
    run = keep(dataset, load_submission(file, dataset), (file,), tmp_path / "baseline")
    siblings = check(loaded(run)).data["siblings"]
    assert (siblings["gold_distinct"], siblings["distinct"], siblings["triples"]) == (336, 8, 336)


def test_a_training_passage_that_shares_text_is_found(tmp_path):
    """Thirty characters, or thirteen words, in a row."""
    one = loaded(make_run(tmp_path, "gold", lambda gold: gold))
    train = tmp_path / "train.jsonl"
    texts = [f"Long ago. {PASSAGES[0][0]} And so on.", "Nothing in common with any of the others."]
    train.write_text(
        "".join(
            json.dumps({"context": f"Passage: {text}\nQuestion: What?\nAnswer:", "ref_text": "x"})
            + "\n"
            for text in texts
        )
    )
    found = check(one, load(train))
    assert found.verdict == "broken"
    assert len(found.data["shared"]) == 1
    assert "(3 questions)" in found.headline


def test_windows_without_gold_that_were_skipped_are_found():
    """Wrong answers on long passages that never leave the gold answer's window."""
    rng = random.Random(1)
    words = [f"w{place}" for place in range(2000)]
    text = " ".join(words)
    starts = {word: text.index(f" {word} ") + 1 if word != "w0" else 0 for word in words[:-1]}
    passage = Passage(passage_id="p", text=text)

    def run(place_of):
        questions, predictions = [], []
        for number in range(60):
            gold = rng.randrange(1, 1900)
            said = place_of(gold)
            span = Span(starts[f"w{gold}"], starts[f"w{gold}"] + len(f"w{gold}"))
            name = f"q{number}"
            questions.append(
                Question(question_id=name, passage_id="p", text="?", kind="span",
                         answers=(Answer(kind="span", texts=(f"w{gold}",), spans=(span,)),))
            )  # fmt: skip
            at = starts[f"w{said}"]
            answer = Answer(kind="span", texts=(f"w{said}",), spans=(Span(at, at + 2),))
            predictions.append(Prediction(question_id=name, answer=answer))
        return check(made(questions, predictions, [passage]))

    near = run(lambda gold: max(1, min(1900, gold + rng.choice((-1, 1)) * rng.randrange(1, 300))))
    anywhere = run(lambda gold: rng.choice([one for one in range(1, 1900) if one != gold]))
    assert near.verdict == "broken"
    assert anywhere.verdict == "sound"


def choices(gold_text, n=120):
    rng = random.Random(2)
    questions = []
    for place in range(n):
        texts = ["qu" * rng.randrange(3, 6) for _ in range(4)]
        right = rng.randrange(4)
        texts[right] = gold_text(texts[right])
        questions.append(
            Question(
                question_id=f"q{place}", passage_id=f"p{place}", text="Which?", kind="choice",
                options=tuple(
                    Option(label=label, text=text)
                    for label, text in zip("ABCD", texts, strict=True)
                ),
                answers=(Answer(kind="choice", label="ABCD"[right]),),
            )
        )  # fmt: skip
    return made(questions, [])


def test_longer_right_options_are_a_shortcut():
    """And so are words that only right options have."""
    longer = shortcuts.check(choices(lambda text: text + " and more than that"))
    assert longer.verdict == "doubtful"
    assert longer.data["readers"][0][2] == 1.0
    words = {row[0]: row[2] for row in longer.data["readers"]}
    assert words["the options' words"] > 0.9


def test_options_without_a_shortcut_are_sound():
    """Places drawn at random, texts from one mould."""
    assert shortcuts.check(choices(lambda text: text)).verdict == "sound"
