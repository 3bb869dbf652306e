"""Scores of a run: which metrics, which questions, what is written and what is refused."""

import json
from dataclasses import replace

import msgspec
import pytest

import closeread
from closeread import exam
from closeread.errors import InputError, MismatchError, UsageError
from closeread.formats import load
from closeread.formats.submissions import load_submission
from closeread.metrics.subject import family
from closeread.runs import open_run
from closeread.runs.from_submission import save_submission
from closeread.runs.predict import predict
from closeread.runs.records import ScoreSettings
from closeread.runs.score import score_run, score_submission
from closeread.runs.scoring.default_metrics import default_metrics, is_requested
from closeread.runs.store import SCORES, SUMMARY, Predictions
from closeread.types import (
    Answer,
    Evidence,
    Option,
    Passage,
    Prediction,
    Question,
    Span,
    Submission,
)

PLAIN = ScoreSettings(metrics=())


def gold_letter(passage, question):
    """The letter that the conftest's triples have as gold, told by the option's own text."""
    _, _, role, number = question.options[0].text.split()
    return "ABCD"[(int(number) + ("original", "positive", "negative").index(role)) % 4]


@pytest.fixture
def run(tmp_path, make_job, by_rule):
    return predict(make_job(by_rule(gold_letter), passages=6), tmp_path / "run")


def test_default_metrics_fit_the_questions(run):
    """Options, truth values and triples are found in the data; so are confidences."""
    found = score_run(run, PLAIN)
    families = list(dict.fromkeys(family(name) for name in found.metrics))
    assert families == ["choice", "option", "gcrc", "gcrc~strict", "selective"]
    assert found.metrics["choice.accuracy"].value == 1.0
    assert found.metrics["gcrc.acc2~strict"].value == 1.0
    assert found.settings.metrics == tuple(families)


def test_files_hold_the_returned_scores(run):
    """summary.json reads back as it was, and scores.jsonl has a row a metric a question."""
    found = score_run(run, PLAIN)
    again = open_run(run.path)
    assert again.summary() == found
    assert len(list(again.scores("choice"))) == 18
    assert {row.metric for row in again.scores()} == set(found.settings.metrics)


def test_intervals_are_computed_only_on_request(run):
    """No resamples, no interval; with them low <= value <= high and ci in the signature."""
    without = score_run(run, ScoreSettings(metrics=("choice",)))
    assert without.metrics["choice.accuracy"].low is None
    settings = ScoreSettings(metrics=("choice", "gcrc.acc0"), resamples=200)
    for one in score_run(run, settings).metrics.values():
        assert one.low <= one.value <= one.high
        assert "|ci:" in one.signature


def test_one_value_of_a_family_can_be_requested(run):
    """gcrc.acc1 alone is what gcrc.acc1 asks for; a value that does not exist is refused."""
    found = score_run(run, ScoreSettings(metrics=("gcrc.acc1", "choice")))
    assert list(found.metrics) == ["gcrc.acc1", "choice.accuracy"]
    with pytest.raises(UsageError, match=r"gcrc\.acc0"):
        score_run(run, ScoreSettings(metrics=("gcrc.acc7",)))


def test_a_metric_of_other_questions_is_rejected(run):
    """An extractive metric judges no question with options, and says so."""
    with pytest.raises(UsageError, match="applies to no question"):
        score_run(run, ScoreSettings(metrics=("mrqa",)))


def test_options_of_an_unused_metric_are_rejected(run):
    """An option that would do nothing is no option."""
    settings = ScoreSettings(metrics=("choice",), options={"mrqa": {"skip_no_answer": True}})
    with pytest.raises(UsageError, match="mrqa, which was not requested"):
        score_run(run, settings)
    settings = ScoreSettings(metrics=("choice",), options={"choice": {"colour": "red"}})
    with pytest.raises(UsageError, match="colour"):
        score_run(run, settings)


def test_breakdowns(run):
    """By a tag, by kind and by role; metrics over triples are left out where a tag splits them."""
    found = score_run(run, ScoreSettings(metrics=("choice", "gcrc"), by=("topic", "role")))
    assert set(found.breakdowns) == {"topic", "role"}
    assert found.breakdowns["topic"]["odd"]["gcrc.acc0"].n_questions == 9
    assert found.breakdowns["topic"]["even"]["choice.accuracy"].n_questions == 9
    assert list(found.breakdowns["role"]["negative"]) == ["choice.accuracy"]


