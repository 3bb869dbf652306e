"""Define a strategy of few words, and a question of which it can change every option."""

import random
from collections.abc import Iterator

from closeread.attacks.context import Surroundings
from closeread.attacks.statements import Statement, StatementEdit, StatementStrategy
from closeread.evidence.cover import cover
from closeread.types import Answer, Option, Passage, Question, Span

TEXT = "有些鸟会飞。有些鱼会跳。有些树会老。有些花会谢。"
PASSAGE = Passage(passage_id="p", text=TEXT, language="zh")
SAME, OTHER = ("有些", "一些"), ("有些", "所有")


def propose_edits(statement: Statement, draw: random.Random) -> Iterator[StatementEdit]:
    """Reword 有些, and make it 所有 or the other way round."""
    for old, new, truth in ((*SAME, "same"), (*OTHER, "opposite"), (*OTHER[::-1], "opposite")):
        place = statement.text.find(old)
        if place >= 0:
            yield StatementEdit(Span(place, place + len(old)), new, f"{old}>{new}", truth)  # type: ignore[arg-type]


def strategy(seed: int = 0, name: str = "words") -> StatementStrategy:
    """Return the strategy."""
    return StatementStrategy(
        name, {"zh": propose_edits}, Surroundings(seed=seed, retriever=cover())
    )


def question(
    stem: str = "下列说法不正确的一项是",
    options: tuple[str, ...] = ("有些鸟会飞。", "有些鱼会跳。", "所有树会老。", "有些花会谢。"),
    right: str = "C",
    name: str = "q",
) -> Question:
    """Return a question about the passage; one option is right, by the stem's kind."""
    denies = "不" in stem
    labels = "ABCD"[: len(options)]
    return Question(
        question_id=name,
        passage_id="p",
        text=stem,
        kind="verification",
        asks_for="contradicted" if denies else "supported",
        options=tuple(
            Option(label=label, text=text) for label, text in zip(labels, options, strict=True)
        ),
        option_truth=tuple((label == right) != denies for label in labels),
        answers=(Answer(kind="choice", label=right, texts=(options[labels.index(right)],)),),
    )
