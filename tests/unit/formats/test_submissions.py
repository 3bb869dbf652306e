"""Prediction files of every form come in as what they are."""

import gzip
import json

import msgspec
import pytest

from closeread.errors import InputError, UsageError
from closeread.formats.submissions import load_submission
from closeread.metrics.evidence import EvidenceMetric
from closeread.types import Answer, Dataset, Evidence, Prediction, Span
from submission_samples import TEXT, load_submitted, two_questions


@pytest.mark.parametrize(
    "content",
    [
        '{"a": "x", "b": "y", "a": "z"}',
        '{"a": "say \\"c\\": 1", "b" : "y" , "a"\n: "z"}',
        '{"a": {"answer": "x"}, "b": {"answer": "y"}, "a": {"answer": "z"}}',
        '[{"id": "a", "answer": "x"}, {"id": "b", "answer": "y"}, {"id": "a", "answer": "z"}]',
    ],
)
def test_a_repeated_id_is_kept_in_rows(tmp_path, content):
    """In one object too, where a parser keeps the last and says nothing."""
    found = load_submitted(tmp_path, content)
    assert found.predictions["a"].answer == Answer(kind="span", texts=("z",))
    assert sorted(name for name, _ in found.rows) == ["a", "a", "b"]


def test_answers_may_be_strings_lists_and_null(tmp_path):
    """A string is one answer, a list several, null none; a lone capital is a label too."""
    found = load_submitted(tmp_path, {"a": "x y", "b": ["x", "y"], "c": None, "d": "B"}).predictions
    assert found["a"].answer == Answer(kind="span", texts=("x y",))
    assert found["b"].answer == Answer(kind="spans", texts=("x", "y"))
    assert found["c"].answer is None
    assert found["d"].answer.label == "B"


def test_the_best_of_an_nbest_list_is_the_answer(tmp_path):
    """Both n-best forms give candidates, and the best of them as the answer."""
    ours = load_submitted(
        tmp_path, {"a": {"answers": ["x", "y"], "scores": [0.2, 0.7]}}
    ).predictions["a"]
    theirs = load_submitted(
        tmp_path, {"a": [{"text": "x", "probability": 0.2}, {"text": "y", "probability": 0.7}]}
    ).predictions["a"]
    assert ours == theirs
    assert (ours.answer.texts, ours.confidence, len(ours.candidates)) == (("y",), 0.7, 2)


def test_rows_may_have_ids(tmp_path):
    """JSON lines and arrays of rows name their question in any of the usual fields."""
    rows = [{"qid": "a", "answer": "x"}, {"id": 7, "prediction": "y", "confidence": 0.5}]
    lines = "\n".join(map(json.dumps, rows))
    assert load_submitted(tmp_path, lines).predictions == load_submitted(tmp_path, rows).predictions
    assert load_submitted(tmp_path, rows).predictions["7"].confidence == 0.5


def test_rows_of_the_library_evaluate_are_read(tmp_path):
    """What else stands in them, as the probability of no answer, is passed over."""
    rows = [{"id": "a", "prediction_text": "x"}, {"id": "b", "prediction_text": ""}]
    found = load_submitted(tmp_path, [row | {"no_answer_probability": 0.0} for row in rows])
    assert found.predictions == load_submitted(tmp_path, rows).predictions
    assert found.predictions["a"].answer == Answer(kind="span", texts=("x",))
    assert found.predictions["b"].answer.text == ""
    csv = load_submitted(tmp_path, "id,prediction_text\na,x\nb,\n")
    assert csv.predictions["a"] == found.predictions["a"]


def test_closereads_own_rows_round_trip(tmp_path):
    """A line of predictions.jsonl is read back as the record that wrote it."""
    one = Prediction(question_id="a", answer=Answer(kind="number", texts=("3",)), confidence=0.25)
    two = Prediction(question_id="b", error="ran out of memory")
    text = "\n".join(msgspec.json.encode(p).decode() for p in (one, two))
    assert list(load_submitted(tmp_path, text).predictions.values()) == [one, two]


