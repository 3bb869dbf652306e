"""Word vectors: real files in every form, and what is wrong with them said plainly."""

import bz2
import gzip
import hashlib
import struct
import subprocess
import sys

import numpy as np
import pytest

from closeread.cli.terminal.known_words import warn_unknown_words
from closeread.errors import InputError, StorageError, UsageError
from closeread.evidence.encoding import word_vectors
from closeread.evidence.vectors import files as vector_files
from closeread.evidence.vectors import matrix as vectors
from closeread.evidence.vectors.matrix import coverage_warning, load
from closeread.evidence.vectors.train import train

pytest.importorskip("gensim", reason="gensim is not installed")

ROWS = {"海水": (1.0, 0.0, 2.0), "盐度": (0.5, -1.5, 0.0), "ferry": (0.0, 0.25, 1.0)}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("CLOSEREAD_CACHE", raising=False)
    load.cache_clear()
    return tmp_path / "cache"


def format_vectors(rows, dimensions=3):
    lines = [f"{word} {' '.join(map(str, row))}" for word, row in rows.items()]
    return "\n".join([f"{len(rows)} {dimensions}", *lines]) + "\n"


def binary(rows):
    body = b"".join(
        word.encode() + b" " + struct.pack(f"{len(row)}f", *row) + b"\n"
        for word, row in rows.items()
    )
    return f"{len(rows)} 3\n".encode() + body


def write_file(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


FORMS = {
    "v.txt": format_vectors(ROWS).encode(),
    "v.vec": format_vectors(ROWS).encode(),
    "v.bin": binary(ROWS),
    "v.txt.gz": gzip.compress(format_vectors(ROWS).encode()),
    "v.bin.gz": gzip.compress(binary(ROWS)),
    "v.txt.bz2": bz2.compress(format_vectors(ROWS).encode()),
    "v.bin.bz2": bz2.compress(binary(ROWS)),
}


@pytest.mark.parametrize("name", FORMS)
def test_every_file_format_gives_the_same_vectors(tmp_path, name):
    found = load(str(write_file(tmp_path / name, FORMS[name])))
    assert len(found) == 3
    assert found.vectors_of(["盐度", "海水"]).tolist() == [list(ROWS["盐度"]), list(ROWS["海水"])]


@pytest.fixture(scope="module")
def fasttext(tmp_path_factory):
    """A fastText file, and the vector of one of its words."""
    from gensim.models import FastText
    from gensim.models.fasttext import save_facebook_model

    model = FastText([["海水", "盐度"], ["ferry", "海水"]], vector_size=300, min_count=1, epochs=1,
                     workers=1, bucket=50)  # fmt: skip
    path = tmp_path_factory.mktemp("fasttext") / "f.bin"
    save_facebook_model(model, str(path))
    return path.read_bytes(), model.wv["海水"].tolist()


def test_fasttext_files_are_read(tmp_path, fasttext):
    content, row = fasttext
    found = load(str(write_file(tmp_path / "f.bin", content)))
    assert found.vectors_of(["海水"])[0] == pytest.approx(row, abs=1e-6)


@pytest.mark.parametrize("size", [6, 60, 94, 120])
def test_a_truncated_fasttext_file_is_rejected(tmp_path, fasttext, size):
    with pytest.raises(InputError, match="the file is truncated"):
        load(str(write_file(tmp_path / "f.bin", fasttext[0][:size])))


def test_a_compressed_fasttext_file_is_rejected(tmp_path, fasttext):
    with pytest.raises(InputError, match="decompress it first"):
        load(str(write_file(tmp_path / "f.bin.gz", gzip.compress(fasttext[0]))))


def test_a_compressed_file_needs_the_ending(tmp_path):
    path = write_file(tmp_path / "vectors", gzip.compress(format_vectors(ROWS).encode()))
    with pytest.raises(InputError, match=r"rename it so that its name ends in \.gz"):
        load(str(path))


def test_a_folder_is_rejected_as_vectors(tmp_path):
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        load(str(tmp_path))


def test_cached_vectors_are_not_read_again(tmp_path, monkeypatch):
    path = write_file(tmp_path / "v.txt", format_vectors(ROWS))
    first = load(str(path)).vectors_of(["海水"]).tolist()
    load.cache_clear()
    monkeypatch.setattr(vector_files, "_read", lambda path: pytest.fail("read again"))
    again = load(str(path))
    assert again.vectors_of(["海水"]).tolist() == first
    assert isinstance(again._rows.base, np.memmap)


def test_the_hash_of_the_file_is_cached(tmp_path, monkeypatch, cache):
    """It is what ``sha256sum`` prints; a cache of before, without one, gets it."""
    path = write_file(tmp_path / "v.txt.gz", FORMS["v.txt.gz"])
    wanted = hashlib.sha256(FORMS["v.txt.gz"]).hexdigest()
    assert load(str(path)).models[0].sha256 == wanted
    (kept,) = cache.rglob("sha256")
    kept.unlink()
    load.cache_clear()
    assert load(str(path)).models[0].sha256 == wanted
    load.cache_clear()
    monkeypatch.setattr(hashlib, "file_digest", lambda *given: pytest.fail("read again"))
    assert load(str(path)).models[0].sha256 == wanted


def test_a_changed_file_is_another_file(tmp_path):
    path = write_file(tmp_path / "v.txt", format_vectors(ROWS))
    load(str(path))
    load.cache_clear()
    write_file(path, format_vectors(ROWS | {"降水": (9.0, 9.0, 9.0)}))
    assert len(load(str(path))) == 4


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (format_vectors(ROWS | {"短": (1.0, 2.0)}), "more or fewer numbers than the header says"),
        (format_vectors(ROWS, dimensions=5), "cannot be read as word vectors"),
        ("no header\n", "first line does not hold two whole numbers"),
        ("", "first line does not hold two whole numbers"),
        (format_vectors(ROWS | {"坏": ("nan", 1.0, 1.0)}), "row 4, '坏'"),
        (format_vectors(ROWS | {"坏": ("inf", 1.0, 1.0)}), "1 of 4 vectors contain a value"),
    ],
    ids=["short row", "wrong header", "no header", "empty", "nan", "inf"],
)
def test_broken_vectors_are_rejected_with_their_row(tmp_path, content, message, cache):
    with pytest.raises(InputError, match=message) as caught:
        load(str(write_file(tmp_path / "v.txt", content)))
    assert "v.txt" in str(caught.value)
    assert not list(cache.rglob("rows.npy"))


