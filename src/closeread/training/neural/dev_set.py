"""The questions of ``train.dev``, and the metric that chooses the best state by them."""

from dataclasses import dataclass

from closeread.training.neural.dev_metric import check_metric, default_metric, with_id_prefix
from closeread.training.neural.task import Task
from closeread.training.neural.training_data import DrawnDataset, draw_questions
from closeread.training.recipes.settings import NeuralSettings
from closeread.training.request import Request
from closeread.types import PassageQuestion

_SEED = 0


@dataclass(frozen=True, kw_only=True)
class DevSet:
    """The dev questions of a training.

    Attributes:
        questions: Of all sets; empty if the recipe names none.
        datasets: What was drawn from each set.
        metric: The value to measure, such as ``squad.f1``.
    """

    questions: tuple[PassageQuestion, ...]
    datasets: tuple[DrawnDataset, ...]
    metric: str


def load_dev(request: Request, settings: NeuralSettings, task: Task) -> DevSet:
    """Load the dev questions and check that the metric can be computed on them.

    The draw does not depend on the recipe's seed, so that trainings that differ in their seed, such
    as the members of a soup, are compared on the same questions. With several sets each id gets the
    number of its set as prefix, because sets may share ids.

    Raises:
        InputError: The task's reader answers none of the questions, or none has a gold answer.
        UsageError: The metric scores none of them.
    """
    questions: list[PassageQuestion] = []
    datasets = []
    for number, source in enumerate(settings.dev):
        drawn, dataset = draw_questions(
            source, request.open_dataset, None, _SEED, whole_groups=True
        )
        datasets.append(dataset)
        several = len(settings.dev) > 1
        questions += [with_id_prefix(item, f"{number}/") for item in drawn] if several else drawn
    metric = settings.metric or default_metric(task.metric, questions)
    if questions:
        check_metric(
            questions,
            metric,
            task.answers,
            request.recipe.reader.name,
            f"{request.within}train",
        )
    return DevSet(questions=tuple(questions), datasets=tuple(datasets), metric=metric)
