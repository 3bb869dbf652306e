"""The limits of a service."""

from dataclasses import dataclass

MEBIBYTE = 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Limits of one service.

    Attributes:
        queue: Maximum number of questions that wait for the reader; others get 503.
        batch_size: Maximum number of questions that the reader gets at once.
        batch_wait_seconds: Time that the first question of a batch waits for others.
        timeout_seconds: Maximum time from a request's last byte to its answer; then 504.
        grace_seconds: Time in which a stopping service still answers accepted requests.
        max_body_bytes: Maximum size of a request's body; a larger one gets 413 unread.
        max_held_bytes: Maximum size of all bodies in memory together; a request beyond gets 503.
        max_drained_bytes: Maximum number of bytes of a refused body that are read and discarded, so
            that the client can read the error; then the connection is closed.
        max_head_bytes: Maximum size of the request line and the headers; larger ones get 431.
        max_passage_characters: Maximum length of a passage; a longer one gets 422.
        max_question_characters: Maximum length of a question with its options; then 422.
        max_options: Maximum number of options of a question; then 422.
        max_connections: Maximum number of connected clients; others get 503.
        header_seconds: Maximum time for a request's headers to arrive; then 408.
        body_seconds: Maximum time for the body to arrive after the headers; then 408.
        write_seconds: Maximum time for a client to read its answer; then the connection is aborted.
        idle_seconds: Time after which a connection without a request is closed.
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