def test_duplicates_stay_in_rows(tmp_path):
    """An id that occurs twice keeps both rows; the last one counts."""
    found = load_submitted(tmp_path, [{"id": "a", "answer": "x"}, {"id": "a", "answer": "y"}])
    assert len(found.rows) == 2
    assert found.predictions["a"].answer.texts == ("y",)


@pytest.mark.parametrize("value", [5, True, {"answers": ["x"], "scores": ["high"]}, [1, 2]])
def test_invalid_answers_are_rejected(tmp_path, value):
    """A prediction of a wrong kind is named with its question."""
    with pytest.raises(InputError, match="question a"):
        load_submitted(tmp_path, {"a": value})


@pytest.mark.parametrize("content", ["3", '"text"', "[1]", '[{"answer": "x"}]', '{"data": [{}]}'])
def test_invalid_submissions_are_rejected(tmp_path, content):
    """A file of another shape gives one clear error."""
    with pytest.raises(InputError):
        load_submitted(tmp_path, content)


def test_questions_instead_of_predictions_are_recognised(tmp_path):
    """A set in SQuAD's form has `data` as GCRC_advRobust's predictions have, and no letter."""
    with pytest.raises(InputError, match="predictions, not questions") as caught:
        load_submitted(tmp_path, {"data": [{"title": "t", "paragraphs": []}]})
    assert "--dataset" in caught.value.cure
    with pytest.raises(InputError, match="missing positive_answer, negative_answer"):
        load_submitted(tmp_path, {"data": [{"id": "g", "answer": "A"}]})


def test_a_table_of_predictions_needs_known_columns(tmp_path):
    """Of any other one the forms are told: there is nothing in it to mend."""
    found = load_submitted(tmp_path, 'id,answer\nq1,x\nq2,"y, z"\nq3,\n').predictions
    assert [one.answer.texts for one in found.values()] == [("x",), ("y, z",), ("",)]
    with pytest.raises(InputError) as caught:
        load_submitted(tmp_path, "name,said\nq1,x\n")
    assert "docs/formats.md" in caught.value.cure


def test_evidence_rows_find_their_sentences(tmp_path):
    """Joined sentences are found in order, the earliest of equal ones first."""
    rows = {
        "data": [
            {"qid": "q1", "opid": 0, "sentence1": "甲先到。丙没有来。"},
            {"qid": "q1", "opid": 1, "sentence1": "乙后到。甲先到。"},
            {"qid": "q2", "opid": 0, "sentence1": "丁来了。"},
        ]
    }
    found = load_submitted(tmp_path, rows, dataset=two_questions()).predictions
    texts = [tuple(s.of(TEXT) for s in e.spans) for e in found["q1"].evidence]
    assert texts == [("甲先到。", "丙没有来。"), ("乙后到。", "甲先到。")]
    assert found["q1"].evidence[0].spans[0].start == 0
    assert found["q2"].evidence[0].spans == ()


def test_logits_need_their_data_set_and_its_size(tmp_path):
    """Logits are read by position: without the set, or with a wrong number, they are refused."""
    lines = "0\t1.0\t-1.0\t\n1\t-1.0\t1.0\t\n2\t0.0\t0.5\t\n3\t0.0\t2.0\t\n"
    found = load_submitted(tmp_path, lines, dataset=two_questions()).predictions
    assert [p.answer.label for p in found.values()] == ["B", "A"]
    with pytest.raises(UsageError, match="data set"):
        load_submitted(tmp_path, lines)
    with pytest.raises(InputError, match="5 lines"):
        load_submitted(tmp_path, lines + "4\t0\t0\t\n", dataset=two_questions())


def test_null_odds_are_read(tmp_path):
    """SQuAD 2.0's side file is kept by name."""
    odds = tmp_path / "odds.json"
    odds.write_text('{"a": 0.25}')
    assert load_submitted(tmp_path, {"a": ""}, null_odds=odds).extras == {"null_odds": {"a": 0.25}}


