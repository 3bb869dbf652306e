"""Shrink a counterexample to the smallest answer that still fails."""

from collections.abc import Callable, Iterator

from closeread.audits.metamorphic.relations import Spans

_MAX_STEPS = 100
_MAX_LETTERWISE = 16  # characters: single letters are removed only from texts up to this length


def shrink_answer(gold: Spans, fails: Callable[[Spans], bool]) -> Spans:
    """Return the smallest answer that still fails, by leaving out spans, words and letters."""
    for _ in range(_MAX_STEPS):
        smaller = next(filter(fails, _smaller_answers(gold)), None)
        if smaller is None:
            break
        gold = smaller
    return gold


def _smaller_answers(gold: Spans) -> Iterator[Spans]:
    for index in range(len(gold)):
        if len(gold) > 1:
            yield (*gold[:index], *gold[index + 1 :])
        text = gold[index]
        words = text.split(" ")
        candidates = [" ".join(words[:cut] + words[cut + 1 :]) for cut in range(len(words))]
        if len(text) <= _MAX_LETTERWISE:
            candidates += [text[:cut] + text[cut + 1 :] for cut in range(len(text))]
        for shortened in candidates:
            if shortened != text and _is_answer(shortened, original=text):
                yield (*gold[:index], shortened, *gold[index + 1 :])


def _is_answer(text: str, *, original: str) -> bool:
    """Whether a shortened text is still a plausible answer.

    A single mark, or a blank at an end, would break promises that are about words.
    """
    if any(map(str.isalnum, original)) and not any(map(str.isalnum, text)):
        return False
    return bool(text.strip()) and (text == text.strip() or original != original.strip())
