"""Plan a change: which saved answers hold, which must be rescored, and which generated again.

The causes are those of the Open LLM Leaderboard's analysis of DROP: the text has only the part of
a decimal gold answer before its point; it ends in a number and may have been cut; or a stop ended
it, and it may go on.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from closeread.audits.findings import Finding, Table, share
from closeread.audits.subject import Subject, generated_text
from closeread.audits.truncation.endings import classify_cut
from closeread.errors import UsageError
from closeread.readers.generative.extraction import Extraction
from closeread.runs.selection import format_id
from closeread.types import Prediction, Question

_ENDED_ITSELF = frozenset(("eos", "eos_token", "end_turn", "length", "max_tokens"))
_CHARACTERS_A_TOKEN = 4.0  # in languages with spaces; a Chinese character is about one token
_PROMPT_OVERHEAD = 20

UNAFFECTED = "unaffected"
RESCORED = "scored anew"
CAUSES = {
    "decimal cut": "the text is the beginning of a decimal gold answer, cut at its point",
    "gold cut": "the text is the beginning of a gold answer, cut at the old stop in it",
    "ends in a number": "the text ends in a number, which the old stop may have cut",
    "may go on": "the old stop ended the text; the new one might not",
    "new prompt": "the prompt changes",
    "no text": "only the extracted answer was saved",
    "no answer": "nothing was saved, or the reader failed",
}


@dataclass(frozen=True, kw_only=True)
class Change:
    """The requested change of settings.

    Attributes:
        stops: The new stop strings; None keeps the old ones.
        was: The stop strings that cut the texts, if the runs do not record them.
        extract: Whether answer extraction changes.
        normalizer: Whether normalisation, and so the scores, changes.
        prompt: Whether the prompt changes.
    """

    stops: tuple[str, ...] | None = None
    was: tuple[str, ...] = ()
    extract: bool = False
    normalizer: bool = False
    prompt: bool = False

    def describe(self) -> str:
        """Return the change in words."""
        parts = []
        if self.stops is not None:
            parts.append("stop at " + (" or ".join(map(_quote_stop, self.stops)) or "nothing"))
        parts += ["new extraction"] * self.extract + ["new normaliser"] * self.normalizer
        return ", ".join(parts + ["new prompt"] * self.prompt)


@dataclass(frozen=True, kw_only=True)
class Cost:
    """The cost of generating again, from the run's token counts or estimated from lengths."""

    questions: int
    prompt_tokens: int
    completion_tokens: int
    gpu_hours: float | None
    estimated: bool


def check(
    run: Subject, change: Change, *, tokens_per_second: float | Literal["run"] | None = None
) -> Finding:
    """Group the saved answers by what a change requires.

    Args:
        run: The run.
        change: The change; at least one field is set.
        tokens_per_second: Throughput, for GPU-hours; ``run`` for that of the run itself.

    Raises:
        UsageError: No change is given, or the run does not record its speed.
    """
    if not change.describe():
        raise UsageError(
            "no change is given",
            cure="give at least one of --stop, --new-extract, --new-normalizer, --new-prompt",
        )
    outcomes = _sort_by_outcome(run, change)
    to_generate = [question for cause in CAUSES for question in outcomes[cause]]
    speed = measure_throughput(run) if tokens_per_second == "run" else tokens_per_second
    cost = _estimate_cost(run, to_generate, speed)
    n = len(run.questions)
    notes = []
    if speed and tokens_per_second == "run":
        notes.append(
            f"throughput measured in this run: {speed:,.1f} tokens per second; the number is "
            "too high if the run used a cache or was resumed"
        )
    return Finding(
        check="replan",
        verdict="sound"
        if not to_generate
        else "broken"
        if len(to_generate) > n / 2
        else "doubtful",
        headline=(
            f"{run.name}, {change.describe()}: {len(to_generate):,} of {n:,} answers "
            f"({100 * len(to_generate) / max(n, 1):.1f} %) must be generated again"
            + ("" if to_generate else ": all can be scored from the saved data")
        ),
        tables=(_outcome_table(outcomes, n), _cost_table(run, cost)),
        notes=tuple(notes),
        data={
            "counts": {name: len(questions) for name, questions in outcomes.items()},
            "list": [
                [question.question_id, cause] for cause in CAUSES for question in outcomes[cause]
            ],
            "cost": vars(cost) | {"tokens_per_second": speed},
        },
    )


def _sort_by_outcome(run: Subject, change: Change) -> dict[str, list[Question]]:
    """Return the questions by the outcome for their saved answers; every outcome is a key."""
    outcomes: dict[str, list[Question]] = {name: [] for name in (UNAFFECTED, RESCORED, *CAUSES)}
    for question in run.questions:
        prediction = run.predictions.get(question.question_id)
        outcomes[outcome(question, prediction, run, change)].append(question)
    return outcomes


def _outcome_table(outcomes: Mapping[str, Sequence[Question]], n: int) -> Table:
    return Table(
        title="What the change requires",
        headings=("saved answers", "questions", "share %", "why"),
        rows=tuple(
            (name, len(questions), share(len(questions), n), _explain_outcome(name))
            for name, questions in outcomes.items()
            if questions or name in (UNAFFECTED, RESCORED)
        ),
    )


def _cost_table(run: Subject, cost: Cost) -> Table:
    hours = None if cost.gpu_hours is None else round(cost.gpu_hours, 4)
    return Table(
        title="Cost of generating again",
        headings=("questions", "prompt tokens", "new tokens", "GPU-hours"),
        rows=((cost.questions, cost.prompt_tokens, cost.completion_tokens, hours),),
        note=_estimate_note(run) if cost.estimated else "",
    )


