"""A checkpoint that is read otherwise than it was trained: it is read, and it is told."""

import msgspec
import pytest
from click.testing import CliRunner

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")

from closeread.cli.ask import command as ask
from closeread.cli.read import command
from closeread.readers.training_match import DEFAULTS_BY_TRAINER, describe_mismatch
from closeread.readers.verifier import PAPER
from closeread.training.recipe import TrainedReader
from closeread.training.recipes.choice import ChooseOptions
from closeread.training.recipes.chunk import ChunkOptions
from closeread.training.recipes.cloze import ClozeOptions
from closeread.training.recipes.entailment import EntailOptions
from closeread.training.recipes.span import SpanOptions
from closeread.training.recipes.verifier import VerifierOptions
from neural.trained import train
from serving_process import serving

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]
RECORDS = {
    "span": SpanOptions,
    "cloze": ClozeOptions,
    "choice": ChooseOptions,
    "chunk": ChunkOptions,
    "entailment": EntailOptions,
    "verifier": VerifierOptions,
    "extract-integrate-compete": VerifierOptions,
}


@pytest.mark.parametrize("name", DEFAULTS_BY_TRAINER)
def test_what_a_recipe_leaves_out_is_what_its_trainer_takes(name):
    of = PAPER if name == "extract-integrate-compete" else {}
    taken = msgspec.structs.asdict(msgspec.convert({}, RECORDS[name])) | of
    assert DEFAULTS_BY_TRAINER[name].items() <= taken.items()


def read(tmp_path, model, data, *options):
    given = [part for one in (f"model={model}", *options) for part in ("-o", one)]
    call = [data, "--reader", "span", *given, "--limit", "2", "--overwrite"]
    done = CliRunner().invoke(command, [*call, "--out", str(tmp_path / "run")])
    assert done.exit_code == 0, done.output
    return done.stderr


def test_what_is_read_with_other_options_is_told(tmp_path, encoder, data):
    reader = TrainedReader(name="span", options={"max_length": 90, "stride": 16})
    model = tmp_path / "model"
    train(model, encoder, data, max_steps=1, reader=reader)
    told = read(tmp_path, model, data)
    assert (
        f"{model} was trained with max_length=90 and stride=16 but is read with max_length=96 and "
        "windows that share 32 tokens; use -o max_length=90 -o stride=16 to match its training\n"
    ) in told
    asked = ["Who?", "--text", "Ann ran.", "--reader", "span", "-o", f"model={model}"]
    assert "was trained with max_length=90" in CliRunner().invoke(ask, asked).stderr
    with serving("span", "-o", f"model={model}") as server:
        server.stop()
        assert "was trained with max_length=90" in server.process.communicate()[1]
    told = read(tmp_path, model, data, "max_length=90", "stride=8")
    assert "trained with stride=16 but is read with stride=8; use -o stride=16 to match" in told
    assert "was trained with" not in read(tmp_path, model, data, "max_length=90", "stride=16")
    (model / "closeread.json").unlink()  # as one that was trained elsewhere
    assert "was trained with" not in read(tmp_path, model, data)


def test_a_length_that_the_model_does_not_take_is_no_other(tmp_path, encoder, data):
    """It takes 96 tokens, whatever more was asked for, then and now."""
    model = tmp_path / "model"
    train(model, encoder, data, max_steps=1, reader=TrainedReader(name="span"))
    assert "was trained with" not in read(tmp_path, model, data, "max_length=200", "stride=128")


def test_another_retriever_is_told():
    last = {"reader": "verifier", "options": {"retriever": "bm25"}}
    record = {"max_length": 256, "lineage": {"stages": [{"reader": "entailment"}, last]}}
    options = {"model": "mine", "retriever": "cover", "max_length": 256}
    assert describe_mismatch(options, record) == (
        "mine was trained with retriever=bm25 but is read with retriever=cover; "
        "use -o retriever=bm25 to match its training"
    )
    assert not describe_mismatch(options | {"retriever": "bm25"}, record)


def test_a_model_that_was_trained_for_another_reader_is_told():
    """A verifier knows statements beside their evidence; by chunks it read what it never saw."""

    def told(trainer, reader):
        return describe_mismatch(
            {"model": "mine"}, {"lineage": {"stages": [{"reader": trainer}]}}, reader
        )

    assert told("verifier", "chunk") == (
        "mine was trained as verifier but is read by chunk; use --reader verifier to match its "
        "training"
    )
    assert "--reader chunk" in told("chunk", "verifier")
    assert "--reader choice" in told("choice", "chunk")
    assert "--reader extract-integrate-compete" in told("extract-integrate-compete", "chunk")
    for trainer, reader in (
        ("verifier", "extract-integrate-compete"), ("entailment", "verifier"), ("cloze", "span"),
        ("encoder", "chunk"), ("verifier", "mine:reader"), ("", "chunk"),
    ):  # fmt: skip
        assert not told(trainer, reader)
