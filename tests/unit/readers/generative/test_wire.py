"""Replies that are none: what the server said instead is in the message."""

import pytest

from closeread.readers.generative.wire import decode_reply
from closeread.readers.http.failures import MalformedReplyError


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b'{"error": {"message": "model overloaded", "code": 503}}', "it says: model overloaded"),
        (b"<html>\n<title>Sign in</title></html>", "it says: <html> <title>Sign in</title></html>"),
        (b"", "it says: nothing"),
        (b'{"choices": []}', "has the choices [], not [0]"),
    ],
)
def test_an_invalid_reply_is_quoted(raw, said):
    with pytest.raises(MalformedReplyError) as raised:
        decode_reply(raw, chat=True)
    assert said in str(raised.value)
