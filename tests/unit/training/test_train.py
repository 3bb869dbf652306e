"""`closeread train`: from a recipe to weights that the reader takes."""

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from closeread.cli.train import command
from closeread.errors import InputError, UsageError
from closeread.formats.files.written import in_recipe
from closeread.making import written_by
from closeread.readers.cues.reader import cues, load_weights
from closeread.training.cues.settings import CueSettings, StageSettings
from closeread.training.recipe import load_recipe, section
from closeread.training.vectors_trainer import VectorSettings
from conftest import ROOT

RECIPE = """
out = "{out}"
[reader]
name = "cues"
[train]
datasets = ["{data}"]
folds = 4
{more}
"""


def toy(path):
    """Passages on which the option with 都 is wrong, whatever else it says."""
    things = ["甲虫", "苔藓", "骆驼", "渔船", "灯塔", "石桥", "茶树", "水车", "帆布", "陶罐"]
    with path.open("w", encoding="utf-8") as out:
        for number in range(40):
            thing, other = things[number % 10], things[(number * 3 + 1) % 10]
            gold = number % 4
            asks_for = "contradicted" if number % 2 else "supported"
            wrong = f"这里的{thing}都在{other}旁边。"
            right = f"这里有{thing}在{other}旁边。"
            many, single = (right, wrong) if asks_for == "contradicted" else (wrong, right)
            texts = [many.replace("旁边", "旁边" + "近" * place) for place in range(4)]
            texts[gold] = single.replace("旁边", "旁边" + "近" * gold)
            options = [
                {"label": label, "text": text} for label, text in zip("ABCD", texts, strict=True)
            ]
            row = {
                "passage": {
                    "passage_id": f"p{number}",
                    "text": f"第{number}篇。这里有一些{thing}在{other}旁边。",
                    "language": "zh",
                },
                "questions": [
                    {
                        "question_id": f"q{number}",
                        "passage_id": f"p{number}",
                        "text": "哪一项？",
                        "kind": "verification",
                        "asks_for": asks_for,
                        "options": options,
                        "answers": [
                            {"kind": "choice", "label": "ABCD"[gold], "texts": [texts[gold]]}
                        ],
                    }
                ],
            }
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path


def run(tmp_path, more="", data=None, out=None):
    data = data or toy(tmp_path / "toy.jsonl")
    recipe = tmp_path / "recipe.toml"
    out = out or tmp_path / "weights.json"
    recipe.write_text(RECIPE.format(out=out, data=data, more=more), "utf-8")
    return CliRunner().invoke(command, [str(recipe), "--json"], catch_exceptions=True), out


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_it_learns_what_makes_options_wrong(tmp_path, loss):
    """Over 95% on passages held out, both polarities, and the weights say why."""
    result, out = run(tmp_path, f'loss = "{loss}"\nl2 = 1.0\nrisk = 0.4')
    assert result.exit_code == 0, result.exception
    told = json.loads(result.stdout)
    assert told["held_out_accuracy"] > 0.95
    assert told["n_questions"] == 40
    assert told["threshold"]["n_answered"] > 0
    learned = load_weights(out)
    assert learned.weights["cue:都"] < 0
    assert learned.languages == ("zh",)
    assert cues(str(out), selective=True)


def test_a_promise_is_told_as_it_was_asked_for(tmp_path):
    """Not rounded: half a percent is neither none nor one."""
    run(tmp_path, "l2 = 1.0\nrisk = 0.375\ndelta = 0.125")
    again = [str(tmp_path / "recipe.toml"), "--overwrite"]
    told = CliRunner().invoke(command, again, catch_exceptions=False).stderr
    assert "to be wrong in at most 37.5% (sure to 87.5%): answer from confidence" in told


def test_the_same_weights_again(tmp_path):
    """Trained twice, byte for byte the same."""
    _, out = run(tmp_path)
    first = out.read_bytes()
    run(tmp_path)
    assert out.read_bytes() == first


