"""Readers that behave in ways a service must survive; served by name from this folder."""

import asyncio
import os
import threading
import time
from pathlib import Path

from closeread.errors import EndpointError, UsageError
from closeread.types import Answer, Candidate, Evidence, Prediction, Span


def said(question, text, **more):
    return Prediction(
        question_id=question.question_id, answer=Answer(kind="span", texts=(text,)), **more
    )


def wait_for_go():
    while not Path(os.environ["GO"]).exists():
        time.sleep(0.005)


class Echo:
    """Repeats passage and question; a question that says so makes it misbehave."""

    batch_size = 16

    def read(self, items):
        for _, question in items:
            if "raise" in question.text:
                raise RuntimeError("no such luck")
            if "usage" in question.text:
                raise UsageError("a question that this reader refuses")
            if "exit" in question.text:
                raise SystemExit(3)
            if "cancel" in question.text:
                raise asyncio.CancelledError
        for passage, question in items:
            if "silent" not in question.text:
                yield said(question, f"{question.text} | {passage.text[:200]}")


class Leaves:
    """A retriever that ends the process, as a program called within one may."""

    def retrieve(self, question, passage, option, k=None):
        if "leave" in question.text:
            raise SystemExit(3)
        return Evidence(spans=(Span(0, 3),), score=1.0)


class Shows:
    """Says all that it is shown, and how many stand together."""

    batch_size = 64

    def read(self, items):
        for passage, question in items:
            yield said(question, f"{len(items)} {passage!r} {question!r}")


class Together:
    """Says which texts stand in the batch. The first batch waits for the file `go`."""

    batch_size = 8

    def __init__(self):
        self.first = True

    def read(self, items):
        if self.first:
            wait_for_go()
        self.first = False
        texts = " ".join(sorted(question.text for _, question in items))
        ids = {question.question_id for _, question in items}
        places = {passage.passage_id: passage.text for passage, _ in items}
        assert len(ids) == len(items)
        assert all(places[passage.passage_id] == passage.text for passage, _ in items)
        for passage, question in reversed(items):
            yield said(question, f"{question.text}@{passage.text} of {texts}")


class Hangs:
    """Never answers a question that says so."""

    batch_size = 1

    def read(self, items):
        for _, question in items:
            if "hang" in question.text:
                threading.Event().wait()
            yield said(question, "here")


class Gone:
    """Has lost its endpoint."""

    def read(self, items):
        raise EndpointError("the model's server is gone")
        yield


class Unsendable:
    """Gives what JSON cannot hold, ids that nobody asked about, and one id twice."""

    def read(self, items):
        for _, question in items:
            if "nan" in question.text:
                yield said(question, "x", confidence=float("nan"))
            elif "surrogate" in question.text:
                yield said(question, "\ud800")
            elif "stranger" in question.text:
                yield Prediction(question_id="nobody's", answer=Answer(kind="none"))
            elif "twice" in question.text:
                yield said(question, "once")
                yield said(question, "again")
            elif "text" in question.text:
                yield "no prediction"
            else:
                yield said(question, "fine")


class Wordy:
    """Gives candidates and evidence of its own."""

    def read(self, items):
        for _, question in items:
            yield said(
                question,
                "six",
                confidence=0.5,
                candidates=tuple(
                    Candidate(answer=Answer(kind="span", texts=(str(n),)), score=1 / (n + 1))
                    for n in range(20)
                ),
                evidence=(Evidence(spans=(Span(0, 24),), score=0.25),),
            )


class Streams:
    """Gives answers as it goes; one that says `last` waits for the file `go`."""

    batch_size = 4

    def read(self, items):
        for _, question in items:
            if "last" in question.text:
                wait_for_go()
            yield said(question, question.text)
