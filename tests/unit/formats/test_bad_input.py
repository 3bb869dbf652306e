"""Bad files end in one clear error that names the file; never in a traceback, in any format."""

import bz2
import copy
import gzip
import io
import json
import lzma
import os
import tarfile
import zipfile
from pathlib import Path

import pytest

from closeread.errors import CloseReadError, InputError
from closeread.formats import load
from closeread.formats.files import size_limits
from closeread.formats.files.source import Source
from closeread.formats.submissions import load_submission
from closeread.runs.store import open_run
from command_line import run_in_subprocess
from format_samples import SAMPLES, TEXT, write_sample

FORMATS = list(SAMPLES)
JSON_FORMATS = [name for name in FORMATS if name != "csv"]
LINE_FORMATS = ["mrqa", "drop-simple", "agieval", "nli", "jsonl"]


def read_all(path: Path, name: str | None = None) -> CloseReadError | None:
    """Load and read everything twice; return the user error, where there is one."""
    try:
        dataset = load(path, name)
        list(dataset)
        list(dataset.questions())
    except CloseReadError as error:
        return error
    return None


def error_message(path: Path, name: str | None = None) -> str:
    """The message that the file is refused with; it names the file."""
    error = read_all(path, name)
    assert isinstance(error, InputError), error
    assert str(path) in str(error)
    assert error.cure
    return str(error)


def zip_of(raw: bytes) -> bytes:
    """An archive with one member that holds ``raw``."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("set.json", raw)
    return packed.getvalue()


def tar_of(raw: bytes) -> bytes:
    """The same as a tar archive."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        member = tarfile.TarInfo("set.json")
        member.size = len(raw)
        archive.addfile(member, io.BytesIO(raw))
    return packed.getvalue()


@pytest.fixture(params=FORMATS)
def name(request) -> str:
    return request.param


def test_the_unchanged_samples_can_be_read(tmp_path, name):
    """Every sample reads without an error, plain, packed and with a byte-order mark."""
    plain = write_sample(tmp_path, name)
    packed = write_sample(tmp_path, name, packed=True)
    marked = tmp_path / "marked"
    marked.write_bytes(b"\xef\xbb\xbf" + plain.read_bytes())
    records = list(load(plain, name))
    assert records
    assert list(load(packed, name)) == records
    assert list(load(marked, name)) == records


