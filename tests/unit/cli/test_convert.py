"""``closeread convert`` as a user types it."""

import gzip
import json
import random
import string
import subprocess
import sys
import zipfile

import pytest

import closeread as library
from closeread.api.running import convert
from closeread.errors import UsageError
from command_line import run_in_process

ROW = (
    '{"id": "1", "passage": "The answer is 42. 42 is the answer.", "question": "What is it?", '
    '"answer": "42"}\n'
)


def run_convert(folder, *arguments):
    return run_in_process("convert", *arguments, folder=folder)


def test_the_summary_goes_to_stderr(tmp_path):
    """Nothing on stdout, one line of counts on stderr."""
    (tmp_path / "own.jsonl").write_text(ROW)
    done = run_convert(tmp_path, "own.jsonl", "own.mrqa.jsonl.gz")
    assert (done.returncode, done.stdout) == (0, "")
    assert "1 question on 1 passage, jsonl to mrqa" in done.stderr


def test_json_is_one_object(tmp_path):
    """--json prints all counts."""
    (tmp_path / "own.jsonl").write_text(ROW + ROW.replace('"1"', '"2"').replace('"42"}', '"43"}'))
    done = run_convert(tmp_path, "own.jsonl", "x.json", "--to", "mrqa", "--name", "toy", "--json")
    report = json.loads(done.stdout)
    assert report["questions"] == 1
    assert report["dropped"] == {"answer-not-in-passage": 1}
    header, context = (tmp_path / "x.json").read_text().splitlines()
    assert json.loads(header)["header"]["dataset"] == "toy"
    (found,) = json.loads(context)["qas"][0]["detected_answers"]
    assert found["char_spans"] == [[14, 15], [18, 19]]


def test_a_shipped_exam_is_converted(tmp_path):
    """exam/zh into VGaokao's form."""
    done = run_convert(tmp_path, "exam/zh", "zh.vgaokao.json")
    assert done.returncode == 0
    assert "not stored in the target format" in done.stderr


def test_errors_are_one_message(tmp_path):
    """Exit code 2, no traceback, no file."""
    done = run_convert(tmp_path, "exam/zh", "zh.squad.json")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def read_run(folder, reader):
    done = run_in_process("read", "exam/zh", "--reader", reader, "--out", "run", folder=folder)
    assert done.returncode == 0, done.stderr


