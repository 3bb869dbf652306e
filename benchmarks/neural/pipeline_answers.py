"""The span reader's answers against those of the pipeline that transformers once had.

``.venv-neural/bin/python -m benchmarks.neural.pipeline_answers MODEL DATASET [QUESTIONS] [WORDS]``:
the same weights and questions; with WORDS, paragraphs of one article are joined until they have
that many. Each side reads as it does when nothing is said, and ours once more with answers of at
most 15 tokens, as the pipeline gives. Prints `squad` of each, the paired difference to the pipeline
with its standard error over passages, how many answers are the same at the same place, and how many
of the pipeline's scores are no probabilities.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice

import closeread
from benchmarks.arguments import COUNT, NAMED, begin
from benchmarks.neural.encoder import Peer, questions
from closeread import Answer, Prediction
from closeread.registry.factory import make
from closeread.types import PassageQuestion

ALL = 1 << 30
SIDES = {"ours": {}, "ours, 15 tokens": {"max_answer_tokens": 15}}


def main(model: str, dataset: str, most: int = 0, words: int = 0) -> None:
    """Read with all sides and print what they come to."""
    items = list(islice(questions(dataset, words, ALL), most or None))
    peer = Peer(model, items)
    told = peer.told("own", 0)["answers"]
    peer.close()
    answers = {"pipeline": [(text, start) for text, start, _ in told]}
    for name, options in SIDES.items():
        reader = closeread.open_reader("span", model=model, null="off", **options)
        found = reader.ask_all((question.text, passage.text) for passage, question in items)
        answers[name] = [place(one) for one in found]
    print(f"{len(items)} questions on {len({passage.text for passage, _ in items})} passages")
    values = {name: scored(items, of) for name, of in answers.items()}
    for name, of in values.items():
        same = sum(a == b for a, b in zip(answers[name], answers["pipeline"], strict=True))
        line = f"{name}: {same} as the pipeline"
        for value in ("em", "f1"):
            difference, error = paired(items, of[value], values["pipeline"][value])
            mean = 100 * sum(of[value]) / len(items)
            line += f"; {value} {mean:.1f} ({difference:+.1f} ± {error:.1f})"
        print(line)
    above = [score for *_, score in told if score > 1]
    print(f"scores of the pipeline above 1: {len(above)}, up to {max(above, default=0):.2f}")


def place(told: Prediction) -> tuple[str, int]:
    """Return an answer and its first character; a reader that fails ends it here."""
    if told.answer is None:
        raise SystemExit(f"question {told.question_id}: {told.error}")
    return told.answer.text, told.answer.spans[0].start


def scored(
    items: Sequence[PassageQuestion], answers: Sequence[tuple[str, int]]
) -> Mapping[str, Sequence[float]]:
    """Return the values of each question, by name."""
    metric, _ = make("metric", "squad")
    rows: dict[str, list[float]] = {"em": [], "f1": []}
    for (_, question), (text, _) in zip(items, answers, strict=True):
        answer = Answer(kind="span", texts=(text,))
        found = metric.score(question, Prediction(question_id=question.question_id, answer=answer))
        for name, kept in rows.items():
            kept.append(found.values[name])
    return rows


def paired(
    items: Sequence[PassageQuestion], ours: Sequence[float], theirs: Sequence[float]
) -> tuple[float, float]:
    """Return the mean difference and its standard error over passages, in percent."""
    rows = [a - b for a, b in zip(ours, theirs, strict=True)]
    mean = sum(rows) / len(rows)
    sums: dict[str, float] = defaultdict(float)
    for (passage, _), row in zip(items, rows, strict=True):
        sums[passage.text] += row - mean
    return 100 * mean, 100 * math.sqrt(sum(one * one for one in sums.values())) / len(rows)


if __name__ == "__main__":
    begin(__doc__, main, model=NAMED, dataset=NAMED, questions=COUNT, words=COUNT)
