"""A benchmark against others over models."""

import json
import random
import re
from xml.etree import ElementTree

import msgspec
import pytest

from audit_runs import load_run, make_run
from closeread.audits.problems import Problems
from closeread.audits.shape import recutting
from closeread.audits.shape.check import check
from closeread.audits.shape.correlation import find_cluster, ranks
from closeread.audits.shape.score_tables import Row, ScoreTable, is_table, read_tables, size_of
from closeread.audits.truncation.recuts import score_at_stops
from closeread.errors import InputError, UsageError
from closeread.reports.audit import write_audit
from closeread.reports.scatter import scatter


def table(*rows):
    return ScoreTable(
        [Row(model=model, shots=shots, scores=scores) for model, shots, scores in rows]
    )


@pytest.mark.parametrize(
    ("name", "size"),
    [("llama-7B", 7), ("bloom-560m", 0.56), ("bloom-1b7", 1.7), ("xglm-7.5B", 7.5), ("gpt4", None)],
)
def test_sizes_are_parsed_from_names(name, size):
    """In billions."""
    assert size_of(name) == size


def test_models_stuck_at_one_score_form_a_cluster():
    """Half of them on a diagonal, half at 5 whatever their level."""
    diagonal = [(f"good{level}", level / 100, level / 100 - 0.2) for level in range(30, 80, 8)]
    flat = [(f"flat{level}", level / 100, 0.05 + level / 10_000) for level in range(30, 80, 8)]
    found = find_cluster(diagonal + flat)
    assert found is not None
    assert {name for name in found.names if name.startswith("flat")} == {name for name, *_ in flat}


def test_two_outliers_in_a_long_list_are_not_a_cluster():
    """A score that follows the others but for chance: some of 300 models are far off."""
    rng = random.Random(6)
    for _ in range(20):
        levels = [rng.uniform(0.3, 0.8) for _ in range(300)]
        assert (
            find_cluster([(str(level), level, level + rng.gauss(0, 0.04)) for level in levels])
            is None
        )


