"""Evidence from a corpus of passages: BM25 finds the passages, any retriever the sentences.

The corpus is a folder that is mapped into memory, so a search reads only the parts that it needs.
The passages found are joined to one text, best first, so that a chain may lead from one to another.
"""

import glob
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from closeread.errors import InputError, StorageError, UsageError
from closeread.evidence.query import query_text
from closeread.evidence.words import Segmenter
from closeread.protocols import Retriever
from closeread.registry.extras import missing_extra
from closeread.system import folders
from closeread.system.locks import exclusive_lock
from closeread.types import Evidence, Option, Passage, Question, Span

_INFO = "corpus.json"
PASSAGES = "passages.jsonl"
_OFFSETS = "offsets.npy"
_VERSION = 1
_WORDS = "jieba"


class Source(NamedTuple):
    """A sentence of evidence: its passage, and its span there."""

    passage: Passage
    span: Span


class CorpusEvidence(NamedTuple):
    """The evidence of a corpus for a claim.

    Attributes:
        passages: The passages of the first stage, the best first.
        sources: The sentences of evidence.
        evidence: What the retriever returned for the joined passages; None if there were none.
    """

    passages: list[Passage]
    sources: list[Source]
    evidence: Evidence | None


def build_corpus(passages: Iterable[Passage], folder: Path) -> int:
    """Write a corpus; return how many passages it has. Repeated passages are skipped.

    The folder appears only when it is complete; a failed or interrupted build leaves none, and the
    remains of a killed process are removed.

    Args:
        passages: The passages; only their words are held in memory.
        folder: A folder that is empty or does not exist.

    Raises:
        UsageError: The folder is not empty.
        InputError: There is no passage with a word.
        MissingExtraError: bm25s, or the word segmenter, is not installed.
        StorageError: The folder cannot be written, or another process is writing it.
    """
    check_can_build(folder)
    target = folder.resolve()
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        lock = target.with_name(f".{target.name}.lock")
        with folders.create_folder(target.parent), exclusive_lock(lock) as others_wait:
            check_can_build(folder)  # another process may just have finished it
            if others_wait:
                for leftover in target.parent.glob(f".{glob.escape(target.name)}.*.part"):
                    shutil.rmtree(leftover, ignore_errors=True)
            try:
                unfinished.mkdir()
                n_passages = _write(passages, unfinished, folder)
                unfinished.replace(target)
            finally:
                shutil.rmtree(unfinished, ignore_errors=True)
    except BlockingIOError as error:
        raise StorageError(
            "another process is writing this corpus",
            where=str(folder),
            cure="wait until it has finished, or choose another folder",
        ) from error
    except OSError as error:
        raise StorageError(
            f"cannot be written: {error.strerror or f'the disk accepted only a part ({error})'}",
            where=str(folder),
            cure="free disk space, or choose another place",
        ) from error
    return n_passages


def check_can_build(folder: Path) -> None:
    """Check, before a data set is read, that a corpus can be written to a folder.

    Raises:
        UsageError: The folder is not empty.
        MissingExtraError: bm25s is not installed.
    """
    _bm25s()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        why = "is not empty" if folder.is_dir() else "is a file"
        raise UsageError(f"{folder} {why}", cure="choose a new folder for the corpus")


def _write(passages: Iterable[Passage], unfinished: Path, folder: Path) -> int:
    import numpy as np

    segmenter = Segmenter(_WORDS)
    vocabulary: dict[str, int] = {}
    rows: list[list[int]] = []
    offsets: list[int] = [0]
    seen: set[tuple[str, int]] = set()
    with (unfinished / PASSAGES).open("wb") as stream:
        for passage in passages:
            key = (passage.passage_id, hash(passage.text))  # parts of a document may share an id
            if key in seen:
                continue
            seen.add(key)
            words = segmenter.texts(passage.text, passage.language)
            rows.append([vocabulary.setdefault(word, len(vocabulary)) for word in words])
            stream.write(msgspec.json.encode(msgspec.structs.replace(passage, metadata={})) + b"\n")
            offsets.append(stream.tell())
    if not vocabulary:
        raise InputError(
            "no passage contains a word", where=str(folder), expected="passages with text to search"
        )
    index = _bm25s().BM25(k1=0.9, b=0.4, method="lucene", backend="numpy")
    index.index((rows, vocabulary), create_empty_token=False, show_progress=False)
    index.save(str(unfinished / "index"), show_progress=False)
    np.save(unfinished / _OFFSETS, np.array(offsets, dtype=np.int64))
    settings = {"schema_version": _VERSION, "words": _WORDS, "passages": len(rows)}
    (unfinished / _INFO).write_text(json.dumps(settings) + "\n", "utf-8")
    return len(rows)


