"""The plots' numbers are right, whatever draws them."""

import math
from itertools import pairwise

import msgspec
import pytest

from closeread.metrics.intervals import Resampling, interval
from closeread.metrics.pools import mean_pools
from closeread.reports.gather import gather
from closeread.reports.material import Share
from closeread.reports.payload import question_columns
from closeread.reports.plot import mean_interval, percent
from closeread.reports.plots import make_plots
from closeread.types import Answer, Option, Passage, Prediction, Question, Score, Submission
from report_runs import PASSAGE, choose, correctness_by_id, triple, write_run, write_set


def _material(tmp_path, questions, predictions, **run):
    tmp_path.mkdir(exist_ok=True)
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, tuple(questions))])
    values = {"choice.accuracy": correctness_by_id(dataset, predictions)}
    return gather([write_run(tmp_path / "run", dataset, predictions, values, **run)])


def _plots(material):
    return {
        (plot.title, plot.params.get("tag") or plot.params.get("role")): plot
        for plot in make_plots(material)
    }


def _question(k, gold="A", texts=("x", "y"), **more):
    """A question on options A, B and so on."""
    return Question(
        question_id=f"q{k}",
        passage_id="p1",
        text="?",
        kind="choice",
        options=tuple(Option(label="ABCD"[i], text=text) for i, text in enumerate(texts)),
        answers=(Answer(kind="choice", label=gold),),
        **more,
    )


def test_means_have_the_intervals_of_scoring():
    """Of one name and the same units the bounds are the very same, whoever computes them."""
    values = [0.0, 0.5, 1.0, 0.5, 0.0, 1.0]
    resampling = Resampling(resamples=1_000, seed=3)
    scores = [
        Score(question_id=f"q{k}", values={"accuracy": value}) for k, value in enumerate(values)
    ]
    (pool,) = mean_pools({"accuracy": "choice.accuracy"}, scores, Submission(predictions={}))
    told = interval(pool, resampling)
    judged = [Share(f"q{k}", value) for k, value in enumerate(values)]
    assert mean_interval("choice.accuracy", judged, resampling) == (0.5, told.low, told.high)
    assert mean_interval("choice.accuracy", judged, None) == (0.5, None, None)


def test_units_are_resampled_together():
    """Three variants of a question that are right together say no more than one question does."""
    resampling = Resampling(resamples=1_000)
    alone = [Share(f"q{k}", k % 2) for k in range(20)]
    thrice = [one for one in alone for _ in range(3)]
    assert mean_interval("x", thrice, resampling) == mean_interval("x", alone, resampling)


@pytest.mark.parametrize("n", [1, 3, 40])
def test_equal_values_have_no_interval(n):
    """Even where nothing varies something else could have come up and gone unseen."""
    judged = [Share(f"q{k}", 0.5) for k in range(n)]
    mean, low, high = mean_interval("x", judged, Resampling())
    assert mean == 0.5
    assert low < 0.5 < high
    assert (1 - (high - low)) ** n == pytest.approx(0.025)


def test_flips_count_originals_against_variants(tmp_path):
    """Rows: original right, wrong; columns: variant right, wrong."""
    questions = triple("a") + triple("b") + triple("c")
    labels = {"a-negative": "B", "b-positive": "B", "c-original": "B"}
    plots = _plots(_material(tmp_path, questions, choose(questions, labels)))
    assert plots["flips", "positive"].data["cells"] == [[1, 1], [1, 0]]
    assert plots["flips", "negative"].data["cells"] == [[1, 1], [0, 1]]


@pytest.mark.parametrize("scored", [(False, False), (True, False), (True, True)])
def test_unjudged_answers_are_not_wrong(tmp_path, scored):
    """Neither flips of a run that was not scored, nor where it differs from another."""
    questions = triple("a") + triple("b") + triple("c")
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, tuple(questions))])
    predictions = choose(questions, {})
    values = {"choice.accuracy": correctness_by_id(dataset, predictions)}
    runs = [write_run(tmp_path / str(place), dataset, predictions, values) for place in range(2)]
    for run, one in zip(runs, scored, strict=True):
        if not one:
            (run / "summary.json").unlink()
            (run / "scores.jsonl").unlink()
    plots = make_plots(gather(runs))
    assert {plot.params["run"] for plot in plots if plot.title == "flips"} == {
        str(place) for place, one in enumerate(scored) if one
    }
    pairs = [plot.data["cells"] for plot in plots if plot.title == "pair"]
    assert pairs == ([[[6, 0], [0, 3]]] if all(scored) else [])


