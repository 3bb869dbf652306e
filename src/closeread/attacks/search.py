"""Search several random draws of variants for those on which a reader fails."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from msgspec.structs import replace as with_fields

from closeread.attacks.attack import Attack, AttackSummary, Group, iter_originals
from closeread.attacks.triples import NotMadeError
from closeread.types import Item, Passage, PassageQuestion, Question

# Returns for each question how hard it is for a reader; at 1 or more the reader fails.
Judge = Callable[[Sequence[tuple[Passage, Question]]], Sequence[float]]
_BATCH_SIZE = 64  # originals whose variants are judged together


def keep_hardest(
    attack: Attack, judge: Judge, n_draws: int, items: Iterable[Item], summary: AttackSummary
) -> Iterator[Group]:
    """Yield each question with the hardest of several draws of its variants.

    A draw is kept or dropped as a whole, so that the letters of a triple still differ.

    Args:
        attack: Makes the first draw. Later draws have other seeds, and successively weaker edits
            of passages and stems.
        judge: Returns how hard questions are.
        n_draws: Number of draws.
        items: The passages and questions to attack.
        summary: Counts the questions, and those for which no draw made variants.
    """
    other_attacks = (replace(attack, seed=f"{attack.seed}.{n}", place=n) for n in range(1, n_draws))
    attacks = [attack, *other_attacks]
    originals = iter_originals(items, summary)
    while batch := list(islice(originals, _BATCH_SIZE)):
        drawn = [
            list(_draw_variants(attacks, passage, question, summary)) for passage, question in batch
        ]
        sums_by_question = [[0.0] * len(draws) for draws in drawn]
        numbered = list(_iter_numbered(drawn))
        hardnesses = judge([(passage, question) for _, _, passage, question in numbered])
        for (question_index, draw_index, _, _), hardness in zip(numbered, hardnesses, strict=True):
            sums_by_question[question_index][draw_index] += hardness
        for (passage, question), draws, hardness_sums in zip(
            batch, drawn, sums_by_question, strict=True
        ):
            if draws:
                yield Group(passage, question, draws[hardness_sums.index(max(hardness_sums))])


def _draw_variants(
    attacks: Sequence[Attack], passage: Passage, question: Question, summary: AttackSummary
) -> Iterator[list[PassageQuestion]]:
    """Yield the distinct draws of variants of one question."""
    earlier_draws: list[list[PassageQuestion]] = []
    if not question.answers:
        summary.left_out["no answer is known, so that none is known to be wrong"] += 1
        return
    # Equal passages share one object: a thousand draws have few passages, and long ones.
    passages: dict[tuple[str, str], Passage] = {}
    # The proposals do not depend on the draw, and take the most time.
    try:
        proposals = attacks[0].propose_edits(passage, question)
    except NotMadeError as error:
        summary.left_out[str(error)] += 1
        return
    for attack in attacks:
        try:
            variants = [
                (
                    passages.setdefault((new_passage.passage_id, new_passage.text), new_passage),
                    variant,
                )
                for new_passage, variant in attack.variants(passage, question, proposals)
            ]
        except NotMadeError as error:
            if attack is attacks[-1] and not earlier_draws:
                summary.left_out[str(error)] += 1
            continue
        if variants not in earlier_draws:
            earlier_draws.append(variants)
            yield variants


def _iter_numbered(
    drawn: Sequence[Sequence[Sequence[PassageQuestion]]],
) -> Iterator[tuple[int, int, Passage, Question]]:
    """Yield all variants, each with the indices of its question and draw, under unique ids.

    The first draws of all questions come first, so that no batch of a reader has two variants of
    one question. The ids do not depend on the other questions.
    """
    for draw_index in range(max(map(len, drawn), default=0)):
        for question_index, draws in enumerate(drawn):
            if draw_index < len(draws):
                for passage, question in draws[draw_index]:
                    question_id = f"{question.question_id}#{draw_index}"
                    yield (
                        question_index,
                        draw_index,
                        passage,
                        with_fields(question, question_id=question_id),
                    )
