"""Signs in tables of scores: what chance makes is none, what was planted is found."""

import json
import math

import numpy as np
import pytest

from closeread.audits.problems import Problems
from closeread.audits.shape.check import check
from closeread.audits.shape.score_tables import Row, ScoreTable, read_tables, standard_error
from closeread.audits.shape.signs import find_signs


def sized(rng, n, rise, *, lost=0.0, told=True, examples=(0, 5)):
    """Three families of four sizes on six benchmarks of n questions, in two settings.

    A score rises by ``rise`` from size to size; one model loses ``lost`` on DROP where it should
    be the best. Half of what makes a question hard is so for all models.
    """
    rows = []
    for family in "xyz":
        bases, hard = rng.uniform(0.2, 0.6, 6), rng.random((6, n))
        for shots in examples:
            for place, size in enumerate((1, 3, 7, 13)):
                shares = bases + rise * place
                shares[0] -= lost * (family == "x" and size == 13)
                own = np.where(rng.random((6, n)) < 0.5, hard, rng.random((6, n)))
                right = (own < shares[:, None]).mean(axis=1)
                names = ("drop", *"abcde")
                errors = dict(zip(names, np.sqrt(right * (1 - right) / n).tolist(), strict=True))
                scores = dict(zip(names, right.tolist(), strict=True))
                model = f"{family}-{size}b"
                rows.append(
                    Row(model=model, shots=shots, scores=scores, errors=errors if told else {})
                )
    return ScoreTable(rows)


@pytest.mark.parametrize(("n", "told"), [(200, True), (1000, True), (1000, False), (8000, False)])
def test_equally_good_models_have_no_signs(n, told):
    """Neither sizes nor examples: of 20 tables at most one, as by chance."""
    rng = np.random.default_rng(n)
    found = [find_signs(sized(rng, n, 0.0, told=told), "drop") for _ in range(20)]
    chance = ("the larger model scores lower", "examples lower the score")
    for what in chance:
        assert sum(any(sign.what == what for sign in of) for of in found) <= 1


def test_the_number_of_questions_can_be_given():
    """Of 300 chance moves them farther than of a thousand: 10 tables of equal models had signs."""
    rng = np.random.default_rng(300)
    tables = [sized(rng, 300, 0.0, told=False) for _ in range(10)]
    larger = "the larger model scores lower"
    taken = [[larger in str(find_signs(one, "drop", n)) for one in tables] for n in (1_000, 300)]
    assert sum(taken[0]) >= 8
    assert sum(taken[1]) <= 1


@pytest.mark.parametrize(
    ("n", "told", "lost"), [(8000, True, 0.05), (1000, True, 0.15), (1000, False, 0.15)]
)
def test_a_significantly_worse_larger_model_is_found(n, told, lost):
    """With standard errors sooner, without them as of a thousand questions."""
    rng = np.random.default_rng(n)
    hits = 0
    for _ in range(10):
        found = find_signs(sized(rng, n, 0.01, lost=lost + 0.03, told=told, examples=(5,)), "drop")
        signed = {(sign.what, sign.where) for sign in found}
        hits += ("the larger model scores lower", "x-7b and x-13b on drop, 5 examples") in signed
    assert hits == 10


def test_a_weak_model_is_not_twice_as_good_by_chance():
    """Of 300 questions four right ones and nine are no two scores; forty and ninety are."""

    def rows(weak, strong):
        return [
            Row(model=model, shots=0, scores={"drop": right / 300, "a": level, "b": level},
                errors={"drop": standard_error(right / 300, 300)})
            for model, right, level in (("m", weak, 0.7), ("n", strong, 0.4))
        ]  # fmt: skip

    assert find_signs(ScoreTable(rows(4, 9)), "drop") == []
    assert [one.what for one in find_signs(ScoreTable(rows(40, 90)), "drop")] == [
        "a weaker model scores twice as high"
    ]


