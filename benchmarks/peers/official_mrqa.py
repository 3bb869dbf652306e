"""The MRQA 2019 evaluation as its description has it, with the standard library alone.

Written anew from the description (lower case, ASCII punctuation out, articles out, white space
joined; exact match and bag-of-tokens F1, the best over the accepted answers) in the plain style of
such scripts: gzip, json, string, re, Counter. It is the peer that scoring is timed against.
"""

import gzip
import json
import re
import string
import sys
from collections import Counter
from pathlib import Path


def normalise(text: str) -> str:
    text = "".join(ch for ch in text.lower() if ch not in set(string.punctuation))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def f1(prediction: str, answer: str) -> float:
    predicted, accepted = normalise(prediction).split(), normalise(answer).split()
    same = sum((Counter(predicted) & Counter(accepted)).values())
    if same == 0:
        return 0
    precision, recall = same / len(predicted), same / len(accepted)
    return 2 * precision * recall / (precision + recall)


def main(data: str, predictions: str) -> None:
    answers = {}
    with gzip.open(data, "rb") as stream:
        for line in stream:
            row = json.loads(line)
            if "header" not in row:
                answers |= {qa["qid"]: qa["answers"] for qa in row["qas"]}
    handed_in = json.loads(Path(predictions).read_text())
    exact = total = 0.0
    for qid, accepted in answers.items():
        prediction = handed_in[qid]
        exact += max(normalise(prediction) == normalise(answer) for answer in accepted)
        total += max(f1(prediction, answer) for answer in accepted)
    print({"exact_match": 100.0 * exact / len(answers), "f1": 100.0 * total / len(answers)})


main(*sys.argv[1:])
