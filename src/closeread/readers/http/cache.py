"""Caches replies on disk by the exact request, so that a repeated request costs nothing."""

import sqlite3
import time
from pathlib import Path

from closeread.errors import StorageError

_PATIENCE = 30.0  # seconds for which another process may hold the file


class Cache:
    """One SQLite file in WAL mode, shared by any number of processes.

    Raises:
        StorageError: The file cannot be opened, or is no such cache.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(
                path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
            )
            self._refuse_foreign()
            self._write_ahead()
            self._base.execute("PRAGMA synchronous=NORMAL")
            self._base.execute(
                "CREATE TABLE IF NOT EXISTS replies (request TEXT PRIMARY KEY, reply BLOB NOT NULL)"
                " WITHOUT ROWID"
            )
        except (sqlite3.Error, OSError) as error:
            raise self._broken(error) from error

    def get(self, request_sha256: str) -> bytes | None:
        """Return the reply to a request; None where it was never asked."""
        try:
            row = self._base.execute(
                "SELECT reply FROM replies WHERE request = ?", (request_sha256,)
            ).fetchone()
        except sqlite3.Error as error:
            raise self._broken(error) from error
        return row[0] if row is not None and isinstance(row[0], bytes) else None

    def put(self, request_sha256: str, reply: bytes) -> None:
        """Keep a reply, instead of one that could not be read."""
        try:
            self._base.execute(
                "INSERT OR REPLACE INTO replies VALUES (?, ?)", (request_sha256, reply)
            )
        except sqlite3.Error as error:
            raise self._broken(error) from error

    def _refuse_foreign(self) -> None:
        names = {row[0] for row in self._base.execute("SELECT name FROM sqlite_master")}
        if names and "replies" not in names:
            raise sqlite3.DatabaseError(f"it is another database, with {min(names)}")

    def _write_ahead(self) -> None:
        """Switch to WAL mode; SQLite does not wait for a process that is just doing the same."""
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                self._base.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                    raise
                time.sleep(0.01)

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def _broken(self, error: Exception) -> StorageError:
        return StorageError(
            f"the cache of replies cannot be used: {error}",
            where=str(self._path),
            cure="give another file with -o cache=FILE, or leave out the option",
        )
