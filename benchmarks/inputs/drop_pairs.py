"""Predictions and golds to time DROP scoring on: made up, and the corpus's where there is one."""

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


def pairs(count: int, seed: int = 1) -> list[tuple[str | list[str], str | list[str]]]:
    """Return answers in the proportions of DROP (60 % numbers) and imperfect predictions."""
    rng = random.Random(seed)
    made: list[tuple[str | list[str], str | list[str]]] = []
    while len(made) < count:
        gold = _answer(rng)
        other = _answer(rng)
        first = gold if isinstance(gold, str) else ", ".join(gold)
        made += [
            (prediction, gold)
            for prediction in (gold, other, first + ".", f"The answer is {first}.", first + RUN_ON)
        ]
    return made[:count]


def _answer(rng: random.Random) -> str | list[str]:
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


def sets() -> dict[str, list[tuple[str | list[str], str | list[str]]]]:
    """Return named lists of (prediction, gold)."""
    found = {"made up": pairs(20_000)}
    here = Path(__file__).resolve().parents[2]
    corpus = Path(os.environ.get("CLOSEREAD_CORPUS", here.parent / "shared"))
    if (corpus / "golden" / "drop" / "pairs.jsonl").exists():
        found["official outputs"] = _official(corpus / "golden" / "drop" / "pairs.jsonl")
        found["dev set"] = _dev_set(corpus / "data" / "drop" / "drop_v0_dev.jsonl.gz")
    return found


def _official(path: Path) -> list[tuple[str | list[str], str | list[str]]]:
    rows = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]
    return [(row["prediction"], gold) for row in rows for gold in row["golds"]]


def _dev_set(path: Path) -> list[tuple[str | list[str], str | list[str]]]:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        golds = [json.loads(line)["ref_text"].split("|") for line in stream]
    made: list[tuple[str | list[str], str | list[str]]] = []
    for place, accepted in enumerate(golds):
        first = accepted[0]
        other = golds[(7 * place + 1) % len(golds)][0]
        for prediction in (first, other, first + ".", first.split(" and "), first + RUN_ON):
            made += [(prediction, [gold]) for gold in accepted]
    return made


def forget() -> None:
    """Empty the normaliser's memory, so that every timing starts as a new process does."""
    for remembered in (
        normalize_drop._normalize_short,
        normalize_drop._normalize_token,
        normalize_drop.is_number,
    ):
        remembered.cache_clear()
