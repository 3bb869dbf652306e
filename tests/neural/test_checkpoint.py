"""Opening a checkpoint: what is broken is said, and what is odd is opened all the same."""

import json
import os
import pickle
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")
pytest.importorskip("transformers", reason="needs the extra `neural`: make neural")

from closeread.errors import InputError, UsageError
from closeread.readers import make
from closeread.readers.neural.checkpoint_opening import open_checkpoint
from closeread.types import Passage, Question
from neural.encoders import TEXTS, make_encoder

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return make_encoder(tmp_path_factory.mktemp("bert"))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("model.safetensors", lambda raw: raw[: len(raw) // 2]),
        ("model.safetensors", lambda _: b""),
        ("config.json", lambda _: b"[]"),
        ("config.json", lambda raw: raw[: len(raw) // 2]),
        ("config.json", lambda raw: raw.replace(b'_heads": 2', b'_heads": 3')),
        ("tokenizer.json", lambda _: b'{"version": "1.0"}'),
        (
            "tokenizer_config.json",
            lambda raw: raw.replace(b'length": 512', b'length": "x"'),
        ),
    ],
)
def test_a_broken_file_is_one_message(tmp_path, model, name, change):
    folder = Path(shutil.copytree(model, tmp_path / "broken"))
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(change(whole))
    assert (folder / name).read_bytes() != whole
    with pytest.raises(InputError, match=r"broken: the model cannot be opened: \S"):
        make("span", {"model": str(folder)})


def test_a_folder_whose_training_is_not_finished_is_told_as_that(tmp_path):
    (tmp_path / "training.json").write_text("{}")
    with pytest.raises(InputError, match="its training is not finished") as told:
        make("span", {"model": str(tmp_path)})
    assert "--resume" in told.value.cure


def test_a_file_that_may_not_be_read_is_told(tmp_path, model):
    folder = Path(shutil.copytree(model, tmp_path / "closed"))
    (folder / "config.json").chmod(0)
    if os.access(folder / "config.json", os.R_OK):
        pytest.skip("this user may read every file")
    with pytest.raises(InputError, match=r"cannot be opened: .*[Pp]ermission"):
        make("span", {"model": str(folder)})


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
def test_a_pointer_of_git_lfs_is_told(tmp_path, model, name):
    """What is there where a model was cloned without it; no file was cut short."""
    folder = Path(shutil.copytree(model, tmp_path / "cloned"))
    oid = "sha256:" + 64 * "0"
    (folder / name).write_text(f"version https://git-lfs.github.com/spec/v1\noid {oid}\nsize 9\n")
    with pytest.raises(InputError, match=f"{name} is a Git LFS pointer") as told:
        make("span", {"model": str(folder)})
    assert told.value.cure == "run `git lfs pull` in the folder"


def test_a_model_of_a_kind_that_is_not_known_is_not_called_cut_short(tmp_path, model):
    """One with code of its own, which is never run, and one for which there is no such head."""
    folder = Path(shutil.copytree(model, tmp_path / "own"))
    config = json.loads((folder / "config.json").read_text())
    ran = tmp_path / "ran"
    (folder / "own.py").write_text(f"open({str(ran)!r}, 'w')\n")
    named = {"AutoConfig": "own.OwnConfig", "AutoModelForQuestionAnswering": "own.Own"}
    own = config | {"model_type": "own", "auto_map": named}
    for changed, found in (
        (own, "it needs its own code, which closeread never runs"),
        (config | {"model_type": "layoutlm"}, "transformers has no QuestionAnswering head for"),
    ):
        (folder / "config.json").write_text(json.dumps(changed))
        with pytest.raises(InputError, match=f"cannot be opened: {found}") as told:
            make("span", {"model": str(folder)})
        assert told.value.cure == "use a model of another architecture"
    assert not ran.exists()


@pytest.mark.parametrize("pickled", [True, False])
def test_a_pickle_that_would_run_code_is_told_as_that(tmp_path, model, pickled):
    """Not by the library's advice to read it nevertheless; an index may name such a file, too."""
    folder = Path(shutil.copytree(model, tmp_path / "evil"))
    ran = tmp_path / "ran"

    class Evil:
        def __reduce__(self):
            return Path.touch, (ran,)

    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps({"weight": Evil()}, protocol=2))
    if not pickled:
        index = {"metadata": {}, "weight_map": {"weight": "pytorch_model.bin"}}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(InputError, match="hold more than tensors and could run code"):
        make("span", {"model": str(folder), "pickled": pickled})
    assert not ran.exists()


def test_a_setting_of_another_type_is_told_whole(tmp_path, model):
    folder = Path(shutil.copytree(model, tmp_path / "odd"))
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"hidden_size": "wide"}))
    with pytest.raises(InputError, match=r"'hidden_size': .*expected int"):
        make("span", {"model": str(folder)})


