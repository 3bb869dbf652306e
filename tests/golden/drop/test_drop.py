"""DROP against the official program's outputs, row by row, to the last bit."""

import gzip
import json
import math

import pytest

from closeread import load
from closeread.errors import InputError
from closeread.metrics.drop import metric, official, score_pair
from closeread.summation import sum_in_order
from closeread.text.normalize_drop import drop
from closeread.types import Answer, Prediction, Question, Submission


def rows(corpus, name):
    path = corpus / "golden" / "drop" / name
    found = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]
    index = json.loads((corpus / "golden" / "INDEX.json").read_text("utf-8"))
    assert len(found) == index[f"drop/{name}"]
    return found


def gold(annotation):
    """The official reading of one annotation object, as the loader must give it."""
    if annotation.get("number"):
        return Answer(kind="number", texts=(str(annotation["number"]),))
    if annotation.get("spans"):
        spans = tuple(annotation["spans"])
        return Answer(kind="span" if len(spans) == 1 else "spans", texts=spans)
    date = annotation["date"]
    return Answer(kind="date", texts=(f"{date['day']} {date['month']} {date['year']}",))


def question(answers, question_id="q"):
    return Question(
        question_id=question_id, passage_id="p", text="?", kind="discrete", answers=tuple(answers)
    )


def handed_in(value, question_id="q"):
    texts = (value,) if isinstance(value, str) else tuple(value)
    kind = "span" if isinstance(value, str) else "spans"
    return Prediction(question_id=question_id, answer=Answer(kind=kind, texts=texts))


def result(score):
    kinds = [key.partition(".")[2] for key in score.values if key.startswith("em.")]
    return score.values["em"], score.values["f1"], kinds[0] if kinds else None


def test_every_pair(corpus):
    compared = 0
    for row in rows(corpus, "pairs.jsonl"):
        golds = [Answer(kind="spans", texts=tuple(spans)) for spans in row["golds"]]
        score = metric().score(question(golds), handed_in(row["prediction"]))
        assert result(score)[:2] == (row["em"], row["f1"]), row
        compared += 1
    print(f"{compared} rows compared")
    assert compared == 6618


def test_every_normalised_string(corpus):
    compared = 0
    for row in rows(corpus, "normalise.jsonl"):
        found = drop(row["raw"])
        assert found.text == row["normalised"], row
        assert sorted(found.bag) == row["bag"], row
        compared += 1
    print(f"{compared} rows compared")
    assert compared == 743


def test_every_edge_case(corpus):
    """Where the official function raises, ours says what is wrong."""
    compared = errors = 0
    for row in rows(corpus, "edge.jsonl"):
        if "error" in row:
            with pytest.raises(InputError, match="expected: a string, or a list of strings"):
                score_pair(row["prediction"], row["gold"])
            errors += 1
        else:
            em, f1 = score_pair(row["prediction"], row["gold"])
            assert em == row["em"]
            assert math.isnan(f1) if row["f1_is_nan"] else f1 == row["f1"]
        compared += 1
    print(f"{compared} rows compared, {errors} of them errors")
    assert (compared, errors) == (18, 8)


def test_every_question_and_its_type(corpus):
    compared = 0
    errors = 0
    for row in rows(corpus, "question.jsonl"):
        given = [row["gold"]["answer"], *(row["gold"].get("validated_answers") or [])]
        if "error" in row:
            errors += 1
            continue
        golds = [gold(annotation) for annotation in given if annotation]
        prediction = None if row.get("missing") else handed_in(row["prediction"])
        found = result(metric().score(question(golds), prediction))
        assert found == (row["em"], row["f1"], row["type"]), row
        compared += 1
    print(f"{compared} rows compared; {errors} rows are files or predictions that cannot be read")
    assert (compared, errors) == (2680, 5)


def contrast_questions(corpus):
    path = corpus / "data" / "drop" / "drop_contrast_sets_test.json"
    for passage_id, passage in json.loads(path.read_text("utf-8")).items():
        for pair_ in passage["qa_pairs"]:
            given = [pair_["answer"], *(pair_.get("validated_answers") or [])]
            yield Question(
                question_id=pair_["query_id"],
                passage_id=passage_id,
                text=pair_["question"],
                kind="discrete",
                answers=tuple(gold(annotation) for annotation in given),
            )


def contrast_prediction(name, found):
    import hashlib

    texts = found.answers[0].texts
    as_given = texts[0] if len(texts) == 1 else list(texts)
    if name == "none":
        return None
    if name == "even_ids_only" and hashlib.sha256(found.question_id.encode()).digest()[-1] % 2:
        return None
    return {
        "gold_as_one_string": ", ".join(texts),
        "gold_full_stop": texts[0] + ".",
        "constant_2": "2",
    }.get(name, as_given)


def test_the_whole_contrast_set_and_its_printed_lines(corpus):
    path = corpus / "golden" / "drop" / "contrast_whole_file.json"
    expected = json.loads(path.read_text("utf-8"))
    questions = list(contrast_questions(corpus))
    for case in expected:
        predictions = {}
        for found in questions:
            value = contrast_prediction(case["name"], found)
            if value is not None:
                predictions[found.question_id] = handed_in(value, found.question_id)
        assert len(predictions) == case["predicted"]
        scores = [metric().score(each, predictions.get(each.question_id)) for each in questions]
        got = official(scores)
        assert (got["em"], got["f1"]) == (case["em"], case["f1"]), case["name"]
        assert got["printed"] == case["printed"], case["name"]
        em, f1, *_ = metric().pool(scores, Submission(predictions=predictions))
        assert (em.n_questions, em.n_answered) == (947, case["predicted"])
        assert sum(em.numerators) / 947 == pytest.approx(case["em"], abs=1e-12)
        assert sum(f1.numerators) / 947 == pytest.approx(case["f1"], abs=1e-12)
    print(f"{len(expected)} files of {len(questions)} questions compared")
    assert (len(expected), len(questions)) == (6, 947)


