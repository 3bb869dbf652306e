"""Natural language inference: OCNLI (Hu et al. 2020), SNLI (Bowman et al. 2015), MultiNLI.

JSON lines with ``sentence1`` (the premise, here the passage), ``sentence2`` (the hypothesis, here
the question's text) and ``label`` (OCNLI) or ``gold_label`` (SNLI, MultiNLI). The options are
entailment, neutral and contradiction. Rows without a label, or with ``-`` because the annotators
did not agree, are dropped and counted; all fields of the others are kept.
"""

from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

from closeread.errors import InputError
from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts.ids import ContentIds, Ids, content_id
from closeread.formats.layouts.kept import restored, unsaid
from closeread.formats.layouts.writing import unwritable, write_lines
from closeread.formats.registry import Format, Info
from closeread.text.language import detect
from closeread.types import Dataset, Defects, Item, Option, Passage, Question

_NAME = "nli"
_LABELS = ("entailment", "neutral", "contradiction")
_OPTIONS = tuple(
    Option(label=letter, text=label) for letter, label in zip("ABC", _LABELS, strict=True)
)
_ANSWERS = {option.text: (option.answer,) for option in _OPTIONS}
_NO_LABEL = (None, "", "-")
_TAGS = ("genre", "level")


class _Row(msgspec.Struct):
    sentence1: str
    sentence2: str
    label: str | None = None
    gold_label: str | None = None
    id: str | int | None = None
    pairID: str | None = None
    genre: Any = None
    level: Any = None


def sniff(head: Head) -> bool:
    """Whether the first line is a pair of sentences with a label."""
    return head.has("sentence1", "sentence2") and (head.has("label") or head.has("gold_label"))


def info(source: Source) -> Info:
    """Tell which names the label and the pair's id go by, and the published sets' terms."""
    head = source.head()
    fields = {
        "label": "gold_label" if head.has("gold_label") else "label",
        "id": "pairID" if head.has("pairID") else "id",
    }
    return Info(license=_license(head), metadata={_NAME: fields})


def _license(head: Head) -> str:
    if head.has("prem_id", "label0"):
        return "CC BY-NC 2.0 (non-commercial)"
    if head.has("promptID", "genre"):
        return "OANC's terms, parts CC BY 3.0 and CC BY-SA 3.0 (see the paper)"
    return "CC BY-SA 4.0" if head.has("captionID", "annotator_labels") else ""


def read(source: Source, defects: Defects) -> Iterator[Item]:
    """Yield each labelled pair.

    Counts ``no-label`` (dropped) and ``duplicate-id`` (or ``duplicate-question`` without ids).

    Raises:
        InputError: A label other than the three.
    """
    fields = info(source).metadata[_NAME]
    ids, content_ids = Ids(defects), ContentIds(defects)
    for number, line in source.lines():
        raw = source.decode(line, dict, line=number)
        row = source.convert(raw, _Row, line=number)
        given = getattr(row, fields["id"])
        label = getattr(row, fields["label"])
        if label in _NO_LABEL:
            defects.add("no-label", "dropped", question_id=str(given or ""), line=number)
            continue
        if label not in _ANSWERS:
            raise InputError(
                f"the label {label!r}",
                where=source.place("", given, line=number),
                expected=", ".join(_LABELS),
                cure="translate the labels",
            )
        if given is None:
            name = content_ids.make(row.sentence1, row.sentence2, line=number)
        else:
            name = ids.note(str(given), line=number)
        passage = Passage(
            passage_id=content_id(row.sentence1),
            text=row.sentence1,
            language=detect(row.sentence1),
        )
        question = Question(
            question_id=name,
            passage_id=passage.passage_id,
            text=row.sentence2,
            kind="entailment",
            options=_OPTIONS,
            answers=_ANSWERS[label],
            tags={key: value for key in _TAGS if isinstance(value := getattr(row, key), str)},
        )
        metadata = unsaid(_NAME, raw, _row(passage, question, fields))
        yield passage, (msgspec.structs.replace(question, metadata=metadata),)


def _row(passage: Passage, question: Question, fields: dict[str, str]) -> dict[str, Any]:
    if question.kind != "entailment" or not question.answers:
        raise unwritable("not a premise and a hypothesis with a label", question.question_id)
    name = question.question_id
    return {
        "sentence1": passage.text,
        "sentence2": question.text,
        fields["label"]: question.answers[0].texts[0],
        fields["id"]: int(name) if name.isdecimal() and str(int(name)) == name else name,
    } | {key: question.tags[key] for key in _TAGS if key in question.tags}


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write one pair a line, under the field names that were read (OCNLI's by default).

    Raises:
        UsageError: A question is no entailment question.
    """
    fields = dataset.metadata.get(_NAME, {"label": "label", "id": "id"})
    write_lines(
        stream,
        (
            restored(_NAME, _row(passage, question, fields), question.metadata)
            for passage, questions in dataset
            for question in questions
        ),
    )


FORMAT = Format(name=_NAME, sniff=sniff, read=read, write=write, info=info, metrics=("choice",))
