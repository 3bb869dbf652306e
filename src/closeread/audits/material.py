"""What is examined: runs with their questions, gold, answers and generated texts, in memory."""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

import msgspec

from closeread.audits.shown import answers_shown
from closeread.errors import InputError
from closeread.items import bare, ordered
from closeread.parts.making import make
from closeread.protocols import Metric
from closeread.readers.generative.extraction import stops_in
from closeread.runs.records import DatasetInfo
from closeread.runs.score import as_submission
from closeread.runs.store import Run
from closeread.types import Dataset, Defects, Passage, Prediction, Question, Submission
from closeread.wording import count_of, in_one_line

_SETS_SHOWN = 8


@dataclass(frozen=True, kw_only=True)
class Subject:
    """One run under examination.

    Attributes:
        questions: In the data set's order, those without gold left out.
        passages: By passage id.
        submission: What was handed in.
        tail_lost: Whether the texts were cut before they were saved.
        stops: The stop strings that were in force when they were written.
        own_stops: Those that the run took its answers from before, its texts being whole.
        rule: How the run takes answers from its texts, as ``closeread score --extract`` names it;
            None where that is not known.
        stops_known: Whether the source tells what could cut its texts.
        model: The model's name as the source gives it, else nothing.
        seconds: How long a reader of ours took for the whole run; None where that is not known.
        is_shared: Whether one text answers several questions.
        harness: The harness whose log it was, else nothing.
        recorded: The scores that another harness saved, by their names and question ids; none where
            they are of several texts a question.
        totals: Its numbers over the whole set, where no record was left out.
        shown: The answers of the examples in the prompts, by question id; None where the prompts
            are not known.
    """

    name: str
    dataset: str
    sha256: str
    questions: tuple[Question, ...]
    passages: Mapping[str, Passage]
    submission: Submission
    tail_lost: bool = False
    stops: tuple[str, ...] = ()
    own_stops: tuple[str, ...] = ()
    rule: str | None = None
    stops_known: bool = False
    model: str = ""
    seconds: float | None = None
    is_shared: bool = False
    harness: str = ""
    recorded: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    totals: Mapping[str, float] = field(default_factory=dict)
    shown: Mapping[str, tuple[str, ...]] | None = None

    @property
    def predictions(self) -> Mapping[str, Prediction]:
        """The prediction for each question id."""
        return self.submission.predictions

    def is_whole(self, prediction: Prediction) -> bool:
        """Whether a text is known to be all that the model wrote."""
        own = prediction.generation
        return self.stops_known and own is not None and not any(own.stops)

    def stops_of(self, prediction: Prediction) -> tuple[str, ...]:
        """The stop strings that cut a text: its own, else those of most texts."""
        own = prediction.generation.stops if prediction.generation is not None else ()
        return tuple(filter(None, own)) or self.stops

    def answered(self) -> Iterator[tuple[Question, Prediction]]:
        """Yield the questions that have a prediction, with it."""
        for question in self.questions:
            prediction = self.predictions.get(question.question_id)
            if prediction is not None:
                yield question, prediction

    @property
    def is_text(self) -> bool:
        """Whether its questions ask for text, not for an option."""
        return any(not question.options for question in self.questions)


@dataclass
class Problems:
    """What of the sources cannot be examined, counted; stops unless it is to be skipped."""

    bad: Defects = field(default_factory=Defects)

    def settle(self, skip: bool) -> None:
        """Raise everything at once.

        Raises:
            InputError: Something is bad and not to be skipped.
        """
        if not self.bad.total or skip:
            return
        lines = [
            in_one_line(f"{code} {count:,}, first {found.question_id or '-'}: {found.message}")
            for code, count in self.bad.counts.items()
            for found in self.bad.examples[code][:1]
        ]
        raise InputError(
            f"{count_of(self.bad.total, 'thing')} cannot be examined:\n    " + "\n    ".join(lines),
            cure="mend the sources, name runs of the same questions, or leave these out, named and "
            "counted, with --skip-bad",
        )


Read = dict[Hashable, tuple[tuple[Question, ...], dict[str, Passage]]]


