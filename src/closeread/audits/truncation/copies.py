"""Answers copied from the prompt's examples: known if the prompts are known, else guessed."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial

from closeread.audits.subject import Subject, generated_text
from closeread.readers.generative.extraction import Extraction
from closeread.types import Prediction, Question

_OTHER_PROMPTS = 5  # prompts of other questions in which each text is searched, to measure chance
_UNLIKELY = 0.001
_BETWEEN = re.compile(r"\band\b|[和与及]")  # words between spans, besides punctuation
_LETTERS = re.compile(r"\w")
_LONG = 12  # characters: longer texts are rarely repeated by chance
KNOWN = (
    "copied: equal to the answer of an example in the question's own prompt, and neither in its "
    "passage nor accepted; the prompts are known, so the count is exact"
)
GUESSED = (
    "copied: the same long text for ten or more questions on different passages, with a gold "
    "answer in it for fewer than one in ten; the prompts are not known, so this is a guess"
)


def copy_detector(run: Subject) -> Callable[[Question, Prediction], frozenset[str]]:
    """Return a function that returns the first lines that count as copies for a prediction."""
    if run.shown is not None:
        return partial(_find_copied_line, run)
    frequent = _frequent_texts(run)
    return lambda *_: frequent


def _find_copied_line(run: Subject, question: Question, prediction: Prediction) -> frozenset[str]:
    """Return the first line of a text if it copies an example of its own prompt, else nothing."""
    text = generated_text(prediction)
    example_answers = (run.shown or {}).get(question.question_id, ())
    copied = _find_copied_answer(run, question, prediction, example_answers)
    return frozenset([text.strip().partition("\n")[0]] if copied else ())


def long_copies(run: Subject, copies: Collection[str]) -> list[str]:
    """Return the question ids of copies that are too long to occur by chance."""
    return [
        question.question_id
        for question, prediction in run.answered()
        if question.question_id in copies
        and len(
            _find_copied_answer(run, question, prediction, (run.shown or {})[question.question_id])
        )
        >= _LONG
    ]


def _find_copied_answer(
    run: Subject, question: Question, prediction: Prediction, example_answers: Sequence[str]
) -> str:
    """Return an answer that equals an example's and has no other possible source.

    It is neither in the passage nor accepted. Both the extracted answer and the first line of the
    text are compared. Examples are cut at the stops, as the text was.

    Returns:
        The answer, normalized; "" if there is none.
    """
    if not example_answers or _is_no_answer(prediction):
        return ""
    cut = Extraction(stops=tuple(run.stops)).cut
    examples = {_normalize(form) for text in example_answers for form in (text, cut(text))} - {""}
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
            before, matched_span, after = rest.partition(span)
            if not matched_span:
                break
            rest = f"{before} {after}"
        else:
            if answer.texts and not _LETTERS.search(_BETWEEN.sub(" ", rest)):
                return True
    return False


def count_chance_copies(run: Subject) -> tuple[int, float] | None:
    """Return how many texts copy another question's prompt, and the number of trials per text.

    Returns:
        None if the prompts are not known or nearly all show the same examples.
    """
    with_examples = [
        (question, prediction, examples)
        for question, prediction in run.answered()
        if (examples := (run.shown or {}).get(question.question_id))
    ]
    n_tried = n_copies = 0
    for index, (question, prediction, own_examples) in enumerate(with_examples):
        for shift in range(1, _OTHER_PROMPTS + 1):
            *_, other_examples = with_examples[(index + shift) % len(with_examples)]
            if other_examples != own_examples:
                n_tried += 1
                n_copies += bool(_find_copied_answer(run, question, prediction, other_examples))
    return (n_copies, n_tried / len(with_examples)) if n_tried >= len(with_examples) > 0 else None


def share_beyond_chance(copies: int, elsewhere: int, tries: float) -> float:
    """Return the share of copies that chance does not explain; 0 if it may explain all.

    Short answers are repeated by chance: `2` is in the examples of many prompts and is a frequent
    answer. If all copies were chance, they would be equally likely in every prompt that was tried.
    """
    from scipy.special import bdtrc

    if bdtrc(copies - 1, copies + elsewhere, 1 / (1 + tries)) >= _UNLIKELY:
        return 0.0
    return 1 - elsewhere / tries / copies


def _frequent_texts(run: Subject) -> frozenset[str]:
    """Return the long texts given for ten or more passages that are rarely right.

    A reader that answers in sentences gives *The answer is 2.* for many passages, and is right for
    some.
    """
    passages: dict[str, set[str]] = {}
    is_right_by_text: dict[str, list[bool]] = {}
    for question, prediction in run.answered():
        text = generated_text(prediction).strip().partition("\n")[0]
        if len(text) >= _LONG and not _is_no_answer(prediction):
            passages.setdefault(text, set()).add(question.passage_id)
            golds = (gold.lower() for answer in question.answers for gold in answer.texts if gold)
            is_right_by_text.setdefault(text, []).append(
                any(occurs_in(gold, text.lower()) for gold in golds)
            )
    return frozenset(
        text
        for text, passage_ids in passages.items()
        if len(passage_ids) >= 10 and 10 * sum(is_right_by_text[text]) < len(is_right_by_text[text])
    )


def _is_no_answer(prediction: Prediction) -> bool:
    """Whether a prediction is "no answer", which never counts as a copy."""
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
