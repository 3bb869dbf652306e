"""The nouns: small frozen records that every stage passes to the next.

Offsets are Unicode code points, half-open ``[start, end)``, whatever the file on disk used.
Ids are strings, sequences are tuples, absence is ``None`` or the empty tuple.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import msgspec

AnswerKind = Literal["span", "spans", "number", "date", "choice", "none"]
QuestionKind = Literal["span", "discrete", "choice", "verification", "entailment"]
Polarity = Literal["supported", "contradicted"]
Role = Literal["original", "positive", "negative"]
ROLES: tuple[Role, ...] = get_args(Role)
Unit = Literal["question", "passage", "group"]
Truth = Literal["same", "opposite"]


class Record(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What all records share: immutable, strict when read back from JSON."""


class Span(msgspec.Struct, frozen=True, array_like=True, order=True, gc=False):
    """A half-open range of code points; on disk ``[start, end]``."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """Return the piece of ``text`` that the span covers."""
        return text[self.start : self.end]


class Passage(Record, frozen=True, kw_only=True):
    """A text to be read. ``language`` is ``zh``, ``en`` or another ISO 639-1 code."""

    passage_id: str
    text: str
    title: str = ""
    language: str = "en"
    metadata: dict[str, Any] = {}


class Option(Record, frozen=True, kw_only=True):
    """One choice of a multiple-choice question; labels are ``A``, ``B``, ...

    ``tags`` tells how an adversarial option was made: ``truth`` (``same`` or ``opposite`` to its
    original), ``strategy`` (``keyword``, ``logic``, ``spacetime``, ``causality``), ``origin`` (the
    original option's label).
    """

    label: str
    text: str
    tags: dict[str, str] = {}

    @property
    def answer(self) -> "Answer":
        """The answer that picks it."""
        return Answer(kind="choice", label=self.label, texts=(self.text,))


class Answer(Record, frozen=True, kw_only=True):
    """One accepted gold answer, or a predicted one.

    ``texts`` holds one string for ``span``, ``number`` and ``date``, several for ``spans``, none
    for ``none``; ``spans`` holds every known place of it in the passage, in no promised relation
    to ``texts``; ``label`` is the option of a ``choice``. A date's string is ``day month year``.
    """

    kind: AnswerKind
    texts: tuple[str, ...] = ()
    spans: tuple[Span, ...] = ()
    label: str = ""

    @property
    def text(self) -> str:
        """The first of ``texts``; empty where there is none."""
        return self.texts[0] if self.texts else ""


class Evidence(Record, frozen=True, kw_only=True):
    """The sentences that bear on an option (or, with no label, on the question).

    Spans decide. ``texts`` repeats them, or states what a published file states, for scorers that
    compare evidence as text (ExpMRC) and are given no passage; the runner fills it from the spans.
    """

    spans: tuple[Span, ...] = ()
    texts: tuple[str, ...] = ()
    option_label: str = ""
    score: float | None = None
    hops: int = 1


class Question(Record, frozen=True, kw_only=True):
    """A question about a passage, with its gold unless it was stripped for a reader.

    Attributes:
        kind: ``span`` (extractive), ``discrete`` (number, date or spans), ``choice``,
            ``verification`` (which statement is supported, or contradicted), ``entailment``.
        asks_for: What a verification stem asks the reader to pick.
        option_truth: One truth value an option, in the options' order; None where unknown.
        answers: Every accepted gold answer, each of them alone enough.
        group_id: Questions scored together (a triple) share it; ``role`` tells them apart.
        tags: For breakdowns: data set, answer type, strategy, the user's own columns.
        metadata: What the file's format knows and nobody else needs; only ``formats`` reads it.
    """

    question_id: str
    passage_id: str
    text: str
    kind: QuestionKind
    asks_for: Polarity | None = None
    options: tuple[Option, ...] = ()
    option_truth: tuple[bool | None, ...] = ()
    answers: tuple[Answer, ...] = ()
    gold_evidence: tuple[Evidence, ...] = ()
    group_id: str = ""
    role: Role | None = None
    tags: dict[str, str] = {}
    metadata: dict[str, Any] = {}

    @property
    def claims(self) -> tuple[Option, ...]:
        """The options that say something of the passage; those of an entailment judge it."""
        return self.options if self.kind != "entailment" else ()

    @property
    def has_gold(self) -> bool:
        """Whether anything is known by which a metric could judge an answer or evidence."""
        known = any(truth is not None for truth in self.option_truth)
        return bool(self.answers or self.gold_evidence or known)


class Edit(Record, frozen=True, kw_only=True):
    """One change that makes a question harder, and what it does to the truth.

    Attributes:
        strategy: Whose it is, by catalog name.
        rule: Which of the strategy's rules made it, such as ``part>all``.
        place: What is changed: an option (its ``label`` says which), the question's words, the
            passage.
        span: What is replaced, in the text as it was; empty where words are put in.
        words: What stands there instead.
        truth: ``same`` where what was true stays true and what was false false; ``opposite``
            where it is turned. Changes of a passage or a question's words are ``same``.
    """

    strategy: str
    rule: str
    place: Literal["option", "question", "passage"]
    label: str = ""
    span: Span
    words: str
    truth: Truth = "same"


class Generation(Record, frozen=True, kw_only=True):
    """A language model's text exactly as it was written, and how it came to end.

    ``stops`` were sent to the server, so that what would have followed is lost. ``option_order``
    holds the question's labels in the order in which the options were shown, where it was another.
    """

    text: str
    finish_reason: str = ""
    stops: tuple[str, ...] = ()
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    request_sha256: str = ""
    option_order: tuple[str, ...] = ()


class Candidate(Record, frozen=True, kw_only=True):
    """One entry of an n-best list."""

    answer: Answer
    score: float


class Prediction(Record, frozen=True, kw_only=True):
    """What a reader said about one question; ``error`` is set when it could not say anything.

    ``option_scores``, in the order of the question's options, say how well the passage supports
    each, whatever the stem asks for; taken for probabilities where all lie in 0 to 1, unless
    ``scores_rank``: then they rank the options and say no more, wherever they lie. A language
    model's are log-probabilities of being the answer. ``confidence`` is a number that grows with
    certainty, a probability where the reader has one. ``others`` are the further generations of a
    question that was asked several times. ``note`` says why, in a line.
    """

    question_id: str
    answer: Answer | None = None
    confidence: float | None = None
    candidates: tuple[Candidate, ...] = ()
    option_scores: tuple[float, ...] = ()
    scores_rank: bool = False
    evidence: tuple[Evidence, ...] = ()
    generation: Generation | None = None
    others: tuple[Generation, ...] = ()
    seconds: float | None = None
    note: str = ""
    error: str = ""


class Score(Record, frozen=True, kw_only=True):
    """One question's named values from one pass of a metric.

    A value of None keeps the question out of that value's mean (official scorers with a moving
    denominator need it). ``unit_id`` is the question, passage or group that intervals resample.
    """

    question_id: str
    values: dict[str, float | None]
    unit_id: str = ""
    note: str = ""


class Summary(Record, frozen=True, kw_only=True):
    """A number with its proof. Values are fractions from 0 to 1 unless the metric says not."""

    metric: str
    signature: str
    value: float | None
    unit: Unit
    low: float | None = None
    high: float | None = None
    n_questions: int
    n_scored: int
    n_answered: int
    n_failed: int = 0
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Submission:
    """What was handed in, as an official program would see it.

    Attributes:
        predictions: The last prediction for each question id, in the file's order.
        rows: Every row in the file's order, duplicates and unknown ids included, as ``(id, raw)``
            with ``raw`` the untouched JSON value.
        extras: Side files by name: ``null_odds`` (question id to number), ``options`` (question id
            to the options that were repeated beside its letter).
        whole: Of what this is a part, in a breakdown; None where it is no part.
    """

    predictions: Mapping[str, Prediction]
    rows: tuple[tuple[str, Any], ...] = ()
    extras: Mapping[str, Any] = field(default_factory=dict)
    whole: "Submission | None" = None


class Defect(Record, frozen=True, kw_only=True):
    """Something wrong in the data that can be lived with: kept, counted, reported."""

    code: str
    message: str
    question_id: str = ""
    line: int | None = None


class Defects:
    """Collects defects while a file is read: exact counts, and the first few of each kind."""

    def __init__(self, keep: int = 20) -> None:
        self.keep = keep
        self.counts: dict[str, int] = {}
        self.examples: dict[str, list[Defect]] = {}

    def add(
        self, code: str, message: str, *, question_id: str = "", line: int | None = None
    ) -> None:
        """Count a defect of kind ``code`` (kebab-case, such as ``answer-not-in-passage``)."""
        seen = self.counts.get(code, 0)
        self.counts[code] = seen + 1
        if seen < self.keep:
            defect = Defect(code=code, message=message, question_id=question_id, line=line)
            self.examples.setdefault(code, []).append(defect)

    @property
    def total(self) -> int:
        """How many defects there were in all."""
        return sum(self.counts.values())


Item = tuple[Passage, tuple[Question, ...]]
PassageQuestion = tuple[Passage, Question]  # what a reader is given of an item, one at a time


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """A named stream of passages with their questions; never needs the whole file in memory.

    Attributes:
        read: Starts reading from the beginning; counts defects into what it is given.
        read_gold: The same questions without their passages, which is what scoring needs, where
            that is faster.
        metadata: File-level fields that a format must write back (version, header, ...).
    """

    name: str
    format: str
    read: Callable[[Defects], Iterator[Item]]
    read_gold: Callable[[Defects], Iterator[Question]] | None = None
    version: str = ""
    license: str = ""
    sha256: str = ""
    path: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Item]:
        """Yield each passage with its questions."""
        return self.read(Defects())

    def questions(self, defects: Defects | None = None) -> Iterator[Question]:
        """Yield every question in the file's order, gold included; defects may be counted."""
        counted = Defects() if defects is None else defects
        if self.read_gold is not None:
            return self.read_gold(counted)
        return (question for _, questions in self.read(counted) for question in questions)

    def check(self) -> Defects:
        """Read everything once and return what is wrong with it."""
        defects = Defects()
        for _ in self.read(defects):
            continue
        return defects
