"""A budget of tokens and money: no request is sent that might exceed it."""

import asyncio
import math
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock

from closeread.errors import BudgetError, UsageError


@dataclass
class Budget:
    """What may be spent by one command, and what was, in however many threads it asks.

    Before a request is sent the most that it can cost is reserved: as many prompt tokens as it has
    bytes (no tokenizer makes more of a text; a server that counts more has shown it), and all
    tokens that the reply may have. What a reply does not count is taken to be what was reserved.

    Attributes:
        most_tokens: Prompt and completion tokens together; 0 for no limit.
        most_money: In the currency of the prices; 0 for no limit.
        price_in: Price of a million prompt tokens.
        price_out: Price of a million completion tokens.
    """

    most_tokens: int = 0
    most_money: float = 0.0
    price_in: float = 0.0
    price_out: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0
    _most_a_byte: float = 1.0
    _tickets: int = 0
    _reserved: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    _reserved_in: int = 0
    _reserved_out: int = 0
    _lock: Lock = field(init=False, repr=False, compare=False, default_factory=Lock)
    # Who waits for something to be settled: each in the event loop of its own thread.
    _waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = field(
        init=False, repr=False, compare=False, default_factory=list
    )

    def __post_init__(self) -> None:
        if min(self.most_tokens, self.most_money, self.price_in, self.price_out) < 0:
            raise UsageError(
                "a budget or a price is negative",
                expected="budget_tokens, budget_money, price_in and price_out of at least 0",
            )
        if self.most_money and not (self.price_in or self.price_out):
            raise UsageError(
                "budget_money needs prices",
                cure="give the price of a million tokens: -o price_in=... and -o price_out=...",
            )

    @property
    def limited(self) -> bool:
        """Whether there is any limit."""
        return bool(self.most_tokens or self.most_money)

    @property
    def money(self) -> float:
        """What was spent."""
        return self._price(self.tokens_in, self.tokens_out)

    async def reserve(self, n_bytes: int, most_out: int) -> int:
        """Wait until a request fits beside those on their way; return its ticket.

        Args:
            n_bytes: The length of its text in UTF-8.
            most_out: The tokens that the reply may have at most.

        Raises:
            BudgetError: It does not fit although nothing else is on its way.
        """
        while True:
            with self._lock:
                most_in = self._most_in(n_bytes)
                if self._fits(most_in, most_out):
                    self._tickets += 1
                    self._reserved[self._tickets] = (n_bytes, most_in, most_out)
                    self._reserved_in += most_in
                    self._reserved_out += most_out
                    return self._tickets
                if not self._reserved:
                    raise BudgetError(
                        f"the budget is used up: {self.spent()}; the next request may cost "
                        f"{most_in + most_out:,} tokens more",
                        cure="predictions so far are saved and not paid for again; rerun the same "
                        "command with a larger budget and --resume to continue",
                    )
                settled = asyncio.Event()
                self._waiting.append((asyncio.get_running_loop(), settled))
            await settled.wait()

    def settle(self, ticket: int, tokens_in: int | None, tokens_out: int | None) -> None:
        """Replace a reservation by what was spent; None: nobody knows, hence all of it."""
        with self._lock:
            n_bytes, most_in, most_out = self._reserved.pop(ticket)
            if tokens_in is not None and n_bytes:
                self._most_a_byte = max(self._most_a_byte, tokens_in / n_bytes)
            self.tokens_in += most_in if tokens_in is None else tokens_in
            self.tokens_out += most_out if tokens_out is None else tokens_out
            self._reserved_in -= most_in
            self._reserved_out -= most_out
            waiting, self._waiting = self._waiting, []
        for loop, settled in waiting:
            with suppress(RuntimeError):  # its loop is closed: nobody waits there any more
                loop.call_soon_threadsafe(settled.set)

    def spent(self) -> str:
        """Say what was spent."""
        money = f", {self.money:.4f} in money" if self.price_in or self.price_out else ""
        return f"{self.tokens_in:,} prompt and {self.tokens_out:,} completion tokens{money}"

    def _most_in(self, n_bytes: int) -> int:
        return math.ceil(n_bytes * self._most_a_byte)

    def _fits(self, most_in: int, most_out: int) -> bool:
        tokens_in = self.tokens_in + self._reserved_in + most_in
        tokens_out = self.tokens_out + self._reserved_out + most_out
        if self.most_tokens and tokens_in + tokens_out > self.most_tokens:
            return False
        return not self.most_money or self._price(tokens_in, tokens_out) <= self.most_money

    def _price(self, tokens_in: int, tokens_out: int) -> float:
        return (tokens_in * self.price_in + tokens_out * self.price_out) / 1e6
