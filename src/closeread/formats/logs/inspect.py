"""Reads inspect-ai's logs: ``.eval`` archives and ``.json``, schema version 2.

An archive holds ``header.json`` (the log without its samples; ``_journal/start.json`` in a log that
was not finished) and one ``samples/ID_epoch_N.json`` a sample; a JSON log holds all in one object.
A sample has ``input, choices, target, output, scores, metadata``; long texts may be
``attachment://`` references into its ``attachments``. Nothing is cut unless stops were set.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from closeread.formats.files.source import Source
from closeread.formats.logs import archive, golds, prompts
from closeread.formats.logs.conversations import last_user
from closeread.formats.logs.records import (
    LogFacts,
    LogFormat,
    LogRecord,
    Problems,
    count_if_newer,
)
from closeread.formats.logs.values import (
    as_dict,
    as_list,
    count_if_huge,
    finite_scores,
    iter_elements,
    make_or_count,
    parse,
    parse_scores,
    text_of,
)
from closeread.types import Generation, Option, Prediction

NAME = "inspect"
KNOWN = (2,)
_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_SETTINGS = (
    "max_tokens",
    "temperature",
    "top_p",
    "seed",
    "stop_seqs",
    "system_message",
    "num_choices",
)
_HEADER, _START = "header.json", "_journal/start.json"


def sniff(path: Path) -> bool:
    """Whether it is an archive with inspect's members, or JSON with an evaluation and its plan."""
    with path.open("rb") as stream:
        if stream.read(4) == b"PK\x03\x04":
            stream.seek(26)
            length = int.from_bytes(stream.read(2), "little")
            stream.seek(30)
            return stream.read(length).startswith((b"_journal/", b"samples/", b"header.json"))
    head = Source(path).long_head()
    return head.has("version", "status", "eval") and head.has("task", "model", at=("eval",))


def read(path: Path, problems: Problems, facts: dict[str, LogFacts]) -> Iterator[LogRecord]:
    """Yield one record a sample; each epoch after the first is a separate task."""
    header: dict[str, Any] = {}
    with path.open("rb") as stream:
        packed = stream.read(2) == b"PK"
    samples = (
        _iter_archived(path, problems, header) if packed else _iter_samples(path, problems, header)
    )
    lost: set[str] = set()
    epochs: list[str] = []
    task = ""
    for sample in samples:
        task = str(as_dict(header.get("eval")).get("task") or path.stem)
        epoch = sample.get("epoch") or 1
        key = task if epoch == 1 else f"{task},epoch-{epoch}"
        make = partial(_record, key, sample, header, problems, lost)
        record = make_or_count(make, problems, name=str(sample.get("id")))
        if record is None:
            continue
        if key not in epochs:
            epochs.append(key)
        yield record
    count_if_newer(problems, "inspect-ai, schema", header.get("version"), KNOWN)
    if header.get("status") not in ("success", None):
        problems.kept.add("unfinished", f"the run's status is {header.get('status')}")
    for key in epochs or ([task] if task else []):
        facts[key] = _facts(key, header, lost, is_only_epoch=len(epochs) < 2)


