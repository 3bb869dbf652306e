"""What each reader makes of recorded logs, and that scores recomputed are the harness' own."""

import shutil
from pathlib import Path

import pytest

from closeread.formats.logs.detect import guess
from closeread.runs.ingest import ingest
from closeread.runs.records import ScoreSettings
from closeread.runs.score import score_run
from closeread.runs.verify import verify

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.fixture
def made(tmp_path):
    """Ingests a fixture folder or file; returns the runs by task."""

    def of(name):
        found = ingest([FIXTURES / name], tmp_path / "runs")
        assert not found.skipped and not found.kept
        return {run.info.log.task: run for run in found.runs}

    return of


def questions_and_predictions(run):
    questions = {question.question_id: question for question in run.dataset().questions()}
    return {found.question_id: (questions[found.question_id], found) for found in run.predictions()}


def recompute(run, metric):
    return score_run(run, ScoreSettings(metrics=(metric,))).metrics[metric].value


def test_lm_eval_keeps_stops_and_typed_golds(made):
    run = made("lm_eval")["drop_local"]
    log = run.info.log
    assert (log.harness, log.version, log.task_version) == ("lm-eval", "0.4.13", "3.0")
    assert "tail" in log.lost and log.settings["until"] == ["."]
    question, said = questions_and_predictions(run)["t1"]
    assert question.kind == "discrete" and question.answers[0].kind == "number"
    assert question.answers[0].texts == ("12.25",)
    assert said.generation.text == " 12" and said.generation.stops == (".",)
    assert [answer.kind for answer in questions_and_predictions(run)["g2"][0].answers] == [
        "date"
    ] * 3
    assert questions_and_predictions(run)["t3"][0].answers[0].texts == (
        "fishermen",
        "boat builders",
        "salt workers",
    )
    passages = [passage for passage, _ in run.dataset()]
    assert len(passages) == 3 and passages[2].language == "zh"


def test_lm_eval_scores_equal_those_of_the_harness(made):
    run = made("lm_eval")["drop_local"]
    for value in ("em", "f1"):
        printed = run.info.log.scores[value]
        assert recompute(run, f"lm-eval.drop.{value}") == pytest.approx(printed, abs=1e-15)
        logged = [score.values[value] for score in run.log_scores()]
        assert logged == [row.values[f"drop.{value}"] for row in run.scores("lm-eval")]
    assert not verify(run).differences


def test_lm_eval_likelihoods_become_option_scores(made):
    run = made("lm_eval")["choice_local"]
    question, said = questions_and_predictions(run)["c2"]
    assert [option.text for option in question.options][1] == "in the capital"
    assert said.option_scores == (-2.0, -2.5, -7.0) and said.answer.label == "A"
    assert question.answers[0].label == "B"
    assert recompute(run, "choice.accuracy") == run.info.log.scores["acc"]


def test_inspect_archives_keep_text_and_finish_reason(made):
    run = made("inspect")["drop_local"]
    log = run.info.log
    assert (log.version, log.model) == ("0.3.285", "mockllm/canned")
    assert "tail" not in log.lost
    question, said = questions_and_predictions(run)["i2"]
    assert said.generation.finish_reason == "max_tokens" and said.generation.prompt_tokens == 90
    assert question.text == "镇上的人每年五月卖什么?"
    long = questions_and_predictions(run)["g1"][1].generation.text
    assert long.startswith(" 47\n\nPassage:") and long.endswith("When was")
    six = questions_and_predictions(run)["g6"][1]
    assert six.answer.texts == ("2",) and "Let me think" in six.generation.text
    assert recompute(run, "inspect.f1") == pytest.approx(log.scores["f1.mean"], abs=1e-15)


def test_inspect_archive_and_json_read_the_same(tmp_path):
    paths = sorted((FIXTURES / "inspect").glob("*choice*"))
    assert [path.suffix for path in paths] == [".json", ".eval"]
    first, second = (ingest([path], tmp_path / path.suffix[1:]).runs[0] for path in paths)
    for name in ("dataset.jsonl", "log_scores.jsonl"):
        assert (first.path / name).read_bytes() == (second.path / name).read_bytes()
    refused = questions_and_predictions(first)["c3"][1]
    assert refused.answer is None and refused.generation.text == "I cannot say."
    assert recompute(first, "choice.accuracy") == first.info.log.scores["choice.accuracy"]


def test_lighteval_parquet_is_read_with_its_stops_and_results(tmp_path):
    whole = tmp_path / "out"
    shutil.copytree(FIXTURES / "lighteval", whole)
    (parquet,) = whole.rglob("*.parquet")
    real = parquet.with_name(parquet.name.replace("drop_local_", "drop_local|0_"))
    parquet.rename(real)
    (run,) = ingest([whole], tmp_path / "run").runs
    log = run.info.log
    assert (log.task, log.model, log.settings["max_tokens"]) == ("drop_local|0", "canned", 250)
    assert log.settings["stops"] == ["Question:", "question:", "\n"]
    assert recompute(run, "lighteval.exact_match") == log.scores["em"]
    kinds = {
        question.text: question.answers[0].kind
        for question, _ in questions_and_predictions(run).values()
    }
    assert kinds["Which two teams played?"] == "spans"
    assert kinds["How many yards was the longest field goal?"] == "number"


def test_evalscope_reviews_are_joined_with_their_predictions(made):
    run = made("evalscope")["drop_default"]
    assert run.info.log.version == "1.14.1" and run.info.log.model == "canned"
    question, said = questions_and_predictions(run)["0"]
    assert question.text == "How many yards was the longest field goal?"
    assert said.generation.finish_reason == "stop"
    assert questions_and_predictions(run)["5"][1].answer.texts == ("2",)
    for value, name in (("em", "exact_match"), ("f1", "f1")):
        printed = run.info.log.scores[name]
        assert recompute(run, f"lm-eval.drop.{value}") == pytest.approx(printed, abs=5e-5)


