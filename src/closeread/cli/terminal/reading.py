"""What the verbs that run readers share: options on the command line, progress, remarks."""

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


def parsed(assignments: tuple[str, ...]) -> dict[str, Any]:
    """Parse ``key=value`` pairs: values as TOML scalars where they are such, else as text.

    Raises:
        UsageError: No ``=`` in one of them.
    """
    found: dict[str, Any] = {}
    for assignment in assignments:
        key, equals, value = assignment.partition("=")
        if not equals or not key:
            raise UsageError(f"-o {assignment}", expected="-o key=value")
        found[key.strip().replace("-", "_")] = _scalar(value.strip())
    return found


def _scalar(text: str) -> Any:
    import tomllib

    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
    if value in (math.inf, -math.inf) and "inf" not in text:
        return text  # 499e6152 is how a commit is named, and no number that there is
    if isinstance(value, float) and math.isnan(value):  # equals nothing, and is no setting
        return text
    return value if isinstance(value, str | int | float | bool) else text


def must_have_calibrator(file: Path | None, *, selective: bool) -> None:
    """Refuse to withhold answers where no calibrator says which.

    Raises:
        UsageError: They are to be withheld, and none is named.
    """
    if selective and file is None:
        raise UsageError(
            "--selective withholds what lies below a calibrator's threshold, and none is named",
            cure="--calibrator FILE, from `closeread calibrate RUN --out FILE --risk 0.1`",
        )


class Watch(Protocol):
    """Begins a line, which takes the place of the one before; a ``protocols.Begin``."""

    def __call__(self, total: int, label: str = ..., /) -> Advance:
        """Return what is told of steps that are done; by default the label is the watch's."""
        ...


@contextmanager
def watched(
    label: str, kept: str = "what was read is kept: the same command with --resume goes on"
) -> Iterator[Watch]:
    """Give the runner a way to show its progress; an interruption says how to go on.

    Args:
        label: Before the line.
        kept: What is said of an interruption.
    """
    with ExitStack() as shown:

        def begin(total: int, of: str = label, /) -> Advance:
            shown.close()  # one line at a time
            return shown.enter_context(progress(of, total))

        try:
            yield begin
        except KeyboardInterrupt as ended:
            with suppress(OSError):  # the terminal may have gone, and ended us with that
                shown.close()
                remark(str(ended) or f"interrupted; {kept}")
            sys.exit(exit_code(ended))


def tell_otherwise(reader: ReaderInfo) -> None:
    """Say on stderr where a model is read otherwise than it was trained."""
    from closeread.readers.training_match import describe_mismatch

    name, _ = reader.answering
    if told := describe_mismatch(reader.options, reader.record, name):
        remark(told)


def tell_of(run: Run, limit: int | None) -> None:
    """Say on stderr what is odd about a run that was just made.

    Args:
        run: Finished.
        limit: How many questions were asked for.
    """
    _tell_limit(run, limit)
    _tell_defects(run)
    _tell_failures(run)
    _tell_never_none(run)
    if not _tell_blanks(run):
        _tell_silence(run)


def must_have_read(*runs: Run) -> None:
    """End the verb with exit code 2 where the reader failed at every question of a run.

    What it kept is scored as wrong throughout, and tells of no reader: a service that refuses
    every request, say. The run is left as it is.
    """
    for run in runs:
        if 0 < run.info.n_predictions == run.info.n_failed:
            remark(
                f"{in_one_line(str(run.path))}: nothing was read, for the reader failed at every "
                "question: mend what is told above, and read again with --overwrite"
            )
            sys.exit(2)


def _tell_limit(run: Run, limit: int | None) -> None:
    """Say where more was read than asked for, since a group was not to be cut in two."""
    if limit is not None and run.info.dataset.n_questions > limit:
        remark(
            f"the first {run.info.dataset.n_questions:,} questions, not {limit:,}, so that the "
            "last group, which is scored as one, is whole"
        )


def _tell_failures(run: Run) -> None:
    """Say how many questions the reader failed at, with the first reason."""
    if not run.info.n_failed:
        return
    first = next(found for found in run.predictions() if found.error)
    remark(
        f"the reader failed at {run.info.n_failed:,} of {_questions(run)}; that is kept with the "
        "error and counts as wrong. First, "
        f"{in_one_line(first.question_id)}: {first.error}"
    )
    if run.info.n_failed < run.info.n_predictions and not run.info.dataset.only:
        limit = run.info.dataset.limit
        rest = f"--rest {argument(run.path)}" + (f" --limit {limit}" if limit else "")
        remark(f"`closeread read` with {rest} and another --out asks for these alone again")


def _tell_blanks(run: Run) -> bool:
    """Say at how many questions a language model wrote nothing, and why the first ended."""
    if "extraction" not in run.info.reader.record:
        return False
    n_blank, first = 0, ""
    for found in run.predictions():
        written = (found.generation, *found.others) if found.generation else ()
        ends = [one.finish_reason for one in written if not one.text.strip()]
        n_blank += bool(ends)
        first = first or (f"{in_one_line(found.question_id)}: {_ended(ends[0])}" if ends else "")
    if n_blank:
        remark(f"the model wrote no text at {n_blank:,} of {_questions(run)}. First, {first}")
    return n_blank > 0


def _ended(reason: str) -> str:
    """Return why a blank text ended, and what may help."""
    told = (
        f"its reply ended by {in_one_line(reason)}"
        if reason
        else "its reply ended without a reason"
    )
    if reason != "length":
        return told
    return f"{told}: a larger -o max_tokens= leaves room behind what the model thinks unseen"


def _tell_never_none(run: Run) -> None:
    """Say where questions have no answer, and a checkpoint that may know it was not asked.

    One made elsewhere does not tell whether it learned to say so.
    """
    reader = run.info.reader
    if reader.options.get("null") != "auto" or reader.record.get("null") is not False:
        return
    asked = islice(run.dataset().questions(), run.info.dataset.limit)
    n_none = sum(any(answer.kind == "none" for answer in one.answers) for one in asked)
    if n_none:
        remark(
            f"{n_none:,} of {_questions(run)} have no answer, and the checkpoint does not say that "
            "it learned to tell: it answered all; if it did learn it, -o null=on lets it say so"
        )


def _tell_silence(run: Run) -> None:
    """Say where a reader answered nothing: it may be one of other questions, or not understood."""
    if run.info.n_predictions and all(map(_is_silent, run.predictions())):
        what_helps = (
            "predictions.jsonl has its texts, and `closeread score --extract` reads them anew"
            if "extraction" in run.info.reader.record
            else "which kinds a reader answers tells docs/readers.md"
        )
        remark(
            f"{in_one_line(run.info.reader.name)} gave no answer to any of {_questions(run)}; "
            f"{what_helps}"
        )


def _questions(run: Run) -> str:
    return count_of(run.info.n_predictions, "question")


def _is_silent(found: Prediction) -> bool:
    if found.answer is not None:
        return found.answer.kind == "none"
    return not (found.error or found.option_scores or found.evidence)


def _tell_defects(run: Run) -> None:
    """Say what is wrong with the data."""
    if run.info.defects:
        counted = ", ".join(f"{code} {count:,}" for code, count in run.info.defects.items())
        remark(f"defects in the data, kept and counted: {counted}")
