"""Sets of all kinds into MRQA form."""

import re
from dataclasses import replace

import pytest

from closeread.errors import UsageError
from closeread.formats import dump, load
from closeread.formats.conversion.to_mrqa import qid, to_mrqa
from closeread.text.normalize import mrqa
from closeread.types import Answer, Dataset, Defects, Option, Passage, Question, Span


def question(number, *answers, text="Who?", kind="span", **fields) -> Question:
    return Question(
        question_id=f"q{number}", passage_id="p", text=text, kind=kind, answers=answers, **fields
    )


def span(text, *places) -> Answer:
    spans = tuple(Span(start, start + len(text)) for start in places)
    return Answer(kind="span", texts=(text,), spans=spans)


def dataset(*items, name="toy") -> Dataset:
    passages = tuple(
        (passage if isinstance(passage, Passage) else Passage(passage_id="p", text=passage), asked)
        for passage, *asked in items
    )
    return Dataset(
        name=name,
        format="jsonl",
        read=lambda defects: ((passage, tuple(asked)) for passage, asked in passages),
    )


def convert_items(*items, **settings):
    made = to_mrqa(dataset(*items), **settings)
    return made, list(made.dataset)


def starts_by_text(question: Question) -> dict[str, list[int]]:
    return {
        entry["text"]: [start for start, _ in entry["char_spans"]]
        for entry in question.metadata["detected_answers"]
    }


def test_all_occurrences_are_marked_with_their_tokens():
    """The description's example: two places, and tokens that are these places."""
    _, ((passage, (asked,)),) = convert_items(
        ("The answer is 42. 42 is the answer.", question(1, span("42", 14)))
    )
    (entry,) = asked.metadata["detected_answers"]
    assert entry == {
        "text": "42",
        "char_spans": [[14, 16], [18, 20]],
        "token_spans": [[3, 4], [5, 6]],
    }
    tokens = passage.metadata["context_tokens"]
    assert [tokens[first][0] for first, _ in entry["token_spans"]] == ["42", "42"]


def test_annotated_spans_can_be_kept():
    """As in the shared task's SQuAD and NewsQA: one entry a reference, repeats kept."""
    text = "42 is the answer, and 42 it is."
    items = (text, question(1, span("42", 22), span("42", 22), span("the answer", 6)))
    _, ((_, (asked,)),) = convert_items(items, occurrences="annotated")
    assert [entry["text"] for entry in asked.metadata["detected_answers"]] == [
        "42",
        "42",
        "the answer",
    ]
    assert asked.metadata["detected_answers"][0]["char_spans"] == [[22, 24]]


def test_repair_2019_05_29_every_answer_keeps_its_places_and_its_whole_text():
    """`Super Bowl` and `Super Bowl 50` are both marked, neither cut to the other."""
    text = "Super Bowl 50 was a game. The Super Bowl is held yearly."
    _, ((_, (asked,)),) = convert_items(
        (text, question(1, span("Super Bowl", 30), span("Super Bowl 50", 0)))
    )
    assert starts_by_text(asked) == {
        "Super Bowl": [0],
        "The Super Bowl": [26],
        "Super Bowl 50": [0],
    } or (starts_by_text(asked) == {"Super Bowl": [0, 30], "Super Bowl 50": [0]})
    assert starts_by_text(asked)["Super Bowl 50"] == [0]
    assert 30 in starts_by_text(asked)["Super Bowl"]


def test_repair_2019_06_13_no_paragraph_twice():
    """A paragraph that two documents share stands once in the joined context."""
    one = Passage(passage_id="a", text="Ann was born in Oslo.\nShe sang.", title="Ann")
    again = replace_text(one, "b")
    two = Passage(passage_id="c", text="Oslo is in Norway.", title="Oslo")
    ask = "In which country was Ann born?"
    made, items = convert_items(
        (one, question(1, span("Oslo", 16), text=ask)),
        (again, question(1, text=ask)),
        (two, question(1, span("Norway", 11), text=ask)),
        documents=True,
    )
    ((passage, (asked,)),) = items
    assert passage.text == (
        "[DOC] [TLE] Ann [PAR] Ann was born in Oslo. [PAR] She sang. "
        "[DOC] [TLE] Oslo [PAR] Oslo is in Norway."
    )
    assert made.remarks.counts == {"repeated-paragraph": 2}
    assert set(starts_by_text(asked)) == {"Oslo", "Norway"}
    assert len(starts_by_text(asked)["Oslo"]) == 3
    tokens = [token for token, _ in passage.metadata["context_tokens"]]
    assert tokens.count("[DOC]") == tokens.count("[TLE]") == 2
    assert tokens.count("[PAR]") == 3


