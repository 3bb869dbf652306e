"""Identifies the reader whose answers a calibrator was learned from, and compares readers."""

from typing import Any

import msgspec

from closeread.types import Record

# What lies in a file or a folder, where the sum of what it holds is recorded: not its name counts.
_IDENTIFIED_BY = {"model": "weights", "weights": "weights", "evidence_model": "evidence_weights"}
_HASH_SUFFIX = "_sha256"
_IGNORED = frozenset({"n_parameters"})
_DEFAULTS = {"length_penalty": 0.0}  # of a record that does not tell it


class AnsweredBy(Record, frozen=True, kw_only=True):
    """A reader, as far as it tells what its confidences are like.

    Attributes:
        options: Those that bear on its answers, defaults included.
        record: What is recorded of it in a word or number, such as the sha256 of its weights.
    """

    name: str
    options: dict[str, Any] = msgspec.field(default_factory=dict)
    record: dict[str, Any] = msgspec.field(default_factory=dict)

    def unlike(self, other: "AnsweredBy") -> list[str]:
        """Say what is otherwise with a reader of the same name; what one lacks is not compared.

        What a reader works with counts before what was asked for: a window of 512 tokens is one of
        384 where the model takes no more.
        """
        mine, theirs = _DEFAULTS | self.record, _DEFAULTS | other.record
        shared = (mine.keys() & theirs) - _IGNORED
        found = [
            f"different {name.removesuffix(_HASH_SUFFIX).replace('_', ' ')}"
            if name.endswith(_HASH_SUFFIX)
            else f"{name}={theirs[name]} instead of {mine[name]}"
            for name in sorted(shared)
            if mine[name] != theirs[name]
        ]
        known = {name for name, of in _IDENTIFIED_BY.items() if f"{of}{_HASH_SUFFIX}" in shared}
        asked = (self.options.keys() & other.options) - shared - known
        return found + [
            f"{name}={other.options[name]} instead of {self.options[name]}"
            for name in sorted(asked)
            if self.options[name] != other.options[name]
        ]
