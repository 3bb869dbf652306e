"""Soft masking as Zhang et al. (2021, sections 3.1 and 3.4) describe it, one option at a time.

Written anew from the paper in the plain style of such scripts: words by jieba's full mode, vectors
in a dictionary, loops over words and sentences, numpy for single vectors. It is the peer that the
extraction is timed against; reranking is left out of both.
"""

import numpy as np
import rjieba

STEPS, BEAM = 2, 2


def words_of(text, stop_words):
    """Cut in full mode: dictionary words everywhere, single characters where none goes on."""
    longer = {}
    start, length = 0, 0
    for piece in rjieba.cut_all(text):
        found_at = text.find(piece, start)
        if found_at == start and len(piece) <= length:
            found_at = text.find(piece, start + 1)
        start, length = found_at, len(piece)
        if length > 1:
            longer.setdefault(start, []).append(piece)
    words, end = [], 0
    for position, character in enumerate(text):
        if position in longer:
            for piece in longer[position]:
                words.append(piece.strip().lower())
                end = position + len(piece)
        elif position >= end:
            words.append(character.lower())
            end = position + 1
    return [
        word for word in words
        if any(character.isalnum() for character in word) and word not in stop_words
    ]  # fmt: skip


def cosine(left, right):
    return float(np.dot(left, right) / (np.linalg.norm(left) * np.linalg.norm(right)))


def chains(option, sentences, vectors, stop_words, cut=words_of):
    """Return the beam of each step, as a list of (sentence numbers, score)."""
    query = [vectors[word] for word in cut(option, stop_words) if word in vectors]
    tokens = [
        [vectors[word] for word in cut(sentence, stop_words) if word in vectors]
        for sentence in sentences
    ]
    embedded = [np.mean(words, axis=0) if words else None for words in tokens]
    beam = [((), 0.0, [-np.inf] * len(query))]
    steps = []
    for _ in range(STEPS):
        candidates = []
        for members, score, highest in beam if query else ():
            if members:
                # equation 4 over alpha = -highest, the running maximum of equation 5
                powers = [np.exp(-(value - min(highest))) for value in highest]
                weights = [power / sum(powers) for power in powers]
            else:
                weights = [1 / len(query)] * len(query)
            mixed = sum(weight * vector for weight, vector in zip(weights, query, strict=True))
            for number, sentence in enumerate(embedded):
                if number in members or sentence is None:
                    continue
                candidates.append(((*members, number), score + cosine(mixed, sentence), highest))
        candidates.sort(key=lambda row: -round(row[1], 9))
        beam, seen = [], []
        for members, score, highest in candidates:
            if len(beam) < BEAM and set(members) not in seen:
                seen.append(set(members))
                matched = [
                    max(before, *(float(np.dot(word, other)) for other in tokens[members[-1]]))
                    for word, before in zip(query, highest, strict=True)
                ]
                beam.append((members, score, matched))
        if beam:
            steps.append([(members, score) for members, score, _ in beam])
    return steps


def evidence(option, sentences, vectors, stop_words, cut=words_of):
    """Return the numbers of the best chain's sentences, in text order."""
    steps = chains(option, sentences, vectors, stop_words, cut)
    return sorted(steps[-1][0][0]) if steps else []
