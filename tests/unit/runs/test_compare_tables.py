"""Readers that each read several data sets are compared on every one, and by their mean."""

import dataclasses
import statistics
from itertools import chain
from pathlib import Path

import pytest
from msgspec import structs

import closeread
from closeread.errors import MismatchError, UsageError
from closeread.metrics.comparison.paired_tests import holm
from closeread.metrics.intervals import Resampling
from closeread.runs.compare import compare_runs
from closeread.runs.compare_tables import compare_tables
from closeread.runs.macro import macro_averages
from closeread.runs.records import ScoreSettings
from closeread.runs.run_tables import are_tables
from closeread.runs.score import score_run

MRQA = ScoreSettings(metrics=("mrqa",), resamples=200)
RESAMPLING = Resampling(resamples=400)


class _Begun:
    """Counts how far work is."""

    steps = done = 0

    def __call__(self, steps):
        self.steps = steps
        return self.advance

    def advance(self, n):
        self.done += n


@pytest.fixture
def begun():
    return _Begun()


@pytest.fixture
def table(tmp_path, hand_in):
    """Make a system's runs: of each set how many questions it has and how many are right."""

    def make(system, settings=MRQA, **sets):
        folder = tmp_path / system
        return {folder: [hand_in(name, *of, settings, folder / name) for name, of in sets.items()]}

    return make


def test_every_data_set_and_the_average_are_compared(table):
    """The averages are those of scoring, and every set has its own comparison."""
    tables = table("old", large=(40, 20), small=(8, 2)) | table("new", small=(8, 6), large=(40, 20))
    found = compare_tables(tables, RESAMPLING)
    assert list(found.systems) == ["old", "new"]
    assert [one.dataset.name for one in found.sets] == ["large", "small"]
    assert found.left_out == []
    for one, difference in zip(found.sets, (0.0, 0.5), strict=True):
        assert [each.metric for each in one.comparisons] == ["mrqa.em", "mrqa.f1"]
        assert [each.difference for each in one.comparisons] == [difference] * 2
    em, f1 = found.macro_average["all"]
    assert list(found.macro_average) == ["all"]
    assert (em.metric, f1.metric, em.second) == ("mrqa.em", "mrqa.f1", "new")
    averages = [macro_averages(runs)["mrqa.em"].value for runs in tables.values()]
    assert [em.first_value, em.second_value] == averages == [0.375, 0.625]
    assert em.difference == 0.25
    assert em.low < 0.25 < em.high


def test_in_and_out_of_domain_have_averages_of_their_own(table):
    """As the shared task's table has them; not where another set is among them."""
    old = {"SQuAD": (8, 4), "NewsQA": (8, 2), "BioASQ": (8, 1), "DuoRC": (8, 1)}
    new = {"SQuAD": (8, 4), "NewsQA": (8, 4), "BioASQ": (8, 7), "DuoRC": (8, 5)}
    tables = table("old", **old) | table("new", **new)
    found = compare_tables(tables, RESAMPLING, metrics=("mrqa.em",))
    assert {part: of[0].difference for part, of in found.macro_average.items()} == {
        "all": 0.375,
        "in": 0.125,
        "out": 0.625,
    }
    assert [of[0].n_units for of in found.macro_average.values()] == [32, 16, 16]
    for more in ({"mine": (8, 4)}, {}):
        few = dict(list(old.items())[: 4 if more else 3]) | more
        tables = table(f"one{len(few)}", **few) | table(f"two{len(few)}", **few)
        assert list(compare_tables(tables, RESAMPLING).macro_average) == ["all"]


def test_resamples_of_a_data_set_are_shared_with_averages(table, monkeypatch, begun):
    """In and out of domain are made of the same draws; a set's own line is that of it alone."""
    from closeread.metrics.comparison import paired, swaps

    drawn = []
    for module, name in ((paired, "resample_ratios"), (swaps, "draw_swapped_sums")):
        whole = getattr(module, name)
        monkeypatch.setattr(
            module, name, lambda *of, name=name, whole=whole: drawn.append(name) or whole(*of)
        )
    sets = {"SQuAD": (40, 20), "NewsQA": (40, 10), "BioASQ": (40, 5), "DuoRC": (40, 5)}
    old, new = table("old", **sets), table("new", **dict.fromkeys(sets, (40, 30)))
    found = compare_tables(old | new, RESAMPLING, metrics=("mrqa.em",), begin=begun)
    assert len(found.macro_average) == 3
    assert drawn.count("resample_ratios") == drawn.count("draw_swapped_sums") == 4
    assert begun.steps == begun.done == 4
    alone = compare_runs([of[0] for of in (*old.values(), *new.values())], RESAMPLING)
    (same,) = [
        one for each in found.sets for one in each.comparisons if each.dataset == alone.dataset
    ]
    (em,) = [one for one in alone.comparisons if one.metric == "mrqa.em"]
    assert (same.low, same.high, same.p_value) == (em.low, em.high, em.p_value)


