"""What of a text is hidden from an encoder that learns it, and the loss over what is hidden."""

import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")
pytest.importorskip("transformers", reason="needs the extra `neural`: make neural")
pytest.importorskip("accelerate", reason="needs the extra `train`: make neural")

import torch
from transformers import BertConfig, BertForMaskedLM, BertTokenizerFast

from closeread.training.neural.pretraining.masking import NOT_MASKED, Masker, masked_loss
from closeread.training.neural.pretraining.texts import blocks
from neural.toy_words import write_vocabulary

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    vocabulary = write_vocabulary(tmp_path_factory.mktemp("vocabulary") / "vocab.txt")
    return BertTokenizerFast(str(vocabulary), do_lower_case=True)


def test_special_tokens_and_padding_are_never_hidden(tokenizer):
    """Of the others about the asked share is; what is shown has no label."""
    packed = list(blocks(["海水盐度蒸发降水。" * 9] * 30, tokenizer, 32, "token"))
    assert {len(one.ids) for one in packed[:-1]} == {32}
    batch = Masker(tokenizer, "token", 0.3, 0)(packed)
    hidden = batch["labels"] != NOT_MASKED
    special = sum(one.special.count(1) for one in packed)
    padding = int((batch["attention_mask"] == 0).sum())
    ordinary = batch["labels"].numel() - special - padding
    assert float(hidden.sum()) / ordinary == pytest.approx(0.3, abs=0.04)
    for row, one in enumerate(packed):
        shown = torch.tensor(one.special + [1] * (hidden.shape[1] - len(one.ids))).bool()
        assert not hidden[row][shown].any()
        assert batch["labels"][row][hidden[row]].tolist() == [
            one.ids[place] for place in hidden[row].nonzero()[:, 0].tolist()
        ]


def test_words_are_hidden_whole(tokenizer):
    """Chinese by a dictionary, other languages with all pieces of a word."""
    pytest.importorskip("rjieba", reason="needs the extra `zh`")
    packed = list(blocks(["海水蒸发。" * 20, "The ferrys left. " * 20], tokenizer, 48, "word"))
    batch = Masker(tokenizer, "word", 0.4, 1)(packed)
    seen = set()
    for row, one in enumerate(packed):
        hidden = (batch["labels"][row] != NOT_MASKED).tolist()
        for place in range(1, len(one.ids)):
            if one.words[place] == one.words[place - 1]:
                assert hidden[place] == hidden[place - 1]
                pair = tokenizer.convert_ids_to_tokens(one.ids[place - 1 : place + 1])
                seen.add((*pair, hidden[place]))
    for pair in (("海", "水"), ("蒸", "发"), ("ferry", "##s")):
        assert {(*pair, True), (*pair, False)} <= seen
    assert ("。", "海", True) not in seen


def test_the_loss_is_that_of_the_whole_model(tokenizer):
    """Weighing the vocabulary for hidden tokens alone changes nothing but the time."""
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32,
    )  # fmt: skip
    torch.manual_seed(2)
    model = BertForMaskedLM(config).eval()
    batch = Masker(tokenizer, "token", 0.3, 0)(
        list(blocks(["海水盐度。" * 12, "降水。"], tokenizer, 32, "token"))
    )
    with torch.inference_mode():
        loss, logits, truth = masked_loss(model, **batch)
        whole = model(**batch)
    assert float(loss) == pytest.approx(float(whole.loss), rel=1e-5)
    assert len(truth) == len(logits) == int((batch["labels"] != NOT_MASKED).sum())
