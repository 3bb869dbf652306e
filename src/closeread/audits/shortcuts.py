"""What can be answered without reading the passage: from the options or the question alone.

Baselines that see only questions or options are trained on four fifths of the passages and tested
on the other fifth; a passage that an attack changed goes with its original. If such a baseline
beats chance, so may a reader that does not read. Baselines answer the variants of a question alike,
so these count as one question in the test against chance.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from closeread.audits.findings import Cell, Finding, Table, Verdict, skipped_finding
from closeread.audits.subject import Subject
from closeread.metrics.units import passage_unit, question_unit
from closeread.summation import sum_in_order
from closeread.types import Question

_FOLDS = 5
_DOUBT = 0.001


def check(run: Subject) -> Finding:
    """Try every shortcut on a run's data set."""
    choices = [
        question
        for question in run.questions
        if question.options and any(answer.label for answer in question.answers)
    ]
    texts = [question for question in run.questions if not question.options]
    rows: list[tuple[Cell, ...]] = []
    tables: list[Table] = []
    if choices:
        chance = sum_in_order(map(_chance_accuracy, choices)) / len(choices)
        for name, reader in _OPTION_READERS:
            rows.append(_row(name, chance, list(reader(choices)), choices))
        tables.append(_gold_label_counts(choices))
        tables.append(_gold_length_ranks(choices))
    if texts:
        chance = _constant_answer_share(texts)
        hits = [
            _is_accepted(answer_text, question) for question, answer_text in _question_only(texts)
        ]
        rows.append(
            ("the question's first words", len(texts), sum(hits) / len(hits), chance,
             _p_value(*_independent_counts(hits, texts), chance))
        )  # fmt: skip
        tables.append(_answer_positions(texts, run))
    if not rows:
        return skipped_finding("shortcuts", "no question has a gold answer")
    tables.insert(
        0,
        Table(
            title="Baselines that do not read the passage",
            headings=("reads only", "questions", "right %", "chance %", "p"),
            rows=tuple(rows),
            note="chance: an option drawn at random, or the most common answer; p: one-sided "
            "binomial test",
        ),
    )
    found = [row for row in rows if isinstance(row[4], float) and row[4] < _DOUBT / len(rows)]
    best = max(found, key=lambda row: _number(row[2]) - _number(row[3]), default=None)
    verdict: Verdict = "sound" if best is None else "doubtful"
    return Finding(
        check="shortcuts",
        verdict=verdict,
        headline=(
            f"{run.dataset}: no shortcut beats chance"
            if best is None
            else f"{run.dataset}: {best[0]} alone answers {100 * _number(best[2]):.1f} % "
            f"correctly (chance {100 * _number(best[3]):.1f} %)"
        ),
        tables=tuple(tables),
        data={"readers": [list(row) for row in rows]},
    )


def _chance_accuracy(question: Question) -> float:
    """Return how likely an option that is drawn is accepted."""
    accepted = {answer.label for answer in question.answers}
    return sum(one.label in accepted for one in question.options) / len(question.options)


def _number(cell: Cell) -> float:
    return float(cell) if isinstance(cell, int | float) else 0.0


def _row(
    name: str, chance: float, picks: Sequence[str], questions: Sequence[Question]
) -> tuple[Cell, ...]:
    hits = [
        pick in {answer.label for answer in question.answers}
        for pick, question in zip(picks, questions, strict=True)
    ]
    share = sum(hits) / len(hits)
    return (
        name,
        len(questions),
        share,
        chance,
        _p_value(*_independent_counts(hits, questions), chance),
    )


def _independent_counts(hits: Sequence[bool], questions: Sequence[Question]) -> tuple[int, int]:
    """Return right answers and answers, the variants of a question counted as one."""
    drawn = len(set(map(question_unit, questions)))
    return sum(hits) * drawn // len(hits), drawn


def _p_value(right: int, n: int, chance: float) -> float | None:
    """Return the chance of so many right answers or more by guessing (exact)."""
    if not 0 < chance < 1:
        return None
    from scipy.special import bdtrc

    return float(f"{bdtrc(right - 1, n, chance):.3g}")


def _fold(question: Question) -> int:
    return sum(passage_unit(question).encode()) % _FOLDS


def _by_length(pick: Callable[..., object]) -> Callable[[Sequence[Question]], Iterator[str]]:
    def reader(questions: Sequence[Question]) -> Iterator[str]:
        for question in questions:
            yield getattr(pick(question.options, key=lambda one: len(one.text)), "label", "")

    return reader


def _by_place(questions: Sequence[Question]) -> Iterator[str]:
    """Pick the label that was right most often in the other folds."""
    seen = [Counter[str]() for _ in range(_FOLDS)]
    for question in questions:
        for fold in range(_FOLDS):
            if fold != _fold(question):
                seen[fold][_gold(question)] += 1
    for question in questions:
        labels = [option.label for option in question.options]
        yield max(labels, key=seen[_fold(question)].__getitem__)


