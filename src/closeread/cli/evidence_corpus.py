"""``closeread evidence`` over a corpus of passages instead of each question's own."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click
import msgspec

from closeread.cli.evidence_methods import Method
from closeread.cli.output import as_json, progress, remark
from closeread.types import Dataset, Item, Passage, Question


def build_corpus(dataset: Dataset, folder: Path, json_: bool) -> None:
    """Write the passages of a data set as a corpus."""
    from closeread.evidence.corpus import build

    count = build((passage for passage, _ in dataset), folder)
    if json_:
        as_json({"corpus": str(folder), "passages": count})
    else:
        click.echo(folder)
        remark(f"{count:,} passages")


def extract_from_corpus(
    items: Iterable[Item],
    folder: Path,
    method: Method,
    *,
    passages: int,
    label: str | None,
    out: Path | None,
    json_: bool,
) -> None:
    """Seek every claim's evidence in the corpus; count how much of it is in its own passage."""
    from closeread.formats.registry import replacing

    claims = found = own = 0
    with ExitStack() as stack:
        bar = stack.enter_context(progress(method.name, None))
        stream = stack.enter_context(replacing(out)) if out is not None else None
        for passage, question, rows in _rows(items, folder, method, passages, label):
            claims += len(rows)
            found += sum(bool(row["sentences"]) for row in rows)
            own += sum(
                bool(row["sentences"])
                and all(one["passage_id"] == passage.passage_id for one in row["sentences"])
                for row in rows
            )
            if stream is not None:
                line = {"question_id": question.question_id, "evidence": rows}
                stream.write(msgspec.json.encode(line) + b"\n")
            bar.advance(1)
    told = {"claims": claims, "with_evidence": found, "all_in_own_passage": own}
    if json_:
        as_json({"corpus": str(folder), "retriever": method.name, **told})
        return
    click.echo(
        f"{claims:,} claims, {found:,} with evidence; of {own:,} all of it is in their own passage"
    )


def _rows(
    items: Iterable[Item], folder: Path, method: Method, passages: int, label: str | None
) -> Iterator[tuple[Passage, Question, list[dict[str, Any]]]]:
    from closeread.evidence.corpus import Corpus, evidence_from
    from closeread.pipeline.extract import wanted_options
    from closeread.runs.plan import stripped

    corpus = Corpus(folder)
    for passage, questions in items:
        for question in questions:
            shown = stripped(question)
            rows = []
            for option in wanted_options(shown, label):
                sources, evidence = evidence_from(
                    corpus, method.retriever, shown, option,
                    language=passage.language, passages=passages,
                )  # fmt: skip
                rows.append(
                    {
                        "option_label": option.label if option is not None else "",
                        "score": evidence.score if evidence is not None else None,
                        "sentences": [
                            {
                                "passage_id": one.passage.passage_id,
                                "span": one.span,
                                "text": one.span.of(one.passage.text),
                            }
                            for one in sources
                        ],
                    }
                )
            yield passage, question, rows
