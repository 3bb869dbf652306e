"""How rare terms are elsewhere, on three sentences."""

from math import log

import pytest

from closeread.errors import InputError
from closeread.evidence.claims import background
from closeread.evidence.claims.background import Background, load
from closeread.types import Passage

SEA = Passage(passage_id="s", text="盐在海里!海有盐？海深。", language="zh")


def test_a_term_in_fewer_sentences_is_rarer():
    """Of three: 海 in all, 盐 in two, 深 in one, 山 in none."""
    known = Background([SEA])
    one = log(4 / 1.5)
    expected = [log(4 / 3.5) / one, log(4 / 2.5) / one, 1, log(4 / 0.5) / one]
    assert [known.rarity(term) for term in "海盐深山"] == pytest.approx(expected)


def test_rarity_in_the_passage_weighs_three_times_that_in_the_corpus():
    known = Background([SEA])
    assert known.mixed("深", 2.0) == pytest.approx(2**0.75)
    assert known.mixed("盐", 2.0) == pytest.approx(2**0.75 * known.rarity("盐") ** 0.25)


def test_only_the_first_sentences_of_a_corpus_are_counted(monkeypatch):
    monkeypatch.setattr(background, "_MAX_SENTENCES", 2)
    known = Background([SEA])
    assert known.rarity("盐") == pytest.approx(log(3 / 2.5) / log(3 / 1.5))
    assert known.rarity("深") == known.rarity("山")


def test_a_corpus_without_words_is_rejected(tmp_path):
    (tmp_path / "passages.jsonl").write_text('{"passage_id":"p","text":"。。！"}\n', "utf-8")
    with pytest.raises(InputError) as caught:
        load(str(tmp_path))
    assert str(tmp_path) in str(caught.value)
