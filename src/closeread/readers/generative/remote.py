"""A reader whose model is behind an endpoint: concurrent requests, one prediction per question."""

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import msgspec

from closeread.errors import EndpointError, UsageError
from closeread.readers.generative.option_scores import score_echoes, score_letters
from closeread.readers.generative.prompting import Prompter, PromptRequest
from closeread.readers.generative.refusals import explain_refusal, list_models, wrong_model_error
from closeread.readers.generative.wire import (
    ChatReply,
    TextReply,
    Usage,
    decode_reply,
    to_generation,
    top_tokens,
)
from closeread.readers.http.budget import Budget
from closeread.readers.http.cache import Cache
from closeread.readers.http.client import Client
from closeread.readers.http.connection import Lane
from closeread.readers.http.connections import Put, run_in_lanes, stream_results
from closeread.readers.http.endpoint import Endpoint
from closeread.readers.http.failures import (
    FailedQuestionError,
    LostQuestionError,
    MalformedReplyError,
)
from closeread.types import Generation, Passage, PassageQuestion, Prediction, Question

TOKEN_LIMIT_KEYS = ("max_tokens", "max_completion_tokens")  # request keys that limit a reply
_RECORDED_KEYS = ("id", "owned_by", "root", "max_model_len")


class RemoteReader:
    """Sends the requests of many questions concurrently.

    Attributes:
        independent: True: the answer to a question does not depend on its batch, so that a resumed
            run asks only the missing questions.
        batch_size: Large, because all lanes wait for the slowest at the end of a batch; and
            independent of the concurrency, which a resumed run may change.
        passing_options: Options that do not change answers; a resumed run may change them.
    """

    independent = True
    batch_size = 4096
    passing_options = (
        "concurrency", "timeout_seconds", "retries", "cache", "api_key_env",
        "budget_tokens", "budget_money", "price_in", "price_out",
    )  # fmt: skip

    def __init__(
        self,
        path: str,
        prompter: Prompter,
        endpoint: Endpoint,
        *,
        model: str,
        settings: Mapping[str, Any],
        top_logprobs: int,
        concurrency: int,
        cache: str,
        budget: Budget,
    ) -> None:
        self._path = path
        self._prompter = prompter
        self._endpoint = endpoint
        self._model = model
        self._settings = dict(settings)
        self._top_logprobs = top_logprobs
        self._concurrency = concurrency
        self._cache = cache
        self.budget = budget

    @cached_property
    def record(self) -> dict[str, Any]:
        """The record for the run folder: the server's entry of the model, prompts and settings.

        Raises:
            EndpointError: The endpoint cannot be reached, or does not have the model.
            UsageError: No model is given, and the server lists none.
        """
        return {
            "model": self._model_entry,
            "endpoint": self._endpoint.base_url + self._path,
            "request": self._build_body({}),
            **self._prompter.record(),
        }

    @cached_property
    def _model_entry(self) -> dict[str, Any]:
        """The model's entry in the server's list; only its name if the server has no list."""
        self._endpoint.check()
        with ThreadPoolExecutor(1) as executor:
            models = executor.submit(asyncio.run, self._list_models()).result() or []
        names = [model["id"] for model in models]
        if not self._model and len(names) != 1:
            raise (
                wrong_model_error(self._endpoint, "", names)
                if names
                else UsageError(
                    "no model given, and the server lists none", expected="-o model=NAME"
                )
            )
        wanted_name = self._model or names[0]
        known = {*names, *(model.get("root") for model in models)}
        # `transformers serve` lists the hub's cache, but not a local folder that it serves.
        if names and wanted_name not in known and not wanted_name.startswith("/"):
            raise wrong_model_error(self._endpoint, wanted_name, names)
        entry = next((model for model in models if model["id"] == wanted_name), {})
        return {"id": wanted_name} | {
            name: entry[name] for name in _RECORDED_KEYS if entry.get(name)
        }

    async def _list_models(self) -> list[dict[str, Any]] | None:
        async with Lane(self._endpoint) as lane:
            return await list_models(lane, self._endpoint)

    def _build_body(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        return {"model": self._model_entry["id"], **self._settings, **fields}

    def _one_token_limit(self) -> dict[str, int]:
        """Return a limit of one token, under the key that the other requests use."""
        return {
            next(
                (name for name in TOKEN_LIMIT_KEYS if name in self._settings), TOKEN_LIMIT_KEYS[0]
            ): 1
        }

    def read(self, items: Sequence[PassageQuestion]) -> Iterator[Prediction]:
        """Yield one prediction per item, in order of completion.

        Raises:
            EndpointError: Every further request would fail.
            BudgetError: The budget is used up, after all paid predictions were yielded.
            InputError: The data set of examples has too few for these items.
        """
        if not items:
            return
        for (
            passage,
            question,
        ) in items:  # fail before the first paid request if examples are missing
            self._prompter.examples.select(passage, question)
        _ = self._model_entry
        yield from stream_results(partial(self._answer_all, items))

    async def _answer_all(self, items: Sequence[PassageQuestion], put: Put) -> None:
        cache = Cache(Path(self._cache)) if self._cache else None
        client = Client(self._endpoint, self.budget, cache, explain_refusal)

        async def answer(lane: Lane, item: PassageQuestion) -> None:
            put(await self._answer_question(client, lane, *item))

        def report_failure(item: PassageQuestion, message: str) -> None:
            put(Prediction(question_id=item[1].question_id, error=message))

        try:
            await run_in_lanes(client, items, answer, report_failure, self._concurrency)
        finally:
            if cache is not None:
                cache.close()

    async def _answer_question(
        self, client: Client, lane: Lane, passage: Passage, question: Question
    ) -> Prediction:
        started = time.perf_counter()
        try:
            requests = self._prompter.build_requests(passage, question)
            if self._prompter.scores_options(question):
                prediction = await self._score(client, lane, requests[0], question)
            else:
                generations = [await self._generate(client, lane, request) for request in requests]
                prediction = self._prompter.predict_from_generations(passage, question, generations)
        except LostQuestionError:
            raise
        except FailedQuestionError as error:
            prediction = Prediction(question_id=question.question_id, error=str(error))
        return msgspec.structs.replace(prediction, seconds=round(time.perf_counter() - started, 4))

    async def _generate(self, client: Client, lane: Lane, request: PromptRequest) -> Generation:
        body = self._build_body(self._prompt_fields(request))
        reply, sha256 = await self._send(client, lane, body, 1)
        stops = body.get("stop", ())
        return to_generation(
            reply,
            stops=(stops,) if isinstance(stops, str) else tuple(stops),
            request_sha256=sha256,
            option_order=request.option_order,
        )

    async def _score(
        self, client: Client, lane: Lane, request: PromptRequest, question: Question
    ) -> Prediction:
        if self._is_chat:
            return await self._score_letters(client, lane, request, question)
        return await self._score_continuations(client, lane, request, question)

    async def _score_letters(
        self, client: Client, lane: Lane, request: PromptRequest, question: Question
    ) -> Prediction:
        """Return the option whose letter is the likeliest first token of a chat reply."""
        logprob_fields = {"logprobs": True, "top_logprobs": self._top_logprobs}
        body = self._build_body(
            {**self._prompt_fields(request), **self._one_token_limit(), **logprob_fields}
        )
        reply, _ = await self._send(client, lane, body, 1)
        top = top_tokens(reply) if isinstance(reply, ChatReply) else None
        if not top:
            raise self._no_logprobs_error()
        labels = [option.label for option in question.options]
        scores, absent = score_letters(top, labels)
        if len(absent) == len(labels):
            raise FailedQuestionError(
                f"no option's letter is among the {len(top)} likeliest first tokens: "
                "leave out -o scoring=, or use a prompt that asks for the letter first"
            )
        prediction = self._prompter.predict_from_scores(question, scores)
        if not absent:
            return prediction
        note = f"{', '.join(absent)} not among the {len(top)} likeliest tokens: upper bounds"
        return msgspec.structs.replace(prediction, note=note)

    async def _score_continuations(
        self, client: Client, lane: Lane, request: PromptRequest, question: Question
    ) -> Prediction:
        """Return the option with the likeliest continuation, from echoed log-probabilities."""
        texts = [request.plain() + continuation for continuation in request.continuations]
        body = self._build_body(
            {"prompt": texts, **self._one_token_limit(), "echo": True, "logprobs": 1}
        )
        reply, _ = await self._send(client, lane, body, len(texts))
        echoes = (
            [choice.logprobs for choice in reply.choices] if isinstance(reply, TextReply) else []
        )
        present = [echo for echo in echoes if echo is not None]
        if len(present) < len(texts):
            raise self._no_logprobs_error()
        try:
            return self._prompter.predict_from_scores(question, score_echoes(present, texts))
        except MalformedReplyError as error:
            raise FailedQuestionError(str(error)) from error

    async def _send(
        self, client: Client, lane: Lane, body: Mapping[str, Any], n: int
    ) -> tuple[ChatReply | TextReply, str]:
        return await client.ask(
            lane,
            self._path,
            body,
            read=partial(decode_reply, chat=self._is_chat, n=n),
            cost=_cost,
            max_completion_tokens=n
            * max((body[name] for name in TOKEN_LIMIT_KEYS if name in body), default=0),
        )

    def _prompt_fields(self, request: PromptRequest) -> dict[str, Any]:
        if self._is_chat:
            return {"messages": [turn._asdict() for turn in request.turns]}
        return {"prompt": request.plain()}

    @property
    def _is_chat(self) -> bool:
        return self._path == "/chat/completions"

    def _no_logprobs_error(self) -> EndpointError:
        return EndpointError(
            "the endpoint returns no log-probabilities"
            + ("" if self._is_chat else " of the prompt"),
            where=self._endpoint.base_url,
            cure="leave out -o scoring=, so that the model generates its answer",
        )


def _cost(reply: ChatReply | TextReply) -> tuple[int | None, int | None]:
    """Return prompt and completion tokens as the server counts them; None if it does not."""
    usage = reply.usage or Usage()
    return usage.prompt_tokens, usage.completion_tokens
