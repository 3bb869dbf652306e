"""Features that tell wrong options from right ones, as named numbers that a person can check.

Every feature is about one option: the cue words that it adds to its evidence, how it lies over its
evidence, how it is written, and how it stands to the other options of the same question. A name
is ``group:what``; docs/cues.md lists the groups. Options that are statements to be verified and
options that answer their stem are made wrong in different ways: the names of the latter begin with
``answer/``, so that nothing that is learned of the ones is believed of the others.
"""

import math
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from closeread.evidence.claims.explanation import Explanation
from closeread.evidence.claims.terms import fold, units
from closeread.readers.competition import polarity_sign
from closeread.readers.cues.passage import ReadPassage
from closeread.readers.cues.turns import turn_features
from closeread.summation import sum_in_order
from closeread.types import Passage, Question, Span

Features = dict[str, float]
_CLAUSE = re.compile(r"[^,，;；。.：:！!？?\s]+(?:[^\S\n]+[^,，;；。.：:！!？?\s]+)*")
_TELLS = "一二三四五六七八九十百千万亿"
# Looked for from the first of several alone, and so in time that does not grow with the square.
_NUMBER = re.compile(rf"\d+|(?<![{_TELLS}])[{_TELLS}]++(?=[年世个种次倍成月日])")
_RUNS = (4, 6, 8, 12, 16)
# Many features say nearly the same of a cue: each counts the less; and so does each where an option
# has many cues: together they count as those of a usual option.
_USUAL = 4.7
_BESIDE = ((1, 0.5), (2, 0.35))  # so many characters beside it, and the value
_THEN = 0.7
_THEN_CATEGORY = 0.5
# The power of the share that is told in order: a word exchanged says much of what is else told word
# for word, and nothing of what is worded anew.
_NEARLY_ALL = 8
_NEW = 3.0  # the length of an option's new pairs together, however many they are
ANSWER = "answer/"
SUPPORT = f"{ANSWER}stem:support"
_BESIDE_ANSWER = 40  # characters on both sides of a piece in which the stem's words are looked for
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
    question: Question, read: ReadPassage, explanations: Sequence[Explanation]
) -> tuple[Features, ...]:
    """Return one dictionary an option, in the options' order; absent features are 0.

    Args:
        question: With its options; gold is not looked at.
        read: Its passage.
        explanations: For each option its evidence, what that covers, and what it does not.
    """
    found = []
    for option, explanation in zip(question.options, explanations, strict=True):
        found.append(
            cue_features(option.text, explanation, read)
            | turn_features(option.text, explanation, read)
            | new_pair_features(option.text, read)
            | style_features(option.text)
            | coverage_features(option.text, explanation, read)
            | piece_order_features(explanation, read.passage)
        )
    if question.kind != "verification":
        for own, beside in zip(found, stem_features(question, read, explanations), strict=True):
            own.update(beside)
    for own, beside in zip(found, sibling_features(question, found), strict=True):
        own.update(beside)
    if question.kind == "verification":
        every = zip(found, question.options, strict=True)
        return tuple(own | order_features(option.text, read) for own, option in every)
    return tuple({ANSWER + name: value for name, value in own.items()} for own in found)


def cue_features(text: str, explanation: Explanation, read: ReadPassage) -> Features:
    """Return the option's cue words, and whether its evidence has them.

    ``cue`` is a word in the option; ``kept`` the same where the evidence has it, ``added`` where
    it has not. By category, ``turned`` is a word that the evidence has only in other words of its
    category. ``before`` and ``after`` are a cue with one and two characters on that
    side, ``then`` is a cue and the next one, in words or categories.
    """
    theirs = frozenset[str]().union(*map(read.cue_words, explanation.evidence.spans))
    their_categories = {category for word in theirs for category in read.words.categories[word]}
    found: Features = {}
    own = read.words.find(text)
    for cue in own:
        state = "kept" if cue.word in theirs else "added"
        found[f"cue:{cue.word}"] = 1.0
        found[f"{state}:{cue.word}"] = 1.0
        for category in cue.categories:
            how = "turned" if state == "added" and category in their_categories else state
            found[f"category:{category}"] = 1.0
            found[f"category-{how}:{category}"] = 1.0
        for reach, value in _BESIDE:
            found[f"before:{text[max(0, cue.start - reach) : cue.start]}|{cue.word}"] = value
            found[f"after:{cue.word}|{text[cue.end : cue.end + reach]}"] = value
    for cue, following in pairwise(own):
        found[f"then:{cue.word}|{following.word}"] = _THEN
        found[f"then-category:{cue.categories[0]}|{following.categories[0]}"] = _THEN_CATEGORY
    length = math.sqrt(math.fsum(value * value for value in found.values()))
    return {name: value * _USUAL / length for name, value in found.items()}


