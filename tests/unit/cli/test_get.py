"""``closeread get`` as a user types it, against a server on loopback."""

import functools
import hashlib
import http.server
import json
import os
import subprocess
import sys
import threading

import pytest

from command_line import run_in_subprocess

CODE = """
import sys
from closeread.cli import main
from closeread.downloads import PublishedFile, PublishedSet, selection
name, address, sum_ = sys.argv[1:4]
file = PublishedFile(name=name, addresses=(address,), sha256=sum_, examples=2)
made = PublishedSet(description="a set", license="CC0", citation="Us 2026", files=(file,))
selection.SETS = {"toy": made}
main(sys.argv[4:])
"""
ROWS = b"".join(
    b'{"passage": {"passage_id": "p%d", "text": "A cat sat."}, "questions": [{"question_id": '
    b'"q%d", "passage_id": "p%d", "text": "Who sat?", "kind": "span", "answers": '
    b'[{"kind": "span", "texts": ["A cat"], "spans": [[0, 5]]}]}]}\n' % (n, n, n)
    for n in range(2)
)


@pytest.fixture
def address(tmp_path):
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "set.jsonl").write_bytes(ROWS)

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder))
    )
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/set.jsonl"
    server.shutdown()
    server.server_close()
    thread.join()


def run_get(folder, address, *arguments, sum_="", **environment):
    kept = {
        key: value
        for key, value in os.environ.items()
        if key not in {"CLOSEREAD_OFFLINE", "HF_HUB_OFFLINE"}
    }
    return subprocess.run(
        [sys.executable, "-c", CODE, "toy/set.jsonl", address, sum_, "get", *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        env=kept | {"NO_PROXY": "127.0.0.1"} | environment,
        check=False,
    )


def test_a_set_is_downloaded_and_its_terms_are_printed(address, tmp_path):
    """The count, the sum, the licence and the citation stand on stdout, nothing on stderr."""
    done = run_get(tmp_path, address, "toy", "--to", "here", sum_=hashlib.sha256(ROWS).hexdigest())
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "here" / "toy" / "set.jsonl").read_bytes() == ROWS
    for text in ("2 questions", "sha256 as published", "licence:  CC0", "citation: Us 2026"):
        assert text in done.stdout


def test_an_unpublished_sum_is_printed(address, tmp_path):
    """Where nothing can be compared, the sum of what came is said."""
    done = run_get(tmp_path, address, "toy")
    assert "not published; sha256 of what is here: " + hashlib.sha256(ROWS).hexdigest() in (
        done.stdout
    )


def test_json_is_one_object(address, tmp_path):
    """--json prints the records of all files."""
    done = run_get(tmp_path, address, "toy", "--json")
    (file,) = json.loads(done.stdout)["files"]
    assert file["examples"] == {"toy/set.jsonl": 2}
    assert file["address"] == address


def test_a_wrong_sum_is_one_message_and_no_file(address, tmp_path):
    """Exit code 2, the address and both sums, no traceback, nothing left under the name."""
    done = run_get(tmp_path, address, "toy", sum_="0" * 64)
    assert done.returncode == 2
    assert address in done.stderr
    assert "wrong checksum" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "data").exists()  # nor the folders that were made for it


def test_offline_mode_is_an_error(address, tmp_path):
    """The variable that forbids the network is named."""
    done = run_get(tmp_path, address, "toy", HF_HUB_OFFLINE="1")
    assert done.returncode == 2
    assert "HF_HUB_OFFLINE forbids network access" in done.stderr


def test_the_list_names_every_file():
    """`get --list` needs no network and names what can be typed."""
    done = subprocess.run(
        [sys.executable, "-m", "closeread", "get", "--list"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "mrqa/out-of-domain-dev/RelationExtraction" in done.stdout
    assert "by hand" in done.stdout
    rows = json.loads(
        subprocess.run(
            [sys.executable, "-m", "closeread", "get", "--list", "--json"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    )["files"]
    assert sum(row["name"].startswith("mrqa/") for row in rows) == 18


def test_a_manual_download_says_where(tmp_path):
    """The GCRC training set is never fetched by a program: where and under which terms is said."""
    done = run_in_subprocess("get", "gcrc-train", folder=tmp_path)
    assert done.returncode == 2
    assert "cuge.baai.ac.cn" in done.stderr
    assert "non-profit" in done.stderr
    assert "Traceback" not in done.stderr


def test_missing_and_unknown_names_are_user_errors(tmp_path):
    """Both say what to do."""
    for arguments, expected in (([], "--list"), (["mrqa/trian"], "mrqa/train")):
        done = run_in_subprocess("get", *arguments, folder=tmp_path)
        assert done.returncode == 2
        assert expected in done.stderr
