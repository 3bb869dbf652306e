"""Features that distinguish wrong options from right ones, as named numbers a person can check.

Every feature describes one option: the cue words that it adds to its evidence, how it overlaps with
its evidence, how it is written, and how it compares with the other options of its question. A name
is ``group:what``; docs/cues.md lists the groups. Options that are statements and options that
answer their stem are made wrong in different ways. So the features of the latter begin with
``answer/`` and have weights of their own.
"""

import math
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from closeread.evidence.claims.explanation import Explanation
from closeread.evidence.claims.terms import fold, units
from closeread.readers.competition import polarity_sign
from closeread.readers.cues.passage import PassageIndex
from closeread.readers.cues.turns import turn_features
from closeread.summation import sum_in_order
from closeread.types import Passage, Question, Span

Features = dict[str, float]
_CLAUSE = re.compile(r"[^,，;；。.：:！!？?\s]+(?:[^\S\n]+[^,，;；。.：:！!？?\s]+)*")
_NUMERALS = "一二三四五六七八九十百千万亿"
# A match starts at the first of several numerals only, to avoid quadratic time.
_NUMBER = re.compile(rf"\d+|(?<![{_NUMERALS}])[{_NUMERALS}]++(?=[年世个种次倍成月日])")
_RUN_LENGTHS = (4, 6, 8, 12, 16)
# Features of the same cue are redundant, and an option may have many cues: the vector of an
# option's cue features is scaled to this length, that of a typical option.
_CUE_VECTOR_LENGTH = 4.7
_CONTEXT_VALUES = ((1, 0.5), (2, 0.35))  # characters beside a cue, and the feature's value
_CUE_PAIR_VALUE = 0.7
_CATEGORY_PAIR_VALUE = 0.5
# The power of the share in order: an exchanged word matters in a statement that is otherwise copied
# word for word, and not in one that is reworded.
_ORDER_POWER = 8
_NEW_PAIRS_LENGTH = 3.0  # of the vector of an option's new pairs
ANSWER = "answer/"
SUPPORT = f"{ANSWER}stem:support"
_NEARBY_CHARACTERS = 40  # on both sides of a shared piece, searched for the stem's words
_COMPARED = (
    "style:length",
    "style:clauses",
    "cover:share",
    "cover:uncovered",
    "cover:new-pairs",
    "cover:run>=8",
    "order:inverted",
    "evidence:length",
    "stem:support",
    "stem:near",
    "stem:times",
)


def features(
    question: Question, passage_index: PassageIndex, explanations: Sequence[Explanation]
) -> tuple[Features, ...]:
    """Return one dictionary of features per option, in order; absent features are 0.

    Args:
        question: A question with options; gold answers are not used.
        passage_index: Index of its passage.
        explanations: For each option its evidence and what that covers.
    """
    rows = []
    for option, explanation in zip(question.options, explanations, strict=True):
        rows.append(
            cue_features(option.text, explanation, passage_index)
            | turn_features(option.text, explanation, passage_index)
            | new_pair_features(option.text, passage_index)
            | style_features(option.text)
            | coverage_features(option.text, explanation, passage_index)
            | piece_order_features(explanation, passage_index.passage)
        )
    if question.kind != "verification":
        for row, extra in zip(
            rows, stem_features(question, passage_index, explanations), strict=True
        ):
            row.update(extra)
    for row, extra in zip(rows, sibling_features(question, rows), strict=True):
        row.update(extra)
    if question.kind == "verification":
        pairs = zip(rows, question.options, strict=True)
        return tuple(row | order_features(option.text, passage_index) for row, option in pairs)
    return tuple({ANSWER + name: value for name, value in row.items()} for row in rows)


