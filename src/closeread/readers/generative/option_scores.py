"""Scores options by log-probabilities, with tokens across the border of prompt and option.

A tokenizer knows nothing of where the prompt ends: its last characters and the option's first may
share a token, and which characters do may differ from option to option. Counting "the option's
tokens" then counts different stretches of text. Here every option's whole sequence is compared
from the first token at which any two of them part; what they share has one probability and
cancels, so the difference of two scores is the exact log-ratio of the two texts.
"""

import math
from collections.abc import Sequence

from closeread.readers.competition import log_sum
from closeread.readers.generative.wire import Logprobs, TopToken
from closeread.readers.http.failures import MalformedReplyError


def score_echoes(echoes: Sequence[Logprobs], texts: Sequence[str]) -> tuple[float, ...]:
    """Return one log-probability an option, up to a constant that all of them share.

    Args:
        echoes: For each option the tokens of prompt plus option, as the server echoes them; a
            token generated after them is left out.
        texts: Prompt plus option, as sent.

    Raises:
        MalformedReplyError: Tokens and log-probabilities do not match, or the text is not echoed.
    """
    return score_from_divergence(
        [_echoed_tokens(echo, text) for echo, text in zip(echoes, texts, strict=True)]
    )


def score_from_divergence(rows: Sequence[Sequence[tuple[str, float | None]]]) -> tuple[float, ...]:
    """Return each sequence's log-probability from the first token at which any two part.

    Args:
        rows: For each option its tokens, each with its log-probability given all before it.

    Raises:
        MalformedReplyError: A token that decides has no log-probability.
    """
    shared = 0
    while all(len(row) > shared for row in rows) and len({row[shared][0] for row in rows}) == 1:
        shared += 1
    found = []
    for row in rows:
        values = [value for _, value in row[shared:]]
        numbers = [value for value in values if value is not None]
        if len(numbers) != len(values):
            raise MalformedReplyError(
                "the server returned no log-probability for a token of an option"
            )
        found.append(math.fsum(numbers))
    return tuple(found)


def _echoed_tokens(echo: Logprobs, text: str) -> list[tuple[str, float | None]]:
    """Return the tokens that make up the text, without the one that was generated behind it.

    Where the tokens' strings do not join to the text (parts of one character), exactly one token
    was generated, the last one.
    """
    if len(echo.tokens) != len(echo.token_logprobs):
        raise MalformedReplyError("the reply has other numbers of tokens and log-probabilities")
    rows = list(zip(echo.tokens, echo.token_logprobs, strict=True))
    start = "".join(echo.tokens).find(text)
    if start < 0 and len(rows) < 3:
        raise MalformedReplyError("the server does not echo the prompt")
    if start < 0:
        return rows[:-1]
    length = kept = 0
    while length < start + len(text):
        length += len(rows[kept][0])
        kept += 1
    return rows[:kept]


def score_letters(
    tops: Sequence[TopToken], labels: Sequence[str]
) -> tuple[tuple[float, ...], tuple[str, ...]]:
    """Return the log-probability of each label as the first thing written, and those not listed.

    Every way to write a label (``A``, `` A``, ``(A``) counts for it. A label that is not among the
    likeliest tokens gets the most that it can have: no more than the least of them, nor than what
    all of them leave over.
    """
    left = 1 - math.fsum(math.exp(one.logprob) for one in tops)
    floor = min(one.logprob for one in tops)
    if left > 0:
        floor = min(floor, math.log(left))
    found, absent = [], []
    for label in labels:
        ways = [one.logprob for one in tops if one.token.strip(' \t\n(（*"“▁Ġ') == label]
        found.append(log_sum(ways) if ways else floor)
        absent += [] if ways else [label]
    return tuple(found), tuple(absent)
