"""``closeread attack`` as a user types it, and what becomes of the new set."""

import json
import os
from pathlib import Path

import pytest

import closeread as library
from closeread.types import Dataset, Question
from command_line import closeread

# A strategy of statements of this test's own, so that no rule that ships decides what it sees.
STRATEGY = """
from word_strategy import propose_edits
from closeread.attacks.statements import StatementStrategy

def words(around):
    return StatementStrategy("words", {"zh": propose_edits}, around)
"""
ROWS = [
    {
        "id": f"{number}",
        "passage": "有些鸟会飞。有些鱼会跳。有些树会老。有些花会谢。" + "风来了。" * number,
        "question": "下列说法不正确的一项是",
        "options": ["有些鸟会飞。", "有些鱼会跳。", "所有树会老。", "有些花会谢。"],
        "answer": "C",
    }
    for number in range(6)
]


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with six verification questions and a strategy that can change them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    Path("words_for_test.py").write_text(STRATEGY, "utf-8")
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
    Path("own.jsonl").write_text(text, "utf-8")
    return tmp_path


WORDS = "words_for_test:words"


def ids_and_roles(dataset: Dataset) -> list[tuple[str, str | None]]:
    return [(one.question_id, one.role) for _, questions in dataset for one in questions]


def test_triples_record_all_changes(own: Path) -> None:
    assert closeread("attack", "own.jsonl", "--strategy", WORDS, "--out", "h.jsonl") == 0
    made = library.load("h.jsonl")
    assert ids_and_roles(made)[:3] == [
        ("0#original", "original"), ("0#positive", "positive"), ("0#negative", "negative"),
    ]  # fmt: skip
    assert len(ids_and_roles(made)) == 18
    ((_, (original, positive, negative)), *_) = made
    assert {one.text for one in negative.options} - {one.text for one in positive.options}
    tags = [option.tags for option in negative.options if option.tags["truth"] == "opposite"]
    assert {(one["was"], one["now"], one["strategy"]) for one in tags} == {
        ("有些", "所有", "words")
    }
    assert original.options == library.load("own.jsonl").__iter__().__next__()[1][0].options
    assert made.metadata["attack"]["strategies"] == [WORDS]
    assert made.metadata["attack"]["sha256"] == library.load("own.jsonl").sha256


