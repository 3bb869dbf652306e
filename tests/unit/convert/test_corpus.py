"""The conversion against real files: the shared task's own sample, and sets of other forms."""

import json
from dataclasses import replace

import msgspec
import pytest

from closeread.formats import dump, load
from closeread.formats.conversion.to_mrqa import to_mrqa
from closeread.text.normalize import mrqa
from closeread.types import Answer, Span


def sample(corpus):
    rows = (corpus / "data" / "mrqa" / "NewsQA_sample.jsonl").read_text("utf-8").splitlines()
    return [json.loads(row) for row in rows]


def without_tokens(dataset):
    """The sample without its tokens and marks: answers with the annotators' places alone."""

    def read(defects):
        for passage, questions in dataset.read(defects):
            yield (
                msgspec.structs.replace(passage, metadata={}),
                tuple(_without_marks(question) for question in questions),
            )

    return replace(dataset, read=read, metadata={})


def _without_marks(question):
    places = tuple(
        Span(*place)
        for entry in question.metadata["detected_answers"]
        for place in entry["char_spans"]
    )
    answers = tuple(
        Answer(kind="span", texts=answer.texts, spans=places) for answer in question.answers
    )
    return msgspec.structs.replace(question, answers=answers, metadata={})


def test_tokens_equal_those_of_the_official_sample(corpus):
    """All 1,624 tokens of the sample's contexts and questions are ours, with their offsets."""
    source = load(corpus / "data" / "mrqa" / "NewsQA_sample.jsonl", "mrqa")
    made = to_mrqa(without_tokens(source))
    compared = 0
    for (passage, questions), row in zip(made.dataset, sample(corpus), strict=True):
        theirs = [tuple(token) for token in row["context_tokens"]]
        assert passage.metadata["context_tokens"] == theirs
        compared += len(theirs)
        for question, qa in zip(questions, row["qas"], strict=True):
            theirs = [tuple(token) for token in qa["question_tokens"]]
            assert question.metadata["question_tokens"] == theirs
            compared += len(theirs)
    print(f"compared {compared} tokens")
    assert compared == 1_624


def test_todays_tokenizer_differs_from_2019_as_documented(corpus):
    """spaCy 3 as it comes cuts two of the sample's 1,474 context tokens into three each."""
    spacy = pytest.importorskip("spacy")
    pipeline = spacy.blank("en")
    differing = []
    for row in sample(corpus):
        ours = {(token.text, token.idx) for token in pipeline(row["context"])}
        differing += [
            token for token, offset in row["context_tokens"] if (token, offset) not in ours
        ]
    print(f"spaCy {spacy.__version__}: {len(differing)} differ")
    assert differing == ["26-year", "6,000-troop"]


def test_detected_answers_equal_those_of_the_official_sample(corpus):
    """All 17 marks are those of the sample, by text, by characters and by tokens."""
    source = load(corpus / "data" / "mrqa" / "NewsQA_sample.jsonl", "mrqa")
    made = to_mrqa(without_tokens(source), occurrences="annotated")
    compared = 0
    for (_, questions), row in zip(made.dataset, sample(corpus), strict=True):
        for question, qa in zip(questions, row["qas"], strict=True):
            (ours,), (theirs,) = question.metadata["detected_answers"], qa["detected_answers"]
            assert ours["text"] == theirs["text"]
            assert [[a, b - 1] for a, b in ours["char_spans"]] == theirs["char_spans"]
            assert [[a, b - 1] for a, b in ours["token_spans"]] == theirs["token_spans"]
            compared += 1
    assert compared == 17


def test_all_occurrences_of_the_official_sample_are_found(corpus):
    """Looking for all places finds those of the sample and every other word-for-word one."""
    source = load(corpus / "data" / "mrqa" / "NewsQA_sample.jsonl", "mrqa")
    made = to_mrqa(without_tokens(source))
    found = 0
    for (passage, questions), row in zip(made.dataset, sample(corpus), strict=True):
        for question, qa in zip(questions, row["qas"], strict=True):
            ours = [
                (start, end - 1)
                for entry in question.metadata["detected_answers"]
                for start, end in entry["char_spans"]
            ]
            assert {tuple(place) for place in qa["detected_answers"][0]["char_spans"]} <= set(ours)
            assert all(
                mrqa(passage.text[start : end + 1]) == mrqa(question.answers[0].texts[0])
                for start, end in ours
            )
            found += len(ours)
    assert found > 17
    print(f"17 places in the sample, {found} found")


# File, format, and how many questions must go in and come out with its answers unchanged.
SETS = {
    "xquad/xquad.en.json": 1_190,
    "squad2_subset/appcoreopc_dev-v2.0.json": 706,
    "expmrc/expmrc-race-dev.json": 561,
    "drop/drop_dataset_dev_sample.json": 73,
    "quoref/quoref_dataset_dev.json": 2_418,
    "cmrc2018/cmrc2018_trial.json": 1_002,
    "xquad/xquad.zh.json": 1_190,
}


@pytest.mark.parametrize("name", SETS)
def test_real_sets_keep_their_gold(corpus, tmp_path, name):
    """Converted, written and loaded: the accepted answers are the source's, and marks are right."""
    source = load(corpus / "data" / name)
    gold = {question.question_id: question for question in source.questions()}
    assert len(gold) == SETS[name]
    made = to_mrqa(source)
    dump(made.dataset, tmp_path / "out.jsonl.gz")
    back = load(tmp_path / "out.jsonl.gz")
    assert back.check().total == 0
    kept = 0
    for passage, questions in back:
        for question in questions:
            kept += 1
            original = gold[question.metadata["mrqa_extra"]["id"]]
            accepted = [answer.texts[0] for answer in question.answers]
            assert accepted == [
                answer.texts[0]
                for answer in original.answers
                if answer.kind in {"span", "spans", "choice"} and len(answer.texts) == 1
            ]
            assert question.text == original.text
            for entry in question.metadata["detected_answers"]:
                assert mrqa(entry["text"]) in set(map(mrqa, accepted))
                for (start, end), (first, last) in zip(
                    entry["char_spans"], entry["token_spans"], strict=True
                ):
                    assert passage.text[start:end] == entry["text"]
                    tokens = passage.metadata["context_tokens"]
                    assert tokens[first][1] == start
                    assert tokens[last - 1][1] + len(tokens[last - 1][0]) == end
    assert kept + made.dropped.total == len(gold)
    print(f"{name}: kept {kept} of {len(gold)}, dropped {made.dropped.counts}")