TRANSFORMS = {
    "gold": lambda text, row: text,
    "gold_full_stop": lambda text, row: text + ".",
    "gold_cut_at_full_stop": lambda text, row: text.split(".")[0],
    "run_on": lambda text, row: text + RUN_ON,
    "run_on_cut_at_full_stop": lambda text, row: (text + RUN_ON).split(".")[0],
    "run_on_cut_at_newline": lambda text, row: (text + RUN_ON).split("\n")[0],
    "the_answer_is": lambda text, row: "The answer is " + text + ".",
    "answer_colon": lambda text, row: "Answer: " + text,
    "constant_2": lambda text, row: "2",
    "empty": lambda text, row: "",
    "completion": lambda text, row: row["completion"],
    "spans_split": lambda text, row: text.split(" and "),
}
RUN_ON = "\n\nPassage: Hoping to rebound from their loss"


def test_every_transform_of_the_whole_dev_set(corpus):
    path = corpus / "golden" / "drop" / "adas_transforms.json"
    expected = json.loads(path.read_text("utf-8"))
    with gzip.open(corpus / "data" / "drop" / "drop_v0_dev.jsonl.gz", "rt", encoding="utf-8") as f:
        data = [json.loads(line) for line in f]
    compared = 0
    for case in expected["transforms"]:
        scores = []
        for row in data:
            pieces = row["ref_text"].split("|")
            golds = [Answer(kind="span", texts=(piece,)) for piece in pieces]
            made = TRANSFORMS[case["name"]](pieces[0], row)
            scores.append(metric().score(question(golds), handed_in(made)))
        got = official(scores)
        assert (got["em"], got["f1"]) == (case["em"], case["f1"]), case["name"]
        compared += len(scores)
    print(f"{compared} rows compared")
    assert compared == 12 * 9536


def test_quoref_predictions(corpus):
    expected = json.loads((corpus / "golden" / "drop" / "quoref_visible.json").read_text("utf-8"))
    quoref = corpus / "data" / "quoref"
    golds = {
        pair_["query_id"]: gold(pair_["answer"])
        for passage in json.loads((quoref / "quoref_dataset_dev.json").read_text("utf-8")).values()
        for pair_ in passage["qa_pairs"]
    }
    scores, different = [], 0
    for line in (quoref / "quoref_predictions_visible.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        value = row["answer"]["value"]
        answer = golds[row["query_id"]]
        score = metric().score(question([answer]), handed_in(value))
        different += (score.values["em"], score.values["f1"]) != (row["em"], row["f1"])
        scores.append((answer.kind, score))
    assert different == expected["rows_differing_from_stored_em_f1"] == 0
    assert len(scores) == expected["rows"] == 1209
    got = official([score for _, score in scores])
    assert (got["em"], got["f1"]) == (expected["em"], expected["f1"])
    for kind, part in expected["by_gold_type"].items():
        members = [score.values for found, score in scores if found == kind]
        assert len(members) == part["rows"]
        for key in ("em", "f1"):  # these two were added up from left to right, not by numpy
            assert sum_in_order([found[key] for found in members]) / len(members) == part[key]
    print(f"{len(scores)} rows compared")


def test_the_rows_that_the_program_refuses_are_refused_from_files(corpus, tmp_path):
    """Gold without number, spans or a whole date; predictions that are null or a number."""
    refused = [row for row in rows(corpus, "question.jsonl") if "error" in row]
    for number, row in enumerate(refused):
        annotation_error = row["error"].startswith(("ValueError", "KeyError"))
        if annotation_error:
            path = tmp_path / f"gold{number}.json"
            pair_ = {"question": "?", "query_id": row["query_id"], **row["gold"]}
            path.write_text(json.dumps({"p": {"passage": "x", "qa_pairs": [pair_]}}), "utf-8")
            with pytest.raises(InputError) as caught:
                list(load(path, "drop").questions())
            assert str(path) in str(caught.value)
        else:
            with pytest.raises(InputError, match="expected: a string, or a list of strings"):
                score_pair(row["prediction"], row["gold"]["answer"]["spans"] or ["3"])
    assert len(refused) == 5


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("drop/drop_contrast_sets_test.json", 947),
        ("drop/drop_dataset_dev_sample.json", 73),
        ("quoref/quoref_dataset_dev.json", 2418),
    ],
)
def test_gold_as_the_loader_gives_it_is_gold_as_the_program_reads_it(corpus, name, count):
    path = corpus / "data" / name
    expected = {}
    for passage in json.loads(path.read_text("utf-8")).values():
        for pair_ in passage["qa_pairs"]:
            given = [pair_["answer"], *(pair_.get("validated_answers") or [])]
            expected[pair_["query_id"]] = [gold(annotation) for annotation in given]
    compared = 0
    for found in load(path).questions():
        answers = expected[found.question_id]
        assert [answer.kind for answer in found.answers] == [answer.kind for answer in answers]
        for ours, theirs in zip(found.answers, answers, strict=True):
            assert [drop(text) for text in ours.texts] == [drop(text) for text in theirs.texts]
        compared += 1
    print(f"{compared} questions compared")
    assert compared == count
