"""A causal language model of a few thousand weights, made here, and what it is asked.

It knows how to end, not more.
"""

from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from closeread.types import Option, Passage, Question

PASSAGE = Passage(passage_id="p", text="The ferry left Marl at six. It carried 14 sheep.")
_OPTIONS = tuple(
    Option(label=label, text=text)
    for label, text in zip("ABCD", ("six", "seven", "eight sheep", "six"), strict=True)
)
CHOICE = Question(
    question_id="c", passage_id="p", text="When did it leave?", kind="choice", options=_OPTIONS
)
FREE = Question(question_id="f", passage_id="p", text="How many sheep?", kind="discrete")
ITEMS = [(PASSAGE, CHOICE), (PASSAGE, FREE)]

_TEXT = [
    "Passage: Question: Answer: A B C D The ferry left Marl at six. It carried 14 sheep.",
    "文章：题目：答案：海水的盐度由蒸发和降水共同决定。",
    "system user assistant",
]
_TEMPLATE = (
    "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def make_model(folder: Path, *, chat: bool = True, positions: int = 8192) -> str:
    """Write a random Llama and a byte-level BPE tokenizer into a folder; return its path."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<|end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_TEXT, trainer)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<|end|>", pad_token="<|end|>"
    )
    if chat:
        fast.chat_template = _TEMPLATE
    fast.save_pretrained(folder)
    torch.manual_seed(7)
    config = LlamaConfig(
        vocab_size=len(fast), hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=2, num_key_value_heads=2, max_position_embeddings=positions,
        bos_token_id=None, eos_token_id=0, pad_token_id=0,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(folder)
    return str(folder)
