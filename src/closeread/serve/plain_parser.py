"""httptools' parser without protocol upgrades: offers of one are ignored.

Several clients offer HTTP/2 with every request (``upgrade: h2c``: Java's, ``curl --http2``). A
server may ignore the offer (RFC 9110, section 7.8), but httptools then does not parse the body.
"""

from typing import Any

import httptools

_UPGRADE_HEADERS = (b"upgrade", b"connection", b"http2-settings")


class PlainParser:
    """Replaces ``httptools.HttpRequestParser`` in uvicorn's connections.

    A head that offers an upgrade is parsed again without the offer.
    """

    def __init__(self, connection: Any) -> None:
        """Make it; the parser calls the ``on_`` methods of ``connection``."""
        self._connection = connection
        self.on_message_begin = connection.on_message_begin
        self.on_url = connection.on_url
        self.on_header = connection.on_header
        self.on_body = connection.on_body
        self._parser: Any = None
        self._reset()

    def _reset(self) -> None:
        self._offers_upgrade = False
        self._parser = httptools.HttpRequestParser(self)
        self._parser.set_dangerous_leniencies(lenient_data_after_close=True)

    def feed_data(self, data: bytes) -> None:
        """Parse received bytes.

        Raises:
            HttpParserError: They are not HTTP, or a CONNECT request.
        """
        while True:
            try:
                self._parser.feed_data(data)
            except httptools.HttpParserUpgrade as upgrade:
                if self._parser.get_method() == b"CONNECT":
                    raise httptools.HttpParserError("a tunnel") from upgrade
                data = self._rebuild_head() + data[upgrade.args[0] :]
                self._reset()
            else:
                return

    def _rebuild_head(self) -> bytes:
        """Return the parsed head as bytes, without the offered upgrade."""
        version = self._parser.get_http_version().encode()
        lines = [self._parser.get_method() + b" " + self._connection.url + b" HTTP/" + version]
        headers = [pair for pair in self._connection.headers if pair[0] not in _UPGRADE_HEADERS]
        lines += [name + b": " + value for name, value in headers]
        if not self._parser.should_keep_alive():
            lines.append(b"connection: close")
        return b"\r\n".join([*lines, b"", b""])

    def on_headers_complete(self) -> None:
        """Notify the connection, unless the head will be parsed again."""
        self._offers_upgrade = bool(self._parser.should_upgrade())
        if not self._offers_upgrade:
            self._connection.on_headers_complete()

    def on_message_complete(self) -> None:
        """Notify the connection, unless the head will be parsed again."""
        if not self._offers_upgrade:
            self._connection.on_message_complete()

    def should_upgrade(self) -> bool:
        """Return False: uvicorn never sees an upgrade."""
        return False

    def should_keep_alive(self) -> bool:
        """Whether the client wants to keep the connection open."""
        return bool(self._parser.should_keep_alive())

    def get_http_version(self) -> str:
        """Return ``1.1`` or ``1.0``."""
        return str(self._parser.get_http_version())

    def get_method(self) -> bytes:
        """Return the request's method."""
        return bytes(self._parser.get_method())
