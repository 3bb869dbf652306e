"""Scorers over the same answers: how far apart, why, and who wins."""

import dataclasses

import msgspec
import pytest

from audit_runs import load_run, make_run
from closeread.audits.disagreement.check import check
from closeread.audits.subject import Subject
from closeread.metrics.others.foreign import ForeignScorer
from closeread.types import Answer, Option, Passage, Prediction, Question, Submission


@pytest.mark.parametrize(
    ("name", "answer", "cause"),
    [
        ("run-on", lambda gold: gold + "\nPassage: more", "text on further lines"),
        ("prefix", lambda gold: f"I think so. Answer: {gold}", "words before `Answer:`"),
        ("blanks", lambda gold: gold.replace(" ", "\t"), "white space"),
        ("percent", lambda gold: gold + "%", "how numbers are written"),
        ("capitals", lambda gold: gold.upper(), "case"),
    ],
)
def test_causes_of_disagreement_are_found(tmp_path, name, answer, cause):
    """The repair after which the scorers agree is the cause."""
    finding = check([load_run(make_run(tmp_path, name, answer))])
    assert finding.data["causes"], finding.headline
    assert next(iter(finding.data["causes"])).startswith(cause), finding.data["causes"]


def test_scorers_agree_on_gold_answers(tmp_path):
    """Every scorer gives a gold answer all there is."""
    finding = check([load_run(make_run(tmp_path, "gold", lambda gold: gold))])
    assert finding.verdict == "sound"
    assert set(finding.data["means"]["gold"].values()) == {1.0}
    assert finding.data["causes"] == {}


def test_boundary_errors_do_not_count_as_disagreement(tmp_path):
    """What contains a gold answer is right for some scorers; a way of writing it is no piece."""
    other = {"Ada Quill": "Quill", "St. Brendan": "St. Brendan sank", "46 years": "for 46 years"}
    asked = make_run(tmp_path, "pieces", lambda gold: other.get(gold, gold))
    finding = check([load_run(asked)])
    assert finding.verdict == "sound" and finding.data["apart"]["pieces"] == 3
    assert finding.notes[-1].endswith("piece of the passage than a gold answer: 3 of pieces")
    means = finding.data["means"]["pieces"]
    assert means["opencompass.drop"] == 1 and means["drop.em"] == 5 / 8
    for name, answer in (
        ("said", lambda gold: f"It is {other.get(gold, gold)}"),
        ("articles", lambda gold: "the St. Brendan" if gold == "St. Brendan" else f"{gold}."),
        ("numbers", lambda gold: gold.partition(".")[0] if gold[0].isdigit() else gold),
    ):
        found = check([load_run(make_run(tmp_path, name, answer))])
        assert found.verdict == "broken" and "the verdict ignores" not in " ".join(found.notes)


def test_the_matrix_is_symmetric_with_a_zero_diagonal(tmp_path):
    """Apart from one another means the same both ways."""
    run = make_run(tmp_path, "dots", lambda gold: gold + ".")
    matrix = check([load_run(run)]).data["matrix"]
    for left, row in matrix.items():
        assert row[left] == 0
        for right, distance in row.items():
            assert matrix[right][left] == distance


def test_rankings_differ_by_scorer(tmp_path):
    """A run-on reader beats a terse one by the fuzzy match, and loses by F1."""
    runs = [
        make_run(tmp_path, "terse", lambda gold: gold if gold != "7" else "9"),
        make_run(tmp_path, "chatty", lambda gold: f"{gold}\nand then some more"),
    ]
    finding = check([load_run(run) for run in runs])
    order = {row[0]: row[1] for row in finding.tables[-1].rows}
    assert finding.data["run"] == "chatty" and finding.headline.startswith("chatty: ")
    assert [row[0] for row in finding.tables[0].rows] == ["terse", "chatty"]
    assert finding.data["apart"] == {row[0]: row[3] for row in finding.tables[0].rows}
    assert order["drop.f1"] == "terse > chatty"
    assert order["simple-evals.drop.score"] == "chatty > terse"


def test_scorers_can_be_chosen(tmp_path):
    """Only what was asked for is compared."""
    run = make_run(tmp_path, "dots", lambda gold: gold + ".")
    finding = check([load_run(run)], ["drop", "drop~fixed"])
    assert set(finding.data["matrix"]) == {
        "drop.em", "drop.f1", "drop.em~fixed", "drop.f1~fixed",
    }  # fmt: skip