def test_p_values_are_adjusted_over_all_sets(table):
    """Whoever looks at many sets finds one that seems to show something."""
    tables = (
        table("old", a=(12, 2), b=(12, 5), c=(12, 6))
        | table("new", a=(12, 9), b=(12, 8), c=(12, 6))
        | table("other", a=(12, 4), b=(12, 1), c=(12, 10))
    )
    found = compare_tables(tables, RESAMPLING, metrics=("mrqa.em",))
    every = list(chain.from_iterable(one.comparisons for one in found.sets))
    assert len(every) == 6
    assert tuple(one.p_holm for one in every) == holm([one.p_value for one in every])
    assert tuple(one.p_holm for one in found.macro_average["all"]) == holm(
        [one.p_value for one in found.macro_average["all"]]
    )


def test_seeds_of_a_reader_are_one_system(table):
    """Folders that differ in the number of a seed: their mean, and how far they lie apart."""
    tables = (
        table("old/seed1", a=(8, 2), b=(4, 1))
        | table("old/seed2", a=(8, 4), b=(4, 3))
        | table("new/seed1", a=(8, 6), b=(4, 2))
        | table("new/seed2", a=(8, 6), b=(4, 4))
    )
    tables = _handed_in_by_seed(tables)
    found = compare_tables(tables, RESAMPLING, metrics=("mrqa.em",), group_seeds=True)
    paths = [str(path) for path in tables]
    assert found.systems == {"old": paths[:2], "new": paths[2:]}
    assert found.apart == []
    (of_a,), (of_b,) = (one.comparisons for one in found.sets)
    assert (of_a.first_value, of_a.second_value) == (0.375, 0.75)
    assert of_a.first_spread.values == (0.25, 0.5)
    assert (of_b.second_value, of_b.second_spread.values) == (0.75, (0.5, 1.0))
    (mean,) = found.macro_average["all"]
    assert mean.difference == 0.3125
    assert mean.first_spread.values == (0.25, 0.625)
    assert mean.first_spread.deviation == statistics.stdev((0.25, 0.625))
    assert mean.second_spread.values == (0.625, 0.875)
    apart = compare_tables(tables, RESAMPLING, metrics=("mrqa.em",))
    assert [len(of) for of in apart.systems.values()] == [1, 1, 1, 1]
    assert apart.macro_average["all"][0].first_spread is None


def test_runs_that_are_not_seeds_on_every_set_are_separate_systems(table):
    """A folder with another file on one set is no seed; a single system is nothing to compare."""
    tables = table("old/seed1", a=(8, 2), b=(4, 1)) | table("old/seed2", a=(8, 4), b=(4, 3))
    tables = _handed_in_by_seed(tables)
    with pytest.raises(UsageError, match="only one system"):
        compare_tables(tables, RESAMPLING, group_seeds=True)
    first = next(iter(tables))
    tables[first][1] = _named(tables[first][1], "handed in: else/b.json")
    found = compare_tables(tables, RESAMPLING, group_seeds=True)
    assert list(found.systems.values()) == [[str(path)] for path in tables]


def _handed_in_by_seed(tables):
    """Name the files as they are where each seed's lie in a folder that numbers it."""
    return {
        folder: [
            _named(run, f"handed in: {folder.parent.name}/{folder.name}/{run.path.name}.json")
            for run in runs
        ]
        for folder, runs in tables.items()
    }


def _named(run, name):
    reader = structs.replace(run.info.reader, name=name)
    return dataclasses.replace(run, info=structs.replace(run.info, reader=reader))


