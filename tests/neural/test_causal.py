"""What a causal model says of itself."""

import shutil
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")
pytest.importorskip("transformers", reason="needs the extra `neural`: make neural")
pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]

sys.path.insert(0, str(Path(__file__).parent))

from tiny import make_model  # noqa: E402

from closeread.readers.neural.causal import CausalModel  # noqa: E402


def test_the_same_model_elsewhere_is_the_same(tmp_path):
    """The hash of its configuration tells other models apart, not other folders."""
    here = make_model(tmp_path / "here")
    there = shutil.copytree(here, tmp_path / "there")
    other = make_model(tmp_path / "other", positions=512)
    same, moved, another = (
        CausalModel.open(str(folder), "cpu", "auto").model_record for folder in (here, there, other)
    )
    assert same == moved
    assert same["config_sha256"] != another["config_sha256"]