def test_a_model_without_a_layer_is_read(tmp_path):
    model = make_encoder(tmp_path / "flat", num_hidden_layers=0)
    reader, _ = make("span", {"model": model})
    question = Question(question_id="q", passage_id="p", text="Who?", kind="span")
    passage = Passage(passage_id="p", text="The ferry left Marl at six.")
    assert [one.error for one in reader.read([(passage, question)])] == [""]


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_a_file_is_no_model(model, name):
    given = str(Path(model) / name)
    with pytest.raises(InputError, match="this is a file") as told:
        make("span", {"model": given})
    assert told.value.cure == f"give its folder: {model}"


@pytest.mark.parametrize(
    ("head", "reader", "named"),
    [("choice", "verifier", "choice"), ("choice", "chunk", "choice"), ("pair", "choice", "chunk")],
)
def test_a_model_of_another_head_is_told_by_its_kind(tmp_path, head, reader, named):
    with pytest.raises(InputError, match="whose head has another shape") as told:
        make(reader, {"model": make_encoder(tmp_path / "other", head)})
    assert "it is a Bert" in told.value.found
    assert told.value.cure.endswith(named)


@pytest.mark.parametrize("kind", ["bert", "roberta"])
@pytest.mark.parametrize(
    ("head", "reader", "named"),
    [("choice", "verifier", "choice"), ("choice", "chunk", "choice"), ("pair", "choice", "chunk")],
)
def test_one_number_is_read_as_what_it_was_trained_for(tmp_path, kind, head, reader, named):
    """Heads of options and of pairs have one shape then; what they say is not the same."""
    model = make_encoder(tmp_path / "one", head, kind=kind, num_labels=1)
    with pytest.raises(
        InputError, match=f"no {'choice' if head == 'pair' else 'pair'} head: it is"
    ):
        make(reader, {"model": model})
    with pytest.raises(InputError) as told:
        make(reader, {"model": model})
    assert told.value.cure.endswith(named)
    assert make(named, {"model": model})


def test_a_training_begins_with_no_encoder_of_random_weights(tmp_path):
    """Weights of another model under the configuration of this one: none of them is found."""
    from safetensors.torch import load_file, save_file

    folder = Path(make_encoder(tmp_path / "other", "none"))
    weights = load_file(folder / "model.safetensors")
    renamed = {f"foreign.{name}": one for name, one in weights.items()}
    for head in ("span", "choice", "pair"):
        assert open_checkpoint(str(folder), head, new_head=True)
    save_file(renamed, folder / "model.safetensors", metadata={"format": "pt"})
    for head in ("span", "choice", "pair"):
        with pytest.raises(InputError, match=r"tensors of its encoder, .*: bert\.embeddings"):
            open_checkpoint(str(folder), head, new_head=True)


