"""Load a finished run for the checks."""

import math
from collections import Counter
from collections.abc import Hashable, Mapping

import msgspec

from closeread.audits.problems import Problems
from closeread.audits.shown_examples import answers_shown
from closeread.audits.subject import Subject
from closeread.items import drop_metadata, iter_questions
from closeread.readers.generative.extraction import parse_stops
from closeread.runs.records import DatasetInfo
from closeread.runs.score import as_submission
from closeread.runs.store import Run
from closeread.types import Dataset, Passage, Question, Submission

LoadedDatasets = dict[Hashable, tuple[tuple[Question, ...], dict[str, Passage]]]


def load_subject(
    run: Run, problems: Problems, read: LoadedDatasets | None = None, *, whole: bool = False
) -> Subject:
    """Load a finished run.

    Args:
        run: Its data set must be there.
        problems: Counts questions without a gold answer, and NaN scores.
        read: Questions and passages already loaded for other runs, which share them.
        whole: Keep what no check and no scorer of closeread uses: candidates and further
            generations, most of the output of a reader with an n-best list.

    Raises:
        InputError: The run is not finished, or its data set is gone.
        MismatchError: Its data set has changed.
    """
    dataset = run.dataset()
    asked, passages = _load_questions(dataset, run.info.dataset, {} if read is None else read)
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
    _count_nan_scores(submission, run, problems)
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
        own_stops=parse_stops(str(options.get("stop", ""))) if rule is not None else (),
        rule=rule,
        stops_known=ours or (log is not None and not {"stops", "tail"} & lost.keys()),
        model=(log.model if log is not None else "") or str(options.get("model", "")),
        seconds=run.info.seconds or None if ours and not run.info.rest else None,
        is_shared="apart" in lost,
        harness=log.harness if log is not None else "",
        recorded=_harness_scores(run),
        totals=_finite(log.scores) if log is not None and not log.skipped else {},
        shown=answers_shown(run, passages, questions),
        leaked=run.log_leaks(),  # readers of ours take no example from a question's own passage
    )


def _load_questions(
    dataset: Dataset, info: DatasetInfo, read: LoadedDatasets
) -> tuple[tuple[Question, ...], dict[str, Passage]]:
    key = (dataset.path, dataset.format, info.sha256, info.limit, info.only)
    if key not in read:
        passages: dict[str, Passage] = {}
        questions: list[Question] = []
        of = ((passage, question) for _, passage, question in iter_questions(dataset, info.limit))
        for passage, question in drop_metadata(of):
            passages.setdefault(passage.passage_id, passage)
            questions.append(question)
        read[key] = tuple(questions), passages
    return read[key]


def _harness_scores(run: Run) -> dict[str, dict[str, float]]:
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


def _count_nan_scores(submission: Submission, run: Run, problems: Problems) -> None:
    for name, one in submission.predictions.items():
        numbers = [*one.option_scores, one.confidence or 0.0]
        if any(map(math.isnan, numbers)):
            problems.bad.add("nan-score", f"a score is NaN ({run.path})", question_id=name)
