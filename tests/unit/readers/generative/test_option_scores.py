"""Options by log-probabilities: a small model that computes them, and a tokenizer with merges."""

import json
import math
from collections import Counter
from itertools import pairwise

import msgspec
import numpy as np
import pytest

from closeread.cli import main
from closeread.errors import EndpointError
from closeread.readers import make
from closeread.readers.competition import softmax
from closeread.readers.generative.option_scores import score_echoes
from closeread.readers.generative.wire import Logprobs
from closeread.readers.http.failures import MalformedReplyError
from closeread.types import Option, Passage, Question
from endpoint import Endpoint, serving


class Tokenizer:
    """Byte-pair merges over characters, learnt from a text; they cross spaces and colons."""

    def __init__(self, text, merges):
        tokens = list(text)
        self.merges = []
        for _ in range(merges):
            pair = Counter(pairwise(tokens)).most_common(1)[0][0]
            self.merges.append(pair)
            tokens = self._merged(tokens, pair)

    def __call__(self, text):
        tokens = list(text)
        for pair in self.merges:
            tokens = self._merged(tokens, pair)
        return tokens

    @staticmethod
    def _merged(tokens, pair):
        found = []
        for token in tokens:
            if found and (found[-1], token) == pair:
                found[-1] += token
            else:
                found.append(token)
        return found


class Model:
    """A recurrent network with random weights: the probability of a token given all before it."""

    def __init__(self, vocabulary, seed):
        drawing = np.random.default_rng(seed)
        self.index = {token: place for place, token in enumerate(vocabulary)}
        size = len(vocabulary)
        self.embed = drawing.normal(size=(size, 16))
        self.turn = drawing.normal(size=(16, 16)) / 4
        self.out = drawing.normal(size=(16, size))

    def logprobs(self, tokens):
        state = np.zeros(16)
        found = [None]
        for token, following in pairwise(tokens):
            state = np.tanh(state @ self.turn + self.embed[self.index[token]])
            logits = state @ self.out
            logits -= logits.max()
            found.append(float(logits[self.index[following]] - np.log(np.exp(logits).sum())))
        return found


LEARNT = "Answer: B Answer: B Answer: Brown Answer: Blue 答案：B答案：B答案：蓝 The dog was blue. "


def make_tokenizer(vocabulary_of):
    tokenizer = Tokenizer(LEARNT, 14)
    vocabulary = sorted({token for text in vocabulary_of for token in [*tokenizer(text), *text]})
    return tokenizer, vocabulary


def echo_logprobs(tokenizer, model, text):
    tokens = tokenizer(text)
    generated = next(iter(model.index))
    return Logprobs([*tokens, generated], [*model.logprobs(tokens), -0.1])


CASES = [
    ("The dog was blue.\nAnswer:", [" Brown", " Blue", " A", " B"]),
    ("The dog was blue.\n答案：", ["A", "B", "C", "蓝"]),
    ("The dog was blue.\nAnswer: ", ["B", "A", "Blue"]),
    ("The dog was blue.\nAnswer:", [" B", " Bl"]),
]


@pytest.mark.parametrize(("context", "options"), CASES)
def test_score_differences_equal_those_of_whole_sequences(context, options):
    """Whatever tokens straddle the border, two scores differ as log P of the two texts does."""
    texts = [context + option for option in options]
    tokenizer, vocabulary = make_tokenizer(texts)
    for seed in range(20):
        model = Model(vocabulary, seed)
        found = score_echoes([echo_logprobs(tokenizer, model, text) for text in texts], texts)
        whole = [math.fsum(model.logprobs(tokenizer(text))[1:]) for text in texts]
        for one, other in zip(found, whole, strict=True):
            assert one - found[0] == pytest.approx(other - whole[0], abs=1e-9)


def test_the_token_border_before_an_option_is_handled():
    """In these cases tokens do straddle it, and counting behind the prompt's picks others."""
    straddled = moved = 0
    for context, options in CASES:
        texts = [context + option for option in options]
        tokenizer, vocabulary = make_tokenizer([*texts, context])
        border = tokenizer(context)
        straddled += any(tokenizer(text)[: len(border)] != border for text in texts)
        for seed in range(20):
            model = Model(vocabulary, seed)
            echoes = [echo_logprobs(tokenizer, model, text) for text in texts]
            right = score_echoes(echoes, texts)
            naive = [sum(one.token_logprobs[len(border) : -1]) for one in echoes]
            moved += np.argmax(right) != np.argmax(naive)
    assert straddled >= 3
    assert moved > 0


def test_characters_in_several_tokens_and_a_mark_at_the_beginning():
    tokens = ["<s>", "答", "bytes:\\xe6", "bytes:\\xa1\\x88", "A", "!"]
    one = Logprobs(tokens, [None, -1.0, -1.0, -1.0, -0.5, -9.0])
    other = Logprobs([*tokens[:4], "B", "!"], [None, -1.0, -1.0, -1.0, -0.7, -0.1])
    assert score_echoes([one, other], ["答案A", "答案B"]) == (-0.5, -0.7)
    marked = [Logprobs(["<s>", "x", label, "z"], [None, -1, -2, -3]) for label in "AB"]
    assert score_echoes(marked, ["xA", "xB"]) == (-2, -2)


@pytest.mark.parametrize(
    "echo",
    [
        Logprobs(["B"], [-1.0]),
        Logprobs(["x", "A", "z"], [None, -1.0]),
        Logprobs(["x", "A", "z"], [None, None, None]),
    ],
)
def test_replies_without_log_probabilities_are_rejected(echo):
    good = Logprobs(["x", "B", "z"], [None, -1.0, -1.0])
    with pytest.raises(MalformedReplyError):
        score_echoes([echo, good], ["xA", "xB"])