def make_mixed_run(texts):
    """A run over a question with an answer, one without, and one with options."""
    golds = [Answer(kind="span", texts=("Ada",)), Answer(kind="none"), Answer(kind="span")]
    golds[2] = Answer(kind="choice", label="A")
    options = tuple(Option(label=label, text=label) for label in "AB")
    questions = tuple(
        Question(
            question_id=f"q{place}", passage_id="p", text="Who?", kind="span", answers=(gold,),
            options=options if gold.label else (),
        )
        for place, gold in enumerate(golds)
    )  # fmt: skip
    predictions = {
        f"q{place}": Prediction(
            question_id=f"q{place}", answer=Answer(kind="span", texts=(text,)) if text else None
        )
        for place, text in enumerate(texts)
    }
    return Subject(
        name="mixed", dataset="set", sha256="", questions=questions,
        passages={"p": Passage(passage_id="p", text="Ada kept the lamp.")},
        submission=Submission(predictions=predictions),
    )  # fmt: skip


def test_a_scorer_that_rejects_a_question_is_skipped_and_named():
    """SQuAD 1.1 stops at a question without answer; the others are compared all the same."""
    finding = check([make_mixed_run(["Ada", "Ada", "A"])], ["drop", "squad", "squad2"])
    assert {name.partition(".")[0] for name in finding.data["matrix"]} == {"drop", "squad2"}
    assert any(note.startswith("skipped squad: ") for note in finding.notes)
    assert "of 2 questions" in finding.headline
    nothing = check([make_mixed_run(["Ada", "Ada", "A"])], ["squad"])
    assert nothing.verdict == "skipped" and nothing.notes


def test_unanswerable_questions_are_scored_by_supporting_scorers():
    finding = check([make_mixed_run(["Ada", "", "A"])])
    assert "squad2.em" in finding.data["matrix"] and "squad.em" not in finding.data["matrix"]


def test_default_scorers_agree_on_a_correct_no_answer():
    """Those that know no question without an answer give it nothing; asked for, they are there."""
    run = make_mixed_run(["Ada", "", "A"])
    none = Prediction(question_id="q1", answer=Answer(kind="none"))
    said = Submission(predictions={**run.predictions, "q1": none})
    run = dataclasses.replace(run, submission=said)
    finding = check([run])
    assert finding.verdict == "sound"
    assert "skipped lm-eval: it does not support questions without an answer" in finding.notes
    assert check([run], ["squad2", "lm-eval"]).verdict == "broken"


def test_scores_stay_aligned_with_their_questions():
    """A scorer leaves a question out of a value: the next one's is not taken for it."""
    questions = [make_mixed_run(["", "", ""]).questions[0]] * 3
    questions = tuple(
        msgspec.structs.replace(one, question_id=f"q{place}") for place, one in enumerate(questions)
    )
    run = dataclasses.replace(make_mixed_run(["a", "b", "c"]), questions=questions)
    name = f"{__name__}:make_incomplete_scorer"
    finding = check([run], [name])
    means = {name.rpartition(".")[2]: mean for name, mean in finding.data["means"]["mixed"].items()}
    assert means == {"em": 1.0, "even": 0.5}
    assert finding.data["matrix"][f"{name}.em"][f"{name}.even"] == 0.5


def make_incomplete_scorer() -> ForeignScorer:
    """A scorer whose second value leaves out one question."""
    return ForeignScorer(
        name="odd", version="1", keys=("em", "even"),
        judge=lambda texts, golds: {
            "em": 1.0, "even": None if texts == ("a",) else float(texts == ("b",)),
        },
    )  # fmt: skip


def test_exact_and_graded_scores_are_not_compared(tmp_path):
    """An honest reader's F1 stands above its exact match; scorers that agree are sound."""
    run = load_run(make_run(tmp_path, "longer", lambda gold: f"{gold} boats"))
    finding = check([run], ["drop", "lm-eval"])
    means = finding.data["means"]["longer"]
    assert means["drop.f1"] > means["drop.em"] + 0.2
    assert finding.verdict == "sound"


def test_the_verdict_is_the_worst_of_all_runs(tmp_path):
    """The verdict is that of the run at which scorers are widest apart, whatever the order."""
    runs = [
        load_run(make_run(tmp_path, "gold", lambda gold: gold)),
        load_run(make_run(tmp_path, "run-on", lambda gold: gold + "\nmore")),
    ]
    for order in (runs, runs[::-1]):
        finding = check(order)
        assert finding.verdict == "broken"
        assert finding.data["run"] == "run-on"
        assert any("run-on" in note for note in finding.notes)


def test_equal_runs_swap_no_ranks(tmp_path):
    """Ten alike: no order is made of nothing."""
    runs = [load_run(make_run(tmp_path, f"r{place}", lambda gold: gold)) for place in range(10)]
    (*_, order) = check(runs, ["drop", "squad"]).tables
    assert {row[1] for row in order.rows} == {" = ".join(f"r{place}" for place in range(10))}
    assert {row[2] for row in order.rows} == {0}


def stubborn() -> ForeignScorer:
    """A stranger's scorer that fails on a full stop."""

    def judge(texts, golds):
        if texts[0].endswith("."):
            raise ValueError("cannot\nread")
        return {"em": 1.0}

    return ForeignScorer(name="stubborn", version="1", keys=("em",), judge=judge)