def accuracy(folder, *what):
    done = run_in_process("score", *what, "--metric", "choice", "--json", folder=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["metrics"]["choice.accuracy"]


def test_submissions_of_a_run_score_the_same(tmp_path):
    """A finished run, written in each published form, scores as the run itself does."""
    read_run(tmp_path, "lexical")
    itself = accuracy(tmp_path, "run")
    for form in ("texts", "gcrc-advrobust", "vgaokao", "vgaokao-logits"):
        done = run_convert(tmp_path, "run", "handed", "--to", form)
        assert done.returncode == 0, done.stderr
        back = accuracy(tmp_path, "--dataset", "exam/zh", "--predictions", "handed")
        assert (back["value"], back["n_scored"]) == (itself["value"], itself["n_scored"]), form


@pytest.mark.parametrize("sentences", ["vgaokao", "default"])
def test_evidence_is_written_in_vgaokaos_form(tmp_path, sentences):
    how = ("-o", f"sentences={sentences}", "-o", "most=2")
    given = ("exam/zh", "--reader", "evidence", "-o", "retriever=cover", *how, "--out", "run")
    done = run_in_process("read", *given, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    done = run_convert(tmp_path, "run", "handed.json", "--to", "vgaokao-evidence")
    assert done.returncode == 0, done.stderr
    rows = json.loads((tmp_path / "handed.json").read_text("utf-8"))["data"]
    assert len(rows) == 432 and rows[5]["opid"] == 1
    scored = (("run",), ("--dataset", "exam/zh", "--predictions", "handed.json"))
    told = [
        run_in_process("score", *what, "--metric", "evidence", "--json", folder=tmp_path).stdout
        for what in scored
    ]
    itself, back = (json.loads(one)["metrics"] for one in told)
    assert {name: one["value"] for name, one in back.items()} == {
        name: one["value"] for name, one in itself.items()
    }


@pytest.mark.parametrize("name", ["said.csv", "said.jsonl", "said.jsonl.gz"])
def test_predictions_are_rejected_in_unfit_forms(tmp_path, name):
    """An object of JSON stood in a file that was called a table, or lines."""
    read_run(tmp_path, "longest-option")
    done = run_convert(tmp_path, "run", name)
    assert done.returncode == 2
    assert done.stderr.startswith(f"closeread: {name}: a run's predictions cannot be written as ")
    assert not (tmp_path / name).exists()
    assert run_convert(tmp_path, "run", name, "--to", "texts").returncode == 0


def test_a_submission_named_gz_is_compressed(tmp_path):
    """As a data set is; the file's name is in it no more than the time."""
    read_run(tmp_path, "longest-option")
    assert run_convert(tmp_path, "run", "plain.json", "--to", "texts").returncode == 0
    assert run_convert(tmp_path, "run", "packed.json.gz", "--to", "texts").returncode == 0
    packed = (tmp_path / "packed.json.gz").read_bytes()
    assert packed[:4] == b"\x1f\x8b\x08\x00" and packed[4:8] == bytes(4)
    assert gzip.decompress(packed) == (tmp_path / "plain.json").read_bytes()


def test_a_target_below_a_file_is_one_message(tmp_path):
    """A folder of the target's path that is a file is said so, without a traceback."""
    (tmp_path / "own.jsonl").write_text(ROW)
    done = run_convert(tmp_path, "own.jsonl", "own.jsonl/below.jsonl")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "cannot be written: a file is in the place of a folder" in done.stderr


@pytest.mark.parametrize("target", ["new.jsonl", "new.mrqa.jsonl.gz"])
def test_a_full_disk_error_names_the_requested_file(tmp_path, target):
    """And not by that of the file in which it is drafted, which is gone."""
    resource = pytest.importorskip("resource")
    letters = "".join(random.Random(0).choices(string.ascii_letters, k=20_000))
    (tmp_path / "own.jsonl").write_text(ROW.replace("is 42.", f"is 42. {letters}"))
    done = subprocess.run(
        [sys.executable, "-m", "closeread", "convert", "own.jsonl", target],
        capture_output=True, text=True, check=False, cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)),
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith(f"closeread: {target}: cannot be written: File too large")
    assert [one.name for one in tmp_path.iterdir()] == ["own.jsonl"]


def test_the_source_set_is_not_overwritten(tmp_path):
    """Under its own name, another spelling, a link: refused before a line of it is read."""
    own = tmp_path / "own.jsonl"
    own.write_text("no row, and no JSON")
    (tmp_path / "link.jsonl").symlink_to("own.jsonl")
    for one, other in (
        ("own.jsonl", "own.jsonl"),
        ("own.jsonl", f"../{tmp_path.name}/own.jsonl"),
        ("link.jsonl", "own.jsonl"),
        (own, "link.jsonl"),
    ):
        done = run_convert(tmp_path, one, other, "--to", "jsonl")
        assert done.returncode == 2
        assert f"{other}: would overwrite the data set that closeread reads" in done.stderr
    assert own.read_text() == "no row, and no JSON"
    own.write_text(ROW)
    with pytest.raises(UsageError, match="would overwrite"):
        convert(own, tmp_path / "link.jsonl")
    assert own.read_text() == ROW


def test_the_source_run_is_not_overwritten(tmp_path):
    """Nor over the data set that it answers."""
    (tmp_path / "own.jsonl").write_text(ROW)
    reading = ("own.jsonl", "--reader", "first-sentence", "--out", "run")
    assert run_in_process("read", *reading, folder=tmp_path).returncode == 0
    before = (tmp_path / "run" / "predictions.jsonl").read_bytes()
    done = run_convert(tmp_path, "run", "run/predictions.jsonl")
    assert (done.returncode, "overwrite a file of the run" in done.stderr) == (2, True)
    done = run_convert(tmp_path, "run", "own.jsonl")
    assert (done.returncode, "overwrite the data set" in done.stderr) == (2, True)
    assert (tmp_path / "run" / "predictions.jsonl").read_bytes() == before
    assert (tmp_path / "own.jsonl").read_text() == ROW


def test_an_unfillable_submission_leaves_no_file(tmp_path):
    """What the run cannot give is an error, and nothing is written."""
    read_run(tmp_path, "longest-option")
    done = run_convert(tmp_path, "run", "handed", "--to", "null-odds")
    assert done.returncode == 2
    assert "score of having no answer" in done.stderr
    assert "span: -o null=on" in done.stderr
    assert not (tmp_path / "handed").exists()


def test_missing_letters_are_written_empty_and_reported(tmp_path):
    """One answer of a language model that names no option kept the others from being handed in."""
    said = dict.fromkeys((one.question_id for one in library.load("exam/zh").questions()), "A")
    (tmp_path / "said.json").write_text(json.dumps(said | dict.fromkeys([*said][:2], "hm")))
    given = ("--dataset", "exam/zh", "--predictions", "said.json")
    assert run_in_process("score", *given, "--save", "run", folder=tmp_path).returncode == 0
    done = run_convert(tmp_path, "run", "GCRC_advRobust.json", "--to", "gcrc-advrobust")
    assert (done.returncode, "  2 questions without an option letter" in done.stderr) == (0, True)
    first, *_ = json.loads((tmp_path / "GCRC_advRobust.json").read_text("utf-8"))["data"]
    assert (first["answer"], first["positive_answer"], first["negative_answer"]) == ("", "", "A")


def test_option_texts_are_written_as_letters(tmp_path):
    """As scoring takes them: a run scored 100 %, and its file was of empty letters."""
    asked = {one.question_id: one for one in library.load("exam/zh").questions()}
    said = {name: one.answers[0].texts[0] for name, one in asked.items()}
    (tmp_path / "said.json").write_text(json.dumps(said))
    given = ("--dataset", "exam/zh", "--predictions", "said.json")
    assert run_in_process("score", *given, "--save", "run", folder=tmp_path).returncode == 0
    for form in ("gcrc-advrobust", "vgaokao"):
        done = run_convert(tmp_path, "run", "handed.json", "--to", form)
        assert (done.returncode, "without an option letter" in done.stderr) == (0, False)
        back = accuracy(tmp_path, "--dataset", "exam/zh", "--predictions", "handed.json")
        assert back["value"] == 1.0


def test_option_scores_are_written_as_the_picked_option(tmp_path):
    """``texts`` and ``expmrc`` were written empty of a run of logits, without a word."""
    read_run(tmp_path, "lexical")
    assert run_convert(tmp_path, "run", "logits", "--to", "vgaokao-logits").returncode == 0
    given = ("--dataset", "exam/zh", "--predictions", "logits")
    done = run_in_process("score", *given, "--save", "scored", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    itself = accuracy(tmp_path, "scored")
    for form in ("texts", "expmrc"):
        assert run_convert(tmp_path, "scored", "handed", "--to", form).returncode == 0
        back = accuracy(tmp_path, "--dataset", "exam/zh", "--predictions", "handed")
        assert (back["value"], back["n_answered"]) == (itself["value"], itself["n_questions"]), form


def test_predictions_are_rejected_in_the_form_of_another_set(tmp_path):
    """Any run became lines with QASPER's names, and of GCRC_advRobust the whole set was missed."""
    (tmp_path / "own.jsonl").write_text(ROW)
    done = run_in_process(
        "read", "own.jsonl", "--reader", "first-sentence", "--out", "run", folder=tmp_path
    )
    assert done.returncode == 0, done.stderr
    for form in ("hotpotqa", "coqa", "quac", "qasper", "multirc"):
        done = run_convert(tmp_path, "run", "handed", "--to", form)
        assert (done.returncode, "data set is in the format jsonl" in done.stderr) == (2, True)
        assert "--to texts" in done.stderr
    done = run_convert(tmp_path, "run", "handed", "--to", "gcrc-advrobust")
    assert (done.returncode, "the question belongs to no triple" in done.stderr) == (2, True)
    assert not (tmp_path / "handed").exists()


def test_a_run_with_a_moved_data_set_is_handed_in(tmp_path):
    """As every other verb takes it; where no run is written, there is none that moved."""
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    old.write_text(ROW)
    run_in_process("read", "old.jsonl", "--reader", "lexical", "--out", "run", folder=tmp_path)
    assert run_convert(tmp_path, "run", "before").returncode == 0
    old.rename(new)
    assert "--dataset" in run_convert(tmp_path, "run", "after").stderr
    done = run_convert(tmp_path, "run", "after", "--dataset", "new.jsonl")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "after").read_bytes() == (tmp_path / "before").read_bytes()
    done = run_convert(tmp_path, "run", "new.jsonl", "--dataset", "new.jsonl")
    assert done.returncode == 2 and new.read_text() == ROW
    done = run_convert(tmp_path, "new.jsonl", "x.json", "--to", "squad", "--dataset", "new.jsonl")
    assert done.returncode == 2 and "new.jsonl: --dataset needs a run" in done.stderr


def test_data_set_options_are_rejected_for_a_run(tmp_path):
    read_run(tmp_path, "lexical")
    for given in (["--limit", "2"], ["--strict"], ["--from", "squad"], ["--name", "x"]):
        done = run_convert(tmp_path, "run", "handed", *given)
        assert done.returncode == 2 and f"{given[0]} does not apply" in done.stderr
    assert not (tmp_path / "handed").exists()
    done = run_convert(tmp_path, "run", "handed", "--json")
    assert json.loads(done.stdout) == {
        "source": "run",
        "target": "handed",
        "form": "texts",
        "without_letter": 0,
    }


def test_a_run_is_packed_for_gcrc_advrobust(tmp_path):
    """With model and document beside it; half a package is none, and no file is left."""
    read_run(tmp_path, "longest-option")
    with zipfile.ZipFile(tmp_path / "model.zip", "w") as made:
        made.writestr("weights", b"0")
    with zipfile.ZipFile(tmp_path / "GCRC_advRobust.docx", "w") as made:
        made.writestr("word/document.xml", b"<x/>")
    done = run_convert(tmp_path, "run", "GCRC_advRobust.zip", "--beside", "model.zip")
    assert done.returncode == 2 and "GCRC_advRobust.docx is missing" in done.stderr
    for form, dst in (("texts", "GCRC_advRobust.zip"), ("gcrc-advrobust", "letters.json")):
        done = run_convert(tmp_path, "run", dst, "--to", form, "--beside", "model.zip")
        told = f"cannot write the form {form} to {dst} with additional files"
        assert done.returncode == 2 and told in done.stderr
    done = run_convert(tmp_path, "exam/zh", "zh.jsonl", "--beside", "model.zip")
    assert done.returncode == 2 and "exam/zh: --beside needs a run" in done.stderr
    assert not {"GCRC_advRobust.zip", "letters.json", "zh.jsonl"} & {
        p.name for p in tmp_path.iterdir()
    }
    both = ("--beside", "model.zip", "--beside", "GCRC_advRobust.docx")
    done = run_convert(tmp_path, "run", "model.zip", *both)
    assert done.returncode == 2 and "overwrite a file" in done.stderr
    done = run_convert(tmp_path, "run", "GCRC_advRobust.zip", *both, "--json")
    assert json.loads(done.stdout)["form"] == "gcrc-advrobust"
    itself = accuracy(tmp_path, "run")
    back = accuracy(tmp_path, "--dataset", "exam/zh", "--predictions", "GCRC_advRobust.zip")
    assert (back["value"], back["n_scored"]) == (itself["value"], itself["n_scored"])


@pytest.mark.parametrize("option", [("--beside", "model.zip"), ("--dataset", "exam/zh")])
def test_run_options_are_rejected_for_a_data_set(closeread, tmp_path, option):
    """As where the run's path is mistyped."""
    told = closeread("convert", "runs/zhh", "handed-in.zip", *option, code=2).stderr
    assert f"runs/zhh: {option[0]} needs a run, and this is not one" in told
    assert not any(tmp_path.iterdir())
