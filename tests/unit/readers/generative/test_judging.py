"""Options judged one by one, by a real server; the saved texts read anew give the same."""

import pytest

from closeread.errors import UsageError
from closeread.readers import make
from closeread.readers.generative.extraction import Extraction
from closeread.types import Option, Passage, Question
from endpoint import Endpoint, last_user, serving

PASSAGE = Passage(passage_id="p", text="The ferry left Marl at six. It carried 14 sheep.")
TEXTS = ("It left at six", "It carried cows", "It sank", "它九点离开")
OPTIONS = tuple(Option(label=label, text=text) for label, text in zip("ABCD", TEXTS, strict=True))


def question(asks_for="supported", kind="verification"):
    return Question(
        question_id="q", passage_id="p", text="Which one is right?", kind=kind,
        asks_for=asks_for, options=OPTIONS,
    )  # fmt: skip


def saying(*supported):
    """A model that takes these options' texts for supported."""

    def rule(body):
        return "Answer: " + ("A" if any(text in last_user(body) for text in supported) else "B")

    return rule


def read(rule, asked, name="chat", **options):
    with serving(Endpoint(rule=rule)) as endpoint:
        reader, _ = make(name, {"base_url": endpoint.url, "judge": "each", **options})
        (found,) = reader.read([(PASSAGE, asked)])
    return found, endpoint.seen


@pytest.mark.parametrize("name", ["chat", "completion"])
def test_each_option_is_judged_without_the_others(name):
    found, seen = read(saying("It carried cows"), question(), name)
    shown = [last_user(one.body) for one in seen]
    assert [[text in one for text in TEXTS].count(True) for one in shown] == [1, 1, 1, 1]
    assert not any("Which one is right" in one for one in shown)
    assert "不支持" in shown[3] and "supports" in shown[0]
    assert (found.answer.label, found.answer.texts) == ("B", ("It carried cows",))
    written = (found.generation, *found.others)
    assert [one.option_order for one in written] == [("A",), ("B",), ("C",), ("D",)]
    assert Extraction(rule="letter").vote(written, question()) == (found.answer, None)


def test_the_stem_decides_which_verdict_is_chosen():
    found, _ = read(saying(TEXTS[0], TEXTS[1], TEXTS[3]), question("contradicted"))
    assert found.answer.label == "C"


def test_verdicts_in_words_can_be_requested(tmp_path):
    """As a user's own prompt for judges does; the saved texts are read anew likewise."""
    prompt = tmp_path / "judge.txt"
    prompt.write_text(
        "[question]\n{passage}\nTrue or false? {question}\n[answer]\nAnswer: {answer}\n", "utf-8"
    )
    rules = {TEXTS[0]: "False", TEXTS[1]: "Hm.\n\nAnswer: True", TEXTS[2]: "Not supported."}

    def rule(body):
        return next((said for text, said in rules.items() if text in last_user(body)), "不正确。")

    found, seen = read(rule, question(), prompt=str(prompt))
    assert found.answer.label == "B" and "True or false? It sank" in last_user(seen[2].body)
    written = (found.generation, *found.others)
    assert Extraction(rule="letter").vote(written, question()) == (found.answer, None)


@pytest.mark.parametrize("supported", [(), TEXTS[:2]])
def test_none_or_several_matching_verdicts_are_no_answer(supported):
    """Not the first of them."""
    assert read(saying(*supported), question())[0].answer is None


def test_other_questions_are_asked_as_usual():
    found, seen = read(lambda body: "Answer: C", question(kind="choice"))
    assert len(seen) == 1 and found.answer.label == "C"


@pytest.mark.parametrize("options", [{"judge": "all"}, {"shuffles": 2}, {"scoring": "letters"}])
def test_conflicting_options_are_rejected(options):
    with pytest.raises(UsageError, match="judge"):
        make("chat", {"base_url": "http://localhost:1/v1", "judge": "each", **options})
