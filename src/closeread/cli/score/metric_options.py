"""``--metric NAME,KEY=VALUE,...``: which numbers, by which options."""

from closeread.cli.terminal.reading import parsed
from closeread.errors import UsageError
from closeread.metrics.subject import family


def with_options(
    metrics: tuple[str, ...],
) -> tuple[tuple[str, ...], dict[str, dict[str, object]]]:
    """Take ``NAME,KEY=VALUE,...`` apart: the names, and of a family all options that were given.

    Raises:
        UsageError: An option is no KEY=VALUE, or one name would have several values.
    """
    options: dict[str, dict[str, object]] = {}
    behind: dict[str, list[str]] = {}
    for one in metrics:
        name, *own = one.split(",")
        if not all(assignment.find("=") > 0 for assignment in own):
            raise UsageError(
                f"--metric {one}",
                expected="--metric NAME,KEY=VALUE; several metrics as --metric A --metric B",
            )
        if sorted(own) != sorted(behind.setdefault(name, own)):
            raise UsageError(
                f"--metric {name} is given twice with different options",
                expected="each metric once, because two values would have the same name",
                cure="run `closeread score` once for each",
            )
        for assignment in own:
            ((key, value),) = parsed((assignment,)).items()
            if options.setdefault(family(name), {}).setdefault(key, value) != value:
                raise UsageError(
                    f"--metric {family(name)} is given several values of {key}",
                    expected="one setting for all values of a metric",
                    cure="run `closeread score` once for each",
                )
    return tuple(behind), options
