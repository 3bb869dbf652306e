"""Things and one colour among them, which is asked for; boxes of which something follows."""

import json
import random
from pathlib import Path

COLOURS = ("red", "blue", "green", "white", "black", "brown", "grey", "pink")
THINGS = ("cup", "key", "map", "shoe", "lamp", "book", "coin", "hat", "pen", "bell")


def squad(path: Path, many: int, seed: int = 0) -> str:
    """Write passages that name things, and one colour among them, which is asked for."""
    draw = random.Random(seed)
    paragraphs = []
    for number in range(many):
        words = draw.sample(THINGS, 6)
        colour, place = draw.choice(COLOURS), draw.randrange(6)
        words.insert(place, colour)
        start = sum(len(word) + 1 for word in words[:place])
        answer = {"text": colour, "answer_start": start}
        qas = [{"id": f"{seed}-{number}", "question": "which colour is it", "answers": [answer]}]
        paragraphs.append({"context": " ".join(words), "qas": qas})
    data = [{"title": "things", "paragraphs": paragraphs}]
    path.write_text(json.dumps({"version": "1.1", "data": data}), "utf-8")
    return str(path)


def inference(path: Path, many: int) -> str:
    """Write premises and hypotheses about boxes."""
    draw = random.Random(3)
    rows = []
    for _ in range(many):
        box, other = draw.sample(COLOURS, 2)
        label = draw.choice(("entailment", "contradiction"))
        said = box if label == "entailment" else other
        rows.append(
            {
                "sentence1": f"the {box} box holds the cup .",
                "sentence2": f"the {said} box holds the cup .",
                "label": label,
            }
        )
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(path)
