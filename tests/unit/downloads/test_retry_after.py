"""How long a busy server is left alone: as long as it asks, else longer at every attempt."""

import email.utils
import itertools
import math
import random
import time

import pytest

from closeread.downloads.fetch import fetch
from closeread.downloads.published import PublishedFile
from closeread.downloads.retry_after import retry_after
from file_fetching import fetch_file


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
def test_retry_after_gives_the_seconds(value, seconds):
    assert retry_after(value) == seconds


def test_a_date_in_a_minute_is_a_minute():
    assert 30 < retry_after(email.utils.formatdate(time.time() + 60, usegmt=True)) <= 60


@pytest.mark.parametrize(
    "date", ["Fri, 01 Jan 2999 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 -2359"]
)
def test_a_date_in_a_thousand_years_is_one(date):
    assert retry_after(date) > 900 * 365 * 86400


def test_transient_faults_are_retried_with_growing_waits(site, waits, content, tmp_path):
    """Three faults of the server, then the file; waits double and are jittered."""
    url = site.put("/f", content, statuses=[(500, {}), (503, {}), (502, {})])
    fetch_file(tmp_path / "f", waits, url)
    assert (tmp_path / "f").read_bytes() == content
    for waited, longest in zip(waits.seconds, (1.0, 2.0, 4.0), strict=True):
        assert longest / 2 <= waited <= longest


def test_retry_after_is_obeyed_up_to_a_limit(site, waits, content, tmp_path):
    """A wait of 7 s is waited for; an hour turns to the next address."""
    url = site.put("/f", content, statuses=[(429, {"Retry-After": "7"})])
    fetch_file(tmp_path / "f", waits, url)
    assert waits.seconds == [7.0]
    date = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 50))
    url = site.put("/g", content, statuses=[(503, {"Retry-After": date})])
    fetch_file(tmp_path / "g", waits, url)
    assert 20 <= waits.seconds[-1] <= 50
    url = site.put("/i", content, statuses=[(503, {"Retry-After": "6.5"})])
    fetch_file(tmp_path / "i", waits, url)
    assert waits.seconds[-1] == 6.5
    busy = site.put("/busy", content, statuses=[(429, {"Retry-After": "3600"})])
    other = site.put("/other", content)
    assert fetch_file(tmp_path / "h", waits, busy, other) == other
    assert len(waits.seconds) == 3


def test_jitter_uses_the_given_generator(site, waits, content, tmp_path):
    """The same seed gives the same waits."""
    seen = []
    for turn in range(2):
        site.put("/f", content, statuses=[(500, {})] * 2)
        file = PublishedFile(name="f", addresses=(site.root + "/f",))
        before = len(waits.seconds)
        fetch(
            file,
            tmp_path / f"f{turn}",
            check=lambda path: None,
            patience=waits.patience(rng=random.Random(7)),
        )
        seen.append(waits.seconds[before:])
    assert seen[0] == seen[1]
    assert len(set(itertools.chain(*seen))) == 2


@pytest.mark.parametrize(
    "when", ["Wed, 21 Oct 2015 07:28:00 -0000", "Wed, 21 Oct 2015 07:28:00 GMT", "soon", "\xb2"]
)
def test_every_form_of_date_is_parsed(site, waits, content, tmp_path, when):
    """A date without a zone is one, and what is no date is no wait."""
    url = site.put("/f", content, statuses=[(503, {"Retry-After": when})])
    fetch_file(tmp_path / "f", waits, url)
    assert (tmp_path / "f").read_bytes() == content and waits.seconds[0] <= 60
