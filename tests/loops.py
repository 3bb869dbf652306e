"""Running a coroutine wherever a test stands."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def in_a_loop(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run it in a thread of its own: a browser's test before this one leaves its loop running."""
    with ThreadPoolExecutor(1) as own:
        return own.submit(asyncio.run, coroutine).result()
