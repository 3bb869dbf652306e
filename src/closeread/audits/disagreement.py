"""All scorers over one set of answers: where they part, by named cause, and how ranks move."""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from itertools import islice

import msgspec

from closeread import catalog
from closeread.audits.findings import Cell, Finding, Table, Verdict
from closeread.audits.material import Subject, of_texts
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
    values = [name for name in columns[0] if all(name in column for column in columns)]
    notes = tuple(f"left out {name}: {why}" for name, why in refused.items())
    if not values:
        return Finding(
            check="disagreement", verdict="skipped", headline="no scorer judges these questions",
            notes=notes,
        )  # fmt: skip
    means = [{name: _mean(column[name]) for name in values} for column in columns]
    main = {name: columns[0][name] for name in values}
    able = {name: metric for name, metric in metrics.items() if name not in refused}
    low, high = _spread(means[0])
    n_apart, causes, named = _causes(texts[0], able, main)
    tables = [_matrix_rows(values, main, means), _cause_table(causes, n_apart, named)]
    moves = _moves(texts, values, means) if len(texts) > 1 else ()
    if moves:
        tables.append(
            Table(
                title="Which run is best, by scorer",
                headings=("scorer", "order", "pairs that change places"),
                rows=moves,
            )
        )
    spread = high - low
    verdict: Verdict = "broken" if spread > 0.2 else "doubtful" if spread > 0.02 else "sound"
    return Finding(
        check="disagreement",
        verdict=verdict,
        headline=(
            f"{texts[0].name}: the same answers score from {100 * low:.2f} to {100 * high:.2f}; "
            f"scorers part at {n_apart:,} of {len(texts[0].questions):,} questions"
        ),
        tables=tuple(tables),
        notes=(
            "exact scores (0 or 1) are compared with exact ones, graded with graded ones",
            *notes,
        ),
        data={
            "means": {one.name: mean for one, mean in zip(texts, means, strict=True)},
            "matrix": _matrix(values, main),
            "causes": {name: len(found) for name, found in causes.items()},
            "questions": {name: found[:50] for name, found in causes.items()},
        },
    )


def _defaults(one: Subject) -> tuple[str, ...]:
    names = CHINESE if one.passages[one.questions[0].passage_id].language == "zh" else ENGLISH
    none = any(answer.kind == "none" for question in one.questions for answer in question.answers)
    return tuple("squad2" if none and name == "squad" else name for name in names)


def _scored(
    one: Subject, metrics: Mapping[str, Metric], refused: dict[str, str]
) -> dict[str, Column]:
    """Return every scorer's values, one a question, by full name.

    A scorer that refuses a question (SQuAD 1.1 one without answer) is left out as a whole and
    noted in ``refused``: its mean over the rest would be of other questions.
    """
    columns: dict[str, Column] = {}
    of: dict[str, str] = {}
    n = len(one.questions)
    for place, question in enumerate(one.questions):
        prediction = one.predictions.get(question.question_id)
        for family, metric in metrics.items():
            if family in refused:
                continue
            try:
                found = _values(metric, family, question, prediction)
            except CloseReadError as problem:
                refused[family] = str(problem).partition("\n")[0]
                continue
            for name, number in found.items():
                of[name] = family
                columns.setdefault(name, [None] * n)[place] = number
    return {name: column for name, column in columns.items() if of[name] not in refused}


def _mean(column: Column) -> float:
    numbers = [number for number in column if number is not None]
    return sum(numbers) / len(numbers)


def _spread(means: Mapping[str, float]) -> tuple[float, float]:
    """Return the lowest and the highest mean of the kind, exact or graded, that is wider apart."""
    kinds = [
        [mean for name, mean in means.items() if _is_exact(name) is exact]
        for exact in (True, False)
    ]
    ends = [(min(kind), max(kind)) for kind in kinds if kind]
    return max(ends, key=lambda pair: pair[1] - pair[0])


def _values(
    metric: Metric, family: str, question: Question, prediction: Prediction | None
) -> dict[str, float]:
    stem, tilde, mend = family.partition("~")
    return {
        f"{stem}.{name}{tilde}{mend}": number
        for name, number in metric.score(question, prediction).values.items()
        if number is not None
        and name.rpartition(".")[2] not in _KINDS
        and not name.startswith(_PARTIAL)
    }


def _is_exact(name: str) -> bool:
    return not name.partition("~")[0].endswith("f1")


def _apart(row: Mapping[str, float]) -> float:
    """Return how far apart the exact or the graded scores of one question are."""
    exact = [number for name, number in row.items() if _is_exact(name)]
    graded = [number for name, number in row.items() if not _is_exact(name)]
    return max((max(part) - min(part) for part in (exact, graded) if part), default=0.0)


