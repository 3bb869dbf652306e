"""Readers that hold every option against its evidence with a cross-encoder.

``verifier`` with a retriever of the user's choice, ``extract-integrate-compete`` with the defaults
of Zhang et al. (2021). What needs torch is loaded when a reader is made.
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
    """Make the reader.

    Args:
        model: A folder, or a hub name: an encoder with a head of two classes (supported or not),
            of three (natural language inference) or of one number.
        retriever: From ``closeread ls retrievers``, or ``package.module:factory``.
        evidence_model: The retriever's own ``model``, where it has one.
        score: Of an option: the ``probability`` of "supported", or its log-odds, ``logit``.
        label: The class that means "supported", where the model's names do not tell.
        max_length: Tokens of evidence and option together, less where the model takes less; the
            longer of them is cut.
        device: Such as ``cpu`` or ``cuda:0``.
        dtype: Such as ``float32`` or ``bfloat16``.
        token_budget: Tokens of a batch; 0 for what suits the device.
        pickled: Also read weights that are not safetensors. Such files can run code.
        **options: The retriever's own.

    Raises:
        UsageError: No model is named, or a value is out of its range.
        InputError: The model cannot be opened, or has no such head.
        MissingExtraError: torch or transformers is not installed.
    """
    if score not in SCORES:
        raise UsageError(f"score={score}", expected=" or ".join(SCORES))
    if token_budget < 0:
        raise UsageError(f"token_budget={token_budget}", expected="at least 0")
    require_model(model)
    found, resolved = make_retriever(retriever, evidence_model, options)
    with require_extra("the verifier", "neural-readers"):
        from closeread.readers.neural.verifier import open_reader
    return open_reader(
        model,
        found,
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

    Nothing stands in for what it needs: soft masking wants word vectors (``vectors``; the paper's:
    ``sgns.merge.char``), its integrator a Sentence-BERT (``evidence_model``; the paper's:
    ``distiluse-base-multilingual-cased-v1``).

    Args:
        model: As for ``verifier``; trained by ``closeread train recipes/train/vgaokao-*.toml``.
        retriever: Another one, to compare.
        sentences: How it splits passages; empty leaves that to it.
        **options: Further ones of ``verifier``, and the retriever's own.
    """
    named = {"sentences": sentences} if sentences else {}
    given = {"model": model, "retriever": retriever} | named | options
    made, resolved = make("reader", "verifier", given)
    made.options = resolved
    reader: VerifierReader = made
    return reader


def make_retriever(name: str, model: str, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Make a verifier's retriever; return it with all of its options under our names.

    Args:
        name: From ``closeread ls retrievers``, or ``package.module:factory``.
        model: The retriever's own model, which a verifier calls ``evidence_model``.
        options: The retriever's others.

    Raises:
        UsageError: The retriever lacks something.
    """
    with _renaming_model_option():
        made, resolved = make("retriever", name, _retriever_options(name, model, options))
    if "model" in resolved:
        resolved["evidence_model"] = resolved.pop("model")
    return made, resolved


def check_retriever(name: str, model: str, options: dict[str, Any]) -> None:
    """See that a verifier's retriever takes its options, without making it; as ``retriever_of``."""
    with _renaming_model_option():
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
def _renaming_model_option() -> Iterator[None]:
    """Call the retriever's own model as a verifier does."""
    try:
        yield
    except UsageError as error:
        expected, cure = (
            said.replace("-o model=", "-o evidence_model=") for said in (error.expected, error.cure)
        )
        raise UsageError(error.found, where=error.where, expected=expected, cure=cure) from error
