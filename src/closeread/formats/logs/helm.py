"""Reads HELM's runs: ``scenario_state.json``, or the files that ``helm-summarize`` wrote from it.

A state has ``adapter_spec`` and ``request_states``, one a request: ``instance`` (``input``,
``references`` with their tags, ``id``, ``split``, ``perturbation``), ``request`` and ``result``.
Questions with options are answered by letter (``output_mapping`` maps letters to options), or by
comparing the likelihoods of one request per option. ``helm_files`` reads the other files of the
folder. Clients cut each text at its first stop.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

from closeread.formats.files.source import Source
from closeread.formats.logs import golds, helm_files, prompts
from closeread.formats.logs.records import LogFacts, LogFormat, LogRecord, Problems
from closeread.formats.logs.values import (
    as_dict,
    as_list,
    iter_elements,
    make_or_count,
    parse_score,
    parse_scores,
)
from closeread.types import Answer, Generation, Option, Prediction

NAME = "helm"
_BY_TEXT = ("generation", "chat")
_BY_LETTER = ("multiple_choice_joint", "multiple_choice_joint_chain_of_thought")
_BY_LIKELIHOOD = ("multiple_choice_separate_original", "multiple_choice_separate_calibrated")
_SETTINGS = ("method", "max_tokens", "temperature", "num_outputs", "stop_sequences")


def sniff(path: Path) -> bool:
    """Whether it has an adapter and requests, or is a list of displayed predictions."""
    head = Source(path).long_head()
    is_displayed = head.has("instance_id", "train_trial_index", "predicted_text", at=(0,))
    return head.has("adapter_spec", "request_states") or (
        is_displayed and isinstance(head.value, list)
    )


def accompanies(path: Path) -> bool:
    """Return whether a file displays a state file in the same folder."""
    state_file = helm_files.find_state_file(path)
    return state_file is not None and state_file.name != path.name


def read(path: Path, problems: Problems, facts: dict[str, LogFacts]) -> Iterator[LogRecord]:
    """Yield one record an instance; perturbations, trials and further splits are their own tasks.

    Raises:
        InputError: The questions of displayed predictions are missing.
    """
    run = helm_files.find_run(path)
    other_fields: dict[str, Any] = {"adapter_spec": run.adapter}
    has_states = Source(path).long_head().has("request_states")
    states = (
        iter_elements(path, "request_states", problems, other_fields)
        if has_states
        else run.iter_displayed(problems)
    )
    lost: dict[str, set[str]] = {}
    kinds: dict[str, helm_files.Kind] = {}
    first_split: list[str] = []
    started, scored = "", False
    for place, (_, group) in enumerate(groupby(states, helm_files.question_key)):
        question_states = list(group)
        kind = helm_files.find_kind(question_states[0])
        first_split = first_split or [kind.split]
        key = run.task + kind.ending(first_split[0])
        kinds[key] = kind
        make = partial(
            _record, key, question_states, as_dict(other_fields["adapter_spec"]), run, problems,
            lost=lost.setdefault(key, {"finish-reason", "tokens"}),
        )  # fmt: skip
        name = str(as_dict(as_dict(question_states[0]).get("instance")).get("id") or place)
        record = make_or_count(make, problems, name=name)
        if record is not None:
            started = started or _start_time(question_states[0])
            scored = scored or bool(record.scores)
            yield record
    adapter = as_dict(other_fields["adapter_spec"])
    for key, kind in kinds.items():
        facts[key] = LogFacts(
            harness=NAME,
            model=str(adapter.get("model") or ""),
            task=key,
            created=started,
            settings=_settings(adapter),
            lost=(*sorted(lost[key]), *(() if scored else ("sample-scores",)), "version"),
            scores=run.totals(kind, len({kind_of_task.trial for kind_of_task in kinds.values()})),
        )


def _record(
    task: str,
    states: list[Any],
    adapter: dict[str, Any],
    run: helm_files.RunFiles,
    problems: Problems,
    *,
    lost: set[str],
) -> LogRecord | None:
    state = states[0]
    instance, request = state["instance"], as_dict(state.get("request"))
    name = str(instance["id"])
    method = str(adapter.get("method") or "")
    if problem := _find_problem(states, method):
        code, message = problem
        problems.bad.add(code, message, question_id=name)
        return None
    references = instance["references"]
    texts = [helm_files.text_of_part(reference["output"]) for reference in references]
    right = [at for at, reference in enumerate(references) if "correct" in reference["tags"]]
    passage_text, text = prompts.from_input(helm_files.text_of_part(instance["input"]))
    passage = prompts.make_passage(passage_text)
    lost.add("passage")
    saved = run.scores(state)
    if method in _BY_TEXT:
        lost.add("gold-kinds")
        options: tuple[Option, ...] = ()
        answers = golds.parse_gold([texts[at] for at in right])
    else:
        options = _options(texts, state.get("output_mapping"))
        answers = tuple(options[at].answer for at in right)
    if method in _BY_LIKELIHOOD:
        prediction = _parse_likelihoods(name, states, saved, options)
    else:
        prediction = _parse_generated(name, state, saved, lost=lost, problems=problems)
    if method in _BY_LETTER:
        answer = _extracted_option(state, adapter, options)
        if not prediction.error:
            prediction = msgspec.structs.replace(prediction, answer=answer)
    if not answers:
        problems.bad.add("missing-gold", "no reference is marked correct", question_id=name)
        return None
    prompt = request.get("messages") or request.get("prompt") or ""
    return LogRecord(
        task=task,
        passage=passage,
        question=golds.make_question(name, passage, text, answers, options),
        prediction=prediction,
        scores=parse_scores(helm_files.answer_scores(saved), problems, name=name),
        prompt=prompt,
        example_answers=() if prompt and state.get("num_train_instances") == 0 else None,
    )


def _find_problem(states: Sequence[Any], method: str) -> tuple[str, str] | None:
    """Return code and message of what makes an instance unusable; None if it can be read."""
    if all(state.get("result") is None for state in states):
        return "no-response", "the request was never sent (a dry run?)"
    if method not in _BY_TEXT + _BY_LETTER + _BY_LIKELIHOOD:
        return "odd-value", f"unknown adapter method {method!r}"
    return None


def _parse_generated(
    name: str,
    state: dict[str, Any],
    saved: dict[str, Any],
    *,
    lost: set[str],
    problems: Problems,
) -> Prediction:
    result = as_dict(state.get("result"))
    completions = as_list(result.get("completions"))
    problems.count_further(completions, name)
    if not completions or result.get("success") is False:
        message = str(result.get("error") or "the log has no text for this question")[:500]
        problems.kept.add("sample-error", message, question_id=name)
        return Prediction(question_id=name, error=message)
    # The harness scores the likeliest one.
    completion = max(completions, key=lambda item: parse_score(item.get("logprob")) or 0.0)
    stops = tuple(map(str, as_list(as_dict(state.get("request")).get("stop_sequences"))))
    if stops:
        lost.add("tail")
    if "request" not in state:
        lost.add("stops")
    reason = as_dict(completion.get("finish_reason")).get("reason")
    tokens = [saved.get(key) for key in ("num_prompt_tokens", "num_output_tokens")]
    if reason:
        lost.discard("finish-reason")
    if tokens[1] is not None:
        lost.discard("tokens")
    prompt_tokens, output_tokens = (None if token is None else int(token) for token in tokens)
    return Prediction(
        question_id=name,
        answer=Answer(kind="span", texts=(completion["text"].strip(),)),
        generation=Generation(
            text=completion["text"],
            stops=stops,
            finish_reason=str(reason or ""),
            prompt_tokens=prompt_tokens,
            completion_tokens=output_tokens,
        ),
        seconds=result.get("request_time"),
    )


def _options(texts: list[str], mapped: Any) -> tuple[Option, ...]:
    """Return the references with the letters that the prompt gave them, else A, B, ..."""
    letters = list(as_dict(mapped))
    if len(letters) != len(texts):
        return golds.make_lettered_options(texts)
    return tuple(
        Option(label=letter, text=text) for letter, text in zip(letters, texts, strict=True)
    )


def _extracted_option(
    state: dict[str, Any], adapter: dict[str, Any], options: tuple[Option, ...]
) -> Answer | None:
    """Return the option that the harness extracted; None if it extracted none."""
    if "mapped_output" in state:
        text = state["mapped_output"]
        return next((option.answer for option in options if option.text == text), None)
    text = helm_files.first_text(state).strip()
    pattern = adapter.get("output_mapping_pattern")
    if pattern:
        text = helm_files.extract_by_pattern(pattern, text)
    return next((option.answer for option in options if option.label == text), None)


def _parse_likelihoods(
    name: str, states: list[dict[str, Any]], saved: dict[str, Any], options: tuple[Option, ...]
) -> Prediction:
    """Return the option that the harness chose, with likelihoods if the tokens show them."""
    values = helm_files.likelihoods(states, [option.text for option in options])
    predicted_index = parse_score(saved.get("predicted_index"))
    if predicted_index is None:
        return golds.pick_likeliest(name, options, values)
    answer = golds.find_option(int(predicted_index), options)
    return Prediction(question_id=name, answer=answer, option_scores=tuple(values))


def _start_time(state: dict[str, Any]) -> str:
    seconds = as_dict(state.get("result")).get("request_datetime")
    if not isinstance(seconds, int) or not 0 < seconds < 1 << 33:
        return ""
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def _settings(adapter: dict[str, Any]) -> dict[str, Any]:
    settings = {name: adapter[name] for name in _SETTINGS if adapter.get(name) is not None}
    shots = adapter.get("max_train_instances")
    return settings if shots is None else settings | {"num_fewshot": shots}


FORMAT = LogFormat(name=NAME, sniff=sniff, read=read, accompanies=accompanies)