def cue_features(text: str, explanation: Explanation, passage_index: PassageIndex) -> Features:
    """Return the option's cue words, and whether its evidence has them.

    ``cue`` is a cue word of the option, ``kept`` one that the evidence has too, and ``added`` one
    that it lacks. For categories, ``turned`` means that the evidence lacks the word but has another
    of its category. ``before`` and ``after`` are a cue with one or two characters on that side;
    ``then`` is a cue and the next one, as words or as categories.
    """
    evidence_words = frozenset[str]().union(
        *map(passage_index.cue_words, explanation.evidence.spans)
    )
    evidence_categories = {
        category for word in evidence_words for category in passage_index.words.categories[word]
    }
    values: Features = {}
    cues = passage_index.words.find(text)
    for cue in cues:
        state = "kept" if cue.word in evidence_words else "added"
        values[f"cue:{cue.word}"] = 1.0
        values[f"{state}:{cue.word}"] = 1.0
        for category in cue.categories:
            category_state = (
                "turned" if state == "added" and category in evidence_categories else state
            )
            values[f"category:{category}"] = 1.0
            values[f"category-{category_state}:{category}"] = 1.0
        for reach, value in _CONTEXT_VALUES:
            values[f"before:{text[max(0, cue.start - reach) : cue.start]}|{cue.word}"] = value
            values[f"after:{cue.word}|{text[cue.end : cue.end + reach]}"] = value
    for cue, following in pairwise(cues):
        values[f"then:{cue.word}|{following.word}"] = _CUE_PAIR_VALUE
        values[f"then-category:{cue.categories[0]}|{following.categories[0]}"] = (
            _CATEGORY_PAIR_VALUE
        )
    length = math.sqrt(math.fsum(value * value for value in values.values()))
    return {name: value * _CUE_VECTOR_LENGTH / length for name, value in values.items()}


def new_pair_features(text: str, passage_index: PassageIndex) -> Features:
    """Return the pairs of neighbouring characters that do not occur in the passage.

    Pairs exist only in writing without spaces, where a character is a unit.
    """
    pairs = {
        (first.form, second.form)
        for first, second in pairwise(units(text))
        if first.end == second.start and not (first.is_word or second.is_word)
    } - passage_index.pairs
    return {
        f"new:{first}{second}": _NEW_PAIRS_LENGTH / math.sqrt(len(pairs))
        for first, second in sorted(pairs)
    }


def style_features(text: str) -> Features:
    """Return how the option is written: its length, its clauses, its punctuation."""
    text = text.strip()
    clauses = [match.group() for match in _CLAUSE.finditer(text)] or [""]
    return {
        "style:length": len(text) / 50,
        "style:clauses": len(clauses) / 3,
        f"style:clauses={min(len(clauses), 6)}": 1.0,
        "style:pauses": text.count("、") / 3,
        "style:semicolon": float("；" in text or ";" in text),
        "style:colon": float("：" in text or ":" in text),
        "style:quoted": float(bool(re.search('[“"]', text))),
        "style:titled": float("《" in text),
        "style:bracket": float(bool(re.search("[（(]", text))),
        "style:number": float(bool(_NUMBER.search(text))),
        "style:dash": float("—" in text),
        "style:open-end": float(not text.endswith(("。", "."))),
        "style:first-clause": len(clauses[0]) / 20,
        "style:last-clause": len(clauses[-1]) / 20,
        "style:mean-clause": len(text) / len(clauses) / 20,
    }