def new_pair_features(text: str, read: ReadPassage) -> Features:
    """Return the pairs of neighbouring characters that the passage holds nowhere.

    Only of writing without spaces: an English word is not made of words.
    """
    pairs = {
        (one.form, two.form)
        for one, two in pairwise(units(text))
        if one.end == two.start and not (one.is_word or two.is_word)
    } - read.pairs
    return {f"new:{one}{two}": _NEW / math.sqrt(len(pairs)) for one, two in sorted(pairs)}


def style_features(text: str) -> Features:
    """Return how the option is written: its length, its clauses, its marks."""
    text = text.strip()
    clauses = [found.group() for found in _CLAUSE.finditer(text)] or [""]
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


def coverage_features(text: str, explanation: Explanation, read: ReadPassage) -> Features:
    """Return how much of the option its evidence covers, in which pieces and clauses."""
    long = max(1, len(text))
    under = _mask(text, [match.option_span for match in explanation.covered])
    bare = _mask(text, explanation.uncovered)
    runs = [match.option_span.end - match.option_span.start for match in explanation.covered]
    spans = explanation.evidence.spans
    evidence = sum(span.end - span.start for span in spans)
    own = units(text)
    theirs = read.sentences.held(spans)
    pairs = list(pairwise(unit.form for unit in own))
    numbers = {found.group() for found in _NUMBER.finditer(fold(text))}
    nearby = "".join(span.of(read.folded) for span in spans) if numbers else ""
    found = {
        "cover:share": sum(under) / long,
        "cover:uncovered": sum(bare) / long,
        "cover:gaps": len(explanation.uncovered) / 4,
        "cover:longest-gap": _longest(explanation.uncovered) / 10,
        "cover:pieces": 10 * len(runs) / long,
        "cover:new-units": _share(unit.form not in read.units for unit in own),
        "cover:new-pairs": _share(pair not in read.pairs for pair in pairs),
        "cover:units": _share(unit.form in theirs for unit in own),
        "number:any": float(bool(numbers)),
        "number:not-in-evidence": float(any(one not in nearby for one in numbers)),
        "number:not-in-passage": float(any(one not in read.folded for one in numbers)),
        "evidence:length": evidence / 100,
        "evidence:ratio": long / max(20, evidence),
        f"evidence:sentences={min(len(spans), 4)}": 1.0,
    }
    for least in _RUNS:
        found[f"cover:run>={least}"] = sum(run for run in runs if run >= least) / long
    return found | _by_clause(text, under, bare)


def _by_clause(text: str, under: Sequence[bool], bare: Sequence[bool]) -> Features:
    places = [found.span() for found in _CLAUSE.finditer(text)]
    if not places:
        return {}
    shares = [_share(under[start:end]) for start, end in places]
    gaps = [_share(bare[start:end]) for start, end in places]
    rest = shares[:-1]
    return {
        "clause:first": shares[0],
        "clause:last": shares[-1],
        "clause:least": min(shares),
        "clause:most": max(shares),
        "clause:range": max(shares) - min(shares),
        "clause:last-uncovered": gaps[-1],
        "clause:most-uncovered": max(gaps),
        "clause:last-beside-rest": shares[-1] - sum_in_order(rest) / len(rest) if rest else 0.0,
        "clause:copied": _share(share > 0.9 for share in shares),
        "clause:bare": _share(share < 0.2 for share in shares),
    }


