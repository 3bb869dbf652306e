"""The peer: lm-evaluation-harness' ``local-completions`` calls the stub; prints its seconds."""

import sys
import time

from lm_eval.api.instance import Instance
from lm_eval.models.openai_completions import LocalCompletionsAPI


def main(url: str, count: int, concurrency: int) -> None:
    model = LocalCompletionsAPI(
        base_url=url + "/completions", model="stub", tokenizer_backend="none",
        tokenized_requests=False, num_concurrent=concurrency, max_retries=3, max_length=4096,
    )  # fmt: skip
    prompt = "The ferry left Marl at six. It carried 14 sheep. " * 40
    requests = [
        Instance("generate_until", {}, (f"{prompt}{n}?", {"until": ["\n"], "max_gen_toks": 32}), n)
        for n in range(count)
    ]
    started = time.perf_counter()
    texts = model.generate_until(requests, disable_tqdm=True)
    print(time.perf_counter() - started)
    assert len(texts) == count


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
