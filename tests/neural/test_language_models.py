"""A language model in this process: what it writes and scores, alone and in batches."""

import shutil

import msgspec
import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")
pytest.importorskip("transformers", reason="needs the extra `neural`: make neural")

import torch
from transformers import LlamaForCausalLM

from closeread.api.datasets import open_dataset
from closeread.errors import InputError, UsageError
from closeread.readers import make
from closeread.runs.predict import Job, predict
from closeread.runs.records import ScoreSettings, describe_reader
from closeread.runs.score import score_run
from closeread.runs.verify import verify
from closeread.types import Passage
from neural.tiny import CHOICE, FREE, ITEMS, PASSAGE, make_model

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return make_model(tmp_path_factory.mktemp("models") / "tiny")


def said(predictions):
    return [(one.answer, one.generation.text, one.option_scores) for one in predictions]


@pytest.mark.parametrize("form", ["chat", "plain"])
def test_the_text_is_what_greedy_decoding_gives(model, form):
    """A plain loop over the model, token by token, writes the same."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    reader, _ = make("local", {"model": model, "form": form, "max_tokens": 12})
    by_id = {one.question_id: one for one in reader.read(ITEMS)}
    found = [by_id[question.question_id] for _, question in ITEMS]
    tokenizer = AutoTokenizer.from_pretrained(model)
    network = AutoModelForCausalLM.from_pretrained(model).eval()
    for (passage, question), prediction in zip(ITEMS, found, strict=True):
        (request,) = reader._prompter.build_requests(passage, question)
        text = reader._build_text(request)
        assert ("<|assistant|>" in text) == (form == "chat")
        ids = tokenizer(text, return_tensors="pt")["input_ids"]
        written = []
        with torch.no_grad():
            while len(written) < 12 and (not written or written[-1] != tokenizer.eos_token_id):
                following = network(ids).logits[0, -1].argmax()
                written.append(int(following))
                ids = torch.cat([ids, following[None, None]], dim=1)
        assert prediction.generation.text == tokenizer.decode(written, skip_special_tokens=True)
        assert prediction.generation.completion_tokens == len(written)
        assert prediction.generation.finish_reason in ("stop", "length")


@pytest.mark.parametrize("scoring", ["letters", "texts"])
def test_options_are_scored_by_whole_texts(model, scoring):
    """Equal options get equal scores, and differences are those of the loss over whole texts."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    options = {"model": model, "form": "plain", "scoring": scoring}
    reader, _ = make("local", options)
    (found,) = reader.read([(PASSAGE, CHOICE)])
    if scoring == "texts":
        assert found.option_scores[0] == found.option_scores[3]
    tokenizer = AutoTokenizer.from_pretrained(model)
    network = AutoModelForCausalLM.from_pretrained(model).eval()
    (request,) = reader._prompter.build_requests(PASSAGE, CHOICE)
    whole = []
    for continuation in request.continuations:
        ids = tokenizer(request.plain() + continuation, return_tensors="pt")["input_ids"]
        with torch.no_grad():
            loss = network(ids, labels=ids).loss
        whole.append(-float(loss) * (ids.shape[1] - 1))
    for one, other in zip(found.option_scores, whole, strict=True):
        assert one - found.option_scores[1] == pytest.approx(other - whole[1], abs=2e-3)
    assert found.answer.label == "ABCD"[max(range(4), key=found.option_scores.__getitem__)]


TOWNS = ("Marl", "Ostby", "Veld", "Lund", "Quay")
LENGTHS = (1, 9, 3, 40, 2, 20, 6)


def of_many_lengths():
    """Questions on passages of a line to a page, the kinds mixed."""
    for place, n_lines in enumerate(LENGTHS):
        lines = (
            f"The ferry left {TOWNS[(line + place) % 5]} at {line % 12} with {7 * line} sheep."
            for line in range(n_lines)
        )
        passage = Passage(passage_id=f"p{place}", text=" ".join(lines))
        for question in (CHOICE, FREE):
            named = {"question_id": f"{question.question_id}{place}", "passage_id": f"p{place}"}
            yield passage, msgspec.structs.replace(question, **named)


