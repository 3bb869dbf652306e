"""A scenario over local files and a model that says what they tell it to say, for HELM."""

import os
from pathlib import Path

from helm.benchmark.scenarios.scenario import (
    CORRECT_TAG,
    TEST_SPLIT,
    TRAIN_SPLIT,
    Instance,
    Output,
    PassageQuestionInput,
    Reference,
    Scenario,
)
from helm.clients.client import Client, truncate_sequence
from helm.common.request import GeneratedOutput, RequestResult, Token
from published import as_strings, lines

ROWS, CHOICES = "material.jsonl", "choices.jsonl"
# Passage, question and answer of the examples that prompts show.
EXAMPLES = (
    ("The mill has 12 wheels.", "How many wheels has the mill?", "12"),
    ("Ada Brandt kicked off.", "Who kicked off?", "Ada Brandt"),
)


def folder():
    """Where the files are."""
    return Path(os.environ["CANNED_FOLDER"])


def _asked(row):
    return PassageQuestionInput(passage=row["passage"], question=row["question"])


class DropScenario(Scenario):
    """The questions whose answers are written."""

    name, description, tags = "drop_local", "DROP questions of our own", []

    def get_instances(self, output_path):
        found = [
            Instance(
                input=_asked({"passage": passage, "question": question}),
                references=[Reference(Output(text=answer), tags=[CORRECT_TAG])],
                split=TRAIN_SPLIT,
            )
            for passage, question, answer in EXAMPLES
        ]
        for row in lines(folder() / ROWS):
            right = [Reference(Output(text=one), tags=[CORRECT_TAG]) for one in as_strings(row)]
            found.append(Instance(input=_asked(row), references=right, split=TEST_SPLIT))
        return found


class ChoiceScenario(Scenario):
    """The questions with options."""

    name, description, tags = "choice_local", "questions with options", []

    def get_instances(self, output_path):
        return [
            Instance(
                input=_asked(row),
                references=[
                    Reference(Output(text=text), tags=[CORRECT_TAG] if at == row["gold"] else [])
                    for at, text in enumerate(row["options"])
                ],
                split=TEST_SPLIT,
            )
            for row in lines(folder() / CHOICES)
        ]


class CannedClient(Client):
    """Knows the answer to every prompt by the passage and the question in it."""

    def make_request(self, request):
        prompt = request.prompt.lower()
        if prompt.startswith("answer:"):  # the option without its question, to calibrate by
            return _result(_echoed(request.prompt, request.prompt.removeprefix("Answer: "), -3.0))
        rows = [*lines(folder() / ROWS), *lines(folder() / CHOICES)]
        row = next(
            row
            for row in rows
            if row["passage"].lower() in prompt and row["question"].lower() in prompt
        )
        if request.echo_prompt:
            written = _echoed(request.prompt, *_option(request.prompt, row))
        else:
            said = row["says"] if "says" in row else _letter(row)
            end = {"reason": "length" if row["id"] == "i2" else "stop"}
            whole = GeneratedOutput(said, -1.0, [Token(said, -1.0)], finish_reason=end)
            written = truncate_sequence(whole, request, print_warning=False)
        return _result(written)


def _result(written):
    return RequestResult(
        success=True,
        embedding=[],
        completions=[written],
        cached=False,
        request_time=0.25,
        request_datetime=1764000000,
    )


def _letter(row):
    return {"c1": " A", "c2": "C", "c3": " I cannot say."}[row["id"]]


def _option(prompt, row):
    """Return the option that a prompt ends in, and how likely it is."""
    found = [at for at, text in enumerate(row["options"]) if prompt.endswith(text)]
    place = max(found, key=lambda at: len(row["options"][at]))
    return row["options"][place], row["loglikelihoods"][place]


def _echoed(prompt, option, likelihood):
    """Give the prompt back, a token a character; those of the option are so likely in all."""
    begin = len(prompt) - len(option)
    each = likelihood / len(option)
    tokens = [Token(one, each if at >= begin else -9.0) for at, one in enumerate(prompt)]
    return GeneratedOutput(prompt, sum(token.logprob for token in tokens), tokens)
