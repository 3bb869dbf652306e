"""Generates inputs of benchmarks: MRQA files of any size, with predictions, from a seed.

The text is nonsense with a natural shape: words drawn by a Zipf law, contexts of 250 to 800
tokens, four questions a context, one to three answers each, predictions right, nearly right or
wrong. Nothing is taken from a published set.
"""

import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_SYLLABLES = [c + v for c in "bcdfghklmnprstvw" for v in ("a", "e", "i", "o", "u", "ea", "ou")]
_ARTICLES = ("the", "a", "an", "of", "in", "and", "to", "was", "by", "on")


def vocabulary(random_: random.Random, size: int = 20_000) -> list[str]:
    """Return distinct made-up words, the short ones first."""
    words = {
        "".join(random_.choices(_SYLLABLES, k=1 + index * 4 // size)) for index in range(size * 2)
    }
    return [*_ARTICLES, *sorted(words, key=lambda word: (len(word), word))][:size]


def contexts(questions: int, seed: int = 1) -> Iterator[tuple[dict[str, object], dict[str, str]]]:
    """Yield MRQA lines with the predictions for their questions, until there are enough."""
    random_ = random.Random(seed)
    words = vocabulary(random_)
    cumulative = [0.0]
    for rank in range(1, len(words) + 1):
        cumulative.append(cumulative[-1] + 1 / rank)
    weights = cumulative[1:]
    count = 0
    while count < questions:
        tokens = random_.choices(words, cum_weights=weights, k=random_.randint(250, 800))
        tokens = [
            token.capitalize()
            if random_.random() < 0.15
            else token + random_.choice(("", "", "", ",", "."))
            for token in tokens
        ]
        offsets: list[tuple[str, int]] = []
        position = 0
        for token in tokens:
            offsets.append((token, position))
            position += len(token) + 1
        context = " ".join(tokens)
        qas: list[dict[str, Any]] = []
        predictions: dict[str, str] = {}
        for _ in range(min(4, questions - count)):
            qid = f"{random_.getrandbits(128):032x}"
            answers = _answers(random_, context, offsets)
            qas.append({"qid": qid, **_question(random_, words, weights), **answers})
            predictions[qid] = _prediction(random_, answers["answers"][0], tokens)
        count += len(qas)
        yield {"id": "", "context": context, "context_tokens": offsets, "qas": qas}, predictions


def _question(random_: random.Random, words: list[str], weights: list[float]) -> dict[str, object]:
    """Return a question's text and the offsets of its tokens."""
    question = " ".join(random_.choices(words, cum_weights=weights, k=11)) + " ?"
    offsets, position = [], 0
    for token in question.split(" "):
        offsets.append([token, position])
        position += len(token) + 1
    return {"question": question, "question_tokens": offsets}


def _answers(
    random_: random.Random, context: str, offsets: list[tuple[str, int]]
) -> dict[str, Any]:
    """Return a question's answer, with the accepted texts."""
    first = random_.randrange(len(offsets))
    last = min(first + random_.choice((0, 0, 1, 2, 4)), len(offsets) - 1)
    start, end = offsets[first][1], offsets[last][1] + len(offsets[last][0]) - 1
    text = context[start : end + 1]
    return {
        "detected_answers": [
            {"text": text, "char_spans": [[start, end]], "token_spans": [[first, last]]}
        ],
        "answers": [text] + [text.strip(".,")] * random_.choice((0, 0, 1, 2)),
    }


def _prediction(random_: random.Random, answer: str, tokens: list[str]) -> str:
    chance = random_.random()
    if chance < 0.55:
        return answer
    start = random_.randrange(len(tokens))
    other = " ".join(tokens[start : start + random_.randint(1, 5)])
    return f"{answer} {other}" if chance < 0.8 else other


def write(folder: Path, name: str, questions: int, seed: int = 1) -> tuple[Path, Path]:
    """Write ``name.jsonl.gz`` and ``name.predictions.json`` if they are missing; return both."""
    folder.mkdir(parents=True, exist_ok=True)
    data, predictions = folder / f"{name}.jsonl.gz", folder / f"{name}.predictions.json"
    if data.exists() and predictions.exists():
        return data, predictions
    all_predictions: dict[str, str] = {}
    with gzip.open(data, "wt", encoding="utf-8", compresslevel=6) as stream:
        stream.write(json.dumps({"header": {"dataset": "bench", "split": "dev"}}) + "\n")
        for row, of_row in contexts(questions, seed):
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")
            all_predictions |= of_row
    predictions.write_text(json.dumps(all_predictions))
    return data, predictions


def write_large(folder: Path, name: str, source: Path, megabytes: int) -> tuple[Path, Path]:
    """Repeat a generated set under new ids, uncompressed, until the file has that size."""
    data, predictions = folder / f"{name}.jsonl", folder / f"{name}.predictions.json"
    if data.exists() and predictions.exists():
        return data, predictions
    with gzip.open(source, "rb") as stream:
        header, *lines = stream.read().splitlines()
    size, copy = 0, 0
    with data.open("wb") as out, predictions.open("wb") as answers:
        size += out.write(header + b"\n")
        separator = b"{"
        while size < megabytes << 20:
            prefix = f"{copy:04x}"
            for line in lines:
                copied = line
                for qa in json.loads(line)["qas"]:
                    new_id = prefix + qa["qid"][4:]
                    copied = copied.replace(qa["qid"].encode(), new_id.encode())
                    answer = json.dumps(qa["answers"][0])
                    answers.write(separator + f'"{new_id}": {answer}'.encode())
                    separator = b",\n"
                size += out.write(copied + b"\n")
                if size >= megabytes << 20:
                    break
            copy += 1
        answers.write(b"}")
    return data, predictions
