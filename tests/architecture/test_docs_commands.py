"""Every command that a page or a recipe shows could be typed as it stands."""

import re
import shlex
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path

import click
import pytest

from closeread import catalog
from closeread.cli import COMMANDS
from closeread.errors import MissingExtraError
from closeread.registry import lookup
from project_paths import ROOT

PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "src").rglob("*.md"),
        *(ROOT / "recipes").rglob("*.toml"),
    ]
)
# Indented, behind a prompt, or indented in a recipe's comment.
_SHOWN = re.compile(r"^(?:    |\$ |#     )(closeread .*)$", re.MULTILINE)
_INLINE = re.compile(r"`(closeread \w[^`]*)`")
_PROGRAM = re.compile(r"python -m (benchmarks\.[\w.]+)")
_PART = re.compile(r"python -m benchmarks (\w+)")
_BENCHES = ROOT / "benchmarks" / "__main__.py"
_PLACEHOLDER = "RECIPE.toml"


def _shown(page: Path) -> list[str]:
    text = page.read_text("utf-8").replace("\\\n", " ")
    return [re.split(r"\s#\s", found)[0].rstrip(" &") for found in _SHOWN.findall(text)]


def _parsed(command: str) -> tuple[str, dict[str, object]]:
    """The verb, and what click makes of its arguments; where it refuses them the test fails."""
    _, verb, *arguments = shlex.split(command)
    assert verb in COMMANDS, command
    try:
        made = import_module(f"closeread.cli.{verb}").command.make_context(verb, arguments)
    except click.UsageError as error:
        pytest.fail(f"{command}: {error.format_message()}")
    return verb, made.params


def _check_options(command: str, reader: str, given: list[str]) -> None:
    """The reader is known, and its factory takes each option."""
    if reader.startswith(catalog.ADDRESS):
        reader = "http"
    if ":" in reader or reader.isupper():  # a factory of the user's, or a name to be filled in
        return
    try:
        parameters = signature(lookup.resolve("reader", reader)).parameters
    except MissingExtraError:
        return
    if any(one.kind is Parameter.VAR_KEYWORD for one in parameters.values()):
        return  # what it passes on is the retriever's
    assert set(given) <= set(parameters), command


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_shown_commands_parse(page):
    """Verbs, options, arguments, readers, their options and recipes are there."""
    for command in _shown(page):
        verb, found = _parsed(command)
        if verb in {"read", "serve"} and found.get("reader"):
            pairs = re.findall(r"(?<!\S)-o (\w+)=", command)
            _check_options(command, str(found["reader"]), pairs)
        for recipe in re.findall(r"\S+\.toml", command):
            assert recipe == _PLACEHOLDER or (ROOT / recipe).exists(), command


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_in_sentences_name_verbs(page):
    """What a sentence sets as a command begins with a verb that there is."""
    text = re.sub(r"\n#? ?", " ", page.read_text("utf-8"))
    for command in _INLINE.findall(text):
        assert command.split()[1] in COMMANDS, command


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_shown_measurements_are_there(page):
    """Each program that a page measures by, whole or one part of ``make bench``."""
    text = page.read_text("utf-8")
    for name in _PROGRAM.findall(text):
        assert (ROOT / name.replace(".", "/")).with_suffix(".py").is_file(), name
    parts = set(re.findall(r'^    "(\w+)": \1,$', _BENCHES.read_text("utf-8"), re.MULTILINE))
    assert parts >= set(_PART.findall(text))


def test_a_wrong_command_is_found():
    """The check fails where an option, a verb or an argument is wrong."""
    for wrong in ("closeread read exam/zh --reeder lexical --out R", "closeread score --metrik m"):
        with pytest.raises(pytest.fail.Exception):
            _parsed(wrong)
    with pytest.raises(AssertionError):
        _check_options("", "lexical", ["sharpnes"])


def test_there_are_commands():
    """The pattern still finds what pages show."""
    assert sum(len(_shown(page)) for page in PAGES) > 100
    texts = [page.read_text("utf-8") for page in PAGES]
    assert all(any(map(one.search, texts)) for one in (_PROGRAM, _PART))
