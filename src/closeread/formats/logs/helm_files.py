"""Reads the files beside a HELM run's requests, and groups its requests.

``run_spec.json`` holds the settings of the run, ``per_instance_stats.json`` and ``stats.json`` the
scores. ``helm-summarize`` writes ``instances.json``, ``display_predictions.json`` and
``display_requests.json`` for its site: the answers, without tokens and finish reasons.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from closeread.errors import InputError
from closeread.formats.logs.records import Problems
from closeread.formats.logs.values import (
    as_dict,
    as_list,
    finite_scores,
    iter_elements,
    parse_score,
    read_side_file,
)

_STATE = "scenario_state.json"
# What the harness counts besides the scores of answers.
_COUNTED = re.compile(
    r"num_|finish_reason_|inference_|training_|batch_size$|logprob|max_prob$|prompt_truncated$"
    r"|perplexity$|bits_per_byte$|predicted_index$"
)
_BASE = ("name", "robustness", "fairness", "computed_on")


@dataclass(frozen=True)
class Kind:
    """A set of a run's answers for which the harness has its own scores."""

    split: str
    trial: int
    perturbation: bytes

    def ending(self, first_split: str) -> str:
        """Return the suffix of a task's name for such answers."""
        parts = [] if self.split == first_split else [self.split]
        if self.perturbation != b"null":
            perturbation = as_dict(msgspec.json.decode(self.perturbation))
            parameters = [
                f"{name}={value}" for name, value in perturbation.items() if name not in _BASE
            ]
            parts.append("-".join([str(perturbation.get("name")), *parameters]))
        if self.trial:
            parts.append(f"trial-{self.trial}")
        return "".join(f",{part}" for part in parts)


def question_key(state: Any) -> tuple[bytes, str, int]:
    """Return the key that the requests of one question share: instance, perturbation, trial."""
    fields = as_dict(state)
    instance = as_dict(fields.get("instance"))
    return _key(instance.get("id"), instance.get("perturbation"), fields.get("train_trial_index"))


def find_kind(state: Any) -> Kind:
    """Return the set of answers that a request belongs to."""
    instance = as_dict(as_dict(state).get("instance"))
    perturbation, _, trial = question_key(state)
    return Kind(str(instance.get("split") or ""), trial, perturbation)


def _key(name: Any, perturbation: Any, trial: Any) -> tuple[bytes, str, int]:
    packed = msgspec.json.encode(perturbation, order="deterministic")
    return packed, str(name), trial if isinstance(trial, int) else 0


def text_of_part(value: Any) -> str:
    """Return the text of an input or output; before 2023 these were bare strings."""
    return value if isinstance(value, str) else str(as_dict(value).get("text") or "")


def first_text(state: dict[str, Any]) -> str:
    """Return the text of the likeliest completion, "" where there is none."""
    completions = as_list(as_dict(state.get("result")).get("completions"))
    if not completions:
        return ""
    return str(
        max(completions, key=lambda completion: parse_score(completion.get("logprob")) or 0.0)[
            "text"
        ]
    )


def extract_by_pattern(pattern: str, text: str) -> str:
    """Return what the adapter's pattern extracts: its group or match, "" if none."""
    match = re.search(pattern, text)
    if not match:
        return ""
    return (match[1] if match.groups() else match[0]) or ""


def likelihoods(states: Sequence[dict[str, Any]], texts: Sequence[str]) -> list[float]:
    """Return each option's log-likelihood, as the harness compares them; [] if it is unknown.

    It is the mean over the option's tokens; if calibrated, minus that of the option without the
    question. The option's tokens are identified by their texts, because the harness counts them
    again.
    """
    best: dict[tuple[str, int], tuple[float, int]] = {}
    for state in states:
        place = state.get("reference_index")
        if not isinstance(place, int) or not 0 <= place < len(texts):
            return []
        completions = as_list(as_dict(state.get("result")).get("completions"))
        tokens = as_list(as_dict(completions[0]).get("tokens")) if completions else []
        end = _count_end_tokens(tokens, texts[place])
        if not end:
            return []
        total = sum(float(token["logprob"]) for token in tokens[-end:])
        best[state.get("request_mode") or "original", place] = total, end
    places = range(len(texts))
    if any(("original", place) not in best for place in places):
        return []
    if all(("calibration", place) in best for place in places):
        return [best["original", at][0] - best["calibration", at][0] for at in places]
    return [best["original", at][0] / best["original", at][1] for at in places]


def _count_end_tokens(tokens: list[Any], option_text: str) -> int:
    """Return how many of the last tokens are the option's; 0 if they are not."""
    text, stripped = "", option_text.strip()
    for count, token in enumerate(reversed(tokens), 1):
        text = str(as_dict(token).get("text") or "") + text
        if text.strip() == stripped:
            return count
        if len(text) > len(stripped) + 8:
            break
    return 0