def replace_text(passage: Passage, passage_id: str) -> Passage:
    return Passage(passage_id=passage_id, text=passage.text, title=passage.title)


def test_repair_2019_06_13_no_context_twice():
    """Passages that repeat their neighbour become one line with all questions."""
    made, items = convert_items(
        ("A cat sat.", question(1, span("A cat", 0))),
        ("A cat sat.", question(2, span("sat", 6))),
        ("A dog ran.", question(3, span("A dog", 0))),
        ("A cat sat.", question(4, span("sat", 6))),
    )
    assert [len(asked) for _, asked in items] == [2, 1, 1]
    assert made.remarks.counts == {"merged-context": 1, "context-again": 1}


def test_repair_2019_07_12_what_is_marked_scores_as_exact():
    """An answer that only a tokenizer's spelling ties to the passage is dropped, not half-kept."""
    made, items = convert_items(
        (
            "The positive effects of early-life exercise lasted a week.",
            question(1, span("The positive effects of early- life exercise.")),
            question(2, span("a week", 51)),
        )
    )
    ((_, (asked,)),) = items
    assert asked.metadata["mrqa_extra"] == {"id": "q2"}
    assert made.dropped.counts == {"answer-not-in-passage": 1}
    for entry in asked.metadata["detected_answers"]:
        assert mrqa(entry["text"]) in {mrqa(answer.texts[0]) for answer in asked.answers}


def test_questions_that_are_not_extractive_are_dropped_and_counted():
    """Every reason has its own count."""
    made, items = convert_items(
        (
            "Two cats sat on 3 mats in 1999.",
            question(1, Answer(kind="none")),
            question(2),
            question(3, Answer(kind="number", texts=("3",)), kind="discrete"),
            question(4, Answer(kind="date", texts=("1999",)), kind="discrete"),
            question(5, Answer(kind="spans", texts=("cats", "mats")), kind="discrete"),
            question(6, Answer(kind="spans", texts=("cats",)), kind="discrete"),
            question(7, Answer(kind="choice", label="A", texts=("x",)), kind="verification"),
            question(8, Answer(kind="choice", label="A", texts=("entailment",)), kind="entailment"),
            question(9, span("a dog")),
        )
    )
    ((_, (kept,)),) = items
    assert kept.metadata["mrqa_extra"] == {"id": "q6"}
    assert made.dropped.counts == {
        "unanswerable": 1,
        "no-answer-given": 1,
        "number-answer": 1,
        "date-answer": 1,
        "several-spans": 1,
        "verification-question": 1,
        "entailment-question": 1,
        "answer-not-in-passage": 1,
    }


def test_options_are_removed_and_their_text_is_searched():
    """RACE as the shared task has it: the right option must stand in the passage."""
    options = tuple(
        Option(label=label, text=text)
        for label, text in zip("AB", ("On the mat.", "In a hat"), strict=True)
    )
    made, items = convert_items(
        (
            "The cat sat on the mat.",
            question(
                1,
                Answer(kind="choice", label="A", texts=("On the mat.",)),
                kind="choice",
                options=options,
            ),
            question(
                2,
                Answer(kind="choice", label="B", texts=("In a hat",)),
                kind="choice",
                options=options,
            ),
        )
    )
    ((_, (kept,)),) = items
    assert kept.options == ()
    assert kept.kind == "span"
    assert starts_by_text(kept) == {"on the mat.": [12]}
    assert made.dropped.counts == {"answer-not-in-passage": 1}


def test_contexts_are_cut_at_800_tokens():
    """An answer beyond the cut goes with its question; one on this side stays."""
    text = " ".join(f"w{number}" for number in range(1000)) + " end."
    made, items = convert_items((text, question(1, span("w799")), question(2, span("w800"))))
    ((passage, (kept,)),) = items
    assert len(passage.metadata["context_tokens"]) == 800
    assert passage.text.endswith(" w799")
    assert kept.metadata["mrqa_extra"] == {"id": "q1"}
    assert made.dropped.counts == {"answer-beyond-800-tokens": 1}
    assert made.remarks.counts == {"context-cut": 1}