def test_data_sets_without_all_systems_are_left_out(table):
    """Also one of the same name whose questions are others; the mean is over the rest."""
    tables = table("old", a=(4, 1), b=(4, 2), c=(5, 2)) | table("new", a=(4, 4), b=(4, 2), c=(6, 2))
    found = compare_tables(tables, RESAMPLING)
    assert [one.dataset.name for one in found.sets] == ["a", "b"]
    assert len(found.left_out) == 2
    assert found.left_out[0].startswith("c (sha256 ")
    assert [line.rpartition("no run of ")[2] for line in found.left_out] == ["new", "old"]
    assert found.macro_average["all"][0].second_value == 0.75


def test_a_data_set_without_the_requested_metric_is_left_out(table):
    """Whoever asks for one scorer's values compares the sets that have them."""
    squad = ScoreSettings(metrics=("squad",), resamples=0)
    tables = {}
    for name in ("old", "new"):
        (path,) = two = table(name, a=(4, 1), b=(4, 2), c=(4, 3))
        score_run(two[path][1], squad)
        tables |= two
    found = compare_tables(tables, RESAMPLING, metrics=("mrqa.em",))
    assert [one.dataset.name for one in found.sets] == ["a", "c"]
    assert len(found.left_out) == 1
    assert found.left_out[0].startswith("b (sha256 ")
    assert found.left_out[0].endswith(" is skipped: no run on it has mrqa.em")
    assert found.macro_average["all"][0].first_value == 0.5
    score_run(tables[path][0], squad)
    with pytest.raises(UsageError, match=r"^a: the runs have no value of mrqa in common"):
        compare_tables(tables, RESAMPLING, metrics=("mrqa",))
    with pytest.raises(UsageError, match="no value of drop in common"):
        compare_tables(tables, RESAMPLING, metrics=("drop",))


def test_tables_without_a_shared_data_set_are_rejected(table):
    tables = table("old", a=(4, 1), b=(4, 1)) | table("new", c=(4, 1), d=(4, 1))
    with pytest.raises(MismatchError, match="have no data set in common"):
        compare_tables(tables, RESAMPLING)


def test_no_average_is_compared_if_scoring_has_none(table):
    """One shared set, a scorer whose publishers average nothing, and sets scored unlike."""
    tables = table("old", a=(4, 1), x=(3, 1)) | table("new", a=(4, 1))
    assert compare_tables(tables, RESAMPLING).macro_average == {}
    squad = ScoreSettings(metrics=("squad",), resamples=0)
    tables = table("s1", squad, a=(4, 1), b=(4, 1)) | table("s2", squad, a=(4, 1), b=(4, 1))
    assert compare_tables(tables, RESAMPLING).macro_average == {}
    tables = table("one", a=(4, 1), b=(4, 1)) | table("two", a=(4, 1), b=(4, 1))
    skipping = ScoreSettings(metrics=("mrqa",), options={"mrqa": {"skip_no_answer": True}})
    for runs in tables.values():
        score_run(runs[0], skipping)
    found = compare_tables(tables, RESAMPLING)
    assert found.macro_average == {}
    assert len(found.sets) == 2
    assert found.left_out == [
        f"{name} has no macro-average: not every data set has it, computed in the same way"
        for name in ("mrqa.em", "mrqa.f1")
    ]


def test_a_data_set_and_its_part_are_compared_separately(tmp_path):
    """The whole comes first."""
    tables = {
        tmp_path / reader: [
            closeread.read("exam/zh", reader, tmp_path / reader / f"{limit}", limit=limit)
            for limit in (12, None, 3)
        ]
        for reader in ("majority", "lexical")
    }
    for run in chain.from_iterable(tables.values()):
        score_run(run, ScoreSettings(metrics=("choice",), resamples=0))
    found = compare_tables(tables, RESAMPLING)
    assert [one.dataset.limit for one in found.sets] == [None, 3, 12]


def test_tables_are_recognised(table):
    """Several folders, several sets, one run a set in each; else runs are compared one by one."""
    old, new = table("old", a=(4, 1), b=(4, 1)), table("new", a=(4, 1))
    one_set = table("other", a=(4, 1))
    assert are_tables(old | new)
    assert not are_tables(old)
    assert not are_tables(new | one_set)
    (runs,) = old.values()
    assert not are_tables({Path("twice"): [*runs, runs[0]]} | new)
    assert not are_tables({Path(run.path): [run] for run in runs})
