"""SQuAD, CMRC and ExpMRC: what their records become, checked against the raw files."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from closeread.errors import InputError, UsageError
from closeread.formats import dump, load
from closeread.types import Answer, Defects, Evidence, Span

CONTEXT = "Réaumur measured heat. 他测量了热。 He measured 80 degrees 🔥, then 80 more."


def write_set(folder: Path, value: Any, name: str = "set.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(value, ensure_ascii=False), "utf-8")
    return path


def squad_document(**question: Any) -> dict[str, Any]:
    """A document with one question."""
    asked = {"id": "q", "question": "How many?", "answers": []} | question
    return {
        "version": "1.1",
        "data": [{"title": "Heat", "paragraphs": [{"context": CONTEXT, "qas": [asked]}]}],
    }


def read_single(path: Path) -> tuple[Any, Any, dict[str, int]]:
    defects = Defects()
    ((passage, (question,)),) = load(path).read(defects)
    return passage, question, defects.counts


def raw_json(path: Path) -> Any:
    raw = path.read_bytes()
    return json.loads(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)


def test_squad_fields_are_read(tmp_path):
    """Ids, title, texts and places arrive where they belong."""
    at = CONTEXT.index("80 more")
    path = write_set(tmp_path, squad_document(answers=[{"text": "80", "answer_start": at}]))
    dataset = load(path)
    passage, question, defects = read_single(path)
    assert (dataset.format, dataset.version, dataset.name) == ("squad", "1.1", "set")
    assert (passage.passage_id, passage.title, passage.text) == ("0-0", "Heat", CONTEXT)
    assert (question.question_id, question.text, question.kind) == ("q", "How many?", "span")
    assert question.answers == (Answer(kind="span", texts=("80",), spans=(Span(at, at + 2),)),)
    assert not defects


def test_a_wrong_offset_is_repaired_and_written_back_unchanged(tmp_path):
    """Offsets counted in other units are defects; the file gets its own numbers back."""
    first, second = CONTEXT.index("80"), CONTEXT.index("80 more")
    answers = [
        {"text": "80", "answer_start": second + 1},
        {"text": "80", "answer_start": -1},
        {"text": "ninety", "answer_start": -1},
    ]
    path = write_set(tmp_path, squad_document(answers=answers))
    _, question, defects = read_single(path)
    assert [answer.spans for answer in question.answers] == [
        (Span(second, second + 2),),
        (Span(first, first + 2),),
        (),
    ]
    assert defects == {"wrong-offset": 2, "answer-not-in-passage": 1}
    dump(load(path), tmp_path / "back.json")
    assert raw_json(tmp_path / "back.json") == squad_document(answers=answers)


def test_unanswerable_questions_have_no_answer(tmp_path):
    """Impossible means one answer of kind none, whatever else stands there."""
    path = write_set(tmp_path, squad_document(is_impossible=True))
    assert read_single(path)[1].answers == (Answer(kind="none"),)
    path = write_set(
        tmp_path, squad_document(is_impossible=True, answers=[{"text": "80", "answer_start": 0}])
    )
    _, question, defects = read_single(path)
    assert question.answers == (Answer(kind="none"),)
    assert defects == {"impossible-with-answers": 1}
    empty = squad_document(is_impossible=True, answers=[{"text": "", "answer_start": -1}])
    path = write_set(tmp_path, empty)
    assert (read_single(path)[1].answers, read_single(path)[2]) == ((Answer(kind="none"),), {})
    dump(load(path), tmp_path / "back.json")
    assert raw_json(tmp_path / "back.json") == empty


def test_questions_without_gold_are_read(tmp_path):
    """A test set has no answers; an empty list is a defect."""
    document = squad_document()
    assert read_single(write_set(tmp_path, document))[2] == {"no-answer": 1}
    del document["data"][0]["paragraphs"][0]["qas"][0]["answers"]
    _, question, defects = read_single(write_set(tmp_path, document))
    assert question.answers == ()
    assert not defects


def test_repeated_ids_are_counted(tmp_path):
    """The same id twice is kept, and counted in full and in gold-only reading."""
    document = squad_document()
    document["data"] *= 2
    path = write_set(tmp_path, document)
    full, gold = Defects(), Defects()
    assert len(list(load(path).read(full))) == 2
    assert len(list(load(path).read_gold(gold))) == 2
    assert full.counts["duplicate-id"] == gold.counts["duplicate-id"] == 1


def test_other_sets_can_be_written_as_squad(tmp_path):
    """Rows of one's own become a document; options and unknown places do not fit."""
    rows = [
        {"id": "a", "passage": CONTEXT, "question": "What?", "answer": "heat"},
        {"id": "b", "passage": CONTEXT, "question": "Why?", "answer": None},
    ]
    source = tmp_path / "rows.jsonl"
    source.write_text("\n".join(map(json.dumps, rows)))
    dump(load(source), tmp_path / "out.json", "squad")
    document = raw_json(tmp_path / "out.json")
    (article,) = document["data"]
    assert document["version"] == "v2.0"
    assert article["paragraphs"][0]["qas"] == [
        {
            "id": "a",
            "question": "What?",
            "answers": [{"text": "heat", "answer_start": CONTEXT.index("heat")}],
        },
        {"id": "b", "question": "Why?", "answers": [], "is_impossible": True},
    ]
    rows[1] |= {"options": ["x", "y"], "answer": "A"}
    source.write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(UsageError, match=r"question b: .* options"):
        dump(load(source), tmp_path / "never.json", "squad")
    rows[1] = rows[0] | {"id": "c", "answer": "nowhere"}
    source.write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(UsageError, match=r"question c: .*nowhere"):
        dump(load(source), tmp_path / "never.json", "squad")
    assert not (tmp_path / "never.json").exists()


