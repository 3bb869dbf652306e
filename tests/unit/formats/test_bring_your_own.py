"""Rows of one's own, as JSON lines and as tables, and closeread's canonical lines."""

import json
from pathlib import Path
from typing import Any

import pytest

from closeread.errors import InputError, UsageError
from closeread.formats import dump, load
from closeread.types import Answer, Defects, Evidence, Option, Question, Span

TEXT = "The ferry left at six. It carried a piano."


def row(**columns: Any) -> dict[str, Any]:
    return {"id": "1", "passage": TEXT, "question": "What?"} | columns


def write_lines(folder: Path, *rows: Any) -> Path:
    path = folder / "own.jsonl"
    path.write_text("\n".join(json.dumps(one, ensure_ascii=False) for one in rows), "utf-8")
    return path


def write_table(folder: Path, text: str) -> Path:
    path = folder / "own.csv"
    path.write_bytes(text.encode())
    return path


def read_questions(path: Path) -> tuple[list[Question], dict[str, int]]:
    defects = Defects()
    return [q for _, asked in load(path).read(defects) for q in asked], defects.counts


def read_single(path: Path) -> Question:
    ((question,), _) = read_questions(path)
    return question


def span(text: str, start: int) -> Answer:
    return Answer(kind="span", texts=(text,), spans=(Span(start, start + len(text)),))


def test_options_are_read_from_lettered_columns(tmp_path):
    """As in the tables of C-Eval and CMMLU: they were tags, and the letter a text to be found."""
    asked = read_single(
        write_table(tmp_path, f"id,passage,question,A,B,C,answer\n1,{TEXT},What?,a|b,it,,B\n")
    )
    assert [(one.label, one.text) for one in asked.options] == [("A", "a|b"), ("B", "it")]
    assert asked.kind == "choice" and asked.answers[0].label == "B" and not asked.tags
    by_text = read_single(
        write_table(tmp_path, f"id,passage,question,A,B,answer\n1,{TEXT},What?,a|b,it,a|b\n")
    )
    assert by_text.answers[0].label == "A"
    assert (
        read_single(write_lines(tmp_path, row(A="a", B="it", answer="B"))).answers[0].label == "B"
    )
    apart = read_single(write_lines(tmp_path, row(A="a", options=["x", "y"], B="b", answer="B")))
    assert apart.tags == {"A": "a", "B": "b"} and apart.options[1].text == "y"
    assert read_single(write_lines(tmp_path, row(A=1, B=2, answer="six"))).tags == {
        "A": "1",
        "B": "2",
    }


def test_tags_named_like_option_columns_are_rejected(tmp_path):
    named = load(write_lines(tmp_path, row(A=1, B=2, answer="six")))
    with pytest.raises(UsageError, match="names of option columns"):
        dump(named, tmp_path / "new.csv", "csv")


@pytest.mark.parametrize(
    "said",
    [
        "Ｂ",
        "（B）",
        "(b)",
        "B．",
        "B、",
        "B。",
        "选B",
        "故选：B",
        "B项",
        "答案：Ｂ",
        "正确答案是B",
        " b ",
    ],
)
def test_typed_letters_are_recognised(tmp_path, said):
    assert (
        read_single(write_lines(tmp_path, row(options=["a", "it"], answer=said))).answers[0].label
        == "B"
    )
    itself = read_single(write_lines(tmp_path, row(options=[said, "it"], answer=said)))
    assert itself.answers[0].label == "A"  # an option that says so


@pytest.mark.parametrize("said", ["AB", "A、B", "BB", "选", "B或A", "Bat"])
def test_answers_that_name_no_option_are_counted(tmp_path, said):
    _, counts = read_questions(write_lines(tmp_path, row(options=["a", "it"], answer=said)))
    assert counts == {"answer-not-an-option": 1}


