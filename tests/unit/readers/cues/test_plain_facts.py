"""What the weights that ship must see: statements that differ in one plain fact of a passage."""

import tomllib
from pathlib import Path

import pytest

from closeread.api.asking import open_reader

FACTS = tomllib.loads(Path(__file__).with_name("plain_facts.toml").read_text("utf-8"))
STEMS = {"english": "Which of the following statements is correct?"}


def fact_pairs(kind):
    return [(one["passage"], true, false) for one in FACTS[kind] for true, false in one["pairs"]]


@pytest.fixture(scope="module")
def reader():
    return open_reader("cues")


@pytest.mark.parametrize(
    ("kind", "count", "missed"), [("changed", 40, 2), ("exchanged", 48, 6), ("english", 14, 4)]
)
def test_changed_and_exchanged_words_are_features(reader, kind, count, missed):
    """With either statement first; coverage told 22 of the exchanged ones apart."""
    wrong, stem = set(), STEMS.get(kind, "下列说法正确的一项是")
    assert len(fact_pairs(kind)) == count
    for passage, true, false in fact_pairs(kind):
        for options, label in (((true, false), "A"), ((false, true), "B")):
            if reader.ask(stem, passage, options).answer.label != label:
                wrong.add(false)
    assert len(wrong) <= missed, wrong


def test_a_statement_on_another_topic_is_not_a_rival(reader):
    """It has no word that makes it false, and nothing of the passage either."""
    for passage, true, _ in fact_pairs("changed") + fact_pairs("exchanged"):
        strange = "火山喷发以后，附近居民迁往海岛。"
        told = reader.ask("下列说法正确的一项是", passage, (strange, true))
        assert told.answer.label == "B", true
