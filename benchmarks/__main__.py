"""``python -m benchmarks [NAME]...``: measure what is named, or all, and print."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.inputs import generate
from benchmarks.measure import (
    DATA,
    PEERS,
    PYTHON,
    Result,
    in_turn,
    limit,
    once,
    ratio,
    seconds,
    show,
    side_by_side,
    where_torch_is,
)

CLOSEREAD = [PYTHON, "-m", "closeread"]
LM_EVAL_VERSION = "0.4.13"


def startup() -> Iterator[Result]:
    """How long a user waits before anything happens."""
    lm_eval = _lm_eval()
    bare, imported, helped, peer = side_by_side(
        [
            [PYTHON, "-c", "pass"],
            [PYTHON, "-c", "import closeread"],
            [*CLOSEREAD, "--help"],
            [lm_eval, "--help"],
        ]
    )
    floor = bare.wall_seconds
    yield ratio("import closeread / python -c pass", imported.wall_seconds, floor, most=6)
    yield ratio("closeread --help / python -c pass", helped.wall_seconds, floor, most=12)
    yield ratio(
        f"closeread --help against lm_eval {LM_EVAL_VERSION}",
        helped.wall_seconds,
        peer.wall_seconds,
        least=2,
    )


def _lm_eval(extra: str = "") -> str:
    """Install the peer in an environment of its own, once; an extra of it when it is asked for."""
    folder = DATA / "lm-eval"
    done = folder / f"installed{extra}"
    if not done.exists():
        if not folder.exists():
            subprocess.run([PYTHON, "-m", "venv", folder], check=True)
        package = f"lm_eval{extra}=={LM_EVAL_VERSION}"
        subprocess.run([folder / "bin" / "pip", "install", "--quiet", package], check=True)
        done.touch()
    return str(folder / "bin" / "lm_eval")


def mrqa() -> Iterator[Result]:
    """Scoring 20,000 questions as a whole process."""
    data, predictions = map(str, generate.write(DATA, "mrqa-20k", 20_000))
    score = [*CLOSEREAD, "score", "--dataset", data, "--predictions", predictions, "--json"]
    floor, official, plain, sure = side_by_side(
        [
            [PYTHON, str(PEERS / "floor_mrqa.py"), data, predictions],
            [PYTHON, str(PEERS / "official_mrqa.py"), data, predictions],
            [*score, "--no-intervals"],
            score,
        ]
    )
    fast, slow = plain.wall_seconds, sure.wall_seconds
    yield ratio(
        "MRQA 20k, no intervals / inflate-and-parse floor", fast, floor.wall_seconds, most=2.5
    )
    yield ratio(
        "MRQA 20k, no intervals, against the official way", fast, official.wall_seconds, least=2.5
    )
    yield ratio("MRQA 20k, with intervals / floor", slow, floor.wall_seconds, most=4)


def drop() -> Iterator[Result]:
    """DROP pairs a second on one core, bit-equal to the official functions' description."""
    from benchmarks.inputs.drop_pairs import forget, sets
    from benchmarks.peers import official_drop
    from closeread.metrics.drop import score_pair

    for name, rows in sets().items():
        ours = [score_pair(prediction, gold) for prediction, gold in rows]
        official = [official_drop.score_pair(prediction, gold) for prediction, gold in rows]
        if ours != official:
            raise SystemExit(f"DROP scores of {name} differ from the official way")

        def cold(rows: list = rows) -> None:
            forget()
            for prediction, gold in rows:
                score_pair(prediction, gold)

        def peer(rows: list = rows) -> None:
            for prediction, gold in rows:
                official_drop.score_pair(prediction, gold)

        ours_seconds, peer_seconds = in_turn([cold, peer])
        yield ratio(
            f"DROP, {len(rows):,} pairs ({name}), nothing remembered",
            ours_seconds,
            peer_seconds,
            least=8,
        )


MENDS = ("drop~whitespace", "drop~number", "drop~firstline", "drop~fixed")


def rescore() -> Iterator[Result]:
    """A million saved generations, scored again; the peer is the official functions' way."""
    from benchmarks.inputs.rescore import in_memory, write
    from benchmarks.peers import official_drop
    from closeread.registry import lookup

    count = 1_000_000
    _, run, rows = write(DATA, count)
    pairs = in_memory(run, 100_000)
    texts = [
        (prediction.answer.texts[0], list(question.answers[0].texts))
        for question, prediction in pairs
        if prediction.answer is not None
    ]

    def scored(names: tuple[str, ...]) -> Callable[[], None]:
        metrics = [lookup.resolve("metric", name)() for name in names]

        def run_all() -> None:
            for question, prediction in pairs:
                for metric in metrics:
                    metric.score(question, prediction)

        return run_all

    def peer() -> None:
        for said, gold in texts:
            official_drop.score_pair(said, gold)

    alone, all_five, official = in_turn([scored(("drop",)), scored(("drop", *MENDS)), peer], runs=3)
    yield ratio("DROP, saved generations, official scorer", alone, official, least=8)
    yield ratio("DROP, the same, official and all mends in one pass", all_five, official, least=3)
    score = [*CLOSEREAD, "score", str(run), "--no-intervals", "--metric", "drop"]
    every = score + [part for name in MENDS for part in ("--metric", name)]
    script = [PYTHON, str(PEERS / "official_drop_file.py"), str(rows)]
    (wall, _, peak), (peer_wall, _, _) = once(score), once(script)
    yield ratio("closeread score, 1,000,000 generations, whole process", wall, peer_wall, least=2)
    yield limit("  its peak memory", peak, 400, "MB")
    one, _, peak = once(every)
    yield ratio("  official and all mends, whole process", one, peer_wall, least=1)
    yield limit("  its peak memory", peak, 700, "MB")
    two = once([*every, "--workers", "2"])[0]
    yield ratio("  with --workers 2, against one", two, one, least=1.3)


