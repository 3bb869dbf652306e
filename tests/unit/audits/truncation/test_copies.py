"""Answers that were copied from the examples of a prompt: known, guessed, or said by chance."""

import json
import random
from pathlib import Path

import msgspec
import pytest

from audit_runs import (
    PASSAGES,
    generated_prediction,
    load_run,
    make_run,
    question_with_golds,
    write_dataset,
)
from closeread import load
from closeread.audits.shown_examples import load_shown_answers
from closeread.audits.subject import Subject
from closeread.audits.truncation.check import check
from closeread.audits.truncation.copies import GUESSED, KNOWN
from closeread.audits.truncation.endings import iter_causes
from closeread.readers.generative.examples import Examples
from closeread.readers.generative.extraction import Extraction
from closeread.readers.generative.prompting import Prompter
from closeread.readers.generative.prompts import format_gold
from closeread.reports.words.audit_sentences import SENTENCES
from closeread.runs.ingest import ingest
from closeread.runs.predict import Job, predict
from closeread.runs.records import describe_reader
from closeread.types import Answer, Generation, Passage, Prediction, Submission

FEW_SHOT = Path(__file__).parents[2] / "logs/fixtures/lm_eval_few_shot"
ZERO_SHOT = FEW_SHOT.with_name("lm_eval")


def test_a_long_answer_to_many_questions_is_a_guessed_copy():
    """The same long text, right nowhere."""
    text = "number,date,spans,worker_id,hit_id"
    assert "copied" in set(
        iter_causes(
            question_with_golds("7"), generated_prediction("q", text), (), frozenset([text])
        )
    )


def find_copied_ids(subject):
    """Return the ids of the questions whose answers were copied, and the finding."""
    finding = check(subject)
    ids = set()
    for question in subject.questions:
        alone = check(subject.__class__(**vars(subject) | {"questions": (question,)}))
        if alone.data["causes"]["copied"]:
            ids.add(question.question_id)
    return ids, finding


def test_copies_are_known_in_logs_with_prompts(tmp_path):
    """Each is an example's answer (for g7 the part before the stop); what the passage has is none.

    The model copied at g2, g4 and t4, too, but these answers stand in the question's own passage.
    """
    (run,) = ingest([FEW_SHOT], tmp_path / "run").runs
    ids, finding = find_copied_ids(load_run(run))
    assert ids == {"g1", "g5", "g7", "t1", "t3", "i1", "i2"}
    assert finding.data["causes"]["copied"] == 7
    assert finding.data["copies_are"] == "known" and KNOWN in finding.notes


@pytest.mark.parametrize(
    ("written", "copied"),
    [
        ("Ada Quill, Bo Lee", 0), ("Ada Quill and Bo Lee", 0), ("Bo Lee; Ada Quill", 0),
        ("Ada Quill, Bo Lee, Cy", 1), ("Ada Quill", 0), ("", 0),
    ],
)  # fmt: skip
def test_all_spans_of_an_accepted_answer_are_not_a_copy(written, copied):
    """However they are joined, and though an example in the prompt has the same answer."""
    gold = Answer(kind="spans", texts=("Ada Quill", "Bo Lee"))
    question = msgspec.structs.replace(question_with_golds(), answers=(gold,))
    one = Subject(
        name="run", dataset="set", sha256="", questions=(question,),
        passages={"p": Passage(passage_id="p", text="Two kept it.")},
        submission=Submission(predictions={"q": generated_prediction("q", written)}),
        shown={"q": (written,)},
    )  # fmt: skip
    assert check(one).data["causes"]["copied"] == copied


def test_without_the_prompts_copies_are_guessed(tmp_path):
    """The same log, its prompts lost: four equal texts are too few for a guess."""
    for path in FEW_SHOT.iterdir():
        text = path.read_text("utf-8")
        if path.name.startswith("samples"):
            rows = [json.loads(line) for line in text.splitlines()]
            for row in rows:
                row["arguments"]["gen_args_0"]["arg_0"] = ""
            text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / path.name).write_text(text, "utf-8")
    (run,) = ingest([tmp_path], tmp_path / "run").runs
    ids, finding = find_copied_ids(load_run(run))
    assert not ids and finding.data["copies_are"] == "guessed" and KNOWN not in finding.notes