def _causes(
    one: Subject, metrics: Mapping[str, Metric], columns: Mapping[str, Column]
) -> tuple[int, dict[str, list[str]], int]:
    """Return how many questions part the scorers, those of each cause, and how many were named."""
    apart = []
    for place, question in enumerate(one.questions):
        row = {
            name: number
            for name, column in columns.items()
            if (number := column[place]) is not None
        }
        if (distance := _apart(row)) > _PARTS:
            apart.append((question, distance))
    step = max(1, -(-len(apart) // _MOST_NAMED))
    found: dict[str, list[str]] = {}
    named = 0
    for question, distance in islice(apart, 0, None, step):
        named += 1
        prediction = one.predictions.get(question.question_id)
        cause = _cause(question, prediction, metrics, distance)
        found.setdefault(cause, []).append(question.question_id)
    ranked = sorted(found.items(), key=lambda item: -len(item[1]))
    return len(apart), dict(ranked), named


def _cause(
    question: Question,
    prediction: Prediction | None,
    metrics: Mapping[str, Metric],
    distance: float,
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
        nearer = _distance(question, *changed, metrics)
        if nearer < distance - _PARTS:
            needed.append(name)
            (said, golds), distance = changed, nearer
            if distance <= _PARTS:
                return " + ".join(needed)
    rest = "one contains the other" if _contains(said, golds) else "rules of the scorers"
    return " + ".join([*needed[:1], rest]) if needed else rest


def _distance(
    question: Question, said: Texts, golds: Golds, metrics: Mapping[str, Metric]
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
        except CloseReadError:
            continue
    return _apart(row)


def _contains(said: Texts, golds: Golds) -> bool:
    text = " ".join(said).lower()
    return any(
        gold and (gold.lower() in text or (text and text in gold.lower()))
        for texts in golds
        for gold in texts
    )


def _matrix(values: Sequence[str], columns: Mapping[str, Column]) -> dict[str, dict[str, float]]:
    """Return, for every two values, the share of questions at which they are apart."""
    return {
        left: {right: _share_apart(columns[left], columns[right]) for right in values}
        for left in values
    }


def _share_apart(left: Column, right: Column) -> float:
    both = [
        abs(a - b) > _PARTS
        for a, b in zip(left, right, strict=True)
        if a is not None and b is not None
    ]
    return sum(both) / max(len(both), 1)


def _matrix_rows(
    values: Sequence[str],
    columns: Mapping[str, Column],
    means: Sequence[Mapping[str, float]],
) -> Table:
    matrix = _matrix(values, columns)
    rows: list[tuple[Cell, ...]] = []
    for name in values:
        peers = [peer for peer in values if peer != name and _is_exact(peer) == _is_exact(name)]
        farthest = max(peers, key=matrix[name].__getitem__, default=name)
        nearest = min(peers, key=matrix[name].__getitem__, default=name)
        rows.append(
            (name, means[0][name], nearest, matrix[name][nearest], farthest,
             matrix[name][farthest])
        )  # fmt: skip
    return Table(
        title="What each scorer says",
        headings=("value", "mean %", "nearest", "apart %", "farthest", "apart from it %"),
        rows=tuple(rows),
        note="apart: the share of questions at which two values differ by more than 0.01",
    )


def _cause_table(causes: Mapping[str, Sequence[str]], n_apart: int, named: int) -> Table:
    return Table(
        title="Why they part",
        headings=("cause", "questions", "of those looked at %", "for example"),
        rows=tuple(
            (cause, len(found), len(found) / named, found[0]) for cause, found in causes.items()
        ),
        note="" if named == n_apart else f"looked at {named:,} of {n_apart:,}, evenly chosen",
    )


def _moves(
    subjects: Sequence[Subject], values: Sequence[str], means: Sequence[Mapping[str, float]]
) -> tuple[tuple[Cell, ...], ...]:
    """Return each value's order of the runs, and the pairs that stand otherwise by the first."""
    names = [one.name for one in subjects]
    orders = {
        value: sorted(range(len(names)), key=[-mean[value] for mean in means].__getitem__)
        for value in values
    }
    base = orders[values[0]]
    rows: list[tuple[Cell, ...]] = []
    for value, order in orders.items():
        swapped = sum(
            (base.index(left) < base.index(right)) != (order.index(left) < order.index(right))
            for left in range(len(names))
            for right in range(left)
        )
        rows.append((value, " > ".join(names[place] for place in order), swapped))
    return tuple(rows)