def test_the_same_weights_in_every_process(tmp_path):
    """Whatever order sets have there: the last passages hold one of the first and one behind."""
    data = toy(tmp_path / "toy.jsonl")
    texts = ["".join(chr(0x4E00 + 20 * number + at) for at in range(20)) for number in range(40)]
    for number in range(13):
        texts[26 + number] = texts[number] + texts[25 - number]
    rows = []
    for number, line in enumerate(data.read_text("utf-8").splitlines()):
        row = json.loads(line.replace("这里", f"这里{number}号"))  # no option stands twice
        row["passage"]["text"] = texts[number]
        rows.append(json.dumps(row) + "\n")
    data.write_text("".join(rows), "utf-8")
    result, out = run(tmp_path, "", data)
    assert result.exit_code == 0, result.exception
    here = out.read_bytes()
    call = [sys.executable, "-m", "closeread", "train", str(tmp_path / "recipe.toml")]
    subprocess.run(call, env=os.environ | {"PYTHONHASHSEED": "1"}, check=True, timeout=120)
    assert out.read_bytes() == here


def test_it_tells_under_which_terms_it_learned(tmp_path):
    """Those of a set that gave nothing do not count."""
    nli = premises(tmp_path / "nli.jsonl")
    result, _ = run(tmp_path, before(tmp_path, data=f'exam/zh", "{nli}'))
    assert json.loads(result.stdout)["licenses"] == {
        str(tmp_path / "toy.jsonl"): "unknown",
        "exam/zh": "Apache-2.0",
        str(nli): "unknown",
    }
    result = CliRunner().invoke(command, [str(tmp_path / "recipe.toml")])
    assert "learned from texts under: unknown; Apache-2.0\n" in result.stderr


def test_nothing_but_weights_is_replaced(tmp_path):
    """A name mistaken costs nobody his data; weights give way to new ones."""
    _, out = run(tmp_path)
    data = tmp_path / "toy.jsonl"
    kept = data.read_bytes()
    again = [str(tmp_path / "recipe.toml"), "--out", str(data)]
    result = CliRunner().invoke(command, again)
    assert isinstance(result.exception, UsageError)
    assert "holds no weights of cues" in str(result.exception)
    assert data.read_bytes() == kept
    assert CliRunner().invoke(command, [*again, "--overwrite"]).exit_code == 0
    assert load_weights(data) == load_weights(out)


def test_what_overlaps_is_left_out(tmp_path):
    """A set excluded from itself leaves nothing to learn from, and says so."""
    data = toy(tmp_path / "toy.jsonl")
    result, out = run(tmp_path, f'exclude = ["{data}"]', data)
    assert isinstance(result.exception, InputError)
    assert "only 0 passages" in str(result.exception)
    assert not out.exists()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("losss = 'hinge'", "did you mean train.loss?"),
        ("loss = 'square'", "train.loss: found 'square'"),
        ("l2 = 0.0", "l2 above 0"),
        ("risk = 1.5", "risk in [0, 1)"),
        ("l2 = nan", "train: l2=nan"),
        ("l2 = inf", "l2 above 0"),
        ("prior = nan", "prior 0 or more"),
        ("prior = inf", "train: folds=4"),
    ],
)
def test_a_wrong_setting_is_refused(tmp_path, more, said):
    """The message names the key, or what is expected."""
    result, _ = run(tmp_path, more)
    assert isinstance(result.exception, InputError | UsageError)
    assert said in str(result.exception)


def changed(tmp_path, change):
    """The toy set with its questions changed."""
    rows = [
        json.loads(line) for line in toy(tmp_path / "toy.jsonl").read_text("utf-8").splitlines()
    ]
    for number, row in enumerate(rows):
        change(number, row["questions"][0])
    path = tmp_path / "changed.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


def test_an_answer_that_is_no_option_is_passed_over(tmp_path):
    """A defect of one question does not end the training of the others."""

    def change(number, question):
        if number == 0:
            question["answers"][0]["label"] = "E"

    result, _ = run(tmp_path, "", changed(tmp_path, change))
    assert result.exit_code == 0, result.exception
    assert json.loads(result.stdout)["n_questions"] == 39


