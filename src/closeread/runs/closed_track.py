"""Check a run's own records against the rules of GCRC_advRobust's closed track.

The task allows at most 1.5 times the size of BERT-large (510 million parameters), no large model
at any stage of data, training or prediction, and no answer inferred from the rules by which the
adversarial options were written. The task does not define "large" otherwise, so here a model with
more than 510 million parameters is large. A run folder is a record, not a proof: a rule about
something that is not recorded is ``not known``, never ``kept``.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from closeread import catalog
from closeread.evidence.models import UsedModel
from closeread.readers.lineage import PEOPLE, Lineage, Maker
from closeread.runs.records import ReaderInfo, RunInfo

MOST_PARAMETERS = 510_000_000
Verdict = Literal["kept", "broken", "not known"]
# Readers and retrievers without trained weights.
_WITHOUT_WEIGHTS = frozenset(
    {"first-sentence", "random-option", "longest-option", "majority", "lexical", "evidence"}
)
_WITHOUT_MODEL = frozenset({"cover", "bm25"})


class Ruling(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict on a rule, with the reason."""

    rule: str
    verdict: Verdict
    why: str


Reason = tuple[Verdict, str]


def closed_track(info: RunInfo) -> tuple[Ruling, ...]:
    """Return a ruling for each rule of the closed track."""
    reader = info.reader
    lineage = _read_lineage(reader)
    limit = f"at most {MOST_PARAMETERS // 10**6} million parameters in all"
    reasons = {
        limit: _judge_size(reader, lineage),
        "no large model took part in training": _judge_training(reader, lineage),
        "no large model wrote the training data": _judge_data(reader, lineage),
        "no question was answered with its variants in view": _judge_answers(info),
    }
    other_runs: list[Reason] = []
    if info.rest:
        other_runs = [("not known", "some answers come from another run")]
    return tuple(_ruling(rule, [*of_rule, *other_runs]) for rule, of_rule in reasons.items())


def worst_verdict(rulings: Sequence[Ruling]) -> Verdict:
    """Return ``broken`` if any rule is, else ``not known`` if any rule is, else ``kept``."""
    verdicts = {ruling.verdict for ruling in rulings}
    if "broken" in verdicts:
        return "broken"
    return "not known" if "not known" in verdicts else "kept"


def _ruling(rule: str, reasons: Sequence[Reason]) -> Ruling:
    """Return the ruling with the worst verdict and all its reasons; needs at least one reason."""
    for verdict in ("broken", "not known"):
        texts = [reason for reason_verdict, reason in reasons if reason_verdict == verdict]
        if texts:
            return Ruling(rule=rule, verdict=verdict, why="; ".join(dict.fromkeys(texts)))
    return Ruling(
        rule=rule, verdict="kept", why="; ".join(dict.fromkeys(reason for _, reason in reasons))
    )


def _read_lineage(reader: ReaderInfo) -> Lineage | None:
    try:
        return msgspec.convert(reader.record.get("lineage"), Lineage)
    except msgspec.ValidationError:
        return None


def _judge_size(reader: ReaderInfo, lineage: Lineage | None) -> Iterator[Reason]:
    sizes: list[tuple[str, int | None]] = []
    own_size = _count_parameters(reader.record)
    if own_size is not None or reader.name not in _WITHOUT_WEIGHTS:
        sizes.append((f"the model of {reader.name}", own_size))
    sizes += [(model.name, model.n_parameters) for model in _retriever_models(reader)]
    known = [(name, size) for name, size in sizes if size is not None]
    total = sum(size for _, size in known)
    if not sizes:
        yield "kept", f"{reader.name} has no model"
    elif known:
        size_list = f"{total:,} parameters"
        if len(known) > 1:
            size_list += ": " + ", ".join(f"{name} {size:,}" for name, size in known)
        yield "broken" if total > MOST_PARAMETERS else "kept", size_list
    if own_size is not None and lineage is not None and lineage.n_parameters != own_size:
        yield "not known", f"the lineage records {lineage.n_parameters:,} parameters"
    for name, size in sizes:
        if size is None:
            yield "not known", f"the size of {name} is not recorded"


def _retriever_models(reader: ReaderInfo) -> tuple[UsedModel, ...]:
    """Return the retriever's models: those that the run recorded, else those named by options."""
    try:
        return msgspec.convert(reader.record.get("evidence_models"), tuple[UsedModel, ...])
    except msgspec.ValidationError:
        return tuple(UsedModel(name=name) for name in _other_models(reader.options))


