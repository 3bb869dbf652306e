"""Leakage: training text, prompts that show their question, sibling questions, gold windows."""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from closeread.audits.findings import Finding, Table, Verdict, share, skipped_finding, worst_verdict
from closeread.audits.overlaps import overlap_table, shared_passages
from closeread.audits.prompt_leaks import count_prompt_leaks
from closeread.audits.subject import Subject, generated_text
from closeread.metrics.choice import picked_label
from closeread.types import ROLES, Dataset, Question, Span

_WINDOW_WORDS = 384
_MANY = 20
# The assumed share of a good reader's wrong answers that are near the gold one is at least this.
_NEAR = 0.75
_UNLIKELY = 1e-6


class _Part(NamedTuple):
    """The result of the search for one kind of leakage.

    Attributes:
        name: The key of ``data`` in the finding's data.
        sentence: Part of the headline; empty if nothing was found.
    """

    name: str
    verdict: Verdict
    sentence: str
    table: Table
    data: object


def check(run: Subject, train: Dataset | None = None) -> Finding:
    """Look for text shared with ``train`` and for the other kinds of leakage."""
    candidates = (
        None if train is None else _find_shared_text(run, train),
        _find_prompt_leaks(run),
        _find_adjusted_siblings(run),
        _find_gold_windows(run),
    )
    parts = [part for part in candidates if part is not None]
    if not parts:
        return skipped_finding(
            "leakage",
            "nothing to check: no training set (--train), no examples in prompts, no triples, "
            "no long passages",
        )
    sentences = [part.sentence for part in parts if part.sentence]
    return Finding(
        check="leakage",
        verdict=worst_verdict(part.verdict for part in parts),
        headline=f"{run.name}: " + ("; ".join(sentences) or "nothing found"),
        tables=tuple(part.table for part in parts),
        data={part.name: part.data for part in parts},
    )


def _find_shared_text(run: Subject, train: Dataset) -> _Part:
    overlaps = shared_passages(run.passages, train)
    shared = {overlap.test_id for overlap in overlaps}
    n_questions = sum(question.passage_id in shared for question in run.questions)
    certain = {overlap.test_id for overlap in overlaps if not overlap.may_be_chance}
    n_certain = sum(question.passage_id in certain for question in run.questions)
    verdict: Verdict = "sound"
    if shared:
        verdict = "broken" if n_certain > 0.01 * len(run.questions) else "doubtful"
    return _Part(
        name="shared",
        verdict=verdict,
        sentence=(
            f"{len(shared):,} of {len(run.passages):,} passages (1 question)"
            if n_questions == 1
            else f"{len(shared):,} of {len(run.passages):,} passages ({n_questions:,} questions)"
        )
        + f" share text with {train.name}",
        table=overlap_table(overlaps),
        data=sorted(shared),
    )


def _find_prompt_leaks(run: Subject) -> _Part | None:
    leaks = count_prompt_leaks(run)
    if leaks is None:
        return None
    return _Part("prompts", leaks.verdict, leaks.summary(), leaks.table(), leaks.__dict__)


def _find_adjusted_siblings(run: Subject) -> _Part | None:
    siblings = _compare_siblings(run)
    if siblings is None:
        return None
    sentence = (
        "the letters of triples differ far more often than chance explains"
        if siblings.suspicious
        else f"{siblings.distinct:,} of {siblings.triples:,} predicted triples have three "
        "different letters: no sign that answers were adjusted to one another"
    )
    verdict: Verdict = "broken" if siblings.suspicious else "sound"
    return _Part("siblings", verdict, sentence, siblings.table(), siblings.__dict__)


def _find_gold_windows(run: Subject) -> _Part | None:
    windows = _compare_windows(run)
    if windows is None:
        return None
    sentence = ""
    if windows.suspicious:
        sentence = "no wrong answer lies outside the windows that contain the gold answer"
    verdict: Verdict = "broken" if windows.suspicious else "sound"
    return _Part("windows", verdict, sentence, windows.table(), windows.__dict__)


