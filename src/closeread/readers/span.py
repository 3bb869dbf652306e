"""The reader ``span``: an encoder with a span head, over windows of the passage.

torch is imported only when a reader is made.
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
    """Make the reader ``span``.

    Args:
        model: A folder, or a hub name: an encoder with a question-answering head.
        device: Such as ``cpu`` or ``cuda:0``.
        dtype: Such as ``float32`` or ``bfloat16``.
        max_length: Maximum tokens of a window, question and special tokens included; the model's
            own maximum is used if it is smaller.
        stride: Tokens between the starts of neighbouring windows. By default neighbours overlap
            by 96 tokens, or by a third of ``max_length`` if that is fewer.
        max_answer_tokens: Maximum tokens of an answer.
        n_best: Number of candidates in a prediction.
        null: Whether the model can say that there is no answer (SQuAD 2.0): ``on``, ``off``, or
            ``auto``, which takes what ``closeread train`` wrote into its configuration.
        null_threshold: The probability of "no answer" above which the reader gives no answer. With
            1 it always answers, which a search for the best threshold needs.
        length_penalty: Subtracted from a span's score (a sum of two logits) for every token after
            the first; by default the value that ``closeread train`` wrote into the model's
            configuration, or 0.
        runtime: ``torch``, ``onnx`` (ONNX Runtime) or ``int8`` (ONNX Runtime with 8-bit weights).
        token_budget: Maximum tokens of a batch; 0 uses the device's default.
        pickled: Also read weights that are not safetensors. Such files can run code.

    Raises:
        UsageError: ``model`` is empty, or a value is out of range.
        InputError: The model cannot be opened, or has no question-answering head.
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
    for name, choice, known in (("null", null, Null), ("runtime", runtime, Runtime)):
        if choice not in get_args(known):
            raise UsageError(f"{name}={choice}", expected="one of " + ", ".join(get_args(known)))
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
