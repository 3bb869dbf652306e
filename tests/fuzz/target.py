"""One fuzzing process: ``python target.py loaders|submissions|texts SEEDS -runs=N``.

Every input must end in a value or in one of closeread's own errors; anything else is a crash,
which the fuzzer reports with the input that caused it.
"""

import contextlib
import copy
import json
import random
import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["closeread"]):
    from closeread import catalog, formats
    from closeread.errors import CloseReadError
    from closeread.formats import submissions
    from closeread.registry import lookup
    from closeread.text import polarity, segment
    from closeread.types import Answer, Defects, Prediction, Question

    FORMATS = {name: lookup.resolve("format", name) for name in catalog.names("format")}
    METRICS = [lookup.resolve("metric", name)() for name in ("mrqa", "squad", "squad2", "drop")]

SCRATCH = Path(sys.argv[2]).with_name("input")  # beside the seeds


def loaders(raw: bytes) -> None:
    """The first byte chooses the format (or lets it be guessed); the rest is the file."""
    choice, content = raw[:1], raw[1:]
    SCRATCH.write_bytes(content)
    names = [None, *FORMATS]
    name = names[choice[0] % len(names)] if choice else None
    try:
        dataset = formats.load(SCRATCH, name)
        defects = Defects()
        for passage, questions in dataset.read(defects):
            for question in questions:
                spans = [span for answer in question.answers for span in answer.spans]
                spans += [span for evidence in question.gold_evidence for span in evidence.spans]
                inside = all(0 <= s.start <= s.end <= len(passage.text) for s in spans)
                assert inside or defects.total, question
    except CloseReadError:
        pass


def handed_in(raw: bytes) -> None:
    """A prediction file, after one byte that means nothing."""
    SCRATCH.write_bytes(raw[1:])
    with contextlib.suppress(CloseReadError):
        submissions.load_submission(SCRATCH)


def texts(raw: bytes) -> None:
    """Any two texts, through the splitters and the scorers."""
    first, _, second = raw.decode("utf-8", "replace").partition("\0")
    for language in ("en", "de", "fr", "zh"):
        for split in (segment.sentences(first, language), segment.tokens(first)):
            ends = [end for span in split for end in (span.start, span.end)]
            assert ends == sorted(ends)
    polarity.asks_for(first)
    gold = Answer(kind="span", texts=(second,))
    question = Question(question_id="q", passage_id="p", text="?", kind="span", answers=(gold,))
    handed = Prediction(question_id="q", answer=Answer(kind="span", texts=(first,)))
    for metric in METRICS:
        values = metric.score(question, handed).values
        assert all(value is None or 0 <= value <= 1 for value in values.values()), values


_ODD = (
    None,
    True,
    0,
    -1,
    3,
    10**30,
    1.5,
    "",
    "A",
    "甲",
    "\u0000",
    [],
    {},
    [[]],
    ["A", "B"],
    {"a": 1},
)


def mutate(raw: bytes, limit: int, seed: int) -> bytes:
    """Half the time change one value inside the JSON, else let the fuzzer change bytes."""
    dice = random.Random(seed)
    choice, content = raw[:1], raw[1:]
    lines = content.split(b"\n") if dice.random() < 0.5 else [content]
    at = dice.randrange(len(lines))
    try:
        value = json.loads(lines[at])
    except ValueError:
        return atheris.Mutate(raw, limit)
    if dice.random() < 0.2:
        return atheris.Mutate(raw, limit)
    for _ in range(dice.choice((1, 1, 2))):
        value = _changed(value, dice)
    lines[at] = json.dumps(value, ensure_ascii=dice.random() < 0.5).encode()
    return (choice + b"\n".join(lines))[:limit]


def _changed(value: object, dice: random.Random) -> object:
    """Walk to a random place of a JSON value and replace, remove or repeat what is there."""
    if isinstance(value, dict | list) and value and dice.random() < 0.9:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        key = dice.choice(keys)
        fate = dice.random()
        if fate < 0.12:
            del value[key]
        elif fate < 0.2 and isinstance(value, list):
            value.append(value[key])
        else:
            value[key] = _changed(value[key], dice)
        return value
    return copy.deepcopy(dice.choice(_ODD))  # a shared list would grow into itself


TARGETS = {"loaders": loaders, "submissions": handed_in, "texts": texts}

if __name__ == "__main__":
    structured = {} if sys.argv[1] == "texts" else {"custom_mutator": mutate}
    atheris.Setup([sys.argv[0], *sys.argv[2:]], TARGETS[sys.argv[1]], **structured)
    atheris.Fuzz()