def test_a_question_without_gold_is_neither_right_nor_wrong(tmp_path):
    """Where one of a group was not judged, nothing flipped."""
    questions = [question for k in "abcd" for question in triple(k)]
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, tuple(questions))])
    predictions = choose(questions, {})
    values = correctness_by_id(dataset, predictions)
    del values["a-positive"]
    run = write_run(tmp_path / "run", dataset, predictions, {"choice.accuracy": values})
    assert _plots(gather([run]))["flips", "positive"].data["cells"] == [[3, 0], [0, 0]]


def test_each_question_of_a_mixed_set_is_judged_by_a_metric_of_its_kind(tmp_path):
    """The list finds what is wrong among all of them; means stay those of one metric."""
    spans = [
        Question(
            question_id=f"s{k}",
            passage_id=PASSAGE.passage_id,
            text="?",
            kind="span",
            answers=(Answer(kind="span", texts=("x",)),),
        )
        for k in range(4)
    ]
    choices = [_question(k) for k in range(3)]
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, (*choices, *spans))])
    said = [
        Prediction(question_id=one.question_id, answer=one.answers[0]) for one in (*choices, *spans)
    ]
    values = {
        "choice.accuracy": {"q0": 1.0, "q1": 0.0, "q2": 1.0},
        "squad.em": {"s0": 1.0, "s1": 0.0, "s2": 0.0},
        "squad.f1": {"s0": 1.0, "s1": 0.5, "s2": 0.0},
        "evidence.f1": dict.fromkeys([one.question_id for one in spans], 1.0),
    }
    material = gather([write_run(tmp_path / "run", dataset, said, values)])
    (told,) = question_columns(material)["runs"]
    assert told["value"] == [1.0, 0.0, 1.0, 1.0, 0.5, 0.0, None]
    assert list(material.runs[0].judged) == ["q0", "q1", "q2"]
    assert material.runs[0].per_question == "choice.accuracy"
    other = write_run(tmp_path / "other", dataset, said, values)
    pair = _plots(gather([material.runs[0].path, other]))["pair", None]
    assert pair.data["cells"] == [[2, 0], [0, 1]]


def test_the_curve_averages_the_most_confident(tmp_path):
    """The last point is the whole score; an earlier one the mean of the surest so far."""
    questions = [question for k in range(5) for question in triple(f"g{k}")]
    predictions = choose(questions, {})
    material = _material(tmp_path, questions, predictions)
    (curve,) = _plots(material)["coverage", None].data["curves"]
    values = [material.runs[0].value(q.question_id) for q in questions]
    assert curve["points"][-1] == (1.0, pytest.approx(sum(values) / 15, abs=1e-4))
    surest = values[::-1][:3]
    assert curve["points"][0] == (0.2, pytest.approx(sum(surest) / 3, abs=1e-4))


def test_percent_is_formatted_as_elsewhere(tmp_path):
    """Rounded to four digits first, 0.12546 is 12.6 %."""
    questions, predictions = _answers(20)
    values = {"choice.accuracy": {each.question_id: 0.12546 for each in questions}}
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, tuple(questions))])
    material = gather([write_run(tmp_path / "run", dataset, predictions, values)])
    plot = _plots(material)["coverage", None]
    shown = [point[1] for point in plot.data["curves"][0]["points"]]
    shown += question_columns(material)["runs"][0]["value"]
    assert {percent(value) for value in shown} == {"12.5"}
    assert {row[2] for row in plot.numbers[1:]} == {"12.5"}


def _answers(many, unlike=()):
    """Questions on letters with a confidence each, the surest first; wrong where ``unlike``."""
    questions = [_question(k, "B" if k in unlike else "A") for k in range(many)]
    predictions = [
        Prediction(
            question_id=each.question_id,
            answer=Answer(kind="choice", label="A"),
            confidence=1 - k / many,
        )
        for k, each in enumerate(questions)
    ]
    return questions, predictions


