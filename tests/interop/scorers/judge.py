"""Judges pairs by a harness' own functions: judge.py HARNESS ROWS OUT, in its environment.

A row is ``[said, [[span, ...], ...]]``; what comes out is, for each, the harness' numbers by the
names that closeread gives them.
"""

import json
import re
import sys
from pathlib import Path

ANSWER = re.compile(r"(?i)Answer\s*:\s*([^\n]+)")


def extracted(text):
    """Read the answer as the DROP tasks of inspect, simple-evals and OpenCompass do."""
    found = ANSWER.search(text)
    return found[1] if found else text


def lm_eval(rows):
    """Its DROP task, from the published form of a question on."""
    from lm_eval.tasks.drop.utils import get_answers, process_results

    none = {"day": "", "month": "", "year": ""}
    for said, golds in rows:
        question = {
            "answer": {"number": "", "date": none, "spans": golds[0]},
            "validated_answers": {
                "number": [""] * (len(golds) - 1),
                "date": [none] * (len(golds) - 1),
                "spans": golds[1:],
            },
        }
        found = process_results({"answers": get_answers(question)}, [said])
        yield {"drop.em": found["em"], "drop.f1": found["f1"]}


def lighteval(rows):
    """Its metric for DROP, and the exact match that its task uses."""
    from lighteval.metrics.harness_compatibility.drop import DropMetrics
    from lighteval.metrics.metrics import Metrics
    from lighteval.models.model_output import ModelResponse
    from lighteval.tasks.requests import Doc

    drop, exact = DropMetrics(), Metrics.exact_match.value.sample_level_fn
    for said, golds in rows:
        document = Doc(
            query="",
            choices=[", ".join(gold) for gold in golds],
            gold_index=list(range(len(golds))),
            specific={"golds_no_preprocessing": golds},
        )
        response = ModelResponse(text=[said])
        found = drop.compute(document, response)
        yield {
            "drop.em": found["em"],
            "drop.f1": found["f1"],
            "exact_match": exact.compute(doc=document, model_response=response),
        }


def inspect(rows):
    """Its F1, on what its DROP task gives it."""
    from inspect_ai.scorer._classification import max_f1_score

    for said, golds in rows:
        targets = [",".join(gold) for gold in golds]
        yield {"f1": max_f1_score(extracted(said), [one for one in targets if one.strip()])}


def simple_evals(rows):
    """Its DROP functions, in the packaged copy."""
    from simple_evals.evals.drop_eval import drop_metric, fuzzy_match

    for said, golds in rows:
        joined = [" and ".join(gold) for gold in golds]
        answer = extracted(said)
        em, f1 = drop_metric(answer, joined)
        fuzzy = any(fuzzy_match(answer, gold) for gold in joined)
        yield {"drop.score": fuzzy, "drop.em": em, "drop.f1": f1 / 100}


def opencompass(rows):
    """Its exact match, and its DROP evaluator; golds with a bar in them would be two for it."""
    from opencompass.datasets.drop_simple_eval import DropOpenAIEvaluator
    from opencompass.openicl.icl_evaluator.icl_em_evaluator import EMEvaluator

    said = [one for one, _ in rows]
    joined = [[" and ".join(gold) for gold in golds] for _, golds in rows]
    exact = EMEvaluator().score(said, joined)["details"]
    fuzzy = DropOpenAIEvaluator().score(said, ["|".join(golds) for golds in joined])["details"]
    for one, other in zip(exact, fuzzy, strict=True):
        yield {"em": one["correct"], "drop": other["correct"]}


def helm(rows):
    """Its metrics over references, on the stripped text that it gives them."""
    from helm.benchmark.metrics import evaluate_reference_metrics as metrics

    names = ["quasi_exact_match", "prefix_exact_match", "quasi_prefix_exact_match", "f1_score"]
    for said, golds in rows:
        joined = [" and ".join(gold) for gold in golds]
        yield {
            name: max(getattr(metrics, name)(gold, said.strip()) for gold in joined)
            for name in ("exact_match", *names)
        }


def main(harness, rows, out):
    pairs = json.loads(Path(rows).read_text("utf-8"))
    found = [
        {name: float(value) for name, value in one.items()} for one in globals()[harness](pairs)
    ]
    Path(out).write_text(json.dumps(found), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
