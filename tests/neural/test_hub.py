"""What may be a hub's name, and what a network that is not there costs."""

import os
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")

from closeread.errors import InputError
from closeread.readers import make
from closeread.readers.models.location import check_location

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]


class _SlowHub(BaseHTTPRequestHandler):
    """Knows no model, and takes its time to say so."""

    def do_HEAD(self):
        time.sleep(1)
        self.send_response(404)
        self.send_header("X-Error-Code", "RepoNotFound")
        self.end_headers()

    do_GET = do_HEAD

    def log_message(self, *of):
        pass


@pytest.mark.parametrize(
    ("is_there", "told"),
    [(False, "We couldn't connect"), (True, "is not a valid model identifier")],
)
def test_a_hub_that_cannot_be_connected_to_is_not_tried_again_and_again(tmp_path, is_there, told):
    """The library would for a minute, a line each time; one that is slow is left to it."""
    server = HTTPServer(("127.0.0.1", 0), _SlowHub)
    address = f"http://127.0.0.1:{server.server_port}"
    if is_there:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    else:
        server.server_close()
    unset = {"HF_HUB_OFFLINE", "CLOSEREAD_OFFLINE"}
    env = {name: value for name, value in os.environ.items() if name not in unset}
    done = subprocess.run(
        [sys.executable, "-m", "closeread", "read", "exam/en", "--reader", "span",
         "-o", "model=nobody/no-such-model", "--out", str(tmp_path / "run")],
        capture_output=True, text=True, check=False,
        env=env | {"HF_ENDPOINT": address, "HF_HOME": str(tmp_path)},
    )  # fmt: skip
    if is_there:
        server.shutdown()
        server.server_close()
    assert done.returncode == 2, done.stderr
    assert told in done.stderr
    assert "check the name and the network; there is no local folder of this name" in done.stderr
    assert "Retrying" not in done.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", ["./x", "../x", "/x/y", "a/b/c", "x/", "~/x", "there/x"])
@pytest.mark.parametrize("reader", ["span", "local"])
def test_a_mistyped_path_is_not_looked_for_on_the_hub(tmp_path, monkeypatch, name, reader):
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("socket.socket.connect", lambda *of: pytest.fail("the hub was asked"))
    with pytest.raises(InputError, match="there is no such folder"):
        make(reader, {"model": name})


def test_what_may_be_a_hubs_name_is_taken_as_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("bert-base-chinese", "hfl/chinese-macbert-base", "owner/name.v1_2"):
        check_location(name)
