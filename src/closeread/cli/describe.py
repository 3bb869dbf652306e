"""``closeread describe``: print a data set's statistics and defects."""

from collections.abc import Mapping

import click

from closeread.api.datasets import open_dataset
from closeread.cli.terminal.output import make_console, print_json, print_table
from closeread.cli.terminal.progress import progress
from closeread.items import count_reads
from closeread.reports.describe import VOCABULARY, Description, EvidencePieces, describe
from closeread.reports.describe import description_as_json as plain
from closeread.wording import count_of, in_one_line

_LANGUAGES = {"en": "English", "zh": "Chinese"}


@click.command("describe")
@click.argument("dataset")
@click.option(
    "--format", "format_", metavar="F", help="The format; by default detected from the content."
)
@click.option(
    "--words",
    type=click.Choice(list(VOCABULARY)),
    default="characters",
    show_default=True,
    help="How to count Chinese words.",
)
@click.option("--strict", is_flag=True, help="Stop if the data has defects.")
@click.option("--json", "json_", is_flag=True, help="Print the result as one JSON object.")
def command(*, dataset: str, format_: str | None, words: str, strict: bool, json_: bool) -> None:
    """Print statistics of DATASET: a path, a URL, exam/zh or exam/en.

    Counts lengths, vocabulary, kinds of questions and answers, verification stems and their
    polarity, evidence and defects, as Table 2 and sections 2.1 and 2.2 of the VGaokao paper do.
    """
    opened = open_dataset(dataset, format_, strict)
    with progress("questions", None) as advance:
        description = describe(count_reads(opened, advance), words)
    if json_:
        print_json(plain(description))
        return
    title = " ".join(filter(None, dict.fromkeys([description.name, description.version])))
    print_table(("", ""), _fact_rows(description), title=f"{title} ({description.format})")
    print_line = make_console().print
    print_line()
    print_table(
        ("", "texts", "characters", "longest", "words", "most", "vocabulary"),
        _length_rows(description),
        title="Mean and maximum lengths",
        right=("texts", "characters", "longest", "words", "most", "vocabulary"),
    )
    print_line(f"Vocabulary: {VOCABULARY[words]}.")
    if description.evidence:
        print_line()
        print_table(("", ""), _evidence_rows(description.evidence), title="Gold evidence")
    if description.defects:
        print_line()
        print_table(
            ("defect", "count", "examples"),
            [
                (
                    code,
                    f"{count:,}",
                    "\n".join(map(in_one_line, description.defect_examples[code][:2])),
                )
                for code, count in description.defects.items()
            ],
            title="Defects, counted and kept",
            right=("count",),
        )


def _fact_rows(description: Description) -> list[tuple[str, str]]:
    rows = [
        ("passages", _format_total(description.passages, description.languages)),
        ("questions", _format_total(description.questions, description.kinds)),
        (
            "groups",
            _format_total(description.groups, description.roles) if description.groups else "",
        ),
        ("options per question", _format_counts(description.options_a_question)),
        ("gold answers per question", _format_counts(description.answers_a_question)),
        ("answer kinds", _format_counts(description.answer_kinds)),
        ("right options", _format_counts(description.right_options)),
        (
            "verification stems",
            f"{description.verification_stems:,}" if description.options_a_question else "",
        ),
        ("stems ask for", _format_counts(description.asks_for)),
        ("options changed by", _format_counts(description.option_strategies)),
        ("questions changed by", _format_counts(description.question_strategies)),
        (
            "sentences",
            f"{description.sentences:,} of "
            f"{_format_mean(description.mean_sentence_characters)} characters",
        ),
        ("licence", description.license),
        ("sha256", description.sha256),
    ]
    return [(name, text) for name, text in rows if text]


def _format_total(total: int, kinds: Mapping[str, int]) -> str:
    return f"{total:,} ({_format_counts(kinds)})" if kinds else f"{total:,}"


def _length_rows(description: Description) -> list[tuple[str, ...]]:
    rows = [
        (
            name,
            f"{kind.texts:,}",
            _format_mean(kind.mean_characters),
            f"{kind.max_characters:,}",
            _format_mean(kind.mean_words),
            f"{kind.max_words:,}",
            f"{kind.vocabulary:,}",
        )
        for name, kind in description.lengths.items()
        if kind.texts
    ]
    return [*rows, ("all", "", "", "", "", "", f"{description.total_vocabulary:,}")]


def _evidence_rows(pieces: EvidencePieces) -> list[tuple[str, str]]:
    rows = [("questions with evidence", f"{pieces.questions:,}")]
    claim = "option" if pieces.of_options else "question"
    if pieces.of_options:
        rows = [
            (
                "options with evidence",
                f"{pieces.options:,} of {count_of(pieces.questions, 'question')}",
            ),
            ("pieces per option", f"{pieces.mean_pieces_an_option:.1f}"),
        ]
    rows.append(("pieces per question", f"{pieces.mean_pieces_a_question:.1f}"))
    several = f"{pieces.share_with_several:.0%} ({_format_counts(pieces.pieces_of_options)})"
    rows.append((f"{claim}s with several pieces", several))
    if pieces.references > pieces.options:
        references = f"{pieces.references:,}, each enough; pieces are those of the first"
        rows.append(("references", references))
    if pieces.distances:
        rows.append(
            (
                "sentence distance between pieces",
                f"{min(pieces.distances)} to {max(pieces.distances)}, "
                f"mean {pieces.mean_distance:.1f}",
            )
        )
    return rows


def _format_counts(counts: Mapping[str, int] | Mapping[int, int]) -> str:
    return ", ".join(f"{_format_key(key)} {n:,}" for key, n in counts.items())


def _format_key(key: str | int) -> str:
    """Format a counted value; a number gets a colon, to separate it from its count."""
    if isinstance(key, int) and key:
        return f"{key}:"
    return _LANGUAGES.get(str(key), str(key or "none"))


def _format_mean(value: float | None) -> str:
    return "—" if value is None else f"{value:,.1f}"