def outcome(question: Question, prediction: Prediction | None, run: Subject, change: Change) -> str:
    """Return a saved answer's outcome: ``UNAFFECTED``, ``RESCORED`` or a key of ``CAUSES``."""
    if prediction is None or prediction.error:
        return "no answer"
    if change.prompt:
        return "new prompt"
    if change.extract and prediction.generation is None and not change.was:
        return "no text"
    outcome_if_complete = RESCORED if change.extract or change.normalizer else UNAFFECTED
    if change.stops is None:
        return outcome_if_complete
    text = generated_text(prediction)
    old_stops = change.was or run.stops_of(prediction)
    tail_is_lost = run.tail_lost or bool(change.was)
    # closeread's own readers save whole texts and cut them only to extract answers.
    current_text = Extraction(stops=run.own_stops or old_stops).cut(text)
    new_text = Extraction(stops=change.stops).cut(text)
    finish = prediction.generation.finish_reason if prediction.generation else ""
    keeps_stops = bool(old_stops) and set(old_stops) <= set(
        change.stops
    )  # unknown stops may be any
    if new_text != text or not tail_is_lost or keeps_stops or finish in _ENDED_ITSELF:
        return outcome_if_complete if new_text == current_text else RESCORED
    return _cut_cause(question, text, old_stops)


def _cut_cause(question: Question, text: str, old_stops: Sequence[str]) -> str:
    stripped = text.strip()
    golds = [text for answer in question.answers for text in answer.texts]
    cuts = (
        {classify_cut(stripped, gold.strip(), old_stops) for gold in golds} if old_stops else set()
    )
    if cuts - {""}:
        return "decimal cut" if "number" in cuts else "gold cut"
    return "ends in a number" if stripped[-1:].isdigit() else "may go on"


def plan_lines(finding: Finding) -> Iterator[str]:
    """Yield the lines of a list for ``closeread read --only``: a question id and a cause each."""
    for name, cause in finding.data["list"]:
        yield f"{format_id(name)}\t{cause}"


def _explain_outcome(name: str) -> str:
    fixed = {
        UNAFFECTED: "the change does not affect them",
        RESCORED: "the saved text contains all that the new rule needs",
    }
    return fixed.get(name) or CAUSES[name]


def _estimate_note(run: Subject) -> str:
    if run.shown is None:
        return (
            "token counts are estimated from text lengths, without the examples that the "
            "prompts may have"
        )
    return "token counts are estimated from text lengths"


def _estimate_cost(
    run: Subject, to_generate: Sequence[Question], tokens_per_second: float | None
) -> Cost:
    completion_counts = [
        prediction.generation.completion_tokens
        for _, prediction in run.answered()
        if prediction.generation is not None and prediction.generation.completion_tokens is not None
    ]
    mean = sum(completion_counts) / len(completion_counts) if completion_counts else None
    estimates = {
        question.question_id: _estimate_prompt_tokens(run, question) for question in run.questions
    }
    mean_estimate = sum(estimates.values()) / max(len(estimates), 1)  # an example is about as long
    prompts = completions = 0.0
    estimated = False
    for question in to_generate:
        prediction = run.predictions.get(question.question_id)
        generation = prediction.generation if prediction else None
        prompt = generation.prompt_tokens if generation else None
        completion = generation.completion_tokens if generation else None
        if prompt is None or completion is None:
            estimated = True
        shown = (run.shown or {}).get(question.question_id, ())
        estimate = estimates[question.question_id] + len(shown) * mean_estimate
        prompts += estimate if prompt is None else prompt
        if completion is not None:
            completions += completion
        else:
            text = generated_text(prediction) if prediction else ""
            completions += mean if mean is not None else _estimate_tokens(text) + 1
    hours = None
    if tokens_per_second:
        hours = (prompts + completions) / tokens_per_second / 3600
    return Cost(
        questions=len(to_generate),
        prompt_tokens=round(prompts),
        completion_tokens=round(completions),
        gpu_hours=hours,
        estimated=estimated and bool(to_generate),
    )


def _estimate_prompt_tokens(run: Subject, question: Question) -> float:
    """Estimate how many tokens a question with its passage has."""
    return (
        _estimate_tokens(run.passages[question.passage_id].text + question.text) + _PROMPT_OVERHEAD
    )


def _estimate_tokens(text: str) -> float:
    """Estimate how many tokens a text has."""
    wide = sum(character > "\u2e7f" for character in text)
    return wide + (len(text) - wide) / _CHARACTERS_A_TOKEN


def measure_throughput(run: Subject) -> float:
    """Return a run's own throughput in tokens per second, prompt and new tokens together.

    Raises:
        UsageError: The run does not record its duration or its token counts.
    """
    generations = [prediction.generation for _, prediction in run.answered()]
    counts = [
        None
        if generation is None
        or generation.prompt_tokens is None
        or generation.completion_tokens is None
        else generation.prompt_tokens + generation.completion_tokens
        for generation in generations
    ]
    known = [count for count in counts if count is not None]
    if run.seconds is None or not known or len(known) < len(counts):
        raise UsageError(
            f"{run.name} does not record its speed",
            expected="a run of a closeread reader with the token counts of every answer",
            cure="give the tokens per second: --throughput N",
        )
    return sum(known) / run.seconds


def _quote_stop(stop: str) -> str:
    return '"' + stop.encode("unicode_escape").decode() + '"'