@pytest.mark.parametrize("large", [False, True])
def test_rows_may_be_one_list(tmp_path, monkeypatch, large):
    """They are what the same rows are as lines, streamed where there are many."""
    if large:
        monkeypatch.setattr("closeread.formats.files.source._WHOLE_PLAIN_BYTES", 0)
    rows = [row(id=1, answer="six"), row(id=2, passage="It sank.", answer="gone"), row(id=2)]
    path = tmp_path / "own.json"
    path.write_text(json.dumps(rows, indent=2 if large else None))
    of_list, of_lines = load(path), load(write_lines(tmp_path, *rows))
    counted = Defects(), Defects()
    assert of_list.format == "jsonl"
    assert list(of_list.read(counted[0])) == list(of_lines.read(counted[1]))
    assert counted[0].counts == counted[1].counts == {
        "answer-not-in-passage": 1,
        "duplicate-id": 1,
    }  # fmt: skip


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (row(id=7, question=4), r"question 7, at \[1\]\.question: found an integer"),
        (row(id=7, options=["alone"]), r"at \[1\], question 7: 1 option\n"),
        ("text", r"found a string\n  expected: an object"),
    ],
)
def test_errors_in_a_list_name_the_place(tmp_path, monkeypatch, large, wrong, told):
    if large:
        monkeypatch.setattr("closeread.formats.files.source._WHOLE_PLAIN_BYTES", 0)
    path = tmp_path / "own.json"
    path.write_text(json.dumps([row(id=1), wrong, row(id=1)]))
    with pytest.raises(InputError, match=told):
        read_questions(path)


def test_rows_without_questions_are_explained(tmp_path):
    path = write_lines(tmp_path, {"id": "1", "passage": TEXT})
    with pytest.raises(InputError, match="the field 'question' is missing") as caught:
        next(iter(load(path, "jsonl").read(Defects())))
    given = caught.value.cure.partition("JSON lines ")[2]
    path.write_text(given, "utf-8")
    ((passage, questions),) = load(path).read(Defects())
    assert (passage.passage_id, passage.text, questions) == ("1", "...", ())


def test_adjacent_rows_share_a_passage(tmp_path):
    """Rows that repeat a text share a passage; the same text later is another one."""
    path = write_lines(
        tmp_path,
        row(id=1, title="Ferries"),
        row(id=2),
        row(id=3, passage="北京的雨很大。"),
        row(id=4),
    )
    found = list(load(path))
    assert [(p.passage_id, p.title, p.language, len(q)) for p, q in found] == [
        ("0", "Ferries", "en", 2),
        ("1", "", "zh", 1),
        ("2", "", "en", 1),
    ]


@pytest.mark.parametrize(
    ("answer", "kind", "answers"),
    [
        ("six", "span", (span("six", 18),)),
        (["at six", "six"], "span", (span("at six", 15), span("six", 18))),
        (None, "span", (Answer(kind="none"),)),
        (6, "discrete", (Answer(kind="number", texts=("6",)),)),
        (6.5, "discrete", (Answer(kind="number", texts=("6.5",)),)),
        (
            [["ferry", "piano"], "six"],
            "discrete",
            (
                Answer(kind="spans", texts=("ferry", "piano"), spans=(Span(4, 9), Span(36, 41))),
                span("six", 18),
            ),
        ),
    ],
)
def test_answers_without_options_are_spans(tmp_path, answer, kind, answers):
    """A string, a list, null, a number and a list in a list mean what the manual says."""
    question = read_single(write_lines(tmp_path, row(answer=answer)))
    assert (question.kind, question.answers) == (kind, answers)


@pytest.mark.parametrize(("told", "language"), [("zh-CN", "zh"), ("EN", "en"), ("", "zh")])
def test_a_row_may_name_its_language(tmp_path, told, language):
    """What a Chinese passage is cut by hangs on it."""
    path = write_lines(tmp_path, row(passage="船六点开。", language=told))
    assert [passage.language for passage, _ in load(path)] == [language]


def test_no_answer_column_means_no_gold(tmp_path):
    """Without the column nothing is claimed."""
    assert read_single(write_lines(tmp_path, row())).answers == ()


def test_answer_start_locates_the_answer(tmp_path):
    """A right start is taken; a wrong one is a defect and the text is looked for."""
    twice = row(passage="a b a", answer="a", answer_start=4)
    assert read_single(write_lines(tmp_path, twice)).answers == (span("a", 4),)
    (question,), defects = read_questions(write_lines(tmp_path, twice | {"answer_start": 3}))
    assert question.answers == (span("a", 4),)
    assert defects == {"wrong-offset": 1}
    (question,), defects = read_questions(write_lines(tmp_path, row(answer="seven")))
    assert question.answers == (Answer(kind="span", texts=("seven",)),)
    assert defects == {"answer-not-in-passage": 1}
    with pytest.raises(InputError, match="2 answer_start values"):
        read_questions(write_lines(tmp_path, row(answer="six", answer_start=[1, 2])))


