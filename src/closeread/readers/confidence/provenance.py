"""Identifies the reader whose answers a calibrator was fitted on, and compares readers."""

from typing import Any

import msgspec

from closeread.types import Record

# Options that name a file or a folder: if the hash of its content is recorded, the name is ignored.
_IDENTIFIED_BY = {"model": "weights", "weights": "weights", "evidence_model": "evidence_weights"}
_HASH_SUFFIX = "_sha256"
_IGNORED = frozenset({"n_parameters"})
_DEFAULTS = {"length_penalty": 0.0}  # for records without the key


class AnsweredBy(Record, frozen=True, kw_only=True):
    """A reader: the name, options and record values that its confidences depend on.

    Attributes:
        name: The reader's name.
        options: Options that affect its answers, defaults included.
        record: Scalar values of its record, such as the sha256 of its weights.
    """

    name: str
    options: dict[str, Any] = msgspec.field(default_factory=dict)
    record: dict[str, Any] = msgspec.field(default_factory=dict)

    def differences_from(self, other: "AnsweredBy") -> list[str]:
        """Return descriptions of how another reader of the same name differs from this one.

        Only keys that both have are compared. A value in the record replaces the option of the same
        name: if the model takes 384 tokens, ``max_length=512`` has the same effect as 384.
        """
        own_facts, other_facts = _DEFAULTS | self.record, _DEFAULTS | other.record
        shared = (own_facts.keys() & other_facts) - _IGNORED
        differences = [
            f"different {name.removesuffix(_HASH_SUFFIX).replace('_', ' ')}"
            if name.endswith(_HASH_SUFFIX)
            else f"{name}={other_facts[name]} instead of {own_facts[name]}"
            for name in sorted(shared)
            if own_facts[name] != other_facts[name]
        ]
        identified = {
            name
            for name, hash_name in _IDENTIFIED_BY.items()
            if f"{hash_name}{_HASH_SUFFIX}" in shared
        }
        compared = (self.options.keys() & other.options) - shared - identified
        return differences + [
            f"{name}={other.options[name]} instead of {self.options[name]}"
            for name in sorted(compared)
            if self.options[name] != other.options[name]
        ]
