"""A reader that answers with what it was asked, behind a service of tight limits."""

from pathlib import Path

import pytest

from served import (
    context,
    serving,
)

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def echo():
    with serving(
        "odd_readers:Echo", "--max-body-bytes", "100000", "--max-passage-characters", "5000",
        "--max-question-characters", "500", "--queue", "64", "--header-timeout-seconds", "1",
        "--body-timeout-seconds", "1", folder=HERE,
    ) as server:  # fmt: skip
        yield server
        # whatever was done to it before, it still answers
        assert server.post("/", context("end")).status == 200
