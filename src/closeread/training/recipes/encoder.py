"""The recipe options and settings for pretraining an encoder on texts."""

from functools import partial
from typing import Annotated, Literal

import msgspec

from closeread.errors import UsageError
from closeread.formats.files.open_all import open_each
from closeread.readers.lineage import Maker
from closeread.registry.factory import resolve_path
from closeread.training.recipe import Length
from closeread.training.recipes.folder import check_folder_free
from closeread.training.recipes.settings import (
    NeuralSettings,
    Precision,
    Source,
    Tracker,
    check_settings,
    out_of_range,
)
from closeread.training.request import Request, refuse_stages
from closeread.types import Record

Masking = Literal["token", "word"]
# Without these limits, a model too large for any machine would fail only when memory is full.
_Layers = Annotated[int, msgspec.Meta(ge=1, le=1_000)]
_Width = Annotated[int, msgspec.Meta(ge=1, le=100_000)]
_MAX_POSITIONS = 100_000
_Positions = Annotated[Length, msgspec.Meta(le=_MAX_POSITIONS)]


class EncoderOptions(Record, frozen=True, kw_only=True):
    """``[reader.options]`` of the reader ``encoder``: the model to pretrain.

    Attributes:
        model: A checkpoint to continue from; its own configuration then replaces the options below.
        pickled: Also load weights that are not safetensors. Such files can run code.
        vocabulary: A file of word pieces, one a line, such as that of bert-base-chinese.
        lowercase: Whether the tokenizer lowercases and strips accents.
        layers: Layers of the transformer.
        hidden: Dimensions of the hidden states.
        heads: Attention heads.
        positions: Maximum tokens of a sequence.
    """

    model: str = ""
    pickled: bool = False
    vocabulary: str = ""
    lowercase: bool = True
    layers: _Layers = 4
    hidden: _Width = 256
    heads: _Width = 4
    positions: _Positions = 512


class PretrainSettings(Record, frozen=True, kw_only=True):
    """``[train]`` for the reader ``encoder``; ``NeuralSettings`` documents the other fields.

    Attributes:
        datasets: Sets whose passages are learned from, each distinct text once.
        length: Tokens of a block.
        masking: ``token``, or ``word`` for whole-word masking (Cui et al. 2019).
        mask_share: Share of the tokens, or of the words, that is masked.
        dropout: Dropout during pretraining; few texts are learned faster without it.
        held_out: Share of the blocks that is held out to measure the loss.
        made_by: Who wrote each data set, named as in ``datasets``; for the model, who wrote its
            training data.
    """

    datasets: tuple[Source, ...]
    length: int = 128
    masking: Masking = "token"
    mask_share: float = 0.15
    dropout: float = 0.1
    held_out: float = 0.01
    epochs: float = 1.0
    max_steps: int | None = None
    batch_size: int = 32
    accumulation: int = 1
    learning_rate: float = 5e-4
    warmup: float = 0.06
    weight_decay: float = 0.01
    max_gradient_norm: float = 1.0
    precision: Precision = "float32"
    save_every: int = 0
    seed: int = 0
    device: str = ""
    track: tuple[Tracker, ...] = ()
    made_by: dict[str, str | Maker] = msgspec.field(default_factory=dict)

    def as_neural_settings(self) -> NeuralSettings:
        """Return the settings that all trainings share."""
        shared = {name: getattr(self, name) for name in _SHARED_FIELDS}
        return NeuralSettings(model="", datasets=self.datasets, **shared)


_SHARED_FIELDS = (
    "epochs", "max_steps", "batch_size", "accumulation", "learning_rate", "warmup",
    "weight_decay", "max_gradient_norm", "precision", "save_every", "seed", "device", "track",
)  # fmt: skip


def check_pretraining(
    settings: PretrainSettings, options: EncoderOptions, where: str = "", within: str = ""
) -> None:
    """Check every number before anything is opened.

    Args:
        settings: The recipe's ``[train]``.
        options: The recipe's ``[reader.options]``.
        where: The recipe, for messages.
        within: The prefix of the keys in messages, such as ``before[0].``.

    Raises:
        UsageError: A number is out of range, or not exactly one of ``model`` and ``vocabulary`` is
            set.
    """
    check_settings(settings.as_neural_settings(), where, within)
    if bool(options.model) == bool(options.vocabulary):
        raise UsageError(
            f"{within}reader.options sets "
            + ("both vocabulary and model" if options.model else "neither vocabulary nor model"),
            where=where,
            expected="vocabulary for a new encoder, or model to continue from a checkpoint",
            cure="set one of the two",
        )
    max_length = options.positions if options.vocabulary else _MAX_POSITIONS
    reason = " (positions)" if options.vocabulary else ""  # a model has its own limit
    wrong = {
        "reader.options.heads": options.hidden % options.heads != 0
        and f"a divisor of hidden, {options.hidden}",
        "train.length": not 8 <= settings.length <= max_length
        and f"from 8 to {max_length:,}{reason}",
        "train.mask_share": not 0 < settings.mask_share < 1 and "between 0 and 1",
        "train.held_out": not 0 < settings.held_out <= 0.5 and "above 0, at most 0.5",
        "train.dropout": not 0 <= settings.dropout < 1 and "from 0 to below 1",
    }
    for name, expected in wrong.items():
        if expected:
            raise out_of_range(within + name, where, expected)


def parse_options(request: Request) -> tuple[PretrainSettings, EncoderOptions]:
    """Parse and check the settings of the training and the options of the encoder.

    Raises:
        InputError: A key is unknown, a value is wrong, or a data set is missing.
        UsageError: A number is out of range, not exactly one of ``model`` and ``vocabulary`` is
            set, or there are stages.
    """
    settings = request.parse_table(request.recipe.train, PretrainSettings, "train")
    options = request.parse_table(request.recipe.reader.options, EncoderOptions, "reader.options")
    check_pretraining(settings, options, str(request.path), request.within)
    refuse_stages(request)
    resolve_path("model", options.model)
    resolve_path("vocabulary", options.vocabulary)
    open_each(
        partial(request.open_dataset, source.path, source.format) for source in settings.datasets
    )
    return settings, options


def precheck(request: Request) -> None:
    """Check the recipe and the output folder.

    Raises:
        CloseReadError: As the training itself would, once torch is loaded.
    """
    parse_options(request)
    if not request.within:
        check_folder_free(request.out, request.recipe, request.resume, request.overwrite)