def test_published_prediction_files_are_read(corpus):
    """Every published prediction file of the corpus gives one prediction a question."""
    counts = {
        "squad_preds/bert_ensemble.v1.1.json": 10570,
        "squad_preds/bert_single.v2.0.json": 11873,
        "squad_preds/logistic_regression.v1.1.json": 10585,
        "cmrc2018/predictions.json": 3219,
        "mrqa/pred-output.json": 30,
        "expmrc/sample_submission/squad.json": 501,
        "expmrc/sample_submission/cmrc2018.json": 515,
        "expmrc/sample_submission/c3.json": 505,
        "expmrc/sample_submission/race.json": 561,
        "gcrc_advrobust/dev_GCRCadvrobust_predict.json": 3 * 336,
        "vgaokao/official_predictions.json": 700,
        "quoref/quoref_predictions_visible.jsonl": 1209,
    }
    for name, count in counts.items():
        assert len(load_submission(corpus / "data" / name).predictions) == count, name


def test_nbest_file_matches_its_summary(corpus):
    """The published n-best file gives the top answers and scores of its golden summary."""
    golden = json.loads((corpus / "golden/nbest/summary.json").read_text())
    found = load_submission(corpus / "data/mrqa/pred-output.json").predictions
    assert len(golden) == 30
    for question_id, row in golden.items():
        prediction = found[question_id]
        scores = [candidate.score for candidate in prediction.candidates]
        assert prediction.answer.texts[0] == row["top"]
        assert (scores[0], len(scores)) == (row["top_score"], row["n"])
        assert scores[0] - scores[1] == row["margin"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({"a": {"anwser": "x"}}, "question a: the prediction is an object"),
        ([{"id": "a"}], "question a: the prediction is an object"),
        ({"a": {"answer": "x", "confidence": "high"}}, "the confidence is a string"),
        ({"a": [{"text": "x", "probability": "0.2"}]}, "the probability is a string"),
        ({"a": {"answers": ["x"], "scores": [True]}}, "question a"),
        ({"a": {"answers": ["x", "y"], "scores": [0.1]}}, "2 answers and 1 score"),
    ],
)
def test_unknown_fields_are_an_error(tmp_path, content, told):
    """A misspelt answer or a score that is no number is an error, not a missing prediction."""
    with pytest.raises(InputError, match=told):
        load_submitted(tmp_path, content)


def test_scores_may_be_marked_as_ranks(tmp_path):
    row = {"answer": "A", "option_scores": [0.5, 0.25], "scores_rank": True}
    assert load_submitted(tmp_path, json.dumps({"q7": row})).predictions["q7"].scores_rank
    with pytest.raises(InputError, match="question q7"):
        load_submitted(tmp_path, json.dumps({"q7": row | {"scores_rank": "yes"}}))


@pytest.mark.parametrize(
    "row",
    [
        {"answers": ["Ada"], "scores": [10**400]},
        [{"text": "Ada", "probability": 10**400}],
        {"answer": "A", "confidence": -(10**400)},
        {"answer": "A", "option_scores": [0.5, 10**400]},
        {"answer": "A", "option_scores": [0.5, True]},
    ],
)
def test_a_score_beyond_floats_is_rejected(tmp_path, row):
    path = tmp_path / "p.json"
    path.write_text(json.dumps({"q7": row}), "utf-8")
    with pytest.raises(InputError, match="question q7"):
        load_submission(path)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (
            '{"q1": "x", "q7": {"answers": ["x"], "scores": [NaN]}}',
            r"at 'NaN]}}' after '.*scores\": \['",
        ),
        ("word,said\nq1,x\n", r"line 1: not JSON: invalid character at 'word,said'\n"),
        ('{"id": "q1", "answer": "x"}\n{"id": "q2"} x\n', r"line 2: .* at 'x' after '\{\"id\": "),
        ('{"甲甲甲甲甲甲甲甲": "x", "乙": -Infinity}', "at '.*Infinity}' after '.*x\", \"乙\": "),
    ],
)
def test_text_that_is_not_json_is_quoted_in_the_error(tmp_path, content, told):
    """Submissions are one long line: its number alone does not tell where the fault is."""
    path = tmp_path / "p.json"
    path.write_text(content, "utf-8")
    with pytest.raises(InputError, match=told):
        load_submission(path)


