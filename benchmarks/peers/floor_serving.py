"""The least that a service can do: read a body, parse it, send an answer. Prints its port.

``Repeat`` is the reader that gives the same answers through the service.
"""

import json
import socket
from collections.abc import Iterator, Sequence
from typing import Any

from closeread.types import Answer, Passage, Prediction, Question


class Repeat:
    """Answers with the question's own words."""

    batch_size = 64

    def read(self, items: Sequence[tuple[Passage, Question]]) -> Iterator[Prediction]:
        for _, question in items:
            answer = Answer(kind="span", texts=(question.text,))
            yield Prediction(question_id=question.question_id, answer=answer)


def main() -> None:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    async def answer(request: Request) -> Response:
        body: Any = json.loads(await request.body())
        (question,) = body["items"][0]["questions"]
        prediction = {
            "question_id": question["question_id"],
            "answer": {"texts": [question["text"]]},
        }
        return Response(json.dumps({"predictions": [prediction]}), media_type="application/json")

    app = Starlette(routes=[Route("/v1/answer", answer, methods=["POST"])])
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen(2048)
    print(listening.getsockname()[1], flush=True)
    config = uvicorn.Config(
        app, loop="asyncio", http="httptools", lifespan="off", log_level="error",
        access_log=False, backlog=2048,
    )  # fmt: skip
    uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    main()
