"""Whether the option that a generated text names was extracted."""

from closeread.audits.findings import (
    Finding,
    Table,
    Verdict,
    share,
    skipped_finding,
    verdict_for_gap,
)
from closeread.audits.subject import Subject, restrict_to
from closeread.audits.truncation.recuts import EXTRACT_RULE, extract_again, score_at_stops
from closeread.metrics.choice import picked_label
from closeread.registry.factory import make

_AT_THE_LIMIT = ("length", "max_tokens")


def check(run: Subject) -> Finding:
    """Extract the options again from the generated texts, and count the texts that gave none.

    A run by likelihoods, or without saved texts, is skipped.
    """
    run = restrict_to(run, (each.question_id for each in run.questions if each.options))
    metric = make("metric", "choice")[0]
    asked = [(each, found) for each, found in run.answered() if found.generation is not None]
    texts = [found for _, found in asked]
    if not texts:
        return skipped_finding(
            "truncation", "all questions have options, and no generated texts were saved"
        )
    (saved,) = score_at_stops(run, metric, [None])
    # Our own reader may have dealt the options, or asked about each; it knows how it read them.
    read = None if run.rule is not None or run.is_shared else extract_again(run, metric)
    bare = [found for each, found in asked if not picked_label(each, found)]
    empty = [found for found in bare if found.generation and not found.generation.text.strip()]
    cut = [
        found
        for found in bare
        if found.generation and found.generation.finish_reason in _AT_THE_LIMIT
    ]
    unread = {"no option": bare, "empty": empty, "token limit": cut}
    gain = read.f1 - saved.f1 if read else 0.0
    lost = len(cut) / len(run.questions)
    verdict: Verdict = verdict_for_gap(max(gain, lost))
    if read and gain >= lost and verdict_for_gap(gain) != "sound":
        headline = (
            f"{run.name}: extracting the answers with --extract {EXTRACT_RULE} changes accuracy "
            f"from {100 * saved.f1:.2f} to {100 * read.f1:.2f}"
        )
    elif verdict != "sound":
        headline = (
            f"{run.name}: {len(cut):,} texts ended at the token limit before they named an option"
            if len(cut) > 1
            else f"{run.name}: 1 text ended at the token limit before it named an option"
        )
    else:
        headline = f"{run.name}: no option was lost in extraction"
    rows = [("as saved", saved)] + ([(f"--extract {EXTRACT_RULE}", read)] if read else [])
    return Finding(
        check="truncation",
        verdict=verdict,
        headline=headline,
        tables=(
            Table(
                title="Answers extracted again from the texts",
                headings=("extraction", "changed answers", "accuracy %"),
                rows=tuple((what, row.changed, row.f1) for what, row in rows),
            ),
            Table(
                title="Texts without an extracted option",
                headings=("cause", "texts", "share %", "for example"),
                rows=tuple(
                    (cause, len(found), share(len(found), len(texts)),
                     found[0].question_id if found else None)
                    for cause, found in unread.items()
                ),
            ),
        ),
        data={
            "read_anew": {"accuracy": read.f1, "changed": read.changed} if read else {},
            "accuracy": saved.f1,
            "causes": {cause: len(found) for cause, found in unread.items()},
        },
    )  # fmt: skip
