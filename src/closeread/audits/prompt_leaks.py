"""Questions that occur, with their answers, among the examples of their own prompt.

This happens if examples are drawn from the test set without excluding the question itself.
"""

from dataclasses import dataclass

from closeread.audits.findings import Table, Verdict, share
from closeread.audits.scorers import question_scores
from closeread.audits.subject import Subject
from closeread.summation import sum_in_order

_MAX_SHARE = 0.01  # of the questions: a larger share changes the score noticeably


@dataclass(frozen=True, kw_only=True)
class PromptLeaks:
    """The number of prompts that show their own question, and the effect on the score.

    Attributes:
        shown: Number of prompts with examples.
        leaked: Number of those that show the question itself.
        example: One of these questions.
        score: Over all questions: the mean F1, or accuracy for questions with options.
        of_leaked: The same over the leaked questions; None if there are none.
        of_others: The same over the others; None if there are none.
    """

    questions: int
    shown: int
    leaked: int
    example: str
    score: float
    of_leaked: float | None
    of_others: float | None

    @property
    def verdict(self) -> Verdict:
        """Return ``broken`` if more than one question in a hundred is shown."""
        if not self.leaked:
            return "sound"
        return "broken" if self.leaked > _MAX_SHARE * self.questions else "doubtful"

    def summary(self) -> str:
        """Return the result as a sentence."""
        if not self.leaked:
            return (
                f"none of {self.shown:,} prompts with examples shows its own question as an example"
            )
        return (
            f"{self.leaked:,} of {self.shown:,} prompts with examples show their own question as "
            f"an example: without these questions {_percent(self.of_others)}, with them "
            f"{_percent(self.score)}"
        )

    def table(self) -> Table:
        """Return the counts and scores as a table."""
        n, leaked, others = self.questions, self.leaked, self.questions - self.leaked
        return Table(
            title="Questions among the examples of their own prompt",
            headings=("their examples", "questions", "share %", "score %", "for example"),
            rows=(
                ("contain the question", leaked, share(leaked, n), self.of_leaked, self.example),
                ("do not contain it", others, share(others, n), self.of_others, None),
            ),
            note="contained: passage, question and options occur there word for word; score: "
                 "F1, for questions with options accuracy",
        )  # fmt: skip


def count_prompt_leaks(run: Subject) -> PromptLeaks | None:
    """Count the prompts that show their own question; None if no prompt has known examples."""
    n_shown = sum(bool((run.shown or {}).get(question.question_id)) for question in run.questions)
    if not n_shown:
        return None
    scores_by_id = question_scores(run) if run.leaked else {}
    leaked_scores = [scores_by_id[name] for name in scores_by_id if name in run.leaked]
    other_scores = [scores_by_id[name] for name in scores_by_id if name not in run.leaked]
    return PromptLeaks(
        questions=len(run.questions),
        shown=n_shown,
        leaked=len(leaked_scores),
        example=next((name for name in scores_by_id if name in run.leaked), ""),
        score=_mean([*scores_by_id.values()]) or 0.0,
        of_leaked=_mean(leaked_scores),
        of_others=_mean(other_scores),
    )


def _mean(values: list[float]) -> float | None:
    return sum_in_order(values) / len(values) if values else None


def _percent(value: float | None) -> str:
    return "no questions are left" if value is None else f"{100 * value:.1f} %"
