"""One rule for whatever asks over the network: how long a busy server asks to be left alone."""

import email.utils
import math
import time

import pytest

from closeread.downloads.retry_after import retry_after


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0), ("12.5", 12.5), (" 7 ", 7), ("-3", 0), ("86400", 86400), ("1e400", math.inf),
        ("Fri, 01 Jan 2021 00:00:00 GMT", 0), ("Fri, 01 Jan 2021 00:00:00 -0000", 0),
        ("", None), ("nan", None), ("soon", None), ("5, 6", None), ("\xb2", None),
        ("Fri, 01 Jan 99999 00:00:00 GMT", None),
        ("Fri, 01 Jan 2021 00:00:00 +99999999999999", None),
    ],
)  # fmt: skip
def test_what_retry_after_asks_for(value, seconds):
    assert retry_after(value) == seconds


def test_a_date_in_a_minute_is_a_minute():
    assert 57 < retry_after(email.utils.formatdate(time.time() + 60, usegmt=True)) <= 60


@pytest.mark.parametrize(
    "date", ["Fri, 01 Jan 2999 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 -2359"]
)
def test_a_date_in_a_thousand_years_is_one(date):
    assert retry_after(date) > 900 * 365 * 86400
