"""Makes training examples of training data: one set of features for each data set."""

from collections.abc import Iterator, Sequence
from random import Random

from closeread.errors import InputError
from closeread.protocols import Begin
from closeread.readers.models.vocabulary import unknown_token_id, warn_of_unknown
from closeread.readers.neural.checkpoint import Checkpoint
from closeread.training.neural.inference import SecondInferenceTask
from closeread.training.neural.packed_features import PackedFeatures
from closeread.training.neural.task import Task
from closeread.training.neural.training_data import TrainingData
from closeread.training.request import Request
from closeread.types import PassageQuestion
from closeread.wording import count_of


def make_features(
    request: Request,
    task: Task | SecondInferenceTask,
    checkpoint: Checkpoint,
    training_data: Sequence[TrainingData],
    seed: int,
) -> list[PackedFeatures]:
    """Return the features of each data set, and empty its list of questions.

    Raises:
        InputError: The task learns nothing from any of the data sets.
    """
    reader = request.recipe.reader.name
    features = []
    unknown_token = unknown_token_id(checkpoint.tokenizer)
    for items, dataset in training_data:
        rng = Random(f"{seed}/{dataset.path}/features")
        counted = _with_progress(items, request.begin_examples)
        packed = PackedFeatures(task.features(checkpoint, counted, rng))
        features.append(packed)
        remark = "" if packed else f": {reader} learns nothing from it"
        request.say(f"{dataset.path}: {count_of(len(packed), 'example')}{remark}")
        if warning := warn_of_unknown(packed.share_of(unknown_token)):
            request.say(f"{dataset.path}: {warning}")
        items.clear()  # texts need more memory than the features
    if not any(features):
        raise nothing_to_learn(request, training_data)
    return features


def nothing_to_learn(request: Request, training_data: Sequence[TrainingData]) -> InputError:
    """Return the error for data sets without a question that the reader can learn from."""
    return InputError(
        f"no question that {request.recipe.reader.name} can learn from",
        where=", ".join(dataset.path for _, dataset in training_data),
        expected="questions of a kind that the reader answers, with gold answers",
    )


def _with_progress(items: Sequence[PassageQuestion], begin: Begin) -> Iterator[PassageQuestion]:
    advance = begin(len(items))
    for item in items:
        yield item
        advance(1)
