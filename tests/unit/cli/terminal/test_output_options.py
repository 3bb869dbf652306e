"""Where the outcome is to be kept: tried before the work, links and pipes left as they are."""

import os
import threading
from importlib import import_module
from pathlib import Path

import pytest

from closeread.cli import COMMANDS, main
from closeread.errors import StorageError
from closeread.formats.files.atomic_write import replacing
from closeread.formats.files.output_place import must_take_file, must_take_folder
from closeread.system import folders
from command_line import permission_prefix, run_in_subprocess

RECIPE = """
out = "unused"
reader = { name = "cues" }
train = { datasets = ["exam/zh"] }
"""
# What a verb does once it has begun; where it is called the place was tried too late.
WORK = {
    "evidence": "closeread.pipeline.extract.extract",
    "audit": "closeread.audits.examine.audit",
    "report": "closeread.reports.gather.gather",
    "calibrate": "closeread.cli.calibrate.learn.grade_run",
    "train": "closeread.training.cues.learn.learn",
    "train vectors.toml": "closeread.training.vectors_trainer.train_vectors",
    "convert": "closeread.formats.conversion.convert.dump",
}
FILES = [
    ["evidence", "exam/zh", "--out"],
    ["evidence", "exam/zh", "--html"],
    ["audit", "run", "--html"],
    ["audit", "run", "--list"],
    ["report", "run", "--out"],
    ["report", "run", "--markdown"],
    ["report", "run", "--latex"],
    ["report", "run", "--csv"],
    ["calibrate", "run", "--out"],
    ["train", "recipe.toml", "--out"],
    ["train", "vectors.toml", "--out"],
    ["convert", "exam/zh", "--to", "jsonl"],
]
FOLDERS = [
    ["report", "run", "--plots"],
    ["calibrate", "run", "--out", "new.json", "--held-out"],
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("what was there")
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "other").write_text("what was there")
    (tmp_path / "recipe.toml").write_text(RECIPE)
    (tmp_path / "vectors.toml").write_text(RECIPE.replace("cues", "vectors"))
    return tmp_path


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    found = tmp_path_factory.mktemp("runs") / "run"
    with pytest.raises(SystemExit):
        main(["read", "exam/zh", "--reader", "lexical", "--limit", "6", "--out", str(found)])
    return found


@pytest.fixture
def refused(folder, run, monkeypatch, capsys):
    """Return a function that calls a verb and returns its message; its work must not begin."""

    def begun(*_, **__):
        pytest.fail("the work was begun")

    def call(*arguments):
        work = WORK.get(" ".join(arguments[:2])) or WORK[arguments[0]]
        monkeypatch.setattr(work, begun)
        before = sorted(Path().rglob("*"))
        with pytest.raises(SystemExit) as ended:
            main([str(run) if one == "run" else one for one in arguments])
        assert ended.value.code == 2
        assert sorted(Path().rglob("*")) == before
        return capsys.readouterr().err

    return call


@pytest.mark.parametrize("arguments", FILES, ids=" ".join)
@pytest.mark.parametrize(
    ("place", "told"),
    [("file/x.json", "a file is in the place of a folder"), ("there", "is a")],
)
def test_output_files_are_checked_before_the_work(refused, arguments, place, told):
    assert told in refused(*arguments, place)


@pytest.mark.parametrize("arguments", FOLDERS, ids=" ".join)
def test_output_folders_are_checked_before_the_work(refused, arguments):
    assert "a file is in the place of a folder" in refused(*arguments, "file/x")


def test_a_run_does_not_replace_another(refused, run):
    held_out = ["calibrate", "run", "--out", "new.json", "--held-out"]
    assert "the folder is not a run folder and already holds other" in refused(*held_out, "there")
    assert "cannot overwrite the run that it is made from" in refused(*held_out, "run")


TAKEN = [
    (["read", "exam/zh", "--reader", "lexical", "--out", "run"], "this folder already holds a run"),
    (["read", "exam/zh", "--reader", "lexical", "--out", "there"], "holds other"),
    (["run", "reading.toml", "--out", "run"], "this folder already holds a run"),
    (["run", "several.toml", "--out", "both"], "both/exam-en: this folder already holds a run"),
    (
        ["score", "--dataset", "exam/zh", "--predictions", "file", "--save", "run"],
        "this folder already holds a run",
    ),
    (["convert", "exam/zh", "file/x/set.jsonl", "--strict"], "a file is in the place of a folder"),
    (["evidence", "exam/zh", "--out", "file/x"], "a file is in the place of a folder"),
]


