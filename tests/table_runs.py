"""Write data sets and the predictions of several systems, given which questions are right."""

import json


def write_tables(folder, sets, systems):
    """Write data sets and the predictions of systems for them.

    Args:
        folder: Where all of it goes.
        sets: Name to number of questions.
        systems: Name to how many of the questions of each set are right, the first ones.

    Returns:
        Arguments of `closeread score` for each run, which is kept in ``system/set``.
    """
    calls = []
    for name, questions in sets.items():
        ids = [f"{name}{number}" for number in range(questions)]
        rows = [
            {"id": one, "passage": f"{name} left at six.", "question": "When?", "answer": "at six"}
            for one in ids
        ]
        data = folder / f"{name}.jsonl"
        data.write_text("".join(json.dumps(row) + "\n" for row in rows))
        for system, right in systems.items():
            given = folder / "given" / system / f"{name}.json"
            given.parent.mkdir(parents=True, exist_ok=True)
            given.write_text(json.dumps(dict.fromkeys(ids[:right], "at six")))
            named = {"dataset": data, "predictions": given, "save": folder / system / name}
            named |= {"metric": "mrqa", "resamples": 200}
            calls.append(["score", *(f"--{key}={value}" for key, value in named.items())])
    return calls
