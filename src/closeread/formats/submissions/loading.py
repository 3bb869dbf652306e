"""Reads prediction files in every published form.

``{id: text}``, ``{id: [texts]}``, n-best (``{id: {"answers", "scores"}}`` or ``{id: [{"text",
"probability"}]}``), ExpMRC's ``{id: {"answer", "evidence"}}``, HotpotQA's ``{"answer", "sp"}``, the
GCRC_advRobust submission, alone or in its package, VGaokao's results, logits and evidence, CoQA's
rows of a turn, QuAC's lines of a conversation, MultiRC's scores of options, Natural Questions' and
BioASQ's documents, and rows with an id each (JSON lines, an array or a table), among them
closeread's own ``predictions.jsonl``.
"""

import json
import os
import re
from collections import Counter
from collections.abc import ItemsView, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any

import msgspec

from closeread.errors import InputError
from closeread.formats.files.decompression import must_be_text
from closeread.formats.files.parse_errors import FIX_FILE, PARSER_ERRORS, explain
from closeread.formats.files.size_limits import MAX_PREDICTIONS_BYTES
from closeread.formats.files.source import Source
from closeread.formats.submissions import (
    archive,
    bioasq_outputs,
    conversations,
    gcrc_letters,
    gcrc_package,
    hotpotqa_outputs,
    multirc_outputs,
    musique_outputs,
    nq_outputs,
    record_outputs,
    table,
    vgaokao_outputs,
)
from closeread.formats.submissions.evidence_places import add_places
from closeread.formats.submissions.option_numbers import value_converter
from closeread.formats.submissions.raw_prediction import (
    ANSWER_FIELDS,
    FORMS,
    all_are,
    check_numbers,
    describe_kind,
    is_number,
    parse_prediction,
    text_answer,
)
from closeread.types import Dataset, Prediction, Submission

Row = tuple[str, Any]
NullOdds = str | os.PathLike[str] | Mapping[Any, float] | None
_IN_MEMORY = "the predictions"
_ID_FIELDS = (
    "question_id", "qid", "query_id", "id", "question_unique_id", "id_string", "idx", "pairID",
)  # fmt: skip
_NAME_ENDS = re.compile(rb'"\s*:')  # the end of a member's name; texts may contain more of them
_CLOSEREAD_FIELDS = set(Prediction.__struct_fields__)


def load_submission(
    path: str | os.PathLike[str],
    dataset: Dataset | None = None,
    *,
    null_odds: NullOdds = None,
) -> Submission:
    """Read a prediction file of any known form.

    Args:
        path: The file, plain or gzip-compressed, or a zip archive that holds only this file, for
            GCRC_advRobust with the other parts of the package.
        dataset: Needed only by forms without ids or with evidence as text (VGaokao's logits and
            evidence).
        null_odds: SQuAD 2.0's side file ``{id: probability of no answer}``, or its content.

    Raises:
        InputError: The file is not JSON, or of an unknown form; names the question.
        UsageError: The form needs ``dataset`` and none was given.
    """
    source = Source(path, further_cure=FORMS)
    extras = _extras(null_odds)
    of_triples = dataset is None or dataset.format == "gcrc-advrobust"
    packed = archive.read_packed(source.path, of_triples=of_triples)
    raw = _read_unpacked(source) if packed is None else packed.raw
    where = str(source) if packed is None else f"{source}, {packed.name}"
    if vgaokao_outputs.LOGITS.match(raw):
        return _submission(
            where, vgaokao_outputs.parse_logits(where, raw, dataset), extras, dataset
        )
    texts = _parse_texts(raw) if value_converter(dataset) is None else None
    if texts is not None:
        repeated = _repeated_rows(raw, texts)
        rows = (*texts.items(), *repeated) if repeated else ()
        return Submission(predictions=Texts(texts), rows=rows, extras=extras)
    numbers, value = _parse_file(source, raw) if packed is None else _parse_packed(packed, where)
    parsed = _rows(where, value, dataset, numbers)
    extras |= gcrc_letters.repeated_options(value, dataset)
    if isinstance(value, dict) and isinstance(parsed, ItemsView):
        parsed = (*parsed, *_repeated_rows(raw, value))
    return _submission(where, parsed, extras, dataset)