TREES = [
    "xquad/xquad.en.json",
    "xquad/xquad.zh.json",
    "squad2_subset/appcoreopc_dev-v2.0.json",
    "mlqa/dev-context-en-question-en.json",
    "covidqa/200423_covidQA.json",
    "squadshifts/new_wiki_v1.0.json.gz",
    "cmrc2018/cmrc2018_dev.json",
    "cmrc2018/cmrc2018_trial.json",
    "drcd/DRCD_dev.json",
    "expmrc/expmrc-squad-dev.json",
    "expmrc/expmrc-cmrc2018-dev.json",
]


@pytest.mark.parametrize("name", TREES)
def test_every_field_of_a_real_set_round_trips(corpus: Path, name: str):
    """Passages, questions, references and places equal an independent reading of the file."""
    path = corpus / "data" / name
    found = iter(load(path))
    compared = 0
    for article in raw_json(path)["data"]:
        for paragraph in article["paragraphs"]:
            passage, questions = next(found)
            assert passage.text == paragraph["context"]
            assert passage.title == article.get("title", "")
            assert paragraph.get("id", passage.passage_id) == passage.passage_id
            assert len(questions) == len(paragraph["qas"])
            for question, asked in zip(questions, paragraph["qas"], strict=True):
                assert question.question_id == str(asked["id"])
                assert question.text == asked["question"]
                assert question.passage_id == passage.passage_id
                if asked.get("is_impossible"):
                    assert question.answers == (Answer(kind="none"),)
                    continue
                assert [a.texts for a in question.answers] == [
                    (reference["text"],) for reference in asked["answers"]
                ]
                for answer, reference in zip(question.answers, asked["answers"], strict=True):
                    start, text = reference["answer_start"], reference["text"]
                    if start >= 0 and passage.text[start : start + len(text)] == text:
                        assert answer.spans == (Span(start, start + len(text)),)
                    else:
                        assert bool(answer.spans) == (text in passage.text)
                    compared += 1
                told = [evidence.texts for evidence in question.gold_evidence]
                assert told == [(text,) for text in asked.get("evidences", ())]
    assert next(found, None) is None
    print(f"{name}: {compared} references compared")


