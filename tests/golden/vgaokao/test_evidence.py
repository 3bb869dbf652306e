"""VGaokao's evidence precision, recall and F1: every visible option, equal to the last bit."""

import json

import pytest

from closeread import load
from closeread.formats.submissions import load_submission
from closeread.metrics.evidence import metric, official, overlap
from closeread.metrics.intervals import value
from closeread.types import Span


@pytest.fixture(scope="module")
def golden(corpus):
    return json.loads((corpus / "golden" / "vgaokao" / "evidence.json").read_text("utf-8"))


def test_every_visible_option_by_sentence_index(golden):
    compared = 0
    for row in golden["options"]:
        spans = [Span(10 * place, 10 * place + 10) for place in range(row["sentences"])]
        found = overlap(
            [spans[place] for place in row["golden"]], [spans[place] for place in row["official"]]
        )
        assert found == (row["precision"], row["recall"], row["f1"]), row
        compared += 1
    print(f"{compared} options compared")
    assert compared == golden["visible_options"] == 52


def test_every_visible_option_from_the_published_files(corpus, golden):
    folder = corpus / "data" / "vgaokao"
    dataset = load(folder / "sample_annotation_visible.json")
    submission = load_submission(folder / "official_evidence.json", dataset)
    rows = {(row["qid"], "ABCD"[row["opid"]]): row for row in golden["options"]}
    compared = 0
    scores = []
    for question in dataset.questions():
        score = metric().score(question, submission.predictions[question.question_id])
        scores.append(score)
        for option in question.options:
            row = rows[question.question_id, option.label]
            found = tuple(
                score.values[f"{key}.{option.label}"] for key in ("precision", "recall", "f1")
            )
            assert found == (row["precision"], row["recall"], row["f1"]), row
            compared += 1
    print(f"{compared} options compared")
    assert compared == 52
    assert official(scores) == golden["visible_mean"]
    for pool in metric().pool(scores, submission):
        expected = golden["visible_mean"][pool.metric.partition(".")[2]]
        assert value(pool) == pytest.approx(expected, abs=1e-15)
        assert len(pool.unit_ids) == 13
