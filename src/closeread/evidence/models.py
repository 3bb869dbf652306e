"""The models that a retriever uses, with their numbers of parameters.

Retrievers, encoders and their parts declare them in an attribute ``models``. The run's record holds
them, because contests count every model that had a part in an answer.
"""

from closeread.registry.contracts import unwrap_part
from closeread.types import Record


class UsedModel(Record, frozen=True, kw_only=True):
    """A model beside the reader's own.

    Attributes:
        name: As the user named it; for a part that declares no models, its class.
        n_parameters: None if unknown.
        sha256: Of the file of word vectors; empty for other models.
    """

    name: str
    n_parameters: int | None = None
    sha256: str = ""


def declared_models(part: object) -> tuple[UsedModel, ...] | None:
    """Return the models that a part declares; None if it has no such ``models``."""
    found = getattr(unwrap_part(part), "models", None)
    if isinstance(found, tuple | list) and all(isinstance(one, UsedModel) for one in found):
        return tuple(found)
    return None


def models_of(*parts: object) -> tuple[UsedModel, ...]:
    """Return the models of several parts, each once; a part that declares none counts as one."""
    found: list[UsedModel] = []
    for part in parts:
        declared, kind = declared_models(part), type(unwrap_part(part))
        itself = UsedModel(name=f"{kind.__module__}.{kind.__name__}")
        found += (itself,) if declared is None else declared
    return tuple(dict.fromkeys(found))
