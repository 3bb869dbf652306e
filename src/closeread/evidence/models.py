"""Which models a retriever works with, and how many numbers they have learned.

Retrievers, encoders and what they are made of tell it by an attribute ``models``. It stands in the
run's record: contests count every model that had a part in an answer.
"""

from closeread.registry.contracts import unwrap_part
from closeread.types import Record


class UsedModel(Record, frozen=True, kw_only=True):
    """A model beside the reader's own.

    Attributes:
        name: As the user named it; of one that tells nothing of itself, its kind.
        n_parameters: None where nobody knows.
        sha256: Of the file of word vectors; empty where it is none.
    """

    name: str
    n_parameters: int | None = None
    sha256: str = ""


def declared_models(part: object) -> tuple[UsedModel, ...] | None:
    """Return the models that a part tells of; None where it does not, whatever it calls so."""
    found = getattr(unwrap_part(part), "models", None)
    if isinstance(found, tuple | list) and all(isinstance(one, UsedModel) for one in found):
        return tuple(found)
    return None


def models_of(*parts: object) -> tuple[UsedModel, ...]:
    """Return the models of several parts, each once; a part that tells of none is one itself."""
    found: list[UsedModel] = []
    for part in parts:
        told, kind = declared_models(part), type(unwrap_part(part))
        itself = UsedModel(name=f"{kind.__module__}.{kind.__name__}")
        found += (itself,) if told is None else told
    return tuple(dict.fromkeys(found))
