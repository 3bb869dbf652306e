"""The peer: transformers 4.57's question-answering pipeline, in its own environment.

``python pipeline_worker.py MODEL PAIRS``: for each line on stdin one pass over the pairs, and a
line of JSON with its CPU seconds. Its own defaults decide: windows of 384 tokens with 128 in
common, answers up to 15 tokens, one window at a time.
"""

import json
import sys
import time
from pathlib import Path

import torch
from transformers import pipeline


def main(model: str, pairs: str) -> None:
    torch.set_num_threads(1)
    answer = pipeline("question-answering", model=model, device=-1)
    rows = json.loads(Path(pairs).read_text("utf-8"))
    contexts, questions = [row[0] for row in rows], [row[1] for row in rows]
    answer(question=questions[:1], context=contexts[:1])
    print(json.dumps("ready"), flush=True)
    for _ in sys.stdin:
        started = time.process_time()
        answer(question=questions, context=contexts)
        print(json.dumps(time.process_time() - started), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
