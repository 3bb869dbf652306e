"""VGaokao's own sentences, bit for bit, and the sentences that its annotators marked."""

import hashlib
import json
from pathlib import Path

from closeread import formats
from closeread.text.segment import vgaokao


def test_sentences_are_the_authors(golden, corpus: Path):
    """All 557 test passages and all hand-made strings are split as the official program does."""
    data = json.loads((corpus / "data/vgaokao/test.json").read_text("utf-8"))["data"]
    contexts = {row["cid"]: row["context"] for row in data}
    rows = golden("vgaokao/sentences.jsonl")
    compared = set()
    for row in rows:
        text = row["text"] if "text" in row else contexts[row["cid"]]
        if "sha1" in row:
            assert hashlib.sha1(text.encode()).hexdigest() == row["sha1"]
            compared.add(row["cid"])
        assert [[span.start, span.end] for span in vgaokao(text)] == row["offsets"], row["cid"]
    assert compared == set(contexts)
    print(f"{len(rows)} texts equal, {len(compared)} of them passages")


def test_gold_evidence_is_the_golden_sentences(golden, corpus: Path):
    """The gold spans of every visible option are the sentences that the golden rows number."""
    path = corpus / "data/vgaokao/sample_annotation_visible.json"
    marked = {}
    for passage, questions in formats.load(path):
        numbers = {span: index for index, span in enumerate(vgaokao(passage.text))}
        for question in questions:
            for option, evidence in zip(question.options, question.gold_evidence, strict=True):
                assert evidence.option_label == option.label
                marked[question.question_id, option.label] = [numbers[s] for s in evidence.spans]
    text = (corpus / "golden/vgaokao/evidence.json").read_text("utf-8")
    rows = json.loads(text)["options"]
    assert len(rows) == len(marked) == 52
    for row in rows:
        label = "ABCD"[row["opid"]]
        assert marked[str(row["qid"]), label] == sorted(row["golden"]), row["qid"]
