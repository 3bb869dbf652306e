"""Whether a checkpoint of ``closeread train`` is read as it was trained."""

from collections.abc import Iterator, Mapping
from typing import Any

from closeread.readers.option_sequences import CHUNK_TOKENS

_SPAN = {"max_length": 384, "stride": 128}
# By trainer what its readers are told too, and what it takes where a recipe does not say.
TRAINED_WITH: dict[str, dict[str, Any]] = {
    "span": _SPAN,
    "cloze": _SPAN,
    "choice": {"max_length": 384},
    "chunk": {"max_length": 256, "chunk_tokens": CHUNK_TOKENS},
    "entailment": {"max_length": 128},
    "verifier": {"max_length": 256, "retriever": "cover"},
    "extract-integrate-compete": {"max_length": 256, "retriever": "soft-masking"},
}


def read_otherwise(options: Mapping[str, Any], record: Mapping[str, Any]) -> str:
    """Return a sentence where a reader has other options than its model was trained for.

    Empty where it has none, and of models that were not trained here.

    Args:
        options: The reader's, defaults included.
        record: What it says of itself, its model's lineage among it.
    """
    found = list(_differing(options, record))
    if not found:
        return ""
    trained = " and ".join(f"{name}={wanted}" for name, wanted, _ in found)
    here = " and ".join(told for *_, told in found)
    as_trained = " ".join(f"-o {name}={wanted}" for name, wanted, _ in found)
    return (
        f"{options.get('model')} was trained with {trained} and is read with {here}; {as_trained} "
        "reads it as it was trained"
    )


def _differing(
    options: Mapping[str, Any], record: Mapping[str, Any]
) -> Iterator[tuple[str, Any, str]]:
    """Yield name, value in training and what is read with, of each option that differs."""
    stages = record.get("lineage", {}).get("stages") or [{}]
    last = stages[-1]
    kind = TRAINED_WITH.get(last.get("reader", ""), {})
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