def test_points_have_bounds_by_the_runs_settings(tmp_path):
    """Around the value; wider at another level and where questions are drawn by passages."""
    questions, predictions = _answers(80, unlike=range(30, 80, 2))
    units = {f"q{k}": f"p{k // 10}" for k in range(80)}
    widths = []
    for number, run in enumerate(
        ({"level": 0.8}, {"level": 0.95}, {"level": 0.95, "units": units})
    ):
        material = _material(
            tmp_path / str(number), questions, predictions, resamples=10_000, **run
        )
        plot = _plots(material)["coverage", None]
        (curve,) = plot.data["curves"]
        assert all(low <= value <= high for _, value, low, high in curve["points"])
        assert plot.params["resamples"] == "1,000"
        assert plot.params["level"] == f"{100 * run['level']:g}"
        assert len(plot.numbers[1]) == 5
        assert all(plot.numbers[-1])
        _, _, low, high = curve["points"][-1]
        widths.append(high - low)
        surest = curve["points"][0]  # three right ones are no certainty
        if "units" not in run:
            assert surest[2] == pytest.approx((0.5 - run["level"] / 2) ** (1 / 3), abs=1e-4)
    assert widths[0] < widths[1]
    bare = _plots(_material(tmp_path / "none", questions, predictions))["coverage", None]
    assert bare.data["curves"][0]["points"][-1] == (1.0, pytest.approx(55 / 80, abs=1e-4))
    assert "level" not in bare.params


def test_the_curve_covers_all_judged_questions(tmp_path):
    """Those without gold are no questions declined; those that the page leaves out count."""
    questions, predictions = _answers(40, unlike=range(20, 40))
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, tuple(questions))])
    worth = correctness_by_id(dataset, predictions)
    judged = {name: worth[name] for name in list(worth)[:30]}
    run = write_run(tmp_path / "run", dataset, predictions, {"choice.accuracy": judged})
    material = gather([run])
    assert material.runs[0].coverage[-1][:2] == (1.0, 20 / 30)
    material.rows = material.rows[:5]
    assert _plots(material)["coverage", None].data["curves"][0]["points"][-1][0] == 1.0


def test_the_numbers_of_a_curve_have_each_point_once(tmp_path):
    """A curve that ends at a fourth of the questions has no rows for 30 to 100 percent."""
    questions, predictions = _answers(80, unlike=range(30, 80, 2))
    predictions = [
        msgspec.structs.replace(each, confidence=each.confidence if k < 20 else None)
        for k, each in enumerate(predictions)
    ]
    plot = _plots(_material(tmp_path, questions, predictions))["coverage", None]
    assert [row[1] for row in plot.numbers[1:]] == ["10.0", "20.0", "25.0"]


def test_no_coverage_curve_without_confidences(tmp_path):
    """Where every confidence is the same there is nothing to decline by."""
    questions = [question for k in range(5) for question in triple(f"g{k}")]
    predictions = [
        Prediction(question_id=q.question_id, answer=Answer(kind="choice", label="A"), confidence=1)
        for q in questions
    ]
    assert ("coverage", None) not in _plots(_material(tmp_path, questions, predictions))


def test_length_ranks_share_ties(tmp_path):
    """The longest gold counts for the first place; options of one length share their places."""
    texts = ("长长长长", "短短", "短短", "短")
    questions = [_question(k, "A" if k < 9 else "B", texts) for k in range(12)]
    predictions = choose(questions, {f"q{k}": "D" for k in range(12)})
    (plot,) = [
        p for p in make_plots(_material(tmp_path, questions, predictions)) if p.title == "length"
    ]
    assert [row["gold"][0] for row in plot.data["rows"]] == [0.75, 0.125, 0.125, 0]
    assert [row["said"][0] for row in plot.data["rows"]] == [0, 0, 0, 1]
    assert plot.data["chance"] == 0.25


def test_length_ranks_have_the_runs_intervals(tmp_path):
    """With variants together: thrice the same questions have the bounds of one of each."""
    texts = ("长长长长", "短短", "短")
    bounds = []
    for copies in (1, 3):
        questions = [
            msgspec.structs.replace(
                _question(k, "AB"[k % 2], texts),
                question_id=f"q{k}#{role}",
                group_id=f"q{k}",
                role=role,
            )
            for k in range(12)
            for role in ("original", "positive", "negative")[:copies]
        ]
        predictions = choose(questions, {})
        material = _material(tmp_path / str(copies), questions, predictions, resamples=1_000)
        (plot,) = [one for one in make_plots(material) if one.title == "length"]
        bounds.append([row["gold"] for row in plot.data["rows"]])
    assert bounds[0] == bounds[1]
    value, low, high = bounds[0][0]
    assert low < value == 0.5 < high


