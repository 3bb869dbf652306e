"""Fixtures of all tests: the corpus, an isolated environment, and hypothesis settings."""

import os
import signal
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from closeread.errors import MissingExtraError
from project_paths import corpus_folder

# No deadlines and no limit on the time to draw examples: other load on the machine must not fail a
# property. On CI every run has the same examples; elsewhere each run tries new ones.
settings.register_profile("closeread", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("closeread"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "closeread")


# Variables that set the width and colours of output; build machines set some of them.
_DISPLAY = (
    "COLUMNS",
    "LINES",
    "NO_COLOR",
    "FORCE_COLOR",
    "PYTHON_COLORS",
    "TTY_COMPATIBLE",
)


@contextmanager
def _skipping_without_vectors() -> Iterator[None]:
    """Skip what needs word vectors where gensim cannot be installed (docs/install.md)."""
    try:
        yield
    except MissingExtraError as error:
        if sys.version_info < (3, 14) or "closeread[vectors]" not in str(error):
            raise
        pytest.skip("gensim has no build for Python 3.14")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Generator[None, object, object]:
    with _skipping_without_vectors():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, object, object]:
    with _skipping_without_vectors():
        return (yield)


@pytest.fixture(scope="session", autouse=True)
def isolated_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Neither read nor fill the user's cache, and write output as to a pipe.

    This holds for processes that the tests start, too.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLOSEREAD_CACHE", str(tmp_path_factory.mktemp("cache")))
        for name in _DISPLAY:
            patch.delenv(name, raising=False)
        yield


@pytest.fixture(scope="session")
def corpus() -> Path:
    """Return the corpus folder; skip the test with a reason if it is missing."""
    folder = corpus_folder()
    if folder is None:
        pytest.skip("no corpus: set CLOSEREAD_CORPUS to the folder that holds data/ and golden/")
    return folder


@pytest.fixture
def signals_heard() -> Iterator[None]:
    """Install default signal handlers: tests in the background ignore SIGINT, as do children.

    A handler, unlike an ignored signal, is not inherited by another program.
    """
    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    usual |= {getattr(signal, "SIGHUP", signal.SIGTERM): signal.SIG_DFL}
    before = {number: signal.signal(number, handler) for number, handler in usual.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
