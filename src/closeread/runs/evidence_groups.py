"""Evidence by how much of it there is to find: how many gold sentences, how far from each other."""

from msgspec.structs import replace

from closeread import catalog
from closeread.metrics.intervals import Resampling
from closeread.metrics.summary import summarize
from closeread.protocols import Metric
from closeread.text.segment import sentences
from closeread.types import Evidence, Passage, Prediction, Question, Score, Submission, Summary


class EvidenceGroups:
    """Scores options by the number of their gold sentences and by the distance between them.

    The distance is in sentences, from the first gold sentence to the last; options with one gold
    sentence have none. Only gold of options (VGaokao) is grouped.
    """

    def __init__(self, resampling: Resampling | None) -> None:
        self._resampling = resampling
        self._metric: Metric = catalog.resolve("metric", "evidence")()
        self._scores: dict[tuple[str, str], list[Score]] = {}
        self._told: dict[str, Prediction] = {}

    def add(self, passage: Passage, question: Question, prediction: Prediction) -> None:
        """Score one question, each option in its groups."""
        gold = [one for one in question.gold_evidence if one.option_label and one.spans]
        if not gold:
            return
        name = question.question_id
        self._told[name] = Prediction(
            question_id=name, answer=prediction.answer, error=prediction.error
        )
        starts = [span.start for span in sentences(passage.text, passage.language)]
        groups: dict[tuple[str, str], list[Evidence]] = {}
        for one in gold:
            groups.setdefault(("sentences", _number(len(set(one.spans)))), []).append(one)
            if len(set(one.spans)) > 1:
                places = [
                    sum(start <= span.start for start in starts) for span in sorted(one.spans)
                ]
                apart = _distance(places[-1] - places[0])
                groups.setdefault(("distance", apart), []).append(one)
        for key, members in groups.items():
            part = replace(question, gold_evidence=tuple(members))
            self._scores.setdefault(key, []).append(self._metric.score(part, prediction))

    def summaries(self) -> dict[str, dict[str, dict[str, Summary]]]:
        """Return the metric's summaries by ``sentences`` and ``distance``, in their order."""
        found: dict[str, dict[str, dict[str, Summary]]] = {}
        for (by, value), scores in sorted(self._scores.items()):
            predictions = {one.question_id: self._told[one.question_id] for one in scores}
            found.setdefault(by, {})[value] = {
                one.metric: one
                for one in summarize(
                    self._metric, scores, Submission(predictions=predictions), self._resampling
                )
            }
        return found


def _number(count: int) -> str:
    return str(count) if count < 3 else "3 and more"


def _distance(sentences_apart: int) -> str:
    if sentences_apart <= 1:
        return "1"
    return "2 to 4" if sentences_apart <= 4 else "5 and more"
