"""Teaches an encoder a language from texts alone, by words hidden in them: BERT's first stage.

Masked language modelling after Devlin et al. (2019) without their next-sentence task, on blocks
packed as Liu et al. (2019) do. Either a new, small encoder learns from random numbers and a
vocabulary, or a checkpoint goes on learning from texts of one's own. Only passages are read:
no question, no option, no gold.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import torch
import transformers
from transformers import Trainer, TrainerCallback, TrainingArguments
from transformers.trainer_utils import get_last_checkpoint
from transformers.utils import logging

from closeread.errors import InputError
from closeread.readers.lineage import Learned, Lineage, Stage, lineage_of, save_lineage
from closeread.training.neural.masking import Masker, masked_loss
from closeread.training.neural.pretrain_settings import EncoderOptions, PretrainSettings, check
from closeread.training.neural.texts import Block, blocks
from closeread.types import Dataset

OpenDataset = Callable[[str, str | None], Dataset]
STATES = "states"
_DROPOUT = 0.1  # with which later trainings begin


@dataclass(frozen=True, kw_only=True)
class Pretrained:
    """What came of it.

    Attributes:
        n_texts: Passages that were read, each once.
        n_tokens: Of the blocks that were learned from; an epoch has so many.
        loss: Mean cross-entropy of hidden tokens in blocks held out, in nats.
        right: Share of them whose likeliest token is the true one.
        tokens_per_second: While learning.
    """

    n_texts: int
    n_tokens: int
    n_parameters: int
    steps: int
    loss: float
    right: float
    tokens_per_second: float
    history: list[dict[str, Any]] = field(default_factory=list)


def pretrain(
    settings: PretrainSettings,
    options: EncoderOptions,
    open_dataset: OpenDataset,
    out: Path,
    *,
    resume: bool = False,
    callbacks: Sequence[TrainerCallback] = (),
) -> Pretrained:
    """Teach an encoder; write it to a folder that AutoModel and ``open_checkpoint`` read.

    Args:
        settings: How it learns.
        options: What it is.
        open_dataset: Opens a data set by name and format.
        out: The folder; states from which training can go on stand in ``states``.
        resume: Go on from the last of them, if there is one.
        callbacks: Told of every step.

    Raises:
        UsageError: A setting is out of its range.
        InputError: Vocabulary or checkpoint cannot be read, or there is not enough text.
    """
    check(settings, options)
    torch.manual_seed(settings.seed)
    model, tokenizer = _made(options, settings.dropout)
    texts, learned = _texts(settings, open_dataset)
    packed = list(blocks(texts, tokenizer, settings.length, settings.masking))
    Random(settings.seed).shuffle(packed)
    aside = max(1, round(len(packed) * settings.held_out))
    if len(packed) < 4 * aside:
        raise InputError(
            f"there is too little text: {len(packed)} blocks of {settings.length} tokens",
            where=", ".join(one.path for one in settings.datasets),
            expected="hundreds of blocks at least",
        )
    masker = Masker(tokenizer, settings.masking, settings.mask_share)
    trainer = _Trainer(
        model=model,
        args=_arguments(settings, out),
        train_dataset=packed[aside:],  # type: ignore[arg-type]
        data_collator=masker,
        callbacks=list(callbacks),
    )
    state = get_last_checkpoint(str(out / STATES)) if resume and (out / STATES).is_dir() else None
    before = int(state.rpartition("-")[2]) if state else 0
    started = time.perf_counter()
    trainer.train(resume_from_checkpoint=state)
    seconds = time.perf_counter() - started
    loss, right = _held_out(model, packed[:aside], masker, settings)
    n_parameters = int(model.num_parameters())
    if trainer.is_world_process_zero():
        _set_dropout(model, _DROPOUT)
        model.save_pretrained(out)
        tokenizer.save_pretrained(out)
        stage = Stage(
            reader="encoder",
            settings={**msgspec.to_builtins(options), **msgspec.to_builtins(settings)},
            learned_from=learned,
        )
        begun = _origin(options, settings, n_parameters)
        save_lineage(out, begun.then(stage, n_parameters))
    steps = trainer.state.global_step
    batch = settings.batch_size * settings.accumulation * trainer.args.world_size
    return Pretrained(
        n_texts=len(texts),
        n_tokens=sum(len(one.ids) for one in packed[aside:]),
        n_parameters=n_parameters,
        steps=steps,
        loss=loss,
        right=right,
        tokens_per_second=(steps - before) * batch * settings.length / seconds,
        history=[row for row in trainer.state.log_history if "loss" in row],
    )


class _Trainer(Trainer):
    def compute_loss(
        self,
        model: Any,
        inputs: dict[str, torch.Tensor],
        return_outputs: bool = False,
        num_items_in_batch: Any = None,
    ) -> Any:
        loss, logits, _ = masked_loss(model, **inputs)
        return (loss, {"logits": logits}) if return_outputs else loss


def _made(options: EncoderOptions, dropout: float) -> tuple[Any, Any]:
    logging.disable_progress_bar()
    if options.model:
        return _opened(options.model, dropout)
    path = Path(options.vocabulary)
    try:
        pieces = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"cannot be read: {error}", where=str(path), expected="a file of word pieces"
        ) from error
    lacking = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"} - set(pieces)
    if lacking:
        raise InputError(
            f"the vocabulary has no {', '.join(sorted(lacking))}",
            where=str(path),
            expected="word pieces of BERT's kind, one a line",
        )
    tokenizer = transformers.BertTokenizerFast(
        str(path), do_lower_case=options.lowercase, model_max_length=options.positions
    )
    config = transformers.BertConfig(
        vocab_size=len(pieces),
        hidden_size=options.hidden,
        num_hidden_layers=options.layers,
        num_attention_heads=options.heads,
        intermediate_size=4 * options.hidden,
        max_position_embeddings=options.positions,
        pad_token_id=tokenizer.pad_token_id,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
    )
    return transformers.BertForMaskedLM(config), tokenizer


def _opened(name: str, dropout: float) -> tuple[Any, Any]:
    local = Path(name).is_dir()
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(name, local_files_only=local)
        model = transformers.AutoModelForMaskedLM.from_pretrained(
            name, use_safetensors=True, local_files_only=local
        )
    except (OSError, ValueError, RuntimeError, KeyError) as error:
        first = str(error).strip().partition("\n")[0]
        raise InputError(
            f"the model cannot be opened: {first}",
            where=name,
            expected="a folder of an encoder with safetensors and a tokenizer, or a hub name",
        ) from error
    _set_dropout(model, dropout)
    return model, tokenizer


def _set_dropout(model: Any, dropout: float) -> None:
    for name in ("hidden_dropout_prob", "attention_probs_dropout_prob"):
        if hasattr(model.config, name):
            setattr(model.config, name, dropout)
    for layer in model.modules():
        if isinstance(layer, torch.nn.Dropout):
            layer.p = dropout


def _texts(
    settings: PretrainSettings, open_dataset: OpenDataset
) -> tuple[list[str], tuple[Learned, ...]]:
    """Return every text once, in the order of the data sets, and what they were."""
    seen: dict[str, None] = {}
    learned = []
    for source in settings.datasets:
        dataset = open_dataset(source.path, source.format or None)
        found = list(dict.fromkeys(passage.text for passage, _ in dataset))
        if source.at_most is not None and len(found) > source.at_most:
            found = Random(settings.seed).sample(found, source.at_most)
        seen.update(dict.fromkeys(found))
        learned.append(
            Learned(
                name=dataset.name,
                sha256=dataset.sha256,
                n_items=len(found),
                license=dataset.license,
                made_by=settings.made_by.get(source.path, ""),
            )
        )
    return list(seen), tuple(learned)


def _arguments(settings: PretrainSettings, out: Path) -> TrainingArguments:
    return TrainingArguments(
        output_dir=str(out / STATES),
        num_train_epochs=settings.epochs,
        max_steps=settings.max_steps or -1,
        per_device_train_batch_size=settings.batch_size,
        gradient_accumulation_steps=settings.accumulation,
        learning_rate=settings.learning_rate,
        warmup_steps=settings.warmup,  # below 1 it is a share
        weight_decay=settings.weight_decay,
        max_grad_norm=settings.max_gradient_norm,
        bf16=settings.precision == "bfloat16",
        fp16=settings.precision == "float16",
        save_strategy="steps" if settings.save_every else "epoch",
        save_steps=settings.save_every or 500,
        save_total_limit=1,
        logging_steps=10,
        seed=settings.seed,
        data_seed=settings.seed,
        use_cpu=settings.device == "cpu",
        report_to=list(settings.track) or "none",
        disable_tqdm=True,
        remove_unused_columns=False,
        dataloader_drop_last=True,  # a short last batch would weigh as much as a full one
        dataloader_pin_memory=torch.cuda.is_available(),
        ddp_find_unused_parameters=False,
    )


def _held_out(
    model: Any, held: Sequence[Block], masker: Masker, settings: PretrainSettings
) -> tuple[float, float]:
    """Return loss and share of right tokens; the same tokens are hidden at every call."""
    total = right = number = 0.0
    model.eval()
    with torch.random.fork_rng(), torch.inference_mode():
        torch.manual_seed(settings.seed)
        for start in range(0, len(held), settings.batch_size):
            batch = masker(held[start : start + settings.batch_size])
            loss, logits, truth = masked_loss(
                model, **{name: rows.to(model.device) for name, rows in batch.items()}
            )
            if len(truth):
                total += float(loss) * len(truth)
                right += float((logits.argmax(-1) == truth).sum())
                number += len(truth)
    return (total / number, right / number) if number else (math.nan, 0.0)


def _origin(options: EncoderOptions, settings: PretrainSettings, n_parameters: int) -> Lineage:
    if not options.model:
        return Lineage(n_parameters=n_parameters)
    made_by = settings.made_by.get(options.model, "")
    return lineage_of(options.model, n_parameters, made_by)
