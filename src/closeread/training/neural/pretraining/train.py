"""Pretrains an encoder on texts alone, by masked language modelling.

This follows Devlin et al. (2019) without their next-sentence task, on blocks packed as Liu et al.
(2019) do. Either a new, small encoder with a given vocabulary starts from random weights, or a
checkpoint continues on other texts. Only passages are read: no question, no option, no gold.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec
import torch
from transformers import PrinterCallback, Trainer

from closeread.errors import InputError, UsageError
from closeread.readers.lineage import Learned, Lineage, Stage, lineage_of
from closeread.readers.neural.checkpoint import max_sequence_length
from closeread.registry.factory import resolve_path
from closeread.training.neural.callbacks import Progress, SetEpochOrder, StopIfNotFinite
from closeread.training.neural.device import check_machine
from closeread.training.neural.fit import training_arguments
from closeread.training.neural.lineage import license_terms
from closeread.training.neural.pretraining.masking import Masker, masked_loss
from closeread.training.neural.pretraining.model import make_model, set_dropout
from closeread.training.neural.pretraining.texts import Block, blocks
from closeread.training.neural.processes import Processes
from closeread.training.neural.sampling import EpochOrder
from closeread.training.neural.saving import resuming
from closeread.training.neural.saving.folder import TrainingFolder
from closeread.training.neural.saving.write_errors import explain_write_errors
from closeread.training.neural.tracking.curve import track_curve
from closeread.training.recipes.encoder import EncoderOptions, PretrainSettings, parse_options
from closeread.training.recipes.folder import check_folder_free
from closeread.training.request import Request, Trained
from closeread.wording import count_of

_DROPOUT = 0.1  # in the saved configuration, for later trainings


class _Blocks(NamedTuple):
    """Blocks of text, and the data sets that they are from."""

    learned: list[Block]
    held_out: list[Block]
    n_texts: int
    sources: tuple[Learned, ...]


@dataclass(frozen=True, kw_only=True)
class _Pretraining:
    """An encoder with the blocks of text that it learns from."""

    request: Request
    settings: PretrainSettings
    options: EncoderOptions
    model: Any
    tokenizer: Any
    blocks: _Blocks

    @property
    def fingerprints(self) -> list[tuple[str, str, int]]:
        """The hashes that distinguish the data from other files of the same names."""
        return [
            (source.path, learned.sha256, learned.n_items)
            for source, learned in zip(self.settings.datasets, self.blocks.sources, strict=True)
        ]


class _Result(NamedTuple):
    """The result of the training steps; loss and accuracy are those of held-out blocks."""

    steps: int
    seconds: float
    tokens_per_second: float
    loss: float
    accuracy: float
    history: list[dict[str, Any]]


def train(request: Request) -> Trained:
    """Pretrain an encoder and write it to a folder that AutoModel and ``open_checkpoint`` read.

    Raises:
        UsageError: A setting is out of range, or the folder is taken.
        InputError: Vocabulary, checkpoint or texts cannot be read, or there is not enough text.
        MismatchError: The training to resume was started with another recipe.
    """
    settings, options = parse_options(request)
    check_machine(settings.as_neural_settings(), str(request.path), request.within)
    if request.check_only:
        return Trained(out=request.out, summary={}, remarks=())
    processes = Processes(settings.device)
    # All inputs are opened and read before a folder is claimed or its content discarded.
    with processes.in_step():
        check_folder_free(request.out, request.recipe, request.resume, request.overwrite)
        training = _load(request, settings, options)
        folder = TrainingFolder(
            request.out, request.recipe, request.resume, request.overwrite, training.fingerprints
        )
    with folder, explain_write_errors(request.out):
        with processes.in_step():
            folder.record_examples([len(training.blocks.learned)])
        result = _fit(training, folder.last_state(), processes)
        summary = _summarize(training, result)
        with processes.in_step():  # no process opens what the first has not yet written
            lineage = _make_lineage(training)
            if folder.is_writer:
                set_dropout(training.model, _DROPOUT)
                training.model.save_pretrained(request.out)
                training.tokenizer.save_pretrained(request.out)
                folder.finish(summary, history=result.history, lineage=lineage)
    return Trained(out=request.out, summary=summary, remarks=_format_remarks(summary, lineage))


def _load(request: Request, settings: PretrainSettings, options: EncoderOptions) -> _Pretraining:
    """Open or make the encoder, and cut the texts into blocks.

    Raises:
        UsageError: The blocks are longer than the sequences that the model takes.
        InputError: Vocabulary, checkpoint or texts cannot be read, or there is not enough text.
    """
    torch.manual_seed(settings.seed)
    model, tokenizer = make_model(options, settings.dropout, request.say)
    limit = max_sequence_length(model, tokenizer)
    if settings.length > limit:
        raise UsageError(
            f"{request.within}train.length is {settings.length}",
            where=options.model,
            expected=f"at most {limit}, the tokens that the model takes",
            cure=f"lower {request.within}train.length",
        )
    return _Pretraining(
        request=request,
        settings=settings,
        options=options,
        model=model,
        tokenizer=tokenizer,
        blocks=_read_blocks(settings, request, tokenizer),
    )


def _read_blocks(settings: PretrainSettings, request: Request, tokenizer: Any) -> _Blocks:
    texts, sources = _read_texts(settings, request)
    packed = list(blocks(texts, tokenizer, settings.length, settings.masking))
    Random(settings.seed).shuffle(packed)
    aside = max(1, round(len(packed) * settings.held_out))
    if len(packed) < 4 * aside:
        raise InputError(
            f"too little text: {count_of(len(packed), 'block')} of {settings.length} tokens",
            where=", ".join(source.path for source in settings.datasets),
            expected="at least hundreds of blocks",
            cure="name more data sets, or shorten train.length",
        )
    return _Blocks(packed[aside:], packed[:aside], len(texts), sources)


def _fit(training: _Pretraining, state: Path | None, processes: Processes) -> _Result:
    """Train the model in place, from a saved state if there is one, and measure it."""
    request, settings = training.request, training.settings
    masker = Masker(training.tokenizer, settings.masking, settings.mask_share, settings.seed)
    trainer = _make_trainer(training.model, training.blocks.learned, masker, settings, request)
    n_resumed = int(state.name.rpartition("-")[2]) if state else 0
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
    loss, accuracy = _evaluate_held_out(training.model, training.blocks.held_out, masker, settings)
    steps = trainer.state.global_step
    batch = settings.batch_size * settings.accumulation * trainer.args.world_size
    return _Result(
        steps=steps,
        seconds=seconds,
        tokens_per_second=(steps - n_resumed) * batch * settings.length / seconds,
        loss=loss,
        accuracy=accuracy,
        history=trainer.state.log_history,
    )


def _summarize(training: _Pretraining, result: _Result) -> dict[str, Any]:
    """Return the summary of a training that ``--json`` prints."""
    return {
        "reader": "encoder",
        "model": str(training.request.out),
        "n_texts": training.blocks.n_texts,
        "n_tokens": sum(len(block.ids) for block in training.blocks.learned),
        "n_parameters": int(training.model.num_parameters()),
        "steps": result.steps,
        "held_out_loss": result.loss,
        "held_out_right": result.accuracy,
        "seconds": round(result.seconds, 1),
        "tokens_per_second": result.tokens_per_second,
    }


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


def _read_texts(
    settings: PretrainSettings, request: Request
) -> tuple[list[str], tuple[Learned, ...]]:
    """Return every distinct text in the order of the data sets, and a record of each data set."""
    seen: dict[str, None] = {}
    learned = []
    for source in settings.datasets:
        dataset = request.open_dataset(source.path, source.format)
        texts = list(dict.fromkeys(passage.text for passage, _ in dataset))
        if source.at_most is not None and len(texts) > source.at_most:
            texts = Random(f"{settings.seed}/{source.path}").sample(texts, source.at_most)
        seen.update(dict.fromkeys(texts))
        request.say(f"{source.path}: {count_of(len(texts), 'text')}")
        learned.append(
            Learned(
                name=dataset.name,
                sha256=dataset.sha256,
                n_items=len(texts),
                license=dataset.license,
                made_by=settings.made_by.get(source.path, ""),
            )
        )
    return list(seen), tuple(learned)


def _evaluate_held_out(
    model: Any, held_out: Sequence[Block], masker: Masker, settings: PretrainSettings
) -> tuple[float, float]:
    """Return the mean loss of masked tokens, and the share of them that is predicted right."""
    total = right = number = 0.0
    model.eval()
    with torch.inference_mode():
        for start in range(0, len(held_out), settings.batch_size):
            batch = masker(held_out[start : start + settings.batch_size])
            loss, logits, truth = masked_loss(
                model, **{name: rows.to(model.device) for name, rows in batch.items()}
            )
            if len(truth):
                total += float(loss) * len(truth)
                right += float((logits.argmax(-1) == truth).sum())
                number += len(truth)
    return (total / number, right / number) if number else (math.nan, 0.0)


def _make_lineage(training: _Pretraining) -> Lineage:
    options, settings = training.options, training.settings
    n_parameters = int(training.model.num_parameters())
    start = Lineage(n_parameters=n_parameters)
    if options.model:
        made_by = settings.made_by.get(options.model, "")
        start = lineage_of(resolve_path("model", options.model), n_parameters, made_by)
    stage = Stage(
        reader="encoder",
        options=msgspec.to_builtins(options),
        settings=msgspec.to_builtins(settings),
        learned_from=training.blocks.sources,
    )
    return start.add_stage(stage, n_parameters)


def _format_remarks(summary: dict[str, Any], lineage: Lineage) -> tuple[str, ...]:
    lines = [
        f"{count_of(summary['n_texts'], 'text')}, {summary['n_tokens']:,} tokens, "
        f"{count_of(summary['steps'], 'step')}, "
        f"{summary['tokens_per_second']:,.0f} tokens/s",
        f"masked tokens of held-out blocks: accuracy {summary['held_out_right']:.1%}, "
        f"loss {summary['held_out_loss']:.3f}",
    ]
    return (*lines, *license_terms(lineage))
