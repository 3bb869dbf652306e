"""To methods that judge words it is nothing where sentences stand, or what lies between them."""

import random

import pytest

from closeread.registry.factory import make
from closeread.types import Option, Passage, Question

_CHARACTERS = "海水盐度蒸发降雨决定赤道附近高低不同地区影响因素研究"
_QUESTION = Question(question_id="q", passage_id="p", text="哪项正确？", kind="verification")


@pytest.fixture(scope="module")
def vectors(tmp_path_factory) -> str:
    rng = random.Random(0)
    path = tmp_path_factory.mktemp("vectors") / "v.txt"
    rows = [
        " ".join([one, *(f"{rng.gauss(0, 1):.4f}" for _ in range(8))])
        for one in sorted(set(_CHARACTERS))
    ]
    path.write_text("\n".join([f"{len(rows)} 8", *rows]) + "\n", "utf-8")
    return str(path)


def _said(retriever, passage: Passage, claim: str) -> tuple[list[str], float]:
    found = retriever.retrieve(_QUESTION, passage, Option(label="A", text=claim))
    assert list(found.spans) == sorted(set(found.spans))
    return [span.of(passage.text) for span in found.spans], found.score


_WORDS = {"words": "characters", "stop_words": "none"}


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("bm25", _WORDS | {"k": 2}),
        ("dense", {"encoder": "word-vectors", "k": 2}),
        ("beamdr", {"encoder": "word-vectors"}),
        *(
            (name, _WORDS | {"integrate": integrate})
            for name in ("hard-masking", "soft-masking")
            for integrate in ("off", "overlap", "vectors")
        ),
    ],
)
def test_evidence_does_not_depend_on_the_order_of_sentences(name, options, vectors):
    if name != "bm25":
        options = options | {"vectors" if "masking" in name else "model": vectors}
    retriever, _ = make("retriever", name, options)
    rng = random.Random(7)
    for _ in range(6):
        told = ["".join(rng.choices(_CHARACTERS, k=rng.randint(5, 12))) + "。" for _ in range(7)]
        claim = "，".join(one[:4] for one in rng.sample(told, 2))
        passages = [
            Passage(passage_id="p", text=glue.join(order), language="zh")
            for glue, order in (
                ("", told),
                ("", rng.sample(told, len(told))),
                ("\n\u3000\u3000", told),
            )
        ]
        here, mixed, apart = (_said(retriever, passage, claim) for passage in passages)
        assert (sorted(here[0]), here[1]) == (sorted(mixed[0]), mixed[1])
        assert here == apart
        assert here[0]
