"""Load a finished run for the checks."""

import math
from collections import Counter
from collections.abc import Hashable, Mapping

import msgspec

from closeread.audits.problems import Problems
from closeread.audits.shown_examples import load_shown_answers
from closeread.audits.subject import Subject
from closeread.items import drop_metadata, iter_questions
from closeread.readers.generative.extraction import parse_stops
from closeread.runs.records import DatasetInfo
from closeread.runs.score import as_submission
from closeread.runs.store import Run
from closeread.types import Dataset, Passage, Question, Submission

LoadedDatasets = dict[Hashable, tuple[tuple[Question, ...], dict[str, Passage]]]


def load_subject(
    run: Run, problems: Problems, loaded: LoadedDatasets | None = None, *, keep_all: bool = False
) -> Subject:
    """Load a finished run.

    Args:
        run: A run whose data set is available.
        problems: Counts questions without a gold answer, and NaN scores.
        loaded: Questions and passages of other runs, by data set; new ones are added.
        keep_all: Keep candidates and further generations, which no check and no scorer of
            closeread uses, and which are most of the output of a reader with an n-best list.

    Raises:
        InputError: The run is not finished, or its data set is gone.
        MismatchError: Its data set has changed.
    """
    dataset = run.dataset()
    all_questions, passages = _load_questions(
        dataset, run.info.dataset, {} if loaded is None else loaded
    )
    questions: list[Question] = []
    for question in all_questions:
        if has_answer(question):
            questions.append(question)
        else:
            problems.defects.add(
                "missing-gold", f"no gold answer ({run.path})", question_id=question.question_id
            )
    if run.info.submission:
        submission = as_submission(run, dataset)
    else:
        predictions = {
            prediction.question_id: prediction
            if keep_all
            else msgspec.structs.replace(prediction, candidates=(), others=())
            for prediction in run.predictions()
        }
        submission = Submission(predictions=predictions)
    _count_nan_scores(submission, run, problems)
    log, options = run.info.log, run.info.reader.options
    lost = log.lost if log is not None else {}
    is_own_run = log is None and not run.info.submission
    rule = str(options["extract"]) if is_own_run and "extract" in options else None
    stops = Counter(
        tuple(filter(None, prediction.generation.stops))  # a log may hold "", which stops nothing
        for prediction in submission.predictions.values()
        if prediction.generation is not None and any(prediction.generation.stops)
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
        stops_known=is_own_run or (log is not None and not {"stops", "tail"} & lost.keys()),
        model=(log.model if log is not None else "") or str(options.get("model", "")),
        seconds=run.info.seconds or None if is_own_run and not run.info.rest else None,
        is_shared="apart" in lost,
        harness=log.harness if log is not None else "",
        recorded=_harness_scores(run),
        totals=_finite(log.scores) if log is not None and not log.skipped else {},
        shown=load_shown_answers(run, passages, questions),
        leaked=run.log_leaks(),  # closeread's readers take no example from a question's own passage
    )


def _load_questions(
    dataset: Dataset, info: DatasetInfo, loaded: LoadedDatasets
) -> tuple[tuple[Question, ...], dict[str, Passage]]:
    key = (dataset.path, dataset.format, info.sha256, info.limit, info.only)
    if key not in loaded:
        passages: dict[str, Passage] = {}
        questions: list[Question] = []
        pairs = (
            (passage, question) for _, passage, question in iter_questions(dataset, info.limit)
        )
        for passage, question in drop_metadata(pairs):
            passages.setdefault(passage.passage_id, passage)
            questions.append(question)
        loaded[key] = tuple(questions), passages
    return loaded[key]


def _harness_scores(run: Run) -> dict[str, dict[str, float]]:
    scores_by_name: dict[str, dict[str, float]] = {}
    if "more-responses" not in run.info.defects:
        for score in run.log_scores():
            for name, value in _finite(score.values).items():
                scores_by_name.setdefault(name, {})[score.question_id] = value
    return scores_by_name


def _finite(numbers: Mapping[str, float | None]) -> dict[str, float]:
    return {name: value for name, value in numbers.items() if value is not None}


def has_answer(question: Question) -> bool:
    """Whether a question has a gold answer that is not empty, or the truth of its options."""
    return bool(question.option_truth) or any(
        answer.texts or answer.label or answer.kind == "none" for answer in question.answers
    )


def _count_nan_scores(submission: Submission, run: Run, problems: Problems) -> None:
    for name, prediction in submission.predictions.items():
        numbers = [*prediction.option_scores, prediction.confidence or 0.0]
        if any(map(math.isnan, numbers)):
            problems.defects.add("nan-score", f"a score is NaN ({run.path})", question_id=name)
