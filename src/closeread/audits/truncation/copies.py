"""Answers copied from the prompt's examples: known where the prompts are, else guessed."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial

from closeread.audits.subject import Subject, said
from closeread.readers.generative.extraction import Extraction
from closeread.types import Prediction, Question

_OTHER_PROMPTS = 5  # in which each text is looked for, to tell what is chance
_UNLIKELY = 0.001
_BETWEEN = re.compile(r"\band\b|[和与及]")  # what stands between spans beside marks
_LETTERS = re.compile(r"\w")
_LONG = 12  # characters: so long a text is seldom said twice by chance
KNOWN = (
    "copied: equal to the answer of an example in the question's own prompt, and neither in its "
    "passage nor accepted; the prompts are known, so the count is exact"
)
GUESSED = (
    "copied: the same long text for ten or more questions on different passages, with a gold "
    "answer in it for fewer than one in ten; the prompts are not known, so this is a guess"
)


def copied_by(one: Subject) -> Callable[[Question, Prediction], frozenset[str]]:
    """Return what tells the first lines that are copies, of a question and what was said to it."""
    if one.shown is not None:
        return partial(_copied, one)
    often = _said_often(one)
    return lambda *_: often


def _copied(one: Subject, question: Question, prediction: Prediction) -> frozenset[str]:
    """Return the first line of a text that copies an example of its own prompt, else nothing."""
    text = said(prediction)
    shown = (one.shown or {}).get(question.question_id, ())
    found = _copy(one, question, prediction, shown)
    return frozenset([text.strip().partition("\n")[0]] if found else ())


def long_ones(one: Subject, copies: Collection[str]) -> list[str]:
    """Return those of some copies, by question id, that are too long to be chance."""
    return [
        question.question_id
        for question, prediction in one.answered()
        if question.question_id in copies
        and len(_copy(one, question, prediction, (one.shown or {})[question.question_id])) >= _LONG
    ]


def _copy(one: Subject, question: Question, prediction: Prediction, shown: Sequence[str]) -> str:
    """Return an answer that is that of an example shown and can have come from nowhere else.

    Not from the passage, and it is no accepted one. The extracted answer counts, and the first line
    of the text. Examples are cut as the text was when it was written.

    Returns:
        The answer, "" where there is none.
    """
    if not shown or _declines(prediction):
        return ""
    cut = Extraction(stops=tuple(one.stops)).cut
    examples = {_plain(form) for text in shown for form in (text, cut(text))} - {""}
    golds = {_plain("; ".join(answer.texts)) for answer in question.answers}
    golds |= {_plain(text) for answer in question.answers for text in answer.texts}
    passage = one.passages[question.passage_id].text
    for form in map(_plain, _forms(prediction, said(prediction))):
        if form in examples and form not in golds and not stands_in(form, _plain(passage)):
            return "" if _says_all(form, question) else form
    return ""


def _says_all(form: str, question: Question) -> bool:
    """Whether a text is one accepted answer's spans, however they are put one after the other."""
    for answer in question.answers:
        rest = form
        for span in sorted(map(_plain, answer.texts), key=len, reverse=True):
            before, found, after = rest.partition(span)
            if not found:
                break
            rest = f"{before} {after}"
        else:
            if answer.texts and not _LETTERS.search(_BETWEEN.sub(" ", rest)):
                return True
    return False


def by_chance(one: Subject) -> tuple[int, float] | None:
    """Return how many texts copy what another question was shown, and how often each was tried.

    None where the prompts are not known, or nearly all show the same: that tells nothing of chance.
    """
    asked = [
        (question, prediction, shown)
        for question, prediction in one.answered()
        if (shown := (one.shown or {}).get(question.question_id))
    ]
    tried = found = 0
    for place, (question, prediction, own) in enumerate(asked):
        for shift in range(1, _OTHER_PROMPTS + 1):
            *_, other = asked[(place + shift) % len(asked)]
            if other != own:
                tried += 1
                found += bool(_copy(one, question, prediction, other))
    return (found, tried / len(asked)) if tried >= len(asked) > 0 else None


def share_beyond(copies: int, elsewhere: int, tries: float) -> float:
    """Return the share of copies that chance does not explain; 0 where it may explain all.

    Short answers come again: `2` stands among many prompts' examples, and is often said. Were it
    all chance, each of the copies found were as likely in any of the prompts that were tried.
    """
    from scipy.special import bdtrc

    if bdtrc(copies - 1, copies + elsewhere, 1 / (1 + tries)) >= _UNLIKELY:
        return 0.0
    return 1 - elsewhere / tries / copies


def _said_often(one: Subject) -> frozenset[str]:
    """Return the long texts to ten questions or more, of ten passages, that are hardly ever right.

    Whoever answers in sentences says *The answer is 2.* of many passages, and of some rightly.
    """
    passages: dict[str, set[str]] = {}
    right: dict[str, list[bool]] = {}
    for question, prediction in one.answered():
        text = said(prediction).strip().partition("\n")[0]
        if len(text) >= _LONG and not _declines(prediction):
            passages.setdefault(text, set()).add(question.passage_id)
            golds = (gold.lower() for answer in question.answers for gold in answer.texts if gold)
            right.setdefault(text, []).append(any(stands_in(gold, text.lower()) for gold in golds))
    return frozenset(
        text
        for text, of in passages.items()
        if len(of) >= 10 and 10 * sum(right[text]) < len(right[text])
    )


def _declines(prediction: Prediction) -> bool:
    """Whether it says that there is no answer: in whatever words, that is copied from nowhere."""
    return prediction.answer is not None and prediction.answer.kind == "none"


def _forms(prediction: Prediction, text: str) -> Iterator[str]:
    yield text.strip().partition("\n")[0]
    if prediction.answer is not None:
        yield "; ".join(prediction.answer.texts)


def stands_in(answer: str, text: str) -> bool:
    """Whether it is there, not as a part of a longer Latin word or number; both in lower case."""
    return answer in text and bool(
        re.search(rf"(?<![0-9a-z]){re.escape(answer)}(?![0-9a-z])", text)
    )


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold().rstrip(".。 ")
