"""The address at which a service listens."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from serving_process import (
    serving,
    shared_task_body,
)

HERE = Path(__file__).parent


def test_a_used_address_is_an_error(tmp_path):
    with serving("odd_readers:Echo", folder=HERE) as server:
        _, port = server.address
        from click.testing import CliRunner

        from closeread.cli.serve import command
        from closeread.errors import UsageError

        done = CliRunner().invoke(command, ["majority", "--port", str(port)])
        assert isinstance(done.exception, UsageError)
        assert f"port {port}" in str(done.exception)


_LISTENS_SECOND = """
from closeread.readers import make
from closeread.runs.records import ReaderInfo
from closeread.serve.app import app
from closeread.serve.listen import bind_socket, listen
from closeread.serve.service import Service
from closeread.serve.settings import Settings

service = Service(make("majority")[0], ReaderInfo(name="majority"), None, Settings())
with bind_socket("127.0.0.1", 0) as first:
    port = first.getsockname()[1]
    print(port, flush=True)
    with bind_socket("127.0.0.1", port) as second:
        first.listen()
        listen(service, app(service), second, lambda: None)
"""


def test_an_address_taken_meanwhile_is_an_error():
    """Both were bound while their readers were loaded; a server wants a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", _LISTENS_SECOND],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    told = f"UsageError: cannot listen on 127.0.0.1, port {done.stdout.strip()}: "
    assert told in done.stderr


def test_a_free_port_is_chosen():
    """IPv6, where the machine has it."""
    if not socket.has_ipv6:
        pytest.skip("no IPv6")
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        pytest.skip("no IPv6")
    with serving("odd_readers:Echo", "--host", "::1", folder=HERE) as server:
        assert server.url.startswith("http://[::1]:")
        assert server.post("/", shared_task_body("1")).status == 200
