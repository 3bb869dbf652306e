"""Retrievers as they are asked for on the command line: ``NAME,KEY=VALUE,...``."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from closeread.cli.terminal.reading import parsed
from closeread.errors import UsageError

if TYPE_CHECKING:
    from closeread.runs.records import ReaderInfo

_WIDEST_LABEL = 40


@dataclass(frozen=True)
class Method:
    """A retriever as it was asked for, and all of its options."""

    label: str
    name: str
    given: dict[str, Any]
    options: dict[str, Any]
    retriever: Any

    def described(self) -> "ReaderInfo":
        """Return how a run names it: with the sums of its models and files, as ``evidence`` does.

        Raises:
            InputError: One of them cannot be read any more.
        """
        from closeread.readers.evidence import EvidenceReader
        from closeread.runs.records import describe_reader

        reader = EvidenceReader(self.retriever, self.options)
        return describe_reader(self.name, self.options, reader)

    def told(self) -> dict[str, Any]:
        """Return what ``--json`` says of it."""
        found = self.described()
        return {"name": found.name, "options": found.options, "record": found.record}


def methods_of(asked: tuple[str, ...], options: tuple[str, ...]) -> list[Method]:
    """Make every retriever that was asked for; the project's own where none was.

    Raises:
        UsageError: What stands behind a retriever's name is no option.
    """
    from closeread.pipeline.extract import default_retriever
    from closeread.registry.factory import make

    wanted = []
    for one in asked or (default_retriever(),):
        name, *own = one.split(",")
        if not all(assignment.find("=") > 0 for assignment in own):
            raise UsageError(
                f"--retriever {one}",
                expected="--retriever NAME,KEY=VALUE; several as --retriever A --retriever B",
                cure="a value with a comma in it is given with -o KEY=VALUE",
            )
        wanted.append((name, parsed(options) | parsed(tuple(own))))
    made = []
    for (name, given), label in zip(wanted, _labels(wanted), strict=True):
        retriever, resolved = make("retriever", name, given)
        asked_for = {key: resolved.get(key, value) for key, value in given.items()}
        made.append(Method(label, name, asked_for, resolved, retriever))
    return made


def _labels(wanted: list[tuple[str, dict[str, Any]]]) -> list[str]:
    """Name each retriever; one that is there several times by the options that differ, too."""
    labels: list[str] = []
    for name, given in wanted:
        twins = [other for one, other in wanted if one == name]
        differing = [
            f"{key}={Path(str(value)).name}"
            for key, value in given.items()
            if any(twin.get(key) != value for twin in twins)
        ]
        label = " ".join([name, *differing])
        label = label if len(label) <= _WIDEST_LABEL else label[: _WIDEST_LABEL - 1] + "…"
        same = labels.count(label)
        labels.append(f"{label} ({same + 1})" if same else label)
    return labels