@pytest.fixture(scope="module")
def ending(tmp_path_factory):
    """A model that ends its texts early and late, for many positions."""
    from transformers import AutoModelForCausalLM

    folder = make_model(tmp_path_factory.mktemp("models") / "ending", positions=8192)
    network = AutoModelForCausalLM.from_pretrained(folder)
    with torch.no_grad():  # so far from zero that texts differ, and that the end is often near
        network.lm_head.weight.mul_(8)
        network.lm_head.weight[0].mul_(2.5)
        for layer in network.model.layers:
            for part in (*layer.self_attn.children(), *layer.mlp.children()):
                if hasattr(part, "weight"):
                    part.weight.mul_(8)
    network.save_pretrained(folder)
    return folder


def read_with(model, **options):
    reader, _ = make("local", {"model": model, "max_tokens": 24, **options})
    found = {one.question_id: one for one in reader.read(list(of_many_lengths()))}
    assert len(found) == 2 * len(LENGTHS)
    return {key: msgspec.structs.replace(found[key], seconds=None) for key in sorted(found)}


@pytest.mark.parametrize(
    "options",
    [
        {"form": "chat"},
        {"form": "plain", "shuffles": 3},
        {"form": "chat", "judge": "each", "batch_tokens": 100_000_000},
    ],
)
def test_texts_in_batches_are_those_of_one_at_a_time(ending, options):
    """Lengths from a line to a page, texts that end at different places, budgets that part them."""
    alone = read_with(ending, **options, batch=1)
    texts = [one.generation for one in alone.values()]
    assert len({one.text for one in texts}) > 5
    assert {one.finish_reason for one in texts} == {"stop", "length"}
    assert len({one.completion_tokens for one in texts if one.finish_reason == "stop"}) > 1
    lengths = [one.prompt_tokens for one in texts]
    assert max(lengths) > 4 * min(lengths)
    for batch in (3, 32):
        assert read_with(ending, **{"batch_tokens": 6000} | options, batch=batch) == alone


def test_prompts_of_different_lengths_are_not_padded_where_the_model_looks_back(ending, tmp_path):
    """A penalty on repeated tokens would fall on the padding, which is the end's token here."""
    from transformers import GenerationConfig

    folder = tmp_path / "looking-back"
    shutil.copytree(ending, folder)
    settings = GenerationConfig.from_pretrained(folder)
    settings.repetition_penalty = 1.8
    settings.save_pretrained(folder)
    alone = read_with(str(folder), batch=1)
    assert alone != read_with(ending, batch=1)
    assert read_with(str(folder), batch=8) == alone


def test_decoding_is_greedy_whatever_the_model_prefers(ending, tmp_path):
    """Its own settings would search with beams, or draw by chance."""
    from transformers import GenerationConfig

    folder = tmp_path / "beams"
    shutil.copytree(ending, folder)
    settings = GenerationConfig.from_pretrained(folder)
    settings.num_beams, settings.do_sample, settings.temperature = 4, True, 3.0
    settings.save_pretrained(folder)
    assert said(read_with(str(folder)).values()) == said(read_with(ending).values())


@pytest.mark.parametrize("scoring", ["generation", "letters"])
def test_too_little_memory_is_said_with_what_to_do(model, scoring):
    """In the words of the library, which begin with what it could not have."""

    def full(*_, **__):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 ...")

    reader, _ = make("local", {"model": model, "max_tokens": 4, "scoring": scoring})
    reader._model._model.generate = reader._model._model.forward = full
    with pytest.raises(UsageError, match=r"CUDA out of memory\n.*-o batch_tokens=.*--resume"):
        list(reader.read(ITEMS))


@pytest.mark.parametrize("scoring", ["letters", "texts"])
def test_scores_in_batches_are_those_of_one_at_a_time(ending, scoring):
    """To the bits that another order of adding up leaves alone; equal options stay equal."""
    alone = read_with(ending, scoring=scoring, batch=1)
    found = read_with(ending, scoring=scoring, batch=32, batch_tokens=200_000)
    for key, one in found.items():
        assert one.answer == alone[key].answer
        assert one.option_scores == pytest.approx(alone[key].option_scores, abs=1e-3)
        if key.startswith("c") and scoring == "texts":
            assert one.option_scores[0] == one.option_scores[3]
            assert len(set(one.option_scores)) == 3


