"""Shrink a counterexample to the smallest answer that still fails."""

from collections.abc import Callable, Iterator

from closeread.audits.metamorphic.relations import Spans

_MOST_STEPS = 100
_LETTER_BY_LETTER = 16  # the longest text of which single letters are left out


def shrink_answer(gold: Spans, fails: Callable[[Spans], bool]) -> Spans:
    """Make an answer smaller as long as it fails: spans, words and letters are left out."""
    for _ in range(_MOST_STEPS):
        smaller = next(filter(fails, _smaller_answers(gold)), None)
        if smaller is None:
            break
        gold = smaller
    return gold


def _smaller_answers(gold: Spans) -> Iterator[Spans]:
    for place in range(len(gold)):
        if len(gold) > 1:
            yield (*gold[:place], *gold[place + 1 :])
        text = gold[place]
        words = text.split(" ")
        shorter = [" ".join(words[:cut] + words[cut + 1 :]) for cut in range(len(words))]
        if len(text) <= _LETTER_BY_LETTER:
            shorter += [text[:cut] + text[cut + 1 :] for cut in range(len(text))]
        for one in shorter:
            if one != text and _is_answer(one, like=text):
                yield (*gold[:place], one, *gold[place + 1 :])


def _is_answer(text: str, *, like: str) -> bool:
    """Whether a shorter text is still one that somebody could give.

    A lone mark, or a blank at an end, breaks promises that were made about words.
    """
    if any(map(str.isalnum, like)) and not any(map(str.isalnum, text)):
        return False
    return bool(text.strip()) and (text == text.strip() or like != like.strip())
