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
    """Where the model is and how patient to be with it; the key is never shown.

    Attributes:
        base_url: Such as ``http://localhost:8000/v1``.
        key_name: The environment variable that holds the key.
        timeout_seconds: For one attempt, from the first byte sent to the last received.
        retries: Further attempts after the first one.
        expected: What should answer there, for messages.
        cure: What to do where nobody does, for messages.
        alive: The path that tells by any answer that the server lives.
    """

    base_url: str
    key_name: str
    timeout_seconds: float = 300.0
    retries: int = 6
    expected: str = "an OpenAI-compatible server, such as http://localhost:8000/v1"
    cure: str = "start it, or correct -o base_url="
    alive: str = "/models"
    key: str = field(init=False, repr=False, default="")

    def __post_init__(self) -> None:
        base_url = (self.base_url or os.environ.get("OPENAI_BASE_URL", "")).rstrip("/")
        object.__setattr__(self, "base_url", base_url)
        object.__setattr__(self, "key", os.environ.get(self.key_name, "").strip())

    def check(self) -> None:
        """Refuse what cannot be an endpoint, or would put the key where it is kept.

        Raises:
            UsageError: No address, or one with a password in it, or a key that no header can hold.
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
            whole = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:  # brackets that do not close, a port that is no number or too large
            whole = False
        if not whole:
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
        """Return a server's words without the key, which some of them repeat."""
        return text.replace(self.key, "***") if self.key else text

    def redact_json(self, raw: bytes) -> bytes:
        """Return a reply of JSON without the key, whichever of its characters are escaped."""
        if not self.key:
            return raw
        return self._pattern.sub(b"***", raw)

    @cached_property
    def _pattern(self) -> re.Pattern[bytes]:
        return re.compile("".join(map(_plain_or_escaped, self.key)).encode())

    def refusal_text(self, content: bytes) -> str:
        """Return what a server says of its refusal, one line of it, without the key."""
        return self.redact(error_text(content))[:300]


def _plain_or_escaped(character: str) -> str:
    number = "".join(f"[{one}{one.upper()}]" for one in f"{ord(character):04x}")
    return rf"(?:\\?{re.escape(character)}|\\u{number})"


def unreachable_error(endpoint: Endpoint, error: Exception) -> EndpointError:
    """Return the error for a server that is not there, or to which no connection can be opened."""
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
    """Say whether a connection failed since this process may open no further file."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            return True
        error = error.__cause__ or error.__context__  # httpcore keeps the latter alone
    return False


def error_text(content: bytes) -> str:
    """Return what a reply says where it is no answer, on one line; not yet without the key."""
    try:
        found = msgspec.json.decode(content)
        error = found.get("error", found.get("detail", found))
        text = error.get("message", error.get("what", error)) if isinstance(error, dict) else error
    except (msgspec.DecodeError, AttributeError, UnicodeDecodeError):
        text = content.decode("utf-8", "replace")
    return " ".join(str(text).split())
