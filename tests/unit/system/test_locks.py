"""A lock has one owner, ends with its file, and is done without where there are none."""

import errno
import fcntl
import hashlib
import os
import sys
import threading
from pathlib import Path

import pytest

from closeread.downloads.fetch import Patience, fetch
from closeread.downloads.published import PublishedFile
from closeread.runs.ledger import Ledger
from closeread.system import locks
from closeread.system.locks import exclusive_lock, lock_file


def test_a_lock_has_one_owner_and_ends_with_its_file(tmp_path):
    path = tmp_path / "lock"
    with path.open("a") as one, path.open("a") as other:
        assert lock_file(one)
        assert lock_file(one)  # whoever has it has it
        with pytest.raises(BlockingIOError):
            lock_file(other.fileno())
        one.close()
        assert lock_file(other)


def test_waiting_for_another_owner_is_possible(tmp_path):
    path, got = tmp_path / "lock", threading.Event()

    def later():
        with path.open("a") as other:
            assert lock_file(other, wait=True)
            got.set()

    with path.open("a") as one:
        lock_file(one)
        thread = threading.Thread(target=later)
        thread.start()
        assert not got.wait(0.2)
    thread.join(60)
    assert got.is_set()


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP])
def test_without_locks_the_caller_continues(tmp_path, monkeypatch, number):
    """As Lustre is mounted by default: a run is written there all the same."""

    def refused(*given):
        raise OSError(number, "there are no locks")

    monkeypatch.setattr(fcntl, "flock", refused)
    with (tmp_path / "lock").open("a") as one:
        assert not lock_file(one)
    ledger = Ledger(tmp_path / "ledger.jsonl")
    ledger.append(b"{}")
    ledger.close()
    assert (tmp_path / "ledger.jsonl").read_bytes() == b"{}\n"


def test_a_lock_file_excludes_others_and_is_removed(tmp_path):
    path = tmp_path / "lock"
    with exclusive_lock(path), pytest.raises(BlockingIOError), exclusive_lock(path):
        pass
    assert not path.exists()
    path.touch()  # as a killed process leaves it
    with exclusive_lock(path):
        assert path.exists()
    assert not path.exists()


def test_a_lock_on_a_removed_file_is_taken_again(tmp_path, monkeypatch):
    """Who opened the file before its owner removed it takes the one that is there now."""
    path, tried = tmp_path / "lock", []

    def removed_at_first(file, **given):
        if not tried:
            path.unlink()
        tried.append(os.fstat(file.fileno()).st_ino)
        return lock_file(file, **given)

    monkeypatch.setattr(locks, "lock_file", removed_at_first)
    with exclusive_lock(path):
        assert path.stat().st_ino == tried[-1]
        assert len(tried) == 2


def test_never_two_processes_hold_the_lock(tmp_path):
    """Files appear and disappear all the while, and never two are in at once."""
    path, inside, most, turns = tmp_path / "lock", [], [], []

    def come_and_go():
        while len(turns) < 300:
            try:
                with exclusive_lock(path):
                    inside.append(1)
                    most.append(len(inside))
                    inside.pop()
                    turns.append(1)
            except BlockingIOError:
                pass

    threads = [threading.Thread(target=come_and_go) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(turns) >= 300
    assert max(most) == 1
    assert not path.exists()


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs /proc/self/fd")
def test_systems_that_keep_open_files_are_supported(tmp_path, monkeypatch):
    """As Windows: no locks either. What was fetched is there, and nothing beside it."""
    unlink = Path.unlink

    def refusing(path, missing_ok=False):
        if path.resolve() in [one.resolve() for one in Path("/proc/self/fd").iterdir()]:
            raise PermissionError(errno.EACCES, "another process uses the file")
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setattr(Path, "unlink", refusing)
    (tmp_path / "f.part").write_bytes(b"whole")
    file = PublishedFile(
        name="f", addresses=("http://127.0.0.1:9/f",), sha256=hashlib.sha256(b"whole").hexdigest()
    )
    target = tmp_path / "f"
    fetch(file, target, check=lambda path: None, patience=Patience())
    assert [one.name for one in tmp_path.iterdir()] == ["f"]


def test_without_locks_no_lock_file_is_checked(tmp_path, monkeypatch):
    """Some file systems that lock nothing number a file anew whenever they are asked."""
    monkeypatch.setattr(locks, "lock_file", lambda file: False)
    monkeypatch.setattr(os.path, "samestat", lambda one, other: False)
    with exclusive_lock(tmp_path / "lock"):
        pass
    assert not list(tmp_path.iterdir())
