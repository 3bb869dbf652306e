"""Natural language inference: OCNLI (Hu et al. 2020), SNLI (Bowman et al. 2015), MultiNLI, ANLI.

JSON lines, a list, or a table, with ``sentence1`` (the premise, here the passage), ``sentence2``
(the hypothesis, here the question's text) and ``label`` (OCNLI) or ``gold_label`` (SNLI, MultiNLI,
XNLI). ANLI has ``context`` and ``hypothesis`` with the labels e, n and c; the rows of ``datasets``
have ``premise``, ``hypothesis`` and 0, 1 and 2. XNLI's pairs have one id in all languages, to
which the language is added. The options are entailment, neutral and contradiction. Rows without a
label, or with ``-`` or -1 because the annotators did not agree, are dropped and counted; all fields
of the others are kept.

Other sets with these columns number their labels differently (CLUE has 0 for neutral, CB 1 for
contradiction), and rows do not show it: numbers are accepted only under ``premise``, and not in
GLUE's and SuperGLUE's rows, which have an ``idx``.
"""

from collections.abc import Iterator, Set
from typing import Any, BinaryIO, get_type_hints

import msgspec

from closeread.errors import InputError
from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts import tsv
from closeread.formats.layouts.csv_rows import header_names, iter_csv_rows
from closeread.formats.layouts.extra_fields import apply_diff, rendering_diff
from closeread.formats.layouts.ids import ContentIds, Ids, content_id
from closeread.formats.layouts.json_objects import (
    Positioned,
    describe_place,
    document_path,
    is_list,
    iter_objects,
    line_number,
    write_objects,
)
from closeread.formats.layouts.json_writing import unwritable_error
from closeread.formats.registry import Format, Info
from closeread.text.language import detect, language_code
from closeread.types import Dataset, Defects, Item, Option, Passage, Question

_NAME = "nli"
_LABELS = ("entailment", "neutral", "contradiction")
_OPTIONS = tuple(
    Option(label=letter, text=label) for letter, label in zip("ABC", _LABELS, strict=True)
)
_ANSWERS = {option.text: (option.answer,) for option in _OPTIONS}
_OTHER = "not_entailment"  # where neutral and contradiction are one
_NO_LABEL = (None, "", "-", -1, "-1")
_LabelNames = dict[str | int | None, str]
_LETTERS: _LabelNames = {label[0]: label for label in _LABELS}
_NUMBERS: _LabelNames = dict(enumerate(_LABELS)) | {
    str(n): label for n, label in enumerate(_LABELS)
}
_PAIRS = (("sentence1", "sentence2"), ("premise", "hypothesis"), ("context", "hypothesis"))
_IDS = ("pairID", "id", "uid")
_TAGS = ("genre", "level")
_OCNLI = {"premise": "sentence1", "hypothesis": "sentence2", "label": "label", "id": "id"}


class _Row(msgspec.Struct):
    premise: str
    hypothesis: str
    label: str | int | None = None
    id: str | int | None = None
    genre: Any = None
    level: Any = None
    language: str | None = None


def sniff(head: Head) -> bool:
    """Whether the first line is a pair of sentences with a label."""
    names = _names(head)
    return bool(names & {"label", "gold_label"}) and any(names >= {*pair} for pair in _PAIRS)


def _names(head: Head) -> Set[str]:
    """Return the names of the first row's members, or of a table's columns."""
    return head.row.keys() or {*(tsv.tsv_header(head) or header_names(head))}


def _rows(source: Source) -> Iterator[Positioned]:
    if source.head().raw.lstrip()[:1] in (b"{", b"["):
        return iter_objects(source)
    return tsv.iter_tsv_rows(source) if tsv.tsv_header(source.head()) else iter_csv_rows(source)


def info(source: Source) -> Info:
    """Return the names of the sentences, the label and the pair's id, and the published terms."""
    names = _names(source.head())
    premise, hypothesis = next((pair for pair in _PAIRS if names >= {*pair}), _PAIRS[0])
    fields = {
        "premise": premise,
        "hypothesis": hypothesis,
        "label": "gold_label" if "gold_label" in names else "label",
        "id": next((name for name in _IDS if name in names), "id"),
    }
    if names >= {"language", "pairID"}:  # XNLI's pairs have one id in all languages
        fields["language"] = "language"
    if is_list(source):
        fields["list"] = "yes"
    return Info(license=_license(names), metadata={_NAME: fields})


def _license(names: Set[str]) -> str:
    if {"prem_id", "label0"} <= names:
        return "CC BY-NC 2.0 (non-commercial)"
    if {"promptID", "genre"} <= names:
        return "OANC's terms, parts CC BY 3.0 and CC BY-SA 3.0 (see the paper)"
    if {"uid", "model_label", "emturk"} <= names:
        return "CC BY-NC 4.0 (non-commercial)"
    return "CC BY-SA 4.0" if {"captionID", "pairID"} <= names else ""


