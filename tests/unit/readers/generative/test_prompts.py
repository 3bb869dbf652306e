"""Prompt files: what ships keeps its words, and one's own is looked at before it is used."""

import hashlib

import pytest

from closeread.errors import InputError
from closeread.formats import load
from closeread.readers import make
from closeread.readers.generative.prompts import load_built_in, load_prompt
from closeread.types import Option, Passage, Question
from endpoint import Endpoint, serving

HASHES = {  # their beginnings
    "choice.en": "e8c2ab8315f8680a",
    "choice.zh": "baae62b23be220a1",
    "discrete.en": "5df2185702d7710b",
    "discrete.zh": "5f1160f3ab1861a1",
    "entailment.en": "07a5b2fd9ed37313",
    "entailment.zh": "7fc07fe4200148f6",
    "span.en": "379fd69f42ade4fd",
    "span.zh": "c8ce073f16b78157",
    "verification.en": "c40cff700143aa7f",
    "verification.zh": "a81e0b2fd28c001a",
}


@pytest.mark.parametrize("name", HASHES)
def test_shipped_prompts_equal_those_of_saved_runs(name):
    """A changed prompt is another one: its hash stands in runs, and belongs into the changelog."""
    kind, language = name.split(".")
    assert load_built_in(kind, language).sha256.startswith(HASHES[name])


GOOD = "[system]\nRead.\n[question]\n{passage}\n{question}\n{options}\n[answer]\nAnswer: {answer}\n"
BAD = {
    "no answer's place": (GOOD.replace("{answer}", "{title}"), "needs {answer} once"),
    "another brace": (GOOD.replace("{answer}", "{"), "needs {answer} once"),
    "two answers": (GOOD.replace("{answer}", "{answer} {answer}"), "needs {answer} once"),
    "question elsewhere": (
        GOOD.replace("\n{question}", "").replace("Read.", "{question}"), "no {question}"
    ),
    "passage told to the system": (GOOD.replace("Read.", "Read {passage}."), "{passage} in [sys"),
    "the answer shown": (GOOD.replace("{options}", "{answer}"), "{answer} in [question]"),
    "a section twice": (GOOD + "[question]\n{question}\n", "several [question] sections"),
    "no section": ("{question} {answer}\n", "no [question] section; no [answer] section"),
    "text before": ("Hello\n" + GOOD, "text before the first section"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "told"), BAD.values(), ids=BAD)
def test_an_invalid_prompt_file_is_rejected(tmp_path, text, told):
    path = tmp_path / "prompt.txt"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError) as caught:
        load_prompt(str(path))
    assert told in str(caught.value)


def test_byte_order_marks_and_windows_line_ends_are_ignored(tmp_path):
    path = tmp_path / "prompt.txt"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    found = load_prompt(str(path))
    assert found.text == GOOD
    assert found.sha256 == hashlib.sha256(GOOD.encode()).hexdigest()


def test_placeholders_in_a_passage_are_not_replaced(tmp_path):
    path = tmp_path / "prompt.txt"
    path.write_text(GOOD, "utf-8")
    passage = Passage(passage_id="p", text="It says {question} and {answer}, {options}.")
    question = Question(
        question_id="q", passage_id="p", text="What of {passage}?", kind="choice",
        options=(Option(label="A", text="{title}"), Option(label="B", text="two")),
    )  # fmt: skip
    shown = load_prompt(str(path)).format_question(passage, question)
    assert shown == f"{passage.text}\n{question.text}\nA. {{title}}\nB. two"


def test_missing_examples_are_reported_before_any_request(tmp_path):
    """The ninth question alone is of a kind that the set of examples does not hold."""
    path = tmp_path / "set.jsonl"
    path.write_text(
        '{"passage": {"passage_id": "e", "text": "Seven sheep."}, "questions": [{"question_id": '
        '"e1", "passage_id": "e", "text": "How many?", "kind": "discrete", "answers": '
        '[{"kind": "number", "texts": ["7"]}]}]}\n',
        "utf-8",
    )
    assert load(path)
    passage = Passage(passage_id="p", text="It carried 14 sheep.")
    kinds = ["discrete"] * 8 + ["span"]
    items = [
        (passage, Question(question_id=f"q{n}", passage_id="p", text="What?", kind=kind))
        for n, kind in enumerate(kinds)
    ]
    with serving(Endpoint()) as endpoint:
        options = {"base_url": endpoint.url, "examples": str(path), "shots": 1, "concurrency": 1}
        with pytest.raises(InputError, match="of the kind span"):
            list(make("chat", options)[0].read(items))
        assert not endpoint.seen
