"""Passage and question out of prompts, accepted answers out of what logs write."""

import json

import pytest

from closeread.formats.logs import conversations, golds, prompts
from closeread.formats.logs.records import is_newer
from closeread.runs.ingest import ingest
from closeread.runs.records import ScoreSettings
from closeread.runs.score import score_run


@pytest.mark.parametrize(
    ("prompt", "wanted"),
    [
        ("Passage: One.\nQuestion: Who?\nAnswer:", ("One.", "Who?")),
        (
            "Passage: Shown.\nQuestion: Which?\nAnswer: x\n\nPassage: Asked.\nIts second line.\n"
            'Question: What?\n\nThink, then write "Answer: X".',
            ("Asked.\nIts second line.", "What?"),
        ),
        ("文章：春天来了。\n问题：什么来了？\n答案：", ("春天来了。", "什么来了？")),
        (
            "文章：春天来了。\n根据上文，回答如下问题：\n什么来了？\n答：",
            ("春天来了。", "什么来了？"),
        ),
        ("**Context:** One.\n**Question:** Who?", ("One.", "Who?")),
        ("Who? It says Passage: nothing", ("", "Who? It says Passage: nothing")),
        ("", ("", "")),
    ],
)
def test_prompts_are_split_at_their_last_headings(prompt, wanted):
    assert prompts.from_prompt(prompt) == wanted


@pytest.mark.parametrize(
    ("prompt", "options"),
    [
        ("Q: Who?\n\nA. Bob\nB. Ann\n\nAnswer:", ("Bob", "Ann")),
        ("Who?\nA) Bob\nB) Ann Lee\nC) Cy", ("Bob", "Ann Lee", "Cy")),
        ("谁？\nA．鲍\nB、安\n（C）柴\n答：", ("鲍", "安", "柴")),
        ("Which?\nA. x\nB. y\nAnswer: A\n\nWho?\nA. Bob\nB. Ann\nAnswer:", ("Bob", "Ann")),
        ("A. Milne wrote it.", ()),
        ("Who?\nB. Ann\nC. Cy", ()),
        ("", ()),
    ],
)
def test_the_last_options_of_a_prompt_are_found(prompt, options):
    assert prompts.find_options(prompt) == options


def test_a_question_ends_before_its_own_options_not_those_of_an_example():
    prompt = "Which?\nA. x\nB. y\nAnswer: A\n\nWho?\nA. Bob\nB. Ann\nAnswer:"
    assert prompts.strip_options(prompt).endswith("Answer: A\n\nWho?")
    assert prompts.strip_options("Who?") == "Who?"


def test_letters_get_the_texts_of_as_many_options():
    letters = golds.make_lettered_options("AB")
    assert [one.text for one in golds.with_texts(letters, ("Bob", "Ann"))] == ["Bob", "Ann"]
    assert golds.with_texts(letters, ("Bob",)) == letters
    known = golds.make_lettered_options(("Bob", "Ann"))
    assert golds.with_texts(known, ("x", "y")) == known


ASKED = "The mill was built by two."


@pytest.mark.parametrize(
    ("prompt", "wanted"),
    [
        (f"Passage: {ASKED}\nQuestion: Who?\nAnswer:", ()),
        (
            "Passage: One.\nQuestion: Which?\nAnswer: 12.25\n\nPassage: Two.\nQuestion: Who?\n"
            f"**Answer:** Ada; Tom\n\nPassage: {ASKED}\nQuestion: What?\nAnswer:",
            ("12.25", "Ada; Tom"),
        ),
        (f"One came. Who? Ada\n\nTwo? Who? Tom Veld\n\n{ASKED} Which?", ("Ada", "Tom Veld")),
        (f"文章：春。\n问题：谁？\n答案：张三\n\n{ASKED}\n问题：谁？", ("张三",)),
        (f"{ASKED} Who? Ada\n\n{ASKED} What?", ("Ada",)),
        (f'Write "Answer: X".\n\nPassage: {ASKED}', ()),
        ("Passage: another\nQuestion: Who?\nAnswer:", None),
        (
            [
                {"role": "system", "content": "s"},
                {"role": "user", "content": "Passage: One.\nQuestion: Who?"},
                {"role": "assistant", "content": "Answer: Ada"},
                {"role": "user", "content": f"Passage: {ASKED}\nQuestion: Who?"},
                {"role": "assistant", "content": "what the model said"},
            ],
            ("Ada",),
        ),
        (None, None),
    ],
)
def test_the_answers_of_examples_are_found(prompt, wanted):
    assert prompts.example_answers(prompt, ASKED) == wanted


def test_examples_need_a_passage():
    assert prompts.example_answers("Question: Who?\nAnswer: Ada\n\nQuestion: What?", "") is None


