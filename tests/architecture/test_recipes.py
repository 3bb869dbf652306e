"""Every recipe that ships can be run as it stands."""

import pytest

from closeread.catalog import entry
from closeread.pipeline.recipe import load_recipe
from conftest import ROOT

RECIPES = sorted((ROOT / "recipes").glob("*.toml"))


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_recipes_load(path):
    """Its keys are known, its reader is in the catalog, and it takes the options."""
    from closeread.readers import make

    recipe = load_recipe(path)
    assert entry("reader", recipe.reader.name).target
    if not entry("reader", recipe.reader.name).extra:
        make(recipe.reader.name, recipe.reader.options)


def test_there_is_a_quickstart():
    """`make demo` runs it."""
    assert (ROOT / "recipes" / "quickstart.toml") in RECIPES
