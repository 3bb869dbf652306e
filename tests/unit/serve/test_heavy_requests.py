"""Requests that would cost a service much, and cost it little."""

from served import asking, serving


def test_a_stem_of_marks_that_nothing_closes():
    """What a stem asks for is told by its marks; nobody else waits until they are all looked at."""
    body = asking("1")
    stem = body["items"][0]["questions"][0]
    stem |= {"kind": "verification", "options": [{"label": "A", "text": "The lamp was lit."}]}
    with serving("lexical", "--max-question-characters", "3000000") as server:
        for length, status in ((4_000_000, 422), (2_000_000, 200)):
            stem["text"] = "(" * length
            assert server.post("/v1/answer", body).status == status
            assert server.get("/health").status == 200
