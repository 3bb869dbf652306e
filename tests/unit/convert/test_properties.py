"""Whatever goes in, the MRQA form keeps its promises."""

import re
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from closeread.errors import UsageError
from closeread.formats import dump, load
from closeread.formats.conversion.to_mrqa import MAX_TOKENS, to_mrqa
from closeread.text.normalize import mrqa
from closeread.types import Answer, Dataset, Passage, Question, Span

words = st.sampled_from(
    ["the", "cat", "Cat", "26-year", "U.S.", "sat,", "mat.", "(on)", "don't", "É", "猫", "42"]
)
gaps = st.sampled_from([" ", "  ", "\n", "\n\n"])


@st.composite
def items(draw):
    pieces = draw(st.lists(st.tuples(words, gaps), min_size=1, max_size=20))
    text = "".join(word + gap for word, gap in pieces)
    places = [Span(m.start(), m.end()) for m in re.finditer(r"\S+", text)]
    questions = []
    for number in range(draw(st.integers(0, 3))):
        first = draw(st.integers(0, len(places) - 1))
        last = draw(st.integers(first, min(first + 3, len(places) - 1)))
        span = Span(places[first].start, places[last].end)
        answer = draw(
            st.sampled_from(
                [
                    Answer(kind="span", texts=(span.of(text),), spans=(span,)),
                    Answer(kind="span", texts=("nowhere",)),
                    Answer(kind="span", texts=(span.of(text),), spans=(Span(0, 1),)),
                    Answer(kind="none"),
                    Answer(kind="number", texts=("42",)),
                ]
            )
        )
        questions.append(
            Question(
                question_id=str(number),
                passage_id="p",
                text=draw(words),
                kind="span",
                answers=(answer,),
            )
        )
    return Passage(passage_id="p", text=text), tuple(questions)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(items(), min_size=1, max_size=4), st.sampled_from(["all", "annotated"]), st.booleans()
)
def test_converted_sets_satisfy_the_mrqa_format(made, occurrences, documents):
    """Every question is kept or counted; ids are unique; marks are right, aligned, and score."""
    source = Dataset(
        name="toy",
        format="jsonl",
        read=lambda defects: iter(made),
    )
    conversion = to_mrqa(source, occurrences=occurrences, documents=documents)
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "out.jsonl"
        try:
            dump(conversion.dataset, target)
        except UsageError:
            assert list(Path(folder).iterdir()) == []
            return
        back = load(target)
        assert back.check().total == 0
        kept = 0
        ids = set()
        for passage, questions in back:
            tokens = passage.metadata["context_tokens"]
            assert 0 < len(tokens) <= MAX_TOKENS
            assert all(
                passage.text[offset : offset + len(token)] == token for token, offset in tokens
            )
            for question in questions:
                kept += 1
                ids.add(question.question_id)
                assert question.metadata["detected_answers"]
                accepted = {mrqa(answer.texts[0]) for answer in question.answers}
                for entry in question.metadata["detected_answers"]:
                    assert mrqa(entry["text"]) in accepted
                    for (start, end), (first, last) in zip(
                        entry["char_spans"], entry["token_spans"], strict=True
                    ):
                        assert passage.text[start:end] == entry["text"]
                        assert tokens[first][1] == start
                        assert tokens[last - 1][1] + len(tokens[last - 1][0]) == end
        assert len(ids) == kept
        if not documents:
            assert kept + conversion.dropped.total == sum(len(asked) for _, asked in made)
