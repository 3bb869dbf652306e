"""The answers of the examples in a prompt, in whatever form each harness keeps the prompt."""

import json
import shutil
from pathlib import Path

import pytest

from closeread.formats.logs import conversations, prompts
from closeread.runs.ingest import ingest
from closeread.types import Option, Question

FIXTURES = Path(__file__).parent / "fixtures"
ASKED = "The mill was built by two."
USER, SAID = f"Passage: {ASKED}\nQuestion: Who?\nAnswer:", "Ada"
MESSAGES = [
    {"role": "system", "content": "Answer briefly."},
    {"role": "user", "content": "Passage: One.\nQuestion: Which?\nAnswer:"},
    {"role": "assistant", "content": SAID},
    {"role": "user", "content": USER},
]
TEMPLATED = {
    "ChatML": (
        "<|im_start|>{role}\n{content}<|im_end|>\n",
        "<|im_start|>assistant\n",
    ),
    "Llama 3": (
        "<|start_header_id|>{role}<|end_header_id|>\n\n{content}<|eot_id|>",
        "<|start_header_id|>assistant<|end_header_id|>\n\n",
    ),
    "Zephyr": ("<|{role}|>\n{content}</s>\n", "<|assistant|>\n"),
}


@pytest.mark.parametrize("name", TEMPLATED)
def test_chat_templates_are_split_into_turns(name):
    one, opening = TEMPLATED[name]
    prompt = "<s>" + "".join(one.format(**message) for message in MESSAGES) + opening
    assert [(turn.role, turn.text) for turn in conversations.turns(prompt)][:4] == [
        (message["role"], message["content"]) for message in MESSAGES
    ]
    assert conversations.last_user(prompt) == USER
    assert prompts.example_answers(prompt, ASKED) == (SAID,)


def test_other_role_names_are_recognised():
    mistral = f"<s>[INST] {MESSAGES[1]['content']} [/INST] {SAID}</s>[INST] {USER} [/INST]"
    gemma = (
        f"<bos><start_of_turn>user\nOne. Which?<end_of_turn>\n<start_of_turn>model\n{SAID}"
        f"<end_of_turn>\n<start_of_turn>user\n{USER}<end_of_turn>\n<start_of_turn>model\n"
    )
    for prompt in (mistral, gemma):
        assert conversations.last_user(prompt) == USER
        assert prompts.example_answers(prompt, ASKED) == (SAID,)


def test_messages_may_be_json_in_a_list():
    assert prompts.example_answers([json.dumps(MESSAGES)], ASKED) == (SAID,)
    assert conversations.last_user([json.dumps(MESSAGES)]) == USER
    for text in ("plain?", "[1, 2]", '{"role": "user"}', "[" * 100_000, '["a"]'):
        assert conversations.last_user([text]) == text


def test_examples_may_be_in_earlier_messages():
    told = "Some examples:\n---\nPassage: One.\nQuestion: Which?\nAnswer: 12"
    messages = [{"role": "system", "content": told}, {"role": "user", "content": USER}]
    assert prompts.example_answers(messages, ASKED) == ("12",)


def test_a_question_in_the_instructions_is_not_an_example():
    messages = [
        {"role": "user", "content": "Ready? Let us begin."},
        {"role": "assistant", "content": SAID},
        {"role": "user", "content": f"Sure? Go on.\n\n{USER}"},
    ]
    assert prompts.example_answers(messages, ASKED) == (SAID,)


def make_question(text="Who?", options=()):
    return Question(
        question_id="q", passage_id="p", text=text, kind="choice" if options else "span",
        options=tuple(Option(label="ABCD"[at], text=one) for at, one in enumerate(options)),
    )  # fmt: skip


@pytest.mark.parametrize("apart", [False, True])
def test_an_example_equal_to_the_question_is_detected(apart):
    """Passage and question, in one text or in turns; either of them with another is none."""

    def prompt(passage, question):
        example = f"Passage: {passage}\nQuestion:  {question}\nAnswer:"
        if apart:
            said = {"role": "assistant", "content": SAID}
            return [*MESSAGES[:3], {"role": "user", "content": example}, said, MESSAGES[3]]
        return f"{example} {SAID}\n\n{USER}"

    assert prompts.shows_own_question(prompt(ASKED, "Who?"), ASKED, make_question())
    assert not prompts.shows_own_question(prompt("One.", "Who?"), ASKED, make_question())
    assert not prompts.shows_own_question(prompt(ASKED, "When?"), ASKED, make_question())
    assert not prompts.shows_own_question(USER, ASKED, make_question())
    assert not prompts.shows_own_question(prompt(ASKED, ""), ASKED, make_question(""))
    assert not prompts.shows_own_question(None, ASKED, make_question())