def test_a_truncated_gzip_is_an_error(tmp_path, name):
    """A gzip file that was cut anywhere is said to have been cut."""
    path = write_sample(tmp_path, name, packed=True)
    whole = path.read_bytes()
    for size in (3, 15, len(whole) // 2, len(whole) - 8, len(whole) - 1):
        path.write_bytes(whole[:size])
        for guess_or_not in (None, name):
            assert "gzip data is cut off" in error_message(path, guess_or_not)


def test_a_damaged_gzip_is_an_error(tmp_path, name):
    """A gzip file with other bytes in it, or after it, is said to be broken."""
    path = write_sample(tmp_path, name, packed=True)
    whole = path.read_bytes()
    middle = len(whole) // 2
    for damaged in (
        whole[:middle] + b"\xff\x00" * 4 + whole[middle + 8 :],
        whole[:-8] + b"\0" * 8,
        whole + b"garbage",
    ):
        path.write_bytes(damaged)
        assert "gzip" in error_message(path, name)


@pytest.mark.parametrize("encoding", ["gbk", "gb18030", "utf-16", "utf-16-le", "utf-16-be"])
def test_a_wrong_encoding_is_an_error(tmp_path, name, encoding):
    """Text that is not UTF-8 is called so, with the command that converts it."""
    path = write_sample(tmp_path, name)
    text = path.read_text("utf-8").replace("ferry", "渡船")
    path.write_bytes(text.encode(encoding))
    for guess_or_not in (None, name):
        assert "iconv" in error_message(path, guess_or_not)


def test_the_encoding_error_fits_western_text(tmp_path):
    """The encoding cannot be known: both that are likely are named."""
    path = tmp_path / "rows.csv"
    path.write_bytes("id,passage,question\n1,Le café ouvre.,Quand?\n".encode("windows-1252"))
    assert "GB18030, Western text WINDOWS-1252" in error_message(path, "csv")


@pytest.mark.parametrize(
    ("pack", "called", "cure"),
    [
        (zip_of, "a zip archive", "unpack it and pass a file in it"),
        (lzma.compress, "compressed with xz", "xz -dk"),
        (bz2.compress, "compressed with bzip2", "bzip2 -dk"),
        (tar_of, "a tar archive", "tar -xf"),
        (lambda raw: gzip.compress(tar_of(raw)), "a tar archive", "tar -xf"),
        (
            lambda raw: b"PAR1\x15\x04" + raw + b"PAR1",
            "cannot be read as parquet",
            "save it again",
        ),
    ],
)
def test_archives_are_recognised(tmp_path, name, pack, called, cure):
    """What sets are published in is named, with how to unpack it; it is no wrong encoding."""
    path = write_sample(tmp_path, name)
    path.write_bytes(pack(path.read_bytes()))
    for guess_or_not in (None, name):
        message = error_message(path, guess_or_not)
        assert called in message
        assert cure in message
    if pack is not zip_of:  # which is taken for the package of an evaluation
        with pytest.raises(InputError, match=called):
            load_submission(path)


@pytest.mark.parametrize("column", ["PAR1", "BZh9", "Rar!", "x" * 256 + "Mustard"])
def test_text_that_resembles_an_archive_is_read(tmp_path, column):
    """A column may be called so, and `ustar` of mustard stand where a tar archive has it."""
    path = tmp_path / "rows.csv"
    path.write_text(f"{column},id,passage,question,answer\n7,1,Ann ran.,Who?,Ann\n")
    ((_, (question,)),) = load(path)
    assert question.tags == {column: "7"}


def test_blank_files_are_an_error(tmp_path):
    """Of no format, rather than one that is not known."""
    path = tmp_path / "blank.jsonl"
    path.write_text("  \n\n\t\n")
    assert "the file holds only blank lines" in error_message(path)
    path.write_text("\n" * 300_000 + "one")
    assert "no known format" in error_message(path)


def test_empty_files_are_an_error(tmp_path, name):
    """An empty file, packed or not, is called empty."""
    path = tmp_path / "empty"
    path.write_bytes(b"")
    assert "empty" in error_message(path, name)
    path.write_bytes(gzip.compress(b""))
    assert "empty" in error_message(path, name)
    path.write_bytes(b"\xef\xbb\xbf")
    error_message(path, name)
    path.write_bytes(b" \n\n \n")
    error_message(path, name)


def test_a_missing_file_is_an_error(tmp_path, name):
    """A directory, a missing file, a pipe and an impossible path are told apart."""
    assert "a folder, not a file" in error_message(tmp_path, name)
    assert "No such file" in error_message(tmp_path / "missing.json", name)
    os.mkfifo(tmp_path / "pipe")
    assert "not a regular file" in error_message(tmp_path / "pipe", name)
    assert "null" in str(read_all(Path("a\0b"), name))


def test_an_unreadable_file_is_an_error(tmp_path):
    """A file without permission to read says so."""
    path = write_sample(tmp_path, "jsonl")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read every file")
    assert "Permission denied" in error_message(path)


def test_a_truncated_file_is_an_error(tmp_path, name):
    """A plain file that breaks off is refused, wherever in a record it breaks."""
    path = write_sample(tmp_path, name)
    whole = path.read_bytes()
    # (A table that is cut in its very last cell cannot be told from a whole one.)
    last = whole.rindex(b"piano") if name != "csv" else whole.rindex(b"q2")
    for cut in (last + 2, whole.index(b"piano") + 2, 20):
        path.write_bytes(whole[:cut])
        error_message(path, name)
        error_message(path)


def test_nul_bytes_are_an_error(tmp_path, name):
    """NUL bytes are refused; in a file of nothing else too."""
    path = write_sample(tmp_path, name)
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"piano", b"pi\0no"))
    assert "NUL" in error_message(path, name)
    path.write_bytes(b"\0" * 1000)
    error_message(path, name)
    error_message(path)


