"""Write toy sets on which the reader `cues` has something to learn, and train it on them."""

import json

from click.testing import CliRunner

from closeread.cli.train import command

RECIPE = """
out = "{out}"
[reader]
name = "cues"
[train]
datasets = ["{data}"]
folds = 4
{more}
"""


def write_toy_set(path):
    """Write passages on which the option with 都 is always wrong."""
    things = ["甲虫", "苔藓", "骆驼", "渔船", "灯塔", "石桥", "茶树", "水车", "帆布", "陶罐"]
    with path.open("w", encoding="utf-8") as out:
        for number in range(40):
            thing, other = things[number % 10], things[(number * 3 + 1) % 10]
            gold = number % 4
            asks_for = "contradicted" if number % 2 else "supported"
            wrong = f"这里的{thing}都在{other}旁边。"
            right = f"这里有{thing}在{other}旁边。"
            many, single = (right, wrong) if asks_for == "contradicted" else (wrong, right)
            texts = [many.replace("旁边", "旁边" + "近" * place) for place in range(4)]
            texts[gold] = single.replace("旁边", "旁边" + "近" * gold)
            options = [
                {"label": label, "text": text} for label, text in zip("ABCD", texts, strict=True)
            ]
            row = {
                "passage": {
                    "passage_id": f"p{number}",
                    "text": f"第{number}篇。这里有一些{thing}在{other}旁边。",
                    "language": "zh",
                },
                "questions": [
                    {
                        "question_id": f"q{number}",
                        "passage_id": f"p{number}",
                        "text": "哪一项？",
                        "kind": "verification",
                        "asks_for": asks_for,
                        "options": options,
                        "answers": [
                            {"kind": "choice", "label": "ABCD"[gold], "texts": [texts[gold]]}
                        ],
                    }
                ],
            }
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path


def run(tmp_path, more="", data=None, out=None):
    data = data or write_toy_set(tmp_path / "toy.jsonl")
    recipe = tmp_path / "recipe.toml"
    out = out or tmp_path / "weights.json"
    recipe.write_text(RECIPE.format(out=out, data=data, more=more), "utf-8")
    return CliRunner().invoke(command, [str(recipe), "--json"], catch_exceptions=True), out


def write_changed_set(tmp_path, change):
    """Write the toy set with its questions changed."""
    rows = [
        json.loads(line)
        for line in write_toy_set(tmp_path / "toy.jsonl").read_text("utf-8").splitlines()
    ]
    for number, row in enumerate(rows):
        change(number, row["questions"][0])
    path = tmp_path / "changed.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


def write_toy_pairs(path):
    """Write pairs in which hypotheses with 没有 are contradictions."""
    with path.open("w", encoding="utf-8") as out:
        for number in range(30):
            premise = f"第{number}号船在傍晚以前到了北边的港口"
            for hypothesis, label in (
                (f"第{number}号船没有到港口", "contradiction"),
                (f"第{number}号船到了港口", "entailment"),
                ("天黑了", "neutral"),
            ):
                row = {"sentence1": premise, "sentence2": hypothesis, "label": label}
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path


BEFORE_RECIPE = """[[before]]
reader = {{ name = "{reader}"{options} }}
[before.train]
datasets = ["{data}"]
{more}
"""


def before_recipe(tmp_path, more="", reader="cues", options="", data=None):
    data = data or write_toy_pairs(tmp_path / "nli.jsonl")
    return BEFORE_RECIPE.format(reader=reader, options=options, data=data, more=more)