class Corpus:
    """A corpus on disk.

    Raises:
        InputError: The folder is no corpus.
        MissingExtraError: bm25s is not installed.
    """

    def __init__(self, folder: Path) -> None:
        import numpy as np

        bm25s = _bm25s()
        try:
            settings = json.loads((folder / _INFO).read_text("utf-8"))
            if settings["schema_version"] != _VERSION:
                raise ValueError(f"schema version {settings['schema_version']}")
            self._index = bm25s.BM25.load(str(folder / "index"), mmap=True, show_progress=False)
            self._offsets = np.load(folder / _OFFSETS, mmap_mode="r")
            if (folder / PASSAGES).stat().st_size != self._offsets[-1]:
                raise ValueError(f"{PASSAGES} has another length than when it was written")
        except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
            raise _corpus_error(folder, error) from error
        self._segmenter = Segmenter(settings["words"])
        self._passages = folder / PASSAGES

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __iter__(self) -> Iterator[Passage]:
        return map(self._passage, range(len(self)))

    def search(self, text: str, language: str, k: int = 5) -> list[tuple[Passage, float]]:
        """Return at most ``k`` passages that share a word with the text, best first, with scores.

        Ties go to the earlier passage.
        """
        vocabulary = self._index.vocab_dict
        words = [word for word in self._segmenter.texts(text, language) if word in vocabulary]
        if not words or k < 1:
            return []
        scores = self._index.get_scores(words)
        ranked = (-scores).argsort(kind="stable")[:k].tolist()
        return [
            (self._passage(number), float(scores[number]))
            for number in ranked
            if scores[number] > 0
        ]

    def _passage(self, number: int) -> Passage:
        start, end = int(self._offsets[number]), int(self._offsets[number + 1])
        with self._passages.open("rb") as stream:
            stream.seek(start)
            return msgspec.json.decode(stream.read(end - start), type=Passage)


def passages_of(folder: Path) -> Iterator[Passage]:
    """Yield the passages of a corpus in their order, without its index.

    Raises:
        InputError: The folder is no corpus.
    """
    try:
        with (folder / PASSAGES).open("rb") as stream:
            for line in stream:
                yield msgspec.json.decode(line, type=Passage)
    except (OSError, msgspec.DecodeError) as error:
        raise _corpus_error(folder, error) from error


def _corpus_error(folder: Path, error: Exception) -> InputError:
    reason: object = f"{_INFO} has no {error}" if isinstance(error, KeyError) else error
    if isinstance(error, FileNotFoundError):
        exists = folder.exists()
        reason = f"{Path(error.filename).name} is missing" if exists else "it does not exist"
    return InputError(
        f"is not a corpus: {reason}",
        where=str(folder),
        expected="a folder that `closeread evidence DATASET --build-corpus` wrote",
    )


def evidence_from(
    corpus: Corpus,
    retriever: Retriever,
    question: Question,
    option: Option | None,
    *,
    language: str,
    passages: int,
) -> CorpusEvidence:
    """Return the passages and the sentences of the corpus that bear on a claim.

    Args:
        corpus: The corpus.
        retriever: Finds sentences in the joined passages.
        question: The question, without gold.
        option: One of its options, or None for the question itself.
        language: The language of the claim.
        passages: How many passages the first stage returns at most.
    """
    top_passages = [
        passage for passage, _ in corpus.search(query_text(question, option), language, passages)
    ]
    if not top_passages:
        return CorpusEvidence([], [], None)
    text, starts = "", []
    for passage in top_passages:
        starts.append(len(text))
        text += passage.text + "\n"
    joined_passage = Passage(passage_id="", text=text, language=language)
    evidence = retriever.retrieve(question, joined_passage, option)
    sources = [_source(span, top_passages, starts) for span in evidence.spans]
    return CorpusEvidence(top_passages, sources, evidence)


def _source(span: Span, passages: list[Passage], starts: list[int]) -> Source:
    number = max(number for number, start in enumerate(starts) if start <= span.start)
    shift = starts[number]
    end = min(span.end - shift, len(passages[number].text))
    return Source(passages[number], Span(span.start - shift, end))


def _bm25s() -> Any:
    try:
        import bm25s
    except ModuleNotFoundError as error:
        raise missing_extra("a corpus of passages", error.name or "bm25s", "corpus") from error
    return bm25s
