"""A corpus on disk: the first stage by hand, sentences traced to their passages."""

import json
import subprocess
import sys

import numpy as np
import pytest
from msgspec.structs import replace

from closeread.errors import InputError, StorageError, UsageError
from closeread.evidence.corpus import Corpus, build_corpus, evidence_from
from closeread.pipeline.from_corpus import ClaimEvidence, CorpusScorer, extract_from_corpus
from closeread.registry.factory import make
from closeread.types import Evidence, Option, Passage, Question, Span
from command_line import closeread, run_in_process

PASSAGES = [
    Passage(passage_id="sea", text="Sheep drink. Salt comes from the sea. Waves rise."),
    Passage(passage_id="hill", text="Sheep graze on hills. Grass grows slowly."),
    Passage(passage_id="海", text="海水的盐度由蒸发决定。渔民出海。", language="zh"),
    Passage(passage_id="hill", text="Sheep graze on hills. Grass grows slowly."),
]
QUESTION = Question(question_id="q", passage_id="x", text="?", kind="verification")


@pytest.fixture
def corpus(tmp_path):
    assert build_corpus(iter(PASSAGES), tmp_path / "c") == 3
    return Corpus(tmp_path / "c")


def test_passages_are_returned_unchanged(corpus):
    assert list(corpus) == PASSAGES[:3]
    assert len(corpus) == 3


def test_parts_of_a_document_that_share_its_id_are_all_kept(tmp_path):
    parts = [Passage(passage_id="d", text=f"Part {n} of it.") for n in (1, 2, 1)]
    assert build_corpus(iter(parts), tmp_path / "d") == 2
    assert list(Corpus(tmp_path / "d")) == parts[:2]


def test_the_first_stage_ranks_by_bm25(corpus):
    assert [one.passage_id for one, _ in corpus.search("sheep graze", "en")] == ["hill", "sea"]
    assert [one.passage_id for one, _ in corpus.search("海水盐度", "zh")] == ["海"]
    assert len(corpus.search("sheep", "en", k=1)) == 1
    scores = [score for _, score in corpus.search("sheep graze", "en")]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("text", ["", "。", "nowhere to be found"])
def test_a_claim_without_shared_words_finds_nothing(corpus, text):
    assert corpus.search(text, "en") == []
    option = Option(label="A", text=text)
    retriever, _ = make("retriever", "bm25")
    found = evidence_from(corpus, retriever, QUESTION, option, language="en", passages=5)
    assert found == ([], [], None)


def test_evidence_may_come_from_several_passages(corpus):
    option = Option(label="A", text="sheep graze on hills, salt comes from the sea")
    retriever, _ = make("retriever", "bm25", {"k": 2})
    found = evidence_from(corpus, retriever, QUESTION, option, language="en", passages=5)
    passages, sources, evidence = found
    assert [one.passage_id for one in passages] == ["sea", "hill"]
    assert {(one.passage.passage_id, one.span.of(one.passage.text)) for one in sources} == {
        ("hill", "Sheep graze on hills."),
        ("sea", "Salt comes from the sea."),
    }
    assert evidence.option_label == "A"


def test_the_index_is_memory_mapped(corpus):
    assert isinstance(corpus._offsets, np.memmap)
    assert isinstance(corpus._index.scores["data"], np.memmap)


def test_a_folder_with_content_is_not_overwritten(tmp_path):
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(UsageError, match="is not empty"):
        build_corpus(iter(PASSAGES), tmp_path)


@pytest.mark.parametrize("size", [0, 100])
def test_a_truncated_corpus_is_rejected(corpus, tmp_path, size):
    with (tmp_path / "c" / "passages.jsonl").open("r+b") as stream:
        stream.truncate(size)
    with pytest.raises(InputError, match="another length than when it was written"):
        Corpus(tmp_path / "c")


