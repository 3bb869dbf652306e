"""Fetching one file from servers that cut, redirect, lie, stall and change their mind."""

import sys
from pathlib import Path

import pytest

from closeread.downloads.fetch import fetch
from closeread.downloads.published import PublishedFile
from closeread.errors import InputError, StorageError, TransferError, UsageError
from file_fetching import fetch_file, file_names, range_headers, sha256


@pytest.mark.parametrize("known", [True, False])
def test_a_truncated_body_is_resumed(site, waits, content, tmp_path, known):
    """Two cuts cost two range requests, and the file is whole."""
    url = site.put("/f", content, etag='"a"', cuts=[70_000, 50_000])
    fetch_file(tmp_path / "f", waits, url, sha256=sha256(content) if known else "")
    assert (tmp_path / "f").read_bytes() == content
    assert file_names(tmp_path) == ["f"]
    assert range_headers(site)[0] is None
    starts = [int(asked.removeprefix("bytes=").rstrip("-")) for asked in range_headers(site)[1:]]
    assert len(starts) == 2
    assert 0 < starts[0] < starts[1] < len(content)
    assert all(headers.get("If-Range") == '"a"' for _, headers in site.asked[1:])


def test_a_server_without_ranges_restarts_the_download(site, waits, content, tmp_path):
    """When a server ignores Range, nothing is appended to what was there."""
    url = site.put("/f", content, ranges=False, cuts=[70_000])
    fetch_file(tmp_path / "f", waits, url, sha256=sha256(content))
    assert (tmp_path / "f").read_bytes() == content


def test_attempts_that_bring_bytes_do_not_count(site, waits, content, tmp_path):
    """Only fruitless attempts are counted."""
    url = site.put("/f", content, etag='"a"', cuts=[8192] * 20)
    fetch_file(tmp_path / "f", waits, url)
    assert (tmp_path / "f").read_bytes() == content
    assert len(site.asked) == 21


def test_a_changed_etag_restarts_the_download(site, waits, content, tmp_path):
    """Bytes of two versions are never joined."""
    new = content[::-1]

    def change(page):
        if len(site.asked) == 2:
            page.body, page.etag = new, '"b"'

    url = site.put("/f", content, etag='"a"', cuts=[70_000], on_request=change)
    fetch_file(tmp_path / "f", waits, url)
    assert (tmp_path / "f").read_bytes() == new
    assert site.asked[1][1]["If-Range"] == '"a"'


def test_bytes_without_validator_or_checksum_are_discarded(site, waits, content, tmp_path):
    """With no ETag and no published sum, a cut means to begin again."""
    url = site.put("/f", content, cuts=[70_000])
    fetch_file(tmp_path / "f", waits, url)
    assert (tmp_path / "f").read_bytes() == content
    assert range_headers(site) == [None, None]


def test_a_wrong_checksum_tries_the_next_address(site, waits, content, tmp_path):
    """A file with a wrong checksum never gets the final name, and the address is named."""
    wrong = site.put("/wrong", content[::-1])
    right = site.put("/right", content)
    given = fetch_file(tmp_path / "f", waits, wrong, right, sha256=sha256(content))
    assert given == right
    assert (tmp_path / "f").read_bytes() == content


def test_both_checksums_must_match(site, waits, content, tmp_path):
    """A right SHA-256 does not excuse a wrong MD5."""
    url = site.put("/f", content)
    with pytest.raises(TransferError, match="wrong checksum: MD5"):
        fetch_file(tmp_path / "f", waits, url, sha256=sha256(content), md5="0" * 32)
    assert file_names(tmp_path) == []


def test_a_download_is_resumed_at_another_address(site, waits, content, tmp_path):
    """With a published sum, the second server is asked only for the rest."""
    gone = {"statuses": [(404, {})] * 9}

    def vanish(page):
        if len(site.asked) == 2:
            page.statuses = gone["statuses"]

    first = site.put("/first", content, cuts=[70_000], on_request=vanish)
    second = site.put("/second", content)
    fetch_file(tmp_path / "f", waits, first, second, sha256=sha256(content))
    assert (tmp_path / "f").read_bytes() == content
    assert site.asked[-1][0] == "/second"
    assert site.asked[-1][1]["Range"].startswith("bytes=")


def test_a_partial_file_with_other_bytes_is_discarded(site, waits, content, tmp_path):
    """Where the joined bytes have the wrong sum, the same address is read once from its start."""
    (tmp_path / "f.part").write_bytes(b"x" * 1000)
    url = site.put("/f", content)
    fetch_file(tmp_path / "f", waits, url, sha256=sha256(content))
    assert (tmp_path / "f").read_bytes() == content
    assert range_headers(site) == ["bytes=1000-", None]


def test_a_content_length_that_is_too_large_is_detected(site, waits, content, tmp_path):
    """The connection ends before the promised length, but the sum says that all has come."""
    url = site.put("/f", content, claimed_length=lambda n: n + 500, ranges=False)
    fetch_file(tmp_path / "f", waits, url, sha256=sha256(content))
    assert (tmp_path / "f").read_bytes() == content


def test_a_content_length_too_large_without_a_checksum(site, waits, content, tmp_path):
    """The server's answer to a range beyond the end shows that all has come."""
    url = site.put("/f", content, etag='"a"', claimed_length=lambda n: n + 500)
    fetch_file(tmp_path / "f", waits, url)
    assert (tmp_path / "f").read_bytes() == content
    assert range_headers(site)[-1] == f"bytes={len(content)}-"