def test_words_with_odd_characters_keep_their_own_vectors(tmp_path):
    """A carriage return in a word must not move all words behind it to another's vector."""
    odd = {"a\rb": (9.0, 9.0, 9.0), "c\x85d": (8.0, 8.0, 8.0), "e\u2028f": (7.0, 7.0, 7.0)}
    found = load(str(write_file(tmp_path / "v.bin", binary(odd | ROWS))))
    assert len(found) == 6
    for word, row in (odd | ROWS).items():
        assert found.vectors_of([word]).tolist() == [list(row)]


def test_an_unwritable_cache_is_reported(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(StorageError, match="cannot be cached: Not a directory"):
        load(str(write_file(tmp_path / "v.txt", format_vectors(ROWS))))


def test_the_cache_folder_can_be_set(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("CLOSEREAD_CACHE", str(tmp_path / "mine"))
    load(str(write_file(tmp_path / "v.txt", format_vectors(ROWS))))
    assert list((tmp_path / "mine" / "vectors").rglob("rows.npy"))
    assert not cache.exists()


def test_zero_vectors_are_left_out(tmp_path):
    found = load(
        str(write_file(tmp_path / "v.txt", format_vectors(ROWS | {"零": (0.0, 0.0, 0.0)})))
    )
    assert "零" not in found
    assert found.left_out == 1


def test_the_first_vector_of_a_repeated_word_counts(tmp_path, capsys):
    twice = b"3 2\ncat 1 0\ndog 0 1\ncat 5 5\n"
    path = str(write_file(tmp_path / "v.txt", twice))
    assert load(path).vectors_of(["cat"]).tolist() == [[1.0, 0.0]]
    warn_unknown_words([], "soft-masking", {"vectors": path})
    assert "v.txt: vectors skipped (all zeros, or repeated words): 1" in (capsys.readouterr().err)


def test_missing_files_and_paths_give_a_cure(tmp_path):
    with pytest.raises(InputError, match=r"cannot be read: .*\n.*\n  do: .*`closeread train`"):
        load(str(tmp_path / "none.bin"))
    with pytest.raises(UsageError, match="closeread train"):
        load("")


def test_vectors_of_another_language_are_rejected(tmp_path):
    found = load(str(write_file(tmp_path / "v.txt", format_vectors(ROWS))))
    with pytest.raises(InputError, match="none of 25 different words has a vector"):
        found.must_know([f"word{n}" for n in range(25)], "passage")
    with pytest.raises(InputError, match="none of 20 different words"):
        found.must_know([f"word{n}" for n in range(20)] * 2, "passage")
    found.must_know([f"word{n}" for n in range(19)] * 2, "passage")  # too few to tell
    found.must_know([*(f"word{n}" for n in range(25)), "海水"], "passage")  # one is enough


def test_a_text_is_encoded_as_the_sum_of_its_words(tmp_path):
    encoder = word_vectors(str(write_file(tmp_path / "v.txt", format_vectors(ROWS))))
    rows = encoder.encode(["海水盐度", "A ferry, a FERRY", "nowhere", ""])
    assert rows.tolist() == [[1.5, -1.5, 2.0], [0.0, 0.5, 2.0], [0.0] * 3, [0.0] * 3]
    with pytest.raises(InputError, match="none of 25 different words has a vector"):
        encoder.encode([" ".join("wort" + chr(97 + n) for n in range(25))])


def test_a_large_share_of_unknown_words_is_reported(tmp_path):
    found = load(str(write_file(tmp_path / "v.txt", format_vectors(ROWS))))
    assert "only 25% of 4 different words" in coverage_warning(found, ["海水", "a", "b", "c"])
    assert coverage_warning(found, ["海水", "盐度"]) == ""


def test_trained_vectors_load_and_are_reproducible(tmp_path):
    texts = [
        ("海水的盐度由蒸发决定。降水使海水变淡。", "zh"),
        ("The ferry left. A ferry sank.", "en"),
    ]
    for name in ("one.bin", "two.bin"):
        words = train(texts * 3, tmp_path / name, dimensions=8, epochs=2)
        assert words >= 5
    assert (tmp_path / "one.bin").read_bytes() == (tmp_path / "two.bin").read_bytes()
    found = load(str(tmp_path / "one.bin"))
    assert found.dimensions == 8
    assert {"海水", "ferry"} <= set(found.known(["海水", "ferry", "nowhere"]))


KILLED = """
import os, pathlib, sys
from closeread.system import partial_files
partial_files.partial_path(pathlib.Path(sys.argv[1])).write_bytes(b"half")
os.kill(os.getpid(), 9)
"""


def test_leftovers_of_killed_writers_are_removed(tmp_path):
    """Else gigabytes would stay where nobody looks."""
    texts = [("The ferry carried salt. The salt was sold.", "en")] * 40
    vectors = tmp_path / "own" / "v.bin"
    vectors.parent.mkdir()
    train(texts, vectors, dimensions=5, least=2)
    load(str(vectors))
    cached = vector_files._cache_folder(vectors)
    (cached / "rows.npy").unlink()
    (cached / "sha256").unlink()
    made = [cached / name for name in ("rows.npy", "words.txt", "sha256")]
    for target in (vectors, *made):
        subprocess.run([sys.executable, "-c", KILLED, str(target)], check=False)
    assert len([*vectors.parent.iterdir(), *cached.iterdir()]) == 6
    load.cache_clear()
    load(str(vectors))
    assert sorted(cached.iterdir()) == sorted(made)
    train(texts, vectors, dimensions=5, least=2)
    assert [*vectors.parent.iterdir()] == [vectors]


def test_training_without_words_is_rejected(tmp_path):
    with pytest.raises(InputError, match="no word occurs 2 times"):
        train([("。", "zh")], tmp_path / "v.bin")
    assert not list(tmp_path.glob("v.bin*"))


def test_an_unwritable_path_is_reported_before_training(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match="Not a directory"):
        train(iter(lambda: pytest.fail("trained"), None), tmp_path / "file" / "v.bin")


def test_the_share_of_unknown_words_counts_each_word_once(tmp_path):
    found = load(str(write_file(tmp_path / "v.txt", format_vectors(ROWS))))
    assert found.unknown_share(["海水", "海水", "x"]) == 0.5
    assert found.unknown_share([]) == 0.0
    assert vectors.MEANINGLESS == 0.5
