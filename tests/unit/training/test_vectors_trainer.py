"""`closeread train` for word vectors: from passages to a file that the masking retrievers read."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from closeread.cli.train import command
from closeread.errors import InputError, UsageError
from closeread.evidence.vectors.matrix import load
from project_paths import ROOT

gensim = pytest.importorskip("gensim", reason="gensim is not installed")

RECIPE = """
out = "{out}"
[reader]
name = "vectors"
[train]
datasets = {datasets}
least = 1
dimensions = 12
{more}
"""


@pytest.fixture
def texts(tmp_path):
    """Two sets; the second repeats a passage of the first."""
    rows = [
        ("sea", "Sheep drink water. Salt comes from the sea.", "en"),
        ("海", "海水的盐度由蒸发决定。渔民在冬天出海。", "zh"),
        ("sea again", "Sheep drink water. Salt comes from the sea.", "en"),
    ]
    for name, chosen in (("one", rows[:2]), ("both", rows)):
        with (tmp_path / f"{name}.jsonl").open("w", encoding="utf-8") as out:
            for passage_id, text, language in chosen:
                passage = {"passage_id": passage_id, "text": text, "language": language}
                asked = {
                    "question_id": passage_id,
                    "passage_id": passage_id,
                    "text": "Nonesuch?",
                    "kind": "span",
                    "answers": [{"kind": "span", "texts": ["Zanzibar"]}],
                }
                row = {"passage": passage, "questions": [asked]}
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
    return tmp_path


def run(folder, *sets, more="", args=()):
    recipe = folder / "recipe.toml"
    out = folder / "made" / "v.bin"
    datasets = json.dumps([str(folder / f"{name}.jsonl") for name in sets])
    recipe.write_text(RECIPE.format(out=out, datasets=datasets, more=more), "utf-8")
    return CliRunner().invoke(command, [str(recipe), *args]), out


def test_only_words_of_passages_get_vectors(texts):
    done, out = run(texts, "one", args=["--json"])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    vectors = load(str(out))
    words = set(vectors)
    assert told["words"] == len(words)
    assert told["dimensions"] == vectors.vectors_of(["sheep"]).shape[1] == 12
    assert {"sheep", "salt", "蒸发"} <= words
    assert not words & {"nonesuch", "zanzibar"}
    assert [one["name"] for one in told["datasets"]] == ["one"]


def test_a_repeated_passage_is_read_once(texts):
    """And the same texts give the same bytes."""
    done, out = run(texts, "one")
    assert "terms of the training data: unknown" in done.output
    first = out.read_bytes()
    _, out = run(texts, "both")
    assert out.read_bytes() == first
    _, out = run(texts, "one", "both")
    assert out.read_bytes() == first


@pytest.mark.parametrize(
    ("more", "args", "error", "message"),
    [
        ("size = 3", [], InputError, "train.size"),
        ("epochs = 0", [], UsageError, "train.epochs is 0"),
        ("window = 99999999999999999999", [], UsageError, "train.window is 99999999999999999999"),
        ("seed = -1", [], UsageError, "train.seed is -1"),
        ('words = "syllables"', [], InputError, "jieba|characters|syllables"),
        ("", ["--resume"], UsageError, "cannot be resumed"),
        ("window = 2\nseed = 1.5", [], InputError, "at train.seed"),
    ],
)
def test_errors_are_reported_before_anything_is_written(texts, more, args, error, message):
    done, out = run(texts, "one", more=more, args=args)
    assert isinstance(done.exception, error)
    assert any(word in str(done.exception) for word in message.split("|"))
    if error is UsageError:
        assert done.exception.where.endswith(".toml")
    assert not out.parent.exists()


def test_the_shipped_recipe_is_complete():
    """Its keys are those that the trainer knows."""
    from closeread.training.recipe import load_recipe, parse_table
    from closeread.training.vectors_trainer import VectorSettings

    path = ROOT / "recipes" / "train" / "vectors.toml"
    recipe = load_recipe(path)
    assert recipe.reader.name == "vectors"
    assert parse_table(path, recipe.train, VectorSettings, "train.").dimensions == 300


def test_another_file_is_not_overwritten_as_vectors(texts):
    """What was written before is discarded; what somebody else wrote is not, unless asked for."""
    out = texts / "made" / "v.bin"
    out.parent.mkdir()
    out.write_text("a year of notes", "utf-8")
    done, _ = run(texts, "one")
    assert isinstance(done.exception, UsageError)
    assert "holds no word vectors" in str(done.exception)
    assert out.read_text("utf-8") == "a year of notes"
    for args in (["--overwrite"], []):
        done, _ = run(texts, "one", args=args)
        assert done.exit_code == 0, done.exception
    assert load(str(out)).dimensions == 12


def test_a_full_disk_is_reported(texts):
    """The file is named, what was there is kept, and no part of the new one lies beside it."""
    resource = pytest.importorskip("resource", reason="the system limits no files")
    done, out = run(texts, "one")
    assert done.exit_code == 0, done.exception
    kept, recipe = out.read_bytes(), texts / "recipe.toml"
    recipe.write_text(recipe.read_text("utf-8").replace("= 12", "= 900"), "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "closeread", "train", str(recipe)],
        capture_output=True, text=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)),
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert f"{out}: cannot be written" in done.stderr
    assert out.read_bytes() == kept
    assert [one.name for one in out.parent.iterdir()] == [out.name]
