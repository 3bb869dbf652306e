"""Provide a passage on a few topics, a claim on two of them, and an encoder of these topics."""

import numpy as np

from closeread.types import Option, Passage, Question

PASSAGE = Passage(
    passage_id="p",
    text="Rain falls. Sheep graze meadows. Ferries cross rivers. Rain falls. Nobody sang.",
)
QUESTION = Question(question_id="q", passage_id="p", text="?", kind="verification")
CLAIM = Option(label="B", text="Sheep graze and ferries cross.")
# One axis per topic: rain, sheep, ferries.
TOPICS = {"rain": 0, "falls": 0, "sheep": 1, "graze": 1, "meadows": 1, "ferries": 2, "cross": 2,
          "rivers": 2}  # fmt: skip


def sentences_of(evidence):
    return [span.of(PASSAGE.text) for span in evidence.spans]


class TopicEncoder:
    """An encoder that counts the words of each topic."""

    def __init__(self):
        self.seen = []

    def encode(self, texts):
        self.seen.append(list(texts))
        rows = np.zeros((len(texts), 3))
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().replace(".", "").split():
                if word in TOPICS:
                    row[TOPICS[word]] += 1
        return rows
