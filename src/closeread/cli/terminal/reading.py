"""What the commands that run readers share: options, progress and warnings."""

import math
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from closeread.cli.terminal.output import remark
from closeread.cli.terminal.progress import progress
from closeread.errors import UsageError
from closeread.protocols import Advance
from closeread.runs.records import ReaderInfo
from closeread.runs.store import Run
from closeread.system.signals import exit_code
from closeread.types import Prediction
from closeread.wording import argument, count_of, in_one_line


def parse_assignments(assignments: tuple[str, ...]) -> dict[str, Any]:
    """Parse ``key=value`` pairs; values are TOML scalars if they parse as such, else text.

    Raises:
        UsageError: One of them has no ``=``.
    """
    options: dict[str, Any] = {}
    for assignment in assignments:
        key, equals, value = assignment.partition("=")
        if not equals or not key:
            raise UsageError(f"-o {assignment}", expected="-o key=value")
        options[key.strip().replace("-", "_")] = _parse_scalar(value.strip())
    return options


def _parse_scalar(text: str) -> Any:
    import tomllib

    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
    if value in (math.inf, -math.inf) and "inf" not in text:
        return text  # 499e6152 is a commit id, not a finite number
    if isinstance(value, float) and math.isnan(value):  # equals nothing, so it cannot be a setting
        return text
    return value if isinstance(value, str | int | float | bool) else text


def require_calibrator(file: Path | None, *, selective: bool) -> None:
    """Reject ``--selective`` without a calibrator.

    Raises:
        UsageError: ``selective`` without ``file``.
    """
    if selective and file is None:
        raise UsageError(
            "--selective needs a calibrator, whose threshold decides which answers to withhold",
            cure="--calibrator FILE, from `closeread calibrate RUN --out FILE --risk 0.1`",
        )


class StartProgress(Protocol):
    """Starts a progress line, which replaces the one before; a ``protocols.Begin``."""

    def __call__(self, total: int, label: str = ..., /) -> Advance:
        """Return the function that counts finished steps; the label defaults to the caller's."""
        ...


_RESUME = "predictions so far are saved; rerun the same command with --resume to continue"


@contextmanager
def show_progress(
    label: str,
    on_interrupt: str = _RESUME,
) -> Iterator[StartProgress]:
    """Yield the function that starts a progress line; an interruption prints a text and exits.

    Args:
        label: The default label of lines.
        on_interrupt: What an interruption prints: what is saved and how to continue.
    """
    with ExitStack() as lines:

        def begin(total: int, line_label: str = label, /) -> Advance:
            lines.close()  # one line at a time
            return lines.enter_context(progress(line_label, total))

        try:
            yield begin
        except KeyboardInterrupt as interrupt:
            with suppress(
                OSError
            ):  # the terminal may be gone, which may have caused the interruption
                lines.close()
                remark(str(interrupt) or f"interrupted; {on_interrupt}")
            sys.exit(exit_code(interrupt))


def warn_training_mismatch(reader: ReaderInfo) -> None:
    """Warn on stderr if a model is read with other settings than it was trained with."""
    from closeread.readers.training_match import describe_mismatch

    name, _ = reader.answering
    if warning := describe_mismatch(reader.options, reader.record, name):
        remark(warning)


def warn_about_run(run: Run, limit: int | None) -> None:
    """Print warnings about a run that was just finished.

    Args:
        run: Finished.
        limit: The requested maximum of questions.
    """
    _warn_limit(run, limit)
    _warn_defects(run)
    _warn_failures(run)
    _warn_null_off(run)
    if not _warn_empty_texts(run):
        _warn_no_answers(run)


def exit_if_all_failed(*runs: Run) -> None:
    """Exit with code 2 if the reader failed on every question of a run.

    Such a run would score 0 and says nothing about the reader, as when a service rejects every
    request. The run is left as it is.
    """
    for run in runs:
        if 0 < run.info.n_predictions == run.info.n_failed:
            remark(
                f"{in_one_line(str(run.path))}: the reader failed on every question: fix the "
                "error above, then read again with --overwrite"
            )
            sys.exit(2)


