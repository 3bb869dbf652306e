"""``closeread evidence`` over a corpus of passages instead of each question's own."""

from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from closeread.cli.evidence.methods import Method
from closeread.cli.evidence.numbers import lines_told
from closeread.cli.evidence.selection import Chosen
from closeread.cli.evidence.view import block
from closeread.cli.terminal.known_words import tell_known_words
from closeread.cli.terminal.numbers import aligned, contract, print_notes, row
from closeread.cli.terminal.output import as_json, console, remark
from closeread.cli.terminal.progress import progress
from closeread.formats.files.output_place import must_take_folder
from closeread.metrics.evidence import MAIN_VALUES
from closeread.runs.records import DatasetInfo
from closeread.system.checksums import sha256_of
from closeread.types import Dataset, Question
from closeread.wording import count_of, in_one_line

if TYPE_CHECKING:
    from closeread.pipeline.from_corpus import ClaimEvidence


def must_be_free(folder: Path) -> None:
    """Find out, before a data set is opened, whether a corpus can be written."""
    from closeread.evidence import corpus

    corpus.check_can_build(folder)
    must_take_folder(folder)


def build_corpus(dataset: Dataset, folder: Path, json_: bool) -> None:
    """Write the passages of a data set as a corpus."""
    from closeread.evidence.corpus import build_corpus

    count = build_corpus((passage for passage, _ in dataset), folder)
    if json_:
        as_json({"corpus": str(folder), "passages": count})
    else:
        click.echo(folder)
        remark(count_of(count, "passage"))


def search_corpus(
    chosen: Chosen,
    folder: Path,
    methods: list[Method],
    *,
    passages: int,
    out: Path | None,
    workers: int,
    intervals: bool,
    json_: bool,
) -> None:
    """Seek every claim's evidence in the corpus; print how often it is found, and its worth."""
    from closeread.formats.files.atomic_write import replacing
    from closeread.metrics.intervals import Resampling
    from closeread.pipeline.from_corpus import CorpusScorer, extract_from_corpus

    if len(methods) > 1:
        raise click.UsageError("--corpus takes one retriever")
    (method,) = methods
    tell_known_words(chosen.items(), method.name, method.options)
    scorer = CorpusScorer(passages, Resampling() if intervals else None)
    asked: list[tuple[Question, tuple[ClaimEvidence, ...], dict[str, Any]]] = []
    with ExitStack() as stack:
        advance = stack.enter_context(progress(method.name, None))
        stream = stack.enter_context(replacing(out)) if out is not None else None
        for passage, question, said in extract_from_corpus(
            chosen.items(), folder, method.name, method.given,
            passages=passages, label=chosen.label, workers=workers, advance=advance,
        ):  # fmt: skip
            scorer.add(passage, question, said, only=chosen.label)
            line = {"question_id": question.question_id, "evidence": [_row(one) for one in said]}
            if stream is not None:
                stream.write(msgspec.json.encode(line) + b"\n")
            if chosen.question is not None:
                asked.append((question, said, line))
        chosen.must_have(scorer.claims)
    if not json_:
        for question, said, _ in asked:
            _view(question, said)
    lines = [line for _, _, line in asked]
    _print(chosen.info(), folder, method, scorer, out=out, asked=lines, json_=json_)


def _row(claimed: "ClaimEvidence") -> dict[str, Any]:
    return {
        "option_label": claimed.option_label,
        "score": claimed.score,
        "passages": claimed.passages,
        "sentences": claimed.sentences,
    }


def _view(question: Question, said: "Iterable[ClaimEvidence]") -> None:
    """Print a question's claims, and behind each its sentences with their passages' ids."""
    from closeread.evidence.query import query_text

    out = console()
    options = {option.label: option for option in question.options}
    for one in said:
        option = options.get(one.option_label)
        click.echo(in_one_line(f"── {question.question_id} {one.option_label}".rstrip()))
        click.echo(in_one_line(query_text(question, option)))
        for piece in one.sentences:
            for line in block(f"  {in_one_line(piece.passage_id)}:", "", piece.text, out.width):
                click.echo(line.plain)
        click.echo("" if one.sentences else "  —\n")


def _print(
    info: DatasetInfo,
    folder: Path,
    method: Method,
    scorer: Any,
    *,
    out: Path | None,
    asked: list[dict[str, Any]],
    json_: bool,
) -> None:
    metrics = scorer.summaries()
    told = {
        "claims": scorer.claims,
        "with_evidence": scorer.with_evidence,
        "all_in_own_passage": scorer.all_own,
    }
    if json_:
        from closeread.evidence.corpus import PASSAGES

        as_json(
            contract(info, metrics)
            | {
                "corpus": str(folder),
                "corpus_sha256": sha256_of(folder / PASSAGES),
                "retriever": method.told(),
                **told,
            }
            | ({"evidence": msgspec.to_builtins(asked)} if asked else {})
            | lines_told(out)
        )
        return
    questions, claims = count_of(info.n_questions, "question"), count_of(scorer.claims, "claim")
    click.echo(in_one_line(f"{info.name}: {questions}, {claims}") + "\n")
    rows = [row(name, summary)[:3] for name, summary in metrics.items()]
    lines = aligned(("metric", "percent", "scored"), rows)
    click.echo("\n".join(lines))
    print_notes(metrics.values())
    click.echo(
        f"\n{count_of(scorer.with_evidence, 'claim')} with evidence; of {scorer.all_own:,} all "
        "of it is in their own passage"
    )
    if metrics.keys().isdisjoint(MAIN_VALUES):
        remark("the data set has no gold evidence: only passages are scored")
    if scorer.claims and not any(one.value for one in metrics.values()):
        remark(f"no claim's own passage was found: {folder} may be a corpus of other texts")
