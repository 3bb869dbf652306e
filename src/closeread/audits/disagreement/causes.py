"""Why scorers disagree about an answer: the differences to remove until they agree."""

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

_MOST_EXAMINED = 1500  # disagreeing questions whose cause is looked for

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
    apart: Sequence[tuple[Question, float]],
    exact: frozenset[str],
) -> tuple[dict[str, list[str]], int]:
    """Return the questions of each cause, and how many were looked at."""
    step = max(1, -(-len(apart) // _MOST_EXAMINED))
    named = apart[::step]
    found: dict[str, list[str]] = {}
    for question, how_far in named:
        prediction = run.predictions.get(question.question_id)
        cause = _find_cause(question, prediction, metrics, how_far, exact)
        found.setdefault(cause, []).append(question.question_id)
    return dict(sorted(found.items(), key=lambda item: -len(item[1]))), len(named)


def _find_cause(
    question: Question,
    prediction: Prediction | None,
    metrics: Mapping[str, Metric],
    how_far: float,
    exact: frozenset[str],
) -> str:
    """Name the repairs that bring the scorers nearer, up to the one that makes them agree."""
    if prediction is None or prediction.answer is None:
        return "no answer"
    predicted = prediction.answer.texts
    golds: Golds = tuple(answer.texts for answer in question.answers)
    needed = []
    for name, repair in _REPAIRS:
        changed = repair(predicted, golds)
        if changed == (predicted, golds):
            continue
        nearer = _remaining_distance(question, *changed, metrics, exact)
        if nearer < how_far - TOLERANCE:
            needed.append(name)
            (predicted, golds), how_far = changed, nearer
            if how_far <= TOLERANCE:
                return " + ".join(needed)
    rest = "one contains the other" if _contains(predicted, golds) else "rules of the scorers"
    return " + ".join([*needed[:1], rest]) if needed else rest


def _remaining_distance(
    question: Question,
    predicted: Texts,
    golds: Golds,
    metrics: Mapping[str, Metric],
    exact: frozenset[str],
) -> float:
    asked = msgspec.structs.replace(
        question, answers=tuple(Answer(kind="spans", texts=gold) for gold in golds)
    )
    answer = Answer(kind="spans", texts=predicted)
    prediction = Prediction(question_id=question.question_id, answer=answer)
    row: dict[str, float] = {}
    for family, metric in metrics.items():
        try:
            row |= score_values(metric, family, asked, prediction)
        except ScorerError:
            continue
    return distance(row, exact)


def is_boundary_error(run: Subject, question: Question) -> bool:
    """Whether an answer is a piece of the passage, longer or shorter than a gold answer.

    This is the reader's error, about which scorers disagree by design.
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
    """Return a text without what scorers may leave out: marks, blanks, case, articles."""
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())
    return "".join(word for word in words if word not in ARTICLES)


def _contains(predicted: Texts, golds: Golds) -> bool:
    text = " ".join(predicted).lower()
    return any(
        gold and (gold.lower() in text or (text and text in gold.lower()))
        for texts in golds
        for gold in texts
    )
