"""Search for the variants on which a reader fails, among several draws."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from msgspec.structs import replace as with_fields

from closeread.attacks.attack import Attack, AttackSummary, Group, iter_originals
from closeread.attacks.triples import NotMadeError
from closeread.types import Item, Passage, PassageQuestion, Question

# Says of each question how hard it is for a reader: more is harder, 1 and more that it fails.
Judge = Callable[[Sequence[tuple[Passage, Question]]], Sequence[float]]
_AT_ONCE = 64  # originals whose variants are judged together


def hardest(
    attack: Attack, judge: Judge, tries: int, items: Iterable[Item], made: AttackSummary
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
    left = iter_originals(items, made)
    while some := list(islice(left, _AT_ONCE)):
        drawn = [
            list(_draw_variants(attacks, passage, question, made)) for passage, question in some
        ]
        sums = [[0.0] * len(draws) for draws in drawn]
        asked = list(_number_variants(drawn))
        judged = judge([(passage, question) for _, _, passage, question in asked])
        for (place, number, _, _), hardness in zip(asked, judged, strict=True):
            sums[place][number] += hardness
        for (passage, question), draws, found in zip(some, drawn, sums, strict=True):
            if draws:
                yield Group(passage, question, draws[found.index(max(found))])


def _draw_variants(
    attacks: Sequence[Attack], passage: Passage, question: Question, made: AttackSummary
) -> Iterator[list[PassageQuestion]]:
    """Yield one question's different draws, the first of equal ones."""
    seen: list[list[PassageQuestion]] = []
    if not question.answers:
        made.left_out["no answer is known, so that none is known to be wrong"] += 1
        return
    # Each passage once: a thousand draws have few, and long ones.
    passages: dict[tuple[str, str], Passage] = {}
    # What can be proposed does not depend on the draw, and takes the most time.
    try:
        found = attacks[0].found(passage, question)
    except NotMadeError as error:
        made.left_out[str(error)] += 1
        return
    for attack in attacks:
        try:
            variants = [
                (passages.setdefault((one.passage_id, one.text), one), variant)
                for one, variant in attack.variants(passage, question, found)
            ]
        except NotMadeError as error:
            if attack is attacks[-1] and not seen:
                made.left_out[str(error)] += 1
            continue
        if variants not in seen:
            seen.append(variants)
            yield variants


def _number_variants(
    drawn: Sequence[Sequence[Sequence[PassageQuestion]]],
) -> Iterator[tuple[int, int, Passage, Question]]:
    """Yield all variants with the places of their question and draw, under ids of their own.

    The first draws of all questions come first: a reader is never asked two variants of one
    question at once. What they are called does not depend on the other questions.
    """
    for number in range(max(map(len, drawn), default=0)):
        for place, draws in enumerate(drawn):
            if number < len(draws):
                for passage, question in draws[number]:
                    name = f"{question.question_id}#{number}"
                    yield place, number, passage, with_fields(question, question_id=name)
