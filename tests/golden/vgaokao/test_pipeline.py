"""The authors' own evidence and the paper's baselines, through closeread's pipeline."""

import json

import pytest

from closeread import load
from closeread.formats.submissions import load_submission
from closeread.metrics.evidence import official
from closeread.pipeline.extract import EvidenceScorer, extract
from command_line import run_in_subprocess


@pytest.fixture(scope="module")
def golden(corpus):
    return json.loads((corpus / "golden/vgaokao/evidence.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def visible(corpus):
    return corpus / "data/vgaokao/sample_annotation_visible.json"


def values(summaries):
    return {name.partition(".")[2]: found.value for name, found in summaries.items()}


def test_the_authors_evidence_scores_as_theirs(corpus, golden, visible):
    """Scored as extracted evidence is, official_evidence.json gives the golden means."""
    dataset = load(visible)
    submission = load_submission(corpus / "data/vgaokao/official_evidence.json", dataset)
    scorer = EvidenceScorer(None)
    for question in dataset.questions():
        scorer.add(question, submission.predictions[question.question_id])
    assert values(scorer.summaries()) == pytest.approx(golden["visible_mean"], abs=1e-15)


def test_the_authors_evidence_scores_as_theirs_by_command(corpus, golden, visible):
    done = run_in_subprocess(
        "score", "--dataset", visible, "--predictions",
        corpus / "data/vgaokao/official_evidence.json", "--metric", "evidence", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = {n.partition(".")[2]: m["value"] for n, m in json.loads(done.stdout)["metrics"].items()}
    assert found == pytest.approx(golden["visible_mean"], abs=1e-15)


def test_bm25_behaves_as_in_table_3(visible):
    """Top 1 is precise, top 2 complete, and top 1 has the higher F1, by the paper's margins."""
    found = {}
    for k in (1, 2):
        scorer = EvidenceScorer(None)
        options = {"k": k, "sentences": "vgaokao"}
        for _, question, prediction in extract(load(visible), "bm25", options):
            scorer.add(question, prediction)
        found[k] = values(scorer.summaries())
    print({k: {name: round(100 * one, 1) for name, one in of.items()} for k, of in found.items()})
    paper = {
        1: {"precision": 0.930, "recall": 0.711, "f1": 0.779},
        2: {"precision": 0.645, "recall": 0.877, "f1": 0.716},
    }
    for k, expected in paper.items():
        assert found[k] == pytest.approx(expected, abs=0.02)


def test_extracting_does_not_change_what_official_adds_up(visible):
    """The mean over options in file order agrees with the pooled one."""
    from closeread.metrics.evidence import metric

    scores = []
    scorer = EvidenceScorer(None)
    for _, question, prediction in extract(load(visible), "bm25", {"sentences": "vgaokao"}):
        scores.append(metric().score(question, prediction))
        scorer.add(question, prediction)
    assert values(scorer.summaries()) == pytest.approx(official(scores), abs=1e-12)
