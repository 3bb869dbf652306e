"""A lock has one owner, ends with its file, and is done without where there are none."""

import errno
import fcntl
import threading

import pytest

from closeread.locks import take
from closeread.runs.ledger import Ledger


def test_a_lock_has_one_owner_and_ends_with_its_file(tmp_path):
    path = tmp_path / "lock"
    with path.open("a") as one, path.open("a") as other:
        assert take(one)
        assert take(one)  # whoever has it has it
        with pytest.raises(BlockingIOError):
            take(other.fileno())
        one.close()
        assert take(other)


def test_another_owner_can_be_waited_for(tmp_path):
    path, got = tmp_path / "lock", threading.Event()

    def later():
        with path.open("a") as other:
            assert take(other, wait=True)
            got.set()

    with path.open("a") as one:
        take(one)
        thread = threading.Thread(target=later)
        thread.start()
        assert not got.wait(0.2)
    thread.join(60)
    assert got.is_set()


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP])
def test_a_file_system_without_locks_is_done_without(tmp_path, monkeypatch, number):
    """As Lustre is mounted by default: a run is written there all the same."""

    def refused(*given):
        raise OSError(number, "there are no locks")

    monkeypatch.setattr(fcntl, "flock", refused)
    with (tmp_path / "lock").open("a") as one:
        assert not take(one)
    ledger = Ledger(tmp_path / "ledger.jsonl")
    ledger.append(b"{}")
    ledger.close()
    assert (tmp_path / "ledger.jsonl").read_bytes() == b"{}\n"
