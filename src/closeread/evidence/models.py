"""The models that a retriever uses, with their numbers of parameters.

Retrievers, encoders and their parts declare them in an attribute ``models``. A run records them,
because contests count every model that contributed to an answer.
"""

from closeread.registry.contracts import unwrap_part
from closeread.types import Record


class UsedModel(Record, frozen=True, kw_only=True):
    """A model other than the reader's own.

    Attributes:
        name: As the user named it; for a part that declares no models, its class.
        n_parameters: The number of parameters; None if unknown.
        sha256: The hash of the file of word vectors; empty for other models.
    """

    name: str
    n_parameters: int | None = None
    sha256: str = ""


def declared_models(part: object) -> tuple[UsedModel, ...] | None:
    """Return the models that a part declares; None if it has no such ``models``."""
    models = getattr(unwrap_part(part), "models", None)
    if isinstance(models, tuple | list) and all(isinstance(model, UsedModel) for model in models):
        return tuple(models)
    return None


def models_of(*parts: object) -> tuple[UsedModel, ...]:
    """Return the models of several parts, each once; a part that declares none counts as one."""
    models: list[UsedModel] = []
    for part in parts:
        declared, kind = declared_models(part), type(unwrap_part(part))
        itself = UsedModel(name=f"{kind.__module__}.{kind.__name__}")
        models += (itself,) if declared is None else declared
    return tuple(dict.fromkeys(models))
