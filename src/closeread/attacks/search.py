"""The variants on which a reader fails, of several that were drawn."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from msgspec.structs import replace as with_fields

from closeread.attacks.attack import Attack, Group, Made, Variant, originals
from closeread.attacks.triples import NotMadeError
from closeread.types import Item, Passage, Question

# Says of each question how hard it is for a reader: more is harder, 1 and more that it fails.
Judge = Callable[[Sequence[tuple[Passage, Question]]], Sequence[float]]
_AT_ONCE = 64  # originals whose variants are judged together


def hardest(
    attack: Attack, judge: Judge, tries: int, items: Iterable[Item], made: Made
) -> Iterator[Group]:
    """Yield each question with the hardest of several draws of its variants.

    A draw is kept or dropped whole, so that a triple's letters still differ.

    Args:
        attack: How variants are made, first; further draws have seeds of their own, and make
            weaker changes of passages and stems, one after the other.
        judge: Tells how hard questions are.
        tries: How many draws.
        items: What is made harder.
        made: Counts the questions, and those of which no draw made variants.
    """
    further = (replace(attack, seed=f"{attack.seed}.{n}", place=n) for n in range(1, tries))
    attacks = [attack, *further]
    left = originals(items, made)
    while some := list(islice(left, _AT_ONCE)):
        drawn = [list(_drawn(attacks, passage, question, made)) for passage, question in some]
        hardness = iter(judge(list(_numbered(drawn))))
        for (passage, question), draws in zip(some, drawn, strict=True):
            sums = [sum(next(hardness) for _ in variants) for variants in draws]
            if draws:
                yield Group(passage, question, draws[sums.index(max(sums))])


def _drawn(
    attacks: Sequence[Attack], passage: Passage, question: Question, made: Made
) -> Iterator[list[Variant]]:
    """Yield one question's different draws, the first of equal ones."""
    seen: list[list[Variant]] = []
    for number, attack in enumerate(attacks):
        try:
            variants = attack.variants(passage, question)
        except NotMadeError as error:
            # What can be proposed does not depend on the draw.
            if not number:
                made.left_out[str(error)] += 1
            return
        if variants not in seen:
            seen.append(variants)
            yield variants


def _numbered(drawn: Sequence[Sequence[Sequence[Variant]]]) -> Iterator[tuple[Passage, Question]]:
    """Yield all variants under ids of their own, as draws of one question share theirs."""
    number = 0
    for draws in drawn:
        for variants in draws:
            for passage, question in variants:
                yield passage, with_fields(question, question_id=str(number))
                number += 1