def test_groups_use_summaries_of_scoring(tmp_path):
    """A tag that was broken down keeps the summary's interval, not one of the report's own."""
    questions = [
        _question(k, tags={"genre": "news" if k % 2 else "tale", "copy": "1" if k % 2 else "0"})
        for k in range(8)
    ]
    labels = {"q0": "B", "q1": "B", "q3": "B"}
    material = _material(
        tmp_path, questions, choose(questions, labels), by=("genre",), resamples=1_000
    )
    plots = _plots(material)
    rows = {row["label"]: row["points"][0] for row in plots["group", "genre"].data["rows"]}
    told = material.runs[0].breakdowns["genre"]["tale"]["choice.accuracy"]
    assert rows["tale"] == {"value": 0.75, "low": told.low, "high": told.high, "n": 4}
    assert rows["news"]["value"] == 0.5
    own = plots["group", "copy"].data["rows"][0]["points"][0]
    assert own["value"] == 0.75
    assert (own["low"], own["high"]) == (0.25, 1.0)  # of four questions, one wrong


def test_report_groups_resample_variants_together(tmp_path):
    """Originals and their variants, right or wrong together, are no more than the originals."""
    questions = [
        msgspec.structs.replace(question, tags={"genre": "news" if k % 2 else "tale"})
        for k in range(24)
        for question in triple(f"g{k}")
    ]
    right = {q.question_id: q.answers[0].label for q in questions if int(q.group_id[1:]) % 3}
    wrong = {q.question_id: "B" if q.answers[0].label == "A" else "A" for q in questions}
    material = _material(
        tmp_path,
        questions,
        choose(questions, wrong | right),
        resamples=1_000,
        units={q.question_id: q.group_id for q in questions},
    )
    rows = _plots(material)["group", "genre"].data["rows"]
    for (point,) in (row["points"] for row in rows):
        assert (point["n"], point["value"]) == (36, pytest.approx(2 / 3))
        alone = 2 * 1.96 * math.sqrt(2 / 3 / 3 / 12)
        assert point["high"] - point["low"] == pytest.approx(alone, rel=0.15)


def test_equivalent_tags_give_one_plot(tmp_path):
    """The same groups under another name are not drawn twice."""
    questions = [
        Question(
            question_id=f"q{k}",
            passage_id="p1",
            text="?",
            kind="span",
            answers=(Answer(kind="span", texts=("灯",)),),
            tags={"a": str(k % 2), "b": "xy"[k % 2]},
        )
        for k in range(6)
    ]
    said = [
        Prediction(question_id=q.question_id, answer=Answer(kind="span", texts=("灯" * (k < 3),)))
        for k, q in enumerate(questions)
    ]
    plots = [p for p in make_plots(_material(tmp_path, questions, said)) if p.kind == "dots"]
    assert [plot.params["tag"] for plot in plots] == ["a"]


def test_plot_files_are_reproducible(tmp_path):
    """--plots writes each plot as PNG and PDF; the same numbers give the same bytes."""
    pytest.importorskip("matplotlib")
    from closeread.reports.figures import write_plots

    questions = [question for k in range(2) for question in triple(f"g{k}")]
    material = _material(tmp_path, questions, choose(questions, {}))
    first = write_plots(material, tmp_path / "one", "en")
    again = write_plots(material, tmp_path / "two", "en")
    assert len(first) == 2 * len(make_plots(material)) >= 6
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]


def test_no_plots_create_no_folder(tmp_path):
    pytest.importorskip("matplotlib")
    from closeread.reports.figures import write_plots

    said = Prediction(question_id="q1", answer=Answer(kind="choice", label="A"))
    material = _material(tmp_path / "one", [_question(1)], [said])
    assert not make_plots(material)
    assert not write_plots(material, tmp_path / "plots", "en")
    assert not (tmp_path / "plots").exists()


