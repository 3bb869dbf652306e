"""Serve a fake language model or reader on loopback, with or without faults."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Rule = Callable[[dict[str, Any]], str]


@dataclass
class Seen:
    """A request that reached the server."""

    path: str
    body: dict[str, Any]
    headers: dict[str, str]


@dataclass
class Endpoint:
    """The server's behaviour and the requests it has seen.

    Attributes:
        rule: A function from a request's body to the text of the answer.
        fault: A function from the request's number (from 0) and its body to a fault: a status with
            headers and text, or the name of a fault in the handler below; None for no fault.
        only_streams: Whether every reply is streamed, even if not requested.
        pages: The answers to GET by path, besides the models.
        get_status: The error status of every GET, unless it is 0.
        reply: A function from a path and a body to the JSON answer of a server that is no language
            model.
    """

    rule: Rule = lambda body: "Answer: A"
    models: tuple[str, ...] = ("tiny",)
    fault: Callable[[int, dict[str, Any]], Any] = lambda number, body: None
    logprobs: Callable[[dict[str, Any]], Any] | None = None
    usage: bool = True
    only_streams: bool = False
    pages: dict[str, Any] = field(default_factory=dict)
    get_status: int = 0
    reply: Callable[[str, dict[str, Any]], Any] | None = None
    seen: list[Seen] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    url: str = ""
    running: int = 0
    most_running: int = 0


def last_user(body: dict[str, Any]) -> str:
    """Return the last user message of a chat, or the prompt of a completion."""
    if "messages" in body:
        return body["messages"][-1]["content"]
    prompt = body["prompt"]
    return prompt if isinstance(prompt, str) else prompt[0]


class _Server(ThreadingHTTPServer):
    request_queue_size = 512
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Clients that leave are part of the tests."""


@contextmanager
def serving(endpoint: Endpoint, port: int = 0) -> Iterator[Endpoint]:
    """Run the server during the block, at a free port unless one is given."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, *of):
            """Stay silent."""

        def do_GET(self):
            if endpoint.get_status:
                self.send(endpoint.get_status, "gone")
            elif self.path.endswith("/models") and endpoint.models:
                listed = [{"id": name, "created": time.time_ns()} for name in endpoint.models]
                self.send(200, json.dumps({"data": listed}))
            elif self.path in endpoint.pages:
                self.send(200, json.dumps(endpoint.pages[self.path]))
            else:
                self.send(404, '{"error": {"message": "no such page"}}')

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with endpoint.lock:
                number = len(endpoint.seen)
                endpoint.seen.append(Seen(self.path, body, dict(self.headers)))
                endpoint.running += 1
                endpoint.most_running = max(endpoint.most_running, endpoint.running)
            try:
                self.answer(number, body)
            finally:
                with endpoint.lock:
                    endpoint.running -= 1

        def answer(self, number, body):
            fault = endpoint.fault(number, body)
            if isinstance(fault, tuple):
                status, headers, text = fault
                self.send(status, text, headers)
                return
            reply = endpoint.reply
            text = json.dumps(self.reply(body) if reply is None else reply(self.path, body))
            if (body.get("stream") or endpoint.only_streams) and fault in (None, "cut", "error"):
                self.stream(json.loads(text), body, fault)
            elif fault == "cut":
                self.send_response(200)
                self.send_header("Content-Length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode()[:20])
                self.close_connection = True
            elif fault == "vanish":
                self.close_connection = True
            elif fault == "hang":
                time.sleep(3)
                self.close_connection = True
            elif fault == "slow":
                time.sleep(0.3)
                self.send(200, text)
            elif fault == "drip":
                self.send_response(200)
                self.send_header("Content-Length", "100")
                self.end_headers()
                for _ in range(30):
                    self.wfile.write(b" ")
                    time.sleep(0.1)
            elif isinstance(fault, str):
                self.send(200, fault)
            else:
                self.send(200, text)

        def stream(self, whole, body, fault):
            """Stream a reply in pieces of three letters.

            The fault "cut" ends the connection halfway without an error; "error" sends one first.
            """
            events = []
            for choice in whole["choices"]:
                said = choice["text"] if "text" in choice else choice["message"]["content"]
                for start in range(0, len(said), 3):
                    piece = said[start : start + 3]
                    part = {"delta": {"content": piece}} if "message" in choice else {"text": piece}
                    events.append({"choices": [{"index": choice["index"], **part}]})
                last = {"delta": {}} if "message" in choice else {"text": ""}
                ended = {"index": choice["index"], "finish_reason": "stop"}
                if "logprobs" in choice:
                    last["logprobs"] = choice["logprobs"]
                events.append({"choices": [{**ended, **last}]})
            if (body.get("stream_options") or {}).get("include_usage") and "usage" in whole:
                events.append({"choices": [], "usage": whole["usage"]})
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True
            lines = [f"data: {json.dumps(one, ensure_ascii=False)}\n\n" for one in events]
            if fault is not None:
                lines = lines[: len(lines) // 2]
            if fault == "error":
                lines.append('data: {"error": {"message": "out of memory"}}\n\n')
            if fault is None:
                lines.append("data: [DONE]\n\n")
            raw = ": here it comes\n\n" + "".join(lines)
            for byte_start in range(0, len(raw.encode()), 50):
                self.wfile.write(raw.encode()[byte_start : byte_start + 50])

        def reply(self, body):
            chat = "messages" in body
            prompts = [None] if chat or isinstance(body["prompt"], str) else body["prompt"]
            said = [endpoint.rule(body) for _ in prompts]
            choices = [
                {"index": place, "finish_reason": "stop"}
                | ({"message": {"role": "assistant", "content": text}} if chat else {"text": text})
                for place, text in enumerate(said)
            ]
            if endpoint.logprobs is not None:
                for choice, found in zip(choices, endpoint.logprobs(body), strict=True):
                    choice["logprobs"] = found
            found = {"choices": choices[::-1]}
            if endpoint.usage:
                words = len(last_user(body).split())
                found["usage"] = {"prompt_tokens": words, "completion_tokens": 3}
            return found

        def send(self, status, text, headers=None):
            raw = text.encode()
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

    server = _Server(("127.0.0.1", port), Handler)
    endpoint.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
