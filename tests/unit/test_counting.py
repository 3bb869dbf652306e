"""One of a thing is not told as several."""

import pytest

from closeread.cli import main
from closeread.counting import count_of


@pytest.mark.parametrize(
    ("count", "told"), [(0, "0 passages"), (1, "1 passage"), (2431, "2,431 passages")]
)
def test_a_count_agrees_with_what_is_counted(count, told):
    assert count_of(count, "passage") == told


def test_what_is_said_of_them_agrees_too():
    assert count_of(1, "id comes", "ids come") == "1 id comes"
    assert count_of(2, "id comes", "ids come") == "2 ids come"


def test_the_verbs_tell_of_one_question(tmp_path, monkeypatch, capsys):
    """As a first try has it: `--limit 1`."""
    monkeypatch.chdir(tmp_path)
    for verb in (
        ["read", "exam/en", "--reader", "lexical", "--limit", "1", "--out", "run"],
        ["score", "run", "--no-intervals"],
        ["read", "exam/en", "--reader", "lexical", "--limit", "1", "--out", "again"],
        ["score", "again", "--no-intervals"],
        ["compare", "run", "again", "--resamples", "100"],
        ["convert", "exam/en", "one.jsonl", "--limit", "1"],
        ["evidence", "exam/zh", "--limit", "1", "--no-intervals"],
    ):
        with pytest.raises(SystemExit):
            main(verb)
        found = capsys.readouterr()
        told = found.out + found.err
        assert "1 question" in told
        assert not any(f"1 {several}" in told for several in ("questions", "passages", "options"))