def test_a_folder_that_is_not_a_corpus_is_rejected(tmp_path):
    with pytest.raises(InputError, match="is not a corpus"):
        Corpus(tmp_path)
    (tmp_path / "corpus.json").write_text('{"schema_version": 99}')
    with pytest.raises(InputError, match="schema version 99"):
        Corpus(tmp_path)
    (tmp_path / "corpus.json").write_text("{}")
    with pytest.raises(InputError, match=r"corpus\.json has no 'schema_version'"):
        Corpus(tmp_path)


def test_passages_without_words_are_rejected(tmp_path):
    with pytest.raises(InputError, match="no passage contains a word"):
        build_corpus([Passage(passage_id="p", text="。")], tmp_path / "c")
    assert not list(tmp_path.iterdir())


def test_an_interrupted_build_leaves_no_folder(tmp_path):
    """A data set that turns out broken half way, or a key pressed, and the same command again."""

    def passages(error):
        yield PASSAGES[0]
        raise error

    for error in (InputError("broken further down"), KeyboardInterrupt()):
        with pytest.raises(type(error)):
            build_corpus(passages(error), tmp_path / "c")
        assert not list(tmp_path.iterdir())
    (tmp_path / "c").mkdir()
    assert build_corpus(iter(PASSAGES), tmp_path / "c") == 3
    assert [one.name for one in tmp_path.iterdir()] == ["c"]


def test_an_unwritable_folder_is_reported(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be written"):
        build_corpus(iter(PASSAGES), tmp_path / "file" / "c")
    with pytest.raises(UsageError, match="is a file"):
        build_corpus(iter(PASSAGES), tmp_path / "file")


def test_concurrent_builds_are_rejected_and_leftovers_removed(tmp_path):
    left = tmp_path / ".c.99999999.part"
    left.mkdir()
    (left / "passages.jsonl").write_text("half")

    def passages():
        assert not left.exists()
        with pytest.raises(StorageError, match="another process is writing this corpus"):
            build_corpus(iter(PASSAGES), tmp_path / "c")
        yield from PASSAGES

    assert build_corpus(passages(), tmp_path / "c") == 3
    assert [one.name for one in tmp_path.iterdir()] == ["c"]
    with pytest.raises(UsageError, match="is not empty"):
        build_corpus(iter(PASSAGES), tmp_path / "c")


@pytest.mark.parametrize("kib", [1, 32])
def test_a_full_disk_gives_one_message_and_leaves_nothing(tmp_path, kib):
    """Here files that may have no more bytes, be it the passages or the index."""
    resource = pytest.importorskip("resource")
    done = subprocess.run(
        [sys.executable, "-m", "closeread", "evidence", "exam/zh", "--build-corpus", "c"],
        capture_output=True, text=True, check=False, cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (kib * 1024, kib * 1024)),
    )  # fmt: skip
    assert done.returncode == 2
    assert "c: cannot be written: " in done.stderr
    assert "cannot be written: None" not in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_taken_folder_is_rejected_before_the_data_set_is_opened(tmp_path, capsys):
    (tmp_path / "mine.txt").write_text("precious")
    asked = ("evidence", tmp_path / "none.json", "--build-corpus")
    assert closeread(*asked, tmp_path) == 2
    assert "is not empty" in capsys.readouterr().err
    assert closeread(*asked, tmp_path / "mine.txt" / "c") == 2
    assert "a file is in the place of a folder" in capsys.readouterr().err


def test_the_earlier_of_equal_passages_ranks_first(tmp_path):
    alike = [Passage(passage_id=str(number), text="Sheep graze.") for number in range(5)]
    build_corpus(iter(alike), tmp_path / "c")
    found = Corpus(tmp_path / "c").search("sheep", "en", k=2)
    assert [one.passage_id for one, _ in found] == ["0", "1"]


