"""Runs on one page are compared by one metric, and paired, as `closeread compare` does it."""

import pytest
from msgspec import structs

from closeread.cli import main
from closeread.metrics.intervals import Resampling
from closeread.reports.differences import compare_material
from closeread.reports.gather import gather
from closeread.reports.groups import run_plots
from closeread.reports.plots import make_plots
from closeread.reports.tables import latex, markdown, report_tables
from closeread.runs.compare import compare_runs
from closeread.runs.store import open_run
from table_runs import write_tables


def closeread(*arguments):
    with pytest.raises(SystemExit) as ended:
        main([str(one) for one in arguments])
    assert ended.value.code == 0


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three readers scored by accuracy, and one of them by how sure it is alone."""
    found = tmp_path_factory.mktemp("runs")
    for name, reader, metric in (
        ("cues", "cues", "choice"),
        ("longest", "longest-option", "choice"),
        ("lexical", "lexical", "choice"),
        ("sure", "lexical", "selective"),
    ):
        closeread("read", "exam/zh", "--reader", reader, "--limit", 24, "--out", found / name)
        closeread("score", found / name, "--metric", metric, "--by", "topic", "--resamples", 200)
    return found


def test_differences_equal_those_of_compare(folder):
    paths = [folder / name for name in ("cues", "longest", "lexical")]
    (told,) = compare_material(gather(paths))
    expected = compare_runs(list(map(open_run, paths)), Resampling())
    assert told.comparisons == expected.comparisons
    assert [one.metric for one in told.comparisons] == ["choice.accuracy"] * 2


def test_tables_mark_significant_differences(folder):
    """Minus the first run, p after Holm; only what lies below the level has the mark."""
    material = gather([folder / name for name in ("cues", "longest", "lexical")])
    (found,) = compare_material(material)
    one, other = found.comparisons
    one = structs.replace(one, p_holm=0.01, sure=True, difference=-0.125, low=-0.25, high=0.0)
    other = structs.replace(other, p_holm=0.05, low=None, smallest_difference=None)
    found.comparisons = [one, other]
    made = report_tables(material, "en")[1]
    assert made.caption == "choice.accuracy: difference from cues"
    assert made.headings == ["Run", "Difference", "p", "Holm", "would show"]
    shown = f"{100 * one.smallest_difference:.1f}"
    assert made.rows[0][:2] == ["longest", "−12.5 [−25.0, +0.0]*"]
    assert made.rows[0][3:] == ["0.0100", shown]
    assert made.rows[1][0] == "lexical"
    assert "*" not in made.rows[1][1]
    assert made.rows[1][3:] == ["0.0500", "—"]
    assert "in points from cues on the same questions, with 95% intervals." in made.note
    assert made.note.endswith(" * sure: p below 0.05 after Holm.")
    assert "longest & $-$12.5 [$-$25.0, +0.0]* & " in latex(material, "en")
    found.comparisons = [structs.replace(other, p_value=None, p_holm=None)]
    (row,) = report_tables(material, "en")[1].rows
    assert row[2] == "—"
    assert "p below" not in markdown(material, "en")


def test_several_sets_have_the_table_of_compare(folder, tmp_path):
    """Folders with a run on each set: values with their marks, and the differences."""
    systems = {"old": 4, "new": 12, "other": 5}
    for call in write_tables(tmp_path, {"SQuAD": 12, "NewsQA": 14}, systems):
        closeread(*call)
    folders = [tmp_path / name for name in systems]
    material = gather([path for each in folders for path in sorted(each.iterdir())])
    (found,) = compare_material(material)
    assert list(found.systems) == ["old", "new", "other"]
    _, values, differing, *_ = report_tables(material, "en")
    assert values.headings == ["Data set", *found.systems]
    assert values.rows[1] == ["SQuAD", "33.3", "100.0*", "41.7"]
    assert [row[0] for row in values.rows] == ["NewsQA", "SQuAD", "macro-average"]
    assert differing.headings[:3] == ["Data set", "Run", "Difference"]
    assert (differing.left, differing.parts) == (2, (4,))
    assert [row[:2] for row in differing.rows[:2]] == [
        ["NewsQA", "new"], ["NewsQA", "other"],
    ]  # fmt: skip
    assert compare_material(gather([path for each in folders[:1] for path in each.iterdir()])) == []


def test_a_run_without_the_metric_has_no_point(folder):
    """An area under a curve is no accuracy: they stand on no axis together."""
    material = gather([folder / name for name in ("sure", "cues", "longest")])
    assert [run.headline for run in material.runs] == [
        "selective.aurc", "choice.accuracy", "choice.accuracy",
    ]  # fmt: skip
    (plot,) = run_plots(material)
    assert plot.params == {"metric": "choice.accuracy"}
    assert [row["points"][0] is None for row in plot.data["rows"]] == [True, False, False]
    ((one,),) = (found.comparisons for found in compare_material(material))
    assert (one.first, one.second) == ("cues", "longest")
    for made in make_plots(material):
        if made.kind == "dots":
            assert made.params["metric"] == "choice.accuracy"
            assert made.data["runs"] == ["cues", "longest"]
        if made.kind == "curve":
            assert made.params["metric"] == "choice.accuracy"
            assert [one["run"] for one in made.data["curves"]] == ["cues"]


def test_unpaired_runs_are_not_compared(folder, tmp_path):
    """One run, one run twice, other questions, other settings: no table, and no error."""
    closeread("read", "exam/zh", "--reader", "cues", "--limit", 6, "--out", tmp_path / "less")
    closeread("score", tmp_path / "less", "--metric", "choice", "--resamples", 200)
    closeread("read", "exam/en", "--reader", "lexical", "--limit", 6, "--out", tmp_path / "en")
    closeread("score", tmp_path / "en", "--metric", "squad", "--resamples", 200)
    cues = folder / "cues"
    for paths in ([cues], [cues, cues], [cues, tmp_path / "less"], [cues, tmp_path / "en"],
                  [cues, folder / "sure"]):  # fmt: skip
        assert compare_material(gather(paths)) == []


def test_runs_with_different_metrics_have_separate_plots(folder, tmp_path):
    """On sets that are scored otherwise, each metric has a plot with its runs alone."""
    for reader in ("lexical", "cues"):
        closeread("read", "exam/en", "--reader", reader, "--limit", 12, "--out", tmp_path / reader)
        closeread("score", tmp_path / reader, "--metric", "squad", "--resamples", 200)
    paths = [folder / "cues", folder / "longest", tmp_path / "lexical", tmp_path / "cues"]
    material = gather(paths)
    names = [run.name for run in material.runs]
    of_metric = {"choice.accuracy": names[:2], "squad.f1": names[2:]}
    plots = run_plots(material)
    assert [plot.params for plot in plots] == [
        {"metric": "choice.accuracy", "set": "exam/zh"}, {"metric": "squad.f1", "set": "exam/en"},
    ]  # fmt: skip
    for plot in plots:
        assert [row["label"] for row in plot.data["rows"]] == of_metric[plot.params["metric"]]
    curves = [plot for plot in make_plots(material) if plot.kind == "curve"]
    assert [plot.params["metric"] for plot in curves] == ["choice.accuracy", "squad.f1"]
    for plot in curves:
        runs = {curve["run"] for curve in plot.data["curves"]}
        assert plot.data["named"] and runs <= set(of_metric[plot.params["metric"]])
