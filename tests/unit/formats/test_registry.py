"""How a format is guessed, and how files come to be written."""

import gzip
import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeread import catalog
from closeread.errors import InputError, StorageError, UnknownNameError, UsageError
from closeread.formats import Head, dump, load
from closeread.formats.files.source import Source
from closeread.registry import lookup
from closeread.types import Dataset
from format_samples import SAMPLES, spans, write_sample

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=12,
)


@pytest.mark.parametrize("name", SAMPLES)
def test_every_format_recognises_its_own_files(tmp_path: Path, name: str):
    """A file of each format is guessed, whatever it is called, plain or packed."""
    for packed in (False, True):
        path = write_sample(tmp_path, name, packed=packed)
        odd = path.rename(tmp_path / "no-hint-in-the-name")
        assert load(odd).format == name


def test_there_is_a_sample_of_every_format():
    """There is a sample for every format."""
    assert list(SAMPLES) == catalog.names("format")


@given(VALUES, st.data())
def test_heads_of_any_json_can_be_queried(value: object, data: st.DataObject):
    """Cut anywhere, a head answers with a part of the value, and no format's sniff fails."""
    raw = json.dumps(value, ensure_ascii=False).encode()
    head = Head("x", raw[: data.draw(st.integers(0, len(raw)))])
    for name in catalog.names("format"):
        assert lookup.resolve("format", name).sniff(head) in (True, False)


def test_a_truncated_head_keeps_complete_elements():
    """Whole elements stay, the one in the making goes."""
    head = Head("x", b'{"version": "1", "data": [{"id": 1, "title": "whole"}, {"id": 2, "ti')
    assert head.value == {"version": "1", "data": [{"id": 1, "title": "whole"}, {"id": 2}]}
    assert head.first("data", 0, "title") == "whole"
    assert head.first("data", 7) is None
    assert head.has("version", "data")
    assert not head.has("version", at=("data", 0))


def test_a_first_passage_may_be_longer_than_the_head(tmp_path: Path):
    """A format is guessed although the first passage alone is a megabyte."""
    path = write_sample(tmp_path, "squad")
    path.write_bytes(path.read_bytes().replace(b"14 sheep", b"14 sheep" * 200_000))
    assert load(path).format == "squad"


def test_formats_are_found_by_name(tmp_path: Path):
    """A named format is not guessed; an unknown name lists the near ones."""
    path = write_sample(tmp_path, "csv")
    assert load(path, "csv").format == "csv"
    with pytest.raises(UnknownNameError, match="squad"):
        load(path, "sqad")


def test_files_are_written_atomically(tmp_path: Path):
    """A refusal halfway leaves what was there, and nothing beside it."""
    path = tmp_path / "set.json"
    path.write_text("what was there")
    with pytest.raises(UsageError):
        dump(SAMPLES["race"](), path, "squad")
    assert path.read_text() == "what was there"
    assert list(tmp_path.iterdir()) == [path]


def test_compressed_files_are_reproducible(tmp_path: Path):
    """The same data set gives the same bytes, with no time stamp and no name inside."""
    one, two = tmp_path / "one.json.gz", tmp_path / "two.json.gz"
    for path in (one, two):
        dump(spans(), path, "squad")
    assert one.read_bytes() == two.read_bytes()
    assert one.read_bytes()[4:8] == b"\0\0\0\0"
    dump(spans(), tmp_path / "plain.json", "squad")
    assert gzip.decompress(one.read_bytes()) == (tmp_path / "plain.json").read_bytes()


def test_unwritable_places_are_errors(tmp_path: Path):
    """A folder as the target and a file as a folder are user errors; a missing folder is made."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    for target in ("folder", "file/set.json"):
        with pytest.raises(StorageError, match="cannot be written"):
            dump(spans(), tmp_path / target, "squad")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["file", "folder"]
    dump(spans(), tmp_path / "missing" / "set.json", "squad")
    assert (tmp_path / "missing" / "set.json").is_file()


def test_a_full_disk_is_an_error(tmp_path: Path):
    """Where no more can be written, the message says so and the old file stays."""
    path = tmp_path / "set.jsonl"
    path.write_text("what was there")
    code = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "sys.path.insert(0, sys.argv[2])\n"
        "from closeread import dump\n"
        "from closeread.errors import StorageError\n"
        "from format_samples import spans\n"
        "try:\n"
        "    dump(spans(), sys.argv[1], 'jsonl')\n"
        "except StorageError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path), str(Path(__file__).parents[2])],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "cannot be written" in done.stdout
    assert str(path) in done.stdout
    assert path.read_text() == "what was there"
    assert list(tmp_path.iterdir()) == [path]


def test_files_get_the_usual_permissions(tmp_path: Path):
    """A written file is as readable as any other new file."""
    dump(spans(), tmp_path / "set.json", "squad")
    (tmp_path / "usual").touch()
    modes = [(tmp_path / name).stat().st_mode for name in ("set.json", "usual")]
    assert modes[0] == modes[1]


def test_the_hash_is_of_the_bytes_on_disk(tmp_path: Path):
    """A data set carries the sha256 that published checksums would give."""
    path = write_sample(tmp_path, "squad", packed=True)
    dataset = load(path)
    assert dataset.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert dataset.path == str(path)


def test_sets_are_named_by_info_or_file(tmp_path: Path):
    """A set without a name of its own is called as its file is, endings aside."""
    for name, stem in [("a.json", "a"), ("b.jsonl.gz", "b"), ("c.v1.csv", "c.v1"), ("d", "d")]:
        assert Source(tmp_path / name).stem == stem


def test_a_set_can_be_iterated_again(tmp_path: Path):
    """Iterating twice gives the same, and half an iteration keeps no file open."""
    path = write_sample(tmp_path, "jsonl")
    dataset = load(path)
    next(iter(dataset))
    assert list(dataset) == list(dataset)
    descriptors = Path("/proc/self/fd")
    before = len(list(descriptors.glob("*")))
    for _ in range(20):
        next(iter(dataset))
    assert len(list(descriptors.glob("*"))) <= before + 1
    path.write_text("{}")
    with pytest.raises(InputError):
        list(dataset)


@pytest.mark.parametrize("ending", ["", ".gz"])
@pytest.mark.parametrize("name", catalog.names("format"))
def test_an_empty_file_is_not_written(tmp_path, name, ending):
    """A file without a line is read as one that was cut."""
    path = tmp_path / f"set{ending}"
    path.write_bytes(b"before")
    try:
        dump(Dataset(name="none", format=name, read=lambda defects: iter(())), path)
    except UsageError:
        assert path.read_bytes() == b"before"
        assert [*tmp_path.iterdir()] == [path]
    else:
        assert list(load(path, name)) == []