def _judge_training(reader: ReaderInfo, lineage: Lineage | None) -> Iterator[Reason]:
    others = _retriever_models(reader)
    for other in others:
        yield "not known", f"the training of {other.name} is not recorded"
    if reader.name in _WITHOUT_WEIGHTS:
        if not others:
            yield "kept", "nothing was trained"
        return
    if lineage is None:
        yield "not known", f"the training of {reader.name} is not recorded"
        return
    yield from _with_teachers(_judge_stages, lineage)


def _with_teachers(
    reasons: Callable[[Lineage], Iterator[Reason]], lineage: Lineage
) -> Iterator[Reason]:
    """Yield the reasons for a model and for each of its teachers."""
    yield from reasons(lineage)
    for teacher in lineage.teachers():
        yield from ((verdict, f"a teacher: {reason}") for verdict, reason in reasons(teacher))


def _judge_stages(lineage: Lineage) -> Iterator[Reason]:
    if not lineage.stages:
        yield "not known", f"the training of {lineage.origin} is not recorded"
    elif lineage.origin and not lineage.origin_made_by:
        yield "not known", f"the training of {lineage.origin} is neither recorded nor declared"
    else:
        yield "kept", f"recorded trainings: {len(lineage.stages)}"
    if lineage.n_parameters > MOST_PARAMETERS:
        yield "broken", f"the trained model has {lineage.n_parameters:,} parameters"
    for stage in lineage.stages:
        for model in stage.evidence_models:
            if model.n_parameters is not None and model.n_parameters > MOST_PARAMETERS:
                yield (
                    "broken",
                    f"{model.name}, used in training, has {model.n_parameters:,} parameters",
                )
            else:
                yield "not known", f"the training of {model.name} is not recorded"
        for name in _other_models(stage.options) if not stage.evidence_models else ():
            yield "not known", f"the size of {name} is not recorded"


def _judge_data(reader: ReaderInfo, lineage: Lineage | None) -> Iterator[Reason]:
    others = _retriever_models(reader)
    for other in others:
        yield "not known", f"the training data of {other.name} are not recorded"
    if reader.name in _WITHOUT_WEIGHTS:
        if not others:
            yield "kept", "nothing was trained"
        return
    if lineage is None:
        yield "not known", f"the training data of {reader.name} are not recorded"
        return
    yield from _with_teachers(_judge_sources, lineage)


def _judge_sources(lineage: Lineage) -> Iterator[Reason]:
    if lineage.origin:
        yield _judge_author(f"the training data of {lineage.origin}", lineage.origin_made_by)
    if not lineage.stages:
        yield "not known", "no training is recorded"
    sources = [source for stage in lineage.stages for source in stage.learned_from]
    undeclared = [source.name for source in sources if not source.made_by]
    if undeclared:
        yield "not known", f"the authors of {', '.join(dict.fromkeys(undeclared))} are not declared"
    for source in sources:
        if source.made_by:
            yield _judge_author(source.name, source.made_by)


def _judge_answers(info: RunInfo) -> Iterator[Reason]:
    if info.submission or info.log is not None:
        yield "not known", "the answers were submitted, not read by closeread"
    elif info.reader.name == "http" or info.reader.name not in catalog.names("reader"):
        yield "not known", f"{info.reader.name} is not one of closeread's own readers"
    else:
        yield "kept", "each question was shown alone, without gold"


def _judge_author(subject: str, made_by: str | Maker) -> Reason:
    if not made_by:
        return "not known", f"the authors of {subject} are not declared"
    if made_by == PEOPLE:
        return "kept", f"{subject}: written by people, as declared"
    model, size = (
        (made_by, None) if isinstance(made_by, str) else (made_by.model, made_by.n_parameters)
    )
    if size is None:
        return "not known", f"{subject}: written by {model}, whose size is not recorded"
    return (
        "broken" if size > MOST_PARAMETERS else "kept",
        f"{subject}: written by {model} ({size:,} parameters), as declared",
    )


def _count_parameters(record: Mapping[str, Any]) -> int | None:
    """Return the number of parameters of the reader's own model, if recorded."""
    model = record.get("model")
    n_parameters = record.get(
        "n_parameters", model.get("n_parameters") if isinstance(model, dict) else None
    )
    return n_parameters if isinstance(n_parameters, int) else None


def _other_models(options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the models in the options besides the reader's own: those of the retriever."""
    named = [str(options[name]) for name in ("evidence_model", "vectors") if options.get(name)]
    retriever = options.get("retriever")
    if retriever and retriever not in _WITHOUT_MODEL and not named:
        named = [f"the retriever {retriever}"]
    yield from named