def test_shares_sum_to_one_even_for_unlikely_options():
    assert math.fsum(softmax((-5000.0, -5001.0))) == pytest.approx(1.0)


PASSAGE = Passage(passage_id="p", text="The dog was blue.")
QUESTION = Question(
    question_id="q", passage_id="p", text="What was the dog?", kind="choice",
    options=tuple(
        Option(label=label, text=text)
        for label, text in zip("ABC", ("brown", "blue", "a bird"), strict=True)
    ),
)  # fmt: skip


@pytest.mark.parametrize("scoring", ["letters", "texts"])
def test_option_scores_of_a_server_with_logprobs(scoring):
    """Through HTTP, choices in another order: the picked option has the likeliest whole text."""
    sent = []

    def logprobs(body):
        texts = body["prompt"]
        sent.append(texts)
        tokenizer, vocabulary = make_tokenizer(texts)
        found = [echo_logprobs(tokenizer, Model(vocabulary, 3), text) for text in texts]
        return [{"tokens": one.tokens, "token_logprobs": one.token_logprobs} for one in found]

    with serving(Endpoint(logprobs=logprobs)) as endpoint:
        reader, _ = make("completion", {"base_url": endpoint.url, "scoring": scoring})
        (found,) = reader.read([(PASSAGE, QUESTION)])
    (texts,) = sent
    expected = {"letters": "A", "texts": "brown"}[scoring]
    assert texts[0].endswith(f"Answer: {expected}")
    tokenizer, vocabulary = make_tokenizer(texts)
    model = Model(vocabulary, 3)
    whole = [math.fsum(model.logprobs(tokenizer(text))[1:]) for text in texts]
    assert found.answer.label == "ABC"[int(np.argmax(whole))]
    assert found.option_scores[1] - found.option_scores[0] == pytest.approx(whole[1] - whole[0])
    assert found.generation is None


def test_a_server_without_logprobs_is_reported():
    with serving(Endpoint()) as endpoint:
        reader, _ = make("completion", {"base_url": endpoint.url, "scoring": "texts"})
        with pytest.raises(EndpointError, match="no log-probabilities of the prompt"):
            list(reader.read([(PASSAGE, QUESTION)]))


@pytest.mark.parametrize(
    ("options", "sure", "label"), [(("1", "10"), 0.9, "B"), (("10", "1"), 0.1, "B")]
)
def test_a_prefix_of_an_option_has_no_advantage(options, sure, label):
    """A model that goes on from 1 to 10 where it is ``sure``, and ends the line where it is not."""
    chances = {("1", "0"): sure, ("1", "\n"): 1 - sure}

    def logprobs(body):
        return [
            {
                "tokens": [*text, "!"],
                "token_logprobs": [None, *(
                    math.log(chances.get(pair, 0.5)) for pair in pairwise([*text, "!"])
                )],
            }
            for text in body["prompt"]
        ]  # fmt: skip

    question = msgspec.structs.replace(
        QUESTION,
        options=tuple(
            Option(label=name, text=text) for name, text in zip("AB", options, strict=True)
        ),
    )
    with serving(Endpoint(logprobs=logprobs)) as endpoint:
        reader, _ = make("completion", {"base_url": endpoint.url, "scoring": "texts"})
        (found,) = reader.read([(PASSAGE, question)])
    assert found.answer.label == label


@pytest.mark.parametrize(("name", "scoring"), [("chat", "letters"), ("completion", "texts")])
def test_an_endpoint_without_logprobs_leaves_no_run(name, scoring, tmp_path, capsys):
    """One message, and the same folder takes the run that asks otherwise."""
    out = tmp_path / "run"
    with serving(Endpoint(rule=lambda body: "B")) as endpoint:
        words = ["read", "exam/zh", "--reader", name, "-o", f"base_url={endpoint.url}",
                 "--limit", "3", "--out", str(out)]  # fmt: skip
        with pytest.raises(SystemExit) as ended:
            main([*words, "-o", f"scoring={scoring}"])
        assert ended.value.code == 2
        assert "no log-probabilities" in capsys.readouterr().err
        assert not out.exists()
        with pytest.raises(SystemExit) as ended:
            main([*words, "--json"])
        assert ended.value.code == 0
    assert json.loads(capsys.readouterr().out)["n_predictions"] == 3


def test_letters_are_scored_by_top_logprobs():
    tops = [{"token": " B", "logprob": -0.5}, {"token": "B", "logprob": -1.5},
            {"token": "A", "logprob": -0.9}, {"token": "The", "logprob": -3.0}]  # fmt: skip
    place = {"token": " B", "logprob": -0.5, "top_logprobs": tops}
    with serving(Endpoint(rule=lambda body: "B")) as endpoint:
        reader, _ = make("chat", {"base_url": endpoint.url, "scoring": "letters"})
        with pytest.raises(EndpointError, match="no log-probabilities"):
            list(reader.read([(PASSAGE, QUESTION)]))
        endpoint.logprobs = lambda body: [{"content": [place]}]
        (found,) = reader.read([(PASSAGE, QUESTION)])
    assert found.answer.label == "B"
    both = math.log(math.exp(-0.5) + math.exp(-1.5))
    assert found.option_scores == pytest.approx((-0.9, both, -3.0))
    assert 0 < found.confidence < 1
