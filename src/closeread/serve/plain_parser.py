"""httptools' parser without upgrades: a request that offers one is an ordinary request.

Several clients offer HTTP/2 with every request (``upgrade: h2c``: Java's, ``curl --http2``). A
server may ignore that (RFC 9110, section 7.8), but httptools then never reads the request's body.
"""

from typing import Any

import httptools

_OF_AN_UPGRADE = (b"upgrade", b"connection", b"http2-settings")


class PlainParser:
    """Stands in for ``httptools.HttpRequestParser`` in a connection of uvicorn's.

    A head that offers an upgrade is parsed again without the offer.
    """

    def __init__(self, connection: Any) -> None:
        """Make it; what is parsed is told to ``connection``."""
        self._connection = connection
        self.on_message_begin = connection.on_message_begin
        self.on_url = connection.on_url
        self.on_header = connection.on_header
        self.on_body = connection.on_body
        self._parser: Any = None
        self._begin()

    def _begin(self) -> None:
        self._offered = False
        self._parser = httptools.HttpRequestParser(self)
        self._parser.set_dangerous_leniencies(lenient_data_after_close=True)

    def feed_data(self, data: bytes) -> None:
        """Parse what came.

        Raises:
            HttpParserError: It is no HTTP, or asks for a tunnel.
        """
        while True:
            try:
                self._parser.feed_data(data)
            except httptools.HttpParserUpgrade as offer:
                if self._parser.get_method() == b"CONNECT":
                    raise httptools.HttpParserError("a tunnel") from offer
                data = self._head() + data[offer.args[0] :]
                self._begin()
            else:
                return

    def _head(self) -> bytes:
        """Return the head that was parsed, without the offer."""
        version = self._parser.get_http_version().encode()
        lines = [self._parser.get_method() + b" " + self._connection.url + b" HTTP/" + version]
        headers = [pair for pair in self._connection.headers if pair[0] not in _OF_AN_UPGRADE]
        lines += [name + b": " + value for name, value in headers]
        if not self._parser.should_keep_alive():
            lines.append(b"connection: close")
        return b"\r\n".join([*lines, b"", b""])

    def on_headers_complete(self) -> None:
        """Tell of a request, unless it is to be parsed again."""
        self._offered = bool(self._parser.should_upgrade())
        if not self._offered:
            self._connection.on_headers_complete()

    def on_message_complete(self) -> None:
        """Tell that a request is whole, unless it is to be parsed again."""
        if not self._offered:
            self._connection.on_message_complete()

    def should_upgrade(self) -> bool:
        """Return False."""
        return False

    def should_keep_alive(self) -> bool:
        """Whether the client wants the connection to stay."""
        return bool(self._parser.should_keep_alive())

    def get_http_version(self) -> str:
        """Return ``1.1`` or ``1.0``."""
        return str(self._parser.get_http_version())

    def get_method(self) -> bytes:
        """Return the request's method."""
        return bytes(self._parser.get_method())
