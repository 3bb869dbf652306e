"""``closeread ask``: a reader, a passage of one's own, and what the reader says of it."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click
from msgspec.structs import replace

from closeread.api.asking import make_item, open_reader
from closeread.cli.terminal.completion import names_of
from closeread.cli.terminal.output import as_json, remark
from closeread.cli.terminal.place import Place
from closeread.cli.terminal.reading import must_have_calibrator, parsed, tell_otherwise
from closeread.cli.terminal.sheet import sheet_of
from closeread.errors import InputError, UsageError
from closeread.formats import Source
from closeread.runs.records import describe_reader
from closeread.types import Answer, Prediction, Question

_ALTERNATIVES = 4


@click.command("ask")
@click.argument("questions", nargs=-1, required=True, metavar="QUESTION...")
@click.option(
    "--reader",
    shell_complete=names_of("reader"),
    required=True,
    help="From `closeread ls readers`, or package.module:factory.",
)
@click.option("-o", "options", multiple=True, metavar="KEY=VALUE",
              help="Set a reader option (see `closeread ls readers NAME`).")  # fmt: skip
@click.option("--passage", "file", type=Place(path_type=Path, allow_dash=True), metavar="FILE",
              help="The passage as a UTF-8 text file; - for stdin.")  # fmt: skip
@click.option("--text", metavar="TEXT", help="The passage itself, instead of --passage.")
@click.option("--title", default="", help="The passage's title.")
@click.option("--option", "choices", multiple=True, metavar="TEXT",
              help="An answer option, without its letter; give two or more.")  # fmt: skip
@click.option("--calibrator", type=Place(path_type=Path), metavar="FILE",
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
    about = _passage(file, text)
    _must_say_something(about, questions, choices)
    must_have_calibrator(calibrator, selective=selective)
    opened = open_reader(reader, **parsed(options))
    tell_otherwise(describe_reader(opened.name, opened.options, opened.reader))
    if calibrator is not None:
        opened = opened.calibrated(calibrator, selective=selective)
        for warning in opened.warnings:
            remark(warning)
    items = [
        make_item(one, about, choices, title=title, name=str(number))
        for number, one in enumerate(questions, 1)
    ]
    found = list(opened.answers(items))
    if json_:
        as_json({"predictions": found, "reader": opened.name, "options": opened.options})
    else:
        sheet = sheet_of(width, picked="picked", nothing="none was given")
        for place, ((passage, (question,)), told) in enumerate(zip(items, found, strict=True)):
            shown = replace(question, answers=_answers(told), gold_evidence=told.evidence)
            sys.stdout.writelines(["\n"] if place else [])
            sys.stdout.writelines(sheet.body(passage, shown, whole=not place))
            for line in _beside(question, told):
                sys.stdout.writelines(sheet.remark(line))
    if any(one.error for one in found):
        sys.exit(2)


def _answers(told: Prediction) -> tuple[Answer, ...]:
    return () if told.answer is None else (told.answer,)


def _beside(question: Question, told: Prediction) -> Iterator[str]:
    """Yield what is to be said beside the answer, a line each."""
    if told.error:
        yield f"the reader failed: {told.error}"
    if told.confidence is not None:
        yield f"confidence {told.confidence:.3f}"
    if told.option_scores:
        scores = zip(question.options, told.option_scores, strict=False)
        yield "scores " + ", ".join(f"{option.label} {score:.3f}" for option, score in scores)
    else:
        others = [one for one in told.candidates if one.answer != told.answer]
        for one in others[:_ALTERNATIVES]:
            yield f"or {one.answer.text or 'no answer'}  {one.score:.3f}"
    if told.note:
        yield told.note


def _must_say_something(passage: str, questions: tuple[str, ...], options: tuple[str, ...]) -> None:
    """Refuse what an unset variable or an empty file leaves: an answer to it would look like one.

    Raises:
        UsageError: The passage is blank, or a question or an option is.
    """
    if not passage.strip():
        raise UsageError("the passage is empty", expected="a text")
    if not all(one.strip() for one in questions):
        raise UsageError("a question is empty", expected="text for each question")
    if not all(one.strip() for one in options):
        raise UsageError("an option is empty", expected="text for each --option")


def _passage(file: Path | None, text: str | None) -> str:
    """Return the passage that is asked about.

    Raises:
        UsageError: None is given, or two are.
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
            cure="save its text alone, as UTF-8; of a text file: iconv -f ENCODING -t UTF-8 FILE > "
            "NEW (Chinese text is likely GB18030, Western text WINDOWS-1252)",
        ) from error
