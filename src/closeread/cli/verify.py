"""``closeread verify``: recompute a run's scores from its own files."""

import sys
from pathlib import Path

import click

from closeread.cli.terminal.output import print_json
from closeread.cli.terminal.place import LocalPath
from closeread.wording import in_one_line


@click.command("verify")
@click.argument("run", type=LocalPath(path_type=Path))
@click.option("--dataset", metavar="D", help="The data set's new path, if it was moved.")
@click.option(
    "--track",
    type=click.Choice(["closed"]),
    help="Also check RUN against the rules of GCRC_advRobust's closed track.",
)
@click.option("--json", "json_", is_flag=True, help="Print the result as one JSON object.")
def command(*, run: Path, dataset: str | None, track: str | None, json_: bool) -> None:
    """Recompute every number in RUN from its own files; exit with 1 if something differs.

    For a folder of runs, verify checks each one. If the data set is missing, verify skips what
    needs it: the run is then verified in part, with exit code 0. To check a run that somebody else
    sent you, pass your own copy of the data set with --dataset, so that the gold answers are yours.
    Runs on other data sets are not checked against it, and are reported.

    With `--track closed`, verify prints for each rule whether the run's records show it kept,
    broken or unknown; the exit code is 2 if a rule is broken, 1 if one is unknown.
    """
    from closeread.api.datasets import locate
    from closeread.cli.terminal.reading import show_progress
    from closeread.cli.terminal.sources import find_run_folders
    from closeread.runs.closed_track import closed_track, worst_verdict
    from closeread.runs.store import open_run
    from closeread.runs.verify import verify_each

    opened = {path: open_run(path) for path in find_run_folders(run)}
    dataset_path = locate(dataset) if dataset is not None else None
    label = "runs" if len(opened) > 1 else "questions"
    with show_progress(label, "verify changes no files") as begin:
        checked = verify_each(list(opened.values()), dataset_path, begin=begin)
    verifications = dict(zip(opened, checked, strict=True))
    rulings = {
        path: closed_track(run_of_path.info) for path, run_of_path in opened.items() if track
    }
    is_ok = not any(verification.differences for verification in verifications.values())
    if json_:
        runs = {
            str(path): {"verdict": verification.verdict} | vars(verification)
            for path, verification in verifications.items()
        }
        for path, rules in rulings.items():
            runs[str(path)] |= {"track": {"closed": worst_verdict(rules), "rules": rules}}
        print_json({"ok": is_ok, "runs": runs})
    else:
        for path, verification in verifications.items():
            click.echo(in_one_line(f"{path}: {verification.verdict}"))
            for sign, lines in (
                ("ok", verification.checked),
                ("not checked:", verification.unchecked),
                ("!!", verification.differences),
            ):
                for line in lines:
                    click.echo(in_one_line(f"  {sign}  {line}"))
            for ruling in rulings.get(path, ()):
                click.echo(in_one_line(f"  {ruling.verdict}: {ruling.rule} ({ruling.why})"))
    verdicts = {worst_verdict(rules) for rules in rulings.values()}
    if "broken" in verdicts:
        sys.exit(2)
    sys.exit(0 if is_ok and "not known" not in verdicts else 1)
