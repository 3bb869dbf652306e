"""Caches replies on disk by the exact request, so that a repeated request costs nothing."""

import sqlite3
import time
from pathlib import Path

from closeread.errors import StorageError

_LOCK_TIMEOUT_SECONDS = 30.0  # for which another process may lock the file


class Cache:
    """One SQLite file in WAL mode, shared by any number of processes.

    Raises:
        StorageError: The file cannot be opened, or is not such a cache.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(
                path, timeout=_LOCK_TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._check_schema()
            self._enable_wal()
            self._database.execute("PRAGMA synchronous=NORMAL")
            self._database.execute(
                "CREATE TABLE IF NOT EXISTS replies (request TEXT PRIMARY KEY, reply BLOB NOT NULL)"
                " WITHOUT ROWID"
            )
        except (sqlite3.Error, OSError) as error:
            raise self._cache_error(error) from error

    def get(self, request_sha256: str) -> bytes | None:
        """Return the cached reply to a request, or None."""
        try:
            row = self._database.execute(
                "SELECT reply FROM replies WHERE request = ?", (request_sha256,)
            ).fetchone()
        except sqlite3.Error as error:
            raise self._cache_error(error) from error
        return row[0] if row is not None and isinstance(row[0], bytes) else None

    def put(self, request_sha256: str, reply: bytes) -> None:
        """Store a reply, replacing an unreadable one."""
        try:
            self._database.execute(
                "INSERT OR REPLACE INTO replies VALUES (?, ?)", (request_sha256, reply)
            )
        except sqlite3.Error as error:
            raise self._cache_error(error) from error

    def _check_schema(self) -> None:
        names = {row[0] for row in self._database.execute("SELECT name FROM sqlite_master")}
        if names and "replies" not in names:
            raise sqlite3.DatabaseError(f"it is another database, with {min(names)}")

    def _enable_wal(self) -> None:
        """Switch to WAL mode, with retries: SQLite's timeout does not apply to this switch."""
        deadline = time.monotonic() + _LOCK_TIMEOUT_SECONDS
        while True:
            try:
                self._database.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def _cache_error(self, error: Exception) -> StorageError:
        return StorageError(
            f"the cache of replies cannot be used: {error}",
            where=str(self._path),
            cure="give another file with -o cache=FILE, or leave out the option",
        )