def test_the_new_set_is_read_scored_and_verified(own: Path, capsys: pytest.CaptureFixture) -> None:
    closeread("attack", "own.jsonl", "--strategy", WORDS, "--out", "h.jsonl")
    assert closeread("read", "h.jsonl", "--reader", "longest-option", "--out", "run") == 0
    capsys.readouterr()
    assert closeread("score", "run", "--by", "role", "--by", "strategy", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert {"choice.accuracy", "gcrc.acc2", "gcrc.acc2~strict"} <= set(found["metrics"])
    assert set(found["breakdowns"]["role"]) == {"original", "positive", "negative"}
    assert set(found["breakdowns"]["strategy"]) == {"words"}
    assert closeread("score", "run", "--metric", "attack", "--metric", "gcrc", "--json") == 0
    both = json.loads(capsys.readouterr().out)["metrics"]
    assert both["attack.accuracy"]["value"] == both["gcrc.acc2"]["value"]
    assert both["attack.original"]["value"] == both["gcrc.acc0"]["value"]
    assert closeread("verify", "run") == 0


def test_json_counts_variants_and_skipped_originals(
    own: Path, capsys: pytest.CaptureFixture
) -> None:
    row = json.dumps(ROWS[0] | {"id": "x", "question": "下列说法正确且表述准确的一项是"})
    with Path("own.jsonl").open("a", encoding="utf-8") as stream:
        stream.write(row + "\n")
    command = ("attack", "own.jsonl", "--strategy", WORDS, "--out", "h.jsonl", "--json")
    closeread(*command)
    report = json.loads(capsys.readouterr().out)
    assert report["variants"] == {"positive": 7, "negative": 6}
    closeread(*command, "--role", "positive", "--role", "negative")
    report = json.loads(capsys.readouterr().out)
    assert report["questions"] == 7
    assert report["groups"] == 6
    assert report["variants"] == {"positive": 6, "negative": 6}
    assert report["left_out"] == {"the stem cannot be turned around": 1}
    assert report["changes"]["words"]["opposite"] == 12
    assert report["target_format"] == "jsonl"
    assert (report["grouped"], report["asked"], report["failed"]) == (True, 0, 0)


def test_triples_can_be_written_in_the_evaluations_form(own: Path) -> None:
    row = json.dumps(ROWS[0] | {"id": "x", "question": "下列说法正确且表述准确的一项是"})
    with Path("own.jsonl").open("a", encoding="utf-8") as stream:
        stream.write(row + "\n")  # of which no triple can be made
    options = ("--out", "h.json", "--to", "gcrc-advrobust")
    assert closeread("attack", "own.jsonl", "--strategy", WORDS, *options) == 0
    made = library.load("h.json")
    assert made.format == "gcrc-advrobust"
    assert len(ids_and_roles(made)) == 18
    first = json.loads(Path("h.json").read_text("utf-8"))["data"][0]
    assert first["negative_question"] == "下列说法正确的一项是"
    letters = {first["answer"], first["positive_answer"], first["negative_answer"]}
    assert len(letters) == 3


def test_csv_holds_triples_and_reports_lost_fields(own: Path, capsys) -> None:
    for name in ("h.csv", "h.jsonl"):
        assert closeread("attack", "own.jsonl", "--strategy", WORDS, "--out", name) == 0
    assert "not stored in the target format: option tags: 12\n" in capsys.readouterr().err
    table, lines = (library.load(name) for name in ("h.csv", "h.jsonl"))
    assert ids_and_roles(table) == ids_and_roles(lines)
    for one, other in zip(table.questions(), lines.questions(), strict=True):
        assert one.answers == other.answers
        assert one.asks_for == other.asks_for
        assert [option.text for option in one.options] == [option.text for option in other.options]


def test_the_same_seed_writes_the_same_file(own: Path) -> None:
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        closeread("attack", "own.jsonl", "--strategy", WORDS, "--out", f"{name}.jsonl",
                  "--seed", seed)  # fmt: skip
    first, again, other = (Path(f"{name}.jsonl").read_bytes() for name in "abc")
    assert first == again != other


def test_limit_and_role_restrict_the_variants(own: Path) -> None:
    closeread("attack", "own.jsonl", "--strategy", WORDS, "--out", "h.jsonl", "--limit", 2,
              "--role", "negative", "--keep-order")  # fmt: skip
    made = library.load("h.jsonl")
    assert ids_and_roles(made) == [
        ("0#original", "original"), ("0#negative", "negative"),
        ("1#original", "original"), ("1#negative", "negative"),
    ]  # fmt: skip
    ((_, (_, negative)), *_) = made
    assert [one.tags["origin"] for one in negative.options] == list("ABCD")


def test_a_targeted_reader_scores_below_chance(own: Path, capsys: pytest.CaptureFixture) -> None:
    """``majority`` says A: of forty draws there is one in which nothing right is called so."""
    closeread("attack", "own.jsonl", "--strategy", WORDS, "--out", "h.jsonl",
              "--against", "majority", "-o", "label=A", "--tries", 40)  # fmt: skip
    made = library.load("h.jsonl")
    assert made.metadata["attack"]["against"] == {
        "reader": "majority", "options": {"label": "A"}, "tries": 40,
    }  # fmt: skip
    variants = [one for _, questions in made for one in questions if one.role != "original"]
    assert not any(one.answers[0].label == "A" for one in variants)


def test_options_of_any_set_can_be_shuffled(tmp_path: Path) -> None:
    target = tmp_path / "dealt.jsonl"
    assert closeread("attack", "exam/zh", "--deal", "--out", target) == 0
    made = library.load(target)
    assert made.name == "exam/zh-order"
    assert made.license == "Apache-2.0"
    pairs: dict[str, list[Question]] = {}
    for _, questions in made:
        for one in questions:
            pairs.setdefault(one.group_id, []).append(one)
    assert len(pairs) == 36
    for original, variant in pairs.values():
        assert original.answers[0].label != variant.answers[0].label
        assert original.answers[0].texts == variant.answers[0].texts


def test_attack_works_from_python(own: Path) -> None:
    made = library.attack("own.jsonl", WORDS, "h.jsonl", against="majority", tries=3, limit=1)
    assert (made.questions, made.groups, made.variants) == (1, 1, {"positive": 1, "negative": 1})
    in_memory = list(library.load("own.jsonl"))
    assert library.attack(in_memory, [WORDS], "m.jsonl").groups == 6
    with pytest.raises(library.CloseReadError, match="at least 2 draws"):
        library.attack("own.jsonl", WORDS, "h.jsonl", against="majority", tries=1)


FAILING = """
from closeread.types import Prediction

class Reader:
    def __init__(self, some):
        self._some = some

    def read(self, items):
        for number, (_, question) in enumerate(items):
            error = "gone" if number or not self._some else ""
            yield Prediction(question_id=question.question_id, error=error)

def always():
    return Reader(False)

def mostly():
    return Reader(True)
"""


def test_failures_of_the_target_are_reported(own: Path, capsys: pytest.CaptureFixture) -> None:
    Path("failing_for_test.py").write_text(FAILING, "utf-8")
    arguments = ("attack", "own.jsonl", "--strategy", WORDS, "--out", "h.jsonl", "--against")
    assert closeread(*arguments, "failing_for_test:always") == 2
    assert "failed on all of" in capsys.readouterr().err
    assert not Path("h.jsonl").exists()
    assert closeread(*arguments, "failing_for_test:mostly") == 0
    assert "these count as wrong" in capsys.readouterr().err
    assert closeread(*arguments, "failing_for_test:mostly", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert 0 < told["failed"] < told["asked"]


def test_an_unwritable_target_is_rejected_before_the_reader_loads(
    own: Path, capsys: pytest.CaptureFixture
) -> None:
    Path("slow_for_test.py").write_text("def slow():\n    raise AssertionError('loaded')", "utf-8")
    for arguments in (
        ("--strategy", WORDS, "--out", "slow_for_test.py/h.jsonl"),
        ("--strategy", "keywords", "--out", "h.jsonl"),
        ("--strategy", WORDS, "--out", "h.what"),
        ("--out", "h.jsonl"),
    ):
        assert closeread("attack", "own.jsonl", "--against", "slow_for_test:slow", *arguments) == 2
    with pytest.raises(library.CloseReadError, match="in the place of a folder"):
        library.attack("own.jsonl", WORDS, "own.jsonl/h.jsonl", against="slow_for_test:slow")
    capsys.readouterr()


def test_a_format_that_cannot_hold_variants_is_rejected_early(
    own: Path, capsys: pytest.CaptureFixture
) -> None:
    """Even where the first questions cannot be made harder."""
    Path("slow_for_test.py").write_text("def slow():\n    raise AssertionError('loaded')", "utf-8")
    odd = [row | {"id": f"odd-{row['id']}", "options": [*"甲乙丙丁"]} for row in ROWS]
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in [*odd, *ROWS])
    Path("odd.jsonl").write_text(text, "utf-8")
    arguments = ("--strategy", WORDS, "--out", "h.squad.json", "--against", "slow_for_test:slow")
    assert closeread("attack", "odd.jsonl", *arguments) == 2
    assert "cannot hold options" in capsys.readouterr().err
    with pytest.raises(library.CloseReadError, match="cannot hold options"):
        library.attack("odd.jsonl", WORDS, "h.squad.json", against="slow_for_test:slow")
    assert not Path("h.squad.json").exists()


def test_csv_holds_questions_with_typing_errors(own: Path) -> None:
    row = {
        "id": "n", "passage": "Two ships crossed the frozen harbour.",
        "question": "Which harbour was crossed?", "answer": ["the frozen harbour"],
    }  # fmt: skip
    Path("spans.jsonl").write_text(json.dumps(row), "utf-8")
    assert closeread("attack", "spans.jsonl", "--strategy", "typo", "--out", "h.csv") == 0
    assert [role for _, role in ids_and_roles(library.load("h.csv"))] == ["original", "positive"]


def test_the_source_is_not_overwritten(own: Path, capsys: pytest.CaptureFixture) -> None:
    before = Path("own.jsonl").read_bytes()
    Path("link.jsonl").symlink_to("own.jsonl")
    for target in ("own.jsonl", "link.jsonl"):
        assert closeread("attack", "own.jsonl", "--strategy", WORDS, "--out", target) == 2
        assert "overwrite the data set" in capsys.readouterr().err
    assert Path("own.jsonl").read_bytes() == before


def test_a_jsonl_target_is_in_closereads_own_format(
    own: Path, capsys: pytest.CaptureFixture
) -> None:
    """``gcrc_harder.jsonl`` names a format, too, which would lose roles and what was changed."""
    assert closeread("attack", "own.jsonl", "--strategy", WORDS, "--out", "gcrc_harder.jsonl") == 0
    assert library.load("gcrc_harder.jsonl").format == "jsonl"
    assert "score RUN --by role" in capsys.readouterr().err


def test_a_format_without_groups_is_reported(own: Path, capsys: pytest.CaptureFixture) -> None:
    options = ("--out", "h.json", "--to", "gcrc")
    assert closeread("attack", "own.jsonl", "--strategy", WORDS, *options) == 0
    told = capsys.readouterr().err
    assert "the format gcrc cannot store groups" in told
    assert "score RUN --by role" not in told
    spans = ("attack", "exam/en", "--strategy", "typo", "--out", "h.json", "--to", "mrqa", "--json")
    assert closeread(*spans) == 0
    assert json.loads(capsys.readouterr().out)["grouped"] is False


def test_a_form_without_groups_holds_each_passage_once(own: Path) -> None:
    """Intervals over passages would count one that comes again as another."""
    towns = ("Orle", "Vamm", "Teld")
    rows = [
        {
            "id": f"{town}-{number}", "passage_id": town,
            "passage": f"The bridge of {town} was opened in 18{place}4. Its mill had {place + 2} "
            f"wheels in 19{place}1. Many ships stopped at the harbour of {town} every summer.",
            "question": question, "answer": [answer], "kind": "discrete",
        }
        for place, town in enumerate(towns)
        for number, (question, answer) in enumerate((
            (f"In which year was the bridge of {town} opened?", f"18{place}4"),
            (f"When did the mill of {town} have so and so many wheels?", f"19{place}1"),
        ))
    ]  # fmt: skip
    Path("towns.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    options = ("--strategy", "distractor", "--strategy", "typo", "--out", "h.drop.json")
    assert closeread("attack", "towns.jsonl", *options) == 0
    made = list(library.load("h.drop.json"))
    unchanged = [passage.passage_id for passage, _ in made if "#" not in passage.passage_id]
    assert unchanged == list(towns)
    assert len(made) > len(towns)
    asked = [one.question_id for _, questions in made for one in questions]
    assert sorted(asked) == sorted(set(asked))
    assert len(asked) == 2 * len(rows)


def test_defects_are_counted(own: Path, capsys: pytest.CaptureFixture) -> None:
    with Path("own.jsonl").open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(ROWS[0], ensure_ascii=False) + "\n")
    assert closeread("attack", "own.jsonl", "--strategy", WORDS, "--out", "h.jsonl") == 0
    told = capsys.readouterr().err
    assert "defects kept: duplicate-id: 1" in told
    assert "skipped: a question before it has the same id: 1" in told
    assert len(ids_and_roles(library.load("h.jsonl"))) == 18


def test_a_pipe_receives_only_the_data_set(own: Path) -> None:
    import subprocess
    import sys

    paths = os.pathsep.join(sys.path)
    made = subprocess.run(
        [sys.executable, "-m", "closeread", "attack", "own.jsonl", "--strategy", WORDS,
         "--to", "jsonl", "--out", "/dev/stdout"],
        capture_output=True, check=True, env={**os.environ, "PYTHONPATH": paths},
    )  # fmt: skip
    assert all(json.loads(line) for line in made.stdout.splitlines())
    assert b"words: truth kept" in made.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--out", "h.jsonl"], "no strategy given"),
        (["--strategy", "nope", "--out", "h.jsonl"], "there is no strategy named 'nope'"),
        (["--strategy", "keywords", "--out", "h.jsonl"], "perhaps keyword"),
        (["--strategy", WORDS, "--out", "h.what"], "does not say a format"),
        (["--strategy", WORDS, "--out", "h.json", "--to", "squad"], "cannot hold options"),
        (["--strategy", WORDS, "--out", "h.jsonl", "-o", "x=1"], "--against"),
        (["--strategy", WORDS, "--out", "h.jsonl", "--tries", "3"], "--tries needs --against"),
        (["--strategy", WORDS, "--out", "h.jsonl", "--against", "lexikal"], "perhaps lexical"),
        (["--strategy", "no_such_module:x", "--out", "h.jsonl"], "cannot be imported"),
    ],
)
def test_invalid_requests_give_one_message_and_no_file(
    own: Path, capsys: pytest.CaptureFixture, arguments: list[str], told: str
) -> None:
    before = set(own.iterdir())
    assert closeread("attack", "own.jsonl", *arguments) == 2
    out, err = capsys.readouterr()
    assert told in err
    assert out == ""
    assert {one for one in own.iterdir() if one.name != "__pycache__"} == before


def test_a_set_without_a_fitting_strategy_is_an_error(
    own: Path, capsys: pytest.CaptureFixture
) -> None:
    assert closeread("attack", "exam/en", "--strategy", WORDS, "--out", "h.jsonl") == 2
    told = capsys.readouterr().err
    assert "no question could be changed" in told
    assert "nothing can be changed: 75" in told
    assert not Path("h.jsonl").exists()


def test_a_broken_set_leaves_no_file(own: Path) -> None:
    with Path("own.jsonl").open("a", encoding="utf-8") as stream:
        stream.write("{broken\n")
    assert closeread("attack", "own.jsonl", "--strategy", WORDS, "--out", "h.jsonl") == 2
    assert not Path("h.jsonl").exists()
    assert not [one for one in own.iterdir() if one.suffix == ".part"]
