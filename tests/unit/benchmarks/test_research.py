"""Every program of ``benchmarks/research`` runs to its end on a small input and prints its lines.

The inputs are written here and the exam that ships: the programs' own sets are not published.
"""

import json
import re
import zipfile

import pytest
from benchmarks.research import evidence, evidence_stop, promise, simulated

from closeread import dump, load
from closeread.types import Answer, Option, Passage, Question
from command_line import closeread
from format_samples import write_sample

NUMBER = r"-?\d+\.\d"


@pytest.fixture
def sets(tmp_path, monkeypatch):
    """Write a set for every name that the tables of evidence read; return the corpus."""
    monkeypatch.setenv("NLTK_DATA", str(tmp_path))
    names = dict.fromkeys(evidence.PLACE_SETS, "squad")
    names["vgaokao/sample_annotation_visible.json"] = "vgaokao"
    names |= {f"expmrc/expmrc-{name}-dev.json": "expmrc" for name in ("c3", "race")}
    names |= {f"expmrc/expmrc-{name}-dev.json": "expmrc" for name in ("cmrc2018", "squad")}
    for name, format_name in names.items():
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_sample(path.parent, format_name).rename(path)
    return tmp_path


def test_tables_of_evidence(sets, capsys):
    evidence.main(sets, 40)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" {")[0] for line in lines] == [
        "vgaokao",
        "vgaokao, default splitter",
        "exam/zh",
        *(
            f"{name} {answered}"
            for name in ("c3", "cmrc2018", "race", "squad")
            for answered in ("nothing", "picked", "gold")
        ),
        *(f"first sentence {name}" for name in evidence.PLACE_SETS),
    ]
    cell = rf"'{NUMBER} \([+-]\d+\.\d [+-]\d+\.\d\)'"
    for line in lines:
        retrievers = ["cover", "lead", "bm25 top 1"]
        retrievers += [] if line.startswith("first sentence") else ["bm25 top 2"]
        cells = ", ".join(f"'{name}': {cell}" for name in retrievers)
        assert re.search(rf" \{{{cells}\}}$", line), line


@pytest.mark.parametrize("packed", [False, True])
def test_when_to_stop(tmp_path, capsys, packed):
    path = tmp_path / "train.json"
    path.write_text(json.dumps({"data": articles_of_the_exam()}), "utf-8")
    if packed:
        with zipfile.ZipFile(tmp_path / "train.zip", "w") as archive:
            archive.write(path, "train.json")
        path = tmp_path / "train.zip"
    evidence_stop.main(path)
    first, *lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"\d{3} candidates, \d+\.\d% of them evidence", first)
    option = r"-o \w+=-?\d+\.\d\d"
    for line, share in zip(lines, (20, 30, 40, 50), strict=True):
        assert re.fullmatch(rf"at {share}%: {option} {option} {option}", line)


def articles_of_the_exam():
    """The options with one gold sentence, as ExpMRC writes pseudo evidence."""
    articles = []
    for passage, questions in load("exam/zh"):
        rows = [
            (question, option.label, evidence.spans[-1].of(passage.text))
            for question in questions
            for option in question.options
            for evidence in question.gold_evidence
            if evidence.option_label == option.label and evidence.spans
        ]
        articles.append(
            {
                "article": passage.text,
                "questions": [question.text for question, _, _ in rows],
                "options": [[option.text for option in row[0].options] for row in rows],
                "answers": [label for _, label, _ in rows],
                "evidences": [[sentence] for _, _, sentence in rows],
            }
        )
    return articles


@pytest.mark.parametrize(
    ("risk", "result"),
    [
        (0.05, r"0 of 4, questions answered 0\.0%, no risk"),
        (0.8, r"[1-4] of 4, questions answered \d+\.\d%, risk there \d\d\.\d%"),
    ],
)
def test_a_promise_is_tried(tmp_path, capsys, risk, result):
    """Half of the answers are right, and nothing tells which."""
    data, run = tmp_path / "boxes.jsonl", tmp_path / "run"
    dump(boxes(150), data, "jsonl")
    assert closeread("read", data, "--reader", "lexical", "--out", run) == 0
    capsys.readouterr()
    promise.main(str(run), risk, 0.3, 4)
    (line,) = capsys.readouterr().out.splitlines()
    assert re.fullmatch(f"answered at all in {result}, above the promise in 0", line)


def boxes(count):
    """Choices that the lexical reader takes for easy; half of the golds are wrong."""
    options = (Option(label="A", text="a red cup"), Option(label="B", text="a blue key"))
    for number in range(count):
        passage = Passage(passage_id=f"p{number}", text=f"Box {number} holds a red cup. It is old.")
        answer = Answer(kind="choice", label="AB"[number % 2])
        question = Question(
            question_id=f"q{number}", passage_id=passage.passage_id, text="What does it hold?",
            kind="choice", options=options, answers=(answer,),
        )  # fmt: skip
        yield passage, [question]


def test_simulated_numbers(monkeypatch, capsys):
    programs = {
        "promise": lambda: simulated.promise(5),
        "macro": lambda: simulated.macro(1),
    }
    monkeypatch.setattr(simulated, "PROGRAMS", programs)
    simulated.main()
    lines = capsys.readouterr().out.splitlines()
    share = r"\d+\.\d%"
    for line, wrong in zip(lines[:3], ("0.5%", "3.0%", "5.0%"), strict=True):
        assert re.fullmatch(
            rf"wrong in {wrong} of the surer half: a threshold in {share}, "
            rf"one that breaks the promise in {share}",
            line,
        )
    for line, small in zip(lines[3:], simulated.SMALL, strict=True):
        assert re.fullmatch(rf"{small} beside 3 of 700: {share}(, {share}){{5}}", line)
