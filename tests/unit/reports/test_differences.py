"""Runs on one page are compared by one metric, and paired, as `closeread compare` does it."""

import pytest

from closeread.cli import main
from closeread.metrics.intervals import Resampling
from closeread.reports.differences import differences
from closeread.reports.gather import gather
from closeread.reports.groups import of_runs
from closeread.reports.plots import all_plots
from closeread.reports.tables import latex, markdown, tables
from closeread.runs.compare import compare_runs
from closeread.runs.store import open_run


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


def test_differences_are_those_of_compare(folder):
    paths = [folder / name for name in ("cues", "longest", "lexical")]
    told = differences(gather(paths))
    expected = compare_runs(list(map(open_run, paths)), Resampling()).comparisons
    assert [(one["run"], one["baseline"]) for one in told] == [(1, 0), (2, 0)]
    for one, other in zip(told, expected, strict=True):
        assert one["metric"] == other.metric == "choice.accuracy"
        assert (one["difference"], one["low"], one["high"]) == (
            other.difference, other.low, other.high,
        )  # fmt: skip
        assert (one["p"], one["test"]) == (other.p_holm, other.test)
        assert one["smallest"] == other.smallest_difference


def test_tables_have_differences_and_a_mark_where_they_are_sure(folder):
    """Minus the first run, p after Holm; only what lies below the level has the mark."""
    material = gather([folder / name for name in ("cues", "longest", "lexical")])
    one, other = differences(material)
    material.compared = [one | {"p": 0.01, "difference": -0.125, "low": -0.25, "high": 0.0}]
    material.compared.append(other | {"p": 0.05, "low": None, "smallest": None})
    found = tables(material, "en")[1]
    assert found.headings == ["Run", "Difference", "p", "would show"]
    shown = f"{100 * one['smallest']:.1f}"
    assert found.rows[0] == ["longest", "−12.5 [−25.0, +0.0]*", "0.0100", shown]
    assert found.rows[1][0::2] == ["lexical", "0.0500"]
    assert "*" not in found.rows[1][1]
    assert found.rows[1][3] == "—"
    assert "choice.accuracy, in points, minus cues" in found.note
    assert found.note.endswith(" * p below 0.05.")
    assert "longest & $-$12.5 [$-$25.0, +0.0]* & 0.0100 & " in latex(material, "en")
    material.compared = [other | {"p": None}]
    (row,) = tables(material, "en")[1].rows
    assert row[2] == "—"
    assert "p below" not in markdown(material, "en")


def test_a_run_without_the_others_metric_has_no_point_among_theirs(folder):
    """An area under a curve is no accuracy: they stand on no axis together."""
    material = gather([folder / name for name in ("sure", "cues", "longest")])
    assert [run.headline for run in material.runs] == [
        "selective.aurc", "choice.accuracy", "choice.accuracy",
    ]  # fmt: skip
    (plot,) = of_runs(material)
    assert plot.params == {"metric": "choice.accuracy"}
    assert [row["points"][0] is None for row in plot.data["rows"]] == [True, False, False]
    assert [(one["run"], one["baseline"]) for one in differences(material)] == [(2, 1)]
    for made in all_plots(material):
        if made.kind == "dots":
            assert made.params["metric"] == "choice.accuracy"
            assert made.data["runs"] == ["cues", "longest"]
        if made.kind == "curve":
            assert made.params["metric"] == "choice.accuracy"
            assert [one["run"] for one in made.data["curves"]] == ["cues"]


def test_what_cannot_be_paired_is_not(folder, tmp_path):
    """One run, one run twice, other questions, other settings: no table, and no error."""
    closeread("read", "exam/zh", "--reader", "cues", "--limit", 6, "--out", tmp_path / "less")
    closeread("score", tmp_path / "less", "--metric", "choice", "--resamples", 200)
    closeread("read", "exam/en", "--reader", "lexical", "--limit", 6, "--out", tmp_path / "en")
    closeread("score", tmp_path / "en", "--metric", "squad", "--resamples", 200)
    cues = folder / "cues"
    for paths in ([cues], [cues, cues], [cues, tmp_path / "less"], [cues, tmp_path / "en"],
                  [cues, folder / "sure"]):  # fmt: skip
        assert differences(gather(paths)) == []


def test_runs_of_unlike_metrics_stand_on_axes_of_their_own(folder, tmp_path):
    """On sets that are scored otherwise, each metric has a plot with its runs alone."""
    for reader in ("lexical", "cues"):
        closeread("read", "exam/en", "--reader", reader, "--limit", 12, "--out", tmp_path / reader)
        closeread("score", tmp_path / reader, "--metric", "squad", "--resamples", 200)
    paths = [folder / "cues", folder / "longest", tmp_path / "lexical", tmp_path / "cues"]
    material = gather(paths)
    names = [run.name for run in material.runs]
    of_metric = {"choice.accuracy": names[:2], "squad.f1": names[2:]}
    plots = of_runs(material)
    assert [plot.params for plot in plots] == [
        {"metric": "choice.accuracy", "set": "exam/zh"}, {"metric": "squad.f1", "set": "exam/en"},
    ]  # fmt: skip
    for plot in plots:
        assert [row["label"] for row in plot.data["rows"]] == of_metric[plot.params["metric"]]
    curves = [plot for plot in all_plots(material) if plot.kind == "curve"]
    assert [plot.params["metric"] for plot in curves] == ["choice.accuracy", "squad.f1"]
    for plot in curves:
        runs = {curve["run"] for curve in plot.data["curves"]}
        assert plot.data["named"] and runs <= set(of_metric[plot.params["metric"]])