def test_only_the_worst_overtaking_pairs_are_listed():
    """Half of 60 models stick at 4 %: there are hundreds of pairs."""
    rows = [
        Row(model=f"m{place}", scores={"drop": 0.04 if place % 2 else level / 2, "a": level})
        for place, level in enumerate(0.3 + number / 100 for number in range(60))
    ]
    found = check(ScoreTable(rows), "drop")
    assert "a weaker model scores twice as high (10 or more)" in found.headline
    few = check(ScoreTable(rows[:6]), "drop")
    assert "twice as high (" in few.headline and "or more" not in few.headline


def test_a_chat_model_has_another_family():
    """What stands behind the size counts: it is no smaller sister of the plain model."""
    chat, plain = (Row(model=f"org/x-{end}", scores={"b": 0.5}) for end in ("7b-chat", "13b"))
    assert chat.family != plain.family
    assert chat.family == Row(model="org/X-70B-chat", scores={}).family


@pytest.mark.parametrize("name", ["llama-7B", "llama_13B", "LLaMA 70b", "llama--7-b", "llama-1b3"])
def test_separators_do_not_change_a_family(name):
    """And a number that is no size is part of the name."""
    assert Row(model=name, scores={}).family == "llama"
    assert Row(model=f"{name}_Chat", scores={}).family == "llama-chat"
    assert Row(model=f"llama-2-{name}", scores={}).family == "llama-2-llama"


def test_standard_errors_are_read_with_the_scores(tmp_path):
    """A harness' own; else of its number of questions; of a spreadsheet a column of that name."""
    path = tmp_path / "results_2026-01-01T00-00-00.json"
    path.write_text(json.dumps({
        "model_name": "m", "config": {},
        "results": {
            "drop": {"f1,none": 0.2, "f1_stderr,none": 0.004},
            "squadv2": {"f1,none": 40.0, "f1_stderr,none": 1.5, "HasAns_f1,none": 60.0},
            "coqa": {"f1,none": 0.5, "f1_stderr,none": "N/A"},
            "quac": {"f1,none": 0.5, "f1_stderr,none": math.nan},
            "race": {"acc,none": 0.3},
        },
        "n-samples": {one: {"original": 400, "effective": 100} for one in ("coqa", "quac")},
    }))  # fmt: skip
    (row,) = read_tables([path], Problems()).rows
    assert row.scores == {"drop": 0.2, "squadv2": 0.4, "coqa": 0.5, "quac": 0.5, "race": 0.3}
    told = {"drop": 0.004, "squadv2": 0.015, "coqa": 0.05, "quac": 0.05}
    assert row.errors == pytest.approx(told)
    path = tmp_path / "scores.csv"
    path.write_text(
        "model,drop,drop_stderr,race,race_stderr\nx-7b,40,0.8,50,N/A\ny-7b,41,nan,52,1\n"
    )
    problems = Problems()
    one, other = read_tables([path], problems).rows
    assert (one.scores, one.errors) == ({"drop": 0.4, "race": 0.5}, {"drop": 0.008})
    assert (other.scores, other.errors) == ({"drop": 0.41, "race": 0.52}, {"race": 0.01})
    assert not problems.defects.counts


def test_columns_that_are_not_benchmarks_are_left_out(tmp_path):
    """An average holds the doubted score itself; likes and parameters are no level of a model."""
    bare = ["Model,ARC,MMLU,DROP"]
    whole = ["T,Model,Average ⬆️,ARC,MMLU,DROP,Type,#Params (B),Hub ❤️,Elo,drop_stderr"]
    for place in range(12):
        own = f"{30 + 3 * place},{28 + 3 * place},{5 + place % 2}"
        bare.append(f"m{place},{own}")
        mean = (58 + 6 * place + 5 + place % 2) / 3
        whole.append(
            f"🟢,m{place},{mean:.2f},{own},pretrained,{place}.2,{place * 90},1{place}00,0.2"
        )
    tables = []
    for name, lines in (("bare.csv", bare), ("whole.csv", whole)):
        (tmp_path / name).write_text("\n".join(lines) + "\n", "utf-8")
        problems = Problems()
        tables.append(read_tables([tmp_path / name], problems))
        assert not problems.defects.total
    assert [row.scores for row in tables[1].rows] == [row.scores for row in tables[0].rows]
    assert tables[1].left_out == ["T", "Average ⬆️", "Type", "#Params (B)", "Hub ❤️", "Elo"]
    found = check(tables[1], "drop")
    told = "skipped columns that are not benchmarks: T, Average ⬆️, Type, #Params (B)"
    assert any(note.startswith(told) for note in found.notes)


