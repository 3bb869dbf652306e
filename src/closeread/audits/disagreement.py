"""All scorers over one set of answers: where they part, by named cause, and how ranks move."""

import unicodedata
from collections.abc import Callable, Mapping, Sequence

import msgspec

from closeread import catalog
from closeread.audits.disagreement_tables import (
    cause_table,
    matrix_tables,
    order_table,
    run_table,
    value_table,
)
from closeread.audits.findings import Finding, Verdict
from closeread.audits.material import Subject, most_are_chinese, of_texts, other_languages
from closeread.errors import CloseReadError
from closeread.metrics.others.foreign import after_answer
from closeread.protocols import Metric
from closeread.text.mend_drop import by_number, first_line
from closeread.text.normalize import ARTICLES
from closeread.types import Answer, Prediction, Question

ENGLISH = (
    "drop", "drop~whitespace", "drop~number", "drop~firstline", "drop~fixed", "squad", "lm-eval",
    "lighteval", "inspect", "simple-evals", "opencompass", "evaluate",
)  # fmt: skip
CHINESE = ("squad", "cmrc~mixed", "opencompass", "evaluate", "inspect")
_PARTS = 0.01  # scores further apart than this disagree; official F1 has two decimals
_MOST_NAMED = 1500  # disagreeing questions whose cause is looked for
# Values about some of the questions only, or that are the mean of two others.
_KINDS = ("date", "number", "span", "spans", "average")
_PARTIAL = ("hasans_", "noans_")

Texts = tuple[str, ...]
Golds = tuple[Texts, ...]
Column = list[float | None]  # one place a question; None where the scorer leaves it out


def _texts(edit: Callable[[str], str]) -> Callable[[Texts, Golds], tuple[Texts, Golds]]:
    """Apply an edit to what was said and to every gold answer."""

    def repair(said: Texts, golds: Golds) -> tuple[Texts, Golds]:
        return tuple(map(edit, said)), tuple(tuple(map(edit, gold)) for gold in golds)

    return repair


def _said(edit: Callable[[str], str]) -> Callable[[Texts, Golds], tuple[Texts, Golds]]:
    return lambda said, golds: (tuple(map(edit, said)), golds)


def _one_span(said: Texts, golds: Golds) -> tuple[Texts, Golds]:
    """Keep the gold answers of one span, and one predicted span."""
    return said[:1], tuple(gold[:1] for gold in golds)


def _numbers(text: str) -> str:
    return by_number(text).text if any(map(str.isdigit, text)) else text


# What could keep scorers apart; taken away one after the other until they agree.
REPAIRS: tuple[tuple[str, Callable[[Texts, Golds], tuple[Texts, Golds]]], ...] = (
    ("several spans", _one_span),
    ("text on further lines", _said(first_line)),
    ("words before `Answer:`", _said(after_answer)),
    ("white space", _texts(lambda text: " ".join(text.split()))),
    ("full-width forms", _texts(lambda text: unicodedata.normalize("NFKC", text))),
    ("how numbers are written", _texts(_numbers)),
    ("punctuation", _texts(lambda text: "".join(
        " " if character in "-\u2013\u2014" else character for character in text
        if character.isalnum() or character.isspace() or character in "-\u2013\u2014."
    ).strip(" ."))),
    ("case", _texts(str.lower)),
    ("articles", _texts(
        lambda text: " ".join(word for word in text.split() if word.lower() not in ARTICLES)
    )),
)  # fmt: skip


