"""Find why scorers disagree about an answer, by removing differences until they agree."""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence

import msgspec

from closeread.audits.disagreement.divergence import TOLERANCE, ScorerError, distance, score_values
from closeread.audits.subject import Subject
from closeread.metrics.others.foreign import extract_answer
from closeread.protocols import Metric
from closeread.text.normalize import ARTICLES
from closeread.text.normalize_drop_mended import by_number, first_line
from closeread.types import Answer, Prediction, Question

_MAX_EXAMINED = 1500  # questions; of more, evenly spaced ones are examined

Texts = tuple[str, ...]
Golds = tuple[Texts, ...]


def _edit_all_texts(edit: Callable[[str], str]) -> Callable[[Texts, Golds], tuple[Texts, Golds]]:
    """Apply an edit to the prediction and to every gold answer."""

    def repair(predicted: Texts, golds: Golds) -> tuple[Texts, Golds]:
        return tuple(map(edit, predicted)), tuple(tuple(map(edit, gold)) for gold in golds)

    return repair


def _edit_prediction(edit: Callable[[str], str]) -> Callable[[Texts, Golds], tuple[Texts, Golds]]:
    return lambda predicted, golds: (tuple(map(edit, predicted)), golds)


def _keep_one_span(predicted: Texts, golds: Golds) -> tuple[Texts, Golds]:
    """Keep the gold answers of one span, and one predicted span."""
    return predicted[:1], tuple(gold[:1] for gold in golds)


def _normalize_number(text: str) -> str:
    return by_number(text).text if any(map(str.isdigit, text)) else text


# Possible causes of disagreement, removed one after the other until the scorers agree.
_REPAIRS: tuple[tuple[str, Callable[[Texts, Golds], tuple[Texts, Golds]]], ...] = (
    ("several spans", _keep_one_span),
    ("text on further lines", _edit_prediction(first_line)),
    ("words before `Answer:`", _edit_prediction(extract_answer)),
    ("white space", _edit_all_texts(lambda text: " ".join(text.split()))),
    ("full-width forms", _edit_all_texts(lambda text: unicodedata.normalize("NFKC", text))),
    ("how numbers are written", _edit_all_texts(_normalize_number)),
    ("punctuation", _edit_all_texts(lambda text: "".join(
        " " if character in "-\u2013\u2014" else character for character in text
        if character.isalnum() or character.isspace() or character in "-\u2013\u2014."
    ).strip(" ."))),
    ("case", _edit_all_texts(str.lower)),
    ("articles", _edit_all_texts(
        lambda text: " ".join(word for word in text.split() if word.lower() not in ARTICLES)
    )),
)  # fmt: skip


def find_causes(
    run: Subject,
    metrics: Mapping[str, Metric],
    disagreements: Sequence[tuple[Question, float]],
    exact: frozenset[str],
) -> tuple[dict[str, list[str]], int]:
    """Return the question ids by cause, the most common cause first, and the number examined.

    Args:
        run: The run.
        metrics: The scorers by family.
        disagreements: Questions with the distance of their scores.
        exact: The names of values that are 0 or 1.
    """
    step = max(1, -(-len(disagreements) // _MAX_EXAMINED))
    examined = disagreements[::step]
    ids_by_cause: dict[str, list[str]] = {}
    for question, gap in examined:
        prediction = run.predictions.get(question.question_id)
        cause = _find_cause(question, prediction, metrics, gap, exact)
        ids_by_cause.setdefault(cause, []).append(question.question_id)
    return dict(sorted(ids_by_cause.items(), key=lambda item: -len(item[1]))), len(examined)


def _find_cause(
    question: Question,
    prediction: Prediction | None,
    metrics: Mapping[str, Metric],
    gap: float,
    exact: frozenset[str],
) -> str:
    """Return the names of the repairs that reduce the distance until the scorers agree."""
    if prediction is None or prediction.answer is None:
        return "no answer"
    predicted = prediction.answer.texts
    golds: Golds = tuple(answer.texts for answer in question.answers)
    effective_repairs = []
    for name, repair in _REPAIRS:
        repaired = repair(predicted, golds)
        if repaired == (predicted, golds):
            continue
        new_gap = _remaining_distance(question, *repaired, metrics, exact)
        if new_gap < gap - TOLERANCE:
            effective_repairs.append(name)
            (predicted, golds), gap = repaired, new_gap
            if gap <= TOLERANCE:
                return " + ".join(effective_repairs)
    remaining_cause = (
        "one contains the other" if _contains(predicted, golds) else "rules of the scorers"
    )
    return (
        " + ".join([*effective_repairs[:1], remaining_cause])
        if effective_repairs
        else remaining_cause
    )


def _remaining_distance(
    question: Question,
    predicted: Texts,
    golds: Golds,
    metrics: Mapping[str, Metric],
    exact: frozenset[str],
) -> float:
    repaired_question = msgspec.structs.replace(
        question, answers=tuple(Answer(kind="spans", texts=gold) for gold in golds)
    )
    answer = Answer(kind="spans", texts=predicted)
    prediction = Prediction(question_id=question.question_id, answer=answer)
    values: dict[str, float] = {}
    for family, metric in metrics.items():
        try:
            values |= score_values(metric, family, repaired_question, prediction)
        except ScorerError:
            continue
    return distance(values, exact)


def is_boundary_error(run: Subject, question: Question) -> bool:
    """Whether an answer is a piece of the passage, longer or shorter than a gold answer.

    Scorers disagree by design about such errors of the reader.
    """
    prediction = run.predictions.get(question.question_id)
    if prediction is None or prediction.answer is None:
        return False
    predicted = prediction.answer.texts
    passage = run.passages[question.passage_id].text
    if not any(map(str.isalpha, "".join(predicted))) or not all(
        text in passage for text in predicted
    ):
        return False
    text = "".join(map(_normalize, predicted))
    golds = {"".join(map(_normalize, answer.texts)) for answer in question.answers} - {""}
    return text not in golds and any(gold in text or text in gold for gold in golds)


def _normalize(text: str) -> str:
    """Return a text without the punctuation, blanks, case and articles that scorers may ignore."""
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())
    return "".join(word for word in words if word not in ARTICLES)


def _contains(predicted: Texts, golds: Golds) -> bool:
    text = " ".join(predicted).lower()
    return any(
        gold and (gold.lower() in text or (text and text in gold.lower()))
        for texts in golds
        for gold in texts
    )
