"""``python -m benchmarks.research.evidence CORPUS``: the tables of docs/evidence-research.md.

Every retriever gets the same queries. For questions without gold evidence for each option
(ExpMRC) there are three: the question alone; the question with what the lexical reader answers;
and, as an upper bound that no reader has, the question with the gold answer. Where only the
answer's place is known, each gives one sentence, which holds an accepted answer whole or does not.
"""

import math
import os
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

from benchmarks.arguments import PLACE, begin
from closeread.evidence.bm25 import bm25
from closeread.evidence.cover import cover
from closeread.evidence.sentences import splitter
from closeread.exam import locate
from closeread.formats.registry import load
from closeread.metrics.evidence import overlap
from closeread.metrics.expmrc import score_text
from closeread.metrics.matching.segmentation import make_segmenter
from closeread.readers import make
from closeread.types import Answer, Evidence, Option, Passage, Question, Span

RESAMPLES = 2000

PLACES = (
    "cmrc2018/cmrc2018_dev.json",
    "drcd/DRCD_dev.json",
    "xquad/xquad.en.json",
    "xquad/xquad.zh.json",
    "mlqa/dev-context-en-question-en.json",
)


class Case(NamedTuple):
    """One query and how its evidence is scored; cases of one unit are resampled together."""

    unit: str
    passage: Passage
    question: Question
    option: Option | None
    f1: Callable[[Evidence], float]


class Lead:
    """The rule that the research began with: greedy over rare characters and pairs."""

    def __init__(self, sentences: str = "default", stop: float = 0.1, most: int = 4) -> None:
        self.split, self.stop, self.most = splitter(sentences), stop, most

    def retrieve(
        self, question: Question, passage: Passage, option: Option | None, k: int | None = None
    ) -> Evidence:
        spans = self.split(passage.text, passage.language)
        held = [_grams(span.of(passage.text)) for span in spans]
        counts = Counter(gram for grams in held for gram in grams)
        text = question.text if option is None else option.text
        if option is not None and question.kind != "verification":
            text = f"{question.text} {text}"
        weight = {
            gram: max(0.0, math.log((len(spans) + 1) / (counts[gram] + 0.5)))
            for gram in _grams(text)
        }
        total, picked = sum(weight.values()), []
        while len(picked) < self.most:
            gains = [sum(weight.get(gram, 0.0) for gram in sorted(grams)) for grams in held]
            best = max(range(len(gains)), key=gains.__getitem__)
            if gains[best] <= 0 or (picked and gains[best] < self.stop * total):
                break
            picked.append(best)
            weight = {gram: own for gram, own in weight.items() if gram not in held[best]}
        return Evidence(spans=tuple(spans[place] for place in sorted(picked)))


def _grams(text: str) -> set[str]:
    kept = "".join(character for character in text if character.isalnum())
    return {*kept, *(kept[place : place + 2] for place in range(len(kept) - 1))}


def of_options(path: Path | str) -> Iterator[Case]:
    """Every option with gold evidence; options of one passage are resampled together."""
    for passage, questions in load(path):
        for question in questions:
            for option in question.options:
                gold = [
                    span
                    for piece in question.gold_evidence
                    if piece.option_label == option.label
                    for span in piece.spans
                ]
                if gold:
                    f1 = partial(_option_f1, gold)
                    yield Case(passage.passage_id, passage, question, option, f1)


def _option_f1(gold: list, found: Evidence) -> float:
    return overlap(gold, found.spans)[2]


def of_questions(path: Path | str, given: str) -> Iterator[Case]:
    """Every question; ``given`` tells what stands beside it: nothing, picked or gold."""
    reader, _ = make("lexical")
    cut = make_segmenter()
    for passage, questions in load(path):
        for question in questions:
            golds = [" ".join(piece.texts) for piece in question.gold_evidence]
            answer: Answer | None = None
            if given == "picked":
                bare = Question(
                    question_id=question.question_id,
                    passage_id=passage.passage_id,
                    text=question.text,
                    kind=question.kind,
                    asks_for=question.asks_for,
                    options=question.options,
                )
                answer = next(iter(reader.read([(passage, bare)]))).answer
            elif given == "gold":
                answer = question.answers[0]
            text = answer.texts[0] if answer is not None and answer.texts else ""
            option = Option(label="", text=text) if text else None
            f1 = partial(_text_f1, passage, golds, cut)
            yield Case(question.question_id, passage, question, option, f1)