def _iter_archived(
    path: Path, problems: Problems, header: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    members = archive.iter_members(path, problems)
    by_name = {member.name: member for member in members}
    beginning = by_name.get(_HEADER) or by_name.get(_START)
    if beginning is not None:
        header.update(_parse_member(path, beginning, problems, archive.UnpackedBudget(path)) or {})
    if _HEADER not in by_name:
        problems.bad.add("cut-log", "the header, which inspect writes last, is missing")
    latest = {member.name: member for member in members if member.name.startswith("samples/")}
    budget = archive.UnpackedBudget(path)
    for member in sorted(latest.values(), key=_place(header)):
        sample = _parse_member(path, member, problems, budget)
        if sample is not None:
            yield sample


def _place(header: dict[str, Any]) -> Callable[[archive.Member], tuple[int, int]]:
    """Return a sort key for samples, which the archive holds in the order of completion."""
    dataset = as_dict(as_dict(header.get("eval")).get("dataset"))
    sample_ids = as_list(dataset.get("sample_ids"))
    places = {str(name): place for place, name in enumerate(sample_ids)}

    def place(member: archive.Member) -> tuple[int, int]:
        stem = member.name.removeprefix("samples/").removesuffix(".json")
        name, _, epoch = stem.rpartition("_epoch_")
        return places.get(name, len(places)), int(epoch) if epoch.isdecimal() else 0

    return place


def _parse_member(
    path: Path, member: archive.Member, problems: Problems, budget: archive.UnpackedBudget
) -> dict[str, Any] | None:
    try:
        raw = archive.unpack(path, member)
        budget.spend(len(raw))
        value = parse(raw)
    except ValueError as error:
        problems.bad.add("cut-record", str(error), question_id=member.name)
        return None
    count_if_huge(len(raw), problems, name=member.name)
    if not isinstance(value, dict):
        problems.bad.add("not-an-object", type(value).__name__, question_id=member.name)
        return None
    return value


def _iter_samples(
    path: Path, problems: Problems, header: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    for number, sample in enumerate(iter_elements(path, "samples", problems, header)):
        if isinstance(sample, dict):
            yield sample
        else:
            message = f"samples[{number}] is {type(sample).__name__}"
            problems.bad.add("not-an-object", message)


def _record(
    task: str,
    sample: dict[str, Any],
    header: dict[str, Any],
    problems: Problems,
    lost: set[str],
) -> LogRecord | None:
    name = str(sample.get("id"))
    if "id" not in sample or "input" not in sample:
        problems.bad.add("missing-field", "no id or no input", question_id=name)
        return None
    attachments = sample.get("attachments") or {}
    metadata = {
        key: _resolve(value, attachments) for key, value in (sample.get("metadata") or {}).items()
    }
    passage_and_question = prompts.from_fields(metadata)
    if passage_and_question is None:
        lost.add("passage")
        passage_and_question = prompts.from_prompt(
            last_user(_resolve_messages(sample["input"], attachments))
        )
    passage = prompts.make_passage(passage_and_question[0])
    options = golds.make_lettered_options(sample.get("choices") or ())
    target = sample.get("target")
    if joint_target := _joint_target(target, options, sample.get("scores") or {}):
        message = (
            f"the target {joint_target} asks for several options together, not for one of them"
        )
        problems.bad.add("odd-value", message, question_id=name)
        return None
    answers = golds.gold_options(target, options) if options else ()
    if not answers:
        options = ()
        answers = golds.parse_gold(target if isinstance(target, list) else [target or ""])
        lost.update(("gold-kinds", "gold-spans"))
    if not answers:
        problems.bad.add("missing-gold", "the sample's target is empty", question_id=name)
        return None
    question = golds.make_question(name, passage, passage_and_question[1], answers, options)
    return LogRecord(
        task=task,
        passage=passage,
        question=question,
        prediction=_prediction(
            name, sample, attachments, options, stops=_stops(header), problems=problems
        ),
        scores=parse_scores(_values(sample.get("scores") or {}), problems, name=name),
        prompt=_resolve_messages(sample.get("messages") or sample["input"], attachments),
    )


def _joint_target(target: Any, options: tuple[Option, ...], scored: dict[str, Any]) -> str:
    """Return the letters that inspect's scorer ``choice`` requires together; "" if it is one.

    Any other scorer accepts each of several targets.
    """
    letters = "".join(map(str, target)) if isinstance(target, list) else str(target or "")
    labels = {option.label for option in options}
    return letters if "choice" in scored and len(letters) > 1 and set(letters) <= labels else ""


def _resolve_messages(prompt: Any, attachments: dict[str, Any]) -> Any:
    """Return a prompt or messages with attachments in place of references.

    (A sample's ``input`` is that of the set; what solvers add before it, such as examples, is only
    in ``messages``.)
    """
    if not isinstance(prompt, list):
        return _resolve(prompt, attachments)
    texts = [
        (message, text_of(message.get("content")))
        for message in prompt
        if isinstance(message, dict)
    ]
    return [{**message, "content": _resolve(text or "", attachments)} for message, text in texts]


def _resolve(value: Any, attachments: dict[str, Any]) -> Any:
    if isinstance(value, str) and value.startswith("attachment://"):
        return attachments.get(value.removeprefix("attachment://"), value)
    return value


def _prediction(
    name: str,
    sample: dict[str, Any],
    attachments: dict[str, Any],
    options: tuple[Option, ...],
    *,
    stops: tuple[str, ...],
    problems: Problems,
) -> Prediction:
    output = sample.get("output") or {}
    choices = output.get("choices") or []
    if sample.get("error") or not choices:
        message = str((sample.get("error") or {}).get("message") or "no output")[:500]
        problems.kept.add("sample-error", message, question_id=name)
        return Prediction(question_id=name, error=message)
    problems.count_further(choices, name)
    first = choices[0]
    content = (first.get("message") or {}).get("content")
    text = _resolve(text_of(content) or "", attachments)
    usage = output.get("usage") or {}
    answer_text = _extracted_answer(sample.get("scores") or {}, text, attachments)
    return Prediction(
        question_id=name,
        answer=golds.parse_answer(answer_text, options),
        generation=Generation(
            text=text,
            finish_reason=str(first.get("stop_reason") or ""),
            stops=stops,
            prompt_tokens=usage.get("input_tokens"),
            completion_tokens=usage.get("output_tokens"),
        ),
        seconds=sample.get("working_time"),
    )


def _extracted_answer(fields: dict[str, Any], text: str, attachments: dict[str, Any]) -> str:
    """Return the answer that the first scorer extracted, else the text."""
    for score in fields.values():
        answer = score.get("answer") if isinstance(score, dict) else None
        if isinstance(answer, str):
            return str(_resolve(answer, attachments))
    return text


def _values(scores: dict[str, Any]) -> dict[str, Any]:
    """Return each scorer's value as a number; a scorer of several values is ``scorer.value``."""
    values: dict[str, Any] = {}
    for scorer, score in scores.items():
        value = score.get("value") if isinstance(score, dict) else None
        named_values = value if isinstance(value, dict) else {"": value}
        for name, item in named_values.items():
            key = f"{scorer}.{name}" if name else scorer
            values[key] = _GRADES.get(item) if isinstance(item, str) else item
    return values


def _stops(header: dict[str, Any]) -> tuple[str, ...]:
    evaluation = as_dict(header.get("eval"))
    for config in (
        as_dict(header.get("plan")).get("config"),
        evaluation.get("model_generate_config"),
    ):
        if isinstance(config, dict) and config.get("stop_seqs"):
            return tuple(map(str, as_list(config["stop_seqs"])))
    return ()


def _facts(task: str, header: dict[str, Any], lost: set[str], *, is_only_epoch: bool) -> LogFacts:
    """Return the facts of the header; its scores are over all epochs, not of one of several."""
    evaluation = as_dict(header.get("eval"))
    settings: dict[str, Any] = {}
    for config in (
        evaluation.get("model_generate_config"),
        as_dict(header.get("plan")).get("config"),
    ):
        fields = as_dict(config)
        settings |= {key: fields[key] for key in _SETTINGS if fields.get(key) is not None}
    solvers = [
        as_dict(step).get("solver") for step in as_list(as_dict(header.get("plan")).get("steps"))
    ]
    numbers: dict[str, Any] = {}
    for score in map(as_dict, as_list(as_dict(header.get("results")).get("scores"))):
        for metric, result in as_dict(score.get("metrics")).items():
            numbers[f"{score.get('name')}.{metric}"] = as_dict(result).get("value")
    return LogFacts(
        harness=NAME,
        version=str(as_dict(evaluation.get("packages")).get("inspect_ai") or ""),
        model=str(evaluation.get("model") or ""),
        task=task,
        task_version=str(evaluation.get("task_version", "")),
        created=str(evaluation.get("created") or ""),
        settings=settings | {"solvers": solvers},
        lost=tuple(sorted(lost | ({"tail"} if _stops(header) else set()))),
        scores=finite_scores(numbers) if is_only_epoch else {},
    )


FORMAT = LogFormat(name=NAME, sniff=sniff, read=read)
