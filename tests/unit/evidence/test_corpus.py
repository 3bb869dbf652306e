"""A corpus on disk: the first stage by hand, sentences traced to their passages."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from closeread.errors import InputError, UsageError
from closeread.evidence.corpus import Corpus, build, evidence_from
from closeread.making import make
from closeread.types import Option, Passage, Question

PASSAGES = [
    Passage(passage_id="sea", text="Sheep drink. Salt comes from the sea. Waves rise."),
    Passage(passage_id="hill", text="Sheep graze on hills. Grass grows slowly."),
    Passage(passage_id="海", text="海水的盐度由蒸发决定。渔民出海。", language="zh"),
    Passage(passage_id="hill", text="A second passage of the same id."),
]
QUESTION = Question(question_id="q", passage_id="x", text="?", kind="verification")


@pytest.fixture
def corpus(tmp_path):
    assert build(iter(PASSAGES), tmp_path / "c") == 3
    return Corpus(tmp_path / "c")


def test_passages_come_back_as_they_were(corpus):
    assert list(corpus) == PASSAGES[:3]
    assert len(corpus) == 3


def test_the_first_stage_ranks_by_bm25(corpus):
    assert [one.passage_id for one, _ in corpus.search("sheep graze", "en")] == ["hill", "sea"]
    assert [one.passage_id for one, _ in corpus.search("海水盐度", "zh")] == ["海"]
    assert len(corpus.search("sheep", "en", k=1)) == 1
    scores = [score for _, score in corpus.search("sheep graze", "en")]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("text", ["", "。", "nowhere to be found"])
def test_a_claim_that_shares_no_word_finds_nothing(corpus, text):
    assert corpus.search(text, "en") == []
    option = Option(label="A", text=text)
    retriever, _ = make("retriever", "bm25")
    assert evidence_from(corpus, retriever, QUESTION, option, language="en") == ([], None)


def test_evidence_may_come_from_several_passages(corpus):
    option = Option(label="A", text="sheep graze on hills, salt comes from the sea")
    retriever, _ = make("retriever", "bm25", {"k": 2})
    sources, evidence = evidence_from(corpus, retriever, QUESTION, option, language="en")
    assert {(one.passage.passage_id, one.span.of(one.passage.text)) for one in sources} == {
        ("hill", "Sheep graze on hills."),
        ("sea", "Salt comes from the sea."),
    }
    assert evidence.option_label == "A"


def test_the_index_is_mapped_not_read(corpus):
    assert isinstance(corpus._offsets, np.memmap)
    assert isinstance(corpus._index.scores["data"], np.memmap)


def test_a_folder_that_holds_something_is_not_written_over(tmp_path):
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(UsageError, match="is not empty"):
        build(iter(PASSAGES), tmp_path)


def test_what_is_no_corpus_is_said_to_be_none(tmp_path):
    with pytest.raises(InputError, match="is no corpus"):
        Corpus(tmp_path)
    (tmp_path / "corpus.json").write_text('{"schema_version": 99}')
    with pytest.raises(InputError, match="schema version 99"):
        Corpus(tmp_path)


def test_passages_without_a_word_make_no_corpus(tmp_path):
    with pytest.raises(InputError, match="no passage holds a word"):
        build([Passage(passage_id="p", text="。")], tmp_path / "c")


def test_by_command(tmp_path):
    """Built from the shipped exam and searched with its own claims, gold hidden."""

    def run(*args):
        done = subprocess.run(
            [sys.executable, "-m", "closeread", "evidence", "exam/zh", *args, "--json"],
            capture_output=True, text=True, check=False, cwd=tmp_path, env=os.environ,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    assert run("--build-corpus", "c")["passages"] > 5
    found = run("--corpus", "c", "--limit", "5", "--out", "e.jsonl")
    assert found["claims"] == 20
    assert found["all_in_own_passage"] >= 15
    row = json.loads((tmp_path / "e.jsonl").read_text("utf-8").splitlines()[0])
    assert {"passage_id", "span", "text"} == set(row["evidence"][0]["sentences"][0])
