"""The published sets that come as rows: how to recognise each, and what its columns hold.

So the sets themselves have it (ReClor, LogiQA, QuAIL, CosmosQA, BoolQ), or the rows that
``datasets`` makes of those that are published otherwise (SQuAD, RACE, ROPES, DuoRC, DREAM).
"""

from typing import Any, NamedTuple

from closeread.formats.layouts.columns import Columns, value_at


class KnownRows(NamedTuple):
    """How to recognise and read the rows of a set.

    ``kinds`` gives the types of its characteristic columns or paths.
    """

    name: str
    kinds: dict[str, type | tuple[type, ...]]
    columns: Columns


_ANSWERS = {"answers.text": list, "answers.answer_start": list}
_SQUAD = Columns(
    passage=("context",), question="question", answer="answers", id=("id",), title="title"
)

# From the most to the least specific.
KNOWN = (
    KnownRows(
        "quoref",
        {"id": str, "context": str, "question": str, "url": str, **_ANSWERS},
        Columns(
            passage=("context",), question="question", answer="answers", id=("id",), title="title",
            together=True,
        ),
    ),
    KnownRows("squad", {"id": (str, int), "context": str, "question": str, **_ANSWERS}, _SQUAD),
    KnownRows(
        "ropes",
        {"background": str, "situation": str, "question": str, "answers.text": list},
        Columns(
            passage=("background", "situation"), question="question", answer="answers",
            id=("id",), withheld=True,
        ),
    ),
    KnownRows(
        "ropes",
        {"background": str, "situation": str, "qas": list},
        Columns(
            passage=("background", "situation"), question="qas.question", answer="qas.answers",
            id=("qas.id",), withheld=True, inside="qas",
        ),
    ),
    KnownRows(
        "mrqa",
        {"qid": str, "context": str, "question": str, "answers": list, "subset": str},
        Columns(
            passage=("context",), question="question", answer="answers", id=("qid",),
            tags=("subset",),
        ),
    ),
    KnownRows(
        "mrqa",
        {"key": str, "context": str, "question": str, "answers": list, "labels": list},
        Columns(passage=("context",), question="question", answer="answers", id=("key",)),
    ),
    KnownRows(
        "duorc",
        {"plot_id": str, "plot": str, "question": str, "question_id": str, "answers": list},
        Columns(
            passage=("plot",), question="question", answer="answers", id=("question_id",),
            title="title", passage_id="plot_id",
        ),
    ),
    KnownRows(
        "race",
        {"article": str, "question": str, "options": list, "example_id": str},
        Columns(
            passage=("article",), question="question", answer="answer", options=("options",),
            id=("example_id",), passage_id="example_id", numbered=True,
        ),
    ),
    KnownRows(
        "dream",
        {"dialogue": list, "dialogue_id": str, "question": str, "choice": list},
        Columns(
            passage=("dialogue",), question="question", answer="answer", options=("choice",),
            id=("dialogue_id",), passage_id="dialogue_id", numbered=True,
        ),
    ),
    KnownRows(
        "c3",
        {"id": (str, int), "context": list, "question": str, "choice": list},
        Columns(
            passage=("context",), question="question", answer="answer", options=("choice",),
            id=("id",),
        ),
    ),
    KnownRows(
        "quality",
        {"article": str, "question": str, "options": list, "answer": int, "hard": bool},
        Columns(
            passage=("article",), question="question", answer="answer", options=("options",),
            tags=("hard",),
        ),
    ),
    KnownRows(
        "mctest",
        {"story": str, "question": str, "answer_options": dict, "idx.story": str},
        Columns(
            passage=("story",), question="question", answer="answer", options=("answer_options",),
            id=("idx.story", "idx.question"), passage_id="idx.story",
        ),
    ),
    KnownRows(
        "reclor",
        {"context": str, "question": str, "answers": list, "id_string": str},
        Columns(
            passage=("context",), question="question", answer="label", options=("answers",),
            id=("id_string",),
        ),
    ),
    KnownRows(
        "quail",
        {"context": str, "question": str, "answers": list, "context_id": str, "id": str},
        Columns(
            passage=("context",), question="question", answer="correct_answer_id",
            options=("answers",), id=("id",), passage_id="context_id",
            tags=("question_type", "domain"),
        ),
    ),
    KnownRows(
        "logiqa",
        {"text": str, "question": str, "options": list, "id": (str, int)},
        Columns(
            passage=("text",), question="question", answer="answer", options=("options",),
            id=("id",),
        ),
    ),
    KnownRows(
        "logiqa",
        {"context": str, "query": str, "options": list, "correct_option": int},
        Columns(
            passage=("context",), question="query", answer="correct_option", options=("options",)
        ),
    ),
    KnownRows(
        "cosmosqa",
        {"id": str, "context": str, "question": str, "answer0": str, "answer3": str},
        Columns(
            passage=("context",), question="question", answer="label", id=("id",),
            options=("answer0", "answer1", "answer2", "answer3"),
        ),
    ),
    KnownRows(
        "belebele",
        {"flores_passage": str, "question": str, "mc_answer1": str, "correct_answer_num": str},
        Columns(
            passage=("flores_passage",), question="question", answer="correct_answer_num",
            options=("mc_answer1", "mc_answer2", "mc_answer3", "mc_answer4"), first=1,
            answer_form="digits", id=("link", "question_number"), tags=("dialect",),
        ),
    ),
    KnownRows(
        "quality",
        {"article": str, "set_unique_id": str, "questions": list},
        Columns(
            passage=("article",), question="questions.question", answer="questions.gold_label",
            options=("questions.options",), first=1, id=("questions.question_unique_id",),
            passage_id="set_unique_id", title="title", tags=("questions.difficult",),
            inside="questions",
        ),
    ),
    KnownRows(
        "duorc",
        {"plot": str, "id": str, "qa": list},
        Columns(
            passage=("plot",), question="qa.question", answer="qa.answers", id=("qa.id",),
            passage_id="id", title="title", inside="qa",
        ),
    ),
    KnownRows(
        "c3",
        {"documents": list, "document_id": str, "questions": dict},
        Columns(
            passage=("documents",), question="questions.question", answer="questions.answer",
            options=("questions.choice",), id=("document_id",), passage_id="document_id",
            inside="questions", numbered=True,
        ),
    ),
    KnownRows(
        "korquad2",
        {"context": str, "qas": list, "qas.answer": list, "qas.id": list},
        Columns(
            passage=("context",), question="qas.question", answer="qas.answer", id=("qas.id",),
            title="title", inside="qas",
        ),
    ),
    KnownRows(
        "narrativeqa",
        {"document.summary.text": str, "question.text": str, "answers": list},
        Columns(passage=("document.summary.text",), question="question.text", answer="answers"),
    ),
    KnownRows(
        "triviaqa",
        {"question": str, "question_id": str, "entity_pages.wiki_context": list,
         "answer.value": str, "answer.aliases": list},
        Columns(
            passage=("entity_pages.wiki_context",), question="question", answer="answer.value",
            also=("answer.aliases",), id=("question_id",), unknown="<unk>",
        ),
    ),
    KnownRows(
        "record",
        {"passage": str, "query": str, "entities": list, "answers": list},
        Columns(
            passage=("passage",), question="query", answer="answers",
            id=("idx.passage", "idx.query"), withheld=True,
        ),
    ),
    KnownRows(
        "record",
        {"id": str, "passage.text": str, "qas": list, "qas.query": list, "qas.id": list},
        Columns(
            passage=("passage.text",), question="qas.query", answer="qas.answers", id=("qas.id",),
            passage_id="id", inside="qas",
        ),
    ),
    KnownRows(
        "record",
        {"idx": int, "passage.text": str, "qas": list, "qas.query": list, "qas.idx": list},
        Columns(
            passage=("passage.text",), question="qas.query", answer="qas.answers",
            id=("idx", "qas.idx"), inside="qas",
        ),
    ),
    KnownRows(
        "boolq",
        {"passage": str, "question": str, "answer": bool},
        Columns(
            passage=("passage",), question="question", answer="answer", title="title",
            answer_form="truth",
        ),
    ),
    KnownRows(
        "boolq",
        {"passage": str, "question": str, "label": (bool, int, str), "idx": int},
        Columns(
            passage=("passage",), question="question", answer="label", id=("idx",),
            answer_form="truth",
        ),
    ),
)  # fmt: skip


def find_known_columns(row: Any) -> Columns | None:
    """Return the columns of the set that a row belongs to; None if it is unknown."""
    for known_rows in KNOWN:
        if all(isinstance(value_at(row, path), kind) for path, kind in known_rows.kinds.items()):
            return known_rows.columns
    return None
