"""Scores options by log-probabilities, even if a token spans the end of prompt and the option.

The last characters of the prompt and the first ones of an option may share a token, in other ways
for other options. "The option's tokens" would then be different stretches of text. Here the whole
sequences of all options are compared from the first token at which any two of them differ. The
shared tokens have the same probability for all options and cancel, so the difference of two scores
is the exact log-ratio of the two texts.
"""

import math
from collections.abc import Sequence

from closeread.readers.competition import log_sum
from closeread.readers.generative.wire import Logprobs, TopToken
from closeread.readers.http.failures import MalformedReplyError


def score_echoes(echoes: Sequence[Logprobs], texts: Sequence[str]) -> tuple[float, ...]:
    """Return one log-probability per option, up to a constant that all options share.

    Args:
        echoes: For each option the tokens of prompt and option as the server echoes them; a token
            generated after them is ignored.
        texts: For each option prompt and option as one text, as sent.

    Raises:
        MalformedReplyError: Tokens and log-probabilities do not match, or the text is not echoed.
    """
    return score_from_divergence(
        [_echoed_tokens(echo, text) for echo, text in zip(echoes, texts, strict=True)]
    )


def score_from_divergence(rows: Sequence[Sequence[tuple[str, float | None]]]) -> tuple[float, ...]:
    """Return each sequence's log-probability from the first token at which any two differ.

    Args:
        rows: For each option its tokens, each with its log-probability given all before it.

    Raises:
        MalformedReplyError: One of the summed tokens has no log-probability.
    """
    n_shared = 0
    while all(len(row) > n_shared for row in rows) and len({row[n_shared][0] for row in rows}) == 1:
        n_shared += 1
    scores = []
    for row in rows:
        values = [value for _, value in row[n_shared:]]
        known = [value for value in values if value is not None]
        if len(known) != len(values):
            raise MalformedReplyError(
                "the server returned no log-probability for a token of an option"
            )
        scores.append(math.fsum(known))
    return tuple(scores)


def _echoed_tokens(echo: Logprobs, text: str) -> list[tuple[str, float | None]]:
    """Return the tokens of the text, without the token generated after it.

    If the tokens do not join to the text (tokens may be parts of a character), the last token is
    the generated one.
    """
    if len(echo.tokens) != len(echo.token_logprobs):
        raise MalformedReplyError("the reply has other numbers of tokens and log-probabilities")
    rows = list(zip(echo.tokens, echo.token_logprobs, strict=True))
    start = "".join(echo.tokens).find(text)
    if start < 0 and len(rows) < 3:
        raise MalformedReplyError("the server does not echo the prompt")
    if start < 0:
        return rows[:-1]
    length = n_kept = 0
    while length < start + len(text):
        length += len(rows[n_kept][0])
        n_kept += 1
    return rows[:n_kept]


def score_letters(
    tops: Sequence[TopToken], labels: Sequence[str]
) -> tuple[tuple[float, ...], tuple[str, ...]]:
    """Return each label's log-probability as the first token, and the labels that are not listed.

    All tokens for a label (``A``, `` A``, ``(A``) are summed. A label that is not among the
    likeliest tokens gets an upper bound: the probability of the least likely listed token, or the
    remaining probability if that is smaller.

    Args:
        tops: The likeliest first tokens, at least one.
        labels: The labels of the options.
    """
    remaining = 1 - math.fsum(math.exp(token.logprob) for token in tops)
    floor = min(token.logprob for token in tops)
    if remaining > 0:
        floor = min(floor, math.log(remaining))
    scores, absent = [], []
    for label in labels:
        logprobs = [token.logprob for token in tops if token.token.strip(' \t\n(（*"“▁Ġ') == label]
        scores.append(log_sum(logprobs) if logprobs else floor)
        absent += [] if logprobs else [label]
    return tuple(scores), tuple(absent)