def make_percent_scorer() -> ForeignScorer:
    """A stranger's scorer that speaks in percent."""
    return ForeignScorer(
        name="percent", version="1", keys=("em",), judge=lambda texts, golds: {"em": 100.0}
    )


def make_graded_scorer() -> ForeignScorer:
    """A stranger's scorer whose values lie between, under a name of its own."""
    return ForeignScorer(
        name="graded", version="1", keys=("rouge",), judge=lambda texts, golds: {"rouge": 0.5}
    )


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("stubborn", "fails: ValueError: cannot read"),
        ("make_percent_scorer", "em is 100, which is not between 0 and 1"),
    ],
)
def test_an_invalid_external_scorer_is_named(tmp_path, name, why):
    """It fails, or gives no fraction: left out, and nothing is compared with it."""
    run = load_run(make_run(tmp_path, "dots", lambda gold: gold + "."))
    finding = check([run], ["drop", f"{__name__}:{name}"])
    assert set(finding.data["matrix"]) == {"drop.em", "drop.f1"}
    (note,) = (one for one in finding.notes if one.startswith("skipped"))
    assert note.startswith(f"skipped {__name__}:{name}: ") and note.endswith(why)


def test_an_external_scorer_may_fail_on_a_repaired_answer(tmp_path):
    """Where causes are sought, texts are tried that were never said."""
    run = load_run(make_run(tmp_path, "ones", lambda gold: f"{gold}\nx"))
    assert check([run], ["drop", "squad", f"{__name__}:stubborn"]).data["causes"]


def test_a_value_between_0_and_1_is_graded(tmp_path):
    """So that it is not compared with exact ones."""
    run = load_run(make_run(tmp_path, "gold", lambda gold: gold))
    finding = check([run], ["drop", f"{__name__}:make_graded_scorer"])
    rows = {row[0]: row[2] for row in finding.tables[0].rows}
    assert rows == {"drop.em": None, "drop.f1": f"{__name__}:make_graded_scorer.rouge",
                    f"{__name__}:make_graded_scorer.rouge": "drop.f1"}  # fmt: skip


def test_the_matrix_is_on_the_page(tmp_path):
    """Every number of it, exact and graded."""
    run = load_run(make_run(tmp_path, "dots", lambda gold: gold + "."))
    finding = check([run], ["drop", "squad"])
    wide = {one.title: one for one in finding.tables if one.is_wide}
    shown = {
        (row[0], heading.removesuffix(" %")): cell
        for one in wide.values()
        for row in one.rows
        for heading, cell in zip(one.headings[1:], row[1:], strict=True)
    }
    assert shown == {
        (left, right): finding.data["matrix"][left][right] for left, right in shown
    } and len(shown) == 8  # fmt: skip


def test_the_most_common_language_chooses_the_scorers():
    """Not that of the first; the others are counted."""
    base = make_mixed_run(["Ada", "Ada", "A"])
    first = base.questions[0]
    questions = tuple(
        msgspec.structs.replace(first, question_id=f"q{place}", passage_id="p" if place else "z")
        for place in range(3)
    )
    run = dataclasses.replace(
        base, questions=questions,
        passages={**base.passages, "z": Passage(passage_id="z", text="灯塔", language="zh")},
    )  # fmt: skip
    finding = check([run])
    assert "drop.em" in finding.data["matrix"]
    assert any(note.startswith("1 of 3 questions are in a language that") for note in finding.notes)


def test_rankings_are_compared_with_a_scorer_that_separates_runs(tmp_path):
    """Exact match gives both runs nothing: there is nothing in it to turn round."""
    runs = [
        load_run(make_run(tmp_path, "long", lambda gold: f"{gold} {'boats ' * 8}")),
        load_run(make_run(tmp_path, "short", lambda gold: f"{gold[:1]} and {gold}")),
    ]
    (*_, order) = check(runs, ["drop", "opencompass"]).tables
    swapped = {row[0]: row[2] for row in order.rows}
    assert "compared with the ranking by drop.f1" in order.note
    assert swapped["drop.em"] == swapped["drop.f1"] == 0


def make_shifted_scorer() -> ForeignScorer:
    """A stranger's scorer that gives each question what another one gives its neighbour."""
    return ForeignScorer(
        name="turned", version="1", keys=("em",),
        judge=lambda texts, golds: {"em": float((texts,) != tuple(golds))},
    )  # fmt: skip


def test_equal_means_do_not_hide_disagreement(tmp_path):
    """Half of the questions right by one, the other half by the other."""
    turns = iter([True, False] * 4)
    run = load_run(make_run(tmp_path, "half", lambda gold: gold if next(turns) else "qqq"))
    finding = check([run], ["lighteval", f"{__name__}:make_shifted_scorer"])
    means = finding.data["means"]["half"]
    assert means["lighteval.exact_match"] == means[f"{__name__}:make_shifted_scorer.em"] == 0.5
    assert finding.verdict == "doubtful"
