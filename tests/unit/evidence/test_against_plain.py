"""The vectorised extraction finds what a plain reading of the paper finds, option by option."""

import importlib.util

import numpy as np
import pytest

from closeread import load
from closeread.evidence.vectors.matrix import load as load_vectors
from closeread.evidence.words import OWN, Segmenter
from closeread.exam import locate
from closeread.registry.factory import make
from closeread.text.segment import sentences
from project_paths import ROOT


@pytest.fixture(scope="module")
def plain():
    path = ROOT / "benchmarks" / "peers" / "official_masking.py"
    spec = importlib.util.spec_from_file_location("official_masking", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    """Random directions for most of the exam's words; some words have none."""
    folder = tmp_path_factory.mktemp("vectors")
    cut = Segmenter().texts
    words = sorted(
        {
            word
            for passage, asked in load(locate("exam/zh"))
            for text in (passage.text, *(o.text for q in asked for o in q.options))
            for word in cut(text, "zh")
        }
    )
    random = np.random.default_rng(5)
    rows = [f"{w} {' '.join(map(repr, random.normal(size=24).tolist()))}" for w in words[::7]]
    rows += [f"{w} {' '.join(map(repr, random.normal(size=24).tolist()))}" for w in words[1::2]]
    rows = sorted(set(rows), key=lambda row: row.split(" ")[0])
    distinct = {row.split(" ")[0]: row for row in rows}
    path = folder / "v.txt"
    path.write_text("\n".join([f"{len(distinct)} 24", *distinct.values()]) + "\n", "utf-8")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("CLOSEREAD_CACHE", str(folder))
        load_vectors.cache_clear()
        yield str(path)


def test_soft_masking_equals_a_plain_implementation(plain, vectors):
    """Every option of the shipped exam, word by word and loop by loop."""
    retriever, _ = make("retriever", "soft-masking", {"vectors": vectors, "integrate": "off"})
    known = load_vectors(vectors)
    in_memory = dict(zip(known, known.vectors_of(list(known)), strict=True))
    compared = 0
    for passage, questions in load(locate("exam/zh")):
        spans = sentences(passage.text, passage.language)
        texts = [span.of(passage.text) for span in spans]
        for question in questions[:3]:
            for option in question.options:
                found = retriever.retrieve(question, passage, option)
                numbers = plain.evidence(option.text, texts, in_memory, OWN)
                assert found.spans == tuple(spans[number] for number in numbers), option.text
                chains = plain.chains(option.text, texts, in_memory, OWN)
                assert found.score == pytest.approx(chains[-1][0][1], abs=1e-6)
                compared += 1
    print(f"{compared} options compared")
    assert compared > 100
