"""A completions endpoint that answers after a fixed time and does nothing else; prints its port."""

import asyncio
import json
import sys

REPLY = json.dumps(
    {
        "id": "cmpl-1", "object": "text_completion", "created": 1, "model": "stub",
        "choices": [{"index": 0, "text": " 14", "finish_reason": "stop", "logprobs": None}],
        "usage": {"prompt_tokens": 400, "completion_tokens": 2, "total_tokens": 402},
    }
).encode()  # fmt: skip
MODELS = json.dumps({"object": "list", "data": [{"id": "stub", "object": "model"}]}).encode()


def _framed(body: bytes) -> bytes:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    return head % len(body) + body


class Stub(asyncio.Protocol):
    delay = 0.5
    running = most = 0

    def connection_made(self, transport):
        self.transport = transport
        self.pending = b""

    def data_received(self, data):
        self.pending += data
        while True:
            end = self.pending.find(b"\r\n\r\n")
            if end < 0:
                return
            head = self.pending[:end].lower()
            _, header, length = head.partition(b"content-length:")
            size = end + 4 + (int(length.split(b"\r\n")[0]) if header else 0)
            if len(self.pending) < size:
                return
            self.pending = self.pending[size:]
            if head.startswith(b"get"):
                self.transport.write(_framed(MODELS))
                continue
            Stub.running += 1
            Stub.most = max(Stub.most, Stub.running)
            asyncio.get_running_loop().call_later(Stub.delay, self.answer)

    def answer(self):
        Stub.running -= 1
        if not self.transport.is_closing():
            self.transport.write(_framed(REPLY))


async def main(delay: float) -> None:
    Stub.delay = delay
    server = await asyncio.get_running_loop().create_server(Stub, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    print(Stub.most, flush=True)


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1])))
