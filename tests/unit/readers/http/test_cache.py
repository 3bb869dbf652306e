"""The cache of replies: several processes at once, killed at any moment, damaged, or not ours."""

import os
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

from closeread.errors import StorageError
from closeread.readers import make
from closeread.readers.http.cache import Cache
from closeread.types import Passage, Question
from endpoint import Endpoint, serving

WRITER = """
import sys
from pathlib import Path
from closeread.readers.http.cache import Cache
path, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
cache = Cache(path)
for place in range(count):
    cache.put(f"{name}-{place}", f"reply {place} to {name} ".encode() * 50)
    cache.put(f"shared-{place}", b"the same for all")
    if place % 50 == 0:
        print(place, flush=True)
"""


def writer(path, name, count=1_000_000):
    """A process that fills the cache as soon as it is told to."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), name, str(count)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    process.stdout.readline()
    return process


def start_process(process):
    process.stdin.write("\n")
    process.stdin.flush()


def check_cache(path):
    """Every reply that is there is whole, by SQLite's own check and by its text."""
    with sqlite3.connect(path) as base:
        assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        rows = dict(base.execute("SELECT request, reply FROM replies"))
    base.close()
    for request, reply in rows.items():
        name, _, place = request.rpartition("-")
        whole = f"reply {place} to {name} ".encode() * 50
        assert reply == (b"the same for all" if name == "shared" else whole)
    return rows


def test_concurrent_processes_share_a_cache_file(tmp_path):
    """Four open it in the same moment; nothing that any of them put is missing."""
    path = tmp_path / "cache.sqlite"
    processes = [writer(path, f"w{number}", 200) for number in range(4)]
    for process in processes:
        start_process(process)
    for process in processes:
        process.communicate()
        assert process.returncode == 0
    assert len(check_cache(path)) == 5 * 200


def test_a_killed_process_loses_no_cached_reply(tmp_path):
    """Killed again and again while another writes on."""
    path = tmp_path / "cache.sqlite"
    other = writer(path, "other", 3000)
    start_process(other)
    for round_ in range(5):
        process = writer(path, f"killed{round_}")
        start_process(process)
        told = int(process.stdout.readline())
        time.sleep(0.03 * round_)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        cache = Cache(path)
        assert cache.get(f"killed{round_}-{told}") is not None
        cache.close()
    other.communicate()
    assert other.returncode == 0
    rows = check_cache(path)
    assert sum(name.startswith("other-") for name in rows) == 3000


ITEMS = [
    (
        Passage(passage_id="p", text="It carried 14 sheep."),
        Question(question_id="q", passage_id="p", text="How many?", kind="discrete"),
    )
]


@pytest.mark.parametrize("damage", ["'junk'", "x'00ff'", "'{}'", "x'7b7d'", "x''"])
def test_an_unreadable_cached_reply_is_requested_again(tmp_path, damage):
    path = tmp_path / "cache.sqlite"
    with serving(Endpoint()) as endpoint:
        reader, _ = make("chat", {"base_url": endpoint.url, "cache": str(path)})
        (first,) = reader.read(ITEMS)
        with sqlite3.connect(path) as base:
            base.execute(f"UPDATE replies SET reply = {damage}")
        base.close()
        for count in (2, 2):
            (again,) = reader.read(ITEMS)
            assert again.generation == first.generation
            assert len(endpoint.seen) == count


def test_another_database_is_rejected_unchanged(tmp_path):
    path = tmp_path / "users.sqlite"
    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE users (name TEXT)")
    base.close()
    before = path.read_bytes()
    with pytest.raises(StorageError, match="users"):
        Cache(path)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["users.sqlite"]


@pytest.mark.parametrize("content", [b"no data base at all" * 100, b"\x00" * 4096])
def test_a_file_that_is_not_a_database_is_rejected(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(StorageError, match="-o cache=FILE"):
        Cache(path)
    assert path.read_bytes() == content