def read(source: Source, defects: Defects) -> Iterator[Item]:
    """Yield each labelled pair.

    Counts ``no-label`` (dropped) and ``duplicate-id`` (or ``duplicate-question`` without ids).

    Raises:
        InputError: A label other than the three.
    """
    fields = info(source).metadata[_NAME]
    kind, label_names = _kind(fields), _label_names(_names(source.head()), fields)
    ids, content_ids = Ids(defects), ContentIds(defects)
    for at, raw in _rows(source):
        line = line_number(at)
        row = source.convert(raw, kind, line=line, within=document_path(at))
        if row.label in _NO_LABEL:
            defects.add("no-label", "dropped", question_id=str(row.id or ""), line=line)
            continue
        language = row.language or "" if "language" in fields else ""
        label = label_names.get(row.label)
        if label is None:
            raise _unknown_label_error(row, describe_place(source, at, row.id), fields)
        if row.id is None:
            name = content_ids.make(row.premise, row.hypothesis, line=line)
        else:
            parts = (str(row.id), language)
            name = ids.note("-".join(part for part in parts if part), line=line)
        passage = Passage(
            passage_id=content_id(row.premise),
            text=row.premise,
            language=language_code(language) or detect(row.premise),
        )
        question = Question(
            question_id=name,
            passage_id=passage.passage_id,
            text=row.hypothesis,
            kind="entailment",
            options=_OPTIONS,
            answers=_ANSWERS[label],
            tags={key: value for key in _TAGS if isinstance(value := getattr(row, key), str)},
        )
        metadata = rendering_diff(_NAME, raw, _row(passage, question, fields))
        yield passage, (msgspec.structs.replace(question, metadata=metadata),)


def _kind(fields: dict[str, str]) -> type[_Row]:
    """Return the record type with the file's names of its members."""
    members = [
        (name, hint) if name in ("premise", "hypothesis") else (name, hint, None)
        for name, hint in get_type_hints(_Row).items()
        if name != "language" or name in fields
    ]
    return msgspec.defstruct("Row", members, rename=fields)  # type: ignore[return-value]


def _label_names(names: Set[str], fields: dict[str, str]) -> _LabelNames:
    """Return the meaning of a file's labels."""
    meanings: _LabelNames = {label: label for label in _LABELS}
    if fields["premise"] == "context":
        meanings |= _LETTERS
    elif fields["premise"] == "premise" and "idx" not in names:
        meanings |= _NUMBERS
    return meanings


def _unknown_label_error(row: _Row, where: str, fields: dict[str, str]) -> InputError:
    if row.label == _OTHER:
        columns = f"passage={fields['premise']},question={fields['hypothesis']}"
        return InputError(
            "a set with two labels, such as RTE and QNLI",
            where=where,
            expected=", ".join(_LABELS),
            cure="add the labels as options to JSON lines: jq -c "
            f"""'. + {{options: ["entailment", "{_OTHER}"]}}' FILE > NEW.jsonl, and use """
            f"--format rows,{columns},options=options,answer={fields['label']}",
        )
    if isinstance(row.label, int):
        return InputError(
            f"the label is the number {row.label}, whose meaning differs between sets",
            where=where,
            expected=", ".join(_LABELS),
            cure="save the set as parquet, which stores the label names; or write the names: "
            "dataset.features['label'].int2str(row['label'])",
        )
    return InputError(
        f"unknown label {row.label!r}",
        where=where,
        expected=", ".join(_LABELS),
        cure="replace the labels with the expected ones",
    )


def _row(passage: Passage, question: Question, fields: dict[str, str]) -> dict[str, Any]:
    if question.kind != "entailment" or not question.answers:
        raise unwritable_error("not a premise and a hypothesis with a label", question.question_id)
    name = question.question_id
    return {
        fields["premise"]: passage.text,
        fields["hypothesis"]: question.text,
        fields["label"]: question.answers[0].texts[0],
        fields["id"]: int(name) if name.isdecimal() and str(int(name)) == name else name,
    } | {key: question.tags[key] for key in _TAGS if key in question.tags}


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write one pair a line, under the field names that were read (OCNLI's by default).

    Writes a list if the set was read from one; a table's rows become lines with its column names.

    Raises:
        UsageError: A question is not an entailment question.
    """
    fields = dataset.metadata.get(_NAME, _OCNLI)
    values = (
        apply_diff(_NAME, _row(passage, question, fields), question.metadata)
        for passage, questions in dataset
        for question in questions
    )
    write_objects(stream, values, as_list="list" in fields)


FORMAT = Format(
    name=_NAME, sniff=sniff, read=read, write=write, info=info, metrics=("choice",), in_lines=True
)
