"""Questions whose answer follows from their options' order alone, never from an option by itself.

Every option has a strength: how often 对 stands among the words of its evidence. Where the stem
asks for what is supported the strongest option alone is true, else the weakest alone is false. A
question's strengths are four neighbours somewhere on a long scale, and the weaker they are the
likelier the stem asks for what is contradicted. So weak options are mostly true and strong ones
mostly false over all questions, while in every single question the stronger option is the truer
one. The relation over all and the relation within a question point in opposite directions: who
judges options one by one learns the wrong one.
"""

import json
import random
from pathlib import Path

LEVELS = 24
_WORDS = 26
_NAMES = "甲乙丙丁"
_STEMS = {True: "下列说法正确的一项是", False: "下列说法不正确的一项是"}


def write(path: Path, n_questions: int, seed: int) -> Path:
    """Write such questions as a VGaokao file."""
    rng = random.Random(seed)
    items = [_item(number, rng) for number in range(n_questions)]
    path.write_text(json.dumps({"version": "toy", "data": items}, ensure_ascii=False), "utf-8")
    return path


def _item(number: int, rng: random.Random) -> dict:
    base = rng.randint(1, LEVELS - 3)
    supported = rng.random() < base / (LEVELS - 2)
    strengths = [base + step for step in range(4)]
    rng.shuffle(strengths)
    odd = max(strengths) if supported else min(strengths)
    truth = [int((one == odd) == supported) for one in strengths]
    return {
        "cid": str(number),
        "context": "".join(map(_sentence, _NAMES, strengths, [rng] * 4)),
        "qas": [
            {
                "qid": str(number),
                "question": _STEMS[supported],
                "options": [f"{name}可信" for name in _NAMES],
                "answer": "ABCD"[strengths.index(odd)],
                "correctness": truth,
            }
        ],
    }


def _sentence(name: str, strength: int, rng: random.Random) -> str:
    words = ["对"] * strength + ["空"] * (_WORDS - strength)
    rng.shuffle(words)
    return name + "".join(words) + "。"
