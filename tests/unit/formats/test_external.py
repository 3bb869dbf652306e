"""A format of somebody else's: what it should not yield, and what it raises, is told as its own."""

import errno
import sys

import pytest

import closeread
from closeread import Answer, Passage, Question
from closeread.errors import InputError, OutsideError, StorageError, UsageError
from closeread.formats import Format, Info

PASSAGE = Passage(passage_id="p", text="Ann ran.", metadata={"page": b"\x00", "kept": (1, 2)})
QUESTION = Question(
    question_id="q", passage_id="p", text="Who?", kind="span",
    answers=(Answer(kind="span", texts=("Ann",)),),
)  # fmt: skip


def reader_of(*items):
    return lambda source, defects: iter(items)


def reader_that_raises(error):
    def read(source, *_):
        raise error
        yield

    return read


@pytest.fixture
def loaded(tmp_path, monkeypatch):
    """Open a file by a format that is made of these functions."""
    (tmp_path / "mine.txt").write_text("mine", "utf-8")

    def load(**functions):
        given = {"name": "mine", "sniff": lambda head: False, "read": reader_of()}
        module = type(sys)("others")
        module.FORMAT = Format(**given | functions)
        monkeypatch.setitem(sys.modules, "others", module)
        return closeread.load(tmp_path / "mine.txt", "others:FORMAT")

    return load


@pytest.mark.parametrize(
    ("items", "said"),
    [
        (("x",), "gave 'x'"),
        (((PASSAGE, QUESTION),), "gave (Passage("),
        (((PASSAGE, (QUESTION,), 3),), "gave (Passage("),
        ((QUESTION,), "gave Question("),
        (((PASSAGE, ("q",)),), "gave an object of the type str"),
        (
            ((PASSAGE, [Question(question_id=3, passage_id="p", text="?", kind="span")]),),
            "a broken Question: Expected `str`, got `int` - at `$.question_id`",
        ),
        (((Passage(passage_id="p", text=None), ()),), "a broken Passage: Expected `str`, got `nul"),
    ],
)
def test_invalid_items_are_rejected(loaded, items, said):
    with pytest.raises(UsageError) as told:
        list(loaded(read=reader_of(*items)))
    assert "the format others:FORMAT gave " in str(told.value)
    assert said in str(told.value)


def test_exceptions_name_the_external_format(loaded, tmp_path):
    with pytest.raises(OutsideError, match="format others:FORMAT failed: KeyError: 'story'"):
        list(loaded(read=reader_that_raises(KeyError("story"))))
    with pytest.raises(OutsideError, match="failed while it read the file-level facts: Zero"):
        loaded(info=lambda source: 1 / 0)
    with pytest.raises(UsageError, match="gave NoneType for file-level facts"):
        loaded(info=lambda source: None)
    with pytest.raises(UsageError, match="gave NoneType for its items"):
        list(loaded(read=lambda *_: None))
    with pytest.raises(InputError, match="no story"):
        list(loaded(read=reader_that_raises(InputError("no story"))))


def test_a_failed_write_leaves_no_file(loaded, tmp_path):
    """Nor its half; a full disk is told as such, not as a fault of the format."""
    out = tmp_path / "out.txt"

    def write(error):
        def half(dataset, stream):
            stream.write(b"half")
            raise error

        return half

    with pytest.raises(OutsideError, match="others:FORMAT failed while it wrote: TypeError: bytes"):
        closeread.dump(loaded(write=write(TypeError("bytes"))), out)
    full = OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(StorageError, match="No space left"):
        closeread.dump(loaded(write=write(full)), out)
    assert not out.exists()


def test_valid_items_keep_their_metadata(loaded):
    """A list of questions will do, and metadata are the format's own affair."""
    found = loaded(
        read=reader_of((PASSAGE, [QUESTION])),
        read_gold=reader_of(QUESTION),
        info=lambda source: Info(license="mine"),
    )
    assert list(found) == [(PASSAGE, (QUESTION,))]
    assert list(found.questions()) == [QUESTION]
    assert found.license == "mine"
