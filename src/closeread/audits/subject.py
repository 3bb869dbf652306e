"""One audited run in memory: its questions, gold answers, predictions and generated texts."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from closeread.types import Passage, Prediction, Question, Submission


@dataclass(frozen=True, kw_only=True)
class Subject:
    """One run under examination.

    Attributes:
        questions: In the data set's order, those without gold left out.
        passages: By passage id.
        submission: What was handed in.
        tail_lost: Whether the texts were cut before they were saved.
        stops: The stop strings that were in force when they were written.
        own_stops: Those that the run took its answers from before, its texts being whole.
        rule: How the run takes answers from its texts, as ``closeread score --extract`` names it;
            None where that is not known.
        stops_known: Whether the source tells what could cut its texts.
        model: The model's name as the source gives it, else nothing.
        seconds: How long a reader of ours took for the whole run; None where that is not known.
        is_shared: Whether one text answers several questions.
        harness: The harness whose log it was, else nothing.
        recorded: The scores that another harness saved, by their names and question ids; none where
            they are of several texts a question.
        totals: Its numbers over the whole set, where no record was left out.
        shown: The answers of the examples in the prompts, by question id; None where the prompts
            are not known.
        leaked: The questions that stand among the examples of their own prompt.
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
        """Whether a text is known to be all that the model wrote."""
        own = prediction.generation
        return self.stops_known and own is not None and not any(own.stops)

    def stops_of(self, prediction: Prediction) -> tuple[str, ...]:
        """The stop strings that cut a text: its own, else those of most texts."""
        own = prediction.generation.stops if prediction.generation is not None else ()
        return tuple(filter(None, own)) or self.stops

    def answered(self) -> Iterator[tuple[Question, Prediction]]:
        """Yield the questions that have a prediction, with it."""
        for question in self.questions:
            prediction = self.predictions.get(question.question_id)
            if prediction is not None:
                yield question, prediction

    @property
    def is_text(self) -> bool:
        """Whether its questions ask for text, not for an option."""
        return any(not question.options for question in self.questions)


def restrict_to(run: Subject, ids: Iterable[str]) -> Subject:
    """Return a run with only some of its questions."""
    wanted = set(ids)
    kept = tuple(question for question in run.questions if question.question_id in wanted)
    return replace(run, questions=kept)


def only_text_questions(run: Subject) -> Subject:
    """Return a run with only its questions that ask for text."""
    if not any(question.options for question in run.questions):
        return run
    return restrict_to(
        run, (question.question_id for question in run.questions if not question.options)
    )


def generated_text(prediction: Prediction) -> str:
    """Return the text that was generated; where none was kept, the answer."""
    if prediction.generation is not None:
        return prediction.generation.text
    if prediction.answer is None:
        return ""
    return ", ".join(prediction.answer.texts) or prediction.answer.label