def coverage_features(text: str, explanation: Explanation, passage_index: PassageIndex) -> Features:
    """Return the evidence's coverage of the option: as a whole, and by pieces and clauses."""
    n_characters = max(1, len(text))
    is_covered = _build_mask(text, [match.option_span for match in explanation.covered])
    is_uncovered = _build_mask(text, explanation.uncovered)
    runs = [match.option_span.end - match.option_span.start for match in explanation.covered]
    evidence_spans = explanation.evidence.spans
    n_evidence = sum(span.end - span.start for span in evidence_spans)
    option_units = units(text)
    evidence_forms = passage_index.sentences.forms_in(evidence_spans)
    pairs = list(pairwise(unit.form for unit in option_units))
    numbers = {match.group() for match in _NUMBER.finditer(fold(text))}
    evidence_text = (
        "".join(span.of(passage_index.folded) for span in evidence_spans) if numbers else ""
    )
    values = {
        "cover:share": sum(is_covered) / n_characters,
        "cover:uncovered": sum(is_uncovered) / n_characters,
        "cover:gaps": len(explanation.uncovered) / 4,
        "cover:longest-gap": _max_length(explanation.uncovered) / 10,
        "cover:pieces": 10 * len(runs) / n_characters,
        "cover:new-units": _fraction(unit.form not in passage_index.units for unit in option_units),
        "cover:new-pairs": _fraction(pair not in passage_index.pairs for pair in pairs),
        "cover:units": _fraction(unit.form in evidence_forms for unit in option_units),
        "number:any": float(bool(numbers)),
        "number:not-in-evidence": float(any(number not in evidence_text for number in numbers)),
        "number:not-in-passage": float(
            any(number not in passage_index.folded for number in numbers)
        ),
        "evidence:length": n_evidence / 100,
        "evidence:ratio": n_characters / max(20, n_evidence),
        f"evidence:sentences={min(len(evidence_spans), 4)}": 1.0,
    }
    for minimum in _RUN_LENGTHS:
        values[f"cover:run>={minimum}"] = sum(run for run in runs if run >= minimum) / n_characters
    return values | _clause_features(text, is_covered, is_uncovered)


def _clause_features(
    text: str, is_covered: Sequence[bool], is_uncovered: Sequence[bool]
) -> Features:
    clause_ranges = [match.span() for match in _CLAUSE.finditer(text)]
    if not clause_ranges:
        return {}
    shares = [_fraction(is_covered[start:end]) for start, end in clause_ranges]
    uncovered_shares = [_fraction(is_uncovered[start:end]) for start, end in clause_ranges]
    earlier_shares = shares[:-1]
    return {
        "clause:first": shares[0],
        "clause:last": shares[-1],
        "clause:least": min(shares),
        "clause:most": max(shares),
        "clause:range": max(shares) - min(shares),
        "clause:last-uncovered": uncovered_shares[-1],
        "clause:most-uncovered": max(uncovered_shares),
        "clause:last-beside-rest": shares[-1] - sum_in_order(earlier_shares) / len(earlier_shares)
        if earlier_shares
        else 0.0,
        "clause:copied": _fraction(share > 0.9 for share in shares),
        "clause:bare": _fraction(share < 0.2 for share in shares),
    }


def piece_order_features(explanation: Explanation, passage: Passage) -> Features:
    """Return the positions of the shared pieces in the passage: inverted, apart, early or late."""
    matches = explanation.covered
    if not matches:
        return {}
    passage_length = max(1, len(passage.text))
    starts = [match.passage_span.start for match in matches]
    is_inverted = [
        first.start > second.start
        for first, second in pairwise(match.passage_span for match in matches)
    ]
    long_matches = [
        match for match in matches if match.option_span.end - match.option_span.start >= 4
    ]
    gaps = [
        min(30, abs(second.passage_span.start - first.passage_span.end))
        for first, second in pairwise(matches)
        if first.sentence_index == second.sentence_index
    ]
    changes = sum(
        first.sentence_index != second.sentence_index for first, second in pairwise(matches)
    )
    middle = sum(starts) / len(starts) / passage_length
    return {
        "order:inverted": _fraction(is_inverted),
        "order:inversions": sum(is_inverted) / 3,
        "order:long-pieces-inverted": float(
            any(
                first.passage_span.start > second.passage_span.start
                for first, second in pairwise(long_matches)
            )
        ),
        "order:sentence-changes": changes / 3,
        "order:gap": sum(gaps) / len(gaps) / 20 if gaps else 0.0,
        "place:spread": (max(starts) - min(starts)) / passage_length,
        "place:middle": middle,
        "place:early": float(middle < 0.2),
        "place:late": float(middle > 0.8),
    }