def test_a_stem_with_other_options_is_another_question():
    def block(*options):
        return f"Passage: {ASKED}\nQuestion: Who?\nA. {options[0]}\nB. {options[1]}\nAnswer:"

    prompt = f"{block('Ada', 'Bo')} A\n\n{block('Cy', 'Di')}"
    assert not prompts.shows_own_question(prompt, ASKED, make_question(options=("Cy", "Di")))
    assert prompts.shows_own_question(f"{block('Cy', 'Di')} A\n\n{prompt}", ASKED,
                                make_question(options=("Cy", "Di")))  # fmt: skip


def ingest_lm_eval(tmp_path, change):
    """The recorded samples with the prompt of each changed."""
    (path,) = (FIXTURES / "lm_eval").glob("samples_drop_local*")
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for row in rows:
        row["arguments"]["gen_args_0"]["arg_0"] = change(row["doc"])
    copy = tmp_path / path.name
    copy.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (run,) = ingest([copy], tmp_path / "run").runs
    return run


def test_lm_eval_chat_prompts_are_parsed(tmp_path):
    """There the harness writes a prompt as a list of one text: the messages as JSON."""

    def messages(doc):
        asked = {"role": "user", "content": f"{doc['passage']} {doc['question']}"}
        return [json.dumps([*MESSAGES[:3], asked], ensure_ascii=False)]

    run = ingest_lm_eval(tmp_path, messages)
    assert set(run.log_shown().values()) == {(SAID,)} and len(run.log_shown()) == 14


def test_inspect_examples_are_in_the_messages(tmp_path):
    (log,) = (FIXTURES / "inspect").glob("*choice*.json")
    found = json.loads(log.read_text("utf-8"))
    for sample in found["samples"]:
        sample["metadata"] = {"passage": "It is so.", "question": "Is it?"}
        sample["input"] = "Passage: It is so.\nQuestion: Is it?"
        reference = "attachment://a1"
        sample["attachments"] = {"a1": sample["input"]}
        sample["messages"] = [
            {"role": "system", "content": "Passage: One.\nQuestion: Which?\nAnswer: 12"},
            {"role": "user", "content": reference},
            {"role": "assistant", "content": "ANSWER: A"},
        ]
    path = tmp_path / "log.json"
    path.write_text(json.dumps(found), "utf-8")
    (run,) = ingest([path], tmp_path / "run").runs
    assert list(run.log_shown().values()) == [("12",)] * 3


def test_opencompass_examples_are_in_the_options_prompts(tmp_path):
    log = FIXTURES / "handmade" / "race-ppl.json"
    found = json.loads(log.read_text("utf-8"))
    for entry in found.values():
        first = next(value for key, value in entry.items() if key.startswith("label: "))
        asked = first["testing input"]
        entry["origin_prompt"] = asked
        shown = "Article: One.\nQuestion: Which?\nAnswer: B\n\n"
        for key in entry:
            if key.startswith("label: "):
                entry[key]["prompt"] = shown + asked
    path = tmp_path / "race.json"
    path.write_text(json.dumps(found), "utf-8")
    (run,) = ingest([path], tmp_path / "run").runs
    assert list(run.log_shown().values()) == [("B",)] * 2


def test_lighteval_lists_its_examples(tmp_path):
    """Where they are told apart from the prompt, nothing is guessed: the first gold was shown."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    whole = tmp_path / "out"
    shutil.copytree(FIXTURES / "lighteval", whole)
    (path,) = whole.rglob("*.parquet")
    rows = pq.read_table(path).to_pylist()
    for row in rows:
        row["doc"]["fewshot_samples"] = [
            {"query": "Which?", "choices": ["x", " 12 \n", "13"], "gold_index": [1, 2]}
        ]
        row["model_response"]["input"] = None
    pq.write_table(pa.Table.from_pylist(rows), path)
    (run,) = ingest([path], tmp_path / "run").runs
    assert set(run.log_shown().values()) == {("12",)} and len(run.log_shown()) == 14
    assert run.info.log.settings["num_fewshot"] == 1