@pytest.mark.parametrize(("start", "place"), [(1, 0), (4, 5), (9, 10), (99, 10), (-3, 0)])
def test_a_wrong_answer_start_is_moved_to_the_nearest_occurrence(tmp_path, start, place):
    asked = row(passage="tick tick tick", answer="tick", answer_start=start)
    dataset = load(write_lines(tmp_path, asked))
    (question,) = dataset.questions()
    assert question.answers[0].spans == (Span(place, place + 4),)
    assert dataset.check().counts == {"wrong-offset": 1}


def test_options_may_be_a_list_or_an_object(tmp_path):
    """Lists are lettered, objects keep their labels; gold is a letter or an option's text."""
    options = ["a horse", "a piano"]
    lettered = (Option(label="A", text="a horse"), Option(label="B", text="a piano"))
    gold = (Answer(kind="choice", label="B", texts=("a piano",)),)
    for answer in ("B", "a piano", ["B"], "b", "\uff22", " B"):
        question = read_single(write_lines(tmp_path, row(options=options, answer=answer)))
        assert (question.kind, question.options, question.answers) == ("choice", lettered, gold)
    question = read_single(write_lines(tmp_path, row(options=["b", "a"], answer="b")))
    assert question.answers[0].label == "A", "an option's own text is no letter"
    question = read_single(write_lines(tmp_path, row(options={"x": "no", "y": "yes"}, answer="y")))
    assert question.options[1] == Option(label="y", text="yes")
    assert question.answers[0].label == "y"
    (_, defects) = read_questions(write_lines(tmp_path, row(options=options, answer="C")))
    assert defects == {"answer-not-an-option": 1}
    with pytest.raises(InputError, match=r"1 option\n"):
        read_questions(write_lines(tmp_path, row(options=["alone"], answer="A")))
    with pytest.raises(InputError, match="line 1, question 1: the answer 2"):
        read_questions(write_lines(tmp_path, row(options=options, answer=2)))


def test_the_stem_gives_asks_for_by_default(tmp_path):
    options = ["It sank.", "It left."]
    for more, stem, wanted in (
        ({}, "下列说法不正确的一项是", ("choice", "contradicted")),
        ({"truth": [True, False]}, "下列说法不正确的一项是", ("verification", "contradicted")),
        ({"truth": [True, False]}, "The ferry", ("verification", "supported")),
        ({}, "When did it leave?", ("choice", None)),
        ({"asks_for": "supported"}, "Which is not true?", ("verification", "supported")),
        ({"kind": "entailment"}, "This is not true.", ("entailment", None)),
    ):
        question = read_single(
            write_lines(tmp_path, row(question=stem, options=options, answer="A", **more))
        )
        assert (question.kind, question.asks_for) == wanted
    assert read_single(write_lines(tmp_path, row(question="Which is not true?"))).asks_for is None


def test_verification_rows_have_truth_values(tmp_path):
    """Polarity, truth values and evidence of every option."""
    question = read_single(
        write_lines(
            tmp_path,
            row(
                options=["It sank.", "It left."],
                answer="A",
                asks_for="contradicted",
                truth=[False, True],
                evidence={"B": ["The ferry left at six."], "A": ["It carried a piano."]},
            ),
        )
    )
    assert question.kind == "verification"
    assert question.asks_for == "contradicted"
    assert question.option_truth == (False, True)
    assert question.gold_evidence == (
        Evidence(spans=(Span(0, 22),), texts=("The ferry left at six.",), option_label="B"),
        Evidence(spans=(Span(23, 42),), texts=("It carried a piano.",), option_label="A"),
    )
    with pytest.raises(InputError, match="3 truth values"):
        read_questions(write_lines(tmp_path, row(options=["a", "b"], truth=[True, False, True])))
    with pytest.raises(InputError, match="option 'Z'"):
        read_questions(write_lines(tmp_path, row(options=["a", "b"], evidence={"Z": ["x"]})))
    (_, defects) = read_questions(write_lines(tmp_path, row(evidence=["Nobody said so."])))
    assert defects == {"evidence-not-in-passage": 1}


