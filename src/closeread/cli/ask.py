"""``closeread ask``: ask a reader questions about your own passage."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click
from msgspec.structs import replace

from closeread.api.asking import make_item, open_reader
from closeread.cli.terminal.completion import complete_kind
from closeread.cli.terminal.output import print_json, remark
from closeread.cli.terminal.place import LocalPath
from closeread.cli.terminal.reading import (
    parse_assignments,
    require_calibrator,
    warn_training_mismatch,
)
from closeread.cli.terminal.sheet import make_sheet
from closeread.errors import InputError, UsageError
from closeread.formats import Source
from closeread.runs.records import describe_reader
from closeread.types import Answer, Prediction, Question

_ALTERNATIVES = 4


@click.command("ask")
@click.argument("questions", nargs=-1, required=True, metavar="QUESTION...")
@click.option(
    "--reader",
    shell_complete=complete_kind("reader"),
    required=True,
    help="From `closeread ls readers`, or package.module:factory.",
)
@click.option("-o", "options", multiple=True, metavar="KEY=VALUE",
              help="Set a reader option (see `closeread ls readers NAME`).")  # fmt: skip
@click.option("--passage", "file", type=LocalPath(path_type=Path, allow_dash=True), metavar="FILE",
              help="The passage as a UTF-8 text file; - for stdin.")  # fmt: skip
@click.option("--text", metavar="TEXT", help="The passage itself, instead of --passage.")
@click.option("--title", default="", help="The passage's title.")
@click.option("--option", "choices", multiple=True, metavar="TEXT",
              help="An answer option, without its letter; give two or more.")  # fmt: skip
@click.option("--calibrator", type=LocalPath(path_type=Path), metavar="FILE",
              help="Calibrate confidences with a file from `closeread calibrate`.")  # fmt: skip
@click.option(
    "--selective", is_flag=True, help="Withhold answers below the calibrator's threshold."
)
@click.option("--width", type=click.IntRange(min=20), help="Line width in characters.")
@click.option("--json", "json_", is_flag=True, help="Print the result as one JSON object.")
def command(
    *,
    questions: tuple[str, ...],
    reader: str,
    options: tuple[str, ...],
    file: Path | None,
    text: str | None,
    title: str,
    choices: tuple[str, ...],
    calibrator: Path | None,
    selective: bool,
    width: int | None,
    json_: bool,
) -> None:
    """Ask a reader one or more QUESTIONs about a passage, and show where it found the answers.

    Answers are shown in reverse video and evidence underlined; without colour, in ⟦brackets⟧ and
    ⟪brackets⟫. --option makes it a multiple-choice question. If the question asks which option the
    passage supports or contradicts, the options are judged as statements.
    """
    passage_text = _read_passage(file, text)
    _check_not_blank(passage_text, questions, choices)
    require_calibrator(calibrator, selective=selective)
    opened = open_reader(reader, **parse_assignments(options))
    warn_training_mismatch(describe_reader(opened.name, opened.options, opened.reader))
    if calibrator is not None:
        opened = opened.calibrated(calibrator, selective=selective)
        for warning in opened.warnings:
            remark(warning)
    items = [
        make_item(question_text, passage_text, choices, title=title, name=str(number))
        for number, question_text in enumerate(questions, 1)
    ]
    predictions = list(opened.answers(items))
    if json_:
        print_json({"predictions": predictions, "reader": opened.name, "options": opened.options})
    else:
        sheet = make_sheet(width, picked="picked", nothing="the reader gave no answer")
        for place, ((passage, (question,)), prediction) in enumerate(
            zip(items, predictions, strict=True)
        ):
            answered_question = replace(
                question, answers=_answers_of(prediction), gold_evidence=prediction.evidence
            )
            sys.stdout.writelines(["\n"] if place else [])
            sys.stdout.writelines(sheet.body(passage, answered_question, whole=not place))
            for line in _iter_notes(question, prediction):
                sys.stdout.writelines(sheet.remark(line))
    if any(prediction.error for prediction in predictions):
        sys.exit(2)


def _answers_of(prediction: Prediction) -> tuple[Answer, ...]:
    return () if prediction.answer is None else (prediction.answer,)


def _iter_notes(question: Question, prediction: Prediction) -> Iterator[str]:
    """Yield the lines below the answer: errors, confidence, scores, alternatives, notes."""
    if prediction.error:
        yield f"the reader failed: {prediction.error}"
    if prediction.confidence is not None:
        yield f"confidence {prediction.confidence:.3f}"
    if prediction.option_scores:
        scores = zip(question.options, prediction.option_scores, strict=False)
        yield "scores " + ", ".join(f"{option.label} {score:.3f}" for option, score in scores)
    else:
        alternatives = [
            candidate
            for candidate in prediction.candidates
            if candidate.answer != prediction.answer
        ]
        for candidate in alternatives[:_ALTERNATIVES]:
            yield f"or {candidate.answer.text or 'no answer'}  {candidate.score:.3f}"
    if prediction.note:
        yield prediction.note


def _check_not_blank(passage: str, questions: tuple[str, ...], options: tuple[str, ...]) -> None:
    """Reject blank input, as from an unset variable or an empty file.

    Raises:
        UsageError: The passage is blank, or a question or an option is.
    """
    if not passage.strip():
        raise UsageError("the passage is empty", expected="a passage with some text")
    if not all(text.strip() for text in questions):
        raise UsageError("a question is empty", expected="text in each QUESTION")
    if not all(text.strip() for text in options):
        raise UsageError("an option is empty", expected="text in each --option")


def _read_passage(file: Path | None, text: str | None) -> str:
    """Return the passage.

    Raises:
        UsageError: No passage is given, or two are.
        InputError: The file cannot be read, or is not UTF-8.
    """
    if (file is None) == (text is None):
        raise UsageError("give exactly one passage", expected="--passage FILE or --text TEXT")
    if file is None:
        return text or ""
    raw = sys.stdin.buffer.read() if str(file) == "-" else Source(file).read()
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"byte {error.start:,} is not UTF-8",
            where="stdin" if str(file) == "-" else str(file),
            expected="plain text in UTF-8",
            cure="save the text as UTF-8; for a text file: iconv -f ENCODING -t UTF-8 FILE > NEW "
            "(Chinese text is likely GB18030, Western text WINDOWS-1252)",
        ) from error
