"""Draw texts, records and files of published formats with hypothesis."""

import json
from typing import Any

from hypothesis import strategies as st

from closeread.types import Answer, Dataset, Evidence, Item, Option, Passage, Question, Span

TEXTS = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=30),
    st.text(st.sampled_from("ab cd.\n\r\t|\\\",;'一不。！？“” é👪İ\u2028\ufeff\x00"), max_size=30),
)
PLAIN = TEXTS.filter(lambda text: text and "\0" not in text)
IDS = st.text(st.sampled_from("ab01-_题"), min_size=1, max_size=5)
EXTRA = st.dictionaries(
    st.sampled_from(["note", "source", "year", "x"]),
    st.booleans() | st.integers(-(2**53), 2**53) | TEXTS | st.lists(TEXTS, max_size=2),
    max_size=2,
)


def record(required: dict[str, Any], optional: dict[str, Any] | None = None) -> st.SearchStrategy:
    """Draw objects with these members and, sometimes, fields of other publishers."""
    fixed = st.fixed_dictionaries(required, optional=optional or {})
    return st.builds(lambda known, extra: extra | known, fixed, EXTRA)


@st.composite
def places(draw: st.DrawFn, text: str) -> tuple[int, int]:
    """Draw a half-open span of a text."""
    start = draw(st.integers(0, len(text)))
    return start, draw(st.integers(start, len(text)))


# --- files ----------------------------------------------------------------------------------


@st.composite
def squad_answers(draw: st.DrawFn, context: str) -> dict[str, Any]:
    """Draw an answer that is at its stated offset, elsewhere, or not in the text."""
    start, end = draw(places(context))
    text = draw(st.just(context[start:end]) | TEXTS)
    at = draw(st.just(start) | st.integers(-2, len(context) + 3))
    return draw(record({"text": st.just(text), "answer_start": st.just(at)}))


@st.composite
def paragraphs(draw: st.DrawFn, own_ids: bool = False, evidences: bool = False) -> dict[str, Any]:
    context = draw(TEXTS)
    listed = st.lists(squad_answers(context), max_size=3)
    question = {"id": IDS | st.integers(0, 10**6), "question": TEXTS}
    if evidences:
        sentence = places(context).map(lambda at: context[slice(*at)]) | TEXTS
        question["evidences"] = st.lists(sentence, max_size=3)
    qas = record(
        question,
        {"answers": listed, "is_impossible": st.booleans(), "plausible_answers": listed},
    )
    fields = {"context": st.just(context), "qas": st.lists(qas, max_size=3)}
    if own_ids:
        return draw(record(fields | {"id": IDS}))
    return draw(record(fields))


def squad_files(*, own_ids: bool = False, evidences: bool = False) -> st.SearchStrategy:
    """SQuAD, CMRC and ExpMRC documents."""
    inner = st.lists(paragraphs(own_ids, evidences), min_size=1, max_size=3)
    article = record({"paragraphs": inner} | ({"id": IDS} if own_ids else {}), {"title": TEXTS})
    return st.builds(
        lambda beside, data: beside | {"data": data},
        record({}, {"version": st.sampled_from(["1.1", "v2.0", 1.0])}),
        st.lists(article, max_size=3),
    )


CMRC_FIRST_FORM = st.lists(
    record(
        {
            "context_id": IDS,
            "context_text": TEXTS,
            "qas": st.lists(
                record(
                    {"query_id": IDS, "query_text": TEXTS},
                    {"answers": st.lists(TEXTS | st.sampled_from("ab一"), max_size=3)},
                ),
                max_size=3,
            ),
        },
        {"title": TEXTS},
    ),
    max_size=3,
)


@st.composite
def expmrc_articles(draw: st.DrawFn) -> dict[str, Any]:
    """C3 and RACE with evidences."""
    article, count = draw(TEXTS), draw(st.integers(1, 3))

    def each(what: st.SearchStrategy) -> st.SearchStrategy:
        return st.lists(what, min_size=count, max_size=count)

    sentence = places(article).map(lambda at: article[slice(*at)]) | TEXTS
    return draw(
        record(
            {
                "id": IDS,
                "article": st.just(article),
                "questions": each(TEXTS),
                "options": each(st.lists(TEXTS, min_size=2, max_size=5)),
            },
            {
                "answers": each(st.sampled_from("ABCDEZ")),
                "evidences": each(st.lists(sentence, max_size=2)),
            },
        )
    )


