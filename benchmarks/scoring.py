"""Scoring, auditing and resampling: whole processes and hot loops."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from benchmarks.inputs import generate, saved_generations
from benchmarks.inputs.drop_pairs import Pair, clear_caches, pair_sets
from benchmarks.measure import (
    DATA,
    PEERS,
    PYTHON,
    Result,
    least_cpu_seconds,
    limit,
    median_seconds,
    ratio,
    run_in_turn,
    run_once,
)
from benchmarks.peers import official_drop

CLOSEREAD = [PYTHON, "-m", "closeread"]
CORRECTED = ("drop~whitespace", "drop~number", "drop~firstline", "drop~fixed")


def mrqa(n_questions: int = 20_000, runs: int = 7) -> Iterator[Result]:
    """Scoring a set as a whole process."""
    data, predictions = map(str, generate.write(DATA, f"mrqa-{n_questions}", n_questions))
    score = [*CLOSEREAD, "score", "--dataset", data, "--predictions", predictions, "--json"]
    floor, official, plain, full = (
        timing.wall_seconds
        for timing in run_in_turn(
            [
                [PYTHON, str(PEERS / "floor_mrqa.py"), data, predictions],
                [PYTHON, str(PEERS / "official_mrqa.py"), data, predictions],
                [*score, "--no-intervals"],
                score,
            ],
            runs,
        )
    )
    name = f"MRQA {n_questions:,}"
    yield ratio(f"{name}, no intervals / inflate-and-parse floor", plain, floor, most=2.5)
    yield ratio(f"{name}, no intervals, against the official way", plain, official, least=2.5)
    yield ratio(f"{name}, with intervals / floor", full, floor, most=4)


def drop(sets: Mapping[str, Sequence[Pair]] | None = None, runs: int = 5) -> Iterator[Result]:
    """DROP pairs a second on one core, bit-equal to the official functions' description.

    Args:
        sets: Pairs by the name of their set; None takes ``pair_sets``.
        runs: Of each side.
    """
    from closeread.metrics.drop import score_pair

    for name, pairs in (pair_sets() if sets is None else sets).items():

        def score_ours(pairs: Sequence[Pair] = pairs) -> list[tuple[float, float]]:
            clear_caches()
            return [score_pair(prediction, gold) for prediction, gold in pairs]

        def score_peer(pairs: Sequence[Pair] = pairs) -> list[tuple[float, float]]:
            return [official_drop.score_pair(prediction, gold) for prediction, gold in pairs]

        if score_ours() != score_peer():
            raise SystemExit(f"DROP scores of {name} differ from the official way")
        ours, peer = least_cpu_seconds([score_ours, score_peer], runs)
        yield ratio(f"DROP, {len(pairs):,} pairs ({name}), nothing cached", ours, peer, least=8)


def rescore(n_questions: int = 1_000_000, n_in_memory: int = 100_000) -> Iterator[Result]:
    """Saved generations, scored again; the peer is the official functions' way.

    Args:
        n_questions: Scored by whole processes.
        n_in_memory: The first of them, scored by functions.
    """
    from closeread.protocols import Metric
    from closeread.registry.factory import make

    _, run, rows = saved_generations.write(DATA, n_questions)
    pairs = saved_generations.load_pairs(run, n_in_memory)
    texts = [
        (prediction.answer.texts[0], list(question.answers[0].texts))
        for question, prediction in pairs
        if prediction.answer is not None
    ]

    def scoring(*names: str) -> Callable[[], None]:
        metrics: list[Metric] = [make("metric", name)[0] for name in names]

        def score_all() -> None:
            for question, prediction in pairs:
                for metric in metrics:
                    metric.score(question, prediction)

        return score_all

    def score_peer() -> None:
        for text, gold in texts:
            official_drop.score_pair(text, gold)

    alone, all_five, official = least_cpu_seconds(
        [scoring("drop"), scoring("drop", *CORRECTED), score_peer], runs=3
    )
    yield ratio("DROP, saved generations, official scorer", alone, official, least=8)
    yield ratio(
        "DROP, the same, official and all corrections in one pass", all_five, official, least=3
    )
    score = [*CLOSEREAD, "score", str(run), "--no-intervals", "--metric", "drop"]
    score_every = score + [part for name in CORRECTED for part in ("--metric", name)]
    ours = run_once(score)
    peer = run_once([PYTHON, str(PEERS / "official_drop_file.py"), str(rows)])
    yield ratio(
        f"closeread score, {n_questions:,} generations, whole process",
        ours.wall_seconds,
        peer.wall_seconds,
        least=2,
    )
    yield limit("  its peak memory", ours.peak_mb, 400, "MB")
    every = run_once(score_every)
    yield ratio(
        "  official and all corrections, whole process",
        every.wall_seconds,
        peer.wall_seconds,
        least=1,
    )
    yield limit("  its peak memory", every.peak_mb, 700, "MB")
    shared = run_once([*score_every, "--workers", "2"])
    yield ratio("  with --workers 2, against 1", shared.wall_seconds, every.wall_seconds, least=1.3)


def audit(n_questions: int = 9_536) -> Iterator[Result]:
    """All checks of a run of texts that run on, the worst case."""
    _, run, _ = saved_generations.write(DATA, n_questions)
    audited = run_once([*CLOSEREAD, "audit", str(run), "--json"])
    name = f"closeread audit, {n_questions:,} questions, all checks"
    yield limit(name, audited.wall_seconds, 10, "s")


def bootstrap(n_questions: int = 60_000, resamples: int = 10_000) -> Iterator[Result]:
    """Resampling a metric that is 0 or 1, and F1."""
    import numpy as np

    from closeread.metrics.intervals import Resampling, interval
    from closeread.protocols import Pool

    random = np.random.default_rng(1)
    ids = [str(index) for index in range(n_questions)]
    exact = (random.random(n_questions) < 0.6).astype(float).tolist()
    shared, predicted, gold = (random.integers(1, high, n_questions) for high in (6, 9, 7))
    shared = np.minimum(shared, np.minimum(predicted, gold))
    f1 = (2 * shared / (predicted + gold)).tolist()
    for name, values, most in (("0/1", exact, 1.0), ("F1", f1, 5.0)):
        pool = Pool(
            metric="bench", unit_ids=ids, numerators=values, denominators=[1.0] * n_questions,
            n_questions=n_questions, n_scored=n_questions, n_answered=n_questions,
        )  # fmt: skip

        def resample(pool: Pool = pool) -> None:
            interval(pool, Resampling(resamples=resamples))

        row = f"bootstrap of a {name} metric, {n_questions:,} x {resamples:,}"
        yield limit(row, median_seconds(resample, runs=3), most, "s")


def memory(n_questions: int = 20_000, megabytes: int = 2048) -> Iterator[Result]:
    """Peak memory on a large data set: scoring, and reading with a streaming reader.

    Args:
        n_questions: Of the set that is repeated until the file is large.
        megabytes: Of the file.
    """
    small, _ = generate.write(DATA, f"mrqa-{n_questions}", n_questions)
    data, predictions = map(
        str, generate.write_large(DATA, f"mrqa-{megabytes}mb", small, megabytes)
    )
    score = [*CLOSEREAD, "score", "--dataset", data, "--predictions", predictions, "--no-intervals"]
    yield limit(f"peak memory, score, {megabytes:,} MB", run_once(score).peak_mb, 300, "MB")
    run = str(DATA / f"run-{megabytes}mb")
    read = [*CLOSEREAD, "read", data, "--reader", "first-sentence", "--out", run, "--overwrite"]
    yield limit(f"peak memory, read, {megabytes:,} MB", run_once(read).peak_mb, 300, "MB")