def make_submission(
    predictions: Mapping[str, Any] | Iterable[Any],
    dataset: Dataset | None = None,
    *,
    null_odds: NullOdds = None,
) -> Submission:
    """Make a submission from predictions in memory.

    Args:
        predictions: The content of a prediction file of any known form (``{id: text}``, rows with
            an id each, ...), or predictions.
        dataset: See ``load_submission``.
        null_odds: See ``load_submission``.

    Raises:
        InputError: The form is unknown, or a number is not finite; names the question.
        UsageError: The form needs ``dataset`` and none was given.
    """
    if hasattr(predictions, "columns"):  # iterating over a pandas table yields its column names
        raise InputError(
            "a table, not its rows",
            where=_IN_MEMORY,
            expected="its rows, with the columns id and answer",
            cure='table.to_dict("records") of pandas, .to_dicts() of polars, .to_pylist() of '
            "pyarrow",
        )
    if isinstance(predictions, str) or not isinstance(predictions, Iterable):
        raise _unknown_form_error(_IN_MEMORY, predictions)
    # As in a file, every id is text: a table's index may hold numbers.
    value: dict[str, Any] | list[Any] = (
        {str(key): prediction for key, prediction in predictions.items()}
        if isinstance(predictions, Mapping)
        else list(predictions)
    )
    if not value and isinstance(predictions, Iterator):
        raise InputError(
            "the iterator holds no predictions",
            where=_IN_MEMORY,
            cure="make a new iterator, or pass a list: an iterator can be read only once",
        )
    if isinstance(value, list) and all_are(value, Prediction):
        rows: Iterable[Row] = [
            (prediction.question_id, check_numbers(_IN_MEMORY, prediction)) for prediction in value
        ]
    else:
        rows = _rows(_IN_MEMORY, value, dataset)
    extras = _extras(null_odds) | gcrc_letters.repeated_options(value, dataset)
    return _submission(_IN_MEMORY, rows, extras, dataset)


def _read_unpacked(source: Source) -> bytes:
    if not source.is_gzip:
        return source.read()
    with source.open() as stream:
        raw = stream.read(MAX_PREDICTIONS_BYTES + 1)
    if len(raw) > MAX_PREDICTIONS_BYTES:
        raise InputError(
            f"unpacks to more than {MAX_PREDICTIONS_BYTES >> 20} MiB",
            where=str(source),
            expected="predictions that fit into memory",
            cure="if you trust its origin, unpack it first: gunzip FILE",
        )
    return raw


def _parse_file(source: Source, raw: bytes) -> tuple[Sequence[int], Any]:
    """Return the rows' line numbers, if each has its own line, and the parsed content."""
    if _is_lines(raw):
        return _lines(source)
    if table.is_table(source, _ID_FIELDS, ANSWER_FIELDS):
        return table.read_rows(source)
    return (), source.decode(raw, Any)


def _parse_packed(packed: archive.Packed, where: str) -> tuple[Sequence[int], Any]:
    """Return no line numbers, because errors name the member, and the parsed content."""
    of_package = packed.name == gcrc_package.PREDICTIONS
    if of_package or not _is_lines(packed.raw):
        return (), _parse_member(where, packed.raw, of_package=of_package)
    lines = [(n, line) for n, line in enumerate(packed.raw.splitlines(), 1) if line.strip()]
    return (), [_parse_member(f"{where}, line {n}", line, of_package=False) for n, line in lines]


def _parse_member(where: str, raw: bytes, *, of_package: bool) -> Any:
    """Parse the predictions of an archive; errors name the member, not the archive."""
    must_be_text(raw[:4], where)
    try:
        return msgspec.json.decode(raw)
    except PARSER_ERRORS as error:
        cure = f"{FIX_FILE}; {FORMS}"
        if of_package:
            cure = "write one JSON object in UTF-8, in the form of the development set"
        raise explain(error, where, raw=raw, cure=cure) from error


def _extras(null_odds: NullOdds) -> dict[str, Any]:
    if null_odds is None:
        return {}
    if isinstance(null_odds, Mapping):
        odds = {str(name): _parse_odds(name, value) for name, value in null_odds.items()}
        return {"null_odds": odds}
    return {"null_odds": Source(null_odds).document(dict[str, float])}


def _parse_odds(name: object, value: Any) -> float:
    if not is_number(value):
        raise InputError(
            f"the null odds are {describe_kind(value)}",
            where=f"null odds, question {name}",
            expected="a number in the range of a float",
        )
    return float(value)


