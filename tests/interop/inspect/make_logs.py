"""Runs inspect over a local file with mockllm saying what the file tells it to say.

Usage: make_logs.py FOLDER, with material.jsonl and choices.jsonl in it; logs go to FOLDER/out,
those of prompts with examples, put before the input by solvers, to FOLDER/few_shot.
"""

import re
import sys
from pathlib import Path

from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import choice, f1
from inspect_ai.solver import generate, multiple_choice, prompt_template, system_message
from published import as_strings, lines

ANSWER = re.compile(r"(?i)Answer\s*:\s*([^\n]+)")
EXAMPLES = """You will be asked to read a passage and answer a question. Some examples follow.

---
Passage: The mill has 12 wheels.
Question: How many wheels has the mill?
Answer: 12
---
Passage: Ada Brandt kicked off.
Question: Who kicked off?
Answer: Ada Brandt"""
TASK = 'Your task\n---\n{prompt}\n\nThink, then write a line of the form "Answer: X".'
PROMPT = "Passage: {passage}\nQuestion: {question}\nAnswer:"


def said(text, stop_reason="stop"):
    """An answer with its usage, which the mock would otherwise count with a downloaded table."""
    output = ModelOutput.from_content("canned", text, stop_reason=stop_reason)
    output.usage = ModelUsage(input_tokens=90, output_tokens=len(text.split()), total_tokens=100)
    return output


def extracted(text):
    """Read the answer as the harness' DROP task does."""
    found = ANSWER.search(text)
    return found[1] if found else text


def main(folder):
    rows = lines(folder / "material.jsonl")
    samples = [
        Sample(
            id=row["id"],
            input=PROMPT.format(**row),
            target=as_strings(row, ","),
            metadata={"passage": row["passage"], "question": row["question"]},
        )
        for row in rows
    ]
    drop = Task(
        dataset=MemoryDataset(samples, name="drop-local"),
        solver=generate(),
        scorer=f1(extracted),
        name="drop_local",
        version=2,
    )
    # The last one ran into its limit, and the log says so.
    says = [said(row["says"], "max_tokens" if row is rows[-1] else "stop") for row in rows]
    rows = lines(folder / "choices.jsonl")
    picks = Task(
        dataset=MemoryDataset(
            [
                Sample(
                    id=row["id"],
                    input=f"{row['passage']}\n\n{row['question']}",
                    choices=row["options"],
                    target="ABC"[row["gold"]],
                )
                for row in rows
            ],
            name="choice-local",
        ),
        solver=multiple_choice(),
        scorer=choice(),
        name="choice_local",
    )
    letters = ["ANSWER: A", "ANSWER: C", "I cannot say."]
    given = [said(letter) for letter in letters]
    for form in ("eval", "json"):
        for task, outputs in ((drop, says), (picks, given)):
            evaluate(
                task,
                model=get_model("mockllm/canned", custom_outputs=list(outputs), memoize=False),
                log_dir=str(folder / "out"),
                log_format=form,
                max_connections=1,
                max_samples=1,
                display="none",
            )
    few_shot = Task(
        dataset=MemoryDataset(samples, name="drop-few-shot"),
        solver=[system_message(EXAMPLES), prompt_template(TASK), generate()],
        scorer=f1(extracted),
        name="drop_few_shot",
    )
    evaluate(
        few_shot,
        model=get_model("mockllm/canned", custom_outputs=list(says), memoize=False),
        log_dir=str(folder / "few_shot"),
        max_connections=1,
        max_samples=1,
        display="none",
    )


main(Path(sys.argv[1]))