def test_the_users_last_message_is_the_prompt():
    messages = [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "two"},
        {"role": "user", "content": [{"type": "text", "text": "thr"}, {"text": "ee"}]},
    ]
    assert conversations.last_user(messages) == "three"
    assert conversations.last_user([{"role": "HUMAN", "prompt": "asked"}]) == "asked"
    assert conversations.last_user("as it is") == "as it is"
    assert conversations.last_user(None) == ""


@pytest.mark.parametrize(
    ("gold", "wanted"),
    [
        ("Smith", [("span", ("Smith",))]),
        ("1,001", [("number", ("1,001",))]),
        (12.5, [("number", ("12.5",))]),
        ("['a', 'b']", [("span", ("a",)), ("span", ("b",))]),
        ("[('a', 'b'), ('3',)]", [("spans", ("a", "b")), ("number", ("3",))]),
        ("(3, 4)", [("span", ("(3, 4)",))]),
        ("(1990)", [("span", ("(1990)",))]),
        ("[citation needed]", [("span", ("[citation needed]",))]),
        (r"['\ud800']", [("span", (r"['\ud800']",))]),
        ("[1j]", [("span", ("[1j]",))]),
        ([["a", "b"], ["c"]], [("spans", ("a", "b")), ("span", ("c",))]),
        ({"text": ["x"], "answer_start": [3]}, [("span", ("x",))]),
        ({"text": [], "answer_start": []}, [("none", ())]),
        ("  ", []),
        (None, []),
        ({"other": 1}, []),
        (True, []),
    ],
)
def test_golds_of_every_form_are_parsed(gold, wanted):
    assert [(answer.kind, answer.texts) for answer in golds.parse_gold(gold)] == wanted


def test_drop_annotations_keep_kind_and_order():
    doc = {
        "answer": {"number": "", "date": {"day": "", "month": "May", "year": "1900"}, "spans": []},
        "validated_answers": {
            "number": ["3", ""],
            "date": [{}, {}],
            "spans": [[], ["a", "b"]],
        },
    }
    found = [(answer.kind, answer.texts) for answer in golds.drop_answers(doc)]
    assert found == [("date", (" May 1900",)), ("number", ("3",)), ("spans", ("a", "b"))]
    assert golds.drop_answers({"answer": "text"}) == ()


def test_options_are_found_by_letter_text_or_index():
    options = golds.make_lettered_options(["red", "blue", "2"])
    named = {
        "B": "B",
        "(B)": "B",
        "blue": "B",
        1: "B",
        "0": "A",
        "2": "C",
        "purple": None,
        None: None,
    }
    for value, label in named.items():
        found = golds.find_option(value, options)
        assert (found and found.label) == label
    assert [answer.label for answer in golds.gold_options("[0, 2]", options)] == ["A", "C"]
    assert golds.pick_likeliest("q", options, (1.0, 3.0, 3.0)).answer.label == "B"
    numbered = golds.make_lettered_options(["(1)", "(2)", "(3)"])
    assert [answer.label for answer in golds.gold_options("(2)", numbered)] == ["B"]
    letters = golds.make_lettered_options(
        ["C", "D", "A"]
    )  # the points of a figure: a gold is the label
    assert [answer.label for answer in golds.gold_options("C", letters)] == ["C"]
    for values in ((1.0, float("nan"), 3.0), (1.0, 3.0)):
        assert (
            golds.pick_likeliest("q", options, values).error
            == "the log lacks a likelihood for some option"
        )


def test_versions_after_the_last_known_one_are_newer():
    assert is_newer("0.5.0", (0, 4)) and is_newer("1.0", (0, 4)) and is_newer(3, (2,))
    assert not any(is_newer(one, (0, 4)) for one in ("0.4.13", "0.3", "", None, "0.4.0.dev1"))


@pytest.mark.parametrize(("numbers", "expected"), [(2, ["squad"]), (7, ["drop"])])
def test_a_few_numeric_golds_do_not_make_a_discrete_set(tmp_path, numbers, expected):
    """Where a log has gold answers as strings, what most of them look like decides the scorer."""
    rows = [
        {
            "doc_id": place,
            "doc": {"context": "The ferry sank in 1931.", "question": f"What of {place}?"},
            "target": "1931" if place < numbers else "The ferry",
            "arguments": {"gen_args_0": {"arg_0": "?", "arg_1": {"until": ["\n"]}}},
            "resps": [["The ferry"]], "filtered_resps": ["The ferry"],
        }
        for place in range(10)
    ]  # fmt: skip
    path = tmp_path / "samples_spans_2026-01-01T00-00-00.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (run,) = ingest([path], tmp_path / "run").runs
    summary = score_run(run, ScoreSettings(metrics=()))
    assert list(summary.settings.metrics) == expected
