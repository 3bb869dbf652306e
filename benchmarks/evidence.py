"""Evidence extraction against the authors' procedure, on the exam that ships; long passages."""

from collections.abc import Iterator
from functools import partial

from benchmarks.measure import DATA, Result, least_cpu_seconds, limit, ratio
from benchmarks.peers import official_masking
from closeread import load
from closeread.evidence.vectors.matrix import load as load_vectors
from closeread.evidence.vectors.train import train
from closeread.evidence.words import OWN
from closeread.exam import locate
from closeread.pipeline.extract import default_retriever
from closeread.protocols import Reader, Retriever
from closeread.registry.factory import make
from closeread.text.segment import sentences
from closeread.types import Option, Passage, Question


def extraction(n_questions: int | None = None, runs: int = 3) -> Iterator[Result]:
    """Soft masking with equal output, the default retriever, and a whole set of 2,800 options.

    Args:
        n_questions: The first ones of the exam; None takes all.
        runs: Of each side.
    """
    items = [
        (passage, question)
        for passage, questions in load(locate("exam/zh"))
        for question in questions
    ][:n_questions]
    n_options = sum(len(question.options) for _, question in items)
    path = DATA / "exam-zh.vectors.bin"
    DATA.mkdir(exist_ok=True)
    if not path.exists():
        texts = [(passage.text, passage.language) for passage, _ in items]
        train(texts, path, least=1, epochs=5)
    vectors = load_vectors(str(path))
    words = list(vectors)
    in_memory = dict(zip(words, vectors.vectors_of(words), strict=True))

    def extract(name: str, **settings: object) -> list[list[tuple[int, int]]]:
        retriever: Retriever = make("retriever", name, settings)[0]
        return [
            [(span.start, span.end) for span in retriever.retrieve(question, passage, option).spans]
            for passage, question in items
            for option in question.options
        ]

    def extract_softly() -> list[list[tuple[int, int]]]:
        return extract("soft-masking", vectors=str(path), integrate="off")

    def extract_officially() -> list[list[tuple[int, int]]]:
        evidence = []
        for passage, question in items:
            spans = sentences(passage.text, passage.language)
            texts = [span.of(passage.text) for span in spans]
            for option in question.options:
                numbers = official_masking.evidence(option.text, texts, in_memory, OWN)
                evidence.append([(spans[n].start, spans[n].end) for n in numbers])
        return evidence

    if extract_softly() != extract_officially():
        raise SystemExit("soft masking differs from the paper's procedure: no point in timing them")
    name = default_retriever()
    soft, default, official = least_cpu_seconds(
        [extract_softly, lambda: extract(name), extract_officially], runs
    )
    yield ratio(f"soft masking, {n_options} options, equal output", soft, official, least=5)
    yield ratio(
        f"{name} (the default), {n_options} options, against it", default, official, least=5
    )
    yield limit(f"{name}, 2,800 options", default / n_options * 2800, 1.0, "s")


def growth(n_characters: int = 200_000, n_options: int = 100, runs: int = 3) -> Iterator[Result]:
    """How time grows up to a service's limits: with the passage, and with the options about it.

    Args:
        n_characters: Of the passage; it is compared with one of a quarter.
        n_options: Of the question; it is compared with one that has 1.
        runs: Of each side.
    """
    codes = (0x4E00 + (index * 7919 + index // 3) % 3000 for index in range(n_characters))
    text = "".join(map(chr, codes))
    quarter = n_characters // 4
    for name in ("lexical", "cues"):
        whole, shorter, single = least_cpu_seconds(
            [
                partial(_read_once, name, text, n_options),
                partial(_read_once, name, text[:quarter], n_options),
                partial(_read_once, name, text, 1),
            ],
            runs,
        )
        row = f"{name}, {n_characters:,} characters, {n_options} options / {quarter:,}"
        yield ratio(row, whole, shorter, most=6)
        yield ratio("  the same / 1 option", whole, single, most=4)


def _read_once(name: str, text: str, n_options: int) -> None:
    """Read one question about a passage without a sentence mark, with a new reader."""
    options = tuple(
        Option(label=str(number), text=text[number * 80 : number * 80 + 100])
        for number in range(n_options)
    )
    question = Question(
        question_id="q", passage_id="p", text="", kind="verification", options=options
    )
    passage = Passage(passage_id="p", text=text, language="zh")
    reader: Reader = make("reader", name)[0]
    next(iter(reader.read([(passage, question)])))