@pytest.mark.parametrize("taken", TAKEN, ids=[" ".join(one) for one, _ in TAKEN])
def test_a_used_output_is_rejected_before_the_data_are_opened(
    folder, run, monkeypatch, capsys, taken
):
    """Nor is a reader made, which may load a model for minutes."""
    arguments, told = taken
    reading = 'reader = {{ name = "lexical" }}\ndatasets = {}'
    (folder / "reading.toml").write_text(reading.format('["exam/zh"]'))
    (folder / "several.toml").write_text(reading.format('["exam/zh", "exam/en"]'))
    (folder / "both").mkdir()
    (folder / "both" / "exam-en").symlink_to(run)

    def begun(*_, **__):
        pytest.fail("the work was begun")

    # Of a module that is imported here for the first time what it has from the other, first.
    monkeypatch.setattr("closeread.cli.score.predictions.open_dataset", begun)
    monkeypatch.setattr("closeread.cli.convert.open_dataset", begun)
    monkeypatch.setattr("closeread.api.datasets.open_dataset", begun)
    monkeypatch.setattr("closeread.pipeline.execute.make", begun)
    monkeypatch.setattr("closeread.readers.make", begun)
    with pytest.raises(SystemExit) as ended:
        main([str(run) if one == "run" and place else one for place, one in enumerate(arguments)])
    assert ended.value.code == 2
    assert told in capsys.readouterr().err


def test_an_unwritable_folder_is_an_error(folder):
    (folder / "there").chmod(0o500)
    asked = ("evidence", "exam/zh", "--out", "there/x.jsonl")
    done = run_in_subprocess(*asked, folder=folder, before=permission_prefix())
    (folder / "there").chmod(0o700)
    assert (done.returncode, done.stdout) == (2, "")
    assert "there/x.jsonl: cannot be written: Permission denied\n  do: " in done.stderr
    assert [path.name for path in (folder / "there").iterdir()] == ["other"]


def test_a_full_disk_is_detected_by_writing(folder):
    """An empty file can still be made on many a full disk."""
    resource = pytest.importorskip("resource")
    import signal

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        with pytest.raises(StorageError, match="cannot be written: File too large"):
            must_take_file(folder / "x")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, old)
    must_take_file(folder / "x")
    must_take_folder(folder / "a" / "b")
    must_take_file(folder / "a" / "b" / "x")
    assert not (folder / "a").exists()


def test_the_target_of_a_link_is_replaced(folder):
    (folder / "link").symlink_to("there/other")
    with replacing(folder / "link") as stream:
        stream.write(b"new")
    assert (folder / "link").is_symlink()
    assert (folder / "there" / "other").read_bytes() == b"new"


def test_a_dangling_link_is_rejected_before_the_work(folder):
    """The folder of the link itself could be written."""
    (folder / "link").symlink_to("file/x")
    with pytest.raises(StorageError, match="a file is in the place of"):
        must_take_file(folder / "link")


MADE = [
    *(one for one in FILES if one[0] in ("convert", "evidence", "report")),
    ["train", "recipe.toml", "--out"],
    ["audit", "run", "--html"],
    ["audit", "run", "--new-prompt", "--check", "replan", "--list"],
    ["attack", "exam/en", "--strategy", "typo", "--limit", "2", "--out"],
    ["convert", "run", "--to", "texts"],
    ["read", "exam/zh", "--reader", "lexical", "--limit", "2", "--out"],
    ["score", "--dataset", "exam/zh", "--predictions", "run/predictions.jsonl", "--save"],
]


@pytest.mark.parametrize("arguments", MADE, ids=" ".join)
def test_missing_folders_are_created(folder, run, arguments):
    """One rule for all verbs, whatever they write."""
    limit = ["--limit", "2"] if arguments[0] == "evidence" else []
    given = [str(run) if one == "run" else one.replace("run/", f"{run}/") for one in arguments[1:]]
    with pytest.raises(SystemExit) as ended:
        main([arguments[0], *limit, *given, "new/inner/x.jsonl"])
    assert ended.value.code == 0
    assert (folder / "new" / "inner" / "x.jsonl").exists()


FAILING = [
    ["attack", "broken.jsonl", "--strategy", "typo", "--out"],
    ["convert", "broken.jsonl"],
    ["evidence", "broken.jsonl", "--out"],
    ["evidence", "broken.jsonl", "--build-corpus"],
    ["get", "drop", "--mirror", "http://127.0.0.1:9", "--to"],
    ["ingest", "broken.jsonl", "--out"],
    ["read", "broken.jsonl", "--reader", "lexical", "--out"],
    ["report", "there", "--out"],
    ["score", "--dataset", "broken.jsonl", "--predictions", "file", "--save"],
]


