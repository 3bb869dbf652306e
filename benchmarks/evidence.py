"""Evidence extraction against the authors' procedure, on the exam that ships: options a second."""

from collections.abc import Iterator

from benchmarks.measure import DATA, Result, in_turn, limit, ratio
from benchmarks.peers import official_masking
from closeread import load
from closeread.evidence.vectors.matrix import load as load_vectors
from closeread.evidence.vectors.train import train
from closeread.evidence.words import OWN
from closeread.exam import locate
from closeread.pipeline.extract import default_retriever
from closeread.registry.factory import make
from closeread.text.segment import sentences
from closeread.types import Option, Passage, Question


def evidence() -> Iterator[Result]:
    """Soft masking with equal output, the default retriever, and a whole set of 2,800 options."""
    items = [
        (passage, question) for passage, asked in load(locate("exam/zh")) for question in asked
    ]
    options = sum(len(question.options) for _, question in items)
    path = DATA / "exam-zh.vectors.bin"
    DATA.mkdir(exist_ok=True)
    if not path.exists():
        train([(p.text, p.language) for p, _ in items], path, least=1, epochs=5)
    vectors = load_vectors(str(path))
    words = list(vectors)
    in_memory = dict(zip(words, vectors.rows(words), strict=True))

    def ours(name: str, **given: object) -> list[list[tuple[int, int]]]:
        retriever, _ = make("retriever", name, given)
        return [
            [(span.start, span.end) for span in retriever.retrieve(question, passage, option).spans]
            for passage, question in items
            for option in question.options
        ]

    def soft() -> list[list[tuple[int, int]]]:
        return ours("soft-masking", vectors=str(path), integrate="off")

    def official() -> list[list[tuple[int, int]]]:
        found = []
        for passage, question in items:
            spans = sentences(passage.text, passage.language)
            texts = [span.of(passage.text) for span in spans]
            for option in question.options:
                numbers = official_masking.evidence(option.text, texts, in_memory, OWN)
                found.append([(spans[n].start, spans[n].end) for n in numbers])
        return found

    if soft() != official():
        raise SystemExit("soft masking differs from the paper's procedure: no point in timing them")
    name = default_retriever()
    fast, own, peer = in_turn([soft, lambda: ours(name), official], runs=3)
    yield ratio(f"soft masking, {options} options, equal output", fast, peer, least=5)
    yield ratio(f"{name} (the default), {options} options, against it", own, peer, least=5)
    yield limit(f"{name}, 2,800 options", own / options * 2800, 1.0, "s")


def growth() -> Iterator[Result]:
    """How time grows up to a service's limits: with the passage, and with the options about it."""
    text = "".join(chr(0x4E00 + (place * 7919 + place // 3) % 3000) for place in range(200_000))

    def read(reader: str, characters: int, options: int) -> None:
        """Read one question about a passage without a sentence mark."""
        asked = tuple(
            Option(label=str(number), text=text[number * 80 : number * 80 + 100])
            for number in range(options)
        )
        question = Question(
            question_id="q", passage_id="p", text="", kind="verification", options=asked
        )
        made, _ = make("reader", reader)
        passage = Passage(passage_id="p", text=text[:characters], language="zh")
        next(iter(made.read([(passage, question)])))

    for reader in ("lexical", "cues"):
        whole, quarter, one = in_turn(
            [
                lambda reader=reader: read(reader, 200_000, 100),
                lambda reader=reader: read(reader, 50_000, 100),
                lambda reader=reader: read(reader, 200_000, 1),
            ],
            runs=3,
        )
        yield ratio(f"{reader}, 200,000 characters, 100 options / 50,000", whole, quarter, most=6)
        yield ratio("  the same / 1 option", whole, one, most=4)
