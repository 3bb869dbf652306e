"""The service's OpenAPI document, made from the records of its requests and replies."""

import re
from inspect import cleandoc
from typing import Any

import msgspec

from closeread.readers.http.answer_wire import AnswerReply, AnswerRequest, ErrorReply, Health
from closeread.serve.settings import Settings
from closeread.types import Question
from closeread.version import __version__
from closeread.wording import seconds_of

_RECORDS = (AnswerRequest, AnswerReply, ErrorReply, Health)
_PLACE = "#/components/schemas/"
_JSON = "application/json"
_ATTRIBUTES = "\n\nAttributes:\n"
_ATTRIBUTE = re.compile(r"^    (\w+): (.*(?:\n {8}.*)*)", re.M)
# Records whose docstring describes the inherited fields of another record.
_EXTENDED = {"AskedQuestion": Question}

REFUSALS = {
    400: "The body is not JSON; the error says where.",
    403: "The request comes from a web page whose origin is not allowed.",
    405: "The path takes another method; `allow` names it.",
    408: "The request did not arrive in time.",
    413: "The body is too large, or holds more questions than the queue can.",
    415: "The body is compressed.",
    422: "A field is missing, unknown or of the wrong type, an id occurs twice, or a text is too "
    "long; the error says which.",
    500: "The reader failed at every question (`POST /`), or the service has a bug.",
    503: "The service is busy or stopping; `retry-after` says when to retry.",
    504: "No answer in time; the service dropped the work.",
}

_ASKED = {
    "items": [
        {
            "passage": {
                "passage_id": "lamp",
                "text": "The lamp was lit at six. Nobody saw who put it out.",
                "language": "en",
            },
            "questions": [
                {"question_id": "when", "text": "When was the lamp lit?", "kind": "span"},
                {
                    "question_id": "which",
                    "text": "Which statement is supported?",
                    "kind": "verification",
                    "asks_for": "supported",
                    "options": [
                        {"label": "A", "text": "The lamp was lit at six."},
                        {"label": "B", "text": "Everybody saw who put the lamp out."},
                    ],
                },
            ],
        }
    ],
    "n_best": 3,
}

_CONTEXT = {
    "context": "The lamp was lit at six. [PAR] Nobody saw who put it out.",
    "qas": [{"qid": "when", "question": "When was the lamp lit?"}],
}


def openapi_document(settings: Settings) -> dict[str, Any]:
    """Return the document (OpenAPI 3.1).

    Args:
        settings: The limits that it states.
    """
    _, components = msgspec.json.schema_components(_RECORDS, ref_template=_PLACE + "{name}")
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "closeread",
            "version": __version__,
            "description": "A reading-comprehension system that answers over HTTP. "
            f"A body has at most {settings.max_body_bytes:,} bytes; a passage at most "
            f"{settings.max_passage_characters:,} characters, a question with its options at "
            f"most {settings.max_question_characters:,}; the queue holds {settings.queue:,} "
            "questions. The service drops a request that takes longer than "
            f"{seconds_of(settings.timeout_seconds)}.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        # relative to this document: a proxy may put all paths behind a prefix
        "servers": [{"url": "."}],
        "paths": {
            "/": {"post": _shared_task(), "get": _page("A page to try the reader.")},
            "/v1/answer": {"post": _answer()},
            "/health": {"get": _health()},
            "/metrics": {"get": _text("Metrics in Prometheus' text format.", "text/plain")},
            "/openapi.json": {"get": _text("This document.", _JSON)},
            "/docs": {"get": _page("This document as a page.")},
        },
        "components": {
            "schemas": {
                name: _add_descriptions(name, schema) for name, schema in components.items()
            }
        },
    }


def _add_descriptions(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Return a record's schema with each field's description from the docstring."""
    summary, _, own_attributes = cleandoc(schema.get("description", "")).partition(_ATTRIBUTES)
    base_record = _EXTENDED.get(name)
    inherited_attributes = (
        cleandoc(base_record.__doc__ or "").partition(_ATTRIBUTES)[2] if base_record else ""
    )
    descriptions = {
        field: " ".join(text.split())
        for field, text in _ATTRIBUTE.findall(f"{inherited_attributes}\n{own_attributes}")
    }
    properties = {
        field: kind | ({"description": descriptions[field]} if field in descriptions else {})
        for field, kind in schema.get("properties", {}).items()
    }
    return schema | {"description": summary} | ({"properties": properties} if properties else {})


def _answer() -> dict[str, Any]:
    return {
        "operationId": "answer",
        "summary": "Answer one or many questions, with n-best, evidence and what it covers.",
        "description": "Question ids must be unique within a request. You may send gold answers, "
        "tags and metadata; no reader sees them. A question that failed has an `error` and no "
        "answer; the others of the request are unaffected.",
        "requestBody": _body(_ref("AnswerRequest"), _ASKED),
        "responses": {
            "200": _reply("The answers, in the order asked.", _ref("AnswerReply")),
            **_refusals(400, 403, 405, 408, 413, 415, 422, 503, 504),
        },
    }


def _shared_task() -> dict[str, Any]:
    return {
        "operationId": "answerContext",
        "summary": "Answer one context of the MRQA shared task: {qid: answer}.",
        "description": "One JSON object in the shared task's format; `context_tokens`, answers and "
        "other fields are ignored. The markers [TLE], [DOC] and [PAR] stay in the text. No answer "
        "is the empty text. A question at which the reader failed is left out and counted in the "
        "header `closeread-failed`. A header line gets {}.",
        "requestBody": _body(
            {
                "type": "object",
                "required": ["context", "qas"],
                "properties": {
                    "context": {"type": "string"},
                    "qas": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["qid", "question"],
                            "properties": {
                                "qid": {"type": "string"},
                                "question": {"type": "string"},
                            },
                        },
                    },
                },
            },
            _CONTEXT,
        ),
        "responses": {
            "200": {
                **_reply(
                    "The answers by qid.",
                    {"type": "object", "additionalProperties": {"type": "string"}},
                ),
                "headers": {
                    "closeread-failed": {
                        "description": "How many questions the reader failed at, if any.",
                        "schema": {"type": "integer"},
                    }
                },
            },
            **_refusals(400, 403, 405, 408, 413, 415, 422, 500, 503, 504),
        },
    }


def _health() -> dict[str, Any]:
    return {
        "summary": "Whether the service answers, and how busy it is.",
        "responses": {
            "200": _reply("The service is ready.", _ref("Health")),
            "503": _reply("The service is stopping.", _ref("Health")),
        },
    }


def _page(summary: str) -> dict[str, Any]:
    return _text(summary, "text/html")


def _text(summary: str, kind: str) -> dict[str, Any]:
    schema = {"type": "object" if kind == _JSON else "string"}
    content = {kind: {"schema": schema}}
    return {"summary": summary, "responses": {"200": {"description": summary, "content": content}}}


def _body(schema: dict[str, Any], example: Any) -> dict[str, Any]:
    return {"required": True, "content": {_JSON: {"schema": schema, "example": example}}}


def _reply(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {_JSON: {"schema": schema}}}


def _refusals(*statuses: int) -> dict[str, Any]:
    return {str(status): _reply(REFUSALS[status], _ref("ErrorReply")) for status in statuses}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": _PLACE + name}
