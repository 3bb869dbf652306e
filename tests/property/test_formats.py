"""Extractive formats and our own give back what they read; broken bytes never break us."""

import contextlib
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import strategies
from closeread.errors import CloseReadError, UsageError
from closeread.formats import dump, load
from closeread.formats.files import source, stream
from closeread.text.polarity import infer_asks_for
from closeread.types import Defects
from format_samples import SAMPLES, write_sample

FEW = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def told(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def round_trip(folder: Path, text: str, name: str) -> str:
    """Read a file and write it again; every span must slice to what it claims."""
    path, back = folder / "in", folder / "out"
    path.write_bytes(text.encode())
    data = load(path, name)
    defects = Defects()
    for passage, asked in data.read(defects):
        for question in asked:
            for answer in question.answers:
                for span in answer.spans:
                    if name == "mrqa":
                        claimed = question.metadata["detected_answers"]
                        assert span.of(passage.text) in [found["text"] for found in claimed]
                    else:
                        assert span.of(passage.text) in answer.texts
            for evidence in question.gold_evidence:
                for span in evidence.spans:
                    assert span.of(passage.text) in evidence.texts
    from_gold = [(q.question_id, q.text, [a.texts for a in q.answers]) for q in data.questions()]
    from_read = [
        (q.question_id, q.text, [a.texts for a in q.answers]) for _, asked in data for q in asked
    ]
    assert from_gold == from_read
    dump(data, back, name)
    return back.read_bytes().decode()


@FEW
@given(strategies.squad_files())
def test_squad_files_come_back(tmp_path: Path, value: dict[str, Any]):
    """SQuAD, with answers that are misplaced or missing and fields of other publishers."""
    assert told(json.loads(round_trip(tmp_path, json.dumps(value), "squad"))) == told(value)


@FEW
@given(strategies.squad_files(own_ids=True))
def test_cmrc_files_come_back(tmp_path: Path, value: dict[str, Any]):
    """CMRC 2018 and DRCD."""
    assert told(json.loads(round_trip(tmp_path, json.dumps(value), "cmrc"))) == told(value)


@FEW
@given(strategies.CMRC_FIRST_FORM)
def test_cmrc_first_form_comes_back(tmp_path: Path, value: list[Any]):
    """CMRC's first form."""
    assert told(json.loads(round_trip(tmp_path, json.dumps(value), "cmrc"))) == told(value)


@FEW
@given(strategies.squad_files(evidences=True))
def test_expmrc_spans_come_back(tmp_path: Path, value: dict[str, Any]):
    """ExpMRC's SQuAD and CMRC subsets."""
    assert told(json.loads(round_trip(tmp_path, json.dumps(value), "expmrc"))) == told(value)


@FEW
@given(st.lists(strategies.expmrc_articles(), min_size=1, max_size=3, unique_by=lambda a: a["id"]))
def test_expmrc_choices_come_back(tmp_path: Path, articles: list[Any]):
    """ExpMRC's C3 and RACE subsets, letters that name no option among them."""
    value = {"version": "made", "data": articles}
    assert told(json.loads(round_trip(tmp_path, json.dumps(value), "expmrc"))) == told(value)


@FEW
@given(st.lists(strategies.mrqa_lines(), min_size=1, max_size=3), st.none() | strategies.EXTRA)
def test_mrqa_files_come_back(tmp_path: Path, lines: list[Any], header: dict[str, Any] | None):
    """MRQA, with and without a header, inclusive spans and all."""
    rows = lines if header is None else [{"header": header}, *lines]
    back = round_trip(tmp_path, strategies.as_lines(rows), "mrqa")
    assert [told(json.loads(line)) for line in back.split("\n") if line] == list(map(told, rows))


@FEW
@given(
    st.sampled_from(["span", "choice"]).flatmap(
        lambda kind: strategies.items(kind, strategies.TEXTS, 1)
    ),
    st.booleans(),
)
def test_jsonl_holds_everything(tmp_path: Path, made: list[Any], packed: bool):
    """closeread's own lines give back equal records, and equal bytes the second time."""
    one, two = (tmp_path / f"{n}.jsonl{'.gz' if packed else ''}" for n in "ab")
    dump(strategies.dataset(made), one, "jsonl")
    assert list(load(one)) == made
    dump(load(one), two)
    assert two.read_bytes() == one.read_bytes()
    assert load(one).check().counts.keys() <= {"repeated-option", "empty-option"}  # as drawn


@FEW
@given(
    st.sampled_from(["span", "choice"]).flatmap(
        lambda kind: strategies.items(kind, strategies.PLAIN, 1)
    )
)
def test_a_table_holds_plain_questions(tmp_path: Path, made: list[Any]):
    """A table gives the same questions, answers, options, truth, evidence and tags back."""
    path = tmp_path / "table.csv"
    dump(strategies.dataset(made), path, "csv")
    for (passage, asked), (before, were) in zip(load(path, "csv"), made, strict=True):
        assert (passage.text, passage.title) == (before.text, before.title)
        for question, was in zip(asked, were, strict=True):
            same = ("question_id", "text", "kind", "options", "option_truth", "group_id", "role")
            for field in same:
                assert getattr(question, field) == getattr(was, field)
            # Where nobody said it, the stem's words tell it: a stem may be FALSE alone.
            told = infer_asks_for(was.kind, was.text) if was.options else None
            assert question.asks_for == (was.asks_for or told)
            assert [a.texts for a in question.answers] == [a.texts for a in was.answers]
            assert question.tags == was.tags
            assert [e.texts for e in question.gold_evidence] == [e.texts for e in was.gold_evidence]


@FEW
@given(st.lists(strategies.ROWS, min_size=1, max_size=4))
def test_rows_read_and_come_back_as_records(tmp_path: Path, rows: list[Any]):
    """Any bring-your-own rows read, one question each, and keep their records when rewritten."""
    path, back = tmp_path / "rows", tmp_path / "back"
    path.write_bytes(strategies.as_lines(rows).encode())
    data = load(path, "jsonl")
    read = [(passage.text, q.question_id, q.text) for passage, asked in data for q in asked]
    assert read == [(row["passage"], str(row["id"]), row["question"]) for row in rows]
    dump(data, back)
    assert list(load(back, "jsonl")) == list(data)


@FEW
@given(
    st.sampled_from(["span", "choice"]).flatmap(strategies.items), st.sampled_from(list(SAMPLES))
)
def test_any_set_into_any_format(tmp_path: Path, made: list[Any], name: str):
    """Writing ends in a file that reads back with the same questions, or in a usage error."""
    path = tmp_path / "out"
    path.unlink(missing_ok=True)
    try:
        dump(strategies.dataset(made), path, name)
    except UsageError as error:
        assert not list(tmp_path.iterdir())
        assert "question" in str(error) or "passage" in str(error) or "group" in str(error)
        return
    assume(made)
    texts = [q.text for _, asked in made for q in asked]
    if name in {"squad", "cmrc", "expmrc", "jsonl", "csv"}:
        assert [question.text for question in load(path, name).questions()] == texts


@pytest.fixture(scope="module", params=list(SAMPLES))
def sample(request, tmp_path_factory) -> tuple[str, bytes, Path]:
    folder = tmp_path_factory.mktemp(request.param)
    return request.param, write_sample(folder, request.param).read_bytes(), folder / "mutated"


BYTES = [
    b"",
    b"\0",
    b'"',
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\\",
    b"\n",
    b"-1",
    b"1e999",
    b"\xff",
]
BYTES += [b"null", b"true", b"\xef\xbb\xbf", b"\xc4\xe3", b"\\ud800", b"|", b"99999999999999999999"]


def mutate(raw: bytes, seed: int) -> bytes:
    """Cut, repeat and overwrite bytes."""
    chance = random.Random(seed)
    mutated = bytearray(raw)
    for _ in range(chance.randint(1, 6)):
        start = chance.randrange(len(mutated) + 1)
        end = min(len(mutated), start + chance.choice([0, 1, 2, 5, 40]))
        mutated[start:end] = chance.choice(
            [chance.choice(BYTES), bytes(mutated[start:end]) * 2, chance.randbytes(2)]
        )
    return bytes(mutated)


def survives(path: Path, name: str | None) -> None:
    """Load, read and write again: all is well, or a user error names the file."""
    try:
        data = load(path, name)
        assert all(isinstance(question.question_id, str) for question in data.questions())
        list(data)
    except CloseReadError as error:
        assert str(path) in str(error)
        return
    with contextlib.suppress(UsageError):
        dump(data, path.with_suffix(".out"), data.format)


@settings(max_examples=120, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_mutated_files_read_or_are_refused(sample: tuple[str, bytes, Path], seed: int):
    """A file with broken bytes is a data set or a user error, and nothing else."""
    name, raw, path = sample
    path.write_bytes(mutate(raw, seed))
    survives(path, None)
    survives(path, name)


@settings(max_examples=120, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_mutated_files_when_streamed(sample: tuple[str, bytes, Path], seed: int):
    """The same for documents that are too large to be parsed in one go."""
    name, raw, path = sample
    path.write_bytes(mutate(raw, seed))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "_WHOLE_PLAIN_BYTES", 0)
        patch.setattr(stream, "_CHUNK_BYTES", 64)
        survives(path, name)
