"""Write a run's predictions as a file for an official program or an organiser."""

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from closeread.errors import UsageError
from closeread.formats.files.atomic_write import writing
from closeread.formats.files.output_place import must_not_replace
from closeread.formats.submissions import dumping, gcrc_package
from closeread.metrics.choice import picked_label
from closeread.metrics.option import judge_options
from closeread.runs.store import INFO, LEDGER, PREDICTIONS, SCORES, SUMMARY, Predictions, Run
from closeread.types import Answer, Dataset, Prediction

_LETTERS = "gcrc-advrobust"
_OF_OPTIONS = (_LETTERS, "vgaokao")
_OF_EACH_OPTION = "multirc"


@dataclass(frozen=True, kw_only=True)
class HandedIn:
    """The result of writing a run's predictions to a file.

    Attributes:
        source: The run's folder.
        target: The file.
        form: The form of the file, a key of ``formats.submissions.dumping.FORMS``.
        without_letter: The number of questions that need a letter and have none.
    """

    source: str
    target: str
    form: str
    without_letter: int = 0


def hand_in(run: Run, target: Path, to: str | None = None, beside: Sequence[Path] = ()) -> HandedIn:
    """Write a run's predictions; the file appears under its name only when complete.

    Args:
        run: A finished run.
        target: The new file. A name that ends in ``.gz`` is compressed; a name that ends in
            ``.zip`` makes the package that GCRC_advRobust's evaluation asked for.
        to: The form; by default ``texts``, and ``gcrc-advrobust`` for the package.
        beside: Additional files for the package.

    Raises:
        UsageError: The run cannot fill the form, the package lacks a part, or the file would
            overwrite an input.
        StorageError: The folder cannot be written, or the disk is full.
    """
    packed = target.suffix == ".zip"
    form = to or (_LETTERS if packed else "texts")
    if (packed or beside) and not (packed and form == _LETTERS):
        raise UsageError(
            f"cannot write the form {form} to {target.name}"
            + (" with additional files" if beside else ""),
            expected=f"the form {_LETTERS} and a name that ends in .zip, the only package format",
        )
    if any(path.resolve() == target.resolve() for path in beside):
        raise UsageError(
            "the package would overwrite a file that goes into it",
            where=str(target),
            cure="give the package another name, such as GCRC_advRobust.zip",
        )
    for name in (INFO, LEDGER, PREDICTIONS, SCORES, SUMMARY):
        must_not_replace(target, run.path / name, "a file of the run")
    dataset = run.dataset()
    must_not_replace(target, dataset.path)
    if to is None:
        _check_file_name(target)
    predictions: Mapping[str, Prediction] = Predictions(run)
    if form == _OF_EACH_OPTION:
        predictions = _with_option_truth(predictions, dataset)
    elif form in _OF_OPTIONS:
        predictions = _with_letters(predictions, dataset)
    elif scored := _with_letters(predictions, dataset, scored=True):
        predictions = {**predictions, **scored}
    with writing(target) as stream:
        if packed:
            letters = io.BytesIO()
            dumping.hand_in(predictions, dataset, form, letters)
            gcrc_package.pack(letters.getvalue(), beside, stream)
        else:
            dumping.hand_in(predictions, dataset, form, stream)
    return HandedIn(
        source=str(run.path),
        target=str(target),
        form=form,
        without_letter=_count_without_letter(predictions.values()) if form == _LETTERS else 0,
    )


def _with_letters(
    predictions: Mapping[str, Prediction], dataset: Dataset, *, scored: bool = False
) -> dict[str, Prediction]:
    """Return predictions with the letter that scoring derives from texts or option scores.

    With ``scored``, return only the predictions that have option scores and no answer.
    """
    with_letters = {}
    for question in dataset.questions():
        prediction = predictions.get(question.question_id)
        if prediction is None:
            continue
        if not scored or (prediction.answer is None and prediction.option_scores):
            letter = Answer(kind="choice", label=picked_label(question, prediction) or "")
            with_letters[question.question_id] = replace(prediction, answer=letter)
    return with_letters


def _with_option_truth(
    predictions: Mapping[str, Prediction], dataset: Dataset
) -> dict[str, Prediction]:
    """Return predictions with 1 for each option that scoring counts as chosen, else 0.

    A prediction without options gets only zeros: MultiRC's program skips missing questions.
    """
    with_truth = {}
    for question in dataset.questions():
        prediction = predictions.get(question.question_id)
        if prediction is not None:
            truth = tuple(
                float(is_chosen is True) for is_chosen in judge_options(question, prediction)
            )
            with_truth[question.question_id] = replace(prediction, option_scores=truth)
    return with_truth


def _count_without_letter(predictions: Iterable[Prediction]) -> int:
    return sum(not (prediction.answer and prediction.answer.label) for prediction in predictions)


def _check_file_name(target: Path) -> None:
    """Reject a file name that stands for a table or JSON lines when no form is given."""
    ending = Path(target.name.removesuffix(".gz")).suffix
    if ending in {".csv", ".jsonl"}:
        raise UsageError(
            f"a run's predictions cannot be written as {ending[1:]}",
            where=str(target),
            expected="a name that ends in .json, or a form given with --to",
            cure="for JSON lines use predictions.jsonl in the run folder; for a table of scores "
            "run `closeread report RUN --csv FILE`",
        )
