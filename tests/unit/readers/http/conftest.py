"""What tests of readers behind an address share."""

import json

import pytest


@pytest.fixture
def questions(tmp_path):
    rows = [
        {
            "passage": {"passage_id": f"p{place}", "text": f"Passage {place} says little."},
            "questions": [
                {
                    "question_id": f"GOLD-ID-{place}", "passage_id": f"p{place}",
                    "text": f"What is {place}?", "kind": "span", "tags": {"hint": "GOLD-TAG"},
                    "answers": [{"kind": "span", "texts": [f"GOLD-TEXT-{place}"]}],
                    "gold_evidence": [{"spans": [[0, 7]]}], "group_id": f"GOLD-GROUP-{place}",
                }
            ],
        }
        for place in range(40)
    ]  # fmt: skip
    path = tmp_path / "set.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path
