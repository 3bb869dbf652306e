"""Computes a data set's statistics: those of the VGaokao paper's Table 2 and section 2.2.

One pass, a passage at a time; only ids and vocabularies are kept.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import Any

import msgspec

from closeread.registry.extras import missing_extra
from closeread.text.polarity import is_verification
from closeread.text.segment import sentences, tokens, vgaokao
from closeread.types import Dataset, Defects, Passage, Question, Record, Span

_ELSEWHERE = "elsewhere words and numbers in lower case"
VOCABULARY = {
    "characters": "different words: in Chinese single characters (the VGaokao paper counts words "
    f"found by a segmenter, so its numbers are larger: --words jieba), {_ELSEWHERE}",
    "jieba": f"different words: in Chinese those that jieba finds, {_ELSEWHERE}",
}
# The fields of a description that count questions, or passages by language, by one of their values.
_COUNTED = (
    "languages", "kinds", "roles", "options_a_question", "answers_a_question", "answer_kinds",
    "right_options", "asks_for", "option_strategies", "question_strategies",
)  # fmt: skip
Tokenizer = Callable[[str, str], list[str]]  # a text and its language to its words


class Lengths(Record, frozen=True, kw_only=True):
    """How long texts of one kind are; means are None where there is no text."""

    texts: int
    mean_characters: float | None
    max_characters: int
    mean_words: float | None
    max_words: int
    vocabulary: int


class EvidencePieces(Record, frozen=True, kw_only=True):
    """How much gold evidence there is, and how far apart its pieces lie.

    A piece is one span, as a rule a sentence. ``distances`` are numbers of sentences from one piece
    of an option to its next in the text; sentences are those of VGaokao's own splitter in Chinese.
    Where evidence belongs to no option, a question counts as one. Of several references, each
    evidence enough (ExpMRC), the pieces are those of the first.
    """

    options: int
    questions: int
    of_options: bool
    references: int
    pieces: int
    mean_pieces_an_option: float
    mean_pieces_a_question: float
    share_with_several: float
    pieces_of_options: dict[int, int]
    distances: dict[int, int]
    mean_distance: float | None


class Description(Record, frozen=True, kw_only=True):
    """Everything that ``closeread describe`` prints; ``words`` is a key of ``VOCABULARY``."""

    name: str
    format: str
    version: str
    license: str
    sha256: str
    passages: int
    questions: int
    groups: int
    languages: dict[str, int]
    kinds: dict[str, int]
    roles: dict[str, int]
    options_a_question: dict[int, int]
    answers_a_question: dict[int, int]
    answer_kinds: dict[str, int]
    right_options: dict[str, int]
    option_strategies: dict[str, int]
    question_strategies: dict[str, int]
    verification_stems: int
    asks_for: dict[str, int]
    lengths: dict[str, Lengths]
    sentences: int
    mean_sentence_characters: float | None
    words: str
    total_vocabulary: int
    evidence: EvidencePieces | None
    defects: dict[str, int]
    defect_examples: dict[str, list[str]]


class _Texts:
    def __init__(self, cut: Tokenizer) -> None:
        self.count = self.characters = self.longest = self.words = self.most_words = 0
        self.vocabulary: set[str] = set()
        self._cut = cut

    def add(self, text: str, language: str) -> None:
        words = self._cut(text, language)
        self.count += 1
        self.characters += len(text)
        self.longest = max(self.longest, len(text))
        self.words += len(words)
        self.most_words = max(self.most_words, len(words))
        self.vocabulary.update([word.lower() for word in words])

    def lengths(self) -> Lengths:
        return Lengths(
            texts=self.count,
            mean_characters=self.characters / self.count if self.count else None,
            max_characters=self.longest,
            mean_words=self.words / self.count if self.count else None,
            max_words=self.most_words,
            vocabulary=len(self.vocabulary),
        )


class _Evidence:
    def __init__(self) -> None:
        self.pieces: Counter[int] = Counter()
        self.distances: Counter[int] = Counter()
        self.questions = self.references = 0
        self.of_options = False

    def add(self, question: Question, passage: Passage) -> None:
        gold = [evidence for evidence in question.gold_evidence if evidence.spans]
        first = {evidence.option_label: evidence.spans for evidence in reversed(gold)}
        self.questions += bool(gold)
        self.references += len(gold)
        self.of_options |= any(first)
        for spans in first.values():
            self.pieces[len(spans)] += 1
            if len(spans) > 1:
                indices = _sentence_indices(spans, passage)
                self.distances.update([later - earlier for earlier, later in pairwise(indices)])

    def summary(self) -> EvidencePieces | None:
        options = self.pieces.total()
        if not options:
            return None
        pieces = sum(size * times for size, times in self.pieces.items())
        return EvidencePieces(
            options=options,
            questions=self.questions,
            of_options=self.of_options,
            references=self.references,
            pieces=pieces,
            mean_pieces_an_option=pieces / options,
            mean_pieces_a_question=pieces / self.questions,
            share_with_several=1 - self.pieces[1] / options,
            pieces_of_options=_sorted(self.pieces),
            distances=_sorted(self.distances),
            mean_distance=_mean(self.distances),
        )


class _Totals:
    """The counts of a data set, passage by passage and question by question."""

    def __init__(self, cut: Tokenizer) -> None:
        self.texts = {name: _Texts(cut) for name in ("passage", "question", "option")}
        self.counts: dict[str, Counter[Any]] = {name: Counter() for name in _COUNTED}
        self.passage_ids: set[str] = set()
        self.groups: set[str] = set()
        self.evidence = _Evidence()
        self.questions = self.verification_stems = self.sentences = 0
        self._characters_in_sentences = 0

    def add_passage(self, passage: Passage) -> None:
        """Count a passage the first time that it occurs."""
        if passage.passage_id in self.passage_ids:
            return
        self.passage_ids.add(passage.passage_id)
        self.texts["passage"].add(passage.text, passage.language)
        self.counts["languages"][passage.language] += 1
        spans = sentences(passage.text, passage.language)
        self.sentences += len(spans)
        self._characters_in_sentences += sum(span.end - span.start for span in spans)

    def add_question(self, question: Question, passage: Passage) -> None:
        self.questions += 1
        if question.group_id:
            self.groups.add(question.group_id)
        self.texts["question"].add(question.text, passage.language)
        for option in question.options:
            self.texts["option"].add(option.text, passage.language)
        self.verification_stems += bool(question.options) and is_verification(question.text)
        _count_question(question, self.counts)
        self.evidence.add(question, passage)

    def mean_sentence_characters(self) -> float | None:
        return self._characters_in_sentences / self.sentences if self.sentences else None

    def vocabulary_size(self) -> int:
        return len(set().union(*(texts.vocabulary for texts in self.texts.values())))


def describe(dataset: Dataset, words: str = "characters") -> Description:
    """Read a data set once and compute its statistics.

    Args:
        dataset: Any data set.
        words: What counts as a word in Chinese: ``characters``, or ``jieba`` for the words that
            jieba finds, as the VGaokao paper counts.

    Raises:
        InputError: The file is broken.
        MissingExtraError: ``words`` is ``jieba``, and rjieba is not installed.
    """
    defects = Defects(keep=3)
    totals = _Totals(_jieba_cutter() if words == "jieba" else _cut_characters)
    for passage, questions in dataset.read(defects):
        totals.add_passage(passage)
        for question in questions:
            totals.add_question(question, passage)
    return Description(
        name=dataset.name,
        format=dataset.format,
        version=dataset.version,
        license=dataset.license,
        sha256=dataset.sha256,
        passages=len(totals.passage_ids),
        questions=totals.questions,
        groups=len(totals.groups),
        verification_stems=totals.verification_stems,
        lengths={name: texts.lengths() for name, texts in totals.texts.items()},
        sentences=totals.sentences,
        mean_sentence_characters=totals.mean_sentence_characters(),
        words=words,
        total_vocabulary=totals.vocabulary_size(),
        evidence=totals.evidence.summary(),
        defects=dict(defects.counts),
        defect_examples={
            code: [
                f"{defect.question_id}: {defect.message}" if defect.question_id else defect.message
                for defect in examples
            ]
            for code, examples in defects.examples.items()
        },
        **{name: _sorted(counter) for name, counter in totals.counts.items()},
    )


def _cut_characters(text: str, _: str) -> list[str]:
    return [span.of(text) for span in tokens(text)]


def _jieba_cutter() -> Tokenizer:
    try:
        import rjieba
    except ModuleNotFoundError as error:
        raise missing_extra("cutting Chinese words", "rjieba", "zh") from error

    def cut(text: str, language: str) -> list[str]:
        if language != "zh":
            return _cut_characters(text, language)
        return [word for word in rjieba.cut(text) if any(map(str.isalnum, word))]

    return cut


def _count_question(question: Question, counts: dict[str, Counter[Any]]) -> None:
    counts["kinds"][question.kind] += 1
    counts["answers_a_question"][len(question.answers)] += 1
    if question.answers:
        counts["answer_kinds"][question.answers[0].kind] += 1
        if question.answers[0].kind == "choice":
            counts["right_options"][question.answers[0].label] += 1
    if question.role:
        counts["roles"][question.role] += 1
    if question.options:
        counts["options_a_question"][len(question.options)] += 1
    if question.asks_for:
        counts["asks_for"][question.asks_for] += 1
    for option in question.options:
        counts["option_strategies"].update(_strategies(option.tags))
    counts["question_strategies"].update(_strategies(question.tags))


def _strategies(tags: Mapping[str, str]) -> list[str]:
    """Return the attack strategies that changed something; an attack joins their names by +."""
    return [name for name in tags.get("strategy", "").split("+") if name]


def _sentence_indices(spans: Iterable[Span], passage: Passage) -> list[int]:
    zh = passage.language == "zh"
    own = vgaokao(passage.text) if zh else sentences(passage.text, "en")
    starts = [sentence.start for sentence in own]
    return [sum(start <= span.start for start in starts) for span in sorted(spans)]


def _sorted(counter: Counter[Any]) -> dict[Any, int]:
    return {key: counter[key] for key in sorted(counter)}


def _mean(counter: Counter[int]) -> float | None:
    if not counter:
        return None
    return sum(value * times for value, times in counter.items()) / counter.total()


def description_as_json(description: Description) -> dict[str, Any]:
    """Return a description as plain JSON with every field, and what its vocabulary counts."""
    fields: dict[str, Any] = msgspec.to_builtins(description, str_keys=True)
    return fields | {"vocabulary_counts": VOCABULARY[description.words]}
