"""Addresses opened as data sets are fetched once."""

import os

import pytest

from closeread.downloads import fetch_cached
from closeread.errors import StorageError, TransferError, UsageError
from closeread.system.locks import exclusive_lock


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("CLOSEREAD_CACHE", str(tmp_path / "cache"))


def test_an_address_is_downloaded_once(site, waits, content):
    """The second call gives the same file without a request."""
    url = site.put("/set.json?version=1", content)
    first = fetch_cached(url, patience=waits.patience())
    assert first.read_bytes() == content
    assert first.name == "set.json"
    assert fetch_cached(url) == first
    assert len(site.asked) == 1


def test_two_addresses_with_one_file_name_are_kept_apart(site, waits):
    """The folder is named for the whole address."""
    one = fetch_cached(site.put("/a/dev.json", b"one"), patience=waits.patience())
    two = fetch_cached(site.put("/b/dev.json", b"two"), patience=waits.patience())
    assert (one.read_bytes(), two.read_bytes()) == (b"one", b"two")


def test_a_web_page_is_rejected_and_not_kept(site, waits, content, tmp_path):
    """A server that shows its page in place of the file is asked again the next time."""
    url = site.put("/set.json", b"\xef\xbb\xbf\n<!DOCTYPE HTML>\n<title>Sign in</title>")
    with pytest.raises(TransferError, match="a web page, not a data set"):
        fetch_cached(url, patience=waits.patience())
    assert not [one for one in (tmp_path / "cache").rglob("*") if one.is_file()]
    site.put("/set.json", content)
    assert fetch_cached(url, patience=waits.patience()).read_bytes() == content


def test_offline_mode_uses_cached_files(site, waits, content, monkeypatch):
    """A cached copy needs no network; any other address is refused."""
    url = site.put("/set.json", content)
    fetch_cached(url, patience=waits.patience())
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert fetch_cached(url).read_bytes() == content
    with pytest.raises(TransferError, match="forbids network access"):
        fetch_cached(url + "x")


def test_a_name_in_an_address_cannot_escape_the_cache(site, waits, content, tmp_path):
    """Encoded slashes and dots stay harmless."""
    found = fetch_cached(site.put("/..%2F..%2Fevil", content), patience=waits.patience())
    assert (tmp_path / "cache") in found.parents
    assert found.resolve() == found


@pytest.mark.parametrize("name", ["%2e%2e", "%2e", "%E6%96%87" * 130])
def test_invalid_file_names_are_replaced_or_cut(site, waits, content, tmp_path, name):
    """Neither the folder above nor a name of 390 bytes is asked of the file system."""
    made = fetch_cached(site.put(f"/a/{name}", content), patience=waits.patience())
    assert made.read_bytes() == content
    assert made.parent.parent == tmp_path / "cache" and len(made.name.encode()) <= 120


def test_an_invalid_host_is_a_clear_error(site, waits):
    """(The codec of such names raises errors of its own.)"""
    for host in ("xn--", "a" * 70 + ".com"):
        with pytest.raises(TransferError, match="not a valid host name"):
            fetch_cached(f"http://{host}/f", patience=waits.patience())


def test_other_schemes_are_rejected():
    """Only http and https are opened."""
    for url in (
        "ftp://host/file",
        "file:///etc/passwd",
        "http:///nowhere",
        "http://[",
        "http://]/",
    ):
        with pytest.raises(UsageError):
            fetch_cached(url)


def test_the_xdg_folder_is_the_default(site, waits, content, monkeypatch, tmp_path):
    """Without CLOSEREAD_CACHE the cache lies under XDG_CACHE_HOME."""
    monkeypatch.delenv("CLOSEREAD_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    found = fetch_cached(site.put("/f", content), patience=waits.patience())
    assert (tmp_path / "xdg" / "closeread") in found.parents


def test_a_user_without_a_home_folder_gets_an_error(site, monkeypatch):
    """As in a container whose user stands in no list of users."""
    monkeypatch.delenv("CLOSEREAD_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(os, "getuid", lambda: 2**31 - 7)
    with pytest.raises(StorageError, match=r"(?s)no home folder.*CLOSEREAD_CACHE"):
        fetch_cached(site.put("/f", b"content"))


def test_a_download_by_another_process_is_an_error(site, waits):
    """No other folder would help."""
    url = site.put("/f", b"content")
    found = fetch_cached(url, patience=waits.patience())
    found.unlink()
    with (
        exclusive_lock(found.with_name(found.name + ".part.lock")),
        pytest.raises(
            StorageError, match=r"(?s)another process is downloading it.*do: wait for it"
        ),
    ):
        fetch_cached(url, patience=waits.patience())


def test_an_unwritable_cache_is_an_error(site, waits, monkeypatch, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("CLOSEREAD_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(StorageError, match="CLOSEREAD_CACHE to another folder"):
        fetch_cached(site.put("/f", b"content"), patience=waits.patience())
