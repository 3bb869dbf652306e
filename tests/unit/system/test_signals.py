"""Signals that ask for an end: they unwind, or wait; the ignored stay ignored."""

import os
import signal
import sys
import threading
import time

import pytest

from closeread.system import signals
from closeread.system.signals import (
    StoppedBySignal,
    defer_stop_signals,
    exit_code,
    raise_on_stop_signals,
)
from command_line import run_in_subprocess

pytestmark = [
    pytest.mark.usefixtures("signals_heard"),
    pytest.mark.skipif(os.name == "nt", reason="no such signals on Windows"),
]
TRAINER = """
import os, signal
def train(request):
    file = request.out.with_suffix(".part")
    try:
        file.write_text("half")
        os.kill(os.getpid(), signal.SIGTERM)
        signal.pause()
    finally:
        file.unlink()
"""


def test_a_signal_raises_and_the_block_cleans_up():
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(StoppedBySignal) as stopped, raise_on_stop_signals():
        signal.raise_signal(signal.SIGTERM)
    assert exit_code(stopped.value) == 143
    assert exit_code(KeyboardInterrupt()) == 130
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_in_a_destructor_is_sent_again(number, capsys):
    """Where Python drops what is raised; others' errors there are told as before."""

    class Thrown:
        def __del__(self):
            signal.raise_signal(number)

    class Wrong:
        def __del__(self):
            raise ValueError("wrong")

    before, told = sys.unraisablehook, []
    sys.unraisablehook = lambda dropped: told.append(str(dropped.exc_value))
    ours = sys.unraisablehook
    try:
        with pytest.raises(KeyboardInterrupt) as stopped, raise_on_stop_signals():
            Wrong()
            Thrown()
            time.sleep(60)
        assert sys.unraisablehook is ours
    finally:
        sys.unraisablehook = before
    assert exit_code(stopped.value) == 128 + number
    assert told == ["wrong"]
    assert capsys.readouterr().err == ""


def test_a_signal_stops_every_kind_of_training(tmp_path):
    """Also one that saves no states, as that of `cues`: nothing is half-written."""
    (tmp_path / "mine.py").write_text(TRAINER, "utf-8")
    (tmp_path / "r.toml").write_text(
        'out = "out"\n[reader]\nname = "mine:train"\n[train]\n', "utf-8"
    )
    done = run_in_subprocess("train", "r.toml", folder=tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (143, False), done.stderr
    assert "interrupted" in done.stderr
    assert not list(tmp_path.glob("out*"))


def test_the_first_signal_is_deferred_and_a_later_one_acts(monkeypatch):
    """One that comes with the first is the first."""
    told = []
    with pytest.raises(StoppedBySignal) as stopped, defer_stop_signals(told.append) as asked:
        assert asked() == 0
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)
        assert asked() == 130
    assert stopped.value.code == 130  # nobody ended it: it is not forgotten
    monkeypatch.setattr(signals, "_SAME_SIGNAL_SECONDS", 0.0)
    with (
        raise_on_stop_signals(),
        pytest.raises(StoppedBySignal) as stopped,
        defer_stop_signals(told.append) as asked,
    ):
        signal.raise_signal(signal.SIGHUP)
        assert asked() == 129
        signal.raise_signal(signal.SIGTERM)
    assert stopped.value.code == 143
    with pytest.raises(KeyboardInterrupt), defer_stop_signals(told.append):
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)
    assert told == ["SIGINT", "SIGHUP", "SIGTERM"]


def test_ignored_signals_stay_ignored():
    """As SIGINT is in what a script starts with `&`, and SIGHUP under `nohup`."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with raise_on_stop_signals(), defer_stop_signals(print) as asked:
            signal.raise_signal(signal.SIGHUP)
            assert asked() == 0
    finally:
        signal.signal(signal.SIGHUP, before)


def test_threads_do_not_handle_signals():
    """Python lets the main thread alone handle signals."""
    found = []

    def work():
        with raise_on_stop_signals(), defer_stop_signals(print) as asked:
            found.append(asked())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [0]
