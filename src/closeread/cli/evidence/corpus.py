"""``closeread evidence --corpus`` and ``--build-corpus``: search a corpus of passages."""

from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from closeread.cli.evidence.methods import Method
from closeread.cli.evidence.numbers import output_as_json
from closeread.cli.evidence.selection import Selection
from closeread.cli.evidence.view import wrap_block
from closeread.cli.terminal.known_words import warn_unknown_words
from closeread.cli.terminal.numbers import align_columns, print_notes, scores_as_json, summary_cells
from closeread.cli.terminal.output import make_console, print_json, remark
from closeread.cli.terminal.progress import progress
from closeread.formats.files.output_place import must_take_folder
from closeread.metrics.evidence import MAIN_VALUES
from closeread.runs.records import DatasetInfo
from closeread.system.checksums import sha256_of
from closeread.types import Dataset, Question
from closeread.wording import count_of, in_one_line

if TYPE_CHECKING:
    from closeread.pipeline.from_corpus import ClaimEvidence


def check_corpus_folder(folder: Path) -> None:
    """Check, before a data set is opened, that a corpus can be written."""
    from closeread.evidence import corpus

    corpus.check_can_build(folder)
    must_take_folder(folder)


def build_corpus(dataset: Dataset, folder: Path, json_: bool) -> None:
    """Write the passages of a data set as a corpus."""
    from closeread.evidence.corpus import build_corpus

    count = build_corpus((passage for passage, _ in dataset), folder)
    if json_:
        print_json({"corpus": str(folder), "passages": count})
    else:
        click.echo(folder)
        remark(count_of(count, "passage"))


def search_corpus(
    selection: Selection,
    folder: Path,
    methods: list[Method],
    *,
    passages: int,
    out: Path | None,
    workers: int,
    intervals: bool,
    json_: bool,
) -> None:
    """Search the corpus for every claim's evidence, and print the scores."""
    from closeread.formats.files.atomic_write import replacing
    from closeread.metrics.intervals import Resampling
    from closeread.pipeline.from_corpus import CorpusScorer, extract_from_corpus

    if len(methods) > 1:
        raise click.UsageError("--corpus needs exactly one --retriever")
    (method,) = methods
    warn_unknown_words(selection.items(), method.name, method.options)
    scorer = CorpusScorer(passages, Resampling() if intervals else None)
    question_results: list[tuple[Question, tuple[ClaimEvidence, ...], dict[str, Any]]] = []
    with ExitStack() as stack:
        advance = stack.enter_context(progress(method.name, None))
        stream = stack.enter_context(replacing(out)) if out is not None else None
        for passage, question, claimed in extract_from_corpus(
            selection.items(), folder, method.name, method.given_options,
            passages=passages, label=selection.label, workers=workers, advance=advance,
        ):  # fmt: skip
            scorer.add(passage, question, claimed, only=selection.label)
            line = {
                "question_id": question.question_id,
                "evidence": [_claim_as_json(claim_evidence) for claim_evidence in claimed],
            }
            if stream is not None:
                stream.write(msgspec.json.encode(line) + b"\n")
            if selection.question is not None:
                question_results.append((question, claimed, line))
        selection.must_have(scorer.claims)
    if not json_:
        for question, claimed, _ in question_results:
            _print_claims(question, claimed)
    lines = [line for _, _, line in question_results]
    _print(selection.info(), folder, method, scorer, out=out, evidence_lines=lines, json_=json_)


def _claim_as_json(claim_evidence: "ClaimEvidence") -> dict[str, Any]:
    return {
        "option_label": claim_evidence.option_label,
        "score": claim_evidence.score,
        "passages": claim_evidence.passages,
        "sentences": claim_evidence.sentences,
    }


def _print_claims(question: Question, claimed: "Iterable[ClaimEvidence]") -> None:
    """Print a question's claims, each with its sentences and their passage ids."""
    from closeread.evidence.query import query_text

    out = make_console()
    options = {option.label: option for option in question.options}
    for claim_evidence in claimed:
        option = options.get(claim_evidence.option_label)
        click.echo(in_one_line(f"── {question.question_id} {claim_evidence.option_label}".rstrip()))
        click.echo(in_one_line(query_text(question, option)))
        for piece in claim_evidence.sentences:
            for line in wrap_block(
                f"  {in_one_line(piece.passage_id)}:", "", piece.text, out.width
            ):
                click.echo(line.plain)
        click.echo("" if claim_evidence.sentences else "  —\n")


def _print(
    info: DatasetInfo,
    folder: Path,
    method: Method,
    scorer: Any,
    *,
    out: Path | None,
    evidence_lines: list[dict[str, Any]],
    json_: bool,
) -> None:
    metrics = scorer.summaries()
    counts = {
        "claims": scorer.claims,
        "with_evidence": scorer.with_evidence,
        "all_in_own_passage": scorer.all_own,
    }
    if json_:
        from closeread.evidence.corpus import PASSAGES

        print_json(
            scores_as_json(info, metrics)
            | {
                "corpus": str(folder),
                "corpus_sha256": sha256_of(folder / PASSAGES),
                "retriever": method.as_json(),
                **counts,
            }
            | ({"evidence": msgspec.to_builtins(evidence_lines)} if evidence_lines else {})
            | output_as_json(out)
        )
        return
    questions, claims = count_of(info.n_questions, "question"), count_of(scorer.claims, "claim")
    click.echo(in_one_line(f"{info.name}: {questions}, {claims}") + "\n")
    rows = [summary_cells(name, summary)[:3] for name, summary in metrics.items()]
    lines = align_columns(("metric", "percent", "scored"), rows)
    click.echo("\n".join(lines))
    print_notes(metrics.values())
    click.echo(
        f"\n{count_of(scorer.with_evidence, 'claim')} with evidence; {scorer.all_own:,} of them "
        "with all of it in the question's own passage"
    )
    if metrics.keys().isdisjoint(MAIN_VALUES):
        remark("the data set has no gold evidence: only passages are scored")
    if scorer.claims and not any(summary.value for summary in metrics.values()):
        remark(f"no claim's own passage was found: {folder} may be the corpus of another data set")
