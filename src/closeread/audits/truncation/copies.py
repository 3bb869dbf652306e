"""Answers copied from the prompt's examples: known if the prompts are known, else guessed."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial

from closeread.audits.subject import Subject, generated_text
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


def copy_detector(run: Subject) -> Callable[[Question, Prediction], frozenset[str]]:
    """Return a function that gives the first lines that are copies, for a question's prediction."""
    if run.shown is not None:
        return partial(_copied, run)
    often = _frequent_texts(run)
    return lambda *_: often


def _copied(run: Subject, question: Question, prediction: Prediction) -> frozenset[str]:
    """Return the first line of a text if it copies an example of its own prompt."""
    text = generated_text(prediction)
    shown = (run.shown or {}).get(question.question_id, ())
    found = _copy(run, question, prediction, shown)
    return frozenset([text.strip().partition("\n")[0]] if found else ())


def long_copies(run: Subject, copies: Collection[str]) -> list[str]:
    """Return the question ids of copies that are too long to occur by chance."""
    return [
        question.question_id
        for question, prediction in run.answered()
        if question.question_id in copies
        and len(_copy(run, question, prediction, (run.shown or {})[question.question_id])) >= _LONG
    ]


def _copy(run: Subject, question: Question, prediction: Prediction, shown: Sequence[str]) -> str:
    """Return an answer that equals an example's and can come from nowhere else.

    Not from the passage, and it is no accepted one. The extracted answer counts, and the first line
    of the text. Examples are cut as the text was when it was written.

    Returns:
        The answer, "" where there is none.
    """
    if not shown or _is_no_answer(prediction):
        return ""
    cut = Extraction(stops=tuple(run.stops)).cut
    examples = {_normalize(form) for text in shown for form in (text, cut(text))} - {""}
    golds = {_normalize("; ".join(answer.texts)) for answer in question.answers}
    golds |= {_normalize(text) for answer in question.answers for text in answer.texts}
    passage = run.passages[question.passage_id].text
    for form in map(_normalize, _answer_forms(prediction, generated_text(prediction))):
        if form in examples and form not in golds and not occurs_in(form, _normalize(passage)):
            return "" if _is_all_spans(form, question) else form
    return ""


def _is_all_spans(form: str, question: Question) -> bool:
    """Whether a text consists of all spans of one accepted answer, in any order."""
    for answer in question.answers:
        rest = form
        for span in sorted(map(_normalize, answer.texts), key=len, reverse=True):
            before, found, after = rest.partition(span)
            if not found:
                break
            rest = f"{before} {after}"
        else:
            if answer.texts and not _LETTERS.search(_BETWEEN.sub(" ", rest)):
                return True
    return False


def count_chance_copies(run: Subject) -> tuple[int, float] | None:
    """Return how many texts copy another question's prompt, and how often each was tried.

    Returns:
        None if the prompts are not known or nearly all show the same examples.
    """
    asked = [
        (question, prediction, shown)
        for question, prediction in run.answered()
        if (shown := (run.shown or {}).get(question.question_id))
    ]
    tried = found = 0
    for place, (question, prediction, own) in enumerate(asked):
        for shift in range(1, _OTHER_PROMPTS + 1):
            *_, other = asked[(place + shift) % len(asked)]
            if other != own:
                tried += 1
                found += bool(_copy(run, question, prediction, other))
    return (found, tried / len(asked)) if tried >= len(asked) > 0 else None


def share_beyond_chance(copies: int, elsewhere: int, tries: float) -> float:
    """Return the share of copies that chance does not explain; 0 where it may explain all.

    Short answers come again: `2` stands among many prompts' examples, and is often said. Were it
    all chance, each of the copies found were as likely in any of the prompts that were tried.
    """
    from scipy.special import bdtrc

    if bdtrc(copies - 1, copies + elsewhere, 1 / (1 + tries)) >= _UNLIKELY:
        return 0.0
    return 1 - elsewhere / tries / copies


def _frequent_texts(run: Subject) -> frozenset[str]:
    """Return the long texts given for ten or more passages that are hardly ever right.

    A reader that answers in sentences says *The answer is 2.* for many passages, rightly for some.
    """
    passages: dict[str, set[str]] = {}
    right: dict[str, list[bool]] = {}
    for question, prediction in run.answered():
        text = generated_text(prediction).strip().partition("\n")[0]
        if len(text) >= _LONG and not _is_no_answer(prediction):
            passages.setdefault(text, set()).add(question.passage_id)
            golds = (gold.lower() for answer in question.answers for gold in answer.texts if gold)
            right.setdefault(text, []).append(any(occurs_in(gold, text.lower()) for gold in golds))
    return frozenset(
        text
        for text, of in passages.items()
        if len(of) >= 10 and 10 * sum(right[text]) < len(right[text])
    )


def _is_no_answer(prediction: Prediction) -> bool:
    """Whether a prediction is "no answer", which is never a copy."""
    return prediction.answer is not None and prediction.answer.kind == "none"


def _answer_forms(prediction: Prediction, text: str) -> Iterator[str]:
    yield text.strip().partition("\n")[0]
    if prediction.answer is not None:
        yield "; ".join(prediction.answer.texts)


def occurs_in(answer: str, text: str) -> bool:
    """Whether a lower-case answer occurs in a text, not inside a longer Latin word or number."""
    return answer in text and bool(
        re.search(rf"(?<![0-9a-z]){re.escape(answer)}(?![0-9a-z])", text)
    )


def _normalize(text: str) -> str:
    return " ".join(text.split()).casefold().rstrip(".。 ")