def piece_order_features(explanation: Explanation, passage: Passage) -> Features:
    """Return how the pieces lie in the passage: turned round, apart, early or late."""
    matches = explanation.covered
    if not matches:
        return {}
    long = max(1, len(passage.text))
    starts = [match.passage_span.start for match in matches]
    turned = [one.start > two.start for one, two in pairwise(m.passage_span for m in matches)]
    big = [m for m in matches if m.option_span.end - m.option_span.start >= 4]
    gaps = [
        min(30, abs(two.passage_span.start - one.passage_span.end))
        for one, two in pairwise(matches)
        if one.sentence_index == two.sentence_index
    ]
    changes = sum(one.sentence_index != two.sentence_index for one, two in pairwise(matches))
    middle = sum(starts) / len(starts) / long
    return {
        "order:inverted": _share(turned),
        "order:inversions": sum(turned) / 3,
        "order:long-pieces-inverted": float(
            any(one.passage_span.start > two.passage_span.start for one, two in pairwise(big))
        ),
        "order:sentence-changes": changes / 3,
        "order:gap": sum(gaps) / len(gaps) / 20 if gaps else 0.0,
        "place:spread": (max(starts) - min(starts)) / long,
        "place:middle": middle,
        "place:early": float(middle < 0.2),
        "place:late": float(middle > 0.8),
    }


def order_features(text: str, read: ReadPassage) -> Features:
    """Return whether one stretch of the passage tells a statement in its own order."""
    return {"order:told": read.aligned.ordered_share(units(text)) ** _NEARLY_ALL}


def stem_features(
    question: Question, read: ReadPassage, explanations: Sequence[Explanation]
) -> list[Features]:
    """Return how options that answer a stem go with it: found where the stem's words are.

    ``support`` is the retriever's score, ``ahead`` how far it exceeds the best other option's.
    """
    text = read.passage.text
    wanted = {unit.form for unit in units(question.text) if not unit.is_function}
    support = [explanation.evidence.score or 0.0 for explanation in explanations]
    found = []
    for place, (option, explanation) in enumerate(zip(question.options, explanations, strict=True)):
        said = read.sentences.held(explanation.evidence.spans)
        near = {
            unit.form
            for match in explanation.covered
            for unit in units(
                text[
                    max(0, match.passage_span.start - _BESIDE_ANSWER) : match.passage_span.end
                    + _BESIDE_ANSWER
                ]
            )
        }
        times = read.folded.count(fold(option.text.strip().rstrip("。.")))
        others = support[:place] + support[place + 1 :]
        found.append(
            {
                "stem:support": support[place],
                "stem:ahead": support[place] - max(others, default=0.0),
                "stem:covered": _share(form in said for form in wanted),
                "stem:near": _share(form in near for form in wanted),
                "stem:times": math.log1p(times),
                "stem:verbatim": float(times > 0),
            }
        )
    return found


def sibling_features(question: Question, found: Sequence[Features]) -> list[Features]:
    """Return how each option stands to the others of its question.

    ``rank`` runs from -1 to 1. What begins with ``asked`` is turned by what the stem asks for:
    it speaks for being the answer, not for being true.
    """
    beside: list[Features] = [{} for _ in found]
    others, turned = max(1, len(found) - 1), polarity_sign(question)
    for name in _COMPARED:
        values = [one.get(name, 0.0) for one in found]
        for own, value in zip(beside, values, strict=True):
            lower = sum(other < value for other in values)
            higher = sum(other > value for other in values)
            own[f"rank:{name}"] = (lower - higher) / others
            most, least = float(lower == others), float(higher == others)
            own |= {f"most:{name}": most, f"least:{name}": least}
            own |= {f"asked-most:{name}": turned * most, f"asked-least:{name}": turned * least}
    pairs = [set(pairwise(fold(option.text))) for option in question.options]
    for place, own in enumerate(beside):
        alike = [_jaccard(pairs[place], pair) for at, pair in enumerate(pairs) if at != place]
        mean, top = 10 * sum_in_order(alike) / others, 5 * max(alike, default=0.0)
        own |= {"alike:mean": mean, "alike:most": top}
        own |= {"asked-alike:mean": turned * mean, "asked-alike:most": turned * top}
    return beside


def _mask(text: str, spans: Sequence[Span]) -> list[bool]:
    found = [False] * len(text)
    for span in spans:
        found[span.start : span.end] = [True] * (span.end - span.start)
    return found


def _longest(spans: Sequence[Span]) -> int:
    return max((span.end - span.start for span in spans), default=0)


def _share(values: Iterable[bool]) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0


def _jaccard(one: set[tuple[str, str]], two: set[tuple[str, str]]) -> float:
    return len(one & two) / max(1, len(one | two))
