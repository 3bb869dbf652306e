"""Tasks whose model is asked for letters alone: options stand in the document or the prompt."""

import json

import pytest

from closeread.runs.ingest import ingest

PROMPT = "P: Ann ran home.\nQ: Who ran?\nA: Bob\nB: Ann\nAnswer:"


@pytest.mark.parametrize(
    ("columns", "lost"),
    [
        ({"choices": ["Bob", "Ann"]}, False),
        ({"mc_answer1": "Bob", "mc_answer2": "Ann", "correct_answer_num": "2"}, False),
        ({"A": "Bob", "B": "Ann"}, False),
        ({}, False),
        ({"choices": ["Bob", "Ann", "Cy"]}, True),
    ],
)
def test_lettered_options_get_the_documents_texts(tmp_path, columns, lost):
    row = {
        "doc_id": 0,
        "doc": {"flores_passage": "Ann ran home.", "question": "Who ran?", **columns},
        "target": "1",
        "arguments": {
            f"gen_args_{place}": {"arg_0": PROMPT, "arg_1": f" {letter}"}
            for place, letter in enumerate("AB")
        },
        "resps": [[["-2.0", "False"]], [["-1.0", "True"]]],
        "filtered_resps": [["-2.0", "False"], ["-1.0", "True"]],
        "filter": "none",
        "metrics": ["acc"],
        "acc": 1.0,
    }
    log = tmp_path / "samples_belebele_2026-01-01T00-00-00.000000.jsonl"
    log.write_text(json.dumps(row) + "\n")
    (run,) = ingest([log], tmp_path / "run").runs
    ((passage, (question,)),) = list(run.dataset())
    assert (passage.text, question.text) == ("Ann ran home.", "Who ran?")
    assert [one.label for one in question.options] == ["A", "B"]
    assert [one.text for one in question.options] == (["A", "B"] if lost else ["Bob", "Ann"])
    (answer,) = question.answers
    assert answer.label == "B"
    assert ("options" in run.info.log.lost) is lost


def test_lighteval_options_are_found_in_the_prompt(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    row = {
        "doc": {
            "id": "7",
            "query": "Passage: Ann ran.\nQuestion: Who ran?\nA. Bob\nB. Ann\nAnswer:",
            "choices": [" A", " B"],
            "gold_index": [1],
        },
        "model_response": {"input": "", "text": [], "logprobs": [-3.0, -1.0]},
        "metric": {"acc": 1.0},
    }
    log = tmp_path / "details_task_2026-01-01T00-00-00.000000.parquet"
    pq.write_table(pa.Table.from_pylist([row]), log)
    (run,) = ingest([log], tmp_path / "run").runs
    (question,) = run.dataset().questions()
    assert (question.text, question.answers[0].texts) == ("Who ran?", ("Ann",))
    assert [one.text for one in question.options] == ["Bob", "Ann"]
    assert next(iter(run.predictions())).answer.texts == ("Ann",)


@pytest.mark.parametrize(("labels", "right"), [((1, 2), "A"), ((0, 1), "B"), (("A", "B"), "B")])
def test_an_opencompass_label_is_not_an_index(tmp_path, labels, right):
    """StoryCloze counts from 1: the gold 1 is its first ending, and the second of those from 0."""
    entry = {
        f"label: {label}": {"prompt": f"Story. {ending}", "PPL": cost}
        for label, ending, cost in zip(
            labels, ("It rained.", "It snowed."), (1.0, 2.0), strict=True
        )
    }
    log = tmp_path / "story_cloze.json"
    log.write_text(json.dumps({"0": entry | {"prediction": labels[0], "gold": 1}}))
    (run,) = ingest([log], tmp_path / "run").runs
    ((_, (question,)),) = list(run.dataset())
    assert [answer.label for answer in question.answers] == [right]
    assert [said.answer.label for said in run.predictions()] == ["A"]


def test_options_beside_a_text_gold_keep_the_text(tmp_path):
    """Where the gold is none of a document's options the texts were read as options, too: none."""
    row = {
        "doc_id": 0,
        "doc": {"passage": "Ann ran home.", "question": "Who ran?", "choices": ["Bob", "Cy"]},
        "target": "Ann",
        "arguments": {"gen_args_0": {"arg_0": "Who ran?", "arg_1": {"until": ["\n"]}}},
        "resps": [[" Ann"]],
        "filtered_resps": [" Ann"],
        "filter": "none",
        "metrics": ["exact_match"],
        "exact_match": 1.0,
    }
    log = tmp_path / "samples_words_2026-01-01T00-00-00.000000.jsonl"
    log.write_text(json.dumps(row) + "\n")
    (run,) = ingest([log], tmp_path / "run").runs
    (question,) = run.dataset().questions()
    assert not question.options and question.answers[0].texts == ("Ann",)
    (said,) = run.predictions()
    assert said.answer.texts == (" Ann",)
