"""A harness' own scores, held against every scorer and against the number that it made of them."""

import json
import random
import shutil
from pathlib import Path

import pytest

from audit_runs import load_run, make_run
from closeread.audits.recorded import check
from closeread.reports.words.audit_sentences import SENTENCES
from closeread.runs.ingest import ingest

LOGS = Path(__file__).parents[1] / "logs/fixtures"
LM_EVAL = LOGS / "lm_eval_few_shot"


@pytest.mark.parametrize(
    ("log", "said"),
    [
        ("evalscope", "em is reproduced by drop.em; f1 is reproduced by drop.f1"),
        ("lighteval", "em is reproduced by lighteval.exact_match"),
        ("opencompass", "correct is reproduced by opencompass.drop"),
        ("inspect/*drop*.eval", "f1 is reproduced by inspect.f1"),
        ("inspect/*choice*.json", "choice is reproduced by choice.accuracy"),
        ("lm_eval/samples_drop*", "em is reproduced by lm-eval.drop.em; "
         "f1 is reproduced by lm-eval.drop.f1"),
        ("lm_eval/samples_choice*", "acc is reproduced by choice.accuracy"),
        ("handmade/drop_canned*", "score is reproduced by simple-evals.drop.score"),
        ("helm/choice_calibrated", "exact_match is reproduced by choice.accuracy"),
        ("openai_evals/choice*", "correct is reproduced by choice.accuracy"),
    ],
)  # fmt: skip
def test_scores_of_eight_harnesses_are_reproduced(tmp_path, log, said):
    """All but simple-evals were really run; the number over the set is the mean of the scores."""
    (found,) = LOGS.glob(log)
    (run,) = ingest([found], tmp_path / "run").runs
    finding = check(load_run(run))
    assert finding.verdict == "sound" and finding.headline == f"run: {said}"
    for row in finding.data["scores"].values():
        assert row["whole"] in (None, pytest.approx(row["mean"], abs=1e-4))


def load_altered_log(folder, *, rows=lambda rows: None, results=lambda numbers: None):
    """The recorded log of lm-evaluation-harness, changed, as a subject."""
    log = folder / "log"
    shutil.copytree(LM_EVAL, log)
    (samples,) = log.glob("samples*")
    (numbers,) = log.glob("results*")
    told = [json.loads(line) for line in samples.read_text("utf-8").splitlines()]
    rows(told)
    samples.write_text("".join(json.dumps(row) + "\n" for row in told), "utf-8")
    whole = json.loads(numbers.read_text("utf-8"))
    results(whole["results"]["drop_few_shot"])
    numbers.write_text(json.dumps(whole), "utf-8")
    (run,) = ingest([log], folder / "run", skip_bad=True).runs
    return load_run(run)


def test_a_total_that_is_not_the_mean_is_broken(tmp_path):
    """The largest was taken in place of the mean; in percent or not."""
    for place, number in enumerate((1.0, 100.0)):
        folder = tmp_path / str(place)
        folder.mkdir()
        one = load_altered_log(
            folder, results=lambda found, to=number: found.update({"f1,none": to})
        )
        finding = check(one)
        assert finding.verdict == "broken"
        said = (
            "f1 is 100.00 in the harness's report, but the mean of its per-question scores is 14.29"
        )
        assert finding.headline == f"run: {said}"
        assert SENTENCES.say(finding.headline, "zh") != finding.headline


def test_ties_of_helm_are_reported_but_sound(tmp_path):
    """Of equally likely options it gives the share that is right; `choice.accuracy` takes one."""
    log = tmp_path / "log"
    shutil.copytree(LOGS / "helm/choice_calibrated", log)
    saved = log / "per_instance_stats.json"
    rows = json.loads(saved.read_text("utf-8"))
    (stat,) = (one for one in rows[0]["stats"] if one["name"]["name"] == "exact_match")
    stat |= {"sum": 0.5, "mean": 0.5, "min": 0.5, "max": 0.5}
    saved.write_text(json.dumps(rows), "utf-8")
    (log / "stats.json").unlink()
    (run,) = ingest([log], tmp_path / "run").runs
    finding = check(load_run(run))
    assert finding.verdict == "sound"
    assert finding.headline == (
        "run: exact_match is reproduced by choice.accuracy, except for ties, where it is the share "
        "of tied options that are correct: 1"
    )
    assert "并列" in SENTENCES.say(finding.headline, "zh")
    assert len(finding.data["scores"]["exact_match"]["ties"]) == 1


