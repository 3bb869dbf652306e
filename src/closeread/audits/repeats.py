"""Questions that a set or a log holds more than once: each counts as often as it comes."""

from collections import Counter

from closeread.audits.findings import Finding, Table, Verdict, grave, share
from closeread.audits.scorers import values_of
from closeread.audits.subject import Subject
from closeread.summation import sum_in_order
from closeread.types import Question

_MANY = 0.01  # of the questions


def check(one: Subject) -> Finding:
    """Count the questions that come again, word for word, and score the run with each once."""
    asked = Counter(_asked(one, question) for question in one.questions)
    n, n_once = len(one.questions), len(asked)
    if n == n_once:
        return Finding(
            check="repeats",
            verdict="sound",
            headline=f"{one.name}: no question occurs more than once",
            data={"questions": n, "repeated": 0},
        )
    values = values_of(one)
    firsts: dict[object, str] = {}
    again: list[str] = []
    for question in one.questions:
        if firsts.setdefault(_asked(one, question), question.question_id) != question.question_id:
            again.append(question.question_id)
    every = sum_in_order(values[question.question_id] for question in one.questions) / n
    once = sum_in_order(values[name] for name in firsts.values()) / n_once
    verdict: Verdict = "doubtful" if n - n_once > _MANY * n else "sound"
    if grave(abs(every - once)) != "sound":
        verdict = "doubtful"
    return Finding(
        check="repeats",
        verdict=verdict,
        headline=f"{one.name}: {n - n_once:,} of {n:,} questions are repetitions; the score is "
        f"{100 * every:.1f} % with them and {100 * once:.1f} % with each question counted once",
        tables=(
            Table(
                title="Questions that occur more than once",
                headings=("times", "questions", "share %", "for example"),
                rows=tuple(
                    (times, many, share(many, n_once), next(
                        firsts[key] for key, count in asked.items() if count == times
                    ))
                    for times, many in sorted(Counter(asked.values()).items())
                    if times > 1
                ),
                note="the same passage, question and options, word for word; the first "
                "occurrence counts; score: F1, for questions with options accuracy",
            ),
        ),
        data={
            "questions": n, "repeated": n - n_once, "ids": again, "score": every, "once": once,
        },
    )  # fmt: skip


def _asked(one: Subject, question: Question) -> tuple[str, ...]:
    passage = one.passages[question.passage_id].text
    return passage, question.text, *(option.text for option in question.options)