@dataclass(frozen=True, kw_only=True)
class Siblings:
    """Whether predicted letters of triples differ more often than chance explains."""

    triples: int
    gold_distinct: int
    distinct: int
    expected: float
    suspicious: bool

    def table(self) -> Table:
        """Return the counts as a table."""
        return Table(
            title="Triples whose three letters differ",
            headings=("letters", "triples", "all different", "share %"),
            rows=(
                ("gold", self.triples, self.gold_distinct, share(self.gold_distinct, self.triples)),
                ("predicted", self.triples, self.distinct, share(self.distinct, self.triples)),
                ("expected by chance", self.triples, round(self.expected, 1),
                 self.expected / self.triples),
            ),
            note="expected: correct letters are kept, wrong letters are drawn with the reader's "
                 "own frequencies for each role",
        )  # fmt: skip


def _compare_siblings(run: Subject) -> Siblings | None:
    triples: dict[str, dict[str, tuple[str, str]]] = {}
    for question, prediction in run.answered():
        letter = picked_label(question, prediction) or (
            prediction.answer and generated_text(prediction)
        )
        if question.group_id and question.role and letter:
            gold = next((answer.label for answer in question.answers if answer.label), "")
            triples.setdefault(question.group_id, {})[question.role] = gold, letter
    complete = [
        tuple(letters[role] for role in ROLES)
        for letters in triples.values()
        if len(letters) == len(ROLES)
    ]
    if not complete:
        return None
    n = len(complete)
    chances = _chances_that_all_differ(complete)
    all_differ = [len({letter for _, letter in triple}) == 3 for triple in complete]
    # If all three are right, or no draw makes them differ, an adjustment could not show.
    undecided = [index for index, chance in enumerate(chances) if 0 < chance < 1]
    return Siblings(
        triples=n,
        gold_distinct=sum(len({gold for gold, _ in triple}) == 3 for triple in complete),
        distinct=sum(all_differ),
        expected=math.fsum(chances),
        suspicious=bool(undecided)
        and _tail_probability(
            sum(all_differ[index] for index in undecided),
            len(undecided),
            math.fsum(chances[index] for index in undecided) / len(undecided),
        )
        < _UNLIKELY,
    )


def _chances_that_all_differ(triples: Sequence[tuple[tuple[str, str], ...]]) -> list[float]:
    """Return for each triple the chance that its letters differ if they are independent.

    Right letters are kept, because they differ anyway, so that a reader is not suspected for being
    right. Wrong letters are drawn from the wrong letters of the same role in all triples.
    """
    wrong = [
        Counter(predicted for gold, predicted in role if predicted != gold)
        for role in zip(*triples, strict=True)
    ]
    chance_by_pattern: dict[tuple[tuple[str, bool], ...], float] = {}
    chances = []
    for triple in triples:
        pattern = tuple((gold, predicted == gold) for gold, predicted in triple)
        if pattern not in chance_by_pattern:
            draws = [
                Counter({gold: 1}) if is_right else Counter({**counted, gold: 0})
                for (gold, is_right), counted in zip(pattern, wrong, strict=True)
            ]
            chance_by_pattern[pattern] = _count_all_different(*draws) / math.prod(
                draw.total() for draw in draws
            )
        chances.append(chance_by_pattern[pattern])
    return chances


def _tail_probability(hits: int, n: int, chance: float) -> float:
    """Return the chance of ``hits`` or more in ``n`` draws; an upper bound if chances differ."""
    from scipy.special import bdtrc

    return float(bdtrc(hits - 1, n, chance)) if hits else 1.0


