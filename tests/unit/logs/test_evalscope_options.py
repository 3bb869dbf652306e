"""Multiple choice of EvalScope: the options stand in the prompt, the letter in the review."""

import json

import pytest

from closeread.runs.ingest import ingest

ASKED = "Article:\nAnn ran home.\n\nQuestion: Who ran?\n\nA) Ann\nB) Bob\nC) nobody"


@pytest.mark.parametrize(
    ("extracted", "asked", "kind", "said"),
    [
        ("A", ASKED, "choice", "Ann"),
        ("nothing", ASKED, "choice", None),
        (None, ASKED, "choice", "Ann"),  # predictions without a review: read from the text
        ("A", "Article:\nAnn ran home.\n\nQuestion: Who ran?", "span", "A"),
    ],
)
def test_a_letter_is_an_option_not_an_article(tmp_path, extracted, asked, kind, said):
    score = {"value": {"acc": 1.0}, "prediction": "ANSWER: A"}
    row = {
        "index": 0,
        "target": "A",
        "messages": [{"role": "user", "content": asked}],
        "sample_score": {
            "score": score | ({} if extracted is None else {"extracted_prediction": extracted})
        },
    }
    path = tmp_path / "race_default.jsonl"
    path.write_text(json.dumps(row) + "\n")
    (run,) = ingest([path], tmp_path / "run").runs
    (question,) = run.dataset().questions()
    (prediction,) = run.predictions()
    assert (question.text, question.kind) == ("Who ran?", kind)
    assert (prediction.answer.texts[0] if prediction.answer else None) == said
    assert ("options" in run.info.log.lost) is (kind == "span")
    assert ("extraction" in run.info.log.lost) is (extracted is None)
