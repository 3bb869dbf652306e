"""A budget of tokens and money: no request that might exceed it is sent."""

import asyncio
import math
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock

from closeread.errors import BudgetError, UsageError


@dataclass
class Budget:
    """The limits of one command, and what it has spent; safe to use from several threads.

    Before a request is sent, its maximum cost is reserved: one prompt token per byte (tokenizers
    make no more; if a server once counted more, its ratio is used from then on) and the maximum
    completion tokens. If a reply has no token counts, the reserved amount counts as spent.

    Attributes:
        max_tokens: Maximum prompt and completion tokens together; 0 for no limit.
        max_money: Maximum cost in the currency of the prices; 0 for no limit.
        price_in: Price of a million prompt tokens.
        price_out: Price of a million completion tokens.
        tokens_in: Prompt tokens spent so far.
        tokens_out: Completion tokens spent so far.
    """

    max_tokens: int = 0
    max_money: float = 0.0
    price_in: float = 0.0
    price_out: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0
    _tokens_per_byte: float = 1.0
    _last_ticket: int = 0
    _reserved: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    _reserved_in: int = 0
    _reserved_out: int = 0
    _lock: Lock = field(init=False, repr=False, compare=False, default_factory=Lock)
    # Coroutines that wait for a reservation to end, each in the event loop of its own thread.
    _waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = field(
        init=False, repr=False, compare=False, default_factory=list
    )

    def __post_init__(self) -> None:
        if min(self.max_tokens, self.max_money, self.price_in, self.price_out) < 0:
            raise UsageError(
                "a budget or a price is negative",
                expected="budget_tokens, budget_money, price_in and price_out of at least 0",
            )
        if self.max_money and not (self.price_in or self.price_out):
            raise UsageError(
                "budget_money needs prices",
                cure="give the price of a million tokens: -o price_in=... and -o price_out=...",
            )

    @property
    def limited(self) -> bool:
        """Whether tokens or money are limited."""
        return bool(self.max_tokens or self.max_money)

    @property
    def money(self) -> float:
        """The cost so far, in the currency of the prices."""
        return self._compute_cost(self.tokens_in, self.tokens_out)

    async def reserve(self, n_bytes: int, max_completion_tokens: int) -> int:
        """Wait until a request fits into the budget beside the pending ones; return its ticket.

        Args:
            n_bytes: Length of the request's body in bytes.
            max_completion_tokens: Maximum tokens of the reply.

        Raises:
            BudgetError: The request does not fit although no other is pending.
        """
        while True:
            with self._lock:
                max_prompt_tokens = self._max_prompt_tokens(n_bytes)
                if self._fits(max_prompt_tokens, max_completion_tokens):
                    self._last_ticket += 1
                    self._reserved[self._last_ticket] = (
                        n_bytes,
                        max_prompt_tokens,
                        max_completion_tokens,
                    )
                    self._reserved_in += max_prompt_tokens
                    self._reserved_out += max_completion_tokens
                    return self._last_ticket
                if not self._reserved:
                    raise BudgetError(
                        f"the budget is used up: {self.format_spent()}; the next request may cost "
                        f"{max_prompt_tokens + max_completion_tokens:,} tokens more",
                        cure="predictions so far are saved and not paid for again; rerun the same "
                        "command with a larger budget and --resume to continue",
                    )
                settled = asyncio.Event()
                self._waiting.append((asyncio.get_running_loop(), settled))
            await settled.wait()

    def settle(self, ticket: int, tokens_in: int | None, tokens_out: int | None) -> None:
        """Replace a reservation by what was spent; None (unknown) counts the reserved amount."""
        with self._lock:
            n_bytes, max_prompt_tokens, max_completion_tokens = self._reserved.pop(ticket)
            if tokens_in is not None and n_bytes:
                self._tokens_per_byte = max(self._tokens_per_byte, tokens_in / n_bytes)
            self.tokens_in += max_prompt_tokens if tokens_in is None else tokens_in
            self.tokens_out += max_completion_tokens if tokens_out is None else tokens_out
            self._reserved_in -= max_prompt_tokens
            self._reserved_out -= max_completion_tokens
            waiting, self._waiting = self._waiting, []
        for loop, settled in waiting:
            with suppress(RuntimeError):  # that loop is closed already
                loop.call_soon_threadsafe(settled.set)

    def format_spent(self) -> str:
        """Return a description of what was spent."""
        money = f", {self.money:.4f} in money" if self.price_in or self.price_out else ""
        return f"{self.tokens_in:,} prompt and {self.tokens_out:,} completion tokens{money}"

    def _max_prompt_tokens(self, n_bytes: int) -> int:
        return math.ceil(n_bytes * self._tokens_per_byte)

    def _fits(self, max_prompt_tokens: int, max_completion_tokens: int) -> bool:
        tokens_in = self.tokens_in + self._reserved_in + max_prompt_tokens
        tokens_out = self.tokens_out + self._reserved_out + max_completion_tokens
        if self.max_tokens and tokens_in + tokens_out > self.max_tokens:
            return False
        return not self.max_money or self._compute_cost(tokens_in, tokens_out) <= self.max_money

    def _compute_cost(self, tokens_in: int, tokens_out: int) -> float:
        return (tokens_in * self.price_in + tokens_out * self.price_out) / 1e6
