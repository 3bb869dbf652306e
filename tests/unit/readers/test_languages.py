"""Readers and retrievers without weights on XQuAD's languages, and some others."""

import pytest

from closeread.readers.generative.judging import support_question
from closeread.registry import lookup
from closeread.text.language import detect
from closeread.types import Option, Passage, Question
from languages import SAMPLES


def passage_of(sample, language):
    return Passage(passage_id="p", text=sample.text, language=language)


@pytest.mark.parametrize("name", SAMPLES)
def test_options_are_judged_one_by_one_in_english_or_chinese(name):
    options = (Option(label="A", text=SAMPLES[name].sentences[1]), Option(label="B", text="?"))
    question = Question(
        question_id="q", passage_id="p", text="?", kind="verification", options=options
    )
    yes, _ = support_question(question, "A").options
    assert ("passage" in yes.text) == (name != "zh")


def languages(name):
    """What a file says, and what a text without a word on it is taken for."""
    return dict.fromkeys([name, detect(SAMPLES[name].text)])


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("retriever", ["cover", "bm25"])
def test_the_sentence_that_answers_is_found(retriever, name):
    sample = SAMPLES[name]
    question = Question(question_id="q", passage_id="p", text=sample.question, kind="span")
    if name == "zh" and retriever == "bm25":
        pytest.importorskip("rjieba")
    for language in languages(name):
        passage = passage_of(sample, language)
        found = lookup.resolve("retriever", retriever)().retrieve(question, passage, None, 1)
        assert [span.of(sample.text) for span in found.spans] == [sample.sentences[1]]


@pytest.mark.parametrize("name", SAMPLES)
def test_lexical_answers_with_a_phrase_of_the_sentence(name):
    sample = SAMPLES[name]
    question = Question(question_id="q", passage_id="p", text=sample.question, kind="span")
    for language in languages(name):
        reader = lookup.resolve("reader", "lexical")()
        (said,) = reader.read([(passage_of(sample, language), question)])
        assert said.answer.text and said.answer.text in sample.sentences[1]
        assert any(sample.answer in one.answer.text for one in said.candidates)


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("reader", ["lexical", "cues", "first-sentence"])
def test_options_are_read(reader, name):
    """``cues`` says where it has no cue words for a language."""
    sample = SAMPLES[name]
    options = (
        Option(label="A", text=sample.sentences[1]),
        Option(label="B", text=sample.sentences[0][::-1]),
    )
    question = Question(
        question_id="q",
        passage_id="p",
        text=sample.question,
        kind="verification",
        asks_for="supported",
        options=options,
    )
    for language in languages(name):
        made = lookup.resolve("reader", reader)()
        (said,) = made.read([(passage_of(sample, language), question)])
        assert not said.error
        if reader == "cues":
            assert (f"cue words of language {language!r}" in said.note) == (language != "zh")
        if reader != "first-sentence":
            assert said.answer.label == "A"