@pytest.mark.parametrize("name", JSON_FORMATS)
def test_deep_nesting_is_an_error(tmp_path, name):
    """A hundred thousand brackets end in an error, in place of a value and as the whole file."""
    path = write_sample(tmp_path, name)
    whole = path.read_bytes()
    nested = b"[" * 100_000 + b"]" * 100_000
    passage = json.dumps(TEXT).encode()
    start = whole.index(passage) if passage in whole else whole.index(b'"')
    path.write_bytes(whole[:start] + nested + whole[start + len(passage) :])
    error_message(path, name)
    for text in (nested, b"[" * 100_000, b'{"data":' * 100_000, b'{"data":' + nested + b"}"):
        path.write_bytes(text)
        error_message(path, name)
        error_message(path)


@pytest.mark.parametrize("name", LINE_FORMATS)
def test_a_broken_line_is_named_by_number(tmp_path, name):
    """Invalid JSON on line 40,001 is reported with that number."""
    path = write_sample(tmp_path, name)
    line = path.read_bytes().split(b"\n")[0] + b"\n"
    path.write_bytes(line * 40_000 + line.replace(b":", b";", 1) + line * 10)
    assert f"{path}, line 40001" in error_message(path, name)


@pytest.mark.parametrize("name", ["mrqa", "jsonl", "squad", "csv"])
def test_a_very_long_line(tmp_path, name):
    """A line of 50 MB is read; cut short, it is refused."""
    path = write_sample(tmp_path, name)
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"14 sheep", b"14 sheep" * 6_500_000, 1))
    assert read_all(path, name) is None
    with path.open("r+b") as stream:
        stream.truncate(40_000_000)
    error_message(path, name)
    error_message(path)


