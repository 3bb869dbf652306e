"""The peer: transformers 4.57's question-answering pipeline, in its own environment.

``python pipeline_worker.py MODEL PAIRS``: for each line on stdin one pass over the pairs, and a
line of JSON with its CPU seconds, the windows and tokens that its model computed, and its answers
(text, first character, score). The line names the windows: ``own 0`` (the pipeline's defaults: 384
tokens, of which two windows share 128), ``shared N`` (they share N), or ``moved N`` (they move by N
tokens; answers then come in another order). All else is the pipeline's own: answers of up to 15
tokens, one window at a time.
"""

import json
import sys
import time
from collections import defaultdict
from pathlib import Path

import torch
from transformers import pipeline


def main(model: str, pairs: str) -> None:
    torch.set_num_threads(1)
    answer = pipeline("question-answering", model=model, device=-1)
    rows = json.loads(Path(pairs).read_text("utf-8"))
    lengths: list[int] = []
    answer.model.register_forward_pre_hook(
        lambda _, __, inputs: lengths.append(inputs["input_ids"].shape[1]), with_kwargs=True
    )
    answer(question=rows[0][1], context=rows[0][0])
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        windows, n_tokens = line.split()
        calls = list(_iter_calls(answer.tokenizer, rows, windows, int(n_tokens)))
        lengths.clear()
        started = time.process_time()
        results = [result for call in calls for result in _as_list(answer(**call))]
        seconds = time.process_time() - started
        report = {
            "seconds": seconds,
            "windows": len(lengths),
            "tokens": sum(lengths),
            "answers": [[row["answer"], row["start"], row["score"]] for row in results],
        }
        print(json.dumps(report), flush=True)


def _as_list(result):
    return result if isinstance(result, list) else [result]  # a single question gives no list


def _iter_calls(tokenizer, rows, windows, n_tokens):
    """Yield arguments of the pipeline: all rows at once, or those of questions of one length.

    Two windows share what the question leaves of a window, less the tokens that it moves by.
    """
    if windows != "moved":
        shared = {"doc_stride": n_tokens} if n_tokens else {}
        yield {"question": [row[1] for row in rows], "context": [row[0] for row in rows]} | shared
        return
    by_length = defaultdict(list)
    for row in rows:
        by_length[len(tokenizer(row[1], add_special_tokens=False)["input_ids"])].append(row)
    for length, same in by_length.items():
        room = 384 - tokenizer.num_special_tokens_to_add(pair=True) - length
        yield {
            "question": [row[1] for row in same],
            "context": [row[0] for row in same],
            "doc_stride": room - n_tokens,
        }


if __name__ == "__main__":
    main(*sys.argv[1:])