def test_ids_are_unique_within_and_across_sets():
    """The hash has the set's name in it; a repeated id still gets a hash of its own."""
    items = ("A cat sat.", question(1, span("sat")), question(1, span("A cat")))
    made, ((_, asked),) = convert_items(items)
    _, ((_, others),) = convert_items(items, name="other")
    ids = [one.question_id for one in (*asked, *others)]
    assert len(set(ids)) == 4
    assert all(re.fullmatch("[0-9a-f]{32}", one) for one in ids)
    assert made.remarks.counts == {"duplicate-id": 1}
    assert asked[0].question_id == qid("toy", "q1")


def test_wrong_annotations_are_replaced_by_occurrences():
    """An offset that points elsewhere is not marked."""
    _, ((_, (asked,)),) = convert_items(
        ("A cat sat.", question(1, span("sat", 0))), occurrences="annotated"
    )
    assert starts_by_text(asked) == {"sat": [6]}


def test_no_extractive_question_is_an_error_and_no_file(tmp_path):
    """A set without one extractive question has no MRQA form."""
    made = to_mrqa(dataset(("A cat.", question(1, Answer(kind="none")))))
    with pytest.raises(UsageError, match="unanswerable 1"):
        dump(made.dataset, tmp_path / "out.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_chinese_is_cut_into_characters():
    """Chinese has no blanks to cut at, so every character is a token."""
    passage = Passage(passage_id="p", text="猫坐在垫子上。猫睡了。", language="zh")
    _, ((made, (asked,)),) = convert_items((passage, question(1, span("猫", 0))))
    assert starts_by_text(asked) == {"猫": [0, 7]}
    assert len(made.metadata["context_tokens"]) == len(passage.text)


def test_the_written_file_loads_with_the_same_gold(tmp_path):
    """dump, then load: texts, answers and places are those that were converted."""
    made = to_mrqa(
        dataset(
            ("The cat sat on the mat.", question(1, span("the mat", 15), span("mat", 19))),
            ("A dog ran.\n\nIt slept.", question(2, span("It", 12), text="Who slept?")),
        ),
        split="dev",
    )
    dump(made.dataset, tmp_path / "out.jsonl.gz")
    back = load(tmp_path / "out.jsonl.gz")
    assert back.format == "mrqa"
    assert back.name == "toy-dev"
    assert "spaCy" in back.metadata["header"]["tokenizer"]
    assert back.check().total == 0
    for (passage, asked), (passage_, asked_) in zip(made.dataset, back, strict=True):
        assert passage.text == passage_.text
        for one, two in zip(asked, asked_, strict=True):
            assert one.question_id == two.question_id
            assert [a.texts for a in one.answers] == [a.texts for a in two.answers]
            assert one.metadata["detected_answers"] == two.metadata["detected_answers"]


def test_the_header_has_the_terms_of_the_source(tmp_path):
    """What was made of a set keeps the set's terms, whatever it is called now."""
    source = replace(dataset(("Ann ran.", question(1, span("Ann", 0)))), license="CC BY-NC 4.0")
    dump(to_mrqa(source, name="SQuAD").dataset, tmp_path / "out.jsonl")
    assert load(tmp_path / "out.jsonl").license == "CC BY-NC 4.0"


def test_reading_is_lazy_and_can_be_repeated():
    """Nothing is read before iteration, and a second pass gives the same and counts anew."""
    passes = []

    def read(defects):
        passes.append(1)
        yield Passage(passage_id="p", text="A cat sat."), (question(1, span("sat")), question(2))

    source = replace(dataset(), read=read)
    made = to_mrqa(source)
    assert passes == []
    first, second = list(made.dataset.read(Defects())), list(made.dataset.read(Defects()))
    assert first == second
    assert made.dropped.counts == {"no-answer-given": 1}
    assert [one.question_id for one in made.dataset.questions()] == [qid("toy", "q1")]


@pytest.mark.parametrize("occurrences", ["all", "annotated"])
@pytest.mark.parametrize("answer", ["the", " the "])
def test_a_wrong_span_without_words_is_dropped(tmp_path, occurrences, answer):
    """``(`` and ``the`` both normalise to nothing: the written file was then read with defects."""
    made, ((_, (asked,)),) = convert_items(
        ("(on) the mat", question(1, Answer(kind="span", texts=(answer,), spans=(Span(0, 1),)))),
        occurrences=occurrences,
    )
    assert starts_by_text(asked) == {"the": [5]}
    assert asked.answers[0].spans == (Span(5, 8),)
    dump(made.dataset, tmp_path / "out.jsonl")
    assert load(tmp_path / "out.jsonl").check().total == 0