def check(subjects: Sequence[Subject], names: Sequence[str] = ()) -> Finding:
    """Score every run by every scorer and compare.

    Args:
        subjects: Runs over the same questions; those that ask for text are compared.
        names: Scorers by catalog name; by default all that fit the language.
    """
    texts = [of_texts(one) for one in subjects if one.is_text]
    if not texts:
        return Finding(
            check="disagreement", verdict="skipped", headline="the questions ask for options"
        )
    chosen = names or _defaults(texts[0])
    metrics = {name: catalog.resolve("metric", name)() for name in chosen}
    refused: dict[str, str] = {}
    columns = [_scored(one, metrics, refused) for one in texts]
    values = [
        name
        for name, (family, _) in columns[0].items()
        if family not in refused and all(name in column for column in columns)
    ]
    notes = [f"left out {name}: {why}" for name, why in refused.items()]
    notes += other_languages(texts[0])
    if not values:
        return Finding(
            check="disagreement", verdict="skipped", headline="no scorer judges these questions",
            notes=tuple(notes),
        )  # fmt: skip
    mains = [{name: column[name][1] for name in values} for column in columns]
    means = [{name: _mean(main[name]) for name in values} for main in mains]
    exact = frozenset(name for name in values if _is_exact(name, mains))
    spreads = [_spread(mean, exact) for mean in means]
    aparts = [_questions_apart(one, main, exact) for one, main in zip(texts, mains, strict=True)]
    worst = max(range(len(texts)), key=lambda place: spreads[place][1] - spreads[place][0])
    one, main, apart, (low, high) = texts[worst], mains[worst], aparts[worst], spreads[worst]
    able = {name: metric for name, metric in metrics.items() if name not in refused}
    causes, named = _causes(one, able, apart, exact)
    matrix = _matrix(values, main)
    tables = [
        value_table(values, matrix, means[worst], exact), cause_table(causes, len(apart), named),
        *matrix_tables(values, matrix, exact),
    ]  # fmt: skip
    if len(texts) > 1:
        tables = [run_table(texts, spreads, aparts), *tables, order_table(texts, values, means)]
        notes.insert(0, f"what follows the table of runs is about {one.name}: the widest apart")
    spread = high - low
    verdict: Verdict = "broken" if spread > 0.2 else "doubtful" if spread > 0.02 else "sound"
    if verdict == "sound" and any(
        len(found) > 0.02 * len(of.questions) for of, found in zip(texts, aparts, strict=True)
    ):
        verdict = "doubtful"  # what is lost at some questions may be won at others
    return Finding(
        check="disagreement",
        verdict=verdict,
        headline=(
            f"{one.name}: the same answers score from {100 * low:.2f} to {100 * high:.2f}; "
            f"scorers part at {len(apart):,} of {len(one.questions):,} questions"
        ),
        tables=tuple(tables),
        notes=(
            "exact scores (0 or 1) are compared with exact ones, graded with graded ones",
            *notes,
        ),
        data={
            "run": one.name,
            "means": {one.name: mean for one, mean in zip(texts, means, strict=True)},
            "apart": {one.name: len(apart) for one, apart in zip(texts, aparts, strict=True)},
            "matrix": matrix,
            "causes": {name: len(found) for name, found in causes.items()},
            "questions": causes,
        },
    )


def _defaults(one: Subject) -> tuple[str, ...]:
    names = CHINESE if most_are_chinese(one) else ENGLISH
    none = any(answer.kind == "none" for question in one.questions for answer in question.answers)
    return tuple("squad2" if none and name == "squad" else name for name in names)


def _scored(
    one: Subject, metrics: Mapping[str, Metric], refused: dict[str, str]
) -> dict[str, tuple[str, Column]]:
    """Return every scorer's family and values, one a question, by the value's full name.

    A scorer that refuses a question (SQuAD 1.1 one without answer), or gives what is no fraction,
    is left out as a whole and noted in ``refused``: its mean over the rest would be of other
    questions.
    """
    columns: dict[str, tuple[str, Column]] = {}
    n = len(one.questions)
    for place, question in enumerate(one.questions):
        prediction = one.predictions.get(question.question_id)
        for family, metric in metrics.items():
            if family in refused:
                continue
            try:
                found = _values(metric, family, question, prediction)
            except _Refused as problem:
                refused[family] = str(problem)
                continue
            for name, number in found.items():
                if name not in columns:
                    columns[name] = family, [None] * n
                columns[name][1][place] = number
    return columns


class _Refused(Exception):
    """A scorer cannot judge a question, or says what is no score."""


def _mean(column: Column) -> float:
    numbers = [number for number in column if number is not None]
    return sum(numbers) / len(numbers)


def _spread(means: Mapping[str, float], exact: frozenset[str]) -> tuple[float, float]:
    """Return the lowest and the highest mean of the kind, exact or graded, that is wider apart."""
    kinds = [
        [mean for name, mean in means.items() if (name in exact) is wanted]
        for wanted in (True, False)
    ]
    ends = [(min(kind), max(kind)) for kind in kinds if kind]
    return max(ends, key=lambda pair: pair[1] - pair[0])


def _values(
    metric: Metric, family: str, question: Question, prediction: Prediction | None
) -> dict[str, float]:
    """Return a scorer's values of one question by their full names.

    Raises:
        _Refused: The scorer refuses the question, a stranger's one fails, or a value is no
            fraction.
    """
    try:
        values = metric.score(question, prediction).values
    except CloseReadError as problem:
        raise _Refused(str(problem).partition("\n")[0]) from problem
    except Exception as problem:
        if ":" not in family:  # one of our own: our bug, with its traceback
            raise
        said = " ".join(str(problem).split())
        raise _Refused(f"fails: {type(problem).__name__}: {said}") from problem
    stem, tilde, mend = family.partition("~")
    found = {
        f"{stem}.{name}{tilde}{mend}": number
        for name, number in values.items()
        if number is not None
        and name.rpartition(".")[2] not in _KINDS
        and not name.startswith(_PARTIAL)
    }
    for name, number in found.items():
        if not 0 <= number <= 1:
            raise _Refused(f"{name} is {number:g}, not from 0 to 1")
    return found


