"""Readers that verify every option against its evidence with a cross-encoder.

``verifier`` uses any retriever; ``extract-integrate-compete`` has the defaults of Zhang et al.
(2021). torch is imported only when a reader is made.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from closeread.errors import UsageError
from closeread.readers.models.location import require_model
from closeread.registry.extras import require_extra
from closeread.registry.factory import PathText, check_options, has_option, make

if TYPE_CHECKING:
    from closeread.readers.neural.verifier import VerifierReader

SCORES = ("probability", "logit")
PAPER = {"retriever": "soft-masking", "sentences": "vgaokao"}  # of Zhang et al. (2021)


def verifier(
    *,
    model: PathText = "",
    retriever: str = "cover",
    evidence_model: PathText = "",
    score: str = "probability",
    label: str = "",
    max_length: int = 256,
    device: str = "cpu",
    dtype: str = "float32",
    token_budget: int = 0,
    pickled: bool = False,
    **options: Any,
) -> "VerifierReader":
    """Make the reader ``verifier``.

    Args:
        model: A folder, or a hub name: an encoder with a head of two classes (supported or not),
            of three (natural language inference) or of one number.
        retriever: From ``closeread ls retrievers``, or ``package.module:factory``.
        evidence_model: The option ``model`` of the retriever, if it has one.
        score: The score of an option: the ``probability`` of "supported", or its log-odds,
            ``logit``.
        label: The class that means "supported", if the names of the model's classes do not show it.
        max_length: Maximum tokens of evidence and option together; the model's own maximum is used
            if it is smaller. The longer of the two is cut.
        device: Such as ``cpu`` or ``cuda:0``.
        dtype: Such as ``float32`` or ``bfloat16``.
        token_budget: Maximum tokens of a batch; 0 uses the device's default.
        pickled: Also read weights that are not safetensors. Such files can run code.
        **options: The retriever's other options.

    Raises:
        UsageError: ``model`` is empty, or a value is out of range.
        InputError: The model cannot be opened, or has no classification head.
        MissingExtraError: torch or transformers is not installed.
    """
    if score not in SCORES:
        raise UsageError(f"score={score}", expected=" or ".join(SCORES))
    if token_budget < 0:
        raise UsageError(f"token_budget={token_budget}", expected="at least 0")
    require_model(model)
    opened_retriever, resolved = make_retriever(retriever, evidence_model, options)
    with require_extra("the verifier", "neural-readers"):
        from closeread.readers.neural.verifier import open_reader
    return open_reader(
        model,
        opened_retriever,
        resolved,
        score=score,
        label=label,
        max_length=max_length,
        device=device,
        dtype=dtype,
        token_budget=token_budget or None,
        pickled=pickled,
    )


def extract_integrate_compete(
    *,
    model: PathText = "",
    retriever: str = PAPER["retriever"],
    sentences: str = PAPER["sentences"],
    **options: Any,
) -> "VerifierReader":
    """Make the system of Zhang et al. (2021): soft masking, its integrator, and competition.

    Two models have no default: soft masking needs word vectors (``vectors``; the paper's:
    ``sgns.merge.char``), the integrator a Sentence-BERT (``evidence_model``; the paper's:
    ``distiluse-base-multilingual-cased-v1``).

    Args:
        model: As for ``verifier``; trained by ``closeread train recipes/train/vgaokao-*.toml``.
        retriever: Another retriever, to compare.
        sentences: How the retriever splits passages; empty leaves that to the retriever.
        **options: Other options of ``verifier`` and of the retriever.
    """
    sentence_option = {"sentences": sentences} if sentences else {}
    all_options = {"model": model, "retriever": retriever} | sentence_option | options
    opened, resolved = make("reader", "verifier", all_options)
    opened.options = resolved
    reader: VerifierReader = opened
    return reader


def make_retriever(name: str, model: str, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Make a verifier's retriever; return it with all of its options, as a verifier names them.

    Args:
        name: From ``closeread ls retrievers``, or ``package.module:factory``.
        model: The retriever's option ``model``, which a verifier calls ``evidence_model``.
        options: The retriever's other options.

    Raises:
        UsageError: The retriever does not take these options.
    """
    with _report_model_as_evidence_model():
        retriever, resolved = make("retriever", name, _retriever_options(name, model, options))
    if "model" in resolved:
        resolved["evidence_model"] = resolved.pop("model")
    return retriever, resolved


def check_retriever(name: str, model: str, options: dict[str, Any]) -> None:
    """Check the options of a verifier's retriever without making it.

    Args:
        name: As for ``make_retriever``.
        model: As for ``make_retriever``.
        options: As for ``make_retriever``.

    Raises:
        UsageError: The retriever does not take these options.
    """
    with _report_model_as_evidence_model():
        check_options("retriever", name, _retriever_options(name, model, options))


def _retriever_options(name: str, model: str, options: dict[str, Any]) -> dict[str, Any]:
    if "sentences" in options and not has_option("retriever", name, "sentences"):
        raise UsageError(
            f"the retriever {name} has no option 'sentences'",
            cure="leave it out; with extract-integrate-compete, which sets it by default, give "
            "-o sentences= with no value",
        )
    return options | ({"model": model} if model else {})


@contextmanager
def _report_model_as_evidence_model() -> Iterator[None]:
    """Name the option ``model`` of a retriever ``evidence_model`` in error messages."""
    try:
        yield
    except UsageError as error:
        expected, cure = (
            text.replace("-o model=", "-o evidence_model=") for text in (error.expected, error.cure)
        )
        raise UsageError(error.found, where=error.where, expected=expected, cure=cure) from error
