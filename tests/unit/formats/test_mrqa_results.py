"""The shared task's result files as tables, and the published baselines."""

import json
from pathlib import Path

import pytest

from closeread.errors import InputError
from closeread.formats.mrqa_results import BASELINES, IN_DOMAIN, OUT_OF_DOMAIN, read_results


def board(*entries: tuple[str, dict]) -> dict:
    return {
        "leaderboard": [
            {"submission": {"description": name, "user_name": "u"}, "scores": scores}
            for name, scores in entries
        ]
    }


def write_board(folder: Path, value: object) -> Path:
    path = folder / "results.json"
    path.write_text(json.dumps(value))
    return path


def test_a_leaderboard_becomes_a_table(tmp_path):
    """Pairs of scores become results; a failed submission has none."""
    path = write_board(
        tmp_path,
        board(
            (" One ", {"A.x_em": 10.0, "A.x_f1": 20.5, "B_em": 30, "B_f1": 40}),
            ("Two", {"B_em": None, "B_f1": None, "A.x_em": None, "A.x_f1": None}),
        ),
    )
    table = read_results(path)
    assert table.datasets == ("A.x", "B")
    assert [(model.name, model.team) for model in table.models] == [("One", "u"), ("Two", "u")]
    assert table.models[0].results["A.x"].f1_percent == 20.5
    assert table.models[0].macro_average.em_percent == 20.0
    assert table.models[1].macro_average.f1_percent is None


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, "leaderboard"),
        ({"leaderboard": []}, "empty"),
        (board(("One", {"A_em": 1.0})), "one value for A"),
        (board(("One", {"A_em": 1.0, "A_f2": 1.0})), "A_f2"),
        (board(("One", {"A_em": 1.0, "A_f1": 101.0})), "101"),
        (board(("One", {"A_em": "1", "A_f1": 1.0})), "expected: a number or null"),
        (board(("One", {"A_em": 1, "A_f1": 1}), ("Two", {"B_em": 1, "B_f1": 1})), "A, B"),
        (["x"], "expected: an object"),
    ],
)
def test_malformed_leaderboards_are_errors(tmp_path, value, message):
    """What is no leaderboard is refused, with the place."""
    path = write_board(tmp_path, value)
    with pytest.raises(InputError) as caught:
        read_results(path)
    assert str(path) in str(caught.value)
    assert message in str(caught.value)


def test_the_published_result_files_are_read(corpus: Path):
    """Every number of the three files arrives, 18 submissions in each."""
    compared = 0
    for name, sets in (("in-domain-dev", 6), ("ood-dev", 6), ("ood-test", 12)):
        path = corpus / f"data/mrqa/results/{name}-results.json"
        table = read_results(path)
        raw = json.loads(path.read_bytes())["leaderboard"]
        assert (len(table.models), len(table.datasets)) == (18, sets)
        for model, entry in zip(table.models, raw, strict=True):
            assert model.name == entry["submission"]["description"].strip()
            for dataset, result in model.results.items():
                assert result.em_percent == entry["scores"][f"{dataset}_em"]
                assert result.f1_percent == entry["scores"][f"{dataset}_f1"]
                compared += 2
    assert compared == 18 * (6 + 6 + 12) * 2
    print(f"{compared} published numbers equal")


def test_the_baselines_are_close_to_the_organisers_submissions(corpus: Path):
    """Each lies within six points of the same system's leaderboard entry: no row is exchanged."""
    for part, sets in (("in-domain-dev", IN_DOMAIN), ("ood-dev", OUT_OF_DOMAIN)):
        board = read_results(corpus / f"data/mrqa/results/{part}-results.json")
        for size in ("Base", "Large"):
            published = next(m for m in BASELINES.models if m.name.endswith(size))
            submitted = next(
                m
                for m in board.models
                if m.name == f"BERT {size.lower()} baseline (MRQA Organizers)"
            )
            for name in sets:
                entry = submitted.results[{"DuoRC": "DuoRC.ParaphraseRC"}.get(name, name)]
                for field in ("em_percent", "f1_percent"):
                    gap = getattr(published.results[name], field) - getattr(entry, field)
                    assert abs(gap) < 6, (size, name, field, gap)


def test_the_baselines_are_complete():
    """Twelve data sets, two models, F1 never below exact match."""
    assert BASELINES.datasets == IN_DOMAIN + OUT_OF_DOMAIN
    assert len(BASELINES.datasets) == 12
    for model in BASELINES.models:
        assert tuple(model.results) == BASELINES.datasets
        assert all(r.em_percent <= r.f1_percent for r in model.results.values())