def test_any_accepted_answer_is_right(tmp_path):
    """Where two are, no option but the others is learned as wrong, as `choice.accuracy` counts."""

    def change(_, question):
        first = question["answers"][0]["label"]
        second = "ABCD"["ABCD".index(first) - 1]
        texts = {option["label"]: option for option in question["options"]}
        texts[second]["text"] = texts[first]["text"]
        question["answers"].insert(0, {"kind": "choice", "label": second})

    result, _ = run(tmp_path, "", changed(tmp_path, change))
    assert result.exit_code == 0, result.exception
    assert json.loads(result.stdout)["held_out_accuracy"] > 0.95


def test_nothing_that_could_be_weighed_is_told(tmp_path):
    """All options true; no feature often enough; and no weights are written."""
    same = changed(tmp_path, lambda _, question: question.update(option_truth=[True] * 4))
    for more, data, said in (
        ("", same, "a true and a false option"),
        ("least = 1000", None, "no feature is had by 1,000 options"),
    ):
        result, out = run(tmp_path, more, data)
        assert isinstance(result.exception, InputError), result.exception
        assert said in str(result.exception)
        assert not out.exists()


def test_it_cannot_be_resumed(tmp_path):
    """Nothing is saved on the way; it is said, not passed over."""
    run(tmp_path)
    result = CliRunner().invoke(command, [str(tmp_path / "recipe.toml"), "--resume"])
    assert isinstance(result.exception, UsageError)
    assert "cues cannot be resumed" in str(result.exception)


def premises(path):
    """Hypotheses with 没有 contradict."""
    with path.open("w", encoding="utf-8") as out:
        for number in range(30):
            premise = f"第{number}号船在傍晚以前到了北边的港口"
            for hypothesis, label in (
                (f"第{number}号船没有到港口", "contradiction"),
                (f"第{number}号船到了港口", "entailment"),
                ("天黑了", "neutral"),
            ):
                row = {"sentence1": premise, "sentence2": hypothesis, "label": label}
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path


BEFORE = """[[before]]
reader = {{ name = "{reader}"{options} }}
[before.train]
datasets = ["{data}"]
{more}
"""


def before(tmp_path, more="", reader="cues", options="", data=None):
    data = data or premises(tmp_path / "nli.jsonl")
    return BEFORE.format(reader=reader, options=options, data=data, more=more)


def test_what_comes_first_is_what_the_ridge_draws_to(tmp_path):
    """A word that the questions lack keeps its share; what they teach they teach all the same."""
    result, out = run(tmp_path, "prior = 0.5\n" + before(tmp_path))
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
    _, out = run(tmp_path, "prior = 1.0\n" + before(tmp_path))
    whole = load_weights(out)
    word = "after:没有|到"
    assert whole.weights[word] == pytest.approx(2 * half.weights[word], abs=1e-4) != 0


def test_confidence_is_learned_from_the_sets_that_calibrate(tmp_path):
    """The weights stay; where the other set is harder the reader is less sure. Both are told."""
    _, out = run(tmp_path)
    alone = load_weights(out)
    harder = tmp_path / "harder.jsonl"
    rows = []
    for line in toy(harder).read_text("utf-8").splitlines():
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
    assert f"left out for overlap; of {harder}, " in printed.stderr


def test_what_is_learned_from_needs_no_folds_where_other_sets_calibrate(tmp_path):
    few, other = tmp_path / "few.jsonl", toy(tmp_path / "other.jsonl")
    lines = other.read_text("utf-8").replace("这里", "那边的院子中").splitlines(keepends=True)
    few.write_text("".join(lines[:3]), "utf-8")
    result, _ = run(tmp_path, "", few)
    assert "few.jsonl: only 3 passages" in str(result.exception)
    result, out = run(tmp_path, f'calibrate = ["{other}"]', few)
    assert result.exit_code == 0, result.exception
    assert load_weights(out).learned_from[str(few)] == 3


def test_what_is_learned_from_cannot_calibrate(tmp_path):
    """Nor what overlaps it: the reader would be surer than it may be."""
    data = toy(tmp_path / "toy.jsonl")
    result, out = run(tmp_path, f'calibrate = ["{data}"]', data)
    assert isinstance(result.exception, InputError)
    assert "toy.jsonl: only 0 passages" in str(result.exception)
    assert not out.exists()


