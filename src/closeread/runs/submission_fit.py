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
    missing: list[str] = []
    no_options: list[str] = []
    typed: list[str] = []
    numbers: list[str] = []
    suspects: set[str] = set()
    declined: list[str] = []
    several: list[str] = []
    null_odds = submission.extras.get("null_odds", {})
    odds: list[str] = []
    some_have_none = some_have_several = False
    other_options: list[str] = []
    repeated = submission.extras.get("options", {})
    known: set[str] = set()
    n_questions = 0
    for question in dataset.questions():
        n_questions += 1
        known.add(question.question_id)
        some_have_none |= any(answer.kind == "none" for answer in question.answers)
        some_have_several |= any(len(answer.texts) > 1 for answer in question.answers)
        prediction = submission.predictions.get(question.question_id)
        if prediction is None:
            missing.append(question.question_id)
        elif question.options and (said := _answer_text(prediction)):
            labels = {option.label for option in question.options}
            letter = picked_label(question, prediction)
            if letter not in labels:
                no_options.append(question.question_id)
                if parse_number(said) is not None:
                    numbers.append(question.question_id)
            read = parse_letter(said)
            if read in labels and said != read and letter not in labels - {read}:
                typed.append(question.question_id)
        elif not question.options and declines(question, prediction):
            declined.append(question.question_id)
        elif prediction.answer is not None and any(map(may_be_garbled, prediction.answer.texts)):
            suspects.add(question.question_id)
        if prediction is not None and has_several_texts(prediction):
            several.append(question.question_id)
        if prediction is not None and not 0 <= null_odds.get(question.question_id, 0) <= 1:
            odds.append(question.question_id)
        given = repeated.get(question.question_id)
        if given is not None and not _are_options(given, question):
            other_options.append(question.question_id)
    rows = Counter(name for name, _ in submission.rows)
    return Misfits(
        missing=missing,
        strangers=[name for name in submission.predictions if name not in known],
        repeated=[name for name, count in rows.items() if count > 1],
        no_options=no_options,
        typed=typed,
        numbers=numbers,
        garbled=[*(ungarbled := _find_ungarbled(dataset, submission, suspects))],
        ungarbled=ungarbled,
        declined=declined if some_have_none else [],
        several=[] if some_have_several else several,
        odds=odds,
        other_options=other_options,
        misplaced=list(_find_misplaced(dataset, submission)),
        n_predictions=len(submission.predictions),
        n_questions=n_questions,
    )


def format_misfits(found: Misfits) -> Iterator[str]:
    """Yield one line for each kind of misfit."""
    if found.strangers:
        yield (
            f"{len(found.strangers):,} of {count_of(found.n_predictions, 'prediction')} match no "
            f"question in this data set: {first_names(found.strangers)}"
        )
    if found.missing:
        yield (
            f"{len(found.missing):,} of {count_of(found.n_questions, 'question')} have no "
            f"prediction: {first_names(found.missing)}"
        )
    for kind, (one, many, rest) in _SENTENCES.items():
        if ids := getattr(found, kind):
            yield f"{count_of(len(ids), one, many)}{rest}: {first_names(ids)}"


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
    found: dict[str, dict[str, str]] = {}
    for passage, questions in dataset if suspects else ():
        for question in questions:
            name = question.question_id
            answer = submission.predictions[name].answer if name in suspects else None
            for text in answer.texts if answer is not None else ():
                if was := undo_garbling(text, accepted_texts(question), passage.text):
                    found.setdefault(name, {})[text] = was.text
    return found


def _find_misplaced(dataset: Dataset, submission: Submission) -> Iterator[str]:
    """Yield questions with evidence whose text does not contain the words of its span.

    It may contain more: texts submitted without spans get those of the sentences in them.
    """
    if not repeats_evidence(submission):
        return
    for passage, questions in dataset:
        for question in questions:
            prediction = submission.predictions.get(question.question_id)
            if prediction is not None and any(
                len(evidence.spans) == len(evidence.texts)
                and any(
                    not (stands := span.of(passage.text).strip()) or stands not in text
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