@st.composite
def mrqa_lines(draw: st.DrawFn) -> dict[str, Any]:
    context = draw(TEXTS.filter(bool))
    token = st.tuples(TEXTS, st.integers(0, 99)).map(list)
    inside = places(context).filter(lambda at: at[0] < at[1])

    @st.composite
    def detected(draw: st.DrawFn) -> dict[str, Any]:
        spans = draw(st.lists(inside, min_size=1, max_size=2))
        text = draw(st.just(context[slice(*spans[0])]) | TEXTS)
        return draw(
            record(
                {
                    "text": st.just(text),
                    "char_spans": st.just([[start, end - 1] for start, end in spans]),
                    "token_spans": st.lists(st.tuples(*[st.integers(0, 9)] * 2).map(list)),
                }
            )
        )

    qas = record(
        {"qid": IDS, "question": TEXTS},
        {
            "question_tokens": st.lists(token, max_size=2),
            "detected_answers": st.lists(detected(), max_size=2),
            "answers": st.lists(TEXTS, max_size=3),
        },
    )
    return draw(
        record(
            {"context": st.just(context), "qas": st.lists(qas, max_size=3)},
            {"context_tokens": st.lists(token, max_size=3)},
        )
    )


ROWS = st.fixed_dictionaries(
    {"id": IDS | st.integers(0, 99), "passage": TEXTS, "question": TEXTS},
    optional={
        "title": TEXTS,
        "answer": st.none() | TEXTS | st.integers() | st.lists(TEXTS | st.integers(), max_size=3),
        "group": IDS,
        "role": st.sampled_from(["original", "positive", "negative"]),
        "language": st.sampled_from(["en", "zh"]),
        "evidence": st.lists(TEXTS, max_size=2),
        "level": st.integers() | st.booleans() | TEXTS,
    },
)


def as_lines(values: list[Any]) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


# --- records --------------------------------------------------------------------------------


@st.composite
def questions(
    draw: st.DrawFn, passage: Passage, name: str, kind: str, wording: st.SearchStrategy
) -> Question:
    """A question whose spans and evidence lie in its passage."""
    inside = places(passage.text).filter(lambda at: wording is TEXTS or at[0] < at[1])
    spans = st.lists(inside.map(lambda at: Span(*at)), min_size=1, max_size=3, unique=True)
    fields: dict[str, Any] = {"text": draw(wording), "kind": kind}
    if kind == "span":
        fields["answers"] = tuple(
            Answer(kind="span", texts=(span.of(passage.text),), spans=(span,))
            for span in draw(spans)
        )
        if draw(st.booleans()):
            fields["answers"] = (Answer(kind="none"),)
    else:
        texts = draw(st.lists(wording, min_size=2, max_size=5))
        fields["options"] = tuple(
            Option(label=label, text=text) for label, text in zip("ABCDE", texts, strict=False)
        )
        right = draw(st.sampled_from(fields["options"]))
        fields["answers"] = (Answer(kind="choice", label=right.label, texts=(right.text,)),)
        if draw(st.booleans()):
            fields["kind"] = "verification"
            fields["asks_for"] = draw(st.sampled_from(["supported", "contradicted"]))
            truth = st.sampled_from([True, False, None])
            fields["option_truth"] = tuple(draw(truth) for _ in texts)
    if draw(st.booleans()):
        found = tuple(sorted(draw(spans)))
        fields["gold_evidence"] = (
            Evidence(spans=found, texts=tuple(span.of(passage.text) for span in found)),
        )
    return Question(
        question_id=name,
        passage_id=passage.passage_id,
        group_id=draw(st.just("") | IDS),
        role=draw(st.sampled_from([None, "original", "positive", "negative"])),
        tags=draw(st.dictionaries(st.sampled_from(["level", "source"]), wording, max_size=2)),
        **fields,
    )


@st.composite
def items(
    draw: st.DrawFn, kind: str, texts: st.SearchStrategy = TEXTS, least: int = 0
) -> list[Item]:
    """Passages with their questions, all of them extractive or all with options."""
    made: list[Item] = []
    for number in range(draw(st.integers(least, 3))):
        passage = Passage(
            passage_id=f"p{number}",
            text=draw(texts),
            title=draw(texts),
            language=draw(st.sampled_from(["en", "zh"])),
        )
        asked = tuple(
            draw(questions(passage, f"q{number}-{turn}", kind, texts))
            for turn in range(draw(st.integers(1, 3)))
        )
        made.append((passage, asked))
    return made


def dataset(made: list[Item]) -> Dataset:
    """Return a data set of these items."""
    return Dataset(
        name="drawn",
        format="jsonl",
        read=lambda defects: iter(made),
    )
