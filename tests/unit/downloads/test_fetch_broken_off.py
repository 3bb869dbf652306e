"""Fetching that ends in the middle: killed, on a full disk, or beside another process."""

import signal
import subprocess
import sys
import time

from file_fetching import fetch_file, file_names, range_headers, sha256

_CHILD = """
import sys
from pathlib import Path
from closeread.downloads.fetch import Patience, fetch
from closeread.downloads.published import PublishedFile
file = PublishedFile(name="f", addresses=(sys.argv[1],), sha256=sys.argv[3])
fetch(file, Path(sys.argv[2]), check=lambda path: None, patience=Patience())
"""


def test_a_killed_process_is_resumed_by_the_next(site, waits, content, tmp_path):
    """After SIGKILL in the middle nothing bears the final name, and only the rest is fetched."""
    url = site.put("/f", content * 20, etag='"a"', pace_seconds=0.002)
    target = tmp_path / "f"
    arguments = [sys.executable, "-c", _CHILD, url, str(target), sha256(content * 20)]
    part = tmp_path / "f.part"
    kept = []
    for wanted in (200_000, 600_000):
        child = subprocess.Popen(arguments)
        while not (part.exists() and part.stat().st_size > wanted):
            assert child.poll() is None
            time.sleep(0.005)
        child.send_signal(signal.SIGKILL)
        child.wait()
        assert not target.exists()
        kept.append(part.stat().st_size)
    site.pages["/f"].pace_seconds = 0
    fetch_file(target, waits, url, sha256=sha256(content * 20))
    assert target.read_bytes() == content * 20
    assert range_headers(site) == [None, f"bytes={kept[0]}-", f"bytes={kept[1]}-"]
    assert file_names(tmp_path) == ["f"]


def test_a_process_killed_before_renaming_needs_no_network(waits, content, tmp_path):
    """A whole partial file with the right sum is taken without a request."""
    (tmp_path / "f.part").write_bytes(content)
    fetch_file(tmp_path / "f", waits, "http://127.0.0.1:9/f", sha256=sha256(content))
    assert file_names(tmp_path) == ["f"]


def test_two_processes_do_not_write_one_file(site, content, tmp_path):
    """The second one is told to wait."""
    url = site.put("/f", content * 20, pace_seconds=0.5)  # longer than the second one starts
    target = tmp_path / "f"
    arguments = [sys.executable, "-c", _CHILD, url, str(target), sha256(content * 20)]
    child = subprocess.Popen(arguments)
    try:
        while not (tmp_path / "f.part").exists():
            assert child.poll() is None
            time.sleep(0.005)
        second = subprocess.run(arguments, capture_output=True, text=True, check=False)
        assert "another process is downloading it" in second.stderr
    finally:
        child.kill()
        child.wait()


def test_a_full_disk_keeps_what_has_arrived(site, waits, content, tmp_path):
    """A limit on file size stops the writing; a message names the cure, and the rest can follow."""
    url = site.put("/f", content, etag='"a"')
    target = tmp_path / "f"
    code = f"import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))\n{_CHILD}"
    arguments = [sys.executable, "-c", code, url, str(target), sha256(content)]
    child = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert "StorageError" in child.stderr
    assert "partial download is kept" in child.stderr
    assert not target.exists()
    assert (tmp_path / "f.part").stat().st_size > 0
    fetch_file(target, waits, url, sha256=sha256(content))
    assert target.read_bytes() == content
    assert range_headers(site)[-1] is not None