def _count_all_different(a: Counter[str], b: Counter[str], c: Counter[str]) -> int:
    """Return the number of draws, one letter from each counter, with three different letters.

    This is the total without the draws in which two agree; those in which all three agree are
    subtracted three times, and so added back twice. Enumerating the draws would be too slow:
    where answers are texts instead of letters, each counter may have thousands of keys.
    """
    total = a.total() * b.total() * c.total()
    pairs = sum(a[letter] * b[letter] for letter in a) * c.total()
    pairs += sum(a[letter] * c[letter] for letter in a) * b.total()
    pairs += sum(b[letter] * c[letter] for letter in b) * a.total()
    return total - pairs + 2 * sum(a[letter] * b[letter] * c[letter] for letter in a)


@dataclass(frozen=True, kw_only=True)
class Windows:
    """Whether wrong answers on long passages all lie in the windows with the gold answer."""

    wrong: int
    inside: int
    expected: float
    suspicious: bool

    def table(self) -> Table:
        """Return the counts as a table."""
        return Table(
            title="Wrong answers on passages longer than a window",
            headings=("wrong answers", "within a window of gold", "share %", "expected %"),
            rows=(
                (self.wrong, self.inside, share(self.inside, self.wrong),
                 self.expected / self.wrong),
            ),
            note=(
                f"window: {_WINDOW_WORDS} words; expected: if the answers were anywhere in the "
                "passage. If all of them are inside, the reader skipped the windows without the "
                "gold answer"
            ),
        )  # fmt: skip


def _compare_windows(run: Subject) -> Windows | None:
    wrong = inside = 0
    expected = log_probability = 0.0
    starts_of: dict[str, list[int]] = {}
    for question, prediction in run.answered():
        golds = [span for answer in question.answers for span in answer.spans]
        answer = prediction.answer
        if question.options or not golds or answer is None or not answer.texts:
            continue
        text = run.passages[question.passage_id].text
        if len(text) <= _WINDOW_WORDS or _equals_gold(answer.texts[0], question):
            continue
        starts = starts_of.get(question.passage_id) or _word_starts(text)
        starts_of[question.passage_id] = starts
        if len(starts) <= _WINDOW_WORDS:
            continue
        answer_spans = answer.spans or _find_spans(answer.texts[0], text)
        # An answer that overlaps the gold one does not show which windows were read.
        if not answer_spans or any(
            _overlaps(answer_span, span) for answer_span in answer_spans for span in golds
        ):
            continue
        wrong += 1
        gold_places = [_word_at(starts, span.start) for span in golds]
        is_near = any(
            abs(_word_at(starts, answer_span.start) - gold) < _WINDOW_WORDS
            for answer_span in answer_spans
            for gold in gold_places
        )
        inside += is_near
        covered_share = sum(
            any(abs(word - gold) < _WINDOW_WORDS for gold in gold_places)
            for word in range(0, len(starts), 16)
        ) / len(range(0, len(starts), 16))
        expected += covered_share
        log_probability += math.log(max(covered_share, _NEAR))
    if wrong < _MANY:
        return None
    return Windows(
        wrong=wrong, inside=inside, expected=expected,
        suspicious=inside == wrong and log_probability < math.log(_UNLIKELY),
    )  # fmt: skip


def _equals_gold(text: str, question: Question) -> bool:
    normalized = text.strip().lower()
    return any(
        normalized == gold.strip().lower() for answer in question.answers for gold in answer.texts
    )


def _word_starts(text: str) -> list[int]:
    starts, inside = [], False
    for index, character in enumerate(text):
        wide = character > "\u2e7f"
        if wide or (not inside and not character.isspace()):
            starts.append(index)
        inside = not wide and not character.isspace()
    return starts


def _word_at(starts: Sequence[int], offset: int) -> int:
    return bisect_right(starts, offset) - 1


def _overlaps(left: Span, right: Span) -> bool:
    return left.start < right.end and right.start < left.end


def _find_spans(text: str, passage: str) -> list[Span]:
    spans: list[Span] = []
    start = passage.find(text) if text else -1
    while start >= 0 and len(spans) < 50:
        spans.append(Span(start, start + len(text)))
        start = passage.find(text, start + 1)
    return spans
