"""``python -m benchmarks.research.evidence CORPUS [RESAMPLES]``: for docs/evidence-research.md.

Every retriever gets the same queries. For questions without gold evidence for each option
(ExpMRC) there are three: the question alone; the question with what the lexical reader answers;
and, as an upper bound that no reader has, the question with the gold answer. Where only the
answer's place is known, each gives one sentence, which holds an accepted answer whole or does not.
"""

import math
import os
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

from benchmarks.arguments import OPTIONAL_COUNT, PATH, run_main
from closeread.evidence.bm25 import bm25
from closeread.evidence.cover import cover
from closeread.evidence.sentences import splitter
from closeread.exam import locate
from closeread.formats.registry import load
from closeread.metrics.evidence import overlap
from closeread.metrics.expmrc import score_text
from closeread.metrics.matching.segmentation import Segmenter, make_segmenter
from closeread.protocols import Retriever
from closeread.readers import make
from closeread.types import Answer, Evidence, Option, Passage, Question, Span

RESAMPLES = 2000

PLACE_SETS = (
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


class CharacterCover:
    """The rule that the research began with: greedy over rare characters and pairs."""

    def __init__(self, sentences: str = "default", stop: float = 0.1, most: int = 4) -> None:
        self.split, self.stop, self.most = splitter(sentences), stop, most

    def retrieve(
        self, question: Question, passage: Passage, option: Option | None, k: int | None = None
    ) -> Evidence:
        spans = self.split(passage.text, passage.language)
        sentence_grams = [_grams(span.of(passage.text)) for span in spans]
        counts = Counter(gram for grams in sentence_grams for gram in grams)
        text = question.text if option is None else option.text
        if option is not None and question.kind != "verification":
            text = f"{question.text} {text}"
        weight = {
            gram: max(0.0, math.log((len(spans) + 1) / (counts[gram] + 0.5)))
            for gram in _grams(text)
        }
        total = sum(weight.values())
        picked: list[int] = []
        while len(picked) < self.most:
            gains = [
                sum(weight.get(gram, 0.0) for gram in sorted(grams)) for grams in sentence_grams
            ]
            best = max(range(len(gains)), key=gains.__getitem__)
            if gains[best] <= 0 or (picked and gains[best] < self.stop * total):
                break
            picked.append(best)
            weight = {
                gram: value for gram, value in weight.items() if gram not in sentence_grams[best]
            }
        return Evidence(spans=tuple(spans[index] for index in sorted(picked)))


def _grams(text: str) -> set[str]:
    letters = "".join(character for character in text if character.isalnum())
    return {*letters, *(letters[index : index + 2] for index in range(len(letters) - 1))}


def iter_option_cases(path: Path | str) -> Iterator[Case]:
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


def _option_f1(gold: Sequence[Span], evidence: Evidence) -> float:
    return overlap(gold, evidence.spans)[2]


def iter_question_cases(path: Path | str, answered: str) -> Iterator[Case]:
    """Yield every question with an answer as its option.

    Args:
        path: A data set in the format of ExpMRC.
        answered: ``nothing`` (no option), ``picked`` (by the lexical reader) or ``gold``.
    """
    reader, _ = make("lexical")
    segmenter = make_segmenter()
    for passage, questions in load(path):
        for question in questions:
            golds = [" ".join(piece.texts) for piece in question.gold_evidence]
            answer: Answer | None = None
            if answered == "picked":
                without_gold = Question(
                    question_id=question.question_id,
                    passage_id=passage.passage_id,
                    text=question.text,
                    kind=question.kind,
                    asks_for=question.asks_for,
                    options=question.options,
                )
                answer = next(iter(reader.read([(passage, without_gold)]))).answer
            elif answered == "gold":
                answer = question.answers[0]
            text = answer.texts[0] if answer is not None and answer.texts else ""
            option = Option(label="", text=text) if text else None
            f1 = partial(_text_f1, passage, tuple(golds), segmenter)
            yield Case(question.question_id, passage, question, option, f1)


def iter_place_cases(path: Path) -> Iterator[Case]:
    """Every question, scored by whether an accepted answer lies whole in a retrieved sentence."""
    for passage, questions in load(path):
        for question in questions:
            golds = [span for answer in question.answers for span in answer.spans]
            yield Case(
                passage.passage_id, passage, question, None, partial(_contains_answer, golds)
            )


def _contains_answer(golds: Sequence[Span], evidence: Evidence) -> float:
    return float(
        any(
            span.start <= gold.start and gold.end <= span.end
            for span in evidence.spans
            for gold in golds
        )
    )


def _text_f1(
    passage: Passage, golds: tuple[str, ...], segmenter: Segmenter, evidence: Evidence
) -> float:
    text = " ".join(span.of(passage.text) for span in evidence.spans)
    return _score_text(text, golds, segmenter)


@lru_cache(maxsize=1 << 16)
def _score_text(text: str, golds: tuple[str, ...], segmenter: Segmenter) -> float:
    return score_text(text, golds, segmenter)


def compare(
    cases: Sequence[Case],
    sentences: str = "default",
    *,
    first: bool = False,
    resamples: int = RESAMPLES,
) -> dict[str, str]:
    """Return each retriever's F1 in percent, with the 95 % interval of cover's gain over it.

    Args:
        cases: The queries, at least one.
        sentences: The name of the splitter.
        first: Whether each retriever gives only one sentence.
        resamples: Of the units, for an interval.
    """
    most = 1 if first else 4
    retrievers: dict[str, Retriever] = {
        "cover": cover(sentences=sentences, most=most),
        "lead": CharacterCover(sentences, most=most),
        "bm25 top 1": bm25(k=1, sentences=sentences),
    }
    if not first:
        retrievers["bm25 top 2"] = bm25(k=2, sentences=sentences)
    scores: dict[str, dict[str, list[float]]] = {}
    for name, retriever in retrievers.items():
        by_unit: dict[str, list[float]] = defaultdict(list)
        for case in cases:
            evidence = retriever.retrieve(case.question, case.passage, case.option)
            by_unit[case.unit].append(case.f1(evidence))
        scores[name] = by_unit
    table = {}
    for name, by_unit in scores.items():
        low, high = _interval(scores["cover"], None if name == "cover" else by_unit, resamples)
        table[name] = f"{100 * _mean(by_unit.values()):.1f} ({low:+.1f} {high:+.1f})"
    return table


def _mean(rows: Iterable[Sequence[float]]) -> float:
    values = [value for row in rows for value in row]
    return math.fsum(values) / len(values)


def _interval(
    ours: Mapping[str, Sequence[float]],
    theirs: Mapping[str, Sequence[float]] | None,
    resamples: int,
) -> tuple[float, float]:
    """Return the interval of the mean, or of the difference to another, over resampled units."""
    units, rng = list(ours), random.Random(0)
    means = []
    for _ in range(resamples):
        drawn = rng.choices(units, k=len(units))
        mean = _mean(ours[unit] for unit in drawn)
        means.append(mean - (_mean(theirs[unit] for unit in drawn) if theirs else 0.0))
    means.sort()
    return 100 * means[resamples // 40], 100 * means[-resamples // 40 - 1]


def main(corpus: Path, resamples: int = RESAMPLES) -> None:
    """Print one line for each set and query."""
    os.environ.setdefault("NLTK_DATA", str(corpus / "data" / "nltk"))
    compare_cases = partial(compare, resamples=resamples)
    visible = corpus / "data" / "vgaokao" / "sample_annotation_visible.json"
    of_gaokao = list(iter_option_cases(visible))
    print("vgaokao", compare_cases(of_gaokao, "vgaokao"), flush=True)
    print("vgaokao, default splitter", compare_cases(of_gaokao), flush=True)
    exam = list(iter_option_cases(locate("exam/zh")))
    print("exam/zh", compare_cases(exam), flush=True)
    for name in ("c3", "cmrc2018", "race", "squad"):
        path = corpus / "data" / "expmrc" / f"expmrc-{name}-dev.json"
        for answered in ("nothing", "picked", "gold"):
            cases = list(iter_question_cases(path, answered))
            print(name, answered, compare_cases(cases), flush=True)
    for name in PLACE_SETS:
        table = compare_cases(list(iter_place_cases(corpus / "data" / name)), first=True)
        print("first sentence", name, table, flush=True)


if __name__ == "__main__":
    run_main(__doc__, main, corpus=PATH, resamples=OPTIONAL_COUNT)
