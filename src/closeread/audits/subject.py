"""One audited run in memory: its questions, gold answers, predictions and generated texts."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from closeread.types import Passage, Prediction, Question, Submission


@dataclass(frozen=True, kw_only=True)
class Subject:
    """One run to audit.

    Attributes:
        questions: The questions with gold answers, in the data set's order.
        passages: By passage id.
        submission: The predictions as submitted.
        tail_lost: Whether the texts were cut before they were saved.
        stops: The stop strings during generation.
        own_stops: The stop strings that the run applied to its complete texts.
        rule: The rule that extracts answers from texts, as in ``closeread score --extract``; None
            if unknown.
        stops_known: Whether the source says what may have cut its texts.
        model: The name of the model in the source, or "".
        seconds: The duration of a complete run of closeread, in seconds; None if unknown.
        is_shared: Whether one text answers several questions.
        harness: The harness of the log, or "".
        recorded: The scores saved by another harness, by name and question id; empty if there are
            several texts per question.
        totals: The harness' overall numbers, if no record was left out.
        shown: The answers of the examples in the prompts, by question id; None if unknown.
        leaked: Ids of the questions that are among the examples of their own prompt.
    """

    name: str
    dataset: str
    sha256: str
    questions: tuple[Question, ...]
    passages: Mapping[str, Passage]
    submission: Submission
    tail_lost: bool = False
    stops: tuple[str, ...] = ()
    own_stops: tuple[str, ...] = ()
    rule: str | None = None
    stops_known: bool = False
    model: str = ""
    seconds: float | None = None
    is_shared: bool = False
    harness: str = ""
    recorded: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    totals: Mapping[str, float] = field(default_factory=dict)
    shown: Mapping[str, tuple[str, ...]] | None = None
    leaked: frozenset[str] = frozenset()

    @property
    def predictions(self) -> Mapping[str, Prediction]:
        """The prediction for each question id."""
        return self.submission.predictions

    def is_whole(self, prediction: Prediction) -> bool:
        """Whether a text is known to be the model's complete output."""
        generation = prediction.generation
        return self.stops_known and generation is not None and not any(generation.stops)

    def stops_of(self, prediction: Prediction) -> tuple[str, ...]:
        """Return the stop strings that cut a text: its own, else those of most texts."""
        stops = prediction.generation.stops if prediction.generation is not None else ()
        return tuple(filter(None, stops)) or self.stops

    def answered(self) -> Iterator[tuple[Question, Prediction]]:
        """Yield the questions that have a prediction, with their predictions."""
        for question in self.questions:
            prediction = self.predictions.get(question.question_id)
            if prediction is not None:
                yield question, prediction

    @property
    def is_text(self) -> bool:
        """Whether any question asks for a text, not for an option."""
        return any(not question.options for question in self.questions)


def restrict_to(run: Subject, ids: Iterable[str]) -> Subject:
    """Return a run with only some of its questions."""
    selected_ids = set(ids)
    questions = tuple(
        question for question in run.questions if question.question_id in selected_ids
    )
    return replace(run, questions=questions)


def only_text_questions(run: Subject) -> Subject:
    """Return a run with only its questions that ask for text."""
    if not any(question.options for question in run.questions):
        return run
    return restrict_to(
        run, (question.question_id for question in run.questions if not question.options)
    )


def generated_text(prediction: Prediction) -> str:
    """Return the generated text, or the answer if none was kept."""
    if prediction.generation is not None:
        return prediction.generation.text
    if prediction.answer is None:
        return ""
    return ", ".join(prediction.answer.texts) or prediction.answer.label