def test_other_columns_become_tags(tmp_path):
    """Scalars become strings, null nothing; lists and objects are refused, with their place."""
    question = read_single(
        write_lines(tmp_path, row(level="easy", year=1998, hard=True, none=None, x=0.5))
    )
    assert question.tags == {"level": "easy", "year": "1998", "hard": "true", "x": "0.5"}
    with pytest.raises(InputError, match=r"line 2, question 2: the column 'option' holds a list"):
        read_questions(write_lines(tmp_path, row(), row(id=2, option=["typing mistake"])))
    with pytest.raises(InputError, match="the column 'meta' holds an object"):
        read_questions(write_lines(tmp_path, row(meta={"year": 1998})))


def test_rows_may_have_a_group_and_a_role(tmp_path):
    """Triples can be given by hand."""
    question = read_single(write_lines(tmp_path, row(group=7, role="negative")))
    assert (question.group_id, question.role) == ("7", "negative")
    with pytest.raises(InputError, match="role"):
        read_questions(write_lines(tmp_path, row(role="reverse")))


@pytest.mark.parametrize("blank", ["", " "])
def test_a_row_without_an_id_is_an_error(tmp_path, blank):
    """No prediction could be for it; in a table the cell was forgotten."""
    with pytest.raises(InputError, match=r"line 2.*: the id is empty"):
        read_questions(write_lines(tmp_path, row(), row(id=blank)))


def test_duplicate_ids_are_counted(tmp_path):
    """The same id twice is counted with its line."""
    path = write_lines(tmp_path, row(), row())
    defects = load(path).check()
    assert defects.counts == {"duplicate-id": 1}
    assert defects.examples["duplicate-id"][0].line == 2


def test_canonical_lines_are_strict(tmp_path):
    """Unknown fields, other passages' questions and unequal truth values are refused."""
    path = write_lines(tmp_path, row(options=["a", "b"], truth=[True, False]))
    dump(load(path), tmp_path / "own.jsonl")
    line = json.loads((tmp_path / "own.jsonl").read_text())

    def refused(change: Any) -> str:
        changed = json.loads(json.dumps(line))
        change(changed)
        with pytest.raises(InputError) as caught:
            read_questions(write_lines(tmp_path, changed))
        return str(caught.value)

    assert "line 1" in refused(lambda it: it["questions"][0].update(tag={}))
    assert "question 1" in refused(lambda it: it["questions"][0].update(passage_id="x"))
    assert "truth" in refused(lambda it: it["questions"][0].update(option_truth=[True]))
    assert "unknown field" in refused(lambda it: it.update(more=1))


def test_a_canonical_line_gets_asks_for_from_its_stem(tmp_path):
    """Of a verification; of a choice nothing is made up, and what the line says counts first."""
    path = write_lines(tmp_path, row(options=["It sank.", "It left."], truth=[True, False]))
    dump(load(path), path)
    line = json.loads(path.read_text())
    for more, wanted in (
        ({"asks_for": None, "text": "下列说法不正确的一项是"}, "contradicted"),
        ({"asks_for": None, "text": "Which is true?"}, "supported"),
        ({"asks_for": "supported", "text": "Which is not true?"}, "supported"),
        ({"asks_for": None, "text": "Which is not true?", "kind": "choice"}, None),
    ):
        changed = line | {"questions": [line["questions"][0] | more]}
        assert read_single(write_lines(tmp_path, changed)).asks_for == wanted


def test_spans_out_of_range_are_counted(tmp_path):
    """A span beyond the passage is a defect."""
    path = write_lines(tmp_path, row(answer="six"))
    dump(load(path), path)
    path.write_text(path.read_text().replace("[18,21]", "[18,900]"))
    assert load(path).check().counts == {"span-out-of-range": 1}


def test_repeated_and_empty_options_are_counted(tmp_path):
    """In rows and in canonical lines, also of questions without an answer."""
    told = {"repeated-option": 1, "empty-option": 1}
    path = write_lines(tmp_path, row(options=["a horse", "a horse", " "]))
    assert load(path).check().counts == told
    dump(load(path), path)
    assert b'"questions"' in path.read_bytes()
    assert load(path).check().counts == told


