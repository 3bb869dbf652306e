"""Runs and numbers from Python are those of the command line."""

import json
import zipfile

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

import closeread
from audit_runs import make_run
from closeread import Answer, Passage, Prediction, Question
from closeread.audits.replan import Change
from closeread.errors import InputError, MismatchError, UsageError
from command_line import run_in_process
from project_paths import ROOT

TEXT = "Ann ran. Bob slept in 1990."


def _items() -> list[tuple[Passage, tuple[Question, ...]]]:
    def question(name: str, *accepted: str) -> Question:
        answers = tuple(Answer(kind="span", texts=(text,)) for text in accepted)
        return Question(question_id=name, passage_id="p", text="?", kind="span", answers=answers)

    passage = Passage(passage_id="p", text=TEXT)
    return [(passage, (question("who", "Ann", "the Ann"), question("when", "1990")))]


class Echo:
    def read(self, items):
        yield from ()


def _command_json(*arguments: str) -> dict:
    done = run_in_process(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_questions_and_predictions_in_memory():
    """One of two is right, the other shares no word: a half, by hand."""
    found = closeread.score(_items(), {"who": "Ann", "when": "2001"}, metrics="squad", resamples=0)
    assert {name: one.value for name, one in found.metrics.items()} == {
        "squad.em": 0.5,
        "squad.f1": 0.5,
    }
    one = Prediction(question_id="when", answer=Answer(kind="span", texts=("1990",)))
    assert closeread.score(_items(), [one]).metrics["squad.em"].value == 0.5


def test_predictions_may_have_every_form_of_a_file(tmp_path):
    """N-best, rows and texts in memory score as the same in a file."""
    forms = [
        {"who": "Ann", "when": "Bob"},
        {"who": [{"text": "Ann", "probability": 0.9}], "when": [{"text": "x", "probability": 0.1}]},
        [{"id": "who", "answer": "Ann"}, {"id": "when", "answer": "x"}],
    ]
    for number, form in enumerate(forms):
        file = tmp_path / f"{number}.json"
        file.write_text(json.dumps(form), "utf-8")
        given = closeread.score(_items(), form, metrics="squad").metrics
        assert given == closeread.score(_items(), file, metrics="squad").metrics
        assert given["squad.em"].value == 0.5


def test_misfits_equal_those_of_the_command_line(tmp_path):
    """Of a file and of its content; a run made of the file counts the same."""
    given = {"en-01-q1": "Josiah Pell", "en-01-q2": "unanswerable", "stranger": "1894"}
    (tmp_path / "p.json").write_text(json.dumps(given))
    found = closeread.find_misfits("exam/en", given)
    assert found.strangers == ["stranger"]
    assert found.declined == ["en-01-q2"]
    assert found.counts["missing"] == 73
    assert closeread.find_misfits("exam/en", tmp_path / "p.json") == found
    file, run = str(tmp_path / "p.json"), str(tmp_path / "run")
    score = ("score", "--dataset", "exam/en", "--predictions", file, "--save", run)
    assert _command_json(*score)["misfits"] == found.counts
    assert _command_json("score", run)["misfits"] == found.counts
    with pytest.raises(MismatchError, match="stranger"):
        closeread.find_misfits("exam/en", {"stranger": "1894"})


def test_numeric_ids_match_text_ids():
    """JSON has no other keys than texts: an id as a table's index has it is the same."""
    passage, questions = _items()[0]
    items = [(passage, [replace(one, question_id=str(n)) for n, one in enumerate(questions)])]
    given = {np.int64(0): "Ann", 1: "1990"}
    found = closeread.score(items, given, metrics="squad", resamples=0)
    assert found.metrics["squad.em"].value == 1.0
    odds = closeread.score(items, given, metrics="squad2", resamples=0, null_odds={0: 0, 1: 1})
    assert odds.metrics["squad2.best_em"].value == 1.0


def test_numbers_about_memory_name_no_folder():
    """Questions in memory lie nowhere, not in the folder that Python runs in."""
    found = closeread.score(_items(), {"who": "Ann"}, metrics="squad", resamples=0)
    assert found.dataset.path == ""


def test_questions_in_memory_can_be_written_and_read(tmp_path):
    """What `read` sends to `dump` is taken there."""
    closeread.dump(iter(_items()), tmp_path / "mine.jsonl")
    assert [(p, tuple(q)) for p, q in closeread.load(tmp_path / "mine.jsonl")] == _items()
    run = closeread.read(tmp_path / "mine.jsonl", "lexical", tmp_path / "run")
    assert run.info.n_predictions == 2


def test_null_odds_in_memory():
    """The side file of SQuAD 2.0 may be given as what it holds."""
    given = {"who": "Ann", "when": ""}
    odds = {"who": 0.1, "when": 0.9}
    found = closeread.score(_items(), given, metrics="squad2", null_odds=odds, resamples=0)
    assert found.metrics["squad2.best_em"].value == 0.5


def test_the_same_numbers_as_the_command_line(tmp_path):
    """A run made here is the command line's, byte for byte, and so are its numbers."""
    here = closeread.read("exam/en", "lexical", tmp_path / "here")
    _command_json("read", "exam/en", "--reader", "lexical", "--out", str(tmp_path / "there"))
    predictions = (tmp_path / "here/predictions.jsonl").read_bytes()
    assert predictions == (tmp_path / "there/predictions.jsonl").read_bytes()
    closeread.score(here)
    _command_json("score", str(tmp_path / "there"))
    numbers = (tmp_path / "here/summary.json").read_bytes()
    assert numbers == (tmp_path / "there/summary.json").read_bytes()
    floor = closeread.read("exam/en", closeread.open_reader("first-sentence"), tmp_path / "floor")
    closeread.score(floor)
    compared = closeread.compare(floor, tmp_path / "here", metrics="drop.f1", resamples=500)
    printed = _command_json(
        "compare", str(floor.path), str(here.path), "--metric", "drop.f1", "--resamples", "500"
    )
    assert msgspec.to_builtins(compared.comparisons) == printed["comparisons"]
    assert closeread.verify(here).verdict == "verified"
    page = closeread.report(floor, here, out=tmp_path / "page.html")
    assert "first-sentence" in page.read_text("utf-8")
    assert closeread.report(here) == tmp_path / "here/report.html"
    assert closeread.audit(here, checks="shortcuts").findings[0].check == "shortcuts"


def test_tables_of_runs_compare_as_on_the_command_line(tmp_path):
    """Set by set; what is no table is refused, and says what is."""
    for reader in ("majority", "first-sentence"):
        for name in ("en", "zh"):
            run = closeread.read(f"exam/{name}", reader, tmp_path / reader / name, limit=9)
            closeread.score(run, resamples=100)
    folders = [str(tmp_path / reader) for reader in ("majority", "first-sentence")]
    found = closeread.compare_tables(*folders, resamples=200)
    assert json.loads(msgspec.json.encode(vars(found))) == _command_json(
        "compare", *folders, "--resamples", "200"
    )
    with pytest.raises(UsageError, match="not tables of runs"):
        closeread.compare_tables(folders[0])


SCORES = """model,drop,mmlu,arc
llama-7B,0.41,0.40,0.41
llama-13B,0.30,0.50,0.52
llama-30B,0.55,0.60,0.61
"""


@pytest.mark.parametrize(
    ("source", "options", "named"),
    [
        ("scores.csv", ("--target", "mmlu"), {"target": "mmlu"}),
        ("scores.csv", ("--questions", "30"), {"n_questions": 30}),
        (
            "ours",
            ("--stop", ".", "--new-prompt", "--throughput", "50", "--check", "replan"),
            {
                "change": Change(stops=(".",), prompt=True),
                "tokens_per_second": 50.0,
                "checks": "replan",
            },
        ),
        (
            "ours",
            ("--plant", "2", "--seed", "5", "--check", "metamorphic"),
            {"plant_bugs": 2, "seed": 5, "checks": "metamorphic"},
        ),
    ],
)
def test_audits_equal_those_of_the_command_line(tmp_path, monkeypatch, source, options, named):
    """Each option has its argument, which changes what is found as the option does."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scores.csv").write_text(SCORES, "utf-8")
    make_run(tmp_path, "ours", lambda gold: gold + ". And so on.")
    found = closeread.audit(source, **named)
    printed = _command_json("audit", source, *options)
    assert json.loads(msgspec.json.encode(found.findings)) == printed["findings"]
    without = {key: value for key, value in named.items() if key in ("checks", "seed")}
    if "change" not in named:  # without one there is nothing to plan
        assert closeread.audit(source, **without).findings != found.findings


def test_an_audit_skips_bad_records(tmp_path):
    """Runs that were asked other questions stop it, and are counted where that is wanted."""
    runs = [closeread.read("exam/en", "majority", tmp_path / str(n), limit=n) for n in (6, 9)]
    with pytest.raises(InputError, match="different-questions"):
        closeread.audit(*runs, checks="shortcuts")
    found = closeread.audit(*runs, checks="shortcuts", skip_bad=True)
    assert list(found.skipped) == ["different-questions"]


def test_answers_of_a_reader_are_scored_without_a_run():
    """They give the numbers of the run."""
    reader = closeread.open_reader("longest-option")
    found = closeread.score("exam/zh", reader.answers("exam/zh"), metrics="choice", resamples=0)
    assert found.metrics["choice.accuracy"].n_answered == 108


def test_an_object_with_the_method_read_is_a_reader(tmp_path):
    """A reader of one's own needs no catalog; a resumed run asks nothing again."""

    class First:
        asked = 0

        def read(self, items):
            for passage, question in items:
                First.asked += 1
                answer = Answer(kind="span", texts=(passage.text.split()[0],))
                yield Prediction(question_id=question.question_id, answer=answer)

    run = closeread.read("exam/en", First(), tmp_path / "run", limit=5)
    assert run.info.n_predictions == First.asked == 5
    assert run.info.reader.name.endswith("First")
    closeread.read("exam/en", First(), tmp_path / "run", limit=5, resume=True)
    assert First.asked == 5
    steps = []

    def begin(total):
        steps.append(total)
        return steps.append

    closeread.read("exam/en", First(), tmp_path / "run", limit=5, overwrite=True, begin=begin)
    assert steps == [5, 0, 1, 1, 1, 1, 1]


def test_failed_questions_are_read_again(tmp_path):
    """The answers that are there are taken over; so with ids that are named."""

    class Odd:
        asked, broken = 0, True

        def read(self, items):
            for number, (_, question) in enumerate(items):
                Odd.asked += 1
                yield Prediction(
                    question_id=question.question_id,
                    answer=Answer(kind="none"),
                    error="status 500" if Odd.broken and number == 2 else "",
                )

    first = closeread.read("exam/en", Odd(), tmp_path / "first", limit=5)
    Odd.asked, Odd.broken = 0, False
    second = closeread.read("exam/en", Odd(), tmp_path / "second", limit=5, rest=first)
    assert (first.info.n_failed, second.info.n_failed, Odd.asked) == (1, 0, 1)
    named = [one.question_id for one in second.predictions()][:2]
    third = closeread.read(
        "exam/en", Odd(), tmp_path / "third", only=named, rest=second.path, limit=5
    )
    assert (third.info.n_predictions, Odd.asked) == (5, 3)
    assert closeread.read("exam/en", Odd(), tmp_path / "part", only=named).info.n_predictions == 2
    with pytest.raises(UsageError, match="failed on no question"):
        closeread.read("exam/en", Odd(), tmp_path / "fourth", limit=5, rest=second)


def test_an_empty_list_of_ids_is_rejected(tmp_path):
    """It is computed, and all questions of a set may cost much; one named twice is one."""
    for rest in (None, tmp_path / "none"):
        with pytest.raises(UsageError, match="only lists no question"):
            closeread.read("exam/en", "first-sentence", tmp_path / "run", only=[], rest=rest)
    assert not (tmp_path / "run").exists()
    name = next(closeread.load("exam/en").questions()).question_id
    once, twice = (
        closeread.read("exam/en", "first-sentence", tmp_path / str(n), only=[name] * n)
        for n in (1, 2)
    )
    assert once.info.dataset == twice.info.dataset


def test_trained_weights_can_be_read_with(tmp_path):
    """A recipe for cues learns from the exam, and its weights are opened by name."""
    recipe = tmp_path / "r.toml"
    recipe.write_text(
        'out = "w.json"\n[reader]\nname = "cues"\n[train]\ndatasets = ["exam/zh"]\n', "utf-8"
    )
    trained = closeread.train(recipe, out=tmp_path / "w.json")
    assert trained.summary["weights"] == str(trained.out) == str(tmp_path / "w.json")
    told = closeread.open_reader("cues", weights=str(trained.out)).ask(
        "下列说法正确的一项是", "安跑了。", ["安跑了", "鲍勃跑了"]
    )
    assert told.answer.label in "AB"


@pytest.mark.parametrize(
    ("wrong", "error", "said"),
    [
        (lambda: closeread.score("exam/en"), InputError, "there is no such run folder"),
        (lambda: closeread.score(_items()), UsageError, "predictions are missing"),
        (lambda: closeread.score(_items(), {"x": "Ann"}), MismatchError, "none of 1 prediction"),
        (lambda: closeread.score(_items(), [3]), InputError, r"at \[0\]: a prediction with"),
        (lambda: closeread.score(_items(), {"who": 3}), InputError, "question who"),
        (lambda: closeread.score(_items(), {"who": "Ann"}, metrics="nix"), UsageError, "nix"),
        (lambda: closeread.read(_items(), "lexical", "out"), UsageError, "only in memory"),
        (lambda: closeread.read("exam/en", object(), "out"), UsageError, "is not a reader"),
        (lambda: closeread.read("exam/en", Echo(), "o", options={"a": 1}), UsageError, "already"),
        (lambda: closeread.read("exam/en", Echo, "o"), UsageError, "Echo'> is not a reader"),
        (lambda: closeread.read("exam/en", "lexical", "o", batch_size=0), UsageError, "at least 1"),
        (
            lambda: closeread.read("exam/en", "lexical", "o", resume=True, overwrite=True),
            UsageError, "cannot be used together",
        ),
        (lambda: closeread.score(_items(), 5), InputError, "found a number"),
        (lambda: closeread.score(_items(), "x"), InputError, "x: cannot be read"),
        (lambda: closeread.score(_items(), {"who": {"Ann"}}), InputError, "a value of type set"),
        (
            lambda: closeread.score(_items(), {"who": "a"}, null_odds={"who": "x"}),
            InputError, "question who: the null odds are a string",
        ),
        (
            lambda: closeread.score(_items(), {"who": "a"}, null_odds={"who": float("nan")}),
            InputError, "question who: the null odds are not a finite number",
        ),
        (
            lambda: closeread.score(
                _items(), [Prediction(question_id="who", confidence=float("nan"))]
            ),
            InputError, "question who: the confidence is not a finite number",
        ),
        (
            lambda: closeread.score(
                _items(), [Prediction(question_id="who", option_scores=(0.5, float("nan")))]
            ),
            InputError, "question who: the option score is not a finite number",
        ),
        (lambda: closeread.compare(["a", "b"]), UsageError, "is not a run"),
        (lambda: closeread.audit(["a", "b"]), UsageError, "is not a run"),
        (lambda: closeread.audit("a", n_questions=0), UsageError, "n_questions is 0"),
        (lambda: closeread.audit("a", plant_bugs=-1), UsageError, "plant_bugs is -1"),
        (lambda: closeread.audit("a", tokens_per_second="x"), UsageError, "per_second is 'x'"),
        (lambda: closeread.audit("a", tokens_per_second=0), UsageError, "per_second is 0"),
        (lambda: closeread.verify(["a"]), UsageError, "is not a run"),
        (lambda: closeread.report("a", language="fr"), UsageError, "en or zh"),
        (lambda: closeread.compare("nowhere"), InputError, "nowhere"),
        (lambda: closeread.report(out="page.html"), UsageError, "no run"),
        (closeread.compare, UsageError, "no run"),
    ],
)  # fmt: skip
def test_user_errors_are_explained(wrong, error, said, tmp_path, monkeypatch):
    """One clear error, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=said):
        wrong()
    assert list(tmp_path.iterdir()) == []


def test_hand_in_equals_the_command_convert(tmp_path):
    """Its letters alone, and as the package; what that lacks is told."""
    run = closeread.read("exam/zh", "longest-option", tmp_path / "run")
    letters, package = tmp_path / "letters.json", tmp_path / "GCRC_advRobust.zip"
    done = closeread.hand_in(run, letters, "gcrc-advrobust")
    assert (done.target, done.form, done.without_letter) == (str(letters), "gcrc-advrobust", 0)
    itself = closeread.score(run, metrics="choice").metrics["choice.accuracy"]
    back = closeread.score("exam/zh", letters, metrics="choice").metrics["choice.accuracy"]
    assert back.value == itself.value
    model, words = tmp_path / "model.zip", tmp_path / "GCRC_advRobust.docx"
    for path, name in ((model, "weights"), (words, "word/document.xml")):
        with zipfile.ZipFile(path, "w") as made:
            made.writestr(name, b"0")
    with pytest.raises(closeread.CloseReadError, match=r"GCRC_advRobust\.docx is missing"):
        closeread.hand_in(tmp_path / "run", package, beside=model)
    closeread.hand_in(tmp_path / "run", package, beside=[model, words])
    assert closeread.score("exam/zh", package).metrics["choice.accuracy"].value == itself.value


def test_convert_and_ingest_accept_names(tmp_path):
    """Paths as text; what is written is read back, and a log becomes a run that is scored."""
    told = closeread.convert("exam/zh", str(tmp_path / "zh.jsonl.gz"), limit=6)
    assert (told.questions, told.target_format) == (6, "jsonl")
    assert len(list(closeread.load(told.target).questions())) == 6
    logs = ROOT / "tests/unit/logs/fixtures/lm_eval"
    made = closeread.ingest(str(logs), str(tmp_path / "runs"))
    assert {run.path.name for run in made.runs} == {"drop_local", "choice_local"}
    drop = closeread.score(tmp_path / "runs/drop_local", metrics="lm-eval", resamples=0)
    assert round(drop.metrics["lm-eval.drop.f1"].value, 4) == 0.2457
    with pytest.raises(InputError):
        closeread.ingest([told.target], tmp_path / "none")
    assert not (tmp_path / "none").exists()
