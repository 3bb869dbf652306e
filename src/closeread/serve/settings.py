"""What a service allows and how long it waits."""

from dataclasses import dataclass

MEBIBYTE = 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Limits of one service.

    Attributes:
        queue: How many questions may wait for the reader; a request beyond gets 503.
        batch_size: How many questions the reader is given at once, at most.
        batch_wait_seconds: How long the first question of a batch waits for further ones.
        timeout_seconds: From a request's last byte to its answer; beyond it 504.
        grace_seconds: How long a stopping service goes on to answer what it accepted.
        max_body_bytes: A larger request body gets 413 and is never held.
        max_held_bytes: What all bodies together may hold in memory; a request beyond gets 503.
        max_drained_bytes: So much of a refused body is read and thrown away, so that the client
            comes to read why; then the connection is cut.
        max_head_bytes: A longer request line with its headers gets 431.
        max_passage_characters: A longer passage gets 422.
        max_question_characters: A longer question, its options counted in, gets 422.
        max_options: A question with more gets 422.
        max_connections: So many clients may be connected; one beyond gets 503.
        header_seconds: Within it a request's headers are there, or it gets 408.
        body_seconds: Within it, after the headers, the body is there, or it gets 408.
        write_seconds: Within it a client takes what it is sent, or it is cut off.
        idle_seconds: A connection without a request is closed.
    """

    queue: int = 1024
    batch_size: int = 32
    batch_wait_seconds: float = 0.002
    timeout_seconds: float = 60.0
    grace_seconds: float = 30.0
    max_body_bytes: int = 4 * MEBIBYTE
    max_held_bytes: int = 256 * MEBIBYTE
    max_drained_bytes: int = 256 * MEBIBYTE
    max_head_bytes: int = 64 * 1024
    max_passage_characters: int = 200_000
    max_question_characters: int = 10_000
    max_options: int = 100
    max_connections: int = 1000
    header_seconds: float = 10.0
    body_seconds: float = 30.0
    write_seconds: float = 30.0
    idle_seconds: float = 75.0