def _warn_limit(run: Run, limit: int | None) -> None:
    """Report that more than the limit was read, to complete a group."""
    if limit is not None and run.info.dataset.n_questions > limit:
        remark(
            f"read the first {run.info.dataset.n_questions:,} questions instead of {limit:,}, to "
            "complete the last group, which is scored as a whole"
        )


def _warn_failures(run: Run) -> None:
    """Report how many questions failed, with the first error."""
    if not run.info.n_failed:
        return
    first = next(prediction for prediction in run.predictions() if prediction.error)
    remark(
        f"the reader failed on {run.info.n_failed:,} of {_count_questions(run)}; they are saved "
        f"with the error and count as wrong. The first, {in_one_line(first.question_id)}: "
        f"{first.error}"
    )
    if run.info.n_failed < run.info.n_predictions and not run.info.dataset.only:
        limit = run.info.dataset.limit
        arguments = f"--rest {argument(run.path)}" + (f" --limit {limit}" if limit else "")
        remark(f"`closeread read` with {arguments} and a new --out retries only these")


def _warn_empty_texts(run: Run) -> bool:
    """Report for how many questions a language model returned empty text, with the first reason."""
    if "extraction" not in run.info.reader.record:
        return False
    n_blank, first = 0, ""
    for prediction in run.predictions():
        generations = (prediction.generation, *prediction.others) if prediction.generation else ()
        ends = [
            generation.finish_reason for generation in generations if not generation.text.strip()
        ]
        n_blank += bool(ends)
        first = first or (
            f"{in_one_line(prediction.question_id)}: {_describe_ending(ends[0])}" if ends else ""
        )
    if n_blank:
        remark(
            f"the model returned empty text for {n_blank:,} of {_count_questions(run)}. The first, "
            f"{first}"
        )
    return n_blank > 0


def _describe_ending(reason: str) -> str:
    """Return why an empty text ended, and what may help."""
    ending = (
        f"the finish reason is {in_one_line(reason)}" if reason else "no finish reason is given"
    )
    if reason != "length":
        return ending
    return f"{ending}: a larger -o max_tokens= leaves room for the answer after hidden reasoning"


def _warn_null_off(run: Run) -> None:
    """Warn if questions have no answer but the reader never predicts "no answer".

    Checkpoints made elsewhere do not record whether they were trained on such questions.
    """
    reader = run.info.reader
    if reader.options.get("null") != "auto" or reader.record.get("null") is not False:
        return
    questions = islice(run.dataset().questions(), run.info.dataset.limit)
    n_none = sum(
        any(answer.kind == "none" for answer in question.answers) for question in questions
    )
    if n_none:
        remark(
            f"{n_none:,} of {_count_questions(run)} have no gold answer, but the reader answered "
            "them all: the checkpoint does not record that it was trained on unanswerable "
            "questions. If it was, pass -o null=on"
        )


def _warn_no_answers(run: Run) -> None:
    """Warn if a reader answered nothing: it may not support these questions."""
    if run.info.n_predictions and all(map(_is_unanswered, run.predictions())):
        advice = (
            "its texts are in predictions.jsonl; `closeread score --extract` extracts the "
            "answers again"
            if "extraction" in run.info.reader.record
            else "docs/readers.md lists which kinds of questions each reader answers"
        )
        remark(
            f"{in_one_line(run.info.reader.name)} gave no answer to any of "
            f"{_count_questions(run)}; {advice}"
        )


def _count_questions(run: Run) -> str:
    return count_of(run.info.n_predictions, "question")


def _is_unanswered(prediction: Prediction) -> bool:
    if prediction.answer is not None:
        return prediction.answer.kind == "none"
    return not (prediction.error or prediction.option_scores or prediction.evidence)


def _warn_defects(run: Run) -> None:
    """Report the defects in the data."""
    if run.info.defects:
        counts = ", ".join(f"{code} {count:,}" for code, count in run.info.defects.items())
        remark(f"defects in the data, counted and kept: {counts}")