def subject(
    run: Run, problems: Problems, read: Read | None = None, *, whole: bool = False
) -> Subject:
    """Load a finished run.

    Args:
        run: Its data set must be there.
        problems: Told of questions without gold, and of scores that are none.
        read: What was read of data sets for other runs; those on one data set share it.
        whole: Keep what no check and no scorer of closeread's looks at: candidates and further
            generations, most of what a reader with an n-best list says.

    Raises:
        InputError: The run is not finished, or its data set is gone.
        MismatchError: Its data set has changed.
    """
    dataset = run.dataset()
    asked, passages = _asked(dataset, run.info.dataset, {} if read is None else read)
    questions: list[Question] = []
    for question in asked:
        if has_answer(question):
            questions.append(question)
        else:
            problems.bad.add(
                "missing-gold", f"no gold answer ({run.path})", question_id=question.question_id
            )
    if run.info.submission:
        submission = as_submission(run, dataset)
    else:
        found = {
            one.question_id: one
            if whole
            else msgspec.structs.replace(one, candidates=(), others=())
            for one in run.predictions()
        }
        submission = Submission(predictions=found)
    _note_bad(submission, run, problems)
    log, options = run.info.log, run.info.reader.options
    lost = log.lost if log is not None else {}
    ours = log is None and not run.info.submission
    rule = str(options["extract"]) if ours and "extract" in options else None
    stops = Counter(
        tuple(filter(None, one.generation.stops))  # a log may name "", which stops nothing
        for one in submission.predictions.values()
        if one.generation is not None and any(one.generation.stops)
    )
    return Subject(
        name=run.path.name or str(run.path),
        dataset=run.info.dataset.name,
        sha256=run.info.dataset.sha256,
        questions=tuple(questions),
        passages=passages,
        submission=submission,
        tail_lost="tail" in lost or bool(stops),
        stops=stops.most_common(1)[0][0] if stops else (),
        own_stops=stops_in(str(options.get("stop", ""))) if rule is not None else (),
        rule=rule,
        stops_known=ours or (log is not None and not {"stops", "tail"} & lost.keys()),
        model=(log.model if log is not None else "") or str(options.get("model", "")),
        seconds=run.info.seconds or None if ours and not run.info.rest else None,
        is_shared="apart" in lost,
        harness=log.harness if log is not None else "",
        recorded=_recorded(run),
        totals=_finite(log.scores) if log is not None and not log.skipped else {},
        shown=answers_shown(run, passages, questions),
    )


def _asked(
    dataset: Dataset, info: DatasetInfo, read: Read
) -> tuple[tuple[Question, ...], dict[str, Passage]]:
    key = (dataset.path, dataset.format, info.sha256, info.limit, info.only)
    if key not in read:
        passages: dict[str, Passage] = {}
        questions: list[Question] = []
        of = ((passage, question) for _, passage, question in ordered(dataset, info.limit))
        for passage, question in bare(of):
            passages.setdefault(passage.passage_id, passage)
            questions.append(question)
        read[key] = tuple(questions), passages
    return read[key]


def _recorded(run: Run) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    if "more-responses" not in run.info.defects:
        for score in run.log_scores():
            for name, value in _finite(score.values).items():
                found.setdefault(name, {})[score.question_id] = value
    return found


def _finite(numbers: Mapping[str, float | None]) -> dict[str, float]:
    return {name: value for name, value in numbers.items() if value is not None}


def has_answer(question: Question) -> bool:
    """Whether any accepted answer says something, or of each option whether it is true."""
    return bool(question.option_truth) or any(
        answer.texts or answer.label or answer.kind == "none" for answer in question.answers
    )


def _note_bad(submission: Submission, run: Run, problems: Problems) -> None:
    for name, one in submission.predictions.items():
        numbers = [*one.option_scores, one.confidence or 0.0]
        if any(map(math.isnan, numbers)):
            problems.bad.add("nan-score", f"a score is NaN ({run.path})", question_id=name)


