"""The key is in no message and no file, however a server repeats it or a user misplaces it."""

import contextlib
import json

import msgspec
import pytest

from closeread.cli import main
from closeread.errors import EndpointError, UsageError
from closeread.readers import make
from closeread.types import Passage, Question
from endpoint import Endpoint, serving

KEY = "sk-ve/ry+secret&0123456789=="
ITEMS = [
    (
        Passage(passage_id="p", text="It carried 14 sheep."),
        Question(question_id="q", passage_id="p", text="How many?", kind="discrete"),
    )
]


@pytest.fixture(autouse=True)
def key(monkeypatch):
    """The key is set."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def escape_as_json(text):
    """Every character as JSON's number of it."""
    return "".join(f"\\u{ord(one):04X}" for one in text)


PLAIN = json.dumps({"choices": [{"message": {"content": f"Answer: 1 {KEY}"}}]})
ECHOES = {
    "plain": PLAIN,
    "slashes": PLAIN.replace("/", "\\/"),
    "numbers": PLAIN.replace(KEY, escape_as_json(KEY)),
}


@pytest.mark.parametrize("echoed", ECHOES.values(), ids=ECHOES)
def test_a_key_in_a_reply_is_hidden(tmp_path, echoed):
    with serving(Endpoint(fault=lambda number, body: echoed)) as endpoint:
        options = {"base_url": endpoint.url, "cache": str(tmp_path / "cache.sqlite")}
        (found,) = make("chat", options)[0].read(ITEMS)
        (again,) = make("chat", options)[0].read(ITEMS)
        assert len(endpoint.seen) == 1
    assert found.generation.text == again.generation.text == "Answer: 1 ***"


@pytest.mark.parametrize("name", ["chat", "completion"])
def test_a_key_in_pieces_of_a_stream_is_hidden(tmp_path, name):
    """No piece holds the key; put together they do, in the prediction and in the cache."""
    cache = tmp_path / "cache.sqlite"
    with serving(Endpoint(rule=lambda body: f"Answer: 1 {KEY} 2")) as endpoint:
        options = {"base_url": endpoint.url, "cache": str(cache), "stream": True}
        (found,) = make(name, options)[0].read(ITEMS)
    assert found.generation.text == "Answer: 1 *** 2"
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"***" in kept and not any(piece in kept for piece in (b"sk-", b"ry+", b"secret"))


@pytest.mark.parametrize("places", range(270, 302, 3))
def test_a_key_cut_off_in_an_error_is_hidden(places):
    with serving(Endpoint()) as endpoint:
        endpoint.fault = lambda number, body: (400, {}, "x" * places + KEY)
        with pytest.raises(EndpointError) as caught:
            list(make("chat", {"base_url": endpoint.url})[0].read(ITEMS))
    assert "sk-" not in str(caught.value)


@pytest.mark.parametrize("bad", ["sk-se\ncret", "“sk-secret”", "sk-secret\x7f"])
def test_a_key_that_no_header_can_hold_is_rejected(bad, monkeypatch):
    """The HTTP library would repeat it in its own words."""
    monkeypatch.setenv("OPENAI_API_KEY", bad)
    with serving(Endpoint()) as endpoint:
        reader, _ = make("chat", {"base_url": endpoint.url, "model": "tiny", "retries": 0})
        with pytest.raises(UsageError, match="OPENAI_API_KEY") as caught:
            list(reader.read(ITEMS))
    assert "cret" not in str(caught.value)


MISPLACED = [
    {"extra": json.dumps({"api_key": KEY})},
    {"model": f"tiny {KEY}"},
    {"base_url": f"http://127.0.0.1:1/{KEY}/v1"},
    {"base_url": f"htp://me:{KEY}@h/v1"},
    {"base_url": f"http://127.0.0.1:1/v1#{KEY}"},
    {"cache": KEY},
]


@pytest.mark.parametrize("misplaced", MISPLACED, ids=lambda one: next(iter(one.values()))[:18])
def test_a_key_given_for_another_option_is_hidden(misplaced, tmp_path, capsys):
    """The run is refused before there is a file, and what is printed does not hold it."""
    given = {"base_url": "http://127.0.0.1:1/v1", "model": "tiny", **misplaced}
    options = [part for key, value in given.items() for part in ("-o", f"{key}={value}")]
    out = tmp_path / "run"
    with pytest.raises(SystemExit) as ended:
        main(["read", "exam/zh", "--reader", "chat", *options, "--out", str(out)])
    assert ended.value.code == 2
    assert not out.exists()
    printed = capsys.readouterr()
    assert "secret" not in printed.out + printed.err


def test_a_run_with_every_fault_does_not_contain_the_key(tmp_path, capfd):
    """Folder, cache, --json and stderr of the verbs, searched byte by byte."""
    told = json.dumps({"error": {"message": f"bad luck for {KEY}"}})
    faults = {0: (500, {}, told), 2: ECHOES["plain"], 3: ECHOES["slashes"], 5: (400, {}, told),
              6: (503, {"Retry-After": "0"}, KEY), 7: f"<html>{KEY}</html>"}  # fmt: skip
    out = tmp_path / "run"
    with serving(Endpoint(fault=lambda number, body: faults.get(number % 9))) as endpoint:
        options = {"base_url": endpoint.url, "retries": 2, "cache": tmp_path / "cache.sqlite"}
        given = [part for key, value in options.items() for part in ("-o", f"{key}={value}")]
        for verb in (
            ["read", "exam/zh", "--reader", "chat", *given, "--out", str(out), "--json"],
            ["score", str(out), "--json"],
        ):
            with contextlib.suppress(SystemExit):
                main(verb)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"run.json", "predictions.jsonl", "cache.sqlite"} <= {path.name for path in files}
    told = [path.read_bytes() for path in files] + [part.encode() for part in capfd.readouterr()]
    for text in told:
        for way in (KEY, KEY.replace("/", "\\/"), msgspec.json.encode(KEY).decode()[1:-1]):
            assert way.encode() not in text


def test_a_rejected_key_is_reported_by_its_variable(monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)
    told = json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}"}})
    with serving(Endpoint()) as endpoint:
        endpoint.fault = lambda number, body: (401, {}, told)
        options = {"base_url": endpoint.url, "api_key_env": "MY_KEY"}
        with pytest.raises(EndpointError, match="MY_KEY") as caught:
            list(make("chat", options)[0].read(ITEMS))
        assert KEY not in str(caught.value)
        assert endpoint.seen[0].headers["Authorization"] == f"Bearer {KEY}"
        with pytest.raises(EndpointError, match="which is not set"):
            list(make("chat", options | {"api_key_env": "UNSET_KEY"})[0].read(ITEMS))


def test_a_key_given_as_variable_name_is_rejected_without_repeating_it():
    with pytest.raises(UsageError) as caught:
        make("chat", {"base_url": "http://h/v1", "api_key_env": KEY})
    assert KEY not in str(caught.value)
