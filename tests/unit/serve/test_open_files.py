"""A process that may open few files: one message on either side of a connection, no traceback."""

import contextlib
import subprocess
import sys
from pathlib import Path

import pytest

from serving_process import WAIT_SECONDS, run_server, serving, shared_task_body

pytest.importorskip("resource")
HERE = Path(__file__).parent
CALL = """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, ({0}, {0}))
from closeread.cli import main
main(sys.argv[1:])
"""


@pytest.mark.parametrize("files", [16, 32, 64])
def test_clients_beyond_the_file_limit_wait(files):
    """It says so once, answers when others have gone, and stops when it is told to."""
    command = ["-c", CALL.format(files), "serve", "odd_readers:Echo", "--port", "0"]
    with run_server(command, HERE) as server:
        with contextlib.ExitStack() as held:
            for _ in range(2 * files):
                held.enter_context(server.connect())
            said = server.process.stderr.readline()
        server.until(lambda health: health["status"] == "ready")
        assert server.post("/", shared_task_body("1")).status == 200
        assert server.stop() == 0
        assert said.startswith(f"the limit of {files} open files is reached")
        assert server.process.stderr.read() == ""


def test_a_client_at_its_file_limit_reports_it(tmp_path):
    """It blames neither the service nor the address."""
    with serving("odd_readers:Echo", folder=HERE) as server:
        asked = ("exam/en", "--reader", f"http:{server.url[7:]}", "--out", "run")
        done = subprocess.run(
            [sys.executable, "-c", CALL.format(10), "read", *asked],
            capture_output=True, text=True, check=False, cwd=tmp_path, timeout=WAIT_SECONDS,
        )  # fmt: skip
    assert done.returncode == 2
    assert "no connection can be opened: [Errno 24] Too many open files" in done.stderr
    assert "open files with `ulimit -n`" in done.stderr
    assert len(done.stderr.splitlines()) == 2
    assert not (tmp_path / "run").exists()
