"""``python -m benchmarks [NAME]...``: measure what is named, or all, and print."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.measure import Result, print_table, run_with_torch
from benchmarks.scoring import audit, bootstrap, drop, memory, mrqa, rescore
from benchmarks.startup import install_lm_eval, startup
from benchmarks.training import training


def evidence() -> Iterator[Result]:
    """Evidence extraction against the authors' procedure, both on one core; long passages."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # before numpy is imported
        os.environ[name] = "1"
    from benchmarks.evidence import extraction, growth

    yield from extraction()
    yield from growth()


def client() -> Iterator[Result]:
    """Requests in flight, against the stub's own ceiling and against the peer."""
    from benchmarks.client import client as compare

    yield from compare(Path(install_lm_eval("[api]")).parent / "python")


def serving() -> Iterator[Result]:
    """The service under load, against a bare application, and its memory."""
    from benchmarks.serving import memory_growth, speed

    yield from speed()
    yield from memory_growth()


def encoder() -> Iterator[Result]:
    """The span reader, with the model and the data sets that environment variables name."""
    model, corpus = (os.environ.get(name) for name in ("SPAN_MODEL", "CLOSEREAD_CORPUS"))
    if not model or not corpus:
        print("encoder: left out, SPAN_MODEL and CLOSEREAD_CORPUS do not name its model and data")
        return
    for name, n_questions, n_words in (
        ("xquad/xquad.en.json", 200, 0),
        ("mrqa/NewsQA_sample.jsonl", 17, 0),
        ("squadshifts/new_wiki_v1.0.json.gz", 24, 600),
    ):
        data = f"{corpus}/data/{name}"
        yield from run_with_torch("benchmarks.neural.encoder", model, data, n_questions, n_words)


def options() -> Iterator[Result]:
    """The readers of options, each against its floor, over the exam that ships."""
    yield from run_with_torch("benchmarks.neural.options")


def local() -> Iterator[Result]:
    """A causal language model in this process: batches against one sequence at a time."""
    yield from run_with_torch("benchmarks.neural.local")


BENCHMARKS: dict[str, Callable[[], Iterator[Result]]] = {
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
    """Run the named benchmarks, or all."""
    unknown = set(names) - set(BENCHMARKS)
    if unknown:
        raise SystemExit(
            f"no benchmark named {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}"
        )
    print_table([result for name in names or BENCHMARKS for result in BENCHMARKS[name]()])


if __name__ == "__main__":
    main(sys.argv[1:])
