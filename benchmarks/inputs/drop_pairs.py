"""Predictions and golds to time DROP scoring on: generated, and the corpus's if there is one."""

import gzip
import json
import os
import random
from pathlib import Path

from closeread.text import normalize_drop

RUN_ON = "\n\nPassage: The visitors tried to rally in the second half"
FIRST = ["Ann", "Bob", "Carla", "Dave", "Erin", "Finn", "Grace", "Hugo", "Iris", "Jonas", "Kim"]
LAST = ["Archer", "Baker", "Cole", "Dunn", "Ellis", "Frost", "Grant", "Hale", "Ives", "Jarvis"]
TEAM = ["the", "team", "won", "lost", "yards", "field", "goal", "touchdown", "pass", "quarter"]
CITY = ["of", "a", "census", "people", "percent", "under", "age", "households", "river", "half"]
PAST = ["war", "treaty", "army", "city", "kingdom", "first", "second", "third", "year", "in"]
WORDS = TEAM + CITY + PAST

Answer = str | list[str]
Pair = tuple[Answer, Answer]  # a prediction and a gold answer


def make_pairs(count: int, seed: int = 1) -> list[Pair]:
    """Return answers in the proportions of DROP (60 % numbers) and imperfect predictions."""
    rng = random.Random(seed)
    pairs: list[Pair] = []
    while len(pairs) < count:
        gold = _answer(rng)
        other = _answer(rng)
        first = gold if isinstance(gold, str) else ", ".join(gold)
        pairs += [
            (prediction, gold)
            for prediction in (gold, other, first + ".", f"The answer is {first}.", first + RUN_ON)
        ]
    return pairs[:count]


def _answer(rng: random.Random) -> Answer:
    kind = rng.random()
    if kind < 0.6:
        return str(rng.randint(0, 60)) if rng.random() < 0.7 else f"{rng.random() * 100:.1f}"
    if kind < 0.9:
        return _span(rng)
    if kind < 0.92:
        return f"{rng.randint(1, 28)} March {rng.randint(1500, 1999)}"
    return [_span(rng) for _ in range(rng.randint(2, 4))]


def _span(rng: random.Random) -> str:
    if rng.random() < 0.5:
        return f"{rng.choice(FIRST)} {rng.choice(LAST)}"
    return " ".join(rng.choices(WORDS, k=rng.randint(1, 6)))


def pair_sets() -> dict[str, list[Pair]]:
    """Return lists of pairs by name: generated, official outputs and the dev set."""
    sets = {"made up": make_pairs(20_000)}
    here = Path(__file__).resolve().parents[2]
    corpus = Path(os.environ.get("CLOSEREAD_CORPUS", here.parent / "shared"))
    if (corpus / "golden" / "drop" / "pairs.jsonl").exists():
        sets["official outputs"] = _official(corpus / "golden" / "drop" / "pairs.jsonl")
        sets["dev set"] = _dev_set(corpus / "data" / "drop" / "drop_v0_dev.jsonl.gz")
    return sets


def _official(path: Path) -> list[Pair]:
    rows = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]
    return [(row["prediction"], gold) for row in rows for gold in row["golds"]]


def _dev_set(path: Path) -> list[Pair]:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        golds = [json.loads(line)["ref_text"].split("|") for line in stream]
    pairs: list[Pair] = []
    for index, accepted in enumerate(golds):
        first = accepted[0]
        other = golds[(7 * index + 1) % len(golds)][0]
        for prediction in (first, other, first + ".", first.split(" and "), first + RUN_ON):
            pairs += [(prediction, [gold]) for gold in accepted]
    return pairs


def clear_caches() -> None:
    """Empty the normaliser's caches, so that every timing starts as a new process does."""
    for cached in (
        normalize_drop._normalize_short,
        normalize_drop._normalize_token,
        normalize_drop.is_number,
    ):
        cached.cache_clear()
