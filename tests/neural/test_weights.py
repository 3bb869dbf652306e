"""A run is not gone on with when its model's weights were changed under the same name."""

import sys
from pathlib import Path

import msgspec
import pytest

torch = pytest.importorskip("torch", reason="needs the extra `neural`: make neural")
pytest.importorskip("transformers", reason="needs the extra `neural`: make neural")
pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]

sys.path.insert(0, str(Path(__file__).parent))

import huggingface_hub.constants  # noqa: E402
import transformers  # noqa: E402
from tiny import make_model  # noqa: E402
from tiny_bert import make_encoder  # noqa: E402

from closeread.api.datasets import open_dataset  # noqa: E402
from closeread.downloads.fetch import digests  # noqa: E402
from closeread.errors import MismatchError  # noqa: E402
from closeread.readers import make  # noqa: E402
from closeread.readers.lineage import RECORD, Learned, Lineage, Stage  # noqa: E402
from closeread.readers.models.weights import weights_sha256  # noqa: E402
from closeread.runs.predict import Job, predict  # noqa: E402
from closeread.runs.records import describe_reader  # noqa: E402
from closeread.runs.store import INFO, write_document  # noqa: E402

HEADS = {
    "span": "AutoModelForQuestionAnswering",
    "choice": "AutoModelForMultipleChoice",
    "verifier": "AutoModelForSequenceClassification",
    "chunk": "AutoModelForSequenceClassification",
    "local": "AutoModelForCausalLM",
}
OPTIONS = {"verifier": {"retriever": "cover"}, "local": {"max_tokens": 2}}


def model_for(reader: str, folder: Path) -> str:
    """Write a random model that the reader can open."""
    if reader == "local":
        return make_model(folder)
    labels = ("refuted", "supported") if reader in ("verifier", "chunk") else None
    make_encoder(folder, ["The ferry left Marl at six ."], labels=labels)
    kind = getattr(transformers, HEADS[reader])
    kind.from_pretrained(folder).save_pretrained(folder)
    return str(folder)


def change(reader: str, folder: str) -> None:
    """Put weights of another making in the place of those that are there."""
    model = getattr(transformers, HEADS[reader]).from_pretrained(folder)
    with torch.no_grad():
        next(model.parameters()).add_(1.0)
    model.save_pretrained(folder)


def trained_on_something(folder: Path) -> None:
    """Put beside a model what `closeread train` writes of where it comes from."""
    learned = Learned(name="set", sha256="0" * 64, n_items=1)
    lineage = Lineage(n_parameters=1, stages=(Stage(reader="span", learned_from=(learned,)),))
    (folder / RECORD).write_bytes(msgspec.json.encode({"lineage": lineage}))


def job(reader: str, model: str, limit: int = 2) -> Job:
    made, options = make(reader, {"model": model} | OPTIONS.get(reader, {}))
    told = describe_reader(reader, options, made)
    return Job(dataset=open_dataset("exam/en"), reader=made, reader_info=told, limit=limit)


@pytest.mark.parametrize("reader", HEADS)
def test_other_weights_do_not_go_on_with_a_run(reader, tmp_path):
    model = model_for(reader, tmp_path / "model")
    if reader != "local":
        trained_on_something(Path(model))
    run = predict(job(reader, model), tmp_path / "run")
    wanted = digests(Path(model, "model.safetensors"))[1]
    assert run.info.reader.record["weights_sha256"] == wanted
    predict(job(reader, model), tmp_path / "run", resume=True)
    change(reader, model)
    with pytest.raises(MismatchError, match="weights_sha256"):
        predict(job(reader, model), tmp_path / "run", resume=True)


def test_another_tokenizer_does_not_go_on_with_a_run(tmp_path):
    """The same weights read other words."""
    model = model_for("choice", tmp_path / "model")
    predict(job("choice", model), tmp_path / "run")
    predict(job("choice", model), tmp_path / "run", resume=True)
    settings = Path(model, "tokenizer_config.json")
    found = msgspec.json.decode(settings.read_bytes())
    settings.write_bytes(msgspec.json.encode(found | {"do_lower_case": False}))
    with pytest.raises(MismatchError, match="settings_sha256"):
        predict(job("choice", model), tmp_path / "run", resume=True)


def test_other_weights_of_what_finds_evidence_do_not_go_on_with_a_run(tmp_path):
    """A verifier judges what its retriever shows it: another encoder there is another run."""
    model, finder = (model_for("verifier", tmp_path / name) for name in ("model", "finder"))

    def asked():
        made, options = make("verifier", {"model": model, "retriever": "cover"})
        made.options["evidence_model"] = finder
        told = describe_reader("verifier", options | made.options, made)
        return Job(dataset=open_dataset("exam/en"), reader=made, reader_info=told, limit=2)

    run = predict(asked(), tmp_path / "run")
    wanted = digests(Path(finder, "model.safetensors"))[1]
    assert run.info.reader.record["evidence_weights_sha256"] == wanted
    predict(asked(), tmp_path / "run", resume=True)
    change("verifier", finder)
    with pytest.raises(MismatchError, match="evidence_weights_sha256"):
        predict(asked(), tmp_path / "run", resume=True)


def test_a_run_of_before_goes_on(tmp_path):
    """Runs that were begun when the hash was not recorded yet are finished as they were."""
    model = model_for("choice", tmp_path / "model")
    run = predict(job("choice", model), tmp_path / "run")
    record = {**run.info.reader.record}
    del record["weights_sha256"], record["settings_sha256"]
    before = msgspec.structs.replace(
        run.info, reader=msgspec.structs.replace(run.info.reader, record=record), complete=False
    )
    write_document(tmp_path / "run" / INFO, before)
    again = predict(job("choice", model), tmp_path / "run", resume=True)
    assert again.info.complete
    assert again.info.predictions_sha256 == run.info.predictions_sha256


def test_a_hub_name_has_the_hash_of_its_copy_here(tmp_path, monkeypatch):
    """The snapshot that the name stands for, not an older one beside it."""
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    folder = tmp_path / "models--someone--small"
    for commit in ("old", "new"):
        model_for("choice", folder / "snapshots" / commit)
    change("choice", str(folder / "snapshots" / "new"))
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text("new")
    wanted = digests(folder / "snapshots" / "new" / "model.safetensors")[1]
    assert weights_sha256("someone/small") == wanted
    assert weights_sha256("someone/absent") == ""