def order_features(text: str, passage_index: PassageIndex) -> Features:
    """Return how nearly one stretch of the passage has a statement's words in their order."""
    return {"order:told": passage_index.aligned.ordered_share(units(text)) ** _ORDER_POWER}


def stem_features(
    question: Question, passage_index: PassageIndex, explanations: Sequence[Explanation]
) -> list[Features]:
    """Return how options that answer a stem match it: whether they occur near the stem's words.

    ``support`` is the retriever's score; ``ahead`` is its difference to the best other option.
    """
    text = passage_index.passage.text
    stem_forms = {unit.form for unit in units(question.text) if not unit.is_function}
    support = [explanation.evidence.score or 0.0 for explanation in explanations]
    rows = []
    for index, (option, explanation) in enumerate(zip(question.options, explanations, strict=True)):
        evidence_forms = passage_index.sentences.forms_in(explanation.evidence.spans)
        nearby_forms = {
            unit.form
            for match in explanation.covered
            for unit in units(
                text[
                    max(0, match.passage_span.start - _NEARBY_CHARACTERS) : match.passage_span.end
                    + _NEARBY_CHARACTERS
                ]
            )
        }
        occurrences = passage_index.folded.count(fold(option.text.strip().rstrip("。.")))
        other_support = support[:index] + support[index + 1 :]
        rows.append(
            {
                "stem:support": support[index],
                "stem:ahead": support[index] - max(other_support, default=0.0),
                "stem:covered": _fraction(form in evidence_forms for form in stem_forms),
                "stem:near": _fraction(form in nearby_forms for form in stem_forms),
                "stem:times": math.log1p(occurrences),
                "stem:verbatim": float(occurrences > 0),
            }
        )
    return rows


def sibling_features(question: Question, rows: Sequence[Features]) -> list[Features]:
    """Return features that compare each option with the others of its question.

    ``rank`` is from -1 to 1. Features that begin with ``asked`` have the sign of the stem's
    polarity: they point to the answer, not to what is true.
    """
    extras: list[Features] = [{} for _ in rows]
    n_others, sign = max(1, len(rows) - 1), polarity_sign(question)
    for name in _COMPARED:
        values = [row.get(name, 0.0) for row in rows]
        for extra, value in zip(extras, values, strict=True):
            lower = sum(other < value for other in values)
            higher = sum(other > value for other in values)
            extra[f"rank:{name}"] = (lower - higher) / n_others
            most, least = float(lower == n_others), float(higher == n_others)
            extra |= {f"most:{name}": most, f"least:{name}": least}
            extra |= {f"asked-most:{name}": sign * most, f"asked-least:{name}": sign * least}
    pairs = [set(pairwise(fold(option.text))) for option in question.options]
    for index, extra in enumerate(extras):
        similarities = [
            _jaccard(pairs[index], pair)
            for other_index, pair in enumerate(pairs)
            if other_index != index
        ]
        mean, top = 10 * sum_in_order(similarities) / n_others, 5 * max(similarities, default=0.0)
        extra |= {"alike:mean": mean, "alike:most": top}
        extra |= {"asked-alike:mean": sign * mean, "asked-alike:most": sign * top}
    return extras


def _build_mask(text: str, spans: Sequence[Span]) -> list[bool]:
    mask = [False] * len(text)
    for span in spans:
        mask[span.start : span.end] = [True] * (span.end - span.start)
    return mask


def _max_length(spans: Sequence[Span]) -> int:
    return max((span.end - span.start for span in spans), default=0)


def _fraction(values: Iterable[bool]) -> float:
    items = list(values)
    return sum(items) / len(items) if items else 0.0


def _jaccard(first: set[tuple[str, str]], second: set[tuple[str, str]]) -> float:
    return len(first & second) / max(1, len(first | second))