@pytest.mark.parametrize("where", ["last", "first"])
def test_cues_alone_are_learned_where_the_recipe_says_so(tmp_path, where):
    """By the last training or by what comes first: nothing is then said of nearness."""
    if where == "last":
        result, out = run(tmp_path, "cues_alone = true")
    else:
        result, out = run(
            tmp_path, "l2 = 1e9\nprior = 1.0\n" + before(tmp_path, "cues_alone = true")
        )
    assert result.exit_code == 0, result.exception
    found = load_weights(out).weights
    assert any(name.startswith("cue:") for name in found)
    assert not any(name.startswith(("cover:", "clause:", "rank:", "style:")) for name in found)


def test_what_comes_first_knows_nothing_of_what_is_held_out(tmp_path):
    """Of the questions themselves nothing is left to learn from, and it says why."""
    toy(tmp_path / "toy.jsonl")
    single = tmp_path / "single.jsonl"
    row = {"sentence1": "船在港口里", "sentence2": "船走了", "label": "contradiction"}
    single.write_text(json.dumps(row), "utf-8")
    for line, said in (
        (
            f'exclude = ["{premises(tmp_path / "nli.jsonl")}"]\n' + before(tmp_path),
            "nli.jsonl: nothing to learn from, 30 left out for overlap",
        ),
        (
            before(tmp_path, data=tmp_path / "toy.jsonl"),
            "toy.jsonl: nothing to learn from, 40 left out for overlap",
        ),
        (before(tmp_path, data=single), "single.jsonl: nothing to learn from\n"),
    ):
        result, out = run(tmp_path, line)
        assert isinstance(result.exception, InputError)
        assert str(result.exception).startswith("before[0].train: ")
        assert said in str(result.exception)
        assert not out.exists()


def test_a_set_that_gives_nothing_is_told(tmp_path):
    """Under [train] or first: the others are learned from, and nobody believes that it was."""
    spans = tmp_path / "spans.jsonl"
    row = {"id": "1", "passage": "船来了。", "question": "什么来了？", "answer": "船"}
    spans.write_text(json.dumps(row), "utf-8")
    single = tmp_path / "single.jsonl"
    row = {"sentence1": "船在港口里", "sentence2": "船走了", "label": "contradiction"}
    single.write_text(json.dumps(row), "utf-8")
    premises(tmp_path / "nli.jsonl")
    stage = before(tmp_path, data=f'{tmp_path / "nli.jsonl"}", "{single}')
    result, out = run(tmp_path, f'by_stem = ["{spans}"]\n' + stage)
    assert result.exit_code == 0, result.exception
    for path in (spans, single):
        assert f"{path}: nothing in it can be learned from" in result.stderr
        assert str(path) not in load_weights(out).learned_from


def test_premises_that_tell_nothing_are_told(tmp_path):
    """All neutral: there is something, and no pair in it."""
    neutral = premises(tmp_path / "nli.jsonl")
    told = neutral.read_text("utf-8").replace("contradiction", "neutral")
    neutral.write_text(told, "utf-8")
    result, out = run(tmp_path, before(tmp_path, data=neutral))
    assert isinstance(result.exception, InputError)
    assert "nli.jsonl: no question has a true and a false option" in str(result.exception)
    assert not out.exists()


def test_premises_alone_are_too_little(tmp_path):
    """They are ranked, and nothing is answered by them."""
    result, _ = run(tmp_path, "", premises(tmp_path / "nli.jsonl"))
    assert "only 0 passages" in str(result.exception)
    assert "[[before]]" in str(result.exception)


def test_passages_that_overlap_count_once(tmp_path):
    """A person who counts forty is told why there are too few."""
    data = toy(tmp_path / "toy.jsonl")
    rows = [json.loads(line) for line in data.read_text("utf-8").splitlines()]
    for row in rows:
        row["passage"]["text"] = rows[0]["passage"]["text"]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    result, _ = run(tmp_path, "", data)
    assert "only 1 passage with questions to learn from, of those that overlap one" in str(
        result.exception
    )


def test_languages_of_what_came_first_are_known(tmp_path):
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
    result, out = run(tmp_path, before(tmp_path, data=english))
    assert result.exit_code == 0, result.exception
    learned = load_weights(out)
    assert learned.weights["cue:not"] < 0
    assert learned.languages == ("en", "zh")