@pytest.mark.parametrize("arguments", FAILING, ids=" ".join)
def test_a_run_that_fails_leaves_no_folder(folder, monkeypatch, arguments):
    """Its first question is sound, so that work begins before the second is found to be none."""
    row = '{"context": "Ann Lorm left Rome.", "question": "Who left Rome?", "answers": ["Ann"]}'
    (folder / "broken.jsonl").write_text(f"{row}\n{{")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    before = sorted(Path().rglob("*"))
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "new/inner/x.jsonl"])
    assert ended.value.code == 2
    assert sorted(Path().rglob("*")) == before


def test_a_created_folder_with_files_is_kept_after_a_failure(folder):
    """What another process wrote there meanwhile."""
    with pytest.raises(ValueError, match="late"), folders.create_folder(folder / "a" / "b"):
        (folder / "a" / "kept").touch()
        raise ValueError("late")
    assert [one.name for one in (folder / "a").iterdir()] == ["kept"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize(
    ("arguments", "begins"),
    [
        (["report", "run", "--csv"], "run,"),
        (["convert", "exam/zh", "--to", "jsonl"], '{"dataset'),
        (["evidence", "exam/zh", "--limit", "1", "--out"], '{"question_id"'),
    ],
)
def test_pipes_and_devices_are_written_to_directly(folder, run, arguments, begins):
    """A file in the place of a device would harm whoever uses it next."""
    os.mkfifo("pipe")
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(Path("pipe").read_text("utf-8")))
    reader.start()
    with pytest.raises(SystemExit) as ended:
        main([str(run) if one == "run" else one for one in [*arguments, "pipe"]])
    reader.join(60)
    assert ended.value.code == 0
    assert Path("pipe").is_fifo()
    assert got[0].startswith(begins)


DASHED = [
    *(one for one in FILES if one[-1] not in ("--markdown", "--latex", "--csv")),
    *FOLDERS,
    ["attack", "exam/en", "--strategy", "typo", "--out"],
    ["evidence", "exam/zh", "--build-corpus"],
    ["get", "drop", "--to"],
    ["ingest", "file", "--out"],
    ["read", "exam/zh", "--reader", "lexical", "--out"],
    ["run", "recipe.toml", "--out"],
    ["score", "run", "--save"],
]


@pytest.mark.parametrize("arguments", DASHED, ids=" ".join)
def test_a_dash_does_not_name_an_output_file(folder, capsys, arguments):
    """But for the tables of a report, which are printed there."""
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "-"])
    assert ended.value.code == 2
    assert ": stdout (-) is not accepted here; give a path" in capsys.readouterr().err
    assert not Path("-").exists()


def test_every_output_option_rejects_stdout():
    """A new option of a name that others have for an outcome has their type."""
    names = {"out", "save", "html", "plots", "held-out", "build-corpus"}
    found = [
        (verb, option.name, type(option.type).__name__)
        for verb in COMMANDS
        for option in import_module(f"closeread.cli.{verb}").command.params
        if {name.lstrip("-") for name in option.opts} & names
    ]
    assert len(found) > 12
    assert {kind for *_, kind in found} == {"OutputPath"}, found


TOO_LONG = [
    ["convert", "exam/en"],
    ["read", "exam/zh", "--reader", "majority", "--out"],
    ["report", "run", "--out"],
    ["verify"],
    ["audit"],
]


@pytest.mark.parametrize("arguments", TOO_LONG, ids=" ".join)
def test_a_name_that_is_too_long_is_an_error(folder, run, capsys, arguments):
    """As when a text is given where a path should stand."""
    given = [str(run) if one == "run" else one for one in arguments]
    with pytest.raises(SystemExit) as ended:
        main([*given, "x" * 300 + ".jsonl"])
    assert ended.value.code == 2
    assert "x…: the name is too long for the file system\n" in capsys.readouterr().err


def test_circular_links_give_an_error(folder, run, capsys):
    (folder / "one").symlink_to("other")
    (folder / "other").symlink_to("one")
    for arguments, code in (
        (["report", "one", "--out", "page"], 2),
        (["audit", "one"], 2),
        (["report", run, "--out", "one"], 0),
    ):
        with pytest.raises(SystemExit) as ended:
            main(list(map(str, arguments)))
        assert ended.value.code == code
    assert "one: there is no such run folder" in capsys.readouterr().err
    assert (folder / "one").is_file()
