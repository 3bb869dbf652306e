"""Recipes of both kinds are read by one reader of TOML files."""

import pytest

from closeread.errors import InputError
from closeread.pipeline.recipe import load_recipe as reading
from closeread.training.recipe import load_recipe as training


@pytest.mark.parametrize("load", [reading, training])
@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("name = 'caf\u00e9'".encode("latin-1"), "not UTF-8 text"),
        (b"name = ", "not TOML: "),
        (b"x = " + b"[" * 100_000, "not TOML: "),
        (b"x = " + b"9" * 5000, "not TOML: "),
        (None, "cannot be read: "),
    ],
)
def test_invalid_toml_is_an_error_with_its_place(tmp_path, load, written, told):
    """One message names the file, what is wrong and what to do, whoever reads it."""
    path = tmp_path / "recipe.toml"
    if written is not None:
        path.write_bytes(written)
    with pytest.raises(InputError, match=r"recipe\.toml") as caught:
        load(path)
    assert caught.value.found.startswith(told)
    assert caught.value.cure