def test_the_strategy_of_a_breakdown_is_that_of_the_right_option():
    """How an option was made adversarial stands at the option; originals have none."""
    dataset = load(exam.locate("exam/zh"))
    made = {
        question.question_id: option.tags["strategy"]
        for question in dataset.questions()
        for option in question.options
        if option.tags and option.label == question.answers[0].label
    }
    right = {name for name, strategy in made.items() if strategy == "logic"}
    said = {
        question.question_id: Prediction(
            question_id=question.question_id,
            answer=question.answers[0] if question.question_id in right else None,
        )
        for question in dataset.questions()
    }
    settings = ScoreSettings(metrics=("choice",), by=("strategy",), resamples=0)
    found = score_submission(dataset, Submission(predictions=said), settings)
    values = {name: of["choice.accuracy"] for name, of in found.breakdowns["strategy"].items()}
    assert {name: one.value for name, one in values.items()} == {
        "causality": 0.0, "keyword": 0.0, "logic": 1.0, "spacetime": 0.0,
    }  # fmt: skip
    assert values["logic"].n_questions == len(right)
    assert sum(one.n_questions for one in values.values()) == len(made) == 72


def test_a_failed_scoring_keeps_the_old_summary(run):
    """An unknown tag is refused, and what was written before stays."""
    score_run(run, PLAIN)
    before = [(run.path / name).read_bytes() for name in (SCORES, SUMMARY)]
    with pytest.raises(UsageError, match="topic"):
        score_run(run, ScoreSettings(metrics=("choice",), by=("colour",)))
    assert [(run.path / name).read_bytes() for name in (SCORES, SUMMARY)] == before
    assert not list(run.path.glob(".*"))


def test_failures_count_as_wrong(tmp_path, make_job, by_rule):
    """A reader that fails at some questions has them in its denominator."""

    def rule(passage, question):
        if "negative" in question.options[0].text:
            raise ValueError("no")
        return gold_letter(passage, question)

    run = predict(make_job(by_rule(rule)), tmp_path / "run")
    found = score_run(run, ScoreSettings(metrics=("choice",))).metrics["choice.accuracy"]
    assert (found.n_questions, found.n_scored, found.n_failed, found.n_answered) == (15, 15, 5, 10)
    assert found.value == 10 / 15


def test_a_limited_run_is_scored_on_its_questions(tmp_path, make_job, by_rule):
    """--limit is the denominator of a run that was limited."""
    run = predict(make_job(by_rule(gold_letter), limit=6), tmp_path / "run")
    assert score_run(run, PLAIN).metrics["choice.accuracy"].n_questions == 6


def test_metrics_of_questions_beyond_a_limit_are_not_computed(tmp_path):
    """The usual metrics are those of the whole set, and scoring ended at what judged nothing."""
    passage = "The ferry left at six."
    rows = [
        {"id": "a", "passage": passage, "question": "When?", "answer": "at six"},
        {"id": "b", "passage": passage, "question": "?", "options": ["six", "ten"], "answer": "A"},
    ]
    data = tmp_path / "mixed.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for limit, families in ((1, ["squad"]), (2, ["choice", "squad"])):
        run = closeread.read(data, "first-sentence", tmp_path / f"{limit}", limit=limit)
        found = score_run(run, PLAIN)
        assert list(dict.fromkeys(map(family, found.metrics))) == families
        assert found.settings.metrics == tuple(families)
        assert open_run(run.path).summary() == found
    with pytest.raises(UsageError, match="the metric choice applies to no question"):
        score_run(open_run(tmp_path / "1"), ScoreSettings(metrics=("choice",)))


def test_a_changed_data_set_is_rejected(run):
    """Gold that is not that of the run is not used."""
    with open(run.info.dataset.path, "ab") as stream:  # noqa: PTH123
        stream.write(b"\n")
    with pytest.raises(MismatchError, match="changed"):
        score_run(run, PLAIN)


def test_an_unfinished_run_is_rejected(run):
    """Numbers are made of whole runs only."""
    info = msgspec.structs.replace(run.info, complete=False)
    with pytest.raises(InputError, match="not finished"):
        score_run(type(run)(run.path, info), PLAIN)


def test_a_submission_scores_like_the_run(run):
    """The run's own predictions, handed in as a file, give the same numbers."""
    found = score_run(run, PLAIN)
    dataset = load(run.info.dataset.path)
    submission = load_submission(run.path / "predictions.jsonl", dataset)
    again = score_submission(dataset, submission, PLAIN)
    assert again.metrics == found.metrics