def audit() -> Iterator[Result]:
    """All checks of a run of 9,536 questions whose texts run on, the worst case."""
    from benchmarks.inputs.rescore import write

    _, run, _ = write(DATA, 9_536)
    taken = once([*CLOSEREAD, "audit", str(run), "--json"])[0]
    yield limit("closeread audit, 9,536 questions, all checks", taken, 10, "s")


def bootstrap() -> Iterator[Result]:
    """10,000 resamples over 60,000 questions."""
    import numpy as np

    from closeread.metrics.intervals import Resampling, interval
    from closeread.protocols import Pool

    random = np.random.default_rng(1)
    ids = [str(index) for index in range(60_000)]
    exact = (random.random(60_000) < 0.6).astype(float).tolist()
    shared, predicted, gold = (random.integers(1, high, 60_000) for high in (6, 9, 7))
    shared = np.minimum(shared, np.minimum(predicted, gold))
    f1 = (2 * shared / (predicted + gold)).tolist()
    for name, values, most in (("0/1", exact, 1.0), ("F1", f1, 5.0)):
        pool = Pool(
            metric="bench", unit_ids=ids, numerators=values, denominators=[1.0] * 60_000,
            n_questions=60_000, n_scored=60_000, n_answered=60_000,
        )  # fmt: skip
        taken = seconds(lambda pool=pool: interval(pool, Resampling(resamples=10_000)), runs=3)
        yield limit(f"bootstrap of a {name} metric, 60,000 x 10,000", taken, most, "s")


def memory() -> Iterator[Result]:
    """Peak memory on a 2 GB data set: scoring, and reading with a streaming reader."""
    small, _ = generate.write(DATA, "mrqa-20k", 20_000)
    data, predictions = map(str, generate.write_large(DATA, "mrqa-2gb", small, 2048))
    score = [*CLOSEREAD, "score", "--dataset", data, "--predictions", predictions, "--no-intervals"]
    yield limit("peak memory, score, 2 GB", once(score)[2], 300, "MB")
    run = str(DATA / "run-2gb")
    read = [*CLOSEREAD, "read", data, "--reader", "first-sentence", "--out", run, "--overwrite"]
    yield limit("peak memory, read, 2 GB", once(read)[2], 300, "MB")


def evidence() -> Iterator[Result]:
    """Evidence extraction against the authors' procedure, both on one core; long passages."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"
    from benchmarks import evidence

    yield from evidence.evidence()
    yield from evidence.growth()


def client() -> Iterator[Result]:
    """256 requests on their way, against the stub's own ceiling and against the peer."""
    from benchmarks import client

    python = Path(_lm_eval("[api]")).parent / "python"
    yield from client.client(python)


def serving() -> Iterator[Result]:
    """The service under 200 clients, against a bare application, and its memory."""
    from benchmarks import serving

    yield from serving.serve()


def training() -> Iterator[Result]:
    """Training speed, in the environment of ``make neural``."""
    from benchmarks import training

    yield from training.training()


def encoder() -> Iterator[Result]:
    """The span reader, by a model and the folder of data sets that the environment names."""
    model, corpus = (os.environ.get(name) for name in ("SPAN_MODEL", "CLOSEREAD_CORPUS"))
    if not model or not corpus:
        print("encoder: left out, SPAN_MODEL and CLOSEREAD_CORPUS do not name its model and data")
        return
    for name, questions, words in (
        ("xquad/xquad.en.json", 200, 0),
        ("mrqa/NewsQA_sample.jsonl", 17, 0),
        ("squadshifts/new_wiki_v1.0.json.gz", 24, 600),
    ):
        data = f"{corpus}/data/{name}"
        yield from where_torch_is("benchmarks.neural.encoder", model, data, questions, words)


def options() -> Iterator[Result]:
    """The readers of options, each against its floor, over the exam that ships."""
    yield from where_torch_is("benchmarks.neural.options")


def local() -> Iterator[Result]:
    """A causal language model in this process: sequences together against one at a time."""
    yield from where_torch_is("benchmarks.neural.local")


BENCHES: dict[str, Callable[[], Iterator[Result]]] = {
    "startup": startup,
    "mrqa": mrqa,
    "drop": drop,
    "rescore": rescore,
    "audit": audit,
    "bootstrap": bootstrap,
    "memory": memory,
    "evidence": evidence,
    "client": client,
    "encoder": encoder,
    "options": options,
    "local": local,
    "training": training,
    "serving": serving,
}


def main(names: list[str]) -> None:
    """Run the benches named, or all."""
    unknown = set(names) - set(BENCHES)
    if unknown:
        raise SystemExit(f"no bench named {', '.join(unknown)}; there are {', '.join(BENCHES)}")
    show([result for name in names or BENCHES for result in BENCHES[name]()])


if __name__ == "__main__":
    main(sys.argv[1:])
