"""What a masking retriever looked for is shown of a run only where it is that run's."""

import pytest

from closeread.evidence.vectors.train import train
from closeread.pipeline.extract import evidence_of
from closeread.pipeline.shading import add_attention
from closeread.registry.factory import make
from closeread.reports.gather import gather
from closeread.types import Evidence, Prediction, Span
from report_runs import PASSAGE, correctness_by_id, triple, write_run, write_set

pytest.importorskip("gensim", reason="gensim is not installed")


@pytest.fixture
def shaded(tmp_path):
    """Shade a run of a triple whose second question has evidence that nothing finds."""
    vectors = tmp_path / "v.bin"
    train([(PASSAGE.text, PASSAGE.language)], vectors, dimensions=20, least=1)
    options = {"retriever": "soft-masking", "vectors": str(vectors), "integrate": "off"}
    retriever, _ = make("retriever", "soft-masking", {"vectors": str(vectors), "integrate": "off"})
    questions = triple("t")
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, questions)])
    predictions = [
        Prediction(question_id=one.question_id, evidence=evidence_of(retriever, PASSAGE, one))
        for one in questions
    ]
    wrong = (Evidence(spans=(Span(0, 3),), option_label="A"),)
    predictions[1] = Prediction(question_id=questions[1].question_id, evidence=wrong)
    values = {"choice.accuracy": correctness_by_id(dataset, predictions)}

    def made(**changes):
        path = write_run(
            tmp_path / "run", dataset, predictions, values,
            reader="evidence", options=options | changes,
        )  # fmt: skip
        material = gather([path])
        said = []
        add_attention(material, said.append)
        return material.runs[0].results, said

    return made


def test_attention_needs_the_same_evidence(shaded):
    """Where the retriever finds other evidence now, its steps did not lead to the run's."""
    told, said = shaded()
    assert set(told["t-original"].attention) == {"A", "B"}
    assert told["t-positive"].attention == {}
    weights = told["t-original"].attention["A"].steps[0][0]
    assert sum(weight for _, weight in weights) == pytest.approx(1.0)
    assert said == [
        "run: shown without the retriever's steps for 1 question, because the retriever now finds "
        "different evidence"
    ]


def test_other_retrievers_have_no_attention(shaded):
    """Nothing is worked out, and nothing said, of a run of another retriever."""
    told, said = shaded(retriever="bm25")
    assert said == []
    assert all(one.attention == {} for one in told.values())


@pytest.mark.parametrize("changes", [{"vectors": "gone.bin"}, {"sharpnes": 2.0}])
def test_a_retriever_that_cannot_be_made_is_reported(shaded, changes):
    """Its vectors are gone, or an option is not known any more: the page does without."""
    told, (said,) = shaded(**changes)
    assert said.startswith("run: shown without the retriever's steps: ")
    assert all(one.attention == {} for one in told.values())
