"""``closeread compare`` of folders that hold a run a data set."""

import json
import re

from table_runs import write_tables


def test_readers_of_several_sets_are_compared_set_by_set(closeread):
    """A row for each set; what one of them did not read is told, and left out."""
    for reader in ("lexical", "first-sentence"):
        for name in ("en", "zh"):
            given = ("--limit", "12", "--out", f"{reader}/{name}")
            closeread("read", f"exam/{name}", "--reader", reader, *given)
    closeread("read", "exam/en", "--reader", "lexical", "--limit", "5", "--out", "lexical/five")
    for reader in ("lexical", "first-sentence"):
        closeread("score", reader, "--resamples", "200")
    given = ("compare", "lexical", "first-sentence", "--resamples", "200")
    table = closeread(*given).stdout
    assert table.startswith(
        "2 data sets: 24 questions; baseline lexical, compared first-sentence\n"
    )
    assert "no run of first-sentence" in table
    found = json.loads(closeread(*given, "--json").stdout)
    assert list(found) == ["level", "systems", "apart", "left_out", "sets", "macro_average"]
    assert [one["dataset"]["name"] for one in found["sets"]] == ["exam/en", "exam/zh"]
    for one in found["sets"]:
        assert one["comparisons"]
        assert f"{one['dataset']['name']} " in table
    assert found["macro_average"] == {}
    assert "±" not in table


def test_seeds_are_one_system_on_every_set(closeread):
    """Readers that draw differ by their seed alone: values with their deviation beside them."""
    readers = {"lexical": ("lexical",)}
    readers |= {f"random/{seed}": ("random-option", "--seed", seed) for seed in ("1", "2")}
    for folder, reader in readers.items():
        for limit in ("8", "12"):
            given = ("--limit", limit, "--out", f"{folder}/{limit}")
            closeread("read", "exam/zh", "--reader", *reader, *given)
        closeread("score", folder, "--metric", "choice", "--resamples", "200")
    given = ("compare", *readers, "--seeds", "--resamples", "200")
    table = closeread(*given).stdout
    assert "random: mean of 2 folders\n" in table
    assert "±: the standard deviation of a system's seeds." in table
    found = json.loads(closeread(*given, "--json").stdout)
    assert found["systems"] == {"lexical": ["lexical"], "random": ["random/1", "random/2"]}
    for each in found["sets"]:
        one = each["comparisons"][0]
        deviation = one["second_spread"]["deviation"]
        assert f" {100 * one['second_value']:.1f} ±{100 * deviation:.1f}" in table


def test_parts_of_one_set_are_separate_and_not_averaged(closeread):
    """Rows say which run they are of; a mean would count the questions that both have twice."""
    for reader in ("lexical", "first-sentence"):
        for name, limit in (("five", "5"), ("twelve", "12")):
            given = ("--limit", limit, "--out", f"{reader}/{name}")
            closeread("read", "exam/en", "--reader", reader, *given)
        closeread("score", reader, "--metric", "mrqa", "--resamples", "200")
    given = ("compare", "lexical", "first-sentence", "--metric", "mrqa.em", "--resamples", "200")
    table = closeread(*given).stdout
    assert [line.partition(")")[0] for line in table.splitlines()[4:6]] == [
        "exam/en (five",
        "exam/en (twelve",
    ]
    assert "macro-average" not in table
    one = closeread("compare", "lexical", "first-sentence/five", "--resamples", "200").stdout
    assert one.startswith("1 data set: 5 questions; baseline lexical, compared five\n")


def test_tables_for_papers_are_written_in_chinese_too(closeread, tmp_path):
    """The same numbers under Chinese headings; a terminal's table has no other language."""
    for call in write_tables(tmp_path, {"SQuAD": 12}, {"old": 4, "new": 12}):
        closeread(*call)
    given = ("compare", "old", "new", "--metric", "mrqa.f1", "--resamples", "200")
    closeread(*given, "--markdown", "en.md", "--latex", "en.tex")
    closeread(*given, "--markdown", "zh.md", "--latex", "zh.tex", "--lang", "zh")
    for form in ("md", "tex"):
        english, chinese = (
            (tmp_path / f"{language}.{form}").read_text("utf-8") for language in ("en", "zh")
        )
        numbers = re.findall(r"[+-]?\d+\.\d+", english)
        assert numbers and numbers == re.findall(r"[+-]?\d+\.\d+", chinese)
        assert "Difference" in english and "差值" in chinese and "Difference" not in chinese
    assert "--lang needs" in closeread(*given, "--lang", "zh", code=2).stderr


def test_tables_for_papers_are_those_of_the_terminal(closeread, tmp_path):
    """One table in three forms; long names have numbers where it would be too wide."""
    names = ["old", "new-and-with-a-name-that-is-longer-than-the-table-has-room-for", "other"]
    systems = dict(zip(names, (4, 12, 5), strict=True))
    for call in write_tables(tmp_path, {"SQuAD": 12, "NewsQA": 14}, systems):
        closeread(*call)
    given = ("compare", *names, "--metric", "mrqa.f1", "--resamples", "200")
    told = closeread(*given, "--markdown", "t.md", "--latex", "t.tex")
    assert told.stderr.splitlines()[-2:] == ["t.md", "t.tex"]
    lines = told.stdout.splitlines()
    assert max(map(len, lines)) <= 100
    assert lines[1:4] == [f"({n}) {name}" for n, name in enumerate(names, 1)]
    assert lines[6].split() == ["Data", "set", "(1)", "(2)", "(3)"]
    comparisons = [
        one
        for each in json.loads(closeread(*given, "--json").stdout)["sets"]
        for one in each["comparisons"]
    ]
    assert len(comparisons) == 4
    markdown, latex = ((tmp_path / name).read_text("utf-8") for name in ("t.md", "t.tex"))
    assert closeread(*given, "--markdown", "-").stdout == markdown
    assert f"| Data set | {' | '.join(names)} |" in markdown
    assert latex.count("\\begin{table}") == latex.count("\\end{table}") == 2
    for one in comparisons:
        shown = f"{100 * one['second_value']:.1f}" + "*" * one.get("sure", False)
        assert one.get("sure", False) == (one["p_holm"] < 0.05)
        assert any(shown in line.split() for line in lines)
        assert f"| {shown} ".replace("*", "\\*") in markdown
        assert f"& {shown} " in latex


def test_a_table_and_json_do_not_share_stdout(closeread):
    told = closeread("compare", "a", "b", "--latex", "-", "--json", code=2)
    assert "--json and a table cannot both go to stdout" in told.stderr