def test_a_gzip_bomb_is_rejected(tmp_path, monkeypatch):
    """A file that somebody handed in does not exhaust the memory of whoever scores it."""
    content = json.dumps({"q1": "0" * 100_000}).encode()
    path = tmp_path / "p.json.gz"
    path.write_bytes(gzip.compress(content))
    most = "closeread.formats.submissions.loading.MAX_PREDICTIONS_BYTES"
    monkeypatch.setattr(most, len(content))
    assert list(load_submission(path).predictions) == ["q1"]
    monkeypatch.setattr(most, len(content) - 1)
    with pytest.raises(InputError, match="unpacks to more than"):
        load_submission(path)


def _dataset_with_gold():
    dataset = two_questions()
    ((passage, questions),) = dataset
    gold = (
        Evidence(option_label="A", spans=(Span(0, 4), Span(8, 12))),
        Evidence(option_label="B", spans=(Span(4, 8),)),
    )
    asked = tuple(msgspec.structs.replace(one, gold_evidence=gold) for one in questions)
    return Dataset(
        name="d", format="jsonl", read=lambda _: iter([(passage, asked)]),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("given", "spans"),
    [
        ({"A": "乙后到。", "B": ["丙没有来。"]}, {"A": [(4, 8)], "B": [(12, 17)]}),
        ({"A": ["甲先到。", "甲先到。"]}, {"A": [(0, 4), (8, 12)]}),
        ({"A": " 甲先到。乙后到。 "}, {"A": [(0, 4), (4, 8)]}),
        ({"A": "乙后到。丙没有来。"}, {"A": [(4, 8), (12, 17)]}),
        ({"A": "没有"}, {"A": [(13, 15)]}),
        ({"A": ["丁不在。", "乙后到。"]}, {"A": [(4, 8)]}),
        ("乙后到。", {"": [(4, 8)]}),
    ],
    ids=["by option", "twice", "neighbours", "run together", "a piece", "nowhere", "of all"],
)
def test_evidence_texts_are_located_if_gold_has_spans(tmp_path, given, spans):
    content = [{"id": "q1", "answer": "A", "evidence": given}]
    found = load_submitted(tmp_path, content, dataset=_dataset_with_gold()).predictions["q1"]
    places: dict[str, list[tuple[int, int]]] = {}
    for one in found.evidence:
        places.setdefault(one.option_label, []).extend((s.start, s.end) for s in one.spans)
    assert places == spans


def test_evidence_that_is_not_in_the_passage_is_wrong(tmp_path):
    given = {"A": ["丁不在。", "甲先到。"], "B": ["丁不在。"]}
    dataset = _dataset_with_gold()
    found = load_submitted(
        tmp_path, [{"id": "q1", "answer": "A", "evidence": given}], dataset=dataset
    )
    ((_, questions),) = dataset
    values = EvidenceMetric().score(questions[0], found.predictions["q1"]).values
    assert (values["precision.A"], values["recall.A"], values["f1.B"]) == (0.5, 0.5, 0.0)


def test_evidence_that_is_not_text_is_rejected(tmp_path):
    for given in ({"A": 3}, {"A": [3]}, 3):
        with pytest.raises(InputError, match="evidence as strings"):
            load_submitted(tmp_path, [{"id": "q1", "answer": "A", "evidence": given}])


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ([{"id": "a", "answer": "x"}, {"answer": "y"}], "at [1]: a prediction without an id"),
        ('{"id": "a", "answer": "x"}\n\n{"answer": "y"}', "line 3: a prediction without an id"),
        (
            '{"question_id": "a", "answer": null}\n\n{"question_id": "b", "answer": {"kind": 3}}',
            "line 3, question b, at answer.kind: found an integer",
        ),
        ({"data": [{"id": "a"}]}, "at data[0]: missing answer"),
        ({"results": [{"qid": 1, "prediction": "A"}]}, "at results[0].prediction: found a string"),
    ],
)
def test_a_wrong_row_is_named_by_line_or_index(tmp_path, content, place):
    """Places in a list count from 0, as in every path into JSON; lines from 1."""
    with pytest.raises(InputError) as told:
        load_submitted(tmp_path, content)
    assert place in str(told.value)