def test_answers_come_while_others_are_still_computed(model):
    """The first batch's are there before the second is begun."""
    reader, _ = make("local", {"model": model, "max_tokens": 4, "batch": 2})
    begun = []
    generate = reader._model.generate
    reader._model.generate = lambda rows, most: begun.append(len(rows)) or generate(rows, most)
    seen = [len(begun) for _ in reader.read(list(of_many_lengths())[:6])]
    assert begun == [2, 2, 2]
    assert seen == [1, 1, 2, 2, 3, 3]


def test_an_interrupted_run_is_the_whole_run(model, tmp_path):
    """What is missing is asked in other batches, and may be asked in smaller ones."""

    def job(stop_after=None, **options):
        reader, resolved = make("local", {"model": model, "max_tokens": 8, **options})
        described = describe_reader("local", resolved, reader)
        if stop_after is not None:
            read = reader.read
            reader.read = lambda items: interrupted(read(items), stop_after)
        dataset = open_dataset("exam/zh")
        return Job(dataset=dataset, reader=reader, reader_info=described, limit=9, batch_size=256)

    def interrupted(found, count):
        yield from (one for one, _ in zip(found, range(count), strict=False))
        raise KeyboardInterrupt

    whole = {one.question_id: one for one in predict(job(), tmp_path / "whole").predictions()}
    with pytest.raises(KeyboardInterrupt):
        predict(job(4, batch=2), tmp_path / "run")
    again = list(predict(job(batch=3), tmp_path / "run", resume=True).predictions())
    assert said(again) == said(whole.values()) and len(again) == 9


def test_batches_of_nothing_are_refused(model):
    with pytest.raises(UsageError, match="batch=0"):
        make("local", {"model": model, "batch": 0})


def test_a_whole_run_is_scored_and_verified(model, tmp_path):
    reader, resolved = make("local", {"model": model, "max_tokens": 8, "shuffles": 2})
    job = Job(
        dataset=open_dataset("exam/zh"),
        reader=reader,
        reader_info=describe_reader("local", resolved, reader),
        limit=4,
    )
    run = predict(job, tmp_path / "run")
    assert run.info.reader.record["model"]["n_parameters"] > 1000
    score_run(run, ScoreSettings(metrics=(), resamples=0))
    assert not verify(run).differences


def test_what_is_too_long_fails_alone_and_is_said(tmp_path):
    small = make_model(tmp_path / "small", positions=300)
    reader, _ = make("local", {"model": small, "max_tokens": 4, "form": "plain"})
    long = Passage(passage_id="l", text="sheep " * 400)
    found = list(reader.read([(long, FREE)]))
    assert "does not fit into the model's context" in found[0].error


def test_models_that_cannot_be_had(tmp_path, model):
    with pytest.raises(UsageError, match="no model given"):
        make("local", {})
    with pytest.raises(InputError, match="cannot be opened"):
        make("local", {"model": str(tmp_path)})
    plain = make_model(tmp_path / "plain", chat=False)
    with pytest.raises(UsageError, match="no chat template"):
        make("local", {"model": plain, "form": "chat"})


def test_weights_that_are_not_whole_are_refused(tmp_path, model):
    """A file that was cut short; an encoder, which has never learned to write."""
    cut = tmp_path / "cut"
    shutil.copytree(model, cut)
    weights = cut / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(InputError, match="cannot be opened"):
        make("local", {"model": str(cut)})
    encoder = tmp_path / "encoder"
    shutil.copytree(model, encoder)
    inner = LlamaForCausalLM.from_pretrained(model).model
    inner.embed_tokens = torch.nn.Embedding(*inner.embed_tokens.weight.shape)
    inner.save_pretrained(encoder)
    with pytest.raises(InputError, match=r"no weights for lm_head\.weight"):
        make("local", {"model": str(encoder)})


def test_weights_that_could_run_code_are_refused(tmp_path, model):
    pickled = tmp_path / "pickled"
    shutil.copytree(model, pickled)
    (pickled / "model.safetensors").unlink()
    torch.save({}, pickled / "pytorch_model.bin")
    with pytest.raises(InputError, match="cannot be opened"):
        make("local", {"model": str(pickled)})