def test_a_stored_submission_scores_as_officially(tmp_path, make_dataset):
    """Unknown ids cost under the official rule, in the saved run as in the file."""
    dataset = make_dataset(2)
    path = tmp_path / "handed-in.json"
    path.write_text('{"q0#original": "A", "nobody#original": "A"}')
    submission = load_submission(path, dataset)
    direct = score_submission(dataset, submission, PLAIN)
    run = save_submission(dataset, submission, [path], tmp_path / "kept")
    assert [one.question_id for one in run.predictions()] == ["q0#original"]
    saved = score_run(run, PLAIN)
    assert saved.metrics == direct.metrics
    assert saved.metrics["gcrc.acc0"].value == 0.5


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mrqa.f1", "mrqa"),
        ("gcrc.acc0~strict", "gcrc~strict"),
        ("gcrc~strict", "gcrc~strict"),
        ("drop.f1.number", "drop"),
        ("selective.coverage@80", "selective"),
        ("some.package:metric", "some.package:metric"),
    ],
)
def test_families_of_values(name, expected):
    """A value's family is what stands before its first dot, with the variant."""
    assert family(name) == expected
    assert is_requested(expected, name, [expected])
    assert is_requested(expected, name, [name])
    assert not is_requested(expected, name, ["squad"])


def make_text_dataset(kind, *answers, language="en"):
    question = Question(question_id="q", passage_id="p", text="Who?", kind=kind, answers=answers)
    passage = Passage(passage_id="p", text="Nobody knows.", language=language)
    return passage, (question,)


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (make_text_dataset("span", Answer(kind="span", texts=("Nobody",))), ("squad",)),
        (make_text_dataset("span", Answer(kind="none")), ("squad2", "squad2~strict")),
        (make_text_dataset("span", Answer(kind="none"), language="zh"), ("cmrc~mixed",)),
        (make_text_dataset("span", Answer(kind="span", texts=("x",)), language="zh"), ("cmrc",)),
        (make_text_dataset("discrete", Answer(kind="number", texts=("3",))), ("drop",)),
    ],
)
def test_default_metrics_of_questions_without_options(item, expected):
    """Answers in words are judged by the scorer whose data look like them."""
    from closeread.types import Dataset

    dataset = Dataset(
        name="one",
        format="jsonl",
        read=lambda defects: iter([item]),
    )
    assert default_metrics(dataset, {}) == expected


@pytest.mark.parametrize(
    ("format_", "language", "expected"),
    [
        ("squad", "en", "squad2 squad2~strict"),
        ("squad", "zh", "cmrc~mixed"),
        ("cmrc", "zh", "cmrc~mixed"),
        ("jsonl", "zh", "cmrc~mixed"),
    ],
)
def test_the_language_chooses_the_metric_of_unanswerable_questions(format_, language, expected):
    """SQuAD 2.0's words are no words of Chinese; of two languages that of most passages counts."""
    from closeread.types import Dataset

    none, some = Answer(kind="none"), Answer(kind="span", texts=("x",))
    items = [make_text_dataset("span", one, language=language) for one in (none, some)]
    items.append(make_text_dataset("span", some, language="en" if language == "zh" else "zh"))
    dataset = Dataset(
        name="some",
        format=format_,
        read=lambda defects: iter(items),
    )
    assert default_metrics(dataset, {}) == tuple(expected.split())


@pytest.mark.parametrize(
    ("roles", "options", "expected"),
    [
        ("opnopn", True, ("choice", "gcrc", "gcrc~strict")),
        ("opnop", True, ("choice", "attack")),
        ("opop", True, ("choice", "attack")),
        ("onon", True, ("choice", "attack")),
        ("opn-", True, ("choice", "attack")),
        ("opn", False, ("squad", "attack")),
    ],
)
def test_default_metrics_of_attacked_sets(roles, options, expected):
    """Of triples GCRC's accuracies say what an attack costs, of anything else ``attack`` does."""
    from closeread.types import Dataset

    named = {"o": "original", "p": "positive", "n": "negative"}
    passage, (plain,) = make_text_dataset("span", Answer(kind="span", texts=("Nobody",)))
    some = (Option(label="A", text="a"), Option(label="B", text="b")) if options else ()
    made = tuple(msgspec.structs.replace(plain, role=named.get(one), options=some) for one in roles)
    dataset = Dataset(
        name="harder",
        format="jsonl",
        read=lambda defects: iter([(passage, made)]),
    )
    assert default_metrics(dataset, {}) == expected


def test_predictions_with_only_evidence_are_scored_by_evidence(make_dataset):
    """Where nobody answered there is no accuracy to print."""
    dataset = replace(make_dataset(1), format="vgaokao")
    evidence = (Evidence(texts=("It is short.",)),)
    found = {"q0": Prediction(question_id="q0", evidence=evidence)}
    assert default_metrics(dataset, found) == ("evidence",)
    found["q1"] = Prediction(question_id="q1", answer=Answer(kind="choice", label="A"))
    assert default_metrics(dataset, found) == ("choice", "option", "evidence")