def test_a_guess_is_noted_as_one(tmp_path):
    """Ten questions of ten passages with one long text; nothing says what they were shown."""
    rows = [
        {"context": f"Passage: Boat {n} came.\nQuestion: Which?\nAnswer:", "completion": f" {n}"}
        for n in range(12)
    ]
    path = tmp_path / "ours.jsonl"
    path.write_text("".join(json.dumps(row | {"ref_text": ""}) + "\n" for row in rows))
    finding = check(load_run(make_run(tmp_path, "same", lambda gold: "number,date,spans")))
    assert finding.data["causes"]["copied"] == 12
    assert finding.data["copies_are"] == "guessed" and GUESSED in finding.notes


def test_sometimes_correct_sentences_are_not_copies(tmp_path):
    """Of 40 passages 12 are answered by one sentence, which is right for four of them."""
    rows = [
        {"context": f"Passage: Boat {n} came.\nQuestion: How many?\nAnswer:",
         "completion": f" {gold}", "ref_text": gold}
        for n, gold in enumerate(["2"] * 4 + [f"{n} boats" for n in range(20, 56)])
    ]  # fmt: skip
    path = tmp_path / "ours.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    said = iter([2] * 12 + list(range(28, 56)))
    run = make_run(tmp_path, "sentences", lambda gold: f"The answer is {next(said)}.")
    assert check(load_run(run)).data["causes"]["copied"] == 0


def test_the_headline_explains_the_verdict(tmp_path):
    """One answer of 40 that a comma would mend is no reason to call a number broken."""
    rows = [
        {"context": f"Passage: Boat {n} came.\nQuestion: Which?\nAnswer:",
         "completion": f" boat {n}", "ref_text": f"boat {n}"}
        for n in range(40)
    ]  # fmt: skip
    path = tmp_path / "ours.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    said = iter(
        ["number and date"] * 12 + ["boat 12, I think"] + [f"boat {n}" for n in range(13, 40)]
    )
    finding = check(load_run(make_run(tmp_path, "same", lambda gold: next(said))))
    assert finding.verdict == "broken"
    cutting, _, lost = finding.headline.partition("; ")
    assert cutting.startswith('same: cutting at "," changes drop F1 from ')
    assert lost == "30.00 points are lost in 12 texts: copied"
    assert SENTENCES.say(finding.headline, "zh").endswith("；12 条文本失去 30.00 分：照抄")


@pytest.mark.parametrize("shown", [None, ("unanswerable", "7")])
def test_no_answer_is_not_a_copy(shown):
    """Of fifteen times it is right ten times; a gold answer that is none has no text."""
    none = Answer(kind="none")
    names = [f"q{place}" for place in range(40)]
    texts = ["unanswerable" if place < 15 else f"Boat {place}" for place in range(40)]
    questions = tuple(
        msgspec.structs.replace(
            question_with_golds(f"Boat {place}"), question_id=name, passage_id=name, kind="span",
            **({"answers": (none,)} if place < 10 else {}),
        )
        for place, name in enumerate(names)
    )  # fmt: skip
    said = {
        name: msgspec.structs.replace(
            generated_prediction(name, text),
            answer=none if text == "unanswerable" else Answer(kind="span", texts=(text,)),
        )
        for name, text in zip(names, texts, strict=True)
    }
    finding = check(
        Subject(
            name="run", dataset="set", sha256="", questions=questions, stops_known=True,
            passages={name: Passage(passage_id=name, text=f"{name} came.") for name in names},
            submission=Submission(predictions=said),
            shown=None if shown is None else dict.fromkeys(names, shown),
        )
    )  # fmt: skip
    assert finding.data["causes"]["copied"] == 0 and finding.verdict == "sound"


def shown_to(shown, said, gold):
    """Return the finding on a run whose prompts showed so many answers, by question id."""
    questions = tuple(
        msgspec.structs.replace(question_with_golds(gold()), question_id=name) for name in shown
    )
    return check(
        Subject(
            name="run", dataset="set", sha256="", questions=questions, shown=shown,
            passages={"p": Passage(passage_id="p", text="Boats came.")}, stops_known=True,
            submission=Submission(
                predictions={
                    name: msgspec.structs.replace(
                        generated_prediction(name, text), answer=Answer(kind="span", texts=(text,))
                    )
                    for name, text in ((name, said(examples)) for name, examples in shown.items())
                }
            ),
        )
    )  # fmt: skip