def test_left_out_columns_are_named_if_no_benchmark_is_left(tmp_path):
    """An average alone, and one number beyond 100 %: of three full rows nothing was left."""
    for name, text in (
        ("average", "model,average\na,0.5\nb,0.6\nc,0.7\n"),
        ("arc", "model,drop,arc\na,0.5,0.4\nb,0.6,120\nc,0.7,0.5\n"),
    ):
        path = tmp_path / f"{name}.csv"
        path.write_text(text, "utf-8")
        found = check(read_tables([path], Problems()))
        assert found.verdict == "skipped"
        assert found.notes == (f"skipped columns that are not benchmarks: {name}",)


@pytest.mark.parametrize("cells", [("nan", "nan"), ("N/A", "0.3"), ("0.2", "oops")])
def test_a_missing_score_is_counted_as_unusable(tmp_path, cells):
    (tmp_path / "s.csv").write_text("model,a,drop\n" + "".join(
        f"m{place},0.5,{cell}\n" for place, cell in enumerate(cells)
    ))  # fmt: skip
    problems = Problems()
    table = read_tables([tmp_path / "s.csv"], problems)
    assert problems.defects.counts["nan-score"] == sum(cell[0] != "0" for cell in cells)
    assert table.left_out == []


@pytest.mark.parametrize(
    ("names", "more", "expected"),
    [
        (
            {"mmlu": 0.5, "mmlu_stem": 0.4, "mmlu_anatomy": 0.3, "arc": 0.6},
            {"group_subtasks": {"mmlu": ["mmlu_stem"], "mmlu_stem": ["mmlu_anatomy"], "arc": []}},
            {"mmlu": 0.5, "arc": 0.6},
        ),
        (
            {"multimedqa": 0.5, "pubmedqa": 0.7, "medmcqa": 0.3, "mmlu": 0.5, "mmlu_anatomy": 0.4},
            {"group_subtasks": {"multimedqa": ["pubmedqa", "medmcqa"], "mmlu": ["mmlu_anatomy"]}},
            {"pubmedqa": 0.7, "medmcqa": 0.3, "mmlu": 0.5},
        ),
        (
            {"lh|mmlu:_average|5": 0.5, "lh|mmlu:anatomy|5": 0.3, "lh|arc:challenge|25": 0.6},
            {},
            {"mmlu": 0.5, "arc:challenge": 0.6},
        ),
        (
            {"harness|hendrycksTest-anatomy|5": 0.3, "harness|hendrycksTest-law|5": 0.5,
             "harness|arc:challenge|25": 0.6},
            {},
            {"hendrycksTest": 0.4, "arc:challenge": 0.6},
        ),
    ],
)  # fmt: skip
def test_a_benchmark_in_parts_counts_once(tmp_path, names, more, expected):
    """Of lm-evaluation-harness, lighteval, and the first Open LLM Leaderboard."""
    path = tmp_path / "results_2026-01-01T00-00-00.json"
    results = {name: {"acc": score, "acc_stderr": 0.03} for name, score in names.items()}
    path.write_text(json.dumps({"model_name": "m", "config": {}, "results": results} | more))
    (row,) = read_tables([path], Problems()).rows
    assert row.scores == pytest.approx(expected)
    assert row.errors.keys() == expected.keys()
    if "hendrycksTest" in expected:
        assert row.errors["hendrycksTest"] == pytest.approx(0.03 / math.sqrt(2))
