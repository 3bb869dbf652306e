"""What a record would have taken where something else was found."""

import msgspec
import pytest

from closeread.formats.files.expected_types import describe_mismatch, split_message
from closeread.readers.http.answer_wire import AnswerRequest

QUESTION = {"question_id": "1", "text": "?", "kind": "span"}


def answer_request(**fields):
    question = {key: value for key, value in (QUESTION | fields).items() if value is not None}
    return {"items": [{"passage": {"text": "Bob ran."}, "questions": [question]}]}


@pytest.mark.parametrize(
    ("sent", "found", "expected"),
    [
        ({"itmes": []}, "unknown field 'itmes'", "perhaps 'items'"),
        ({"zzz": []}, "unknown field 'zzz'", "one of items, n_best, evidence"),
        (answer_request(txt="?"), "unknown field 'txt'", "perhaps 'text'"),
        (
            answer_request(kind="spam"),
            "found 'spam'",
            "one of choice, discrete, entailment, span, verifi",
        ),
        (answer_request(asks_for="true"), "found 'true'", "one of contradicted, supported"),
        (answer_request() | {"n_best": -1}, "out of range", "at least 0 and at most 1000"),
        ({}, "the field 'items' is missing", "'items': a list of objects"),
        (answer_request(text=None), "the field 'text' is missing", "'text': a string"),
    ],
)
def test_mismatches_name_what_was_found_and_expected(sent, found, expected):
    with pytest.raises(msgspec.ValidationError) as error:
        msgspec.convert(sent, AnswerRequest)
    told = describe_mismatch(*_parts(error.value))
    assert told is not None
    assert told[0] == found
    assert told[1].startswith(expected)


@pytest.mark.parametrize("sent", [answer_request(text=3), answer_request() | {"n_best": "a"}])
def test_clear_parser_messages_are_kept(sent):
    with pytest.raises(msgspec.ValidationError) as error:
        msgspec.convert(sent, AnswerRequest)
    assert describe_mismatch(*_parts(error.value)) is None


def test_an_unknown_place_gives_no_description():
    assert describe_mismatch("Invalid enum value 'a'", AnswerRequest, "$.nowhere[0].at_all") is None


def _parts(error):
    message, path = split_message(error)
    return message, AnswerRequest, path
