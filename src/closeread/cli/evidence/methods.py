"""Parses ``--retriever NAME,KEY=VALUE,...`` and makes the retrievers."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from closeread.cli.terminal.reading import parse_assignments
from closeread.errors import UsageError

if TYPE_CHECKING:
    from closeread.runs.records import ReaderInfo

_MAX_LABEL = 40


@dataclass(frozen=True)
class Method:
    """A retriever as given on the command line, with all of its options."""

    label: str
    name: str
    given_options: dict[str, Any]
    options: dict[str, Any]
    retriever: Any

    def describe(self) -> "ReaderInfo":
        """Return its description as in a run, with checksums of its models and files.

        Raises:
            InputError: One of them can no longer be read.
        """
        from closeread.readers.evidence import EvidenceReader
        from closeread.runs.records import describe_reader

        reader = EvidenceReader(self.retriever, self.options)
        return describe_reader(self.name, self.options, reader)

    def as_json(self) -> dict[str, Any]:
        """Return its description for ``--json``."""
        description = self.describe()
        return {
            "name": description.name,
            "options": description.options,
            "record": description.record,
        }


def make_methods(retrievers: tuple[str, ...], options: tuple[str, ...]) -> list[Method]:
    """Make every retriever given, or the default one.

    Raises:
        UsageError: A part after a retriever's name is not KEY=VALUE.
    """
    from closeread.pipeline.extract import default_retriever
    from closeread.registry.factory import make

    requested = []
    for argument in retrievers or (default_retriever(),):
        name, *assignments = argument.split(",")
        if not all(assignment.find("=") > 0 for assignment in assignments):
            raise UsageError(
                f"--retriever {argument}",
                expected="--retriever NAME,KEY=VALUE; several as --retriever A --retriever B",
                cure="write a value that contains a comma as -o KEY=VALUE",
            )
        requested.append((name, parse_assignments(options) | parse_assignments(tuple(assignments))))
    methods = []
    for (name, options_of_retriever), label in zip(requested, _make_labels(requested), strict=True):
        retriever, resolved = make("retriever", name, options_of_retriever)
        given_options = {
            key: resolved.get(key, value) for key, value in options_of_retriever.items()
        }
        methods.append(Method(label, name, given_options, resolved, retriever))
    return methods


def _make_labels(requested: list[tuple[str, dict[str, Any]]]) -> list[str]:
    """Label each retriever by its name, and by its differing options if the name is repeated."""
    labels: list[str] = []
    for name, options in requested:
        twins = [other_options for other_name, other_options in requested if other_name == name]
        differing = [
            f"{key}={Path(str(value)).name}"
            for key, value in options.items()
            if any(twin.get(key) != value for twin in twins)
        ]
        label = " ".join([name, *differing])
        label = label if len(label) <= _MAX_LABEL else label[: _MAX_LABEL - 1] + "…"
        n_same = labels.count(label)
        labels.append(f"{label} ({n_same + 1})" if n_same else label)
    return labels