def _is_exact(name: str, mains: Sequence[Mapping[str, Column]]) -> bool:
    """Whether a value is by its nature 0 or 1: F1 is not, though it may never be between."""
    if name.partition("~")[0].endswith("f1"):
        return False
    return all(number in (0.0, 1.0, None) for main in mains for number in main[name])


def _apart(row: Mapping[str, float], exact: frozenset[str]) -> float:
    """Return how far apart the exact or the graded scores of one question are."""
    kinds = [
        [number for name, number in row.items() if (name in exact) is wanted]
        for wanted in (True, False)
    ]
    return max((max(part) - min(part) for part in kinds if part), default=0.0)


def _questions_apart(
    one: Subject, columns: Mapping[str, Column], exact: frozenset[str]
) -> list[tuple[Question, float]]:
    """Return the questions at which scorers part, and how far."""
    apart = []
    for place, question in enumerate(one.questions):
        row = {
            name: number
            for name, column in columns.items()
            if (number := column[place]) is not None
        }
        if (distance := _apart(row, exact)) > _PARTS:
            apart.append((question, distance))
    return apart


def _causes(
    one: Subject,
    metrics: Mapping[str, Metric],
    apart: Sequence[tuple[Question, float]],
    exact: frozenset[str],
) -> tuple[dict[str, list[str]], int]:
    """Return the questions of each cause, and how many were looked at."""
    step = max(1, -(-len(apart) // _MOST_NAMED))
    named = apart[::step]
    found: dict[str, list[str]] = {}
    for question, distance in named:
        prediction = one.predictions.get(question.question_id)
        cause = _cause(question, prediction, metrics, distance, exact)
        found.setdefault(cause, []).append(question.question_id)
    return dict(sorted(found.items(), key=lambda item: -len(item[1]))), len(named)


def _cause(
    question: Question,
    prediction: Prediction | None,
    metrics: Mapping[str, Metric],
    distance: float,
    exact: frozenset[str],
) -> str:
    """Name the repairs that bring the scorers nearer, up to the one that makes them agree."""
    if prediction is None or prediction.answer is None:
        return "no answer"
    said = prediction.answer.texts
    golds: Golds = tuple(answer.texts for answer in question.answers)
    needed = []
    for name, repair in REPAIRS:
        changed = repair(said, golds)
        if changed == (said, golds):
            continue
        nearer = _distance(question, *changed, metrics, exact)
        if nearer < distance - _PARTS:
            needed.append(name)
            (said, golds), distance = changed, nearer
            if distance <= _PARTS:
                return " + ".join(needed)
    rest = "one contains the other" if _contains(said, golds) else "rules of the scorers"
    return " + ".join([*needed[:1], rest]) if needed else rest


def _distance(
    question: Question,
    said: Texts,
    golds: Golds,
    metrics: Mapping[str, Metric],
    exact: frozenset[str],
) -> float:
    asked = msgspec.structs.replace(
        question, answers=tuple(Answer(kind="spans", texts=gold) for gold in golds)
    )
    answer = Answer(kind="spans", texts=said)
    prediction = Prediction(question_id=question.question_id, answer=answer)
    row: dict[str, float] = {}
    for family, metric in metrics.items():
        try:
            row |= _values(metric, family, asked, prediction)
        except _Refused:
            continue
    return _apart(row, exact)


def _contains(said: Texts, golds: Golds) -> bool:
    text = " ".join(said).lower()
    return any(
        gold and (gold.lower() in text or (text and text in gold.lower()))
        for texts in golds
        for gold in texts
    )


def _matrix(values: Sequence[str], columns: Mapping[str, Column]) -> dict[str, dict[str, float]]:
    """Return, for every two values, the share of questions at which they are apart."""
    import numpy as np

    arrays = {name: np.array(columns[name], dtype=float) for name in values}  # None becomes NaN
    matrix = {}
    for left in values:
        distances = {right: np.abs(arrays[left] - arrays[right]) for right in values}
        matrix[left] = {
            right: int((distance > _PARTS).sum()) / max(int((~np.isnan(distance)).sum()), 1)
            for right, distance in distances.items()
        }
    return matrix
