"""Questions that occur, with their answers, among the examples of their own prompt.

This happens if examples are drawn from the test set without excluding the question itself.
"""

from dataclasses import dataclass

from closeread.audits.findings import Table, Verdict, share
from closeread.audits.scorers import question_scores
from closeread.audits.subject import Subject
from closeread.summation import sum_in_order

_MANY = 0.01  # of the questions: a larger share moves the score noticeably


@dataclass(frozen=True, kw_only=True)
class PromptLeaks:
    """How many prompts show their own question as an example, and how that changes the score.

    Attributes:
        shown: How many prompts have examples.
        leaked: How many of them show the question itself.
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
        """Return ``broken`` where more than one question in a hundred is shown."""
        if not self.leaked:
            return "sound"
        return "broken" if self.leaked > _MANY * self.questions else "doubtful"

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
    """Count the prompts that show their own question; None where no prompt has known examples."""
    shown = sum(bool((run.shown or {}).get(each.question_id)) for each in run.questions)
    if not shown:
        return None
    values = question_scores(run) if run.leaked else {}
    leaked = [values[name] for name in values if name in run.leaked]
    others = [values[name] for name in values if name not in run.leaked]
    return PromptLeaks(
        questions=len(run.questions),
        shown=shown,
        leaked=len(leaked),
        example=next((name for name in values if name in run.leaked), ""),
        score=_mean([*values.values()]) or 0.0,
        of_leaked=_mean(leaked),
        of_others=_mean(others),
    )


def _mean(values: list[float]) -> float | None:
    return sum_in_order(values) / len(values) if values else None


def _percent(value: float | None) -> str:
    return "no questions are left" if value is None else f"{100 * value:.1f} %"
