"""DROP scoring as the official evaluator does it, written from its description: the peer.

Step by step, with numpy and scipy for every pair and nothing cached between pairs, which is
how the published program works.
"""

import re
import string

import numpy as np
from scipy.optimize import linear_sum_assignment

ARTICLES = re.compile(r"\b(a|an|the)\b", re.UNICODE)
PUNCTUATION = set(string.punctuation)


def is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


def without_punctuation(text):
    if is_number(text):
        return text
    return "".join(character for character in text if character not in PUNCTUATION)


def as_number(text):
    return str(float(text)) if is_number(text) else text


def without_articles(text):
    return ARTICLES.sub(" ", text)


def single_spaced(text):
    return " ".join(text.split())


def normalize(text):
    parts = [
        single_spaced(without_articles(as_number(without_punctuation(token.lower()))))
        for token in re.split(" |-", text)
    ]
    return " ".join(part for part in parts if part.strip()).strip()


def to_bags(answer):
    raw = answer if isinstance(answer, list | tuple) else [answer]
    spans = [normalize(span) for span in raw]
    return spans, [set(span.split()) for span in spans]


def bag_f1(predicted, gold):
    shared = len(gold.intersection(predicted))
    precision = shared / float(len(predicted)) if predicted else 1.0
    recall = shared / float(len(gold)) if gold else 1.0
    if precision == 0.0 and recall == 0.0:
        return 0.0
    return (2 * precision * recall) / (precision + recall)


def numbers_meet(predicted, gold):
    gold_numbers = {word for word in gold if is_number(word)}
    predicted_numbers = {word for word in predicted if is_number(word)}
    return not gold_numbers or bool(gold_numbers.intersection(predicted_numbers))


def align(predicted, gold):
    scores = np.zeros([len(gold), len(predicted)])
    for row, gold_bag in enumerate(gold):
        for column, predicted_bag in enumerate(predicted):
            if numbers_meet(predicted_bag, gold_bag):
                scores[row, column] = bag_f1(predicted_bag, gold_bag)
    rows, columns = linear_sum_assignment(-scores)
    best = np.zeros([max(len(gold), len(predicted))])
    for row, column in zip(rows, columns, strict=True):
        best[row] = max(best[row], scores[row, column])
    return best


def score_pair(predicted, gold):
    predicted_spans, predicted_bags = to_bags(predicted)
    gold_spans, gold_bags = to_bags(gold)
    exact = set(predicted_spans) == set(gold_spans) and len(predicted_spans) == len(gold_spans)
    f1 = np.mean(align(predicted_bags, gold_bags))
    return (1.0 if exact else 0.0), float(round(f1, 2))