def test_options_that_have_no_part_in_training_are_refused(tmp_path):
    """A retriever misspelt is not the usual one."""
    run(tmp_path)
    recipe = tmp_path / "recipe.toml"
    text = recipe.read_text("utf-8")
    recipe.write_text(text.replace("[train]", "options = { retreiver = 'bm25' }\n[train]"), "utf-8")
    result = CliRunner().invoke(command, [str(recipe)])
    assert isinstance(result.exception, UsageError)
    assert "reader.options: the option retreiver" in str(result.exception)


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
def test_a_wrong_stage_is_refused(tmp_path, given, said):
    """Before anything is read."""
    result, out = run(tmp_path, before(tmp_path, **given))
    assert isinstance(result.exception, InputError | UsageError)
    assert said in str(result.exception)
    assert not out.exists()


@pytest.mark.parametrize("name", ["cues", "cues-c3", "cues-exam", "cues-gcrc"])
def test_recipes_for_training_load(name):
    """Those that ship have known keys and name the reader that they train."""
    path = ROOT / "recipes" / "train" / f"{name}.toml"
    recipe = load_recipe(path)
    assert recipe.reader.name == "cues"
    assert section(path, recipe.train, CueSettings, "train.").datasets
    for stage in recipe.before:
        assert stage.reader.name == "cues"
        assert section(path, stage.train, StageSettings, "before[0].train.").datasets


def test_a_reader_that_cannot_be_trained_is_refused(tmp_path):
    """It says which can."""
    recipe = tmp_path / "recipe.toml"
    recipe.write_text('out = "x"\n[reader]\nname = "lexical"\n[train]\n', "utf-8")
    result = CliRunner().invoke(command, [str(recipe)])
    assert isinstance(result.exception, UsageError)
    assert "cues" in str(result.exception)


def test_a_set_of_no_known_format_is_told_with_what_the_recipe_can_say(tmp_path):
    """`train` has no option --format, and lists of names have no place for one."""
    odd = tmp_path / "odd.json"
    odd.write_text('[{"what": 1}]', "utf-8")
    result, out = run(tmp_path, data=odd)
    assert isinstance(result.exception, InputError)
    assert "closeread convert FILE NEW.jsonl --from F`, and NEW.jsonl in the recipe" in str(
        result.exception
    )
    assert "--format" not in str(result.exception)
    assert not out.exists()


def test_a_variable_in_the_name_of_a_set_is_told(tmp_path, monkeypatch):
    """That of a model is filled in: who expects it here, too, is told why there is no such file."""
    monkeypatch.delenv("NOWHERE", raising=False)
    result, _ = run(tmp_path, data="$NOWHERE/set.json")
    assert isinstance(result.exception, InputError)
    assert "an environment variable stands in the name of a data set" in str(result.exception)
    assert "what begins with $CLOSEREAD_CORPUS/" in result.exception.expected


def test_a_variable_in_out_is_put_in(tmp_path, monkeypatch):
    """Nothing is made of the literal name, and one that is not set is told."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WHERE", raising=False)
    result, _ = run(tmp_path, out="$WHERE/weights.json")
    assert "the environment variable WHERE is not set" in str(result.exception)
    monkeypatch.setenv("WHERE", str(tmp_path / "there"))
    result, _ = run(tmp_path, out="$WHERE/weights.json")
    assert result.exit_code == 0
    load_weights(tmp_path / "there" / "weights.json")
    assert not (tmp_path / "$WHERE").exists()


def test_a_path_in_a_training_s_settings_is_read_as_any_in_a_recipe(tmp_path, monkeypatch):
    monkeypatch.setenv("WORDS", str(tmp_path))
    raw = {"datasets": ["exam/zh"], "stop_words": "$WORDS/stop.txt"}
    with written_by(in_recipe("mine.toml")):
        found = section(tmp_path, raw, VectorSettings, "train.")
        assert found.stop_words == str(tmp_path / "stop.txt")
        monkeypatch.delenv("WORDS")
        with pytest.raises(InputError, match=r"train\.stop_words is .* WORDS is not set"):
            section(tmp_path, raw, VectorSettings, "train.")
