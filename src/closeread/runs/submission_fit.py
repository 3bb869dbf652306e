"""Check whether submitted predictions match the questions of a data set.

Official metrics treat misfits in their own ways, and most do not report them.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from closeread.errors import MismatchError
from closeread.formats.layouts.choices import parse_letter, parse_number
from closeread.metrics.choice import picked_label
from closeread.runs.ambiguous_answers import accepted_texts, declines, has_several_texts
from closeread.text.garbled import may_be_garbled, undo_garbling
from closeread.types import Dataset, Prediction, Question, Submission
from closeread.wording import count_of, first_names

KINDS = (
    "missing", "strangers", "repeated", "no_options", "typed", "numbers", "garbled",
    "declined", "several", "odds", "other_options", "misplaced",
)  # fmt: skip

# Singular, plural and the rest of the sentence; in the order in which they are printed.
_SENTENCES = {
    "repeated": (
        "id appears",
        "ids appear",
        " more than once; the last prediction counts, unless the official program does otherwise",
    ),
    "no_options": (
        "answer is not one of its question's options and counts as wrong",
        "answers are not among their questions' options and count as wrong",
        "",
    ),
    "typed": (
        "answer is an option letter",
        "answers are option letters",
        " not written as A, B, ..., the form that official programs accept",
    ),
    "numbers": ("answer is a number", "answers are numbers", " although options have letters"),
    "declined": (
        "answer is null or says",
        "answers are null or say",
        " in words that there is no answer; an empty string means no answer",
    ),
    "several": (
        "answer is",
        "answers are",
        " a list of texts although the gold answer is one text; most programs score only the first",
    ),
    "odds": (
        "question has",
        "questions have",
        " no-answer odds below 0 or above 1, probably log-odds; values above na_threshold "
        "(default 1) are scored as no answer",
    ),
    "garbled": (
        "answer was",
        "answers were",
        " garbled, probably by a wrong encoding, HTML entities or escapes",
    ),
    "other_options": (
        "prediction repeats",
        "predictions repeat",
        " options that differ from the question's, probably from another version of the data "
        "set; only letters are scored",
    ),
    "misplaced": (
        "prediction has",
        "predictions have",
        " evidence whose spans and text differ, probably found in other passages; only spans are "
        "scored",
    ),
}


def must_belong(dataset: Dataset, submission: Submission) -> None:
    """Reject predictions if none matches a question of the data set.

    The search stops at the first question with a prediction, so the usual case is cheap.

    Raises:
        MismatchError: No id matches; the message gives one id of each side.
    """
    predictions = submission.predictions
    first = ""
    for question in dataset.questions():
        if question.question_id in predictions:
            return
        first = first or question.question_id
    if first and predictions:
        group = first.rpartition("#")[0]
        raise MismatchError(
            f"none of {count_of(len(predictions), 'prediction')} matches a question of "
            f"{dataset.name}: prediction ids look like {next(iter(predictions))!r}, question ids "
            f"like {first!r}",
            expected="predictions keyed by the question ids of the data set",
            cure='write {"data": [...]}, with id, answer, positive_answer and negative_answer in '
            "each row"
            if group and group in predictions
            else "check that both files belong to the same data set and split",
        )


class Misfits(NamedTuple):
    """Question ids of predictions that do not fit, in the order of the files.

    Attributes:
        missing: Questions without a prediction.
        strangers: Predictions without a question.
        repeated: Questions with several predictions.
        no_options: Questions whose answer is not one of their options.
        typed: Answers that people read as an option letter but that are written differently:
            ``（B）``, ``b``, and `` B``, which some programs accept and others do not.
        numbers: Answers that are a number without being an option: ``2``.
        garbled: Answers in words that were garbled by a wrong encoding: ``KÃ¶ln``.
        declined: In a data set with unanswerable questions, answers that are null or say in words
            such as ``unanswerable`` that there is none; an empty text means no answer.
        several: Answers with several texts, in a data set whose gold answers have one each.
        odds: Predicted questions with no-answer odds below 0 or above 1.
        other_options: Predictions that repeat other options than the question has.
        misplaced: Predictions whose evidence has spans and texts that differ.
        n_predictions: Number of predictions, each id once.
        n_questions: Number of questions.
        ungarbled: The garbled texts by question id, each with the original text.
    """

    missing: list[str]
    strangers: list[str]
    repeated: list[str]
    no_options: list[str]
    typed: list[str]
    numbers: list[str]
    garbled: list[str]
    declined: list[str]
    several: list[str]
    odds: list[str]
    other_options: list[str]
    misplaced: list[str]
    n_predictions: int
    n_questions: int
    ungarbled: Mapping[str, Mapping[str, str]] = MappingProxyType({})

    @property
    def counts(self) -> dict[str, int]:
        """The number of question ids of each kind, 0 included."""
        return {kind: len(getattr(self, kind)) for kind in KINDS}


def find_misfits(dataset: Dataset, submission: Submission) -> Misfits:
    """Find the predictions of a submission that do not fit the data set."""
    ids: dict[str, list[str]] = {kind: [] for kind in KINDS}
    known: set[str] = set()
    n_questions = 0
    some_have_none = some_have_several = False
    for question in dataset.questions():
        n_questions += 1
        known.add(question.question_id)
        some_have_none |= any(answer.kind == "none" for answer in question.answers)
        some_have_several |= any(len(answer.texts) > 1 for answer in question.answers)
        for kind in _iter_kinds(question, submission):
            ids[kind].append(question.question_id)
    ungarbled = _find_ungarbled(dataset, submission, set(ids["garbled"]))
    counts = Counter(name for name, _ in submission.rows)
    ids["garbled"] = list(ungarbled)
    ids["strangers"] = [name for name in submission.predictions if name not in known]
    ids["repeated"] = [name for name, count in counts.items() if count > 1]
    ids["misplaced"] = list(_find_misplaced(dataset, submission))
    if not some_have_none:
        ids["declined"] = []
    if some_have_several:
        ids["several"] = []
    return Misfits(
        **ids,
        n_predictions=len(submission.predictions),
        n_questions=n_questions,
        ungarbled=ungarbled,
    )


def _iter_kinds(question: Question, submission: Submission) -> Iterator[str]:
    """Yield the kinds of misfit that a question and its prediction show without the passage.

    ``garbled`` is only a suspicion here: whether it is, depends on the passage.
    """
    name = question.question_id
    options = submission.extras.get("options", {}).get(name)
    if options is not None and not _are_options(options, question):
        yield "other_options"
    prediction = submission.predictions.get(name)
    if prediction is None:
        yield "missing"
        return
    if question.options and (text := _answer_text(prediction)):
        yield from _iter_option_kinds(question, prediction, text)
    elif not question.options and declines(question, prediction):
        yield "declined"
    elif prediction.answer is not None and any(map(may_be_garbled, prediction.answer.texts)):
        yield "garbled"
    if has_several_texts(prediction):
        yield "several"
    if not 0 <= submission.extras.get("null_odds", {}).get(name, 0) <= 1:
        yield "odds"


def _iter_option_kinds(question: Question, prediction: Prediction, text: str) -> Iterator[str]:
    """Yield the kinds of misfit of an answer to a question with options."""
    labels = {option.label for option in question.options}
    picked = picked_label(question, prediction)
    if picked not in labels:
        yield "no_options"
        if parse_number(text) is not None:
            yield "numbers"
    letter = parse_letter(text)
    if letter in labels and text != letter and picked not in labels - {letter}:
        yield "typed"


def format_misfits(misfits: Misfits) -> Iterator[str]:
    """Yield one line for each kind of misfit."""
    if misfits.strangers:
        yield (
            f"{len(misfits.strangers):,} of {count_of(misfits.n_predictions, 'prediction')} match "
            f"no question in this data set: {first_names(misfits.strangers)}"
        )
    if misfits.missing:
        yield (
            f"{len(misfits.missing):,} of {count_of(misfits.n_questions, 'question')} have no "
            f"prediction: {first_names(misfits.missing)}"
        )
    for kind, (singular, plural, rest) in _SENTENCES.items():
        if ids := getattr(misfits, kind):
            yield f"{count_of(len(ids), singular, plural)}{rest}: {first_names(ids)}"


def repeats_evidence(submission: Submission) -> bool:
    """Whether any prediction has evidence with both spans and texts."""
    return any(
        evidence.spans and len(evidence.spans) == len(evidence.texts)
        for prediction in submission.predictions.values()
        for evidence in prediction.evidence
    )


def _find_ungarbled(
    dataset: Dataset, submission: Submission, suspects: Collection[str]
) -> dict[str, dict[str, str]]:
    """Return the garbled texts by question id, each with the original text."""
    originals: dict[str, dict[str, str]] = {}
    for passage, questions in dataset if suspects else ():
        for question in questions:
            name = question.question_id
            answer = submission.predictions[name].answer if name in suspects else None
            for text in answer.texts if answer is not None else ():
                if original := undo_garbling(text, accepted_texts(question), passage.text):
                    originals.setdefault(name, {})[text] = original.text
    return originals


def _find_misplaced(dataset: Dataset, submission: Submission) -> Iterator[str]:
    """Yield questions with evidence whose text does not contain the words of its span.

    The text may contain more: a text submitted without spans gets the spans of its sentences.
    """
    if not repeats_evidence(submission):
        return
    for passage, questions in dataset:
        for question in questions:
            prediction = submission.predictions.get(question.question_id)
            if prediction is not None and any(
                len(evidence.spans) == len(evidence.texts)
                and any(
                    not (span_text := span.of(passage.text).strip()) or span_text not in text
                    for span, text in zip(evidence.spans, evidence.texts, strict=True)
                )
                for evidence in prediction.evidence
            ):
                yield question.question_id


def _are_options(texts: Sequence[str], question: Question) -> bool:
    """Whether texts are a question's options in order, ignoring surrounding white space."""
    own = [option.text.strip() for option in question.options]
    return [text.strip() for text in texts] == own


def _answer_text(prediction: Prediction) -> str:
    """Return the answer's label or text unchanged; "" if there is none."""
    answer = prediction.answer
    if prediction.error or answer is None:
        return ""
    return answer.label or answer.text
