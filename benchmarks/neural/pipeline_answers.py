"""The span reader's answers against those of the pipeline that transformers once had.

``.venv-neural/bin/python -m benchmarks.neural.pipeline_answers MODEL DATASET [QUESTIONS] [WORDS]``:
the same weights and questions; with WORDS, paragraphs of one article are joined until they have
that many. Each side reads with its defaults, and ours once more with answers of at most 15 tokens,
as the pipeline gives. Prints `squad` of each, the paired difference to the pipeline with its
standard error over passages, how many answers are the same at the same place, and how many of the
pipeline's scores are no probabilities.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice

import closeread
from benchmarks.arguments import OPTIONAL_COUNT, TEXT, run_main
from benchmarks.neural.encoder import iter_items
from benchmarks.neural.pipeline_peer import PipelinePeer
from closeread import Answer, Prediction
from closeread.metrics.squad import metric
from closeread.types import PassageQuestion

ALL_QUESTIONS = 1 << 30
SQUAD = metric()
SIDES: dict[str, dict[str, int]] = {"ours": {}, "ours, 15 tokens": {"max_answer_tokens": 15}}
Place = tuple[str, int]  # an answer and its first character


def main(model: str, dataset: str, n_questions: int = 0, n_words: int = 0) -> None:
    """Read with all sides and print the comparison."""
    items = list(islice(iter_items(dataset, n_words, ALL_QUESTIONS), n_questions or None))
    peer = PipelinePeer(model, items)
    rows = peer.run_pass("own", 0)["answers"]
    peer.close()
    answers: dict[str, list[Place]] = {"pipeline": [(text, start) for text, start, _ in rows]}
    for side, settings in SIDES.items():
        reader = closeread.open_reader("span", model=model, null="off", **settings)
        predictions = reader.ask_all((question.text, passage.text) for passage, question in items)
        answers[side] = [place_of(prediction) for prediction in predictions]
    print(f"{len(items)} questions on {len({passage.text for passage, _ in items})} passages")
    values = {side: score_answers(items, places) for side, places in answers.items()}
    for side, side_values in values.items():
        n_same = sum(a == b for a, b in zip(answers[side], answers["pipeline"], strict=True))
        line = f"{side}: {n_same} as the pipeline"
        for name, of_questions in side_values.items():
            difference, error = paired_difference(items, of_questions, values["pipeline"][name])
            mean = 100 * sum(of_questions) / len(items)
            line += f"; {name} {mean:.1f} ({difference:+.1f} ± {error:.1f})"
        print(line)
    above = [score for *_, score in rows if score > 1]
    print(f"scores of the pipeline above 1: {len(above)}, up to {max(above, default=0):.2f}")


def place_of(prediction: Prediction) -> Place:
    """Return an answer and its first character.

    Raises:
        SystemExit: The reader failed.
    """
    if prediction.answer is None:
        raise SystemExit(f"question {prediction.question_id}: {prediction.error}")
    return prediction.answer.text, prediction.answer.spans[0].start


def score_answers(
    items: Sequence[PassageQuestion], answers: Sequence[Place]
) -> Mapping[str, Sequence[float]]:
    """Return each question's values, by name."""
    values: dict[str, list[float]] = {"em": [], "f1": []}
    for (_, question), (text, _) in zip(items, answers, strict=True):
        answer = Answer(kind="span", texts=(text,))
        score = SQUAD.score(question, Prediction(question_id=question.question_id, answer=answer))
        for name, of_questions in values.items():
            of_questions.append(score.values[name] or 0.0)
    return values


def paired_difference(
    items: Sequence[PassageQuestion], ours: Sequence[float], theirs: Sequence[float]
) -> tuple[float, float]:
    """Return the mean difference and its standard error over passages, in percent."""
    differences = [a - b for a, b in zip(ours, theirs, strict=True)]
    mean = sum(differences) / len(differences)
    sums: dict[str, float] = defaultdict(float)
    for (passage, _), difference in zip(items, differences, strict=True):
        sums[passage.text] += difference - mean
    error = math.sqrt(sum(value * value for value in sums.values())) / len(differences)
    return 100 * mean, 100 * error


if __name__ == "__main__":
    run_main(
        __doc__,
        main,
        model=TEXT, dataset=TEXT, questions=OPTIONAL_COUNT, words=OPTIONAL_COUNT,
    )  # fmt: skip