def together(
    subjects: Sequence[Subject], problems: Problems, *, skip: bool = False
) -> list[Subject]:
    """Return the runs restricted to the questions that all of them were asked.

    Questions that only some runs were asked, or that have one id and another wording, are counted
    as bad. One data set is no promise that they are the same: a run may have a limit.

    Args:
        subjects: The runs.
        problems: Where these are counted.
        skip: Whether bad questions are left out, even if none is left.

    Raises:
        InputError: They share no question, as the runs of several tasks in one folder.
    """
    asked = [
        {question.question_id: question.text for question in one.questions} for one in subjects
    ]
    if all(own == asked[0] for own in asked):
        return list(subjects)
    shared = {
        name for name, text in asked[0].items() if all(own.get(name) == text for own in asked)
    }
    if not shared and not skip:
        raise _sharing_none(subjects)
    for one, own in zip(subjects, asked, strict=True):
        for name in own:
            if name not in shared:
                told = f"asked in {one.name}, not in all runs"
                problems.bad.add("different-questions", told, question_id=name)
    return [restricted(one, shared) for one in subjects]


def _sharing_none(subjects: Sequence[Subject]) -> InputError:
    by_set: dict[str, list[str]] = {}
    for one in subjects:
        by_set.setdefault(one.sha256, []).append(one.name)
    several = len(by_set) > 1
    parts = [", ".join(names) for names in by_set.values()]
    if not several:
        parts = [one.name for one in subjects]
    shown = " | ".join(parts[:_SETS_SHOWN]) + (" | …" if len(parts) > _SETS_SHOWN else "")
    return InputError(
        "the runs share no question" + (f": they are on {len(parts):,} sets" if several else ""),
        where=in_one_line(shown),
        expected="runs of the same questions",
        cure="audit the runs of one set at a time" if several else "audit each by itself",
    )


def told_apart(subjects: Sequence[Subject]) -> list[Subject]:
    """Return the runs under names that differ: their models' where they have one, else numbered."""
    names = Counter(one.name for one in subjects)
    models = Counter(one.model for one in subjects)
    found: dict[str, Subject] = {}
    numbers: dict[str, Iterator[int]] = {}  # of one name the next is taken up where the last was
    for one in subjects:
        name = one.name
        if names[name] > 1:
            name = one.model if one.model and models[one.model] == 1 else name
        if name in found:
            further = numbers.setdefault(name, count(2))
            name = next(new for number in further if (new := f"{name} ({number})") not in found)
        found[name] = replace(one, name=name)
    return list(found.values())


def restricted(one: Subject, ids: Iterable[str]) -> Subject:
    """Return a run with only some of its questions."""
    wanted = set(ids)
    kept = tuple(question for question in one.questions if question.question_id in wanted)
    return replace(one, questions=kept)


def of_texts(one: Subject) -> Subject:
    """Return a run with only its questions that ask for text."""
    if not any(question.options for question in one.questions):
        return one
    return restricted(
        one, (question.question_id for question in one.questions if not question.options)
    )


def said(prediction: Prediction) -> str:
    """Return the text that was generated; where none was kept, the answer."""
    if prediction.generation is not None:
        return prediction.generation.text
    if prediction.answer is None:
        return ""
    return ", ".join(prediction.answer.texts) or prediction.answer.label


def most_are_chinese(one: Subject) -> bool:
    """Whether more than half of a run's questions are about Chinese passages."""
    return 2 * _n_chinese(one) > len(one.questions)


def other_languages(one: Subject) -> list[str]:
    """Return a note where questions of both languages are judged by the scorers of one."""
    n, few = len(one.questions), _n_chinese(one)
    few = min(few, n - few)
    if not few:
        return []
    return [
        f"{few:,} of {n:,} questions are in another language than the scorers are for: "
        "audit each language by itself"
    ]


def _n_chinese(one: Subject) -> int:
    return sum(
        one.passages[question.passage_id].language.startswith("zh") for question in one.questions
    )


def judge_of(one: Subject) -> tuple[str, Metric]:
    """Return the scorer that most of a run's questions call for, by its catalog name."""
    texts = [question for question in one.questions if not question.options]
    discrete = sum(question.kind == "discrete" for question in texts)
    none = any(answer.kind == "none" for question in texts for answer in question.answers)
    name = (
        "drop"
        if 2 * discrete > len(texts)
        else "cmrc~mixed"
        if most_are_chinese(of_texts(one))
        else "squad2"
        if none
        else "squad"
    )
    return name, make("metric", name)[0]
