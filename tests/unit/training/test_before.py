"""Trainings of cues in which another comes first, and sets that calibrate."""

import json

import pytest
from click.testing import CliRunner

from closeread.cli.train import command
from closeread.errors import InputError, UsageError
from closeread.readers.cues.reader import load_weights
from toy_cues import before_recipe, run, write_toy_pairs, write_toy_set


def test_earlier_stages_are_the_regularisation_target(tmp_path):
    """A word that the questions lack keeps its share; what they teach they teach all the same."""
    result, out = run(tmp_path, "prior = 0.5\n" + before_recipe(tmp_path))
    assert result.exit_code == 0, result.exception
    half = load_weights(out)
    assert half.weights["category:not"] < 0
    assert half.weights["cue:都"] < 0
    assert half.learned_from == {
        str(tmp_path / "toy.jsonl"): 40,
        str(tmp_path / "nli.jsonl"): 30,
    }
    assert "stage 1: 30 questions and premises, 0 left out" in result.stderr
    assert json.loads(result.stdout)["held_out_accuracy"] > 0.95
    _, out = run(tmp_path, "prior = 1.0\n" + before_recipe(tmp_path))
    whole = load_weights(out)
    word = "after:没有|到"
    assert whole.weights[word] == pytest.approx(2 * half.weights[word], abs=1e-4) != 0


def test_confidence_is_learned_from_the_sets_that_calibrate(tmp_path):
    """The weights stay; where the other set is harder the reader is less sure. Both are told."""
    _, out = run(tmp_path)
    alone = load_weights(out)
    harder = tmp_path / "harder.jsonl"
    rows = []
    for line in write_toy_set(harder).read_text("utf-8").splitlines():
        row = json.loads(line.replace("这里", "那边的院子中"))
        question = row["questions"][0]
        for option in question["options"]:  # nothing tells them apart but what was not learned
            option["text"] = option["text"].replace("都", "有").replace("近", "远")
        question["answers"][0] |= {
            "texts": [],
            "label": "ABCD"["DCBA".index(question["answers"][0]["label"])],
        }
        rows.append(json.dumps(row, ensure_ascii=False) + "\n")
    harder.write_text("".join(rows), "utf-8")
    result, out = run(tmp_path, f'calibrate = ["{harder}"]')
    assert result.exit_code == 0, result.exception
    found = load_weights(out)
    assert found.weights == alone.weights
    assert found.learned_from == {str(tmp_path / "toy.jsonl"): 40, str(harder): 40}
    assert json.loads(result.stdout)["held_out_accuracy"] < 0.6
    sure = [3.0, 0.0, 0.0, 0.0]
    assert found.calibrator.confidence(sure) < alone.calibrator.confidence(sure)
    printed = CliRunner().invoke(command, [str(tmp_path / "recipe.toml")])
    assert f"left out for overlap; on {harder}: " in printed.stderr


def test_training_sets_need_no_folds_if_other_sets_calibrate(tmp_path):
    few, other = tmp_path / "few.jsonl", write_toy_set(tmp_path / "other.jsonl")
    lines = other.read_text("utf-8").replace("这里", "那边的院子中").splitlines(keepends=True)
    few.write_text("".join(lines[:3]), "utf-8")
    result, _ = run(tmp_path, "", few)
    assert "few.jsonl: only 3 passages" in str(result.exception)
    result, out = run(tmp_path, f'calibrate = ["{other}"]', few)
    assert result.exit_code == 0, result.exception
    assert load_weights(out).learned_from[str(few)] == 3


def test_training_sets_cannot_calibrate(tmp_path):
    """Nor what overlaps it: the reader would be surer than it may be."""
    data = write_toy_set(tmp_path / "toy.jsonl")
    result, out = run(tmp_path, f'calibrate = ["{data}"]', data)
    assert isinstance(result.exception, InputError)
    assert result.exception.found.endswith("; 40 questions left out for overlap")
    assert result.exception.cure.startswith(
        "name sets that do not overlap exclude or the training sets"
    )
    assert "toy.jsonl: only 0 passages" in str(result.exception)
    assert not out.exists()


@pytest.mark.parametrize("where", ["last", "first"])
def test_a_recipe_can_train_on_cues_alone(tmp_path, where):
    """By the last training or by what comes first: nothing is then said of nearness."""
    if where == "last":
        result, out = run(tmp_path, "cues_alone = true")
    else:
        result, out = run(
            tmp_path, "l2 = 1e9\nprior = 1.0\n" + before_recipe(tmp_path, "cues_alone = true")
        )
    assert result.exit_code == 0, result.exception
    found = load_weights(out).weights
    assert any(name.startswith("cue:") for name in found)
    assert not any(name.startswith(("cover:", "clause:", "rank:", "style:")) for name in found)


def test_earlier_stages_exclude_held_out_questions(tmp_path):
    """Of the questions themselves nothing is left to learn from, and it says why."""
    write_toy_set(tmp_path / "toy.jsonl")
    single = tmp_path / "single.jsonl"
    row = {"sentence1": "船在港口里", "sentence2": "船走了", "label": "contradiction"}
    single.write_text(json.dumps(row), "utf-8")
    for line, said in (
        (
            f'exclude = ["{write_toy_pairs(tmp_path / "nli.jsonl")}"]\n' + before_recipe(tmp_path),
            "nli.jsonl: nothing to learn from, 30 left out for overlap",
        ),
        (
            before_recipe(tmp_path, data=tmp_path / "toy.jsonl"),
            "toy.jsonl: nothing to learn from, 40 left out for overlap",
        ),
        (before_recipe(tmp_path, data=single), "single.jsonl: nothing to learn from\n"),
    ):
        result, out = run(tmp_path, line)
        assert isinstance(result.exception, InputError)
        assert str(result.exception).startswith(f"{tmp_path}/recipe.toml: before[0].train: ")
        assert said in str(result.exception)
        assert not out.exists()


