"""The rows of material.jsonl in the forms in which DROP is published, for the harnesses' scripts.

It stands apart from them: their folders are called as the harnesses' own packages are.
"""

import json


def lines(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def as_on_the_hub(row):
    """Lay a row out as the DROP set on the hub does."""
    given = [row["answer"], *row["validated"]]
    dates = [
        dict(zip(("day", "month", "year"), one.get("date", ["", "", ""]), strict=True))
        for one in given
    ]
    return {
        "query_id": row["id"],
        "passage": row["passage"],
        "question": row["question"],
        "answer": {
            "number": given[0].get("number", ""),
            "date": dates[0],
            "spans": given[0].get("spans", []),
        },
        "validated_answers": {
            "number": [one.get("number", "") for one in given[1:]],
            "date": dates[1:],
            "spans": [one.get("spans", []) for one in given[1:]],
        },
    }


def as_strings(row, joint=" and "):
    """Return the accepted answers, one string each and each once, as simple-evals' file does."""
    found = []
    for one in (row["answer"], *row["validated"]):
        if "number" in one:
            found.append(one["number"])
        elif "date" in one:
            found.append(" ".join(one["date"]).strip())
        else:
            found.append(joint.join(one["spans"]))
    return list(dict.fromkeys(found))


def write_set(path, rows):
    """Write JSON lines."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