def _places(value, path=()):
    """Every path to a member or element of a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(items):
        yield (*path, key)
        if isinstance(inner, dict | list):
            yield from _places(inner, (*path, key))


def _replace_at(value, path, make):
    changed = copy.deepcopy(value)
    holder = changed
    for key in path[:-1]:
        holder = holder[key]
    make(holder, path[-1])
    return changed


def _remove(holder, key):
    del holder[key]


def _setter(other):
    def put(holder, key):
        holder[key] = copy.deepcopy(other)

    return put


CHANGES = [_remove, *map(_setter, ["7", "", 7, -1, 2.5, True, None, [], {}, [["x"]], {"a": [1]}])]


@pytest.mark.parametrize("name", JSON_FORMATS)
def test_missing_fields_and_wrong_types_are_errors(tmp_path, name):
    """Take away or replace each value of a file in turn: it reads, or is refused with its name."""
    path = write_sample(tmp_path, name)
    raw = path.read_text("utf-8")
    try:
        values, joined = [json.loads(raw)], False
    except ValueError:
        values, joined = [json.loads(line) for line in raw.splitlines()], True
    tried = refusals = 0
    for place in _places(values):
        for change in CHANGES:
            changed = _replace_at(values, place, change)
            if not changed:
                continue
            path.write_text("\n".join(map(json.dumps, changed)), "utf-8")
            error = read_all(path, name)
            tried += 1
            if error is not None:
                refusals += 1
                assert str(path) in str(error), (place, error)
            if joined and error is not None and len(place) > 1:
                assert f"line {place[0] + 1}" in str(error), (place, error)
    print(f"{name}: {tried} changed files, {refusals} refused")
    assert refusals > tried / 8


def test_the_question_and_the_field_are_named(tmp_path):
    """A missing or mistyped field deep in a document is reported with the nearest question."""
    path = write_sample(tmp_path, "squad")
    document = json.loads(path.read_bytes())
    answers = document["data"][0]["paragraphs"][0]["qas"][1]["answers"]
    answers[0]["answer_start"] = "80"
    path.write_text(json.dumps(document, indent=1))
    line = path.read_text().splitlines().index('       "id": "q2",') + 1
    message = error_message(path)
    assert message.startswith(f"{path}, line {line}, question q2, at data[0].paragraphs[0].qas[1]")
    assert "found a string" in message
    assert "expected: an integer" in message
    del answers[0]["answer_start"]
    path.write_text(json.dumps(document))
    assert "question q2" in error_message(path)
    told = error_message(path)
    assert "the field 'answer_start' is missing" in told
    assert "expected: 'answer_start': an integer" in told
    answers[0]["answer_start"] = 80
    del document["data"][0]["paragraphs"][0]["qas"][1]["id"]
    path.write_text(json.dumps(document))
    assert "expected: 'id': a string or an integer" in error_message(path)


def test_an_unknown_format_lists_the_known_ones(tmp_path):
    """Content of no known format lists the formats and points to the manual."""
    path = tmp_path / "odd.json"
    path.write_text('{"cats": 3}')
    message = error_message(path)
    assert "squad" in message
    assert "columns other than id, passage and question" in message
    assert "docs/formats.md" in message
    path.write_text("just some words\n")
    error_message(path)


def test_the_command_line_prints_one_message(tmp_path):
    """A user who names a cut file sees one message and exit code 2, and no traceback."""
    path = write_sample(tmp_path, "mrqa", packed=True)
    path.write_bytes(path.read_bytes()[:-9])
    done = run_in_subprocess("describe", path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert f"{path}: the gzip data is cut off" in done.stderr


@pytest.mark.parametrize("name", JSON_FORMATS)
def test_a_wrong_encoding_in_an_extra_field_is_an_error(tmp_path, name):
    """A field that nobody reads is looked at too: it would be written back."""
    path = write_sample(tmp_path, name)
    whole = path.read_bytes()
    for at in range(len(whole)):
        if whole[at : at + 1] == b"{" and whole[at + 1 : at + 2] != b"}":
            path.write_bytes(whole[: at + 1] + b'"zz":"\xc4\xe3",' + whole[at + 1 :])
            assert "not UTF-8" in error_message(path, name) or "unknown field" in error_message(
                path, name
            )


def test_the_cure_names_the_commands_option(tmp_path):
    """``convert`` takes --from, most verbs --format, and a run's own file has no such option."""
    path = tmp_path / "bad.json"
    path.write_text('{"data": [{"paragraphs": 3}]}')
    for verb, option in ((["describe"], "--format"), (["convert", "out.jsonl"], "--from")):
        done = run_in_subprocess(verb[0], path, *verb[1:], folder=tmp_path)
        assert done.returncode == 2
        assert option in done.stderr
    with pytest.raises(InputError) as caught:
        load_submission(path)
    assert "--format" not in str(caught.value)
    (tmp_path / "run.json").write_text('{"schema_version": 1, "created"')
    with pytest.raises(InputError, match="fix the file") as caught:
        open_run(tmp_path)
    assert "--format" not in str(caught.value)


def test_a_first_line_too_long_to_guess_is_an_error(tmp_path):
    """A valid line whose telling fields come after 17 MB of text is read once it is named."""
    path = tmp_path / "long.jsonl"
    question = '{"question_id": "q", "passage_id": "p", "text": "Which?", "kind": "span"}'
    passage = '{"text": "%s", "passage_id": "p"}' % ("word " * 3_400_000)
    path.write_text(f'{{"passage": {passage}, "questions": [{question}]}}\n')
    message = error_message(path)
    assert "the first line is too long" in message
    assert "--format" in message
    assert sum(len(questions) for _, questions in load(path, "jsonl")) == 1


@pytest.mark.parametrize(
    "call", [load, lambda path: load(path, "jsonl"), lambda path: Source(path).read()]
)
def test_a_gzip_bomb_is_rejected(tmp_path, monkeypatch, call):
    """Three megabytes held three gigabytes in one line, and six were needed to read it."""
    monkeypatch.setattr(size_limits, "_MAX_UNPACKED_BYTES", 1 << 20)
    path = tmp_path / "set.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"id": "' + b"a" * (8 << 20)))
    with pytest.raises(InputError, match=r"unpacks to more than 1 MiB, over 100 times"):
        list(call(path))
    path.write_bytes(gzip.compress(b"".join(b"%d\n" % one for one in range(400_000))))
    assert len(Source(path).read()) > 2 << 20  # as text may be