def test_plot_files_name_run_and_metric(tmp_path, monkeypatch):
    """In a paper no page stands around them: two runs' squares looked alike."""
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    from closeread.reports.figures import write_plots

    questions = [question for k in range(4) for question in triple(f"g{k}")]
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, tuple(questions))])
    said = choose(questions, {})
    values = {"choice.accuracy": correctness_by_id(dataset, said)}
    for name in ("one", "two"):
        write_run(tmp_path / name, dataset, said, values)
    labels = []

    def kept(figure, path, **options):
        labels.append((path.name, figure.axes[0].get_xlabel()))

    monkeypatch.setattr(Figure, "savefig", kept)  # what it says is settled before it is drawn
    write_plots(gather([tmp_path / "one", tmp_path / "two"]), tmp_path / "plots", "en")
    found = dict(labels)
    assert found["01-runs.png"] == "choice.accuracy, %"
    squares = {name[3:]: label for name, label in labels if "flips" in name and ".png" in name}
    assert squares["flips-positive-one.png"] == "Questions, one"
    assert squares["flips-positive-two.png"] == "Questions, two"


def test_long_names_fit_into_plot_files(tmp_path, monkeypatch):
    """Names were cut at the edges, numbers lay on one another, a legend lost half its runs."""
    pytest.importorskip("matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from closeread.reports.figures import write_plots

    questions = [question for k in range(4) for question in triple(f"g{k}")]
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, tuple(questions))])
    said = choose(questions, {})
    values = {"choice.accuracy": correctness_by_id(dataset, said)}
    folders = [tmp_path / ("一支名字很长很长的参赛队伍" * 5 + str(k)) for k in range(8)]
    for folder in folders:
        write_run(folder, dataset, said, values)
    save, outside, crowded = Figure.savefig, [], []

    def seen(figure, path, **options):
        if path.suffix == ".png":  # laid out once for both; a PDF's fonts cost most of its time
            save(figure, path, **options)
            FigureCanvasAgg(figure).draw()
            (axes,), (width, height) = figure.axes, figure.bbox.size
            texts = [*figure.legends[0].texts] if figure.legends else []
            boxes = [one.get_window_extent() for one in [*texts, *axes.texts, axes.xaxis.label]]
            boxes += [one.get_window_extent() for one in axes.get_yticklabels()]
            outside.extend(path.name for box in boxes if not 0 <= box.x0 < box.x1 <= width + 1)
            outside.extend(path.name for box in boxes if not 0 <= box.y0 < box.y1 <= height + 1)
            places = sorted(one.get_window_extent().y0 for one in axes.texts)
            tall = [one.get_window_extent().height for one in axes.texts]
            if figure.legends:
                crowded.extend(b - a for a, b in pairwise(places) if b - a < 0.9 * max(tall))

    monkeypatch.setattr(Figure, "savefig", seen)
    written = write_plots(gather(folders), tmp_path / "plots", "zh")
    assert len(written) >= 12
    assert (outside, crowded) == ([], [])


def test_plot_files_work_without_intervals(tmp_path):
    """Of a run that was scored without them lengths and groups are marks alone."""
    pytest.importorskip("matplotlib")
    from closeread.reports.figures import write_plots

    questions = [
        _question(k, "AB"[k % 2], ("长长", "短"), tags={"genre": "ab"[k % 2]}) for k in range(12)
    ]
    material = _material(tmp_path, questions, choose(questions, {}))
    assert {plot.title for plot in make_plots(material)} >= {"length", "group"}
    assert write_plots(material, tmp_path / "plots", "en")


def test_mixed_languages_do_not_break_the_files(tmp_path):
    """Names in any script, and dollar signs, are drawn as they stand."""
    pytest.importorskip("matplotlib")
    from closeread.reports.figures import write_plots

    passage = Passage(passage_id="p1", text="灯")
    assert passage.text
    questions = [
        Question(
            question_id=f"q{k}",
            passage_id="p1",
            text="?",
            kind="span",
            answers=(Answer(kind="span", texts=("灯",)),),
            tags={"价格 $x_1$": ["$5 or 6$", "五元"][k % 2]},
        )
        for k in range(6)
    ]
    said = [Prediction(question_id=q.question_id, answer=q.answers[0]) for q in questions]
    assert write_plots(_material(tmp_path, questions, said), tmp_path / "plots", "zh")
