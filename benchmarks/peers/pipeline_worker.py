"""The peer: transformers 4.57's question-answering pipeline, in its own environment.

``python pipeline_worker.py MODEL PAIRS``: for each line on stdin one pass over the pairs, and a
line of JSON with its CPU seconds, the windows and tokens that its model was given, and its answers
(text, first character, score). The line says which windows: ``own 0`` (the pipeline's defaults: 384
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
    given: list[int] = []
    answer.model.register_forward_pre_hook(
        lambda _, __, named: given.append(named["input_ids"].shape[1]), with_kwargs=True
    )
    answer(question=rows[0][1], context=rows[0][0])
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        how, tokens = line.split()
        calls = list(_calls(answer.tokenizer, rows, how, int(tokens)))
        given.clear()
        started = time.process_time()
        found = [one for call in calls for one in _listed(answer(**call))]
        taken = time.process_time() - started
        told = {"seconds": taken, "windows": len(given), "tokens": sum(given)}
        told["answers"] = [[one["answer"], one["start"], one["score"]] for one in found]
        print(json.dumps(told), flush=True)


def _listed(found):
    return found if isinstance(found, list) else [found]  # of one question it is no list


def _calls(tokenizer, rows, how, tokens):
    """Yield what the pipeline is called with: all rows at once, or those of like questions.

    What two windows share is what the question leaves of a window, less the tokens that it moves.
    """
    if how != "moved":
        shared = {"doc_stride": tokens} if tokens else {}
        yield {"question": [row[1] for row in rows], "context": [row[0] for row in rows]} | shared
        return
    alike = defaultdict(list)
    for row in rows:
        alike[len(tokenizer(row[1], add_special_tokens=False)["input_ids"])].append(row)
    for length, same in alike.items():
        room = 384 - tokenizer.num_special_tokens_to_add(pair=True) - length
        yield {
            "question": [row[1] for row in same],
            "context": [row[0] for row in same],
            "doc_stride": room - tokens,
        }


if __name__ == "__main__":
    main(*sys.argv[1:])
