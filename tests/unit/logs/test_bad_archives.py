"""Archives of Inspect that were cut, tampered with or packed otherwise."""

import zipfile
from pathlib import Path

import pytest

from broken_logs import assert_rejected_then_skipped
from closeread.errors import InputError
from closeread.runs.ingest import ingest

FIXTURES = Path(__file__).parent / "fixtures"
(ARCHIVE,) = (FIXTURES / "inspect").glob("*drop*.eval")


@pytest.mark.parametrize("share", [0.4, 0.8])
def test_a_truncated_archive_gives_the_samples_before_the_cut(tmp_path, share):
    raw = ARCHIVE.read_bytes()
    path = tmp_path / "log.eval"
    path.write_bytes(raw[: int(len(raw) * share)])
    with pytest.raises(InputError, match="cut-log 2"):
        ingest([path], tmp_path / "run")
    (run,) = ingest([path], tmp_path / "run", skip_bad=True).runs
    assert 0 < run.info.n_predictions < 14
    assert next(run.predictions()).question_id == "g1"
    assert run.info.log.model == "mockllm/canned"  # from the journal's beginning


def test_an_unknown_zip_version_is_an_error(tmp_path):
    """Its directory is not believed; the members stand where they stood."""
    raw = bytearray(ARCHIVE.read_bytes())
    raw[raw.index(b"PK\x01\x02") + 6] = 241
    path = tmp_path / "log.eval"
    path.write_bytes(raw)
    assert_rejected_then_skipped(path, tmp_path, "cut-log", 1, 14)


def test_a_deflated_archive_is_read(tmp_path):
    from closeread.formats.logs import archive
    from closeread.formats.logs.records import Problems

    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for member in archive.iter_members(ARCHIVE, Problems()):
            made.writestr(member.name, archive.unpack(ARCHIVE, member))
    (run,) = ingest([path], tmp_path / "run").runs
    assert run.info.n_predictions == 14


@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, 93])
def test_a_member_that_is_too_large_is_skipped(tmp_path, monkeypatch, packing):
    import zstandard

    from closeread.formats.logs import archive
    from closeread.formats.logs.records import Problems

    monkeypatch.setattr(archive, "_MAX_BYTES", 200_000)
    large = b'{"id": "g1", "input": "' + b"x" * 10_000_000 + b'"}'
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as made:
        for member in archive.iter_members(ARCHIVE, Problems()):
            raw = archive.unpack(ARCHIVE, member)
            if member.name.startswith("samples/g1"):
                raw = zstandard.compress(large) if packing == 93 else large
                made.writestr(member.name, raw, packing % 93)
            else:
                made.writestr(member.name, raw)
    if packing == 93:  # nothing here writes that kind: the header's method is all that differs
        packed = bytearray(path.read_bytes())
        packed[packed.index(b"samples/g1") - 30 + 8] = 93
        path.write_bytes(packed)
    with pytest.raises(InputError, match="unpacks to more than 200,000 bytes"):
        ingest([path], tmp_path / "run")
    assert_rejected_then_skipped(path, tmp_path, "cut-record", 1, 13)


def test_members_that_are_too_large_together_are_rejected(tmp_path, monkeypatch):
    """A few megabytes filled the disk, member by member."""
    from closeread.formats.logs import archive
    from closeread.formats.logs.records import Problems

    monkeypatch.setattr(archive, "_MAX_BYTES", 2_000_000)
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for member in archive.iter_members(ARCHIVE, Problems()):
            raw = archive.unpack(ARCHIVE, member)
            if member.name.startswith("samples/"):
                raw = raw.rstrip()[:-1] + b" " * 1_900_000 + b"}"
            made.writestr(member.name, raw)
    assert 100 * path.stat().st_size < 14 * 1_900_000
    with pytest.raises(InputError, match="its members unpack to more than 6 MiB together"):
        ingest([path], tmp_path / "run", skip_bad=True)
    assert not (tmp_path / "run").exists()
    monkeypatch.setattr(archive, "_MAX_BYTES", 20 * 2_000_000)
    assert ingest([path], tmp_path / "run").runs[0].info.n_predictions == 14


@pytest.mark.parametrize("damage", ["before the archive", "beyond the archive", "broken off"])
def test_a_directory_with_wrong_offsets_is_an_error(tmp_path, damage):
    from closeread.formats.logs import archive
    from closeread.formats.logs.records import Problems

    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for member in archive.iter_members(ARCHIVE, Problems()):
            made.writestr(member.name, archive.unpack(ARCHIVE, member))
    raw = bytearray(path.read_bytes())
    entry = raw.rindex(b"samples/g1") - 46
    if damage == "before the archive":  # the directory would begin far behind
        end = raw.rindex(b"PK\x05\x06")
        raw[end + 16 : end + 20] = (2**31).to_bytes(4, "little")
    elif damage == "beyond the archive":
        raw[entry + 20 : entry + 24] = (2**32 - 2).to_bytes(4, "little")
    else:
        size = int.from_bytes(raw[entry + 20 : entry + 24], "little")
        raw[entry + 20 : entry + 24] = (size - 9).to_bytes(4, "little")
    path.write_bytes(raw)
    with pytest.raises(InputError, match="cut-log" if "before" in damage else "cut-record 1"):
        ingest([path], tmp_path / "run")
