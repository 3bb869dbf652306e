"""Compares the options that a checkpoint is read with and those that it was trained with."""

from collections.abc import Iterator, Mapping
from typing import Any

from closeread.readers.option_sequences import CHUNK_TOKENS

_SPAN_DEFAULTS = {"max_length": 384, "stride": 128}
# For each trainer, the options that its readers have too, with the trainer's defaults.
DEFAULTS_BY_TRAINER: dict[str, dict[str, Any]] = {
    "span": _SPAN_DEFAULTS,
    "cloze": _SPAN_DEFAULTS,
    "choice": {"max_length": 384},
    "chunk": {"max_length": 256, "chunk_tokens": CHUNK_TOKENS},
    "entailment": {"max_length": 128},
    "verifier": {"max_length": 256, "retriever": "cover"},
    "extract-integrate-compete": {"max_length": 256, "retriever": "soft-masking"},
}
_PAIR_READERS = ("verifier", "extract-integrate-compete")
# For each trainer, the readers that can read its checkpoints; training of pairs may start from
# entailment.
_READERS_BY_TRAINER: dict[str, tuple[str, ...]] = {
    "span": ("span",),
    "cloze": ("span",),
    "choice": ("choice",),
    "chunk": ("chunk",),
    "entailment": (*_PAIR_READERS, "chunk"),
    "verifier": _PAIR_READERS,
    "extract-integrate-compete": _PAIR_READERS[::-1],
}
_READERS = frozenset(name for names in _READERS_BY_TRAINER.values() for name in names)


def describe_mismatch(
    options: Mapping[str, Any], record: Mapping[str, Any], reader: str = ""
) -> str:
    """Return a warning if a model was trained for another reader or with other options.

    It is empty if training and reading match, or if ``closeread train`` did not train the model.

    Args:
        options: The reader's options, defaults included.
        record: The reader's record, which includes its model's lineage.
        reader: The reader's name; a reader outside the catalog is not compared.
    """
    trainer = _last_stage(record).get("reader", "")
    readers = _READERS_BY_TRAINER.get(trainer, ())
    if readers and reader in _READERS and reader not in readers:
        return (
            f"{options.get('model')} was trained as {trainer} but is read by {reader}; use "
            f"--reader {readers[0]} to match its training"
        )
    differences = list(_iter_differences(options, record))
    if not differences:
        return ""
    trained_options = " and ".join(
        f"{name}={trained_value}" for name, trained_value, _ in differences
    )
    current_options = " and ".join(current for *_, current in differences)
    matching_options = " ".join(
        f"-o {name}={trained_value}" for name, trained_value, _ in differences
    )
    return (
        f"{options.get('model')} was trained with {trained_options} but is read with "
        f"{current_options}; use {matching_options} to match its training"
    )


def _iter_differences(
    options: Mapping[str, Any], record: Mapping[str, Any]
) -> Iterator[tuple[str, Any, str]]:
    """Yield name, trained value and a description of the current one, per differing option."""
    last = _last_stage(record)
    defaults = DEFAULTS_BY_TRAINER.get(last.get("reader", ""), {})
    trained_options = last.get("options", {})
    for name in defaults:
        if name not in options:
            continue
        trained, current = trained_options.get(name, defaults[name]), options[name]
        if name == "max_length":  # the reader's record has the model's own maximum
            current = min(current, record.get(name, current))
            if current < options[name] and trained >= current:
                continue
        if name == "stride" and current is None:
            yield name, trained, f"windows that share {record.get('shared_tokens')} tokens"
        elif trained != current:
            yield name, trained, f"{name}={current}"


def _last_stage(record: Mapping[str, Any]) -> Mapping[str, Any]:
    stages: list[dict[str, Any]] = record.get("lineage", {}).get("stages") or [{}]
    return stages[-1]
