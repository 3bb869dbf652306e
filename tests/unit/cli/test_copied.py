"""Commands that a message names can be copied into a shell as they stand, whatever a path holds."""

import re
import shlex


def test_suggested_commands_quote_folders(closeread):
    """Blanks, quotes and variables; each command that is told is called as a shell splits it."""
    first, second = "my $first", "it's second"
    for out in (first, second):
        told = closeread("read", "exam/en", "--reader", "lexical", "--limit", 5, "--out", out)
        (score,) = re.findall("`closeread (.+)`", told.stderr)
        assert shlex.split(score) == ["score", out]
    unscored = closeread("compare", first, second, code=2).stderr
    (cure,) = re.findall("do: closeread (.+)", unscored)
    closeread(*shlex.split(cure))
    closeread(*shlex.split(score))
    assert closeread("compare", first, second).stdout.startswith("exam/en: 5 questions")


def test_a_folder_named_like_an_option_is_escaped(closeread):
    told = closeread("read", "exam/en", "--reader", "lexical", "--limit", 5, "--out", "./-run")
    (score,) = re.findall("`closeread (.+)`", told.stderr)
    assert closeread(*shlex.split(score)).stdout.startswith("exam/en: 5 questions")


def test_the_other_kind_of_recipe_is_named_with_its_command(closeread, tmp_path):
    (tmp_path / "for reading.toml").write_text('datasets = ["exam/en"]\n')
    (tmp_path / "for training.toml").write_text("[train]\n")
    for verb, other, recipe in (
        ("train", "run", "for reading.toml"),
        ("run", "train", "for training.toml"),
    ):
        told = closeread(verb, recipe, code=2).stderr
        (cure,) = re.findall("do: closeread (.+)", told)
        assert shlex.split(cure) == [other, recipe]