def _by_words(questions: Sequence[Question]) -> Iterator[str]:
    """Pick the option whose pairs of characters were those of right options in other folds."""
    right = [Counter[str]() for _ in range(_FOLDS)]
    wrong = [Counter[str]() for _ in range(_FOLDS)]
    for question in questions:
        for option in question.options:
            pairs = _bigrams(option.text)
            target = right if option.label == _gold(question) else wrong
            for fold in range(_FOLDS):
                if fold != _fold(question):
                    target[fold].update(pairs)
    sums = [(sum(right[fold].values()), sum(wrong[fold].values())) for fold in range(_FOLDS)]
    for question in questions:
        fold = _fold(question)
        in_right, in_wrong = sums[fold]

        def weight(text: str, fold: int = fold, a: int = in_right, b: int = in_wrong) -> float:
            pairs = _bigrams(text)
            total = sum_in_order(
                math.log((right[fold][pair] + 0.5) / (a + 1))
                - math.log((wrong[fold][pair] + 0.5) / (b + 1))
                for pair in pairs
            )
            return total / max(len(pairs), 1)

        picks = {option.label: weight(option.text) for option in question.options}
        asks = min if question.asks_for == "contradicted" and _truth_known(question) else max
        yield asks(picks, key=picks.__getitem__)


def _truth_known(question: Question) -> bool:
    return False if not question.option_truth else None not in question.option_truth


def _by_likeness(questions: Sequence[Question]) -> Iterator[str]:
    """Pick the option that is most like the others of its question."""
    for question in questions:
        bags = {option.label: set(_bigrams(option.text)) for option in question.options}

        def likeness(label: str, bags: dict[str, set[str]] = bags) -> float:
            own = bags[label]
            return sum_in_order(
                len(own & other) / max(len(own | other), 1)
                for name, other in bags.items()
                if name != label
            )

        yield max(bags, key=likeness)


def _by_stem(questions: Sequence[Question]) -> Iterator[str]:
    """Pick the option of whose pairs of characters the question has the largest share."""
    for question in questions:
        stem = set(_bigrams(question.text))
        picks = {
            option.label: len(stem.intersection(pairs := set(_bigrams(option.text))))
            / max(len(pairs), 1)
            for option in question.options
        }
        yield max(picks, key=picks.__getitem__)


_OPTION_READERS: tuple[tuple[str, Callable[[Sequence[Question]], Iterator[str]]], ...] = (
    ("the longest option", _by_length(max)),
    ("the shortest option", _by_length(min)),
    ("the options' positions", _by_place),
    ("the options' words", _by_words),
    ("the options' similarity", _by_likeness),
    ("the option most similar to the question", _by_stem),
)


def _gold(question: Question) -> str:
    return next((answer.label for answer in question.answers if answer.label), "")


def _bigrams(text: str) -> list[str]:
    return [text[place : place + 2] for place in range(len(text) - 1)]


def _gold_label_counts(questions: Sequence[Question]) -> Table:
    counted = Counter(_gold(question) for question in questions)
    return Table(
        title="Position of the correct option",
        headings=("label", "questions", "share %"),
        rows=tuple(
            (label, count, count / len(questions)) for label, count in sorted(counted.items())
        ),
    )


def _gold_length_ranks(questions: Sequence[Question]) -> Table:
    ranks: Counter[int] = Counter()
    for question in questions:
        gold = _gold(question)
        own = next((len(one.text) for one in question.options if one.label == gold), 0)
        ranks[sum(len(option.text) > own for option in question.options)] += 1
    return Table(
        title="Length of the correct option compared with the others",
        headings=("longer options", "questions", "share %"),
        rows=tuple((rank, count, count / len(questions)) for rank, count in sorted(ranks.items())),
    )


def _first_words(question: Question) -> str:
    words = question.text.split()
    return " ".join(words[:3]).lower() if len(words) > 1 else question.text[:4]


def _question_only(questions: Sequence[Question]) -> Iterator[tuple[Question, str]]:
    """Yield the commonest answer, in the other folds, to questions that begin alike."""
    seen: list[dict[str, Counter[str]]] = [{} for _ in range(_FOLDS)]
    every = [Counter[str]() for _ in range(_FOLDS)]
    for question in questions:
        text = _first_text(question)
        for fold in range(_FOLDS):
            if fold != _fold(question):
                seen[fold].setdefault(_first_words(question), Counter())[text] += 1
                every[fold][text] += 1
    commonest = [_most_common(of) for of in every]
    known = [{begun: _most_common(of) for begun, of in fold.items()} for fold in seen]
    for question in questions:
        fold = _fold(question)
        yield question, known[fold].get(_first_words(question), commonest[fold])


def _most_common(counted: Counter[str]) -> str:
    return max(counted, key=counted.__getitem__, default="")


def _first_text(question: Question) -> str:
    return next((answer.texts[0] for answer in question.answers if answer.texts), "").lower()


def _is_accepted(answer_text: str, question: Question) -> bool:
    """Whether an answer is accepted; saying nothing is, where there is no answer."""
    if not answer_text:
        return any(answer.kind == "none" for answer in question.answers)
    return any(answer_text == text.lower() for answer in question.answers for text in answer.texts)


def _constant_answer_share(questions: Sequence[Question]) -> float:
    """Return the share of questions that accept the answer which most of them accept."""
    accepted = Counter(
        answer_text
        for question in questions
        for answer_text in {
            text.lower() for answer in question.answers for text in answer.texts or ("",)
        }
        if _is_accepted(answer_text, question)
    )
    return max(accepted.values(), default=0) / len(questions)


def _answer_positions(questions: Sequence[Question], run: Subject) -> Table:
    tenths: Counter[int] = Counter()
    found = 0
    for question in questions:
        spans = [span for answer in question.answers for span in answer.spans]
        length = len(run.passages[question.passage_id].text)
        if spans and length:
            found += 1
            tenths[min(9, 10 * max(spans[0].start, 0) // length)] += 1
    return Table(
        title="Position of the answer in the passage",
        headings=("tenth", "questions", "share %"),
        rows=tuple((tenth + 1, count, count / found) for tenth, count in sorted(tenths.items())),
    )
