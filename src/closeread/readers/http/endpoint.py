"""The settings of an endpoint and its error messages; nothing here opens the network."""

import errno
import os
import re
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import urlsplit

import msgspec

from closeread.errors import EndpointError, UsageError


@dataclass(frozen=True)
class Endpoint:
    """The address of a model, its key, and how often and how long to try; the key is never shown.

    Attributes:
        base_url: Such as ``http://localhost:8000/v1``.
        key_name: The environment variable that holds the key.
        timeout_seconds: Time limit of one attempt, from the first byte sent to the last received.
        retries: Further attempts after the first one.
        expected: The kind of server expected there, for messages.
        cure: Advice if the server does not answer, for messages.
        health_path: A path where any reply shows that the server is alive.
        key: The key from the environment; "" if there is none.
    """

    base_url: str
    key_name: str
    timeout_seconds: float = 300.0
    retries: int = 6
    expected: str = "an OpenAI-compatible server, such as http://localhost:8000/v1"
    cure: str = "start it, or correct -o base_url="
    health_path: str = "/models"
    key: str = field(init=False, repr=False, default="")

    def __post_init__(self) -> None:
        base_url = (self.base_url or os.environ.get("OPENAI_BASE_URL", "")).rstrip("/")
        object.__setattr__(self, "base_url", base_url)
        object.__setattr__(self, "key", os.environ.get(self.key_name, "").strip())

    def check(self) -> None:
        """Reject an invalid address, or one with a secret in it, which runs would record.

        Raises:
            UsageError: There is no address, it is not valid or contains a password, or the key is
                not valid in a header.
        """
        if not self.base_url:
            raise UsageError(
                "no endpoint given",
                expected="-o base_url=http://localhost:8000/v1 or the variable OPENAI_BASE_URL",
                cure="start one (vLLM, SGLang, llama.cpp, transformers serve), or use the reader "
                "`local`, which needs none",
            )
        if (self.key and self.key in self.base_url) or set("@?#") & set(self.base_url):
            raise UsageError(
                "the address of the endpoint contains a password, a key, a query or a fragment, "
                "which runs would record",
                cure="leave it out: closeread reads the key from the environment variable that "
                "-o api_key_env= names",
            )
        try:
            parts = urlsplit(self.base_url)
            valid = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:  # unclosed brackets, or a port that is not a number or too large
            valid = False
        if not valid:
            raise UsageError(
                f"not an http or https address: {self.base_url}",
                expected="http:// or https://, a host, optionally a port (1 to 65535) and a path",
            )
        if not re.fullmatch(r"[!-~ ]*", self.key):
            raise UsageError(
                f"the key in the environment variable {self.key_name} contains a line break or a "
                "character that is not printable ASCII",
                cure="copy the key again, without quotation marks",
            )

    def redact(self, text: str) -> str:
        """Return a server's message without the key, which some servers repeat."""
        return text.replace(self.key, "***") if self.key else text

    def redact_json(self, raw: bytes) -> bytes:
        """Return a JSON reply without the key, even if some of its characters are escaped."""
        if not self.key:
            return raw
        return self._key_pattern.sub(b"***", raw)

    @cached_property
    def _key_pattern(self) -> re.Pattern[bytes]:
        return re.compile("".join(map(_plain_or_escaped, self.key)).encode())

    def refusal_text(self, content: bytes) -> str:
        """Return a server's error message on one line, without the key, at most 300 characters."""
        return self.redact(error_text(content))[:300]


def _plain_or_escaped(character: str) -> str:
    code = "".join(f"[{digit}{digit.upper()}]" for digit in f"{ord(character):04x}")
    return rf"(?:\\?{re.escape(character)}|\\u{code})"


def unreachable_error(endpoint: Endpoint, error: Exception) -> EndpointError:
    """Return the error for a server to which no connection can be opened."""
    if is_out_of_file_handles(error):
        return EndpointError(
            f"no connection can be opened: {error}",
            where=endpoint.base_url,
            cure="reduce -o concurrency=, or raise the limit of open files with `ulimit -n`",
        )
    return EndpointError(
        f"nothing answers at this address: {error}",
        where=endpoint.base_url,
        expected=endpoint.expected,
        cure=endpoint.cure,
    )


def is_out_of_file_handles(error: BaseException | None) -> bool:
    """Return whether a connection failed because the process has too many open files."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            return True
        error = error.__cause__ or error.__context__  # httpcore sets only the context
    return False


def error_text(content: bytes) -> str:
    """Return the error message in a reply, on one line; it may still contain the key."""
    try:
        decoded = msgspec.json.decode(content)
        error = decoded.get("error", decoded.get("detail", decoded))
        text = error.get("message", error.get("what", error)) if isinstance(error, dict) else error
    except (msgspec.DecodeError, AttributeError, UnicodeDecodeError):
        text = content.decode("utf-8", "replace")
    return " ".join(str(text).split())
