"""Compares how a checkpoint of ``closeread train`` is read with how it was trained."""

from collections.abc import Iterator, Mapping
from typing import Any

from closeread.readers.option_sequences import CHUNK_TOKENS

_SPAN = {"max_length": 384, "stride": 128}
# By trainer what its readers are told too, and what it takes where a recipe does not say.
DEFAULTS_BY_TRAINER: dict[str, dict[str, Any]] = {
    "span": _SPAN,
    "cloze": _SPAN,
    "choice": {"max_length": 384},
    "chunk": {"max_length": 256, "chunk_tokens": CHUNK_TOKENS},
    "entailment": {"max_length": 128},
    "verifier": {"max_length": 256, "retriever": "cover"},
    "extract-integrate-compete": {"max_length": 256, "retriever": "soft-masking"},
}
_PAIRS = ("verifier", "extract-integrate-compete")
# By trainer the readers that read what it learned; those of pairs begin with entailment.
_READ_BY: dict[str, tuple[str, ...]] = {
    "span": ("span",),
    "cloze": ("span",),
    "choice": ("choice",),
    "chunk": ("chunk",),
    "entailment": (*_PAIRS, "chunk"),
    "verifier": _PAIRS,
    "extract-integrate-compete": _PAIRS[::-1],
}
_READERS = frozenset(name for found in _READ_BY.values() for name in found)


def describe_mismatch(
    options: Mapping[str, Any], record: Mapping[str, Any], reader: str = ""
) -> str:
    """Return a sentence where a model was trained for another reader, or for other options.

    Empty where it was not, and of models that were not trained here.

    Args:
        options: The reader's, defaults included.
        record: What it says of itself, its model's lineage among it.
        reader: Its name; of one that is none of the catalog's nothing is known.
    """
    trainer = _last_stage(record).get("reader", "")
    meant = _READ_BY.get(trainer, ())
    if meant and reader in _READERS and reader not in meant:
        return (
            f"{options.get('model')} was trained as {trainer} but is read by {reader}; use "
            f"--reader {meant[0]} to match its training"
        )
    found = list(_iter_differences(options, record))
    if not found:
        return ""
    trained = " and ".join(f"{name}={wanted}" for name, wanted, _ in found)
    here = " and ".join(told for *_, told in found)
    as_trained = " ".join(f"-o {name}={wanted}" for name, wanted, _ in found)
    return (
        f"{options.get('model')} was trained with {trained} but is read with {here}; use "
        f"{as_trained} to match its training"
    )


def _iter_differences(
    options: Mapping[str, Any], record: Mapping[str, Any]
) -> Iterator[tuple[str, Any, str]]:
    """Yield name, value in training and what is read with, of each option that differs."""
    last = _last_stage(record)
    kind = DEFAULTS_BY_TRAINER.get(last.get("reader", ""), {})
    said = last.get("options", {})
    for name in kind:
        if name not in options:
            continue
        wanted, given = said.get(name, kind[name]), options[name]
        if name == "max_length":  # a model may take less than either
            given = min(given, record.get(name, given))
            if given < options[name] and wanted >= given:
                continue
        if name == "stride" and given is None:
            yield name, wanted, f"windows that share {record.get('shared_tokens')} tokens"
        elif wanted != given:
            yield name, wanted, f"{name}={given}"


def _last_stage(record: Mapping[str, Any]) -> Mapping[str, Any]:
    stages: list[dict[str, Any]] = record.get("lineage", {}).get("stages") or [{}]
    return stages[-1]