@pytest.mark.parametrize("n", [40, 100, 300])
def test_a_benchmark_that_follows_the_others_loosely_has_no_cluster(n):
    """Most scores are near the middle, at many levels; two models in five that stick are found."""
    rng = random.Random(n)
    false = found = 0
    for _ in range(20):
        levels = [rng.gauss(0.55, 0.12) for _ in range(n)]
        loose = [(str(level), level, level + rng.gauss(0, 0.06)) for level in levels]
        false += find_cluster(loose) is not None
        held = [(str(level), level, 0.12 + rng.gauss(0, 0.02)) for level in levels[: 2 * n // 5]]
        found += find_cluster(held + loose[2 * n // 5 :]) is not None
    assert (false, found) == (0, 20)


def test_a_benchmark_that_follows_the_others_has_no_cluster():
    """A plain diagonal, and one with noise."""
    assert (
        find_cluster([(str(level), level / 100, level / 120) for level in range(20, 90, 5)]) is None
    )
    assert check(table(*[
        (f"m{level}", None, {"a": level / 100, "b": level / 110, "drop": level / 130})
        for level in range(20, 90, 5)
    ])).verdict == "sound"  # fmt: skip


def test_every_kind_of_sign_is_found():
    """Examples that lower, a larger model that loses, runs that differ, zeros everywhere."""
    found = check(
        table(
            ("x-1b", 0, {"drop": 0.12, "coqa": 0.5}),
            ("x-1b", 5, {"drop": 0.03, "coqa": 0.6, "gsm": 0.0}),
            ("x-1b", 0, {"drop": 0.11, "coqa": 0.5}),
            ("x-7b", 5, {"drop": 0.01, "coqa": 0.7, "gsm": 0.0}),
            ("y-1b", 5, {"drop": 0.09, "coqa": 0.4, "gsm": 0.0}),
            ("z-1b", 5, {"drop": 0.02, "coqa": 0.3, "gsm": 0.0}),
        )
    )
    signs = {(sign[0], sign[1]) for sign in found.data["signs"]}
    assert ("examples lower the score", "x-1b on drop, 0 to 5 examples") in signs
    assert ("the larger model scores lower", "x-1b and x-7b on drop, 5 examples") in signs
    assert ("the same setting differs between runs", "x-1b (0-shot) on drop") in signs
    assert (
        "a weaker model scores twice as high",
        "x-7b (5-shot) and y-1b (5-shot) on drop",
    ) in signs
    assert ("zero for every model", "gsm, 5 examples: 4 of 4 models") in signs


def test_the_real_result_files(corpus):
    """lm-evaluation-harness' own tables: examples lower DROP, order inverts, gsm8k is broken."""
    paths = sorted((corpus / "data/harness_logs/lm_eval_v1").glob("*.json"))
    assert all(map(is_table, paths))
    problems = Problems()
    found = check(read_tables(paths, problems))
    assert not problems.defects.total
    signs = {(sign[0], sign[1]): sign[2:] for sign in found.data["signs"]}
    lowered = [one for what, one in signs if what == "examples lower the score" and "drop" in one]
    print(f"{len(paths)} files, {len(signs)} signs")
    assert len(lowered) == 8
    inverted = [one for what, one in signs if what == "the larger model scores lower"]
    assert inverted == [  # by 6.4 and 4.5 standard errors; no others by more than 2.8
        "bloom-1b1 and bloom-1b7 on drop, 0 examples",
        "llama-13B and llama-30B on drop, 5 examples",
    ]
    assert ("the same setting differs between runs", "llama-13B (0-shot) on drop") in signs
    weak, strong = signs[
        "a weaker model scores twice as high", "llama-30B (5-shot) and xglm-7.5B (5-shot) on drop"
    ]
    assert round(strong / weak, 1) == 5.4


def test_the_leaderboard_rows_show_the_stuck_branch(corpus, tmp_path):
    """Seventeen model cards: about seven models lie on the vertical branch."""
    text = (corpus / "research/drop.md").read_text("utf-8")
    text = text.split("\n4.3 ")[1].split("\n4.4 ")[0]
    number = r"(\d+(?:\.\d+)?)"
    rows = re.findall(rf"([\w./-]+) {number}/{number}/{number}/{number} -> {number}", text)
    path = tmp_path / "cards.csv"
    lines = ["model,ARC,HellaSwag,MMLU,TruthfulQA,DROP", *(",".join(row) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    found = check(read_tables([path], Problems()))
    print(f"{len(rows)} models: {found.headline}")
    assert len(rows) == 17
    assert found.verdict == "broken"
    assert "georgesung/llama2_7b_chat_uncensored" in found.data["cluster"]
    assert "ehartford/samantha-mistral-instruct-7b" not in found.data["cluster"]


def test_invalid_numbers_are_counted(tmp_path):
    """NaN in a table."""
    path = tmp_path / "scores.csv"
    path.write_text("model,shots,a,b\nx,0,nan,0.5\ny,0,0.4,0.5\n")
    problems = Problems()
    read_tables([path], problems)
    assert problems.defects.counts == {"nan-score": 1}
    with pytest.raises(InputError, match="--skip-bad"):
        problems.raise_unless_skipped(False)


def test_a_leaderboard_of_thousands_is_examined_quickly():
    """The clusters of 3,000 models were once sought among all their triples."""
    flat = [(f"m{place}", (place * 7 % 3000) / 3000, 0.05 + place / 1e6) for place in range(2000)]
    rising = [(f"n{place}", place / 1000, place / 1000) for place in range(1000)]
    found = find_cluster(flat + rising)
    assert found is not None
    assert {name for name, *_ in flat} <= set(found.names)


def test_equal_scores_share_their_rank():
    assert ranks([0.3, 0.1, 0.3, 0.2]) == [3.5, 1.0, 3.5, 2.0]


def test_a_sign_names_its_benchmark():
    """Not to one whose name is a part of another's, or of a model's."""
    rows = [
        (f"arc-{size}b", 0, {"arc": size / 100, "arc_c": 0.9 - size / 100, "b": size / 90})
        for size in range(1, 14)
    ]
    rows += [(f"x{place}", 0, {"arc": 0.05, "arc_c": place / 10, "b": place / 12})
             for place in range(9)]  # fmt: skip
    found = check(table(*rows), "arc")
    assert found.data["cluster"]
    first = [sign[1] for sign in found.data["signs"]]
    of_arc = [where for where in first if where.endswith((" on arc", " on arc, 0 examples"))]
    assert first[: len(of_arc)] == of_arc
    only_other = [
        (f"m{place}-{place + 1}b", 0, {"arc": place / 50, "arc_c": 0.5, "b": place / 40})
        for place in range(12)
    ]
    only_other += [(f"m0-{20 + place}b", 0, {"arc": 0.3 + place / 50, "arc_c": 0.1,
                    "b": 0.3 + place / 40}) for place in range(3)]  # fmt: skip
    assert check(table(*only_other), "arc").verdict == "doubtful"


def test_an_unknown_benchmark_is_rejected():
    rows = [(f"m{place}", None, {"a": place / 10, "b": place / 9}) for place in range(5)]
    with pytest.raises(UsageError, match="unknown benchmark 'c'"):
        check(table(*rows), "c")


def test_two_models_are_too_few():
    """Nothing can correlate: no verdict, unless something is odd."""
    rows = [("x", None, {"a": 0.1, "b": 0.2}), ("y", None, {"a": 0.2, "b": 0.3})]
    assert check(table(*rows)).verdict == "skipped"


def test_spreadsheet_numbers_are_read(tmp_path):
    """A byte order mark, and whole numbers with a point."""
    path = tmp_path / "scores.csv"
    path.write_bytes("model,shots,a,b\nx,5.0,0.1,0.2\n".encode("utf-8-sig"))
    assert is_table(path)
    (row,) = read_tables([path], Problems()).rows
    assert (row.model, row.shots, row.scores) == ("x", 5, {"a": 0.1, "b": 0.2})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("scores.csv", '"model","a","b"\n"x, y",10,20\n'),
        ("scores.csv", ',model,a,b\n0,"x, y",10,20\n'),
        ("scores.csv", "model;a;b\nx, y;10;20\n"),
        ("scores.tsv", "Model\ta\tb\nx, y\t10\t20\n"),
        ("SCORES.CSV", 'a,b,model\n10,20,"x, y"\n'),
    ],
)
def test_tables_of_several_programs_are_read(tmp_path, name, text):
    """Quoted headings, numbered rows, other separators, the model in any column."""
    path = tmp_path / name
    path.write_text(text)
    assert is_table(path)
    (row,) = read_tables([path], Problems()).rows
    assert (row.model, row.scores) == ("x, y", {"a": 0.1, "b": 0.2})


def test_a_table_without_a_model_column_is_rejected(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("model,shots,a\n")
    with pytest.raises(InputError, match="no row below the header"):
        read_tables([path], Problems())


def test_broken_tables_are_rejected_with_the_reason(tmp_path):
    """Neither a number of examples in words nor another encoding is our bug."""
    path = tmp_path / "scores.csv"
    path.write_text("model,shots,a\nx,five,0.1\ny,0,0.2\n")
    problems = Problems()
    assert [row.model for row in read_tables([path], problems).rows] == ["y"]
    assert problems.defects.counts == {"odd-shots": 1}
    path.write_bytes(b"model,a\nx\xe9,0.1\n")
    with pytest.raises(InputError, match=r"byte 9 is not valid UTF-8"):
        read_tables([path], Problems())
    path = tmp_path / "results.json"
    path.write_text('{"results": {"drop": 0.5, "coqa": null}}')
    assert read_tables([path], Problems()).rows[0].scores == {}


def test_results_of_newer_harnesses_have_a_model_name(tmp_path):
    """All are called ``results_DATE.json``; their names, words and counts are no scores."""
    found = {
        "results": {
            "drop": {"alias": "drop", "name": "drop", "sample_len": 14, "f1,none": 0.3,
                     "f1_stderr,none": "N/A"},
            "text": {"alias": "text", "sample_len": 9, "bleu,none": 0.2},
            "group": {"alias": "group"},
        },
        "n-shot": {"drop": 3, "text": 3}, "config": {"model_args": "pretrained=org/x-7b,a=1"},
    }  # fmt: skip
    path = tmp_path / "results_2026-01-01T00-00-00.json"
    path.write_text(json.dumps(found))
    problems = Problems()
    (row,) = read_tables([path], problems).rows
    assert (row.model, row.shots, row.size) == ("org/x-7b", 3, 7.0)
    assert row.scores == {"drop": 0.3, "text": 0.2}
    assert not problems.defects.total
    path.write_text(json.dumps({
        "config_general": {"model_name": "org/y-1b"},
        "results": {"drop|5": {"em": 0.1, "em_stderr": 0.01}, "all": {"em": 0.1}},
    }))  # fmt: skip
    (row,) = read_tables([path], problems).rows
    assert (row.model, row.shots, row.scores) == ("org/y-1b", 5, {"drop": 0.1})


def test_percentages_and_perplexities_are_distinguished(tmp_path):
    """SQuAD 2.0 of the harness is percent; of a perplexity less is better, and it has no end."""
    path = tmp_path / "results_2026-01-01T00-00-00.json"
    results = {
        "drop": {"em,none": 0.1, "f1,none": 0.2},
        "squadv2": {"exact,none": 40.5, "f1,none": 45.0, "HasAns_f1,none": 80.0},
        "wikitext": {"word_perplexity,none": 12.5, "bits_per_byte,none": 0.6},
        "cola": {"mcc,none": -0.02},
    }
    path.write_text(json.dumps({"results": results, "config": {}, "model_name": "m"}))
    (row,) = read_tables([path], Problems()).rows
    assert row.scores == {"drop": 0.2, "squadv2": 0.45, "cola": -0.02}
    results["squadv2"] |= {"exact,none": 0.0, "f1,none": 0.5}  # half a point in a hundred
    path.write_text(json.dumps({"results": results, "config": {}, "model_name": "m"}))
    (row,) = read_tables([path], Problems()).rows
    assert row.scores["squadv2"] == 0.005


def test_results_of_the_first_open_llm_leaderboard(tmp_path):
    """Its lighteval called a task by suite, name and number of examples."""
    path = tmp_path / "results_2023-11-01T00-00-00.json"
    path.write_text(json.dumps({
        "config_general": {"model_name": "org/x-7b"},
        "results": {
            "harness|arc:challenge|25": {"acc": 0.4, "acc_norm": 0.5},
            "harness|truthfulqa:mc|0": {"mc1": 0.2, "mc2": 0.3},
            "harness|drop|3": {"em": 0.01, "f1": 0.05, "f1_stderr": 0.001},
            "all": {"acc": 0.4},
        },
    }))  # fmt: skip
    (row,) = read_tables([path], Problems()).rows
    assert row.scores == {"arc:challenge": 0.5, "truthfulqa:mc": 0.3, "drop": 0.05}
    assert (row.model, row.shots) == ("org/x-7b", None)


def test_the_headline_counts_the_benchmarks_own_signs():
    """What is odd elsewhere is told apart."""
    rows = [
        (f"x-{size}b", shots, {"drop": size / 50, "gsm": 0.0, "coqa": size / 40 - shots / 50})
        for size in (1, 3, 7, 13)
        for shots in (0, 5)
    ]
    found = check(table(*rows))
    assert found.headline.startswith("drop: moves with the other benchmarks; ")
    assert "signs at other benchmarks" in found.headline
    assert "Pearson without the cluster" not in found.tables[0].headings


class Ten:
    """Ten runs of models, whose others' scores rise: they know ever more, and run on."""

    def __init__(self, folder):
        self.table = table(
            *((f"org/m{place}", None, {"a": place / 10, "b": place / 12}) for place in range(1, 11))
        )
        self.runs = []
        for place in range(1, 11):
            said = iter(["right"] * (place * 8 // 10) + ["wrong"] * 8)
            run = make_run(
                folder, f"m{place}",
                lambda gold, said=said: (gold if next(said) == "right" else "qqq") + "\n\nThe end",
            )  # fmt: skip
            self.runs.append(load_run(run))


def test_points_before_and_after_recutting_are_returned(tmp_path):
    """One stop for all ten: what was stuck rises with the others."""
    ten = Ten(tmp_path)
    found = check(ten.table, "", ten.runs)
    recut = found.data["recut"]
    assert recut["stop"] in ("\n", "\n\n")
    by_stop = {row["stop"]: row for row in recut["by_stop"]}
    assert by_stop["\n"]["pearson"] > 0.95 > (by_stop[None]["pearson"] or 0)
    assert len(recut["points"]) == 10
    for _, level, before, after in recut["points"]:
        assert after >= before and 0 < level < 1
    assert "changes Pearson's correlation with the other benchmarks from" in found.headline
    assert found.data["target"] == "drop"
    cut = {row[0]: row for one in found.tables if one.title == "Before and after"
           for row in one.rows}  # fmt: skip
    assert [list(row) for row in cut.values()] == recut["points"]
    afterwards = [after for *_, after in recut["points"]]
    assert afterwards == sorted(afterwards, reverse=True), "the ranking after the mend"


def test_every_run_is_scored_once_at_every_stop(tmp_path, monkeypatch):
    """Also as it was saved, whether or not the table has the benchmark."""
    ten = Ten(tmp_path)
    asked = []

    def counted(one, metric, stops):
        asked.extend((one.name, stop) for stop in stops)
        return score_at_stops(one, metric, stops)

    monkeypatch.setattr(recutting, "score_at_stops", counted)
    found = check(ten.table, "", ten.runs)
    assert found.data["recut"]["cut_at"] in ('"\\n"', '"\\n\\n"')
    assert len(asked) == len(set(asked)) == 10 * len(found.data["recut"]["by_stop"])


def test_without_a_better_stop_points_do_not_move_on_the_page():
    recut = {"stop": None, "cut_at": "as saved", "points": [["m", 0.4, 0.5, 0.5]]}
    drawn = scatter({"target": "drop", "recut": recut}, lambda text, **_: text)
    assert drawn.count("<title>") == 1
    assert "cut at" not in drawn and 'class="move"' not in drawn


def test_runs_of_unknown_models_are_not_points(tmp_path):
    """Fewer than three of the table's models: the finding says so, and correlates nothing."""
    ten = Ten(tmp_path)
    rows = [Row(model=f"x{place}", scores={"drop": place / 10, "b": place / 9})
            for place in range(5)]  # fmt: skip
    found = check(ScoreTable(rows), "", ten.runs)
    assert found.data["recut"] == {}
    assert any(note.startswith("0 of the runs") for note in found.notes)


def test_the_page_draws_every_point(tmp_path):
    """As many dots as the data have, each with its model's name, and hostile names escaped."""
    ten = Ten(tmp_path)
    hostile = Row(model="<b>&\"'", scores={"drop": 0.3, "a": 0.4})
    found = msgspec.to_builtins(check(ScoreTable([*ten.table.rows, hostile]), "", ten.runs))
    for language in ("en", "zh"):
        page = tmp_path / f"{language}.html"
        write_audit(["scores.csv"], [found], {}, page, language=language)
        text = page.read_text("utf-8")
        figure = text[text.index("<figure") : text.index("</figure>")]
        ElementTree.fromstring(figure + "</figure>")
        circles = [one for one in figure.split("<circle")[1:] if "<title>" in one]
        data = found["data"]
        moved = {point[0] for point in data["recut"]["points"]}
        alone = [point for point in data["points"] if point[0] not in moved]
        assert len(circles) == 2 * len(moved) + len(alone) == 21
        assert "<b>" not in figure
        assert ("cut at" in figure) is (language == "en")


def test_assumed_question_counts_are_noted():
    rows = [
        Row(model=f"m{place}", scores={"drop": 0.2, "arc": 0.0}, errors={"drop": 0.01})
        for place in range(4)
    ]
    assert check(ScoreTable(rows)).notes == ()
    bare = check(ScoreTable([*rows, Row(model="n", scores={"drop": 0.3})]), n_questions=300)
    assert bare.notes == (
        "scores without a standard error: 1 of 9, assumed to come from 300 questions each "
        "(--questions changes this number)",
    )


def test_a_repeated_row_counts_once(tmp_path):
    """In one table or in two; the same setting with another score is another row."""
    rows = [
        ("m-1B", 0, {"arc": 0.2, "drop": 0.10}), ("m-3B", 0, {"arc": 0.3, "drop": 0.05}),
        ("m-7B", 0, {"arc": 0.4, "drop": 0.20}), ("k-7B", 0, {"arc": 0.5, "drop": 0.30}),
    ]  # fmt: skip
    once = check(table(*rows))
    twice = check(table(*rows, *rows[:2], rows[0]))
    assert (twice.headline, twice.tables, twice.data) == (once.headline, once.tables, once.data)
    assumed = (
        "scores without a standard error: 8 of 8, assumed to come from 1,000 questions each "
        "(--questions changes this number)"
    )
    assert once.notes == (assumed,)
    told = "repeated rows with the same scores, counted once: m-1B (0-shot), m-3B (0-shot)"
    assert twice.notes == (told, assumed)
    other = check(table(*rows, ("m-1B", 0, {"arc": 0.2, "drop": 0.11})))
    assert "counted once" not in str(
        other.notes
    ) and "the same setting differs between runs" in str(other.data["signs"])
    findings = [msgspec.to_builtins(twice)]
    page = write_audit(("t.csv",), findings, {}, tmp_path / "a.html", language="zh")
    assert "重复且分数相同的行，只计一次：" in page.read_text("utf-8")
    assert "8 个中有 8 个，按各 1,000 题计" in page.read_text("utf-8")