@pytest.mark.parametrize("n_classes", [1, 3])
def test_a_span_reader_begins_from_a_model_of_any_number_of_classes(tmp_path, n_classes):
    """As one of natural language inference; for a span there is a beginning and an end."""
    names = {f"LABEL_{place}": place for place in range(n_classes)}
    classes = {"id2label": {place: name for name, place in names.items()}, "label2id": names}
    folder = make_encoder(tmp_path / "pair", "pair", **classes)
    checkpoint = open_checkpoint(folder, "span", new_head=True)
    checkpoint.save(tmp_path / "span")
    item = (
        Passage(passage_id="p", text="The ferry left Marl."),
        Question(question_id="q", passage_id="p", text="What left?", kind="span"),
    )
    (found,) = make("span", {"model": str(tmp_path / "span")})[0].read([item])
    assert found.answer.kind == "span"


def test_weights_of_other_shapes_than_the_configuration_tells(tmp_path, model):
    folder = Path(shutil.copytree(model, tmp_path / "shapes"))
    settings = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(settings | {"intermediate_size": 48}))
    with pytest.raises(InputError, match=r"shapes that config\.json gives"):
        make("span", {"model": str(folder)})


def test_a_folder_of_something_else(tmp_path):
    with pytest.raises(InputError, match=r"the folder has no config\.json"):
        make("span", {"model": str(tmp_path)})


@pytest.mark.parametrize("head", ["span", "choice", "pair"])
def test_too_short_sequences_name_the_model_and_the_cure(tmp_path, model, head):
    reader = {"pair": "verifier"}.get(head, head)
    other = make_encoder(tmp_path / "m", head)
    with pytest.raises(UsageError, match="max_length=9") as told:
        make(reader, {"model": other, "max_length": 9})
    assert told.value.where == other
    assert told.value.cure.startswith("give max_length=")
    short = make_encoder(tmp_path / "short", head, positions=9)
    with pytest.raises(UsageError, match="the model's maximum") as told:
        make(reader, {"model": short})
    assert told.value.cure == "use a model of longer sequences"


def test_a_model_that_would_answer_with_tuples_answers_all_the_same(tmp_path, model):
    folder = Path(shutil.copytree(model, tmp_path / "tuples"))
    settings = json.loads((folder / "config.json").read_text())
    settings["return_dict"] = False
    (folder / "config.json").write_text(json.dumps(settings))
    question = Question(question_id="q", passage_id="p", text="How many sheep?", kind="span")
    item = (Passage(passage_id="p", text=TEXTS["en"][0]), question)
    wanted, found = (make("span", {"model": one})[0].read([item]) for one in (model, str(folder)))
    assert [*found] == [*wanted]


@pytest.mark.parametrize("device", ["nowhere", "cuda:99"])
def test_a_device_that_is_not_there_is_one_message(model, device):
    with pytest.raises(UsageError, match=f"device={device}: "):
        make("span", {"model": model, "device": device})


def test_half_a_surrogate_pair_is_a_character_like_others(model):
    """No tokenizer takes it; it must not end the run, nor move what stands behind it."""
    reader, _ = make("span", {"model": model, "n_best": 20})
    text = "The \ud83d ferry left \udc00 Marl."
    question = Question(question_id="q", passage_id="p", text="Who \ud83d left?", kind="span")
    (one,) = reader.read([(Passage(passage_id="p", text=text), question)])
    for candidate in one.candidates:
        (span,) = candidate.answer.spans
        assert candidate.answer.texts == (span.of(text),)
    assert any(candidate.answer.texts[0].endswith("Marl") for candidate in one.candidates)


def test_threads_that_open_models_give_each_its_own_type(model):
    """While one is loaded its type is the process's default, and another's would get it."""

    def parts(dtype):
        opened = open_checkpoint(model, "span", dtype=dtype).model
        tensors = [*opened.parameters(), *opened.buffers()]
        return {str(one.dtype) for one in tensors if one.is_floating_point()}

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as threads:
            found = list(threads.map(parts, ["float32", "bfloat16"] * 6))
    finally:
        sys.setswitchinterval(before)
    assert found == [{"torch.float32"}, {"torch.bfloat16"}] * 6
