"""Sums of floating-point numbers, and what hangs on them, are the same under every Python."""

import builtins
import math

import pytest
from msgspec.structs import replace

import closeread
from closeread.formats import load
from closeread.metrics import squad2
from closeread.readers import make
from closeread.summation import sum_in_order


def in_order(numbers, start=0):
    """The built-in ``sum`` until Python 3.11."""
    for number in numbers:
        start = start + number
    return start


def compensated(numbers, start=0):
    """Nearly the built-in one from 3.12 on: it rounds once."""
    numbers = [start, *numbers]
    if all(isinstance(number, int | float) for number in numbers) and float in map(type, numbers):
        return math.fsum(numbers)
    return in_order(numbers)


def test_sums_are_those_of_adding_one_by_one():
    """Ten times a tenth falls short of 1 by one bit; an exact sum would not."""
    assert sum_in_order([0.1] * 10) == in_order([0.1] * 10) == 1 - 2**-53
    assert compensated([0.1] * 10) == 1
    assert sum_in_order([]) == 0.0
    assert isinstance(sum_in_order(iter([1, 2])), float)


@pytest.mark.parametrize(
    ("reader", "file", "first"),
    [
        ("lexical", "cmrc2018/cmrc2018_dev.json", 460),
        ("lexical", "squad_adv/sample1k-HCVerifyAll.json", 740),
        ("cues", "vgaokao/test.json", 60),
    ],
)
def test_answers_do_not_hang_on_the_python(corpus, monkeypatch, reader, file, first):
    """Of two that are equally good the same comes first, however the built-in ``sum`` rounds."""
    items = [(passage, one) for passage, several in load(corpus / "data" / file) for one in several]
    found = []
    for built_in in (in_order, compensated):
        monkeypatch.setattr(builtins, "sum", built_in)
        read = make(reader)[0].read(items[:first])
        found.append([replace(prediction, seconds=None) for prediction in read])
        monkeypatch.undo()
    assert found[0] == found[1]


def test_official_sums_do_not_hang_on_the_python(monkeypatch):
    """SQuAD 2.0's program adds up its F1 by the built-in ``sum``: as of Python 3.11 here."""
    golds = {f"q{number}": [" ".join(f"w{place}" for place in range(19))] for number in range(10)}
    predictions = dict.fromkeys(golds, "w7")
    monkeypatch.setattr(builtins, "sum", compensated)
    assert squad2.official(golds.items(), predictions)["f1"] == 100 * (1 - 2**-53) / 10


def test_an_audit_does_not_hang_on_the_python(monkeypatch, tmp_path):
    """To the last bit, of answers that are right in part."""
    closeread.read("exam/en", "lexical", tmp_path / "run")
    found = []
    for built_in in (in_order, compensated):
        monkeypatch.setattr(builtins, "sum", built_in)
        found.append(closeread.audit(tmp_path / "run", checks=["disagreement", "truncation"]))
        monkeypatch.undo()
    assert found[0].findings == found[1].findings
