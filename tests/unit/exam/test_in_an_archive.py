"""The package in an archive, as zipapps have it: what ships with it is found there, too."""

import os
import subprocess
import sys
import zipfile

import pytest

from closeread.downloads.cache import cache_content
from closeread.errors import StorageError
from project_paths import ROOT


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    path = tmp_path_factory.mktemp("archive") / "closeread.zip"
    source = ROOT / "src"
    with zipfile.ZipFile(path, "w") as packed:
        for file in sorted(source.glob("closeread/**/*")):
            if file.is_file() and "__pycache__" not in file.parts:
                packed.write(file, file.relative_to(source))
    return path


def called(archive, *arguments):
    of = {"PYTHONPATH": str(archive), "CLOSEREAD_CACHE": str(archive.parent / "cache")}
    done = subprocess.run(
        [sys.executable, "-m", "closeread", *arguments],
        capture_output=True, text=True, check=False, cwd=archive.parent, env=os.environ | of,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_exam_is_read_scored_verified_and_reported(archive):
    """The run names a copy of it that stays, not one that is gone with the process."""
    where = "import closeread; print(closeread.__file__)"
    assert "closeread.zip" in subprocess.run(
        [sys.executable, "-c", where], env=os.environ | {"PYTHONPATH": str(archive)},
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    called(archive, "read", "exam/en", "--reader", "cues", "--limit", "6", "--out", "run")
    assert "drop.f1" in called(archive, "score", "run", "--no-intervals")
    assert "verified" in called(archive, "verify", "run")
    assert called(archive, "report", "run") == "run/report.html\n"


def test_a_cache_that_cannot_hold_the_copy_is_told(tmp_path, monkeypatch):
    (tmp_path / "taken").write_bytes(b"")
    monkeypatch.setenv("CLOSEREAD_CACHE", str(tmp_path / "taken"))
    with pytest.raises(StorageError, match=r"cannot be written: Not a directory") as told:
        cache_content("en.jsonl", b"{}")
    assert "CLOSEREAD_CACHE" in told.value.cure


def test_a_prompt_is_found(archive):
    """The reader that needs it is made without an endpoint."""
    code = (
        "from closeread.readers.generative.prompts import load_built_in\n"
        "print(len({load_built_in('choice', language).sha256 for language in ('zh', 'en')}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": str(archive)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "2\n"
