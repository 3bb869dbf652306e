"""Parses ``--metric NAME,KEY=VALUE,...``."""

from closeread.cli.terminal.reading import parse_assignments
from closeread.errors import UsageError
from closeread.metrics.subject import family


def parse_metric_options(
    metrics: tuple[str, ...],
) -> tuple[tuple[str, ...], dict[str, dict[str, object]]]:
    """Split ``NAME,KEY=VALUE,...`` into names, and the options of each metric family.

    Raises:
        UsageError: An option is not KEY=VALUE, or a name or key is given twice with other values.
    """
    options: dict[str, dict[str, object]] = {}
    assignments_by_name: dict[str, list[str]] = {}
    for argument in metrics:
        name, *given = argument.split(",")
        if not all(assignment.find("=") > 0 for assignment in given):
            raise UsageError(
                f"--metric {argument}",
                expected="--metric NAME,KEY=VALUE; several metrics as --metric A --metric B",
            )
        if sorted(given) != sorted(assignments_by_name.setdefault(name, given)):
            raise UsageError(
                f"--metric {name} is given twice with different options",
                expected="each metric once, because two values would have the same name",
                cure="run `closeread score` once for each",
            )
        for assignment in given:
            ((key, value),) = parse_assignments((assignment,)).items()
            if options.setdefault(family(name), {}).setdefault(key, value) != value:
                raise UsageError(
                    f"--metric {family(name)} is given several values for {key}",
                    expected="one setting for all values of a metric",
                    cure="run `closeread score` once for each",
                )
    return tuple(assignments_by_name), options