def of_places(path: Path) -> Iterator[Case]:
    """Every question, scored by whether an accepted answer lies whole in a sentence found."""
    for passage, questions in load(path):
        for question in questions:
            golds = [span for answer in question.answers for span in answer.spans]
            yield Case(passage.passage_id, passage, question, None, partial(_holds, golds))


def _holds(golds: list[Span], found: Evidence) -> float:
    return float(
        any(
            span.start <= gold.start and gold.end <= span.end
            for span in found.spans
            for gold in golds
        )
    )


def _text_f1(passage: Passage, golds: list[str], cut: object, found: Evidence) -> float:
    text = " ".join(span.of(passage.text) for span in found.spans)
    return _cached(text, tuple(golds), cut)


@lru_cache(maxsize=1 << 16)
def _cached(text: str, golds: tuple[str, ...], cut: object) -> float:
    return score_text(text, golds, cut)


def compare(
    cases: list[Case], sentences: str = "default", *, first: bool = False
) -> dict[str, str]:
    """Return each retriever's F1 in percent, with the 95 % interval of cover's gain over it.

    ``first`` asks each for one sentence.
    """
    most = 1 if first else 4
    retrievers = {
        "cover": cover(sentences=sentences, most=most),
        "lead": Lead(sentences, most=most),
        "bm25 top 1": bm25(k=1, sentences=sentences),
    }
    if not first:
        retrievers["bm25 top 2"] = bm25(k=2, sentences=sentences)
    scores: dict[str, dict[str, list[float]]] = {}
    for name, retriever in retrievers.items():
        rows = defaultdict(list)
        for case in cases:
            found = retriever.retrieve(case.question, case.passage, case.option)
            rows[case.unit].append(case.f1(found))
        scores[name] = rows
    shown = {}
    for name, rows in scores.items():
        low, high = _interval(scores["cover"], None if name == "cover" else rows)
        shown[name] = f"{100 * _mean(rows.values()):.1f} ({low:+.1f} {high:+.1f})"
    return shown


def _mean(rows) -> float:
    values = [value for row in rows for value in row]
    return math.fsum(values) / len(values)


def _interval(ours: dict, theirs: dict | None) -> tuple[float, float]:
    """Return the interval of the mean, or of the difference to another, over resampled units."""
    units, rng, found = list(ours), random.Random(0), []
    for _ in range(RESAMPLES):
        drawn = rng.choices(units, k=len(units))
        mean = _mean(ours[unit] for unit in drawn)
        found.append(mean - (_mean(theirs[unit] for unit in drawn) if theirs else 0.0))
    found.sort()
    return 100 * found[RESAMPLES // 40], 100 * found[-RESAMPLES // 40 - 1]


def main(corpus: Path) -> None:
    """Print one line for each set and query."""
    os.environ.setdefault("NLTK_DATA", str(corpus / "data" / "nltk"))
    visible = corpus / "data" / "vgaokao" / "sample_annotation_visible.json"
    print("vgaokao", compare(list(of_options(visible)), "vgaokao"), flush=True)
    print("vgaokao, default splitter", compare(list(of_options(visible))), flush=True)
    print("exam/zh", compare(list(of_options(locate("exam/zh")))), flush=True)
    for name in ("c3", "cmrc2018", "race", "squad"):
        path = corpus / "data" / "expmrc" / f"expmrc-{name}-dev.json"
        for given in ("nothing", "picked", "gold"):
            print(name, given, compare(list(of_questions(path, given))), flush=True)
    for place in PLACES:
        shown = compare(list(of_places(corpus / "data" / place)), first=True)
        print("first sentence", place, shown, flush=True)


if __name__ == "__main__":
    begin(__doc__, main, corpus=PLACE)