def answer_scores(saved: dict[str, Any]) -> dict[str, Any]:
    """Return a question's scores without mere counts."""
    return {name: value for name, value in saved.items() if not _COUNTED.match(name)}


def find_state_file(path: Path) -> Path | None:
    """Return the state file in the folder of a file, compressed or not; None if there is none."""
    candidates = (path.with_name(_STATE + ending) for ending in ("", ".gz"))
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def _find_sibling(path: Path, name: str) -> Path | None:
    candidates = (path.with_name(name + ending) for ending in ("", ".gz"))
    return next((candidate for candidate in candidates if candidate.is_file()), None)


@dataclass(frozen=True)
class RunFiles:
    """The files of a run's folder, each read on access."""

    path: Path
    task: str
    adapter: dict[str, Any]

    @cached_property
    def _saved(self) -> dict[tuple[bytes, str, int], dict[str, Any]]:
        saved: dict[tuple[bytes, str, int], dict[str, Any]] = {}
        for row in map(as_dict, self._rows("per_instance_stats.json")):
            name = _key(
                row.get("instance_id"), row.get("perturbation"), row.get("train_trial_index")
            )
            for stat in map(as_dict, as_list(row.get("stats"))):
                stat_name = str(as_dict(stat.get("name")).get("name"))
                saved.setdefault(name, {})[stat_name] = stat.get("mean")
        return saved

    def _rows(self, name: str) -> Iterator[Any]:
        path = _find_sibling(self.path, name)
        return iter_elements(path, "", Problems(), {}) if path else iter(())

    def scores(self, state: dict[str, Any]) -> dict[str, Any]:
        """Return all that the harness counted for a question."""
        return state.get("stats") or self._saved.get(question_key(state), {})

    def totals(self, kind: Kind, n_trials: int) -> dict[str, float | None]:
        """Return the scores of the whole set; none with several trials, which they average."""
        if n_trials > 1:
            return {}
        by_metric = {}
        for stat in map(as_dict, self._rows("stats.json")):
            name = as_dict(stat.get("name"))
            is_same_perturbation = _key("", name.get("perturbation"), 0)[0] == kind.perturbation
            if (
                is_same_perturbation
                and (name.get("split") or "") == kind.split
                and not name.get("sub_split")
            ):
                by_metric[str(name.get("name"))] = stat.get("mean")
        return finite_scores(answer_scores(by_metric))

    def iter_displayed(self, problems: Problems) -> Iterator[dict[str, Any]]:
        """Yield the answers that the site shows, in the form of the state's requests.

        Raises:
            InputError: The questions are missing.
        """
        if _find_sibling(self.path, "instances.json") is None:
            raise InputError(
                "the questions are missing: the folder has no instances.json",
                where=str(self.path),
                expected="all files of a run in one folder, as helm-summarize writes them",
                cure="add instances.json or scenario_state.json to this folder",
            )
        instances = {
            question_key({"instance": instance})[:2]: instance
            for instance in self._rows("instances.json")
        }
        requests = {
            _key(row.get("instance_id"), row.get("perturbation"), row.get("train_trial_index")): row
            for row in map(as_dict, self._rows("display_requests.json"))
            if "request" in row
        }
        for displayed in iter_elements(self.path, "", problems, {}):
            if not isinstance(displayed, dict):
                problems.bad.add("not-an-object", f"found {type(displayed).__name__}")
                continue
            name = _key(
                displayed.get("instance_id"),
                displayed.get("perturbation"),
                displayed.get("train_trial_index"),
            )
            if name[:2] not in instances:
                message = "the question is not in instances.json"
                problems.bad.add("missing-field", message, question_id=name[1])
                continue
            completion = {"text": displayed.get("predicted_text")}
            request = {"request": requests[name]["request"]} if name in requests else {}
            yield {
                "instance": instances[name[:2]],
                "train_trial_index": name[2],
                "reference_index": displayed.get("reference_index"),
                "result": {"completions": [completion]},
                "mapped_output": displayed.get("mapped_output"),
                "stats": as_dict(displayed.get("stats")),
                **request,
            }


def find_run(path: Path) -> RunFiles:
    """Return the run of a file; its task is the run's name without the model."""
    spec = _find_sibling(path, "run_spec.json")
    run_spec = read_side_file(spec) if spec else {}
    name = str(run_spec.get("name") or path.resolve().parent.name)
    scenario, _, arguments = name.partition(":")
    kept_arguments = [
        argument
        for argument in arguments.split(",")
        if argument and argument.partition("=")[0] not in ("model", "model_deployment")
    ]
    task = ":".join([scenario, *([",".join(kept_arguments)] if kept_arguments else [])])
    return RunFiles(path, task, as_dict(run_spec.get("adapter_spec")))
