"""A reader that points at the answer: an encoder with a span head over windows of the passage.

What needs torch is loaded when the reader is made.
"""

from typing import TYPE_CHECKING, Literal, get_args

from closeread.errors import UsageError
from closeread.readers.models.location import require_model
from closeread.readers.neural.spans import MAX_LENGTH_PENALTY
from closeread.registry.extras import require_extra
from closeread.registry.factory import PathText

if TYPE_CHECKING:
    from closeread.readers.neural.span import SpanReader

Runtime = Literal["torch", "onnx", "int8"]
Null = Literal["auto", "on", "off"]


def span(
    *,
    model: PathText = "",
    device: str = "cpu",
    dtype: str = "float32",
    max_length: int = 384,
    stride: int | None = None,
    max_answer_tokens: int = 30,
    n_best: int = 5,
    null: str = "auto",
    null_threshold: float = 0.5,
    length_penalty: float | None = None,
    runtime: str = "torch",
    token_budget: int = 0,
    pickled: bool = False,
) -> "SpanReader":
    """Make the reader.

    Args:
        model: A folder, or a hub name: an encoder with a question-answering head.
        device: Such as ``cpu`` or ``cuda:0``.
        dtype: Such as ``float32`` or ``bfloat16``.
        max_length: Tokens of a window, question and special tokens included; less where the model
            takes less.
        stride: Tokens by which windows move; by default as far as leaves neighbours 96 tokens to
            share, or a third of ``max_length`` where that is less.
        max_answer_tokens: Tokens that an answer may have.
        n_best: How many candidates a prediction holds.
        null: Whether the model can say that there is no answer (SQuAD 2.0): ``on``, ``off``, or
            ``auto``, which takes what ``closeread train`` wrote into its configuration.
        null_threshold: The probability of "no answer" above which that is the answer. 1 always
            gives an answer, as one needs to seek the best threshold.
        length_penalty: What each token of an answer but one takes off its score, which is a sum of
            two logits; by default what ``closeread train`` wrote into the model's configuration,
            or nothing.
        runtime: ``torch``, ``onnx`` (ONNX Runtime) or ``int8`` (the same with weights of 8 bits).
        token_budget: Tokens of a batch; 0 for what suits the device.
        pickled: Also read weights that are not safetensors. Such files can run code.

    Raises:
        UsageError: No model is named, or a value is out of its range.
        InputError: The model cannot be opened, or has no such head.
        MissingExtraError: torch, transformers or onnxruntime is not installed.
    """
    require_model(model)
    for name, value in (("stride", stride), ("max_answer_tokens", max_answer_tokens)):
        if value is not None and value < 1:
            raise UsageError(f"{name}={value}", expected="at least 1")
    if n_best < 1 or token_budget < 0 or not 0 <= null_threshold <= 1:
        raise UsageError(
            f"n_best={n_best}, token_budget={token_budget}, null_threshold={null_threshold}",
            expected="n_best at least 1, token_budget at least 0, null_threshold from 0 to 1",
        )
    if length_penalty is not None and not 0 <= length_penalty <= MAX_LENGTH_PENALTY:
        raise UsageError(
            f"length_penalty={length_penalty:g}", expected=f"from 0 to {MAX_LENGTH_PENALTY:g}"
        )
    for name, given, known in (("null", null, Null), ("runtime", runtime, Runtime)):
        if given not in get_args(known):
            raise UsageError(f"{name}={given}", expected="one of " + ", ".join(get_args(known)))
    if runtime != "torch" and (device, dtype) != ("cpu", "float32"):
        raise UsageError(
            f"runtime={runtime} with device={device} and dtype={dtype}",
            expected="device=cpu and dtype=float32: ONNX Runtime computes on the CPU only",
        )
    with require_extra("the reader span", "neural-readers"):
        from closeread.readers.neural.span import open_reader
    return open_reader(
        model,
        device=device,
        dtype=dtype,
        pickled=pickled,
        runtime=runtime,
        max_length=max_length,
        stride=stride,
        max_answer_tokens=max_answer_tokens,
        n_best=n_best,
        null=null,
        null_threshold=null_threshold,
        length_penalty=length_penalty,
        token_budget=token_budget or None,
    )