def test_a_header_line_describes_the_set(tmp_path):
    """Name, version, licence and metadata survive; a set without them gets no header."""
    header = {"dataset": {"name": "Mine", "version": "2", "license": "CC0", "metadata": {"a": 1}}}
    plain = write_lines(tmp_path, row())
    dump(load(plain), plain)
    body = plain.read_text()
    plain.write_text(json.dumps(header) + "\n" + body)
    dataset = load(plain)
    assert (dataset.name, dataset.version, dataset.license) == ("Mine", "2", "CC0")
    assert dataset.metadata == {"a": 1}
    dump(dataset, tmp_path / "back.jsonl")
    assert json.loads((tmp_path / "back.jsonl").read_text().split("\n")[0]) == header
    assert body.startswith('{"passage"')
    plain.write_text(json.dumps(header))
    assert list(load(plain)) == []


def test_other_formats_survive_jsonl(tmp_path, corpus):
    """SQuAD and MRQA files come back whole through jsonl, what only they know included."""
    for name, form in [
        ("mlqa/dev-context-en-question-en.json", "squad"),
        ("covidqa/200423_covidQA.json", "squad"),
        ("mrqa/NewsQA_sample.jsonl", "mrqa"),
    ]:
        dump(load(corpus / "data" / name), tmp_path / "own.jsonl.gz", "jsonl")
        dump(load(corpus / "data" / name), tmp_path / "straight", form)
        dump(load(tmp_path / "own.jsonl.gz"), tmp_path / "round", form)
        assert (tmp_path / "round").read_bytes() == (tmp_path / "straight").read_bytes()


HEADER = "id,passage,question,answer\n"


def test_tables_of_spreadsheets_are_read(tmp_path):
    """A byte-order mark, Windows line ends, quotes and line breaks in cells do no harm."""
    text = (
        "\ufeffID;Passage ;question;answer;Level\r\n"
        '1;"Ein ""Satz"".\r\nNoch einer; ja.";Was?;Satz;easy\r\n'
        "\r\n"
        "2;x;Wo?;;hard\r\n"
    )
    questions, defects = read_questions(write_table(tmp_path, text))
    ((passage, _), _) = load(tmp_path / "own.csv")
    assert passage.text == 'Ein "Satz".\r\nNoch einer; ja.'
    assert questions[0].answers == (span("Satz", 5),)
    assert questions[0].tags == {"Level": "easy"}
    assert questions[1].answers == (Answer(kind="none"),)
    assert not defects


def test_cells_may_hold_lists(tmp_path):
    """Bars separate, and can be escaped; option columns and truth values are read."""
    text = (
        "id,passage,question,answer,option_a,option_b,truth,evidence_b,answer_start\n"
        '1,a|b c,Q?,a\\|b|c,,,,,"0|4"\n'
        "2,It left.,Q?,B,It sank.,It left.,no|1,It left.,\n"
    )
    questions, _ = read_questions(write_table(tmp_path, text))
    assert questions[0].answers == (span("a|b", 0), span("c", 4))
    assert questions[1].option_truth == (False, True)
    assert questions[1].answers[0].texts == ("It left.",)
    assert questions[1].gold_evidence == (
        Evidence(spans=(Span(0, 8),), texts=("It left.",), option_label="B"),
    )
    text = "id,passage,question,options,answer\n1,x,Q?,yes|no|maybe,C\n"
    assert read_single(write_table(tmp_path, text)).answers[0].texts == ("maybe",)


def test_options_are_as_many_as_there_are_letters(tmp_path):
    """Sets of ten options are read and written, as lines and as a table; none has a 27th."""
    texts = [f"{number} sheep" for number in range(26)]
    dump(load(write_lines(tmp_path, row(options=texts, answer="Z"))), tmp_path / "all.csv")
    for path in (write_lines(tmp_path, row(options=texts, answer="Z")), tmp_path / "all.csv"):
        question = read_single(path)
        assert [option.text for option in question.options] == texts
        assert question.answers[0].texts == ("25 sheep",)
    for given in ([*texts, "26 sheep"], {str(number): "x" for number in range(27)}):
        with pytest.raises(InputError, match="27 options") as told:
            read_questions(write_lines(tmp_path, row(options=given)))
        assert told.value.expected == "2 to 26 options"


