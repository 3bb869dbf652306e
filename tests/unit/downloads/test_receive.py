"""Sets brought into a folder: selection, counting, archives, files that are there already."""

import io
import socket
import zipfile

import pytest

from closeread.downloads import Member, PublishedFile, PublishedSet, get, select, selection
from closeread.errors import MismatchError, TransferError, UnknownNameError, UsageError
from file_fetching import sha256

BODY = b"one\ntwo\nthree\n"


def count_lines(path) -> int:
    return path.read_bytes().count(b"\n")


def zip_members(**members: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as made:
        for name, body in members.items():
            made.writestr(name.replace("__", "/"), body)
    return stream.getvalue()


@pytest.fixture
def publish(monkeypatch):
    """Put a set of given files in the place of the real table."""

    def put(*files: PublishedFile, by_hand: str = "") -> None:
        made = PublishedSet(
            description="a set", license="CC0", citation="Us 2026", files=files, by_hand=by_hand
        )
        monkeypatch.setattr(selection, "SETS", {"toy": made})

    return put


def receive(folder, waits, *names):
    return list(get(names or ["toy"], folder, count=count_lines, patience=waits.patience()))


def test_a_file_is_downloaded_counted_and_described(site, waits, tmp_path, publish):
    """The record carries the address, the sums, the count and the terms."""
    url = site.put("/a", BODY)
    publish(PublishedFile(name="toy/a.jsonl", addresses=(url,), sha256=sha256(BODY), examples=3))
    (found,) = receive(tmp_path, waits)
    assert (tmp_path / "toy" / "a.jsonl").read_bytes() == BODY
    assert found.address == url
    assert found.checked_by == ("sha256",)
    assert found.examples == {"toy/a.jsonl": 3}
    assert (found.license, found.citation) == ("CC0", "Us 2026")


def test_a_mirror_is_tried_first_and_verified(site, waits, tmp_path, publish):
    """The mirror's file is taken when its sum is right, and passed over when it is not."""
    official = site.put("/official", BODY)
    publish(PublishedFile(name="toy/a.jsonl", addresses=(official,), sha256=sha256(BODY)))
    for body, giver in ((b"other\n", official), (BODY, f"{site.root}/mirror/toy/a.jsonl")):
        site.put("/mirror/toy/a.jsonl", body)
        folder = tmp_path / giver.rpartition("/")[2]
        (found,) = get(
            ["toy"],
            folder,
            count=count_lines,
            mirror=f"{site.root}/mirror/",
            patience=waits.patience(),
        )
        assert found.address == giver


def test_a_second_call_sends_no_request(site, waits, tmp_path, publish, monkeypatch):
    """What is there and right stays, even offline."""
    url = site.put("/a", BODY)
    publish(PublishedFile(name="toy/a.jsonl", addresses=(url,), sha256=sha256(BODY), examples=3))
    receive(tmp_path, waits)
    monkeypatch.setenv("CLOSEREAD_OFFLINE", "1")
    (found,) = receive(tmp_path, waits)
    assert found.address == ""
    assert len(site.asked) == 1


def test_a_wrong_count_leaves_no_file(site, waits, tmp_path, publish):
    """A file whose questions are fewer than published never gets its name, nor is a folder left."""
    url = site.put("/a", BODY)
    publish(PublishedFile(name="toy/a.jsonl", addresses=(url,), examples=4))
    with pytest.raises(TransferError, match="3 questions were counted"):
        receive(tmp_path, waits)
    assert not (tmp_path / "toy").exists()


def test_a_correct_checksum_outranks_a_count(site, waits, tmp_path, publish):
    """The file stays, and the difference is said."""
    url = site.put("/a", BODY)
    publish(PublishedFile(name="toy/a", addresses=(url,), sha256=sha256(BODY), examples=4))
    (found,) = receive(tmp_path, waits)
    assert (tmp_path / "toy" / "a").exists()
    assert found.examples == {"toy/a": 3}
    assert "publishers say 4" in found.remarks[0]


def test_a_different_file_is_not_overwritten(site, waits, tmp_path, publish):
    """The user's own file of that name stays as it is."""
    url = site.put("/a", BODY)
    publish(PublishedFile(name="toy/a.jsonl", addresses=(url,), sha256=sha256(BODY)))
    mine = tmp_path / "toy" / "a.jsonl"
    mine.parent.mkdir()
    mine.write_bytes(b"mine\n")
    with pytest.raises(MismatchError, match="not the published one"):
        receive(tmp_path, waits)
    assert mine.read_bytes() == b"mine\n"


def test_a_failed_file_does_not_stop_the_others(site, waits, tmp_path, publish):
    """The rest of a set arrives, and the error comes at the end."""
    url = site.put("/b", BODY)
    publish(
        PublishedFile(name="toy/a.jsonl", addresses=(site.root + "/gone",)),
        PublishedFile(name="toy/b.jsonl", addresses=(url,)),
    )
    received = []
    with pytest.raises(TransferError, match="gone"):
        received.extend(get(["toy"], tmp_path, count=count_lines, patience=waits.patience()))
    assert (tmp_path / "toy" / "b.jsonl").read_bytes() == BODY


def test_an_unreachable_host_is_waited_for_once(site, waits, tmp_path, publish):
    """Not for each of a set's files; one that is there is asked as patiently as ever."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{free.getsockname()[1]}"
        url = site.put("/c", BODY, statuses=[(503, {})] * 3)
        publish(
            *(PublishedFile(name=f"toy/{n}.jsonl", addresses=(f"{nobody}/{n}",)) for n in "abd"),
            PublishedFile(name="toy/c.jsonl", addresses=(f"{nobody}/c", url)),
        )
        patience = waits.patience(attempts=4)
        with pytest.raises(TransferError, match="3 files could not be downloaded") as told:
            list(get(["toy"], tmp_path, count=count_lines, patience=patience))
    assert str(told.value).count("refused") == 3
    assert len(waits.seconds) == 3 + 3  # between four attempts at the host, and at /c
    assert (tmp_path / "toy" / "c.jsonl").read_bytes() == BODY


def test_a_manual_set_says_where_and_uses_present_files(waits, tmp_path, publish):
    """Without the file: the instructions. With it: its questions are counted."""
    publish(PublishedFile(name="toy/a.json", examples=3), by_hand="ask at the desk")
    with pytest.raises(UsageError, match="ask at the desk"):
        receive(tmp_path, waits)
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "a.json").write_bytes(BODY)
    (found,) = receive(tmp_path, waits)
    assert found.examples == {"toy/a.json": 3}
    (tmp_path / "toy" / "a.json").write_bytes(b"one\n")
    with pytest.raises(MismatchError, match="1 question was counted"):
        receive(tmp_path, waits)


def published_archive(url: str, body: bytes, *members: Member) -> PublishedFile:
    return PublishedFile(name="toy/toy.zip", addresses=(url,), sha256=sha256(body), members=members)


def test_named_members_are_extracted(site, waits, tmp_path, publish):
    """Only what is asked for is written, under our names, whatever else the archive holds."""
    body = zip_members(in__a=BODY, in__b=b"no\n", **{"..__..__evil": b"evil\n"})
    url = site.put("/z", body)
    publish(published_archive(url, body, Member(inside="in/a", name="toy/train.jsonl", examples=3)))
    (found,) = receive(tmp_path, waits)
    assert (tmp_path / "toy" / "train.jsonl").read_bytes() == BODY
    assert found.examples == {"toy/train.jsonl": 3}
    written = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert written == {"toy.zip", "train.jsonl"}
    assert not (tmp_path.parent / "evil").exists()


def test_a_damaged_member_is_extracted_again(site, waits, tmp_path, publish):
    """The archive's own CRC tells whether what was taken out is still right."""
    body = zip_members(a=BODY)
    url = site.put("/z", body)
    publish(published_archive(url, body, Member(inside="a", name="toy/a.jsonl", examples=3)))
    receive(tmp_path, waits)
    (tmp_path / "toy" / "a.jsonl").write_bytes(BODY.replace(b"two", b"TWO"))
    receive(tmp_path, waits)
    assert (tmp_path / "toy" / "a.jsonl").read_bytes() == BODY
    assert len(site.asked) == 1


def test_a_missing_member_is_an_error(site, waits, tmp_path, publish):
    """Nothing half-written stays behind."""
    body = zip_members(a=BODY)
    url = site.put("/z", body)
    publish(published_archive(url, body, Member(inside="b", name="toy/b.jsonl")))
    with pytest.raises(MismatchError, match="not the expected archive"):
        receive(tmp_path, waits)
    assert {path.name for path in (tmp_path / "toy").iterdir()} == {"toy.zip"}


def test_a_file_that_is_not_an_archive_is_an_error(site, waits, tmp_path, publish):
    """The sum may be right and the table wrong."""
    url = site.put("/z", BODY)
    publish(published_archive(url, BODY, Member(inside="a", name="toy/a.jsonl")))
    with pytest.raises(MismatchError, match="not the expected archive"):
        receive(tmp_path, waits)


def test_names_select_sets_files_and_prefixes():
    """Each file comes once, however often it is named."""
    assert len(select(["mrqa"])) == 18
    assert len(select(["mrqa/train", "mrqa/train/SQuAD", "MRQA/train/squad"])) == 6
    ((_, _, file),) = select(["mrqa/out-of-domain-dev/DuoRC"])
    assert file.name == "mrqa/out-of-domain-dev/DuoRC.jsonl.gz"
    with pytest.raises(UnknownNameError, match="mrqa/train/SQuAD"):
        select(["mrqa/train/SQuAAD"])