def test_cmrcs_first_form_round_trips(tmp_path):
    """CMRC's own first form reads, finds places, and comes back."""
    value = [
        {
            "context_id": "D1",
            "context_text": "他测量了热。",
            "title": "热",
            "qas": [
                {"query_id": "D1Q1", "query_text": "测量什么？", "answers": ["热", "冷"]},
            ],
        }
    ]
    path = write_set(tmp_path, value)
    passage, question, defects = read_single(path)
    assert load(path).format == "cmrc"
    assert (passage.passage_id, passage.title, passage.language) == ("D1", "热", "zh")
    assert question.answers == (
        Answer(kind="span", texts=("热",), spans=(Span(4, 5),)),
        Answer(kind="span", texts=("冷",)),
    )
    assert defects == {"answer-not-in-passage": 1}
    dump(load(path), tmp_path / "back.json")
    assert raw_json(tmp_path / "back.json") == value


def test_writing_mrqa_needs_tokens(tmp_path):
    """A set without tokens is sent to `closeread convert`."""
    path = write_set(tmp_path, squad_document())
    with pytest.raises(UsageError, match="closeread convert --to mrqa"):
        dump(load(path), tmp_path / "never", "mrqa")


def test_expmrc_stems_get_their_polarity(tmp_path):
    """Its questions are theirs; a reader that is not told answers a NOT the wrong way round."""
    article = {
        "id": "r1",
        "article": "Ann ran. Bo sat.",
        "questions": ["Which is true?", "Which of the following is NOT true?", "Who ran?"],
        "options": [["Ann ran.", "Bo ran."]] * 3,
        "answers": ["A", "B", "A"],
        "evidences": [["Ann ran."]] * 3,
    }
    ((_, questions),) = load(write_set(tmp_path, {"version": "x", "data": [article]}))
    assert [one.asks_for for one in questions] == ["supported", "contradicted", None]
    assert {one.kind for one in questions} == {"choice"}


def test_expmrc_choices_are_read(tmp_path):
    """Ids count the questions of an article; letters and evidences find their places."""
    article = {
        "id": "m1",
        "article": "天冷。水结了冰。",
        "questions": ["水怎么了？", "天怎么样？"],
        "options": [["结冰", "烧开"], ["冷", "热", "闷"]],
        "answers": ["A", "D"],
        "evidences": [["水结了冰。"], ["天冷。", "天热。"]],
    }
    path = write_set(tmp_path, {"version": "x", "data": [article]})
    defects = Defects()
    ((passage, questions),) = load(path).read(defects)
    assert load(path).format == "expmrc"
    assert [question.question_id for question in questions] == ["m1-0", "m1-1"]
    assert questions[0].answers == (Answer(kind="choice", label="A", texts=("结冰",)),)
    assert questions[0].gold_evidence == (Evidence(spans=(Span(3, 8),), texts=("水结了冰。",)),)
    assert questions[1].gold_evidence == (
        Evidence(spans=(Span(0, 3),), texts=("天冷。",)),
        Evidence(texts=("天热。",)),
    )
    assert defects.counts == {"answer-not-an-option": 1, "evidence-not-in-passage": 1}
    assert passage.language == "zh"
    del article["answers"][1]
    with pytest.raises(InputError, match="1 answers, 2 evidences"):
        list(load(write_set(tmp_path, {"version": "x", "data": [article]})))


@pytest.mark.parametrize("name", ["c3", "race"])
def test_expmrc_ids_equal_those_of_the_sample_submissions(corpus: Path, name: str):
    """Questions have the ids that the official submissions use, in their order."""
    submitted = raw_json(corpus / f"data/expmrc/sample_submission/{name}.json")
    dataset = load(corpus / f"data/expmrc/expmrc-{name}-dev.json")
    assert [question.question_id for question in dataset.questions()] == list(submitted)
    print(f"{len(submitted)} ids equal")
