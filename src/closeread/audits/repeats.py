"""Questions that occur more than once in a set or a log, and how they change the score."""

from collections import Counter

from closeread.audits.findings import Finding, Table, Verdict, share, verdict_for_gap
from closeread.audits.scorers import question_scores
from closeread.audits.subject import Subject
from closeread.summation import sum_in_order
from closeread.types import Question

_MAX_SHARE = 0.01  # of the questions


def check(run: Subject) -> Finding:
    """Count the questions that are repeated word for word, and score the run without repeats."""
    counts = Counter(_question_key(run, question) for question in run.questions)
    n, n_once = len(run.questions), len(counts)
    if n == n_once:
        return Finding(
            check="repeats",
            verdict="sound",
            headline=f"{run.name}: no question occurs more than once",
            data={"questions": n, "repeated": 0},
        )
    values = question_scores(run)
    first_ids: dict[object, str] = {}
    repeated_ids: list[str] = []
    for question in run.questions:
        if (
            first_ids.setdefault(_question_key(run, question), question.question_id)
            != question.question_id
        ):
            repeated_ids.append(question.question_id)
    mean_with_repeats = sum_in_order(values[question.question_id] for question in run.questions) / n
    mean_without = sum_in_order(values[name] for name in first_ids.values()) / n_once
    verdict: Verdict = "doubtful" if n - n_once > _MAX_SHARE * n else "sound"
    if verdict_for_gap(abs(mean_with_repeats - mean_without)) != "sound":
        verdict = "doubtful"
    return Finding(
        check="repeats",
        verdict=verdict,
        headline=f"{run.name}: {n - n_once:,} of {n:,} questions are repetitions; the score is "
        f"{100 * mean_with_repeats:.1f} % with them and {100 * mean_without:.1f} % with each "
        "question counted once",
        tables=(
            Table(
                title="Questions that occur more than once",
                headings=("times", "questions", "share %", "for example"),
                rows=tuple(
                    (times, n_questions, share(n_questions, n_once), next(
                        first_ids[key] for key, count in counts.items() if count == times
                    ))
                    for times, n_questions in sorted(Counter(counts.values()).items())
                    if times > 1
                ),
                note="the same passage, question and options, word for word; the first "
                "occurrence counts; score: F1, for questions with options accuracy",
            ),
        ),
        data={
            "questions": n, "repeated": n - n_once, "ids": repeated_ids, "score": mean_with_repeats,
            "once": mean_without,
        },
    )  # fmt: skip


def _question_key(run: Subject, question: Question) -> tuple[str, ...]:
    passage = run.passages[question.passage_id].text
    return passage, question.text, *(option.text for option in question.options)