def test_a_set_without_usable_questions_is_reported(tmp_path):
    """Under [train] or first: the others are learned from, and nobody believes that it was."""
    spans = tmp_path / "spans.jsonl"
    row = {"id": "1", "passage": "船来了。", "question": "什么来了？", "answer": "船"}
    spans.write_text(json.dumps(row), "utf-8")
    single = tmp_path / "single.jsonl"
    row = {"sentence1": "船在港口里", "sentence2": "船走了", "label": "contradiction"}
    single.write_text(json.dumps(row), "utf-8")
    write_toy_pairs(tmp_path / "nli.jsonl")
    stage = before_recipe(tmp_path, data=f'{tmp_path / "nli.jsonl"}", "{single}')
    result, out = run(tmp_path, f'by_stem = ["{spans}"]\n' + stage)
    assert result.exit_code == 0, result.exception
    for path in (spans, single):
        assert f"{path}: no question to learn from" in result.stderr
        assert str(path) not in load_weights(out).learned_from


def test_uninformative_premises_are_reported(tmp_path):
    """All neutral: there is something, and no pair in it."""
    neutral = write_toy_pairs(tmp_path / "nli.jsonl")
    told = neutral.read_text("utf-8").replace("contradiction", "neutral")
    neutral.write_text(told, "utf-8")
    result, out = run(tmp_path, before_recipe(tmp_path, data=neutral))
    assert isinstance(result.exception, InputError)
    assert "nli.jsonl: no question has a true and a false option" in str(result.exception)
    assert not out.exists()


def test_premises_alone_are_rejected(tmp_path):
    """They are ranked, and nothing is answered by them."""
    result, _ = run(tmp_path, "", write_toy_pairs(tmp_path / "nli.jsonl"))
    assert "only 0 passages" in str(result.exception)
    assert "[[before]]" in str(result.exception)


def test_too_few_questions_after_exclusion_are_reported(tmp_path):
    data = write_toy_set(tmp_path / "toy.jsonl")
    result, out = run(tmp_path, f'exclude = ["{data}"]', data)
    assert "toy.jsonl: only 0 passages" in str(result.exception)
    assert result.exception.found.endswith("; 40 questions left out for overlap")
    assert result.exception.cure.startswith("name sets that do not overlap exclude")
    assert not out.exists()


def test_passages_that_overlap_count_once(tmp_path):
    """A person who counts forty is told why there are too few."""
    data = write_toy_set(tmp_path / "toy.jsonl")
    rows = [json.loads(line) for line in data.read_text("utf-8").splitlines()]
    for row in rows:
        row["passage"]["text"] = rows[0]["passage"]["text"]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    result, _ = run(tmp_path, "", data)
    assert result.exception.found == (
        "only 1 passage with questions to learn from, where passages that overlap count as one"
    )


def test_languages_of_earlier_stages_are_recorded(tmp_path):
    """Its cue words have weights, so that the reader need not say that they have none."""
    english = tmp_path / "nli.jsonl"
    with english.open("w", encoding="utf-8") as out:
        for number in range(30):
            premise = f"Ship number {number} came to the harbour in the north before the evening"
            for hypothesis, label in (
                (f"Ship number {number} did not come", "contradiction"),
                (f"Ship number {number} came", "entailment"),
            ):
                row = {"sentence1": premise, "sentence2": hypothesis, "label": label}
                out.write(json.dumps(row) + "\n")
    result, out = run(tmp_path, before_recipe(tmp_path, data=english))
    assert result.exit_code == 0, result.exception
    learned = load_weights(out)
    assert learned.weights["cue:not"] < 0
    assert learned.languages == ("en", "zh")


def test_unused_options_of_a_training_are_rejected(tmp_path):
    """A retriever misspelt is not the usual one."""
    run(tmp_path)
    recipe = tmp_path / "recipe.toml"
    text = recipe.read_text("utf-8")
    recipe.write_text(text.replace("[train]", "options = { retreiver = 'bm25' }\n[train]"), "utf-8")
    result = CliRunner().invoke(command, [str(recipe)])
    assert isinstance(result.exception, UsageError)
    assert "reader.options: training does not use the option retreiver" in str(result.exception)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"reader": "entailment"}, "before[0].reader is entailment"),
        ({"options": ", options = { retriever = 'cover' }"}, "the retriever of the last training"),
        ({"more": "folds = 3"}, "unknown key before[0].train.folds"),
        ({"more": "l2 = -1"}, "before[0].train: l2=-1"),
        ({"more": "l2 = nan"}, "l2 above 0"),
    ],
)
def test_an_invalid_stage_is_rejected(tmp_path, given, said):
    """Before anything is read."""
    result, out = run(tmp_path, before_recipe(tmp_path, **given))
    assert isinstance(result.exception, InputError | UsageError)
    assert said in str(result.exception)
    assert not out.exists()
