"""Recompute the attention of masking retrievers for the runs on a report page.

A run keeps the evidence, not the weights that led to it (Figure 1 of Zhang et al. 2021). These come
from the same retriever with the same options, if it still finds the run's evidence.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from closeread.errors import CloseReadError
from closeread.evidence.query import label_of, query_text
from closeread.pipeline.extract import claimed_options
from closeread.registry.factory import make
from closeread.reports.material import Attention, Material, RunView
from closeread.runs.plan import strip_passage, strip_question
from closeread.types import Passage, Prediction, Question
from closeread.wording import count_of

# The reader that returns a retriever's evidence unchanged, with that retriever's options.
_READER = "evidence"
_MASKING = ("hard-masking", "soft-masking")


def retriever_attention(
    retriever: Any, passage: Passage, question: Question, label: str | None = None
) -> dict[str, Attention]:
    """Return the retriever's attention by option label; empty if it has no steps.

    Args:
        retriever: Any retriever; masking ones have ``steps``.
        passage: The passage.
        question: The question; its gold is hidden from the retriever.
        label: Only this option.
    """
    if not hasattr(retriever, "steps"):
        return {}
    by_label = {}
    question, passage = strip_question(question), strip_passage(passage)
    for option in claimed_options(question, label):
        steps = tuple(
            (tuple((word.span, weight) for word, weight in step.weights), step.sentence)
            for step in retriever.steps(question, passage, option)
        )
        by_label[label_of(option)] = Attention(query=query_text(question, option), steps=steps)
    return by_label


def add_attention(material: Material, say: Callable[[str], None]) -> None:
    """Add the attention of masking retrievers to the runs of a page.

    Args:
        material: The content of the page; its runs are changed.
        say: Called with a line for each run whose attention cannot be recomputed.
    """
    for run in material.runs:
        options = run.info.reader.options
        if run.info.reader.name == _READER and options.get("retriever") in _MASKING:
            try:
                n_different = _add_to_run(material, run, options)
            except CloseReadError as error:
                say(f"{run.name}: shown without the retriever's steps: {error.found}")
                continue
            if n_different:
                say(
                    f"{run.name}: shown without the retriever's steps for "
                    f"{count_of(n_different, 'question')}, because the retriever now finds "
                    "different evidence"
                )


def _add_to_run(material: Material, run: RunView, options: Mapping[str, Any]) -> int:
    """Add attention to one run; return the number of questions with different evidence now."""
    retriever_options = {name: value for name, value in options.items() if name != "retriever"}
    retriever, _ = make("retriever", str(options["retriever"]), retriever_options)
    n_different = 0
    for row in material.rows:
        result = run.results.get(row.question.question_id)
        if row.place != run.place or row.passage < 0 or result is None:
            continue
        attention = retriever_attention(retriever, material.passages[row.passage], row.question)
        if _is_same_evidence(attention, result.prediction):
            run.results[row.question.question_id] = replace(result, attention=attention)
        else:
            n_different += 1
    return n_different


def _is_same_evidence(attention: Mapping[str, Attention], prediction: Prediction) -> bool:
    spans_of = {piece.option_label: sorted(piece.spans) for piece in prediction.evidence}
    return spans_of == {
        label: sorted(span for _, span in piece.steps) for label, piece in attention.items()
    }