def test_totals_are_not_compared_if_records_were_left_out(tmp_path):
    def cut(rows):
        rows[0]["f1"] = float("nan")

    one = load_altered_log(tmp_path, rows=cut, results=lambda found: found.update({"f1,none": 1.0}))
    finding = check(one)
    assert finding.verdict == "sound"
    assert {row["whole"] for row in finding.data["scores"].values()} == {None}


def test_correct_answers_with_a_zero_score_are_reported(tmp_path):
    """The harness scored another text than it logs."""

    def right(rows):
        for row in rows[:4]:
            answer = row["doc"]["answer"]
            text = answer["number"] or (answer["spans"] or [""])[0]
            row |= {"resps": [[text]], "filtered_resps": [text], "em": 0.0, "f1": 0.0}

    finding = check(load_altered_log(tmp_path, rows=right, results=dict.clear))
    assert finding.verdict == "broken"
    em = finding.data["scores"]["em"]
    assert em["zeros"] == ["g1", "g3"]  # the others want several spans
    assert "em is 0 for 2 of 14 answers although they equal a gold answer" in finding.headline


def test_an_irreproducible_score_is_doubtful_but_a_judge_s_is_not(tmp_path):
    dice = random.Random(1)

    def by_dice(rows):
        for row in rows:
            row |= {"em": dice.choice((0.25, 0.75)), "judge": 0.5, "metrics": ["em", "judge"]}
            del row["f1"]

    one = load_altered_log(tmp_path, rows=by_dice, results=lambda found: found.pop("em,none"))
    finding = check(one)
    assert finding.verdict == "doubtful"
    assert "em differs from" in finding.headline and "judge" not in finding.headline
    assert finding.data["scores"]["judge"]["verdict"] == "sound"


def test_a_judge_s_score_is_reported_if_it_is_the_only_one(tmp_path):
    def judged(rows, *, alone):
        for place, row in enumerate(rows):
            judge = 0.25 if place % 2 else 0.75
            row |= {"judge": judge, "metrics": ["judge"] if alone else ["em", "judge"]}
            del row["f1"]

    said = {}
    for alone in (False, True):
        folder = tmp_path / str(alone)
        folder.mkdir()
        found = check(
            load_altered_log(folder, rows=lambda rows, alone=alone: judged(rows, alone=alone))
        )
        assert found.verdict == "sound"
        said[alone] = found.headline
    assert said[False] == "run: em is reproduced by lm-eval.drop.em"
    assert said[True].startswith("run: judge differs from ")


def test_a_constant_judge_s_score_matches_no_scorer(tmp_path):
    """Exact match was 0 at all of ten answers of a real log, and so was its judge."""

    def judged(rows):
        for row in rows:
            row["resps"], row["filtered_resps"] = [["none of them"]], ["none of them"]
            row |= {"judge": 0.0, "metrics": ["judge"]}
            del row["em"], row["f1"]

    finding = check(load_altered_log(tmp_path, rows=judged))
    assert finding.headline == "run: judge is not a score that closeread can recompute"


def test_scores_of_several_texts_per_question_are_skipped(tmp_path):
    def thrice(rows):
        for row in rows:
            row["resps"] = [row["resps"][0] * 3]

    assert check(load_altered_log(tmp_path, rows=thrice)).verdict == "skipped"
    ours = make_run(tmp_path, "ours", lambda gold: gold)
    assert check(load_run(ours)).verdict == "skipped"