def test_opencompass_predictions_are_joined_with_their_details(made):
    run = made("opencompass")["drop"]
    assert run.info.log.model == "canned"
    assert recompute(run, "opencompass.drop") * 100 == run.info.log.scores["accuracy"]
    assert [score.values["correct"] for score in run.log_scores()][:2] == [1.0, 0.0]
    question = questions_and_predictions(run)["1"][0]
    assert [answer.texts for answer in question.answers] == [("3 March 1992",), ("March 1992",)]


def test_opencompass_perplexities_become_option_scores(made):
    run = made("handmade/race-ppl.json")["race-ppl"]
    picked = [
        (said.option_scores, said.answer.label)
        for _, said in questions_and_predictions(run).values()
    ]
    assert picked == [((-1.5, -2.5), "A"), ((-3.25, -0.5), "B")]
    assert recompute(run, "choice.accuracy") == 0.5


def test_simple_evals_golds_are_read_from_html(made):
    run = made("handmade/drop_canned-model_20261120_120000_allresults.json")["drop"]
    assert run.info.log.model == "canned-model" and "generation" in run.info.log.lost
    question, said = questions_and_predictions(run)["0"]
    assert [answer.texts[0] for answer in question.answers] == ["3 March 1992", "March 1992"]
    assert said.generation is None and said.answer.texts == ("March 3, 1992",)
    assert [score.values["score"] for score in run.log_scores()] == [0.0, 1.0, 1.0]
    assert recompute(run, "simple-evals.drop.score") == run.info.log.scores["score"]


def test_gaokao_bench_outputs_answer_every_question(made):
    run = made("handmade/canned-4_2030_Our_Own_Texts.json")["2030_Our_Own_Texts"]
    (first, one), (second, two) = questions_and_predictions(run).values()
    assert [one.answer.label, two.answer.label] == ["C", "D"]
    assert one.generation == two.generation and "apart" in run.info.log.lost
    assert first.asks_for == "contradicted" and second.asks_for == "supported"


def test_results_alone_become_runs_without_questions(made):
    runs = made("handmade/results-v1.json")
    drop = runs["drop"].info
    assert drop.n_predictions == 0 and drop.log.scores["f1"] == 0.113
    assert (drop.log.model, drop.log.task_version) == ("some/7B", "1")
    assert "samples" in drop.log.lost
    assert "secret" not in (runs["drop"].path / "run.json").read_text()


def test_every_recorded_log_is_recognised_by_its_content(tmp_path):
    wanted = {
        "lm_eval/samples_drop_local_2026-11-20T12-01-37.903515.jsonl": "lm-eval",
        "lm_eval/results_2026-11-20T12-01-37.903515.json": "lm-eval-results",
        "evalscope/reviews/canned/drop_default.jsonl": "evalscope",
        "evalscope/predictions/canned/drop_default.jsonl": "evalscope",
        "opencompass/predictions/canned/drop.json": "opencompass",
        "handmade/race-ppl.json": "opencompass",
        "handmade/results-v1.json": "lm-eval-results",
        "handmade/canned-4_2030_Our_Own_Texts.json": "gaokao-bench",
    }
    for number, (name, reader) in enumerate(wanted.items()):
        path = tmp_path / f"{number}"  # no name to go by
        shutil.copy(FIXTURES / name, path)
        assert guess(path).name == reader
    for path in (FIXTURES / "inspect").iterdir():
        assert guess(path).name == "inspect"
    assert guess(FIXTURES / "README.md") is None


def test_the_real_log_of_a_published_run_is_read(corpus, tmp_path):
    """A samples file of another language's task from the harness' users, ten rows."""
    (path,) = (corpus / "data" / "harness_logs").glob("samples_eqbench_ca_*.jsonl")
    (run,) = ingest([path], tmp_path / "run").runs
    assert run.info.n_predictions == 10 and run.info.log.settings["until"] == ["\n\n"]
    assert {"tail", "version", "model"} <= set(run.info.log.lost)
    assert not verify(run).differences


def test_the_published_results_of_version_one_are_read(corpus, tmp_path):
    """All 22 files; the table of known DROP numbers holds."""
    folder = corpus / "data" / "harness_logs" / "lm_eval_v1"
    runs = ingest([folder], tmp_path / "runs").runs
    drop = {
        (run.info.log.model.rpartition("/")[2], run.info.log.files[0].name): run.info.log.scores
        for run in runs
        if run.info.log.task == "drop"
    }
    assert len(drop) == 22
    named = drop["7B", "llama-7B_reading_comprehension_0-shot.json"]
    assert round(named["em"] * 100, 2) == 3.59 and round(named["f1"] * 100, 2) == 11.35
    named = drop["30B", "llama-30B_mathematical_reasoning_few_shot_5-shot.json"]
    assert round(named["f1"] * 100, 2) == 1.65


def test_the_published_answers_of_gaokao_bench_are_read(corpus, tmp_path):
    """87 questions on 29 texts; its letters are where the data set's options are."""
    (path,) = (corpus / "data" / "gaokao_bench").glob("gpt-4-0314*.json")
    (run,) = ingest([path], tmp_path / "run").runs
    assert (run.info.n_predictions, run.info.n_failed) == (87, 0)
    assert len({passage.passage_id for passage, _ in run.dataset()}) == 29
    assert all(found.generation.text for found in run.predictions())
    assert recompute(run, "choice.accuracy") == 53 / 87