def test_evidence_without_gold_evidence_is_rejected(make_dataset):
    passage, questions = next(iter(make_dataset(1)))
    bare = [msgspec.structs.replace(one, gold_evidence=()) for one in questions]
    dataset = replace(
        make_dataset(1), format="vgaokao", read=lambda defects: iter([(passage, tuple(bare))])
    )
    found = {"q0": Prediction(question_id="q0", evidence=(Evidence(texts=("It is short.",)),))}
    with pytest.raises(UsageError, match="only evidence") as caught:
        default_metrics(dataset, found)
    assert "--metric" not in str(caught.value)


@pytest.mark.parametrize("evidence", [(), (Evidence(texts=("It is short.",)),)])
def test_declined_answers_are_scored_as_answers(make_dataset, evidence):
    """Nothing was answered, which is no evidence alone: such a run could not be scored."""
    dataset = replace(make_dataset(1), format="vgaokao")
    found = {"q0": Prediction(question_id="q0", confidence=0.2, evidence=evidence)}
    expected = ("choice", "option", "evidence")[: 3 if evidence else 2]
    assert default_metrics(dataset, found) == expected
    assert default_metrics(dataset, {"q0": Prediction(question_id="q0")}) == ("choice", "option")


def test_predictions_are_looked_up_in_any_order(run):
    """Whatever the order of asking, the same predictions come, and an unknown id has none."""
    expected = {one.question_id: one for one in run.predictions()}
    found = Predictions(run)
    assert dict(found) == expected
    for key in (*expected, *reversed(expected), *sorted(expected) * 8):
        assert found[key] == expected[key]
    assert found.get("nobody") is None
    assert "nobody" not in found
    assert len(found) == len(expected)
    assert Submission(predictions=found).predictions.get("q0#original") == expected["q0#original"]


def test_the_denominator_is_the_data_sets_question_count(tmp_path):
    """A metric about some questions of a mixed set counts all of them, and those it scored."""
    passage = Passage(passage_id="p", text="The lamp burns. The ferry sank.")
    gold = Evidence(option_label="A", spans=(Span(0, 15),))
    options = (Option(label="A", text="It burns."), Option(label="B", text="It flies."))
    made = [
        Question(
            question_id=f"q{n}",
            passage_id="p",
            text="Which?",
            kind="choice" if n < 3 else "span",
            options=options if n < 3 else (),
            answers=(
                Answer(kind="choice", label="A") if n < 3 else Answer(kind="span", texts=("lamp",)),
            ),
            gold_evidence=(gold,) if n == 0 else (),
            tags={"topic": "light" if n % 2 == 0 else "water"},
        )
        for n in range(5)
    ]
    dataset = replace(
        load(exam.locate("exam/en")),
        read=lambda defects: iter([(passage, tuple(made))]),
        read_gold=lambda defects: iter(made),
    )
    submission = Submission(
        predictions={
            one.question_id: Prediction(
                question_id=one.question_id,
                answer=Answer(kind="choice", label="A"),
                evidence=(gold,),
            )
            for one in made
        }
    )
    names = ("choice", "option", "squad", "evidence", "evidence.f1")
    found = score_submission(dataset, submission, ScoreSettings(metrics=names, by=("topic",)))
    counted = {name: (one.n_questions, one.n_scored) for name, one in found.metrics.items()}
    assert counted["choice.accuracy"] == (5, 3)
    assert counted["squad.f1"] == (5, 2)
    assert counted["evidence.f1"] == (5, 1)
    assert "|n:5|" in found.metrics["evidence.f1"].signature + "|"
    light, water = (found.breakdowns["topic"][value] for value in ("light", "water"))
    assert (light["choice.accuracy"].n_questions, light["choice.accuracy"].n_scored) == (3, 2)
    assert (water["choice.accuracy"].n_questions, water["choice.accuracy"].n_scored) == (2, 1)
    alone = score_submission(dataset, submission, ScoreSettings(metrics=("evidence",)))
    assert alone.metrics["evidence.f1"] == found.metrics["evidence.f1"]


def test_a_set_without_questions_is_rejected(tmp_path):
    """A file that is a header alone is no matter of metrics."""
    path = tmp_path / "SQuAD.jsonl"
    path.write_text('{"header": {"dataset": "SQuAD", "split": "dev"}}\n')
    with pytest.raises(UsageError, match="SQuAD-dev has no questions"):
        score_submission(load(path), Submission(predictions={}), PLAIN)


@pytest.mark.parametrize("metrics", [(), ("choice",)])
def test_progress_counts_each_question_once(tmp_path, make_job, metrics):
    """A bar was full, and went on, where metrics were first chosen by the questions."""
    run = predict(make_job(), tmp_path / "run")
    told = []
    score_run(run, ScoreSettings(metrics=metrics, resamples=0), advance=told.append)
    assert sum(told) == run.info.dataset.n_questions