@pytest.mark.parametrize("name", ["race", "c3", "agieval"])
def test_formats_with_five_options_reject_more(tmp_path, name):
    """The question is named, not a place in a file that the user never sees."""
    dataset = load(write_lines(tmp_path, row(options=list("abcdef"), answer="A")))
    with pytest.raises(UsageError, match="6 options") as told:
        dump(dataset, tmp_path / "out.json", name)
    assert "2 to 5 options" in told.value.expected
    assert told.value.where == "question 1"


def test_number_answers_in_tables_need_a_kind(tmp_path):
    """1998 is a text unless the row says discrete."""
    text = (
        "id,passage,question,answer,kind\n1,In 1998.,When?,1998,\n2,In 1998.,When?,1998,discrete\n"
    )
    questions, _ = read_questions(write_table(tmp_path, text))
    assert [question.answers[0].kind for question in questions] == ["span", "number"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEADER + "1,x,Q?,\n2,x,Q?\n", "line 3: 3 cells"),
        (HEADER + "1,x,Q?,,more\n", "line 2: 5 cells"),
        (HEADER + '1,"x,Q?,\n', "line 2: not CSV"),
        ("passage,question,answer\nx,Q?,\n", "no column id"),
        ("id,passage,question,question\n1,x,Q?,Q?\n", "the column 'question' occurs twice"),
        ("id,passage,question,option_6\n1,x,Q?,f\n", "unknown column 'option_6'"),
        ("id,passage,question,truth\n1,x,Q?,perhaps\n", "line 2: a truth value is 'perhaps'"),
        ("id,passage,question,answer,answer_start\n1,x,Q?,x,one\n", "answer_start is 'one'"),
        ("id,passage,question,kind\n1,x,Q?,riddle\n", "line 2, question 1, at kind"),
    ],
)
def test_broken_tables_are_errors(tmp_path, text, message):
    """Rows are reported by the line they begin on."""
    path = write_table(tmp_path, text)
    with pytest.raises(InputError) as caught:
        read_questions(path)
    assert f"{path}, " in str(caught.value)
    assert message in str(caught.value)


def test_a_table_rejects_what_it_cannot_hold(tmp_path):
    """Several spans, unknown answers among known ones and options without text are refused."""
    several = write_lines(tmp_path, row(answer=[["ferry", "piano"]]))
    with pytest.raises(UsageError, match=r"question 1: .*several spans"):
        dump(load(several), tmp_path / "no.csv", "csv")
    mixed = write_lines(tmp_path, row(answer=None), row(id=2))
    with pytest.raises(UsageError, match=r"question 2: .*without gold"):
        dump(load(mixed), tmp_path / "no.csv", "csv")
    empty = write_lines(tmp_path, row(options=["a", ""], answer="A"))
    with pytest.raises(UsageError, match=r"question 1: .*options without text"):
        dump(load(empty), tmp_path / "no.csv", "csv")
    assert not (tmp_path / "no.csv").exists()


@pytest.mark.parametrize(
    ("text", "named", "language"),
    [
        ("海水的盐度由蒸发决定。", None, "zh"),
        ("海水的盐度由蒸发决定。", "", "zh"),
        ("海水的盐度由蒸发决定。", "en", "en"),
        ("海水的盐度由蒸发决定。", "ja", "ja"),
        ("The ferry left.", None, "en"),
        ("The ferry left.", "de", "de"),
        ("海水的盐度由蒸发决定。", "zh-Hant-TW", "zh"),
    ],
)
def test_a_canonical_passage_without_language_is_detected(tmp_path, text, named, language):
    passage = {"passage_id": "p", "text": text} | ({} if named is None else {"language": named})
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps({"passage": passage, "questions": []}) + "\n", "utf-8")
    ((found, _),) = load(path)
    assert found.language == language
    dump(load(path), tmp_path / "again.jsonl", "jsonl")
    assert list(load(tmp_path / "again.jsonl")) == list(load(path))
