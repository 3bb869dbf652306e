"""What a server asks for that is busy: when to come again."""

import email.utils
import math
from datetime import UTC, datetime


def retry_after(value: str) -> float | None:
    """Return the seconds that a ``Retry-After`` header asks for, be they ever so many.

    RFC 9110 knows whole seconds and dates; servers send fractions of seconds, too.

    Args:
        value: The header's; what is neither asks for nothing.
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
