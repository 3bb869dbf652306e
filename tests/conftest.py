"""What all tests share: the corpus, and how properties are tried."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from places import corpus_folder

# No deadlines, nor a limit of how long examples may take to draw: the machine's other work must
# not fail a property. On CI the examples are the same at every run; elsewhere each run tries new
# ones.
settings.register_profile("closeread", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("closeread"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "closeread")


# What says how wide and how colourful an output is; machines that build set some of them.
_LOOKS = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "PYTHON_COLORS", "TTY_COMPATIBLE")


@pytest.fixture(scope="session", autouse=True)
def own_surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The user's cache is neither read nor filled, and all is written as into a pipe.

    So it is for what the tests start, too.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLOSEREAD_CACHE", str(tmp_path_factory.mktemp("cache")))
        for name in _LOOKS:
            patch.delenv(name, raising=False)
        yield


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The corpus folder; the test skips, saying why, where it is missing."""
    folder = corpus_folder()
    if folder is None:
        pytest.skip("no corpus: set CLOSEREAD_CORPUS to the folder that holds data/ and golden/")
    return folder


@pytest.fixture
def signals_heard() -> Iterator[None]:
    """No signal is ignored: SIGINT is where the tests run in the background, and children inherit.

    What handles them here is not inherited by another program.
    """
    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    usual |= {getattr(signal, "SIGHUP", signal.SIGTERM): signal.SIG_DFL}
    before = {number: signal.signal(number, handler) for number, handler in usual.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