def test_short_copies_may_be_chance():
    """Counts from 0 to 9 in every prompt: a wrong one is often an example's, of one's own or not.

    A reader that copies one wrong answer in four from its own prompt is found all the same; what
    it would have copied from any prompt is not counted as lost.
    """
    rng = random.Random(3)
    shown = {f"q{place}": tuple(map(str, rng.sample(range(10), 3))) for place in range(400)}

    def finding(copied):
        return shown_to(
            shown,
            lambda examples: (
                rng.choice(examples) if rng.random() < copied else str(rng.randrange(10))
            ),
            lambda: str(rng.randrange(10)),
        )

    by_chance, copying = finding(0), finding(0.25)
    assert by_chance.data["causes"]["copied"] > 50
    assert by_chance.verdict == "sound"
    assert any(note.startswith("copied by chance: ") for note in by_chance.notes)
    assert copying.verdict == "broken" and copying.headline.endswith(" texts: copied")
    (note,) = (note for note in copying.notes if note.startswith("copied by chance: "))
    beyond = copying.data["causes"]["copied"] - float(note.split()[3])
    assert f" are lost in {beyond:.0f} texts: copied" in copying.headline
    assert f"; {beyond / 4:.2f} points" in copying.headline  # of 400 texts, all of them wrong


@pytest.mark.parametrize("others", [0, 5])
def test_with_equal_prompts_only_long_copies_count(others):
    """Nothing says how often it would be said anyway; a long one is said by nobody else."""
    rng = random.Random(5)
    shown = {f"q{place}": ("1", "2", "the old boat house") for place in range(400)}
    shown |= {f"q{place}": ("3", "4") for place in range(others)}

    def digit(*_):
        return str(rng.randrange(10))

    short = shown_to(shown, digit, digit)
    assert short.data["causes"]["copied"] > 50
    assert short.verdict == "sound"
    long = shown_to(shown, lambda examples: digit() if rng.random() < 0.9 else examples[-1], digit)
    assert long.verdict == "broken" and long.headline.endswith(" texts: copied")


def test_prompts_without_examples_have_no_copies(tmp_path):
    runs = ingest([ZERO_SHOT], tmp_path / "runs").runs
    (run,) = (run for run in runs if run.info.log.task == "drop_local")
    ids, finding = find_copied_ids(load_run(run))
    assert not ids and finding.data["copies_are"] == "known"


class Copying:
    """Answers every other question with the first example of its prompt."""

    def __init__(self, examples):
        self._prompter = Prompter(examples=examples, extraction=Extraction())
        self.record = self._prompter.record()
        self.copied = set()

    def read(self, items):
        for place, (passage, question) in enumerate(items):
            (request,) = self._prompter.build_requests(passage, question)
            ((_, example),) = self._prompter.examples.select(passage, question)
            text = "I do not know"
            if place % 2 == 0:
                text = format_gold(example, "en")
                assert any(turn.content.endswith(text) for turn in request.turns)
                self.copied.add(question.text)
            answer = Answer(kind="span", texts=(text,))
            yield Prediction(
                question_id=question.question_id, answer=answer, generation=Generation(text=text)
            )


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_copies_are_known_in_own_runs(tmp_path, seed):
    """The examples are drawn again from the data set that the run names."""
    dataset = load(write_dataset(tmp_path))
    reader = Copying(Examples.load(str(tmp_path / "ours.jsonl"), 1, seed))
    described = describe_reader("copying", {}, reader)
    run = predict(Job(dataset=dataset, reader=reader, reader_info=described), tmp_path / "run")
    ids, finding = find_copied_ids(load_run(run))
    assert finding.data["copies_are"] == "known"
    assert len(reader.copied) == 4
    again = load_run(run)
    assert {one.text for one in again.questions if one.question_id in ids} == reader.copied

    file = tmp_path / "ours.jsonl"
    file.write_text(file.read_text().replace(PASSAGES[0][0], PASSAGES[0][0] + " Others sank."))
    assert load_shown_answers(run, again.passages, again.questions) is None