def test_the_command_builds_and_searches_a_corpus(tmp_path):
    """Built from the shipped exam and searched with its own claims, gold hidden."""

    def run(*args):
        done = run_in_process("evidence", "exam/zh", *args, "--json", folder=tmp_path)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    assert run("--build-corpus", "c")["passages"] > 5
    found = run("--corpus", "c", "--limit", "5", "--passages", "2", "--out", "one.jsonl")
    assert found["claims"] == 20
    assert found["all_in_own_passage"] >= 15
    assert 0.75 <= found["metrics"]["corpus.recall@1"]["value"] <= 1
    at_two = found["metrics"]["corpus.recall@2"]
    assert at_two["value"] >= found["metrics"]["corpus.recall@1"]["value"]
    assert "|from:corpus|passages:2|" in at_two["signature"]
    alone = run("--limit", "5")["metrics"]["evidence.f1"]["value"]
    assert 0.5 < found["metrics"]["evidence.f1"]["value"] <= alone + 0.05
    again = run("--corpus", "c", "--limit", "5", "--passages", "2", "--out", "two.jsonl",
                "--workers", "2")  # fmt: skip
    assert again.pop("out")["sha256"] == found.pop("out")["sha256"]
    assert again == found
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    row = json.loads((tmp_path / "one.jsonl").read_text("utf-8").splitlines()[0])
    assert len(row["evidence"][0]["passages"]) == 2
    assert {"passage_id", "span", "text"} == set(row["evidence"][0]["sentences"][0])


GOLD = (Evidence(option_label="A", spans=(Span(13, 37),)),)  # "Salt comes from the sea."
CLAIM = Question(
    question_id="q",
    passage_id="sea",
    text="?",
    kind="verification",
    options=(Option(label="A", text="salt comes from the sea, sheep graze on hills"),),
    gold_evidence=GOLD,
)


def scored(corpus_path, passage, passages=2):
    scorer = CorpusScorer(passages, None)
    for own, question, said in extract_from_corpus(
        [(passage, (CLAIM,))], corpus_path, "bm25", {"k": 2}, passages=passages
    ):
        scorer.add(own, question, said)
    found = scorer.summaries()
    assert {(one.n_questions, one.n_answered) for one in found.values()} == {(1, 1)}
    return {name: one.value for name, one in found.items()}


def test_a_sentence_of_another_passage_is_wrong(corpus, tmp_path):
    """One of the two sentences found is gold, the other stands in another passage."""
    found = scored(tmp_path / "c", PASSAGES[0])
    assert found["corpus.recall@2"] == 1.0
    assert found["evidence.precision"] == 0.5
    assert found["evidence.recall"] == 1.0


def test_the_right_passage_is_known_by_its_text(corpus, tmp_path):
    """A passage of the same id and another text is another passage, and all found is wrong."""
    other = Passage(passage_id="sea", text="Quite another passage of the same id as the first.")
    found = scored(tmp_path / "c", other)
    assert found == {
        "corpus.recall@1": 0.0,
        "corpus.recall@2": 0.0,
        "evidence.precision": 0.0,
        "evidence.recall": 0.0,
        "evidence.f1": 0.0,
    }


def test_every_claim_counts_once():
    """One of one claim and one of four: two of five are in their passage, not five of eight."""
    scorer = CorpusScorer(3, None)
    for name, places in (("a", (1,)), ("b", (2, 0, 0, 0))):
        said = tuple(
            ClaimEvidence(
                option_label=label, score=None, sentences=(), passages=(), own=own,
                own_sentences=(),
            )
            for label, own in zip("ABCD", places, strict=False)
        )  # fmt: skip
        question = replace(CLAIM, question_id=name, gold_evidence=())
        scorer.add(PASSAGES[0], question, said)
    found = scorer.summaries()
    assert found["corpus.recall@1"].value == 1 / 5
    assert found["corpus.recall@3"].value == 2 / 5
    assert (found["corpus.recall@1"].n_scored, scorer.claims) == (2, 5)
    assert found["corpus.recall@1"].signature.endswith("|from:corpus|passages:3|v:2|n:2")


def test_one_passage_gives_only_recall_at_one(corpus, tmp_path):
    """With one passage read there is one share to tell."""
    assert [name for name in scored(tmp_path / "c", PASSAGES[0], 1) if "recall@" in name] == [
        "corpus.recall@1"
    ]
