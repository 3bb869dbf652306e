"""Teaches an encoder a language from texts alone, by words hidden in them: BERT's first stage.

Masked language modelling after Devlin et al. (2019) without their next-sentence task, on blocks
packed as Liu et al. (2019) do. Either a new, small encoder learns from random numbers and a
vocabulary, or a checkpoint goes on learning from texts of one's own. Only passages are read:
no question, no option, no gold.
"""

import math
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec
import torch
import transformers
from transformers import PrinterCallback, Trainer
from transformers.utils import logging

from closeread.errors import InputError, UsageError
from closeread.readers.lineage import Learned, Lineage, Stage, lineage_of
from closeread.readers.neural.checkpoint import max_sequence_length
from closeread.readers.neural.heads import check_encoder
from closeread.readers.neural.opening import (
    loading_options,
    open_tokenizer,
    opening_error,
    silence_library,
)
from closeread.registry.factory import resolve_path
from closeread.training.neural.callbacks import Progress, SetEpochOrder, StopIfNotFinite
from closeread.training.neural.device import check_machine
from closeread.training.neural.fit import training_arguments
from closeread.training.neural.lineage import license_terms
from closeread.training.neural.pretraining.masking import Masker, masked_loss
from closeread.training.neural.pretraining.texts import Block, blocks
from closeread.training.neural.processes import Processes
from closeread.training.neural.sampling import EpochOrder
from closeread.training.neural.saving import resuming
from closeread.training.neural.saving.folder import TrainingFolder
from closeread.training.neural.saving.write_errors import explain_write_errors
from closeread.training.neural.tracking.curve import track_curve
from closeread.training.recipes.encoder import EncoderOptions, PretrainSettings, parse_options
from closeread.training.recipes.folder import check_folder_free
from closeread.training.request import Request, Say, Trained
from closeread.wording import count_of

_DROPOUT = 0.1  # with which later trainings begin


def train(request: Request) -> Trained:
    """Teach an encoder; write it to a folder that AutoModel and ``open_checkpoint`` read.

    Raises:
        UsageError: A setting is out of its range, or the folder is taken.
        InputError: Vocabulary, checkpoint or texts cannot be read, or there is not enough text.
        MismatchError: The training to be gone on with was begun with another recipe.
    """
    settings, options = parse_options(request)
    check_machine(settings.as_neural_settings(), str(request.path), request.within)
    if request.look:
        return Trained(out=request.out, summary={}, remarks=())
    processes = Processes(settings.device)
    # All is opened and read before a folder is taken, or what is in it discarded.
    with processes.in_step():
        check_folder_free(request.out, request.recipe, request.resume, request.overwrite)
        torch.manual_seed(settings.seed)
        model, tokenizer = _make_model(options, settings.dropout, request.say)
        most = max_sequence_length(model, tokenizer)
        if settings.length > most:
            raise UsageError(
                f"{request.within}train.length is {settings.length}",
                where=options.model,
                expected=f"at most {most}, the tokens that the model takes",
                cure=f"lower {request.within}train.length",
            )
        material = _read_blocks(settings, request, tokenizer)
        data = [
            (source.path, one.sha256, one.n_items)
            for source, one in zip(settings.datasets, material.sources, strict=True)
        ]
        folder = TrainingFolder(
            request.out, request.recipe, request.resume, request.overwrite, data
        )
    with folder, explain_write_errors(request.out):
        with processes.in_step():
            folder.record_examples([len(material.learned)])
        masker = Masker(tokenizer, settings.masking, settings.mask_share, settings.seed)
        trainer = _make_trainer(model, material.learned, masker, settings, request)
        state = folder.last_state()
        before = int(state.name.rpartition("-")[2]) if state else 0
        started = time.monotonic()
        with track_curve(
            trainer,
            settings.as_neural_settings(),
            request.out,
            resumed=state is not None,
            processes=processes,
            say=request.say,
        ):
            resuming.train(
                trainer, state, settings.as_neural_settings(), processes=processes, say=request.say
            )
        seconds = time.monotonic() - started
        loss, right = _evaluate_held_out(model, material.held_out, masker, settings)
        steps = trainer.state.global_step
        batch = settings.batch_size * settings.accumulation * trainer.args.world_size
        told: dict[str, Any] = {
            "reader": "encoder",
            "model": str(request.out),
            "n_texts": material.n_texts,
            "n_tokens": sum(len(one.ids) for one in material.learned),
            "n_parameters": int(model.num_parameters()),
            "steps": steps,
            "held_out_loss": loss,
            "held_out_right": right,
            "seconds": round(seconds, 1),
            "tokens_per_second": (steps - before) * batch * settings.length / seconds,
        }
        with processes.in_step():  # none opens what the first has not yet written
            lineage = _lineage(options, settings, material.sources, told["n_parameters"])
            if folder.mine:
                _set_dropout(model, _DROPOUT)
                model.save_pretrained(request.out)
                tokenizer.save_pretrained(request.out)
                folder.finish(told, history=trainer.state.log_history, lineage=lineage)
    return Trained(out=request.out, summary=told, remarks=_format_remarks(told, lineage))


class _Blocks(NamedTuple):
    """Blocks of text, and the data sets that they are from."""

    learned: list[Block]
    held_out: list[Block]
    n_texts: int
    sources: tuple[Learned, ...]


