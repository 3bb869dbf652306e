"""Measure what can be answered without the passage, from the question or the options alone.

Baselines that see only questions or options are trained on four fifths of the passages and tested
on the other fifth; a passage that an attack changed stays with its original. If such a baseline
beats chance, so may a reader that ignores the passage. Baselines give variants of a question the
same answer, so variants count as one question in the test against chance.
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
_MAX_P_VALUE = 0.001


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
            rows.append(_baseline_row(name, chance, list(reader(choices)), choices))
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
    significant = [
        row for row in rows if isinstance(row[4], float) and row[4] < _MAX_P_VALUE / len(rows)
    ]
    best = max(significant, key=lambda row: _to_float(row[2]) - _to_float(row[3]), default=None)
    verdict: Verdict = "sound" if best is None else "doubtful"
    return Finding(
        check="shortcuts",
        verdict=verdict,
        headline=(
            f"{run.dataset}: no shortcut beats chance"
            if best is None
            else f"{run.dataset}: {best[0]} alone answers {100 * _to_float(best[2]):.1f} % "
            f"correctly (chance {100 * _to_float(best[3]):.1f} %)"
        ),
        tables=tuple(tables),
        data={"readers": [list(row) for row in rows]},
    )


def _chance_accuracy(question: Question) -> float:
    """Return the chance that a random option is accepted."""
    accepted = {answer.label for answer in question.answers}
    return sum(option.label in accepted for option in question.options) / len(question.options)


def _to_float(cell: Cell) -> float:
    return float(cell) if isinstance(cell, int | float) else 0.0


def _baseline_row(
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
    """Return the numbers of right answers and of answers, with variants counted as one."""
    n_independent = len(set(map(question_unit, questions)))
    return sum(hits) * n_independent // len(hits), n_independent


def _p_value(right: int, n: int, chance: float) -> float | None:
    """Return the exact probability of ``right`` or more right answers by chance."""
    if not 0 < chance < 1:
        return None
    from scipy.special import bdtrc

    return float(f"{bdtrc(right - 1, n, chance):.3g}")


def _fold(question: Question) -> int:
    return sum(passage_unit(question).encode()) % _FOLDS


def _by_length(pick: Callable[..., object]) -> Callable[[Sequence[Question]], Iterator[str]]:
    def reader(questions: Sequence[Question]) -> Iterator[str]:
        for question in questions:
            yield getattr(pick(question.options, key=lambda option: len(option.text)), "label", "")

    return reader


def _by_position(questions: Sequence[Question]) -> Iterator[str]:
    """Pick the label that was right most often in the other folds."""
    counts_by_fold = [Counter[str]() for _ in range(_FOLDS)]
    for question in questions:
        for fold in range(_FOLDS):
            if fold != _fold(question):
                counts_by_fold[fold][_gold(question)] += 1
    for question in questions:
        labels = [option.label for option in question.options]
        yield max(labels, key=counts_by_fold[_fold(question)].__getitem__)


def _by_bigrams(questions: Sequence[Question]) -> Iterator[str]:
    """Pick the option whose character bigrams were most typical of right options in other folds."""
    right = [Counter[str]() for _ in range(_FOLDS)]
    wrong = [Counter[str]() for _ in range(_FOLDS)]
    for question in questions:
        for option in question.options:
            pairs = _bigrams(option.text)
            target = right if option.label == _gold(question) else wrong
            for fold in range(_FOLDS):
                if fold != _fold(question):
                    target[fold].update(pairs)
    totals = [(sum(right[fold].values()), sum(wrong[fold].values())) for fold in range(_FOLDS)]
    for question in questions:
        fold = _fold(question)
        in_right, in_wrong = totals[fold]

        def weight(text: str, fold: int = fold, a: int = in_right, b: int = in_wrong) -> float:
            pairs = _bigrams(text)
            total = sum_in_order(
                math.log((right[fold][pair] + 0.5) / (a + 1))
                - math.log((wrong[fold][pair] + 0.5) / (b + 1))
                for pair in pairs
            )
            return total / max(len(pairs), 1)

        weights = {option.label: weight(option.text) for option in question.options}
        choose = min if question.asks_for == "contradicted" and _truth_known(question) else max
        yield choose(weights, key=weights.__getitem__)


def _truth_known(question: Question) -> bool:
    return False if not question.option_truth else None not in question.option_truth


def _by_similarity(questions: Sequence[Question]) -> Iterator[str]:
    """Pick the option that is most similar to the others of its question."""
    for question in questions:
        bigrams = {option.label: set(_bigrams(option.text)) for option in question.options}

        def similarity(label: str, bigrams: dict[str, set[str]] = bigrams) -> float:
            option_bigrams = bigrams[label]
            return sum_in_order(
                len(option_bigrams & other) / max(len(option_bigrams | other), 1)
                for name, other in bigrams.items()
                if name != label
            )

        yield max(bigrams, key=similarity)


def _by_stem(questions: Sequence[Question]) -> Iterator[str]:
    """Pick the option with the largest share of character bigrams that are in the question."""
    for question in questions:
        stem = set(_bigrams(question.text))
        shares = {
            option.label: len(stem.intersection(pairs := set(_bigrams(option.text))))
            / max(len(pairs), 1)
            for option in question.options
        }
        yield max(shares, key=shares.__getitem__)


_OPTION_READERS: tuple[tuple[str, Callable[[Sequence[Question]], Iterator[str]]], ...] = (
    ("the longest option", _by_length(max)),
    ("the shortest option", _by_length(min)),
    ("the options' positions", _by_position),
    ("the options' words", _by_bigrams),
    ("the options' similarity", _by_similarity),
    ("the option most similar to the question", _by_stem),
)


def _gold(question: Question) -> str:
    return next((answer.label for answer in question.answers if answer.label), "")


def _bigrams(text: str) -> list[str]:
    return [text[offset : offset + 2] for offset in range(len(text) - 1)]


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
        gold_length = next(
            (len(option.text) for option in question.options if option.label == gold), 0
        )
        ranks[sum(len(option.text) > gold_length for option in question.options)] += 1
    return Table(
        title="Length of the correct option compared with the others",
        headings=("longer options", "questions", "share %"),
        rows=tuple((rank, count, count / len(questions)) for rank, count in sorted(ranks.items())),
    )


def _first_words(question: Question) -> str:
    words = question.text.split()
    return " ".join(words[:3]).lower() if len(words) > 1 else question.text[:4]


def _question_only(questions: Sequence[Question]) -> Iterator[tuple[Question, str]]:
    """Yield the most common answer, in the other folds, to questions with the same beginning."""
    counts_by_beginning: list[dict[str, Counter[str]]] = [{} for _ in range(_FOLDS)]
    counts = [Counter[str]() for _ in range(_FOLDS)]
    for question in questions:
        text = _first_text(question)
        for fold in range(_FOLDS):
            if fold != _fold(question):
                counts_by_beginning[fold].setdefault(_first_words(question), Counter())[text] += 1
                counts[fold][text] += 1
    most_common = [_most_common(counted) for counted in counts]
    answers_by_beginning = [
        {beginning: _most_common(counted) for beginning, counted in fold.items()}
        for fold in counts_by_beginning
    ]
    for question in questions:
        fold = _fold(question)
        yield question, answers_by_beginning[fold].get(_first_words(question), most_common[fold])


def _most_common(counted: Counter[str]) -> str:
    return max(counted, key=counted.__getitem__, default="")


def _first_text(question: Question) -> str:
    return next((answer.texts[0] for answer in question.answers if answer.texts), "").lower()


def _is_accepted(answer_text: str, question: Question) -> bool:
    """Whether an answer is accepted; an empty one is if the question has no answer."""
    if not answer_text:
        return any(answer.kind == "none" for answer in question.answers)
    return any(answer_text == text.lower() for answer in question.answers for text in answer.texts)


def _constant_answer_share(questions: Sequence[Question]) -> float:
    """Return the share of questions that accept the most widely accepted answer."""
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
    n_with_span = 0
    for question in questions:
        spans = [span for answer in question.answers for span in answer.spans]
        length = len(run.passages[question.passage_id].text)
        if spans and length:
            n_with_span += 1
            tenths[min(9, 10 * max(spans[0].start, 0) // length)] += 1
    return Table(
        title="Position of the answer in the passage",
        headings=("tenth", "questions", "share %"),
        rows=tuple(
            (tenth + 1, count, count / n_with_span) for tenth, count in sorted(tenths.items())
        ),
    )
