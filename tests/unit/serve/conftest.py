"""What tests of services share: a reader of words, and one that answers with what it was asked."""

from pathlib import Path

import pytest

from serving_process import serving, shared_task_body

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def echo():
    """Of tight limits."""
    with serving(
        "odd_readers:Echo", "--max-body-bytes", "100000", "--max-passage-characters", "5000",
        "--max-question-characters", "500", "--queue", "64", folder=HERE,
    ) as server:  # fmt: skip
        yield server
        # whatever was done to it before, it still answers
        assert server.post("/", shared_task_body("end")).status == 200


@pytest.fixture(scope="module")
def lexical():
    with serving("lexical", "-o", "sharpness=4") as server:
        yield server
