"""``closeread attack`` as a user types it, and what becomes of the new set."""

import json
from pathlib import Path

import pytest

import closeread as library
from closeread.types import Dataset, Question
from verbs import closeread

# A strategy of statements of this test's own, so that no rule that ships decides what it sees.
STRATEGY = """
from rewording import turns
from closeread.attacks.statements import StatementStrategy

def words(around):
    return StatementStrategy("words", {"zh": turns}, around)
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


def roles(dataset: Dataset) -> list[tuple[str, str | None]]:
    return [(one.question_id, one.role) for _, questions in dataset for one in questions]


def test_triples_are_written_with_all_that_was_changed(own: Path) -> None:
    assert closeread("attack", "own.jsonl", "--strategy", WORDS, "--out", "h.jsonl") == 0
    made = library.load("h.jsonl")
    assert roles(made)[:3] == [
        ("0#original", "original"), ("0#positive", "positive"), ("0#negative", "negative"),
    ]  # fmt: skip
    assert len(roles(made)) == 18
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


def test_json_counts_what_was_made_and_left_out(own: Path, capsys: pytest.CaptureFixture) -> None:
    row = json.dumps(ROWS[0] | {"id": "x", "question": "下列说法正确且表述准确的一项是"})
    with Path("own.jsonl").open("a", encoding="utf-8") as stream:
        stream.write(row + "\n")
    closeread("attack", "own.jsonl", "--strategy", WORDS, "--out", "h.jsonl", "--json")
    report = json.loads(capsys.readouterr().out)
    assert report["questions"] == 7
    assert report["groups"] == 6
    assert report["variants"] == {"positive": 6, "negative": 6}
    assert report["left_out"] == {"the stem cannot be turned around": 1}
    assert report["changes"]["words"]["opposite"] == 12
    assert report["target_format"] == "jsonl"


def test_the_evaluations_own_form_can_be_asked_for(own: Path) -> None:
    options = ("--out", "h.json", "--to", "gcrc-advrobust")
    assert closeread("attack", "own.jsonl", "--strategy", WORDS, *options) == 0
    made = library.load("h.json")
    assert made.format == "gcrc-advrobust"
    assert len(roles(made)) == 18
    first = json.loads(Path("h.json").read_text("utf-8"))["data"][0]
    assert first["negative_question"] == "下列说法正确的一项是"
    letters = {first["answer"], first["positive_answer"], first["negative_answer"]}
    assert len(letters) == 3


def test_the_same_seed_writes_the_same_file(own: Path) -> None:
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        closeread("attack", "own.jsonl", "--strategy", WORDS, "--out", f"{name}.jsonl",
                  "--seed", seed)  # fmt: skip
    first, again, other = (Path(f"{name}.jsonl").read_bytes() for name in "abc")
    assert first == again != other


def test_a_limit_and_one_role(own: Path) -> None:
    closeread("attack", "own.jsonl", "--strategy", WORDS, "--out", "h.jsonl", "--limit", 2,
              "--role", "negative", "--keep-order")  # fmt: skip
    made = library.load("h.jsonl")
    assert roles(made) == [
        ("0#original", "original"), ("0#negative", "negative"),
        ("1#original", "original"), ("1#negative", "negative"),
    ]  # fmt: skip
    ((_, (_, negative)), *_) = made
    assert [one.tags["origin"] for one in negative.options] == list("ABCD")


def test_against_a_reader_it_does_worse_than_by_chance(
    own: Path, capsys: pytest.CaptureFixture
) -> None:
    """``majority`` says A: of forty draws there is one in which nothing right is called so."""
    closeread("attack", "own.jsonl", "--strategy", WORDS, "--out", "h.jsonl",
              "--against", "majority", "-o", "label=A", "--tries", 40)  # fmt: skip
    made = library.load("h.jsonl")
    assert made.metadata["attack"]["against"] == {
        "reader": "majority", "options": {"label": "A"}, "tries": 40,
    }  # fmt: skip
    variants = [one for _, questions in made for one in questions if one.role != "original"]
    assert not any(one.answers[0].label == "A" for one in variants)


def test_options_are_dealt_of_any_set(tmp_path: Path) -> None:
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


def test_from_python(own: Path) -> None:
    made = library.attack("own.jsonl", WORDS, "h.jsonl", against="majority", tries=3, limit=1)
    assert (made.questions, made.groups, made.variants) == (1, 1, {"positive": 1, "negative": 1})
    in_memory = list(library.load("own.jsonl"))
    assert library.attack(in_memory, [WORDS], "m.jsonl").groups == 6
    with pytest.raises(library.CloseReadError, match="at least 2 draws"):
        library.attack("own.jsonl", WORDS, "h.jsonl", against="majority", tries=1)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--out", "h.jsonl"], "no strategy is named"),
        (["--strategy", "keywords", "--out", "h.jsonl"], "perhaps keyword"),
        (["--strategy", WORDS, "--out", "h.what"], "says no format"),
        (["--strategy", WORDS, "--out", "h.json", "--to", "squad"], "no place for options"),
        (["--strategy", WORDS, "--out", "no/such/h.jsonl"], "no/such"),
        (["--strategy", WORDS, "--out", "h.jsonl", "-o", "x=1"], "--against"),
        (["--strategy", WORDS, "--out", "h.jsonl", "--against", "lexikal"], "perhaps lexical"),
        (["--strategy", "no_such_module:x", "--out", "h.jsonl"], "cannot be imported"),
    ],
)
def test_what_makes_no_sense_is_one_message_and_no_file(
    own: Path, capsys: pytest.CaptureFixture, arguments: list[str], told: str
) -> None:
    before = set(own.iterdir())
    assert closeread("attack", "own.jsonl", *arguments) == 2
    out, err = capsys.readouterr()
    assert told in err
    assert out == ""
    assert {one for one in own.iterdir() if one.name != "__pycache__"} == before


def test_a_set_that_no_strategy_is_for_is_told_so(own: Path, capsys: pytest.CaptureFixture) -> None:
    assert closeread("attack", "exam/en", "--strategy", WORDS, "--out", "h.jsonl") == 2
    told = capsys.readouterr().err
    assert "no question was made harder" in told
    assert "nothing can be changed: 75" in told
    assert not Path("h.jsonl").exists()


def test_a_broken_set_leaves_no_file(own: Path) -> None:
    with Path("own.jsonl").open("a", encoding="utf-8") as stream:
        stream.write("{broken\n")
    assert closeread("attack", "own.jsonl", "--strategy", WORDS, "--out", "h.jsonl") == 2
    assert not Path("h.jsonl").exists()
    assert not [one for one in own.iterdir() if one.suffix == ".part"]