def _read_blocks(settings: PretrainSettings, request: Request, tokenizer: Any) -> _Blocks:
    texts, sources = _read_texts(settings, request)
    packed = list(blocks(texts, tokenizer, settings.length, settings.masking))
    Random(settings.seed).shuffle(packed)
    aside = max(1, round(len(packed) * settings.held_out))
    if len(packed) < 4 * aside:
        raise InputError(
            f"too little text: {count_of(len(packed), 'block')} of {settings.length} tokens",
            where=", ".join(one.path for one in settings.datasets),
            expected="at least hundreds of blocks",
            cure="name more data sets, or shorten train.length",
        )
    return _Blocks(packed[aside:], packed[:aside], len(texts), sources)


def _make_trainer(
    model: Any,
    packed: Sequence[Block],
    masker: Masker,
    settings: PretrainSettings,
    request: Request,
) -> "_Trainer":
    n = len(packed)
    order = EpochOrder(
        [settings.length] * n, [n], [n], settings.batch_size, seed=settings.seed, grouped=False
    )
    trainer = _Trainer(
        model=model,
        args=training_arguments(settings.as_neural_settings(), request.out, has_metric=False),
        train_dataset=packed,
        data_collator=masker,
        callbacks=[Progress(request.begin), SetEpochOrder(order), StopIfNotFinite()],
    )
    trainer.remove_callback(PrinterCallback)
    trainer.model_accepts_loss_kwargs = False  # losses are means: gradients are averaged
    trainer.order = order
    return trainer


class _Trainer(Trainer):  # type: ignore[misc]
    order: EpochOrder

    def _get_train_sampler(self, train_dataset: Any = None) -> Any:
        return self.order  # the Trainer's own is another one after a resumption

    def compute_loss(
        self,
        model: Any,
        inputs: dict[str, torch.Tensor],
        return_outputs: bool = False,
        num_items_in_batch: Any = None,
    ) -> Any:
        with self.accelerator.autocast():  # the model's own `forward` has it, and is passed over
            loss, logits, _ = masked_loss(model, **inputs)
        return (loss, {"logits": logits}) if return_outputs else loss


def _make_model(options: EncoderOptions, dropout: float, say: Say) -> tuple[Any, Any]:
    logging.disable_progress_bar()
    if options.model:
        return _open_model(resolve_path("model", options.model), dropout, options.pickled, say)
    path = Path(resolve_path("vocabulary", options.vocabulary))
    try:
        # By line feeds alone: U+2028 and its like are pieces of their own.
        pieces = path.read_text("utf-8").rstrip("\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise InputError(
            f"cannot be read: {reason}", where=str(path), expected="a file of word pieces"
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


def _open_model(name: str, dropout: float, pickled: bool, say: Say) -> tuple[Any, Any]:
    given = loading_options(name)
    tokenizer = open_tokenizer(name, given)
    try:
        with silence_library():
            model, report = transformers.AutoModelForMaskedLM.from_pretrained(
                name,
                dtype=torch.float32,  # else as it was saved
                use_safetensors=None if pickled else True,
                weights_only=True,
                output_loading_info=True,
                **given,
            )
    except Exception as error:  # what a broken file makes the libraries raise has no common kind
        raise opening_error(name, error) from error
    missing = sorted(report["missing_keys"])
    check_encoder(name, model.base_model_prefix, missing)
    if missing:
        say(f"{name}: the model has no masked-language-model head and starts with a new one")
    _set_dropout(model, dropout)
    return model, tokenizer


def _set_dropout(model: Any, dropout: float) -> None:
    for name in ("hidden_dropout_prob", "attention_probs_dropout_prob"):
        if hasattr(model.config, name):
            setattr(model.config, name, dropout)
    for layer in model.modules():
        if isinstance(layer, torch.nn.Dropout):
            layer.p = dropout


def _read_texts(
    settings: PretrainSettings, request: Request
) -> tuple[list[str], tuple[Learned, ...]]:
    """Return every text once, in the order of the data sets, and what they were."""
    seen: dict[str, None] = {}
    learned = []
    for source in settings.datasets:
        dataset = request.open_dataset(source.path, source.format)
        found = list(dict.fromkeys(passage.text for passage, _ in dataset))
        if source.at_most is not None and len(found) > source.at_most:
            found = Random(f"{settings.seed}/{source.path}").sample(found, source.at_most)
        seen.update(dict.fromkeys(found))
        request.say(f"{source.path}: {count_of(len(found), 'text')}")
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


def _evaluate_held_out(
    model: Any, held: Sequence[Block], masker: Masker, settings: PretrainSettings
) -> tuple[float, float]:
    """Return loss and share of right tokens."""
    total = right = number = 0.0
    model.eval()
    with torch.inference_mode():
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


def _lineage(
    options: EncoderOptions,
    settings: PretrainSettings,
    learned: tuple[Learned, ...],
    n_parameters: int,
) -> Lineage:
    made_by = settings.made_by.get(options.model, "")
    begun = Lineage(n_parameters=n_parameters)
    if options.model:
        begun = lineage_of(resolve_path("model", options.model), n_parameters, made_by)
    stage = Stage(
        reader="encoder",
        options=msgspec.to_builtins(options),
        settings=msgspec.to_builtins(settings),
        learned_from=learned,
    )
    return begun.add_stage(stage, n_parameters)


def _format_remarks(told: dict[str, Any], lineage: Lineage) -> tuple[str, ...]:
    lines = [
        f"{count_of(told['n_texts'], 'text')}, {told['n_tokens']:,} tokens, "
        f"{count_of(told['steps'], 'step')}, "
        f"{told['tokens_per_second']:,.0f} tokens/s",
        f"masked tokens of held-out blocks: accuracy {told['held_out_right']:.1%}, "
        f"loss {told['held_out_loss']:.3f}",
    ]
    return (*lines, *license_terms(lineage))
