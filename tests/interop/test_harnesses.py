"""Every reader reads what the real harness writes, and the scores are the harness' own.

`make interop` makes the environments; without one its test skips and says so.
"""

import os
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest

from closeread.runs.ingest import ingest
from closeread.runs.records import ScoreSettings
from closeread.runs.score import score_run
from closeread.runs.store import Run, open_run
from closeread.runs.verify import verify
from closeread.types import Prediction

pytestmark = pytest.mark.interop

HERE = Path(__file__).parent
ENVIRONMENTS = HERE.parents[1] / ".venv-interop"
# Harness, task, its number for the whole set, ours, the factor between them, and the tolerance
# that the harness' own rounding asks for.
CASES = [
    ("lm_eval", "drop_local", "em", "lm-eval.drop.em", 1, 0),
    ("lm_eval", "drop_local", "f1", "lm-eval.drop.f1", 1, 0),
    ("lm_eval", "drop_local", "f1", "drop.f1", 1, 0),
    ("lm_eval", "choice_local", "acc", "choice.accuracy", 1, 0),
    ("lighteval", "drop_local|0", "em", "lighteval.exact_match", 1, 0),
    ("inspect", "drop_local", "f1.mean", "inspect.f1", 1, 0),
    ("inspect", "choice_local", "choice.accuracy", "choice.accuracy", 1, 0),
    ("evalscope", "drop_default", "exact_match", "lm-eval.drop.em", 1, 0.00005),
    ("evalscope", "drop_default", "f1", "lm-eval.drop.f1", 1, 0.00005),
    ("opencompass", "drop", "accuracy", "opencompass.drop", 100, 0),
    ("simple_evals", "drop", "score", "simple-evals.drop.score", 1, 0),
    ("simple_evals", "drop", "f1_score", "simple-evals.drop.f1", 100, 1e-9),
    ("openai_evals", "drop_local.test.v0", "accuracy", "simple-evals.drop.score", 1, 0),
    ("openai_evals", "drop_local.test.v0", "f1_score", "squad.f1", 1, 0),
    ("openai_evals", "choice_local.test.v0", "accuracy", "choice.accuracy", 1, 0),
    *(
        ("helm", task, name, f"helm.{name}", 1, 0)
        for task in ("drop_local", "drop_local,lowercase")
        for name in (
            "exact_match", "quasi_exact_match", "prefix_exact_match", "quasi_prefix_exact_match",
            "f1_score",
        )
    ),
    *(
        ("helm", f"choice_local:method=multiple_choice_{name}", "exact_match", "choice.accuracy",
         1, 0)
        for name in ("joint", "separate_original", "separate_calibrated")
    ),
]  # fmt: skip
# The harness' name for its score of one question, and ours; HELM's are called alike.
BY_QUESTION = {
    "lm-eval.drop.em": "em",
    "lm-eval.drop.f1": "f1",
    "lighteval.exact_match": "em",
    "inspect.f1": "f1",
    "opencompass.drop": "correct",
    "simple-evals.drop.score": "score",
}
FUZZY = {"simple-evals.drop.score": "accuracy", "squad.f1": "f1_score"}  # of OpenAI evals
# The answers of the examples in the prompts; the two harnesses that draw them have no list here.
_OURS = ("12", "Ada Brandt")
SHOWN = {
    ("lm_eval", "drop_few_shot"): (),
    ("lm_eval", "drop_chat"): (),
    ("lighteval", "drop_few_shot|2"): (),
    ("inspect", "drop_few_shot"): _OURS,
    ("evalscope", "drop_default"): ("1", "Jacobs", "43"),
    ("opencompass", "drop"): _OURS,
    ("simple_evals", "drop"): _OURS,
    ("openai_evals", "drop_few_shot.test.v0"): _OURS,
    ("helm", "drop_local"): _OURS,
}


@pytest.fixture(scope="session")
def logs(tmp_path_factory):
    """Runs a harness once and returns the run folders made of its logs, by task."""
    made = {}

    def of(name):
        if name not in made:
            made[name] = _ingested(name, tmp_path_factory.mktemp(name))
        return made[name]

    return of