def test_a_content_length_that_is_too_small_leaves_no_file(site, waits, content, tmp_path):
    """A body that ends early but as promised is caught by the sum."""
    url = site.put("/f", content, claimed_length=lambda n: n // 2)
    with pytest.raises(TransferError, match="wrong checksum"):
        fetch_file(tmp_path / "f", waits, url, sha256=sha256(content))
    assert file_names(tmp_path) == []


def test_a_check_can_reject_the_file(site, waits, content, tmp_path):
    """A page of HTML where a data set should be turns to the next address."""

    def check(path: Path) -> None:
        if path.read_bytes().startswith(b"<html>"):
            raise InputError("no known format")

    page = site.put("/page", b"<html>sign in</html>")
    real = site.put("/real", content)
    assert fetch_file(tmp_path / "f", waits, page, real, check=check) == real
    with pytest.raises(TransferError, match="no known format"):
        fetch_file(tmp_path / "g", waits, page, check=check)
    assert file_names(tmp_path) == ["f"]


def test_redirects_are_followed(site, waits, content, tmp_path):
    """Two hops lead to the file, and a loop is refused."""
    last = site.put("/last", content)
    middle = site.put("/middle", redirect=last)
    first = site.put("/first", redirect=middle)
    fetch_file(tmp_path / "f", waits, first)
    assert (tmp_path / "f").read_bytes() == content
    loop = site.put("/loop", redirect=site.root + "/loop")
    with pytest.raises(TransferError, match="redirect"):
        fetch_file(tmp_path / "g", waits, loop)


def test_the_message_names_every_address_tried(site, waits, tmp_path):
    """404, an endless 500 and a closed port stand in the message, each with its reason."""
    missing = site.root + "/missing"
    broken = site.put("/broken", statuses=[(500, {})] * 9)
    closed = "http://127.0.0.1:9/f"
    with pytest.raises(TransferError) as caught:
        fetch_file(tmp_path / "f", waits, missing, broken, closed)
    message = str(caught.value)
    assert f"{missing}: status 404" in message
    assert f"{broken}: status 500" in message
    assert closed in message
    assert [path for path, _ in site.asked].count("/missing") == 1
    assert [path for path, _ in site.asked].count("/broken") == 4


def test_a_stalled_download_is_resumed(site, waits, content, tmp_path):
    """Silence beyond the time-out is a cut."""
    url = site.put("/f", content, etag='"a"', cuts=[70_000], stalls=1)
    file = PublishedFile(name="f", addresses=(url,), sha256=sha256(content))
    fetch(
        file,
        tmp_path / "f",
        check=lambda path: None,
        patience=waits.patience(timeout_seconds=1.0),
    )
    assert (tmp_path / "f").read_bytes() == content
    assert len(site.asked) == 2


def test_an_encoded_body_is_stored_unchanged(site, waits, content, tmp_path):
    """Sums are of the bytes on the wire, and no encoding is asked for."""
    url = site.put("/f.gz", content)
    fetch_file(tmp_path / "f.gz", waits, url, sha256=sha256(content))
    assert site.asked[0][1]["Accept-Encoding"] == "identity"


def test_a_folder_that_cannot_be_created_is_a_clear_error(waits, tmp_path):
    """A file where a folder is needed raises a StorageError, not a traceback of ours."""
    (tmp_path / "data").write_text("in the way")
    with pytest.raises(StorageError, match="cannot be written"):
        fetch_file(tmp_path / "data" / "f", waits, "http://127.0.0.1:9/f")


@pytest.mark.parametrize("name", ["CLOSEREAD_OFFLINE", "HF_HUB_OFFLINE"])
def test_offline_mode_sends_no_request(site, waits, tmp_path, monkeypatch, name):
    """With either variable set, no request leaves."""
    url = site.put("/f", b"body")
    monkeypatch.setenv(name, "1")
    with pytest.raises(TransferError, match=f"{name} forbids network access"):
        fetch_file(tmp_path / "f", waits, url)
    assert site.asked == []


@pytest.mark.parametrize("sent", ["bytes 7-9/10", "", "bytes \xb2-9/10"])
def test_a_wrong_range_is_not_stored(site, waits, content, tmp_path, sent):
    """A server that misunderstands Range is asked again, from the beginning."""

    def misunderstand(page):
        if len(site.asked) == 2:
            page.statuses = [(206, {"Content-Range": sent} if sent else {})]

    url = site.put("/f", content, etag='"a"', cuts=[70_000], on_request=misunderstand)
    fetch_file(tmp_path / "f", waits, url)
    assert (tmp_path / "f").read_bytes() == content
    assert range_headers(site)[0] is range_headers(site)[2] is None and range_headers(site)[1]


@pytest.mark.parametrize(
    "amiss",
    [
        ("ALL_PROXY", "socks5://me:secret@127.0.0.1:1", r"\(socks5://127.0.0.1:1\)"),
        ("HTTP_PROXY", "gopher://me:secret@127.0.0.1:1", "not a URL"),
        ("SSL_CERT_FILE", "/no/such.pem", "SSL_CERT_FILE"),
    ],
)
def test_invalid_environment_variables_are_named(site, waits, tmp_path, monkeypatch, amiss):
    """In one message, without the password; not where another host alone is meant."""
    name, value, said = amiss
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setitem(sys.modules, "socksio", None)
    url = site.put("/f", b"whole")
    monkeypatch.setenv(name, value)
    if name != "SSL_CERT_FILE":
        fetch_file(tmp_path / "spared", waits, url)
        assert (tmp_path / "spared").read_bytes() == b"whole"
    for spared in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(spared, raising=False)
    with pytest.raises(UsageError, match=said) as caught:
        fetch_file(tmp_path / "f", waits, url)
    assert "secret" not in str(caught.value)
    assert not (tmp_path / "f").exists() and not list(tmp_path.glob("*.lock"))
