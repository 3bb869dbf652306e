"""Every recipe that ships can be run as it stands."""

import re
from typing import get_args

import pytest

from closeread.audits.checks import CHECKS
from closeread.downloads.sets import SETS
from closeread.errors import UsageError
from closeread.pipeline.recipe import (
    AuditSection,
    Check,
    ReaderSection,
    ReadSection,
    Recipe,
    ScoreSection,
    load_recipe,
)
from closeread.registry.lookup import find_entry
from project_paths import ROOT

RECIPES = sorted((ROOT / "recipes").glob("*.toml"))


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_recipes_load(path):
    """Its keys are known, its reader is in the catalog, and it takes the options."""
    from closeread.readers import make

    recipe = load_recipe(path)
    assert find_entry("reader", recipe.reader.name).target
    if find_entry("reader", recipe.reader.name).extra:
        return
    try:
        make(recipe.reader.name, recipe.reader.options)
    except UsageError as error:
        assert "# Needs " in path.read_text("utf-8"), error
        assert re.search("no (word vectors are given|model given)", str(error)), error


@pytest.mark.parametrize(
    "path", sorted((ROOT / "recipes").rglob("*.toml")), ids=lambda path: path.stem
)
def test_data_lie_where_get_puts_them(path):
    """A path that is not the corpus's is the one under which `closeread get` keeps the file."""
    kept = {
        f"data/{one.name}"
        for found in SETS.values()
        for file in found.files
        for one in (file, *file.members)
    }
    text = re.sub(r"^out = .*$", "", path.read_text("utf-8"), flags=re.MULTILINE)
    assert set(re.findall(r'"([^"$\n]*\.jsonl?(?:\.gz)?)"', text)) <= kept


def test_no_page_writes_where_a_recipe_does():
    """Who follows a page and then runs a recipe is not refused: a recipe's run is runs/NAME."""
    text = "".join(one.read_text("utf-8") for one in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
    of_pages = set(re.findall(r"--(?:out|save) runs/([\w.-]+)", text))
    assert len(of_pages) > 10
    assert not of_pages & {path.stem for path in RECIPES}


def test_there_is_a_quickstart():
    """`make demo` runs it."""
    assert (ROOT / "recipes" / "quickstart.toml") in RECIPES


def test_the_page_on_recipes_tells_every_key(tmp_path):
    """And its example is a recipe."""
    page = (ROOT / "docs" / "recipes.md").read_text("utf-8")
    example = tmp_path / "example.toml"
    example.write_text(page.partition("```toml\n")[2].partition("```")[0], "utf-8")
    assert load_recipe(example).audit.checks == ("shortcuts", "leakage")
    told = set(re.findall(r"`([\w.]+)`", " ".join(re.findall(r"^\| (.+?) \|", page, re.MULTILINE))))
    of_tables = {"reader": ReaderSection, "read": ReadSection, "score": ScoreSection}
    of_tables["audit"] = AuditSection
    keys = {f"{name}.{key}" for name, one in of_tables.items() for key in one.__struct_fields__}
    assert told == keys | set(Recipe.__struct_fields__) - set(of_tables)


def test_a_recipe_may_ask_for_every_check_that_a_run_alone_allows():
    """Not for those that need a table of scores, another harness's log, or a change to plan for."""
    assert set(get_args(Check)) == set(CHECKS) - {"shape", "recorded", "replan"}
    page = (ROOT / "docs" / "recipes.md").read_text("utf-8")
    (row,) = re.findall(r"^\| `audit\.checks` \| (.*) \|", page, re.MULTILINE)
    assert re.findall(r"`(\w+)`", row) == list(get_args(Check))
