"""What the pages tell of a recipe's keys is what trainers take."""

import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")

import msgspec

from closeread.training.recipes.encoder import EncoderOptions, PretrainSettings
from closeread.training.recipes.settings import NeuralSettings
from closeread.training.recipes.verifier import CompeteSettings
from option_tables import documented_defaults, matches_default

pytestmark = pytest.mark.neural


@pytest.mark.parametrize(
    ("page", "header", "kind", "elsewhere"),
    [
        # What `[train.options]` holds is the task's.
        ("training", "| key of `[train]` | default | meaning |", NeuralSettings, {"options"}),
        ("choice", "| key of `[reader.options]` | default | |", EncoderOptions, set()),
        (
            "choice",
            "| key of `[train]` | default | |",
            PretrainSettings,
            {
                "datasets", "max_steps", "accumulation", "max_gradient_norm", "precision",
                "save_every", "seed", "device", "track", "made_by",
            },
        ),
        ("verifier", "| key | default | meaning |", CompeteSettings, set()),
    ],
)  # fmt: skip
def test_tables_of_keys_tell_the_defaults(page, header, kind, elsewhere):
    """Every key stands in its table, or is told elsewhere, with the default that it has."""
    told = documented_defaults(f"docs/{page}.md", header)
    fields = {one.name: one for one in msgspec.structs.fields(kind)}
    assert fields.keys() - elsewhere == told.keys()
    for name, cell in told.items():
        assert not cell or matches_default(fields[name].default, cell), name
