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
    given: dict[str, Any]
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
        found = self.describe()
        return {"name": found.name, "options": found.options, "record": found.record}


def make_methods(retrievers: tuple[str, ...], options: tuple[str, ...]) -> list[Method]:
    """Make every retriever given, or the default one.

    Raises:
        UsageError: A part after a retriever's name is not KEY=VALUE.
    """
    from closeread.pipeline.extract import default_retriever
    from closeread.registry.factory import make

    wanted = []
    for one in retrievers or (default_retriever(),):
        name, *own = one.split(",")
        if not all(assignment.find("=") > 0 for assignment in own):
            raise UsageError(
                f"--retriever {one}",
                expected="--retriever NAME,KEY=VALUE; several as --retriever A --retriever B",
                cure="write a value that contains a comma as -o KEY=VALUE",
            )
        wanted.append((name, parse_assignments(options) | parse_assignments(tuple(own))))
    made = []
    for (name, given), label in zip(wanted, _make_labels(wanted), strict=True):
        retriever, resolved = make("retriever", name, given)
        given_options = {key: resolved.get(key, value) for key, value in given.items()}
        made.append(Method(label, name, given_options, resolved, retriever))
    return made


def _make_labels(wanted: list[tuple[str, dict[str, Any]]]) -> list[str]:
    """Label each retriever by its name, and by its differing options if the name is repeated."""
    labels: list[str] = []
    for name, given in wanted:
        twins = [other for one, other in wanted if one == name]
        differing = [
            f"{key}={Path(str(value)).name}"
            for key, value in given.items()
            if any(twin.get(key) != value for twin in twins)
        ]
        label = " ".join([name, *differing])
        label = label if len(label) <= _MAX_LABEL else label[: _MAX_LABEL - 1] + "…"
        same = labels.count(label)
        labels.append(f"{label} ({same + 1})" if same else label)
    return labels
