"""Parses the ``Retry-After`` header of busy servers."""

import email.utils
import math
from datetime import UTC, datetime


def retry_after(value: str) -> float | None:
    """Return the seconds that a ``Retry-After`` header asks for, without a limit.

    RFC 9110 defines whole seconds and dates; servers also send fractions of seconds.

    Args:
        value: The header's value; None is returned for any other value.
    """
    try:
        seconds = float(value)
    except ValueError:
        try:
            moment = email.utils.parsedate_to_datetime(value)
        except (ValueError, OverflowError):
            return None
        if moment.tzinfo is None:  # "-0000"
            moment = moment.replace(tzinfo=UTC)
        seconds = (moment - datetime.now(UTC)).total_seconds()
    return None if math.isnan(seconds) else max(seconds, 0.0)
