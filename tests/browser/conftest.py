"""A real Chromium, where there is one."""

import os
import shutil
from pathlib import Path

import pytest

from report_runs import (
    PASSAGE,
    choose,
    correctness_by_id,
    one_run,
    triple,
    write_page,
    write_run,
    write_set,
)

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

_START_MILLISECONDS = 120_000  # the first start after an installation, on a busy machine

_AT_THE_END = "`at ${document.activeElement?.id}: ${document.body.innerText}`"


def find_chromium():
    """The browser to drive: CLOSEREAD_CHROMIUM, or the first known name on the path."""
    named = os.environ.get("CLOSEREAD_CHROMIUM")
    found = named or next(filter(None, map(shutil.which, _NAMES)), None)
    return found if found and Path(found).exists() else None


@pytest.fixture(scope="session")
def browser():
    """One browser for the session; the test skips, saying why, where none is."""
    path = find_chromium()
    if path is None:
        pytest.skip("no Chromium: install one, or set CLOSEREAD_CHROMIUM to its path")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(
            executable_path=path, args=list(_ARGUMENTS), timeout=_START_MILLISECONDS,
            env=os.environ | {"TMPDIR": "/tmp"},  # its socket's path is 107 bytes at most
        )  # fmt: skip
        yield started
        started.close()


@pytest.fixture(scope="module")
def lexical():
    from serving_process import serving

    with serving("lexical") as server:
        yield server


@pytest.fixture(scope="module")
def cues():
    from serving_process import serving

    with serving("cues") as server:
        yield server


@pytest.fixture(scope="module")
def triples(tmp_path_factory):
    """Two triples of one passage: one run, most answers right."""
    questions = triple("t1") + triple("t2")
    predictions = choose(questions, {"t1-negative": "B"})
    folder = tmp_path_factory.mktemp("report")
    path = one_run(folder, questions, predictions)
    return write_page([path], folder / "page.html", language="en")


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory):
    """The same triples, read twice."""
    questions = triple("t1") + triple("t2")
    folder = tmp_path_factory.mktemp("two")
    dataset = write_set(folder / "set.jsonl", [(PASSAGE, questions)])
    paths = []
    for name, labels in (("first", {}), ("second", {"t1-original": "B"})):
        predictions = choose(questions, labels)
        values = {"choice.accuracy": correctness_by_id(dataset, predictions)}
        paths.append(write_run(folder / name, dataset, predictions, values))
    return write_page(paths, folder / "page.html", language="en")


@pytest.fixture
def visit(browser):
    """Opens a page; nothing may be logged, stand out at the side, or go to another server."""
    from demo_visits import DESKTOP

    contexts = []

    def opened(server, size=None, scheme="light", locale="en-GB"):
        context = browser.new_context(
            viewport=size or DESKTOP, color_scheme=scheme, locale=locale, reduced_motion="reduce"
        )
        contexts.append(context)
        page = context.new_page()
        page.logged, page.foreign, page.seen = [], [], []
        page.on("console", lambda message: page.logged.append(message.text))
        page.on("pageerror", lambda error: page.logged.append(str(error)))
        page.on("request", lambda sent: _note(page, server, sent.url))
        page.on("response", lambda reply: page.seen.append(f"{reply.status} {reply.url}"))
        page.on("requestfailed", lambda sent: page.seen.append(f"{sent.failure} {sent.url}"))
        page.goto(server.url + "/")
        page.get_by_role("heading", level=1).wait_for()
        return page

    yield opened
    for context in contexts:
        for page in context.pages:
            print(*page.seen, page.evaluate(_AT_THE_END), sep="\n")  # shown where the test failed
            assert page.logged == []
            assert page.foreign == []
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        context.close()


def _note(page, server, url):
    page.seen.append(f"asks {url}")
    if not url.startswith((server.url + "/", "data:")):
        page.foreign.append(url)
