"""Runs OpenAI evals over local files with a model that says what the files tell it to say.

Usage: make_logs.py FOLDER, with material.jsonl and choices.jsonl in it; logs go to FOLDER/out,
those of prompts with examples to FOLDER/few_shot.
"""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
EXAMPLES = (
    ("Passage: The mill has 12 wheels.\nQuestion: How many wheels has the mill?", "12"),
    ("Passage: Ada Brandt kicked off.\nQuestion: Who kicked off?", "Ada Brandt"),
)
SPECIFICATION = """\
{name}:
  id: {name}.test.v0
  metrics: [accuracy]
{name}.test.v0:
  class: evals.elsuite.basic.{module}:{kind}
  args:
    samples_jsonl: {samples}
{more}
"""
MODEL = "canned:\n  class: canned:Canned\n"


def message(role, text):
    return {"role": role, "content": text}


def main(folder):
    os.environ["CANNED_FOLDER"] = str(folder)
    os.environ["OPENAI_API_KEY"] = "none"  # its registry makes a client, and asks for its models
    sys.path.insert(0, str(HERE))
    from published import as_strings, lines, write_set

    drop = [
        {
            "input": [message("user", "Passage: {passage}\nQuestion: {question}".format(**row))],
            "ideal": as_strings(row, ", "),
        }
        for row in lines(folder / "material.jsonl")
    ]
    choice = []
    for row in lines(folder / "choices.jsonl"):
        options = "\n".join(
            f"{letter}) {text}" for letter, text in zip("ABC", row["options"], strict=True)
        )
        asked = f"Passage: {row['passage']}\nQuestion: {row['question']}\n{options}\nAnswer:"
        choice.append({"input": asked, "ideal": "ABC"[row["gold"]]})
    shown = [
        {
            "sample": [
                message("system", question) | {"name": "example_user"},
                message("system", answer) | {"name": "example_assistant"},
            ]
        }
        for question, answer in EXAMPLES
    ]
    registry = folder / "registry"
    for name in ("evals", "completion_fns"):
        (registry / name).mkdir(parents=True)
    (registry / "completion_fns" / "canned.yaml").write_text(MODEL)
    for name, rows in (("drop", drop), ("choice", choice), ("shown", shown)):
        write_set(folder / f"{name}.jsonl", rows)
    few = f"    num_few_shot: 2\n    few_shot_jsonl: {folder / 'shown.jsonl'}"
    runs = (
        ("drop_local", "fuzzy_match", "FuzzyMatch", "drop", "", "out"),
        ("choice_local", "match", "Match", "choice", "", "out"),
        ("drop_few_shot", "match", "Match", "drop", few, "few_shot"),
    )
    from evals.cli import oaieval
    from evals.registry import Registry

    Registry.api_model_ids = []
    for name, module, kind, samples, more, out in runs:
        (folder / out).mkdir(exist_ok=True)
        (registry / "evals" / f"{name}.yaml").write_text(
            SPECIFICATION.format(
                name=name, module=module, kind=kind, samples=folder / f"{samples}.jsonl", more=more
            )
        )
        sys.argv = [
            "oaieval", "canned", name, "--registry_path", str(registry),
            "--record_path", str(folder / out / f"{name}.jsonl"),
        ]  # fmt: skip
        arguments = oaieval.get_parser().parse_args()
        oaieval.run(arguments)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