def _ingested(name, folder):
    python = ENVIRONMENTS / name / "bin" / "python"
    if not python.exists():
        pytest.skip(f"no environment for {name}: `make interop` makes it")
    for material in HERE.glob("*.jsonl"):
        shutil.copy(material, folder)
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(folder / "hub"), "MPLBACKEND": "agg"}
    shared = {"PYTHONPATH": str(HERE / "forms")}
    for script in sorted((HERE / name).glob("make_*logs.py"), reverse=True):
        done = subprocess.run(
            [python, script, folder],
            env=os.environ | offline | shared,
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=280,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
    plain = ingest([folder / "out"], folder / "runs").runs
    few_shot = ingest([folder / "few_shot"], folder / "few_shot_runs").runs
    return {run.info.log.task: run for run in plain} | {
        ("few-shot", run.info.log.task): run for run in few_shot
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[3]}")
def test_our_number_is_the_one_that_the_harness_printed(logs, case):
    harness, task, theirs, ours, factor, tolerance = case
    run = logs(harness)[task]
    printed = run.info.log.scores[theirs]
    settings = ScoreSettings(metrics=(ours,))
    found = score_run(run, settings).metrics[ours]
    assert found.n_scored == run.info.n_predictions > 2
    assert abs(found.value * factor - printed) <= max(tolerance, 1e-12 * factor)
    assert not verify(run).differences


# EvalScope is not here: no scorer of ours bears its name.
@pytest.mark.parametrize(
    ("harness", "task", "ours"),
    [
        (c[0], c[1], c[3])
        for c in CASES
        if c[0] != "evalscope" and (c[3] in BY_QUESTION | FUZZY or c[3].startswith("helm."))
    ],
)
def test_our_score_of_each_question_is_the_one_that_the_harness_logged(logs, harness, task, ours):
    run = logs(harness)[task]
    score_run(run, ScoreSettings(metrics=(ours,)))
    family, _, value = ours.partition(".")
    mine = {row.question_id: row.values[value] for row in run.scores(family)}
    theirs = (FUZZY if harness == "openai_evals" else BY_QUESTION).get(ours, value)
    logged = {row.question_id: row.values.get(theirs) for row in run.log_scores()}
    assert logged == mine and len(set(mine.values())) > 1


@pytest.mark.parametrize(("harness", "task"), SHOWN)
def test_the_examples_of_every_prompt_are_found_in_the_log(logs, harness, task):
    """Either all of them, known beforehand, or two golds of other questions as the harness drew."""
    run = logs(harness)["few-shot", task]
    found = run.log_shown()
    assert len(found) == run.info.n_predictions == 14
    if SHOWN[harness, task]:
        assert set(map(frozenset, found.values())) == {frozenset(SHOWN[harness, task])}
        return
    golds = {
        text.replace(",", " ").split()[0]
        for question in run.dataset().questions()
        for answer in question.answers
        for text in answer.texts
    }
    for shown in found.values():
        assert len(shown) == 2
        assert {one.replace(",", " ").split()[0] for one in shown} <= golds


def test_what_helm_shows_on_its_site_are_the_answers_of_the_state(logs, tmp_path):
    whole = logs("helm")["drop_local"]
    site = ingest([whole.path.parents[1] / "site"], tmp_path / "site").runs
    (shown,) = [run for run in site if run.info.log.task == "drop_local"]
    answers = [
        [(one.question_id, one.answer) for one in run.predictions()] for run in (whole, shown)
    ]
    assert answers[0] == answers[1] and len(answers[0]) == 14
    assert shown.info.log.scores == whole.info.log.scores


def test_both_forms_of_an_inspect_log_hold_the_same(logs):
    """(The JSON form is sorted by id, the archive is not.)"""
    runs = list(logs("inspect").values())
    folder = runs[0].path.parent
    for task, count in (("drop_local", 14), ("choice_local", 3)):
        first, second = open_run(folder / task), open_run(folder / f"{task}-2")
        for told in (lambda run: run.dataset().questions(), Run.log_scores, Run.predictions):
            one = {found.question_id: _untimed(found) for found in told(first)}
            other = {found.question_id: _untimed(found) for found in told(second)}
            assert len(one) == count and one == other


def _untimed(found):
    if isinstance(found, Prediction):
        return msgspec.structs.replace(found, seconds=None)
    return found
