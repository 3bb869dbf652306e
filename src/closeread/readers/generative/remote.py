"""A reader whose model is behind an endpoint: many requests at once, one answer per question."""

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
from closeread.readers.generative.prompting import Ask, Asking
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

LIMITS = ("max_tokens", "max_completion_tokens")  # of a reply: what servers call it
_RECORDED_KEYS = ("id", "owned_by", "root", "max_model_len")


class RemoteReader:
    """Asks one request a question (or one for each shuffle), many at once.

    Attributes:
        independent: What is said of a question does not depend on its batch, so that a resumed
            run asks only for what is missing.
        batch_size: Large, because at its end lanes wait for the slowest; and the same whatever the
            concurrency, which a resumed run may change.
        passing_options: Options that leave answers as they are; a resumed run may have others.
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
        asking: Asking,
        endpoint: Endpoint,
        *,
        model: str,
        sent: Mapping[str, Any],
        top_logprobs: int,
        concurrency: int,
        cache: str,
        budget: Budget,
    ) -> None:
        self._path = path
        self._asking = asking
        self._endpoint = endpoint
        self._model = model
        self._sent = dict(sent)
        self._top_logprobs = top_logprobs
        self._concurrency = concurrency
        self._cache = cache
        self.budget = budget

    @cached_property
    def record(self) -> dict[str, Any]:
        """What an open track asks for: the model as the server tells of it, prompts, settings.

        Raises:
            EndpointError: The endpoint cannot be reached, or does not have the model.
            UsageError: None is named.
        """
        return {
            "model": self._served,
            "endpoint": self._endpoint.base_url + self._path,
            "request": self._body({}),
            **self._asking.record(),
        }

    @cached_property
    def _served(self) -> dict[str, Any]:
        """The model's entry in the server's list; only its name where there is no list."""
        self._endpoint.check()
        with ThreadPoolExecutor(1) as alone:
            listed = alone.submit(asyncio.run, self._list()).result() or []
        names = [one["id"] for one in listed]
        if not self._model and len(names) != 1:
            raise (
                wrong_model_error(self._endpoint, "", names)
                if names
                else UsageError(
                    "no model given, and the server lists none", expected="-o model=NAME"
                )
            )
        wanted = self._model or names[0]
        known = {*names, *(one.get("root") for one in listed)}
        # `transformers serve` lists what the hub's cache holds, and not the folder that it serves.
        if names and wanted not in known and not wanted.startswith("/"):
            raise wrong_model_error(self._endpoint, wanted, names)
        entry = next((one for one in listed if one["id"] == wanted), {})
        return {"id": wanted} | {name: entry[name] for name in _RECORDED_KEYS if entry.get(name)}

    async def _list(self) -> list[dict[str, Any]] | None:
        async with Lane(self._endpoint) as lane:
            return await list_models(lane, self._endpoint)

    def _body(self, particular: Mapping[str, Any]) -> dict[str, Any]:
        return {"model": self._served["id"], **self._sent, **particular}

    def _one_token(self) -> dict[str, int]:
        """Return the limit of a reply whose text is not wanted, under the name that is sent."""
        return {next((name for name in LIMITS if name in self._sent), LIMITS[0]): 1}

    def read(self, items: Sequence[PassageQuestion]) -> Iterator[Prediction]:
        """Yield one prediction an item, as they come.

        Raises:
            EndpointError: Every further request would fail.
            BudgetError: The budget is used up; everything that was paid for was yielded before.
            InputError: The set of examples does not hold enough for these items.
        """
        if not items:
            return
        for passage, question in items:  # a lack of examples is said before anything is paid for
            self._asking.examples.select(passage, question)
        _ = self._served
        yield from stream_results(partial(self._all, items))

    async def _all(self, items: Sequence[PassageQuestion], put: Put) -> None:
        cache = Cache(Path(self._cache)) if self._cache else None
        client = Client(self._endpoint, self.budget, cache, explain_refusal)

        async def one(lane: Lane, item: PassageQuestion) -> None:
            put(await self._one(client, lane, *item))

        def failed(item: PassageQuestion, told: str) -> None:
            put(Prediction(question_id=item[1].question_id, error=told))

        try:
            await run_in_lanes(client, items, one, failed, self._concurrency)
        finally:
            if cache is not None:
                cache.close()

    async def _one(
        self, client: Client, lane: Lane, passage: Passage, question: Question
    ) -> Prediction:
        started = time.perf_counter()
        try:
            asks = self._asking.asks(passage, question)
            if self._asking.scores_options(question):
                found = await self._score(client, lane, asks[0], question)
            else:
                written = [await self._generate(client, lane, ask) for ask in asks]
                found = self._asking.read(passage, question, written)
        except LostQuestionError:
            raise
        except FailedQuestionError as error:
            found = Prediction(question_id=question.question_id, error=str(error))
        return msgspec.structs.replace(found, seconds=round(time.perf_counter() - started, 4))

    async def _generate(self, client: Client, lane: Lane, ask: Ask) -> Generation:
        body = self._body(self._shown(ask))
        reply, sha256 = await self._ask(client, lane, body, 1)
        stops = body.get("stop", ())
        return to_generation(
            reply,
            stops=(stops,) if isinstance(stops, str) else tuple(stops),
            request_sha256=sha256,
            option_order=ask.option_order,
        )

    async def _score(self, client: Client, lane: Lane, ask: Ask, question: Question) -> Prediction:
        if self._is_chat:
            asked = {"logprobs": True, "top_logprobs": self._top_logprobs}
            body = self._body({**self._shown(ask), **self._one_token(), **asked})
            reply, _ = await self._ask(client, lane, body, 1)
            tops = top_tokens(reply) if isinstance(reply, ChatReply) else None
            if not tops:
                raise self._no_logprobs()
            labels = [option.label for option in question.options]
            scores, absent = score_letters(tops, labels)
            if len(absent) == len(labels):
                raise FailedQuestionError(
                    f"no option's letter is among the {len(tops)} likeliest first tokens: "
                    "leave out -o scoring=, or use a prompt that asks for the letter first"
                )
            found = self._asking.weigh(question, scores)
            if not absent:
                return found
            note = f"{', '.join(absent)} not among the {len(tops)} likeliest tokens: upper bounds"
            return msgspec.structs.replace(found, note=note)
        texts = [ask.plain() + continuation for continuation in ask.continuations]
        body = self._body({"prompt": texts, **self._one_token(), "echo": True, "logprobs": 1})
        reply, _ = await self._ask(client, lane, body, len(texts))
        echoes = [one.logprobs for one in reply.choices] if isinstance(reply, TextReply) else []
        present = [one for one in echoes if one is not None]
        if len(present) < len(texts):
            raise self._no_logprobs()
        try:
            return self._asking.weigh(question, score_echoes(present, texts))
        except MalformedReplyError as error:
            raise FailedQuestionError(str(error)) from error

    async def _ask(
        self, client: Client, lane: Lane, body: Mapping[str, Any], n: int
    ) -> tuple[ChatReply | TextReply, str]:
        return await client.ask(
            lane,
            self._path,
            body,
            read=partial(decode_reply, chat=self._is_chat, n=n),
            cost=_cost,
            most_out=n * max((body[name] for name in LIMITS if name in body), default=0),
        )

    def _shown(self, ask: Ask) -> dict[str, Any]:
        if self._is_chat:
            return {"messages": [turn._asdict() for turn in ask.turns]}
        return {"prompt": ask.plain()}

    @property
    def _is_chat(self) -> bool:
        return self._path == "/chat/completions"

    def _no_logprobs(self) -> EndpointError:
        return EndpointError(
            "the endpoint returns no log-probabilities"
            + ("" if self._is_chat else " of the prompt"),
            where=self._endpoint.base_url,
            cure="leave out -o scoring=, so that the model generates its answer",
        )


def _cost(reply: ChatReply | TextReply) -> tuple[int | None, int | None]:
    """Return the tokens of a reply as the server counts them; it may count none."""
    usage = reply.usage or Usage()
    return usage.prompt_tokens, usage.completion_tokens
