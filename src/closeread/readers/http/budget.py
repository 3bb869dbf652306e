"""A budget of tokens and money: nothing is asked that might not be paid for."""

import asyncio
from dataclasses import dataclass, field

from closeread.errors import BudgetError, UsageError


@dataclass
class Budget:
    """What may be spent by one command, and what was.

    Before a request is sent its cost is reserved: the tokens of its text as estimated from what
    earlier replies counted, and all tokens that the reply may have.

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
    _bytes_in: int = 0
    _reserved: dict[int, tuple[int, int]] = field(default_factory=dict)
    _reserved_in: int = 0
    _reserved_out: int = 0
    _settled: asyncio.Event = field(init=False)

    def __post_init__(self) -> None:
        if min(self.most_tokens, self.most_money, self.price_in, self.price_out) < 0:
            raise UsageError("budgets and prices are not negative")
        if self.most_money and not (self.price_in or self.price_out):
            raise UsageError(
                "budget_money says nothing without prices",
                cure="give -o price_in=... and -o price_out=... for a million tokens each",
            )

    def open(self) -> None:
        """Begin anew in the running event loop; what was spent stays spent."""
        self._reserved.clear()
        self._reserved_in = self._reserved_out = 0
        self._settled = asyncio.Event()

    @property
    def money(self) -> float:
        """What was spent."""
        return self._price(self.tokens_in, self.tokens_out)

    async def reserve(self, ticket: int, n_bytes: int, most_out: int) -> None:
        """Wait until a request fits beside those on their way.

        Args:
            ticket: Names the request.
            n_bytes: The length of its text in UTF-8.
            most_out: The tokens that the reply may have at most.

        Raises:
            BudgetError: It does not fit although nothing else is on its way.
        """
        estimate = (self._estimated(n_bytes), most_out)
        while not self._fits(estimate):
            if not self._reserved:
                raise BudgetError(
                    f"the budget is used up: {self.spent()}; the next request may cost "
                    f"{sum(estimate):,} tokens more",
                    cure="go on with the same command, a larger budget and --resume; what was "
                    "answered is kept and is not asked again",
                )
            self._settled.clear()
            await self._settled.wait()
        self._reserved[ticket] = estimate
        self._reserved_in += estimate[0]
        self._reserved_out += estimate[1]

    def settle(self, ticket: int, n_bytes: int, tokens_in: int | None, tokens_out: int) -> None:
        """Replace a reservation by what the reply says it cost."""
        estimate, _ = self._reserved[ticket]
        if tokens_in is not None:
            self._bytes_in += n_bytes
        self.tokens_in += estimate if tokens_in is None else tokens_in
        self.tokens_out += tokens_out
        self.release(ticket)

    def release(self, ticket: int) -> None:
        """Give back what was reserved for a request that came to nothing."""
        tokens_in, tokens_out = self._reserved.pop(ticket)
        self._reserved_in -= tokens_in
        self._reserved_out -= tokens_out
        self._settled.set()

    def spent(self) -> str:
        """Say what was spent."""
        money = f", {self.money:.4f} in money" if self.price_in or self.price_out else ""
        return f"{self.tokens_in:,} prompt and {self.tokens_out:,} completion tokens{money}"

    def _estimated(self, n_bytes: int) -> int:
        share = self.tokens_in / self._bytes_in if self._bytes_in else 0.5
        return int(n_bytes * share) + 1

    def _fits(self, estimate: tuple[int, int]) -> bool:
        tokens_in = self.tokens_in + self._reserved_in + estimate[0]
        tokens_out = self.tokens_out + self._reserved_out + estimate[1]
        if self.most_tokens and tokens_in + tokens_out > self.most_tokens:
            return False
        return not self.most_money or self._price(tokens_in, tokens_out) <= self.most_money

    def _price(self, tokens_in: int, tokens_out: int) -> float:
        return (tokens_in * self.price_in + tokens_out * self.price_out) / 1e6