class Texts(Mapping[str, Prediction]):
    """Answers given as text; each prediction is made on access.

    A large file thus takes no more memory than its strings.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def get(self, key: str, default: Any = None) -> Any:
        """Return the prediction for a question id, ``default`` if there is none."""
        text = self._texts.get(key)
        if text is None:
            return default
        return Prediction(question_id=key, answer=text_answer(text))

    def __getitem__(self, key: str) -> Prediction:
        return Prediction(question_id=key, answer=text_answer(self._texts[key]))

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)


def _parse_texts(raw: bytes) -> dict[str, str] | None:
    """Parse the most common form, ``{id: text}``; None if the file is of another form."""
    try:
        texts = msgspec.json.decode(raw, type=dict[str, str])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return None if _id_field(texts) else texts


def _repeated_rows(raw: bytes, mapping: Mapping[str, Any]) -> list[Row]:
    """Return, for each repetition of an id in one object, its last row, which counts.

    A parser silently keeps the last one, as the official programs' parsers do.
    """
    if sum(1 for _ in _NAME_ENDS.finditer(raw)) == len(mapping):
        return []
    names: list[str] = []

    def keep_names(pairs: list[tuple[str, Any]]) -> None:
        names[:] = [name for name, _ in pairs]

    json.loads(raw, object_pairs_hook=keep_names)  # objects end from the innermost on
    repetitions = Counter(names) - Counter(mapping.keys())
    return [(name, mapping[name]) for name in repetitions.elements()]


def _submission(
    source: str, rows: Iterable[Row], extras: Mapping[str, Any], dataset: Dataset | None
) -> Submission:
    matched_rows = tuple(
        record_outputs.match_ids(musique_outputs.match_ids(rows, dataset), dataset)
    )
    convert_value = value_converter(dataset)
    predictions: dict[str, Prediction] = {}
    for question_id, raw in matched_rows:
        if not isinstance(raw, Prediction):
            value = raw if convert_value is None else convert_value(raw)
            predictions[question_id] = parse_prediction(source, question_id, value)
        else:
            predictions[question_id] = raw
    add_places(predictions, dataset)
    return Submission(predictions=predictions, rows=matched_rows, extras=extras)


def _is_lines(raw: bytes) -> bool:
    first, _, following = raw.lstrip().partition(b"\n")
    if not first.startswith(b"{") or not following.strip():
        return False
    try:
        msgspec.json.decode(first)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return True


def _lines(source: Source) -> tuple[list[int], list[Any]]:
    rows = [(number, source.decode(line, Any, line=number)) for number, line in source.lines()]
    return [number for number, _ in rows], [row for _, row in rows]


def _rows(
    source: str, value: Any, dataset: Dataset | None, lines: Sequence[int] = ()
) -> Iterable[Row]:
    """Parse rows of any form; ``lines`` are their line numbers, if they are lines."""
    if isinstance(value, dict):
        data = value.get("data")
        if isinstance(data, list):
            if data and isinstance(data[0], dict) and "opid" in data[0]:
                return vgaokao_outputs.parse_evidence(source, data, dataset)
            return gcrc_letters.parse_letters(source, data, dataset)
        if hotpotqa_outputs.is_hotpotqa(value):
            return hotpotqa_outputs.parse_predictions(source, value, dataset)
        if nq_outputs.is_nq(value):
            return nq_outputs.parse_predictions(source, value["predictions"], dataset)
        if bioasq_outputs.is_bioasq(value):
            return bioasq_outputs.parse_predictions(source, value["questions"], dataset)
        if isinstance(value.get("results"), list):
            return vgaokao_outputs.parse_results(source, value["results"])
        if conversations.is_conversation(value) or multirc_outputs.is_paragraph(value):
            return _parse_rows([source], [value])
        if any(field in value for field in _ID_FIELDS) and not isinstance(
            value.get(_id_field(value)), dict | list
        ):
            return _parse_rows([source], [value])
        return value.items()
    if isinstance(value, list):
        places = (f"line {number}" for number in lines) if lines else (f"at [{n}]" for n in count())
        return _parse_rows((f"{source}, {place}" for place in places), value)
    raise _unknown_form_error(source, value)


def _unknown_form_error(source: str, value: Any) -> InputError:
    return InputError(
        f"found {describe_kind(value)}",
        where=source,
        expected="predictions: an object of ids and answers, or rows with an id each",
        cure=FORMS,
    )


def _id_field(row: Mapping[str, Any]) -> str:
    return next((field for field in _ID_FIELDS if field in row), "")


def _parse_rows(places: Iterable[str], rows: list[Any]) -> Iterable[Row]:
    for place, row in zip(places, rows, strict=False):
        if isinstance(row, dict) and (several_rows := _parse_several(place, row)) is not None:
            yield from several_rows
            continue
        field = _id_field(row) if isinstance(row, dict) else ""
        if not field:
            raise InputError(
                "a prediction without an id",
                where=place,
                expected="one of the fields " + ", ".join(_ID_FIELDS),
                cure="add to each row the id of its question",
            )
        if field == "question_id" and set(row) <= _CLOSEREAD_FIELDS:
            yield str(row[field]), _parse_own_row(place, row)
        else:
            answer_fields = {key: item for key, item in row.items() if key != field}
            yield str(row[field]), answer_fields


def _parse_several(place: str, row: Mapping[str, Any]) -> Iterable[Row] | None:
    """Parse a row with an id of two fields, or with several answers; None for other rows."""
    if conversations.is_conversation(row):
        return conversations.parse_turns(place, row)
    if conversations.is_turn(row):
        return [conversations.parse_turn(row)]
    if multirc_outputs.is_scored(row):
        return [multirc_outputs.parse_scored(place, row)]
    if multirc_outputs.is_paragraph(row):
        return multirc_outputs.parse_paragraph(place, row)
    if record_outputs.is_numbered(row.get("idx")):
        answer_fields = {key: item for key, item in row.items() if key != "idx"}
        return [(record_outputs.join_id(row["idx"]), answer_fields)]
    return None


def _parse_own_row(place: str, row: Mapping[str, Any]) -> Any:
    """Parse a row of closeread's own ``predictions.jsonl``, or a row with the same fields."""
    if not isinstance(row.get("answer"), dict | None):
        return {key: item for key, item in row.items() if key != "question_id"}
    try:
        return msgspec.convert(row, Prediction)
    except msgspec.ValidationError as error:
        raise explain(error, place, value=row, kind=Prediction) from error
