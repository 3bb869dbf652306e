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
# Wrong answers near the gold one that a good reader may give without having skipped a window.
_NEAR = 0.75
_UNLIKELY = 1e-6


class _Part(NamedTuple):
    """The result of looking for one kind of leakage.

    Attributes:
        name: The key of ``data`` in the finding's data.
        sentence: Of the headline; empty if there is nothing to say.
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
        sentence=f"{len(shared):,} of {len(run.passages):,} passages ({n_questions:,} questions) "
        f"share text with {train.name}",
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
    """Whether predicted letters of triples differ as only the gold ones should."""

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
    whole = [
        tuple(letters[role] for role in ROLES)
        for letters in triples.values()
        if len(letters) == len(ROLES)
    ]
    if not whole:
        return None
    n = len(whole)
    chances = _chances_that_all_differ(whole)
    differ = [len({letter for _, letter in triple}) == 3 for triple in whole]
    # Where all three are right, or no draw could make them differ, nothing could be repaired.
    open_ = [place for place, chance in enumerate(chances) if 0 < chance < 1]
    return Siblings(
        triples=n,
        gold_distinct=sum(len({gold for gold, _ in triple}) == 3 for triple in whole),
        distinct=sum(differ),
        expected=math.fsum(chances),
        suspicious=bool(open_)
        and _tail_probability(
            sum(differ[place] for place in open_),
            len(open_),
            math.fsum(chances[place] for place in open_) / len(open_),
        )
        < _UNLIKELY,
    )


def _chances_that_all_differ(whole: Sequence[tuple[tuple[str, str], ...]]) -> list[float]:
    """Return for each triple the chance that its letters differ without sight of each other.

    Letters that are right stay as they are, for right ones differ; wrong ones are drawn among the
    wrong letters of all triples, each role's with its own frequencies. So a reader is not blamed
    for being right.
    """
    wrong = [
        Counter(predicted for gold, predicted in role if predicted != gold)
        for role in zip(*whole, strict=True)
    ]
    known: dict[tuple[tuple[str, bool], ...], float] = {}
    chances = []
    for triple in whole:
        pattern = tuple((gold, predicted == gold) for gold, predicted in triple)
        if pattern not in known:
            drawn = [
                Counter({gold: 1}) if is_right else Counter({**counted, gold: 0})
                for (gold, is_right), counted in zip(pattern, wrong, strict=True)
            ]
            known[pattern] = _count_all_different(*drawn) / math.prod(
                draw.total() for draw in drawn
            )
        chances.append(known[pattern])
    return chances


def _tail_probability(hits: int, n: int, chance: float) -> float:
    """Return the chance of so many hits or more (no less than with chances that differ)."""
    from scipy.special import bdtrc

    return float(bdtrc(hits - 1, n, chance)) if hits else 1.0


def _count_all_different(a: Counter[str], b: Counter[str], c: Counter[str]) -> int:
    """Return how many of all draws, one from each, are three different letters.

    All but those in which two agree, those in which all agree having been taken away twice too
    often. Where letters are missing and texts stand for them, there may be thousands.
    """
    total = a.total() * b.total() * c.total()
    pairs = sum(a[letter] * b[letter] for letter in a) * c.total()
    pairs += sum(a[letter] * c[letter] for letter in a) * b.total()
    pairs += sum(b[letter] * c[letter] for letter in b) * a.total()
    return total - pairs + 2 * sum(a[letter] * b[letter] * c[letter] for letter in a)


@dataclass(frozen=True, kw_only=True)
class Windows:
    """Whether wrong answers on long passages keep to the windows that hold the gold answer."""

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
    expected = miss = 0.0
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
        places = answer.spans or _find_spans(answer.texts[0], text)
        # One word too many or too few is no other place: it tells nothing of what was looked at.
        if not places or any(_overlaps(place, span) for place in places for span in golds):
            continue
        wrong += 1
        gold_places = [_word_at(starts, span.start) for span in golds]
        near = any(
            abs(_word_at(starts, place.start) - gold) < _WINDOW_WORDS
            for place in places
            for gold in gold_places
        )
        inside += near
        covered = sum(
            any(abs(word - gold) < _WINDOW_WORDS for gold in gold_places)
            for word in range(0, len(starts), 16)
        ) / len(range(0, len(starts), 16))
        expected += covered
        miss += math.log(max(covered, _NEAR))
    if wrong < _MANY:
        return None
    return Windows(
        wrong=wrong, inside=inside, expected=expected,
        suspicious=inside == wrong and miss < math.log(_UNLIKELY),
    )  # fmt: skip


def _equals_gold(text: str, question: Question) -> bool:
    bare = text.strip().lower()
    return any(bare == gold.strip().lower() for answer in question.answers for gold in answer.texts)


def _word_starts(text: str) -> list[int]:
    starts, inside = [], False
    for place, character in enumerate(text):
        wide = character > "\u2e7f"
        if wide or (not inside and not character.isspace()):
            starts.append(place)
        inside = not wide and not character.isspace()
    return starts


def _word_at(starts: Sequence[int], place: int) -> int:
    return bisect_right(starts, place) - 1


def _overlaps(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _find_spans(text: str, passage: str) -> list[Span]:
    places: list[Span] = []
    place = passage.find(text) if text else -1
    while place >= 0 and len(places) < 50:
        places.append(Span(place, place + len(text)))
        place = passage.find(text, place + 1)
    return places
