"""How texts ended, and what cutting them elsewhere does."""

import dataclasses
import json
import random
from pathlib import Path

import msgspec
import pytest

from audit_runs import PASSAGES, generated, loaded, make_run, write_dataset
from closeread import load
from closeread.audits.material import Subject
from closeread.audits.shown import answers_shown
from closeread.audits.truncation.check import check
from closeread.audits.truncation.copies import GUESSED, KNOWN
from closeread.audits.truncation.endings import causes
from closeread.audits.truncation.recuts import recut
from closeread.metrics.intervals import unseen
from closeread.readers.generative.asking import Asking
from closeread.readers.generative.examples import Examples
from closeread.readers.generative.extraction import Extraction
from closeread.readers.generative.prompts import gold_of
from closeread.reports.words.audit_sentences import OUR_CELLS, SENTENCES
from closeread.runs.ingest import ingest
from closeread.runs.predict import Job, predict
from closeread.runs.records import describe_reader
from closeread.types import Answer, Generation, Passage, Prediction, Question, Submission

FEW_SHOT = Path(__file__).parents[2] / "logs/fixtures/lm_eval_few_shot"
ZERO_SHOT = FEW_SHOT.with_name("lm_eval")

RUN_ON = "\n\nPassage: The town has 7 wards"


def asked(*golds):
    return Question(
        question_id="q", passage_id="p", text="?", kind="discrete",
        answers=tuple(Answer(kind="span", texts=(gold,)) for gold in golds),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("gold", "text", "found"),
    [
        ("12.25", "12", {"decimal cut", "ends in a number"}),
        ("12.25", "about 12", {"decimal cut", "ends in a number"}),
        ("12.25", "112", {"ends in a number"}),
        ("12.25", "12.25", {"ends in a number"}),
        ("St. Brendan", "St", {"gold cut"}),
        ("7", "7" + RUN_ON, {"run-on", "next example"}),
        ("7", "I count the trips.\nThere are 7", {"run-on", "answer after", "ends in a number"}),
        ("7", "", {"empty"}),
        ("7", " \n ", {"empty"}),
        ("Ada", "Ada", set()),
        (
            "7",
            "7" + "\n " * 100_000 + "Question 2" + " " * 100_000 + ":",
            {"run-on", "next example"},
        ),
        ("7", "7" + "\n " * 100_000 + "Question" + " " * 100_000 + "x", {"run-on"}),
    ],
)
def test_causes_are_named(gold, text, found):
    """Each by what the text and the gold answer show."""
    assert set(causes(asked(gold), generated("q", text), (), frozenset())) == found


def test_a_reader_that_failed_wrote_no_empty_text():
    failed = Prediction(question_id="q", error="timed out")
    assert set(causes(asked("7"), failed, (), frozenset())) == {"failed"}


def test_each_text_was_cut_at_its_own_stop(tmp_path):
    """Logs of two settings in one: 12 for 12.25 was cut where the point stopped it, else wrong."""
    one = loaded(make_run(tmp_path, "cut", lambda gold: gold.split(".")[0]))
    decimals = [each for each in one.questions if each.answers[0].texts[0] in ("12.25", "62.5")]
    stops = dict(zip([each.question_id for each in decimals], (".", "\n"), strict=True))
    said = {
        name: generated(name, before.answer.texts[0], stops=(stops.get(name, "\n"),))
        for name, before in one.predictions.items()
    }
    mixed = dataclasses.replace(
        one, submission=Submission(predictions=said), stops=("\n",), tail_lost=True
    )
    assert check(mixed).data["causes"]["decimal cut"] == 1


def judged(one, said, taken):
    """The finding on a run whose model wrote ``said(gold)``, of which a filter took ``taken``."""
    texts = {each.question_id: said(each.answers[0].texts[0]) for each in one.questions}
    found = {name: generated(name, text, taken=taken) for name, text in texts.items()}
    return check(dataclasses.replace(one, submission=Submission(predictions=found)))


def test_answers_that_were_not_taken_from_their_texts_are_told(tmp_path):
    """A filter that never fits: no stop helps, and what is lost are the right texts."""
    one = loaded(make_run(tmp_path, "right", lambda gold: gold))
    more = " ".join(f"w{number}" for number in range(2000))
    found = judged(one, lambda gold: f"{'sheep' if gold == '7' else gold} {more}", "[invalid]")
    assert {(row["changed"], row["f1"]) for row in found.data["recuts"]} == {(0, 0.0)}
    assert found.data["causes"]["not taken"] == 8 and found.verdict == "broken"
    assert found.headline.endswith("87.50 points are lost at 7 texts: not taken")


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        (lambda gold: f"The answer is {gold}.", None),
        (lambda gold: f"<think>\nIt says 4 or 5.\n</think>\n\n{gold}", None),
        (lambda gold: gold, "[invalid]"),
    ],
)
def test_what_a_harness_took_of_a_text_is_held_against_reading_it_anew(tmp_path, said, taken):
    """Whole texts hold the right answer; no stop brings it out."""
    one = loaded(make_run(tmp_path, "right", lambda gold: gold))
    found = judged(one, said, taken)
    assert found.verdict == "broken" and found.data["read_anew"]["f1"] == 1
    assert " reading the answers by --extract auto takes drop F1 from " in found.headline
    assert SENTENCES.say(found.headline, "zh") != found.headline
    anew = next(each for each in found.tables if each.title == "Answers read anew from the texts")
    assert [row[0] for row in anew.rows] == ["as saved", "--extract auto"]
    assert anew.headings[0] in OUR_CELLS
    assert not check(one).data["read_anew"], "without a text there is nothing to be read"
    healthy = judged(one, lambda gold: gold, None)
    assert healthy.verdict == "sound" and healthy.data["read_anew"]["changed"] == 0


@pytest.mark.parametrize(
    ("text", "answer", "told"),
    [
        ("The answer is 1,000.", "1000", False),
        ("Ada QUILL\nand Ben", "ada quill and ben", False),
        ("Ada and Ben", "Cy", True),
        ("-", "-", False),
        ("Ada", "", True),
    ],
)
def test_an_answer_is_taken_where_the_text_holds_it_but_for_how_it_is_written(text, answer, told):
    """Harnesses take marks out and change case."""
    prediction = generated("q", text, taken=answer)
    assert ("not taken" in set(causes(asked("7"), prediction, (), frozenset()))) is told


def test_the_token_limit_is_told_by_the_server():
    """The finish reason says it."""
    prediction = generated("q", "the ferry that", finish_reason="length")
    assert "token limit" in set(causes(asked("7"), prediction, (), frozenset()))


def test_a_copied_answer_is_one_that_many_questions_got():
    """The same long text, right nowhere."""
    text = "number,date,spans,worker_id,hit_id"
    assert "copied" in set(causes(asked("7"), generated("q", text), (), frozenset([text])))


def copied_in(subject):
    """Return the ids of the questions whose answers were copied, and the finding."""
    finding = check(subject)
    ids = set()
    for question in subject.questions:
        alone = check(subject.__class__(**vars(subject) | {"questions": (question,)}))
        if alone.data["causes"]["copied"]:
            ids.add(question.question_id)
    return ids, finding


def test_copies_in_a_log_with_prompts_are_known(tmp_path):
    """Each is an example's answer (for g7 the part before the stop); what the passage has is none.

    The model copied at g2, g4 and t4, too, but these answers stand in the question's own passage.
    """
    (run,) = ingest([FEW_SHOT], tmp_path / "run").runs
    ids, finding = copied_in(loaded(run))
    assert ids == {"g1", "g5", "g7", "t1", "t3", "i1", "i2"}
    assert finding.data["causes"]["copied"] == 7
    assert finding.data["copies_are"] == "known" and KNOWN in finding.notes


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
    ids, finding = copied_in(loaded(run))
    assert not ids and finding.data["copies_are"] == "guessed" and KNOWN not in finding.notes


def test_a_guess_says_that_it_is_one(tmp_path):
    """Ten questions of ten passages with one long text; nothing says what they were shown."""
    rows = [
        {"context": f"Passage: Boat {n} came.\nQuestion: Which?\nAnswer:", "completion": f" {n}"}
        for n in range(12)
    ]
    path = tmp_path / "ours.jsonl"
    path.write_text("".join(json.dumps(row | {"ref_text": ""}) + "\n" for row in rows))
    finding = check(loaded(make_run(tmp_path, "same", lambda gold: "number,date,spans")))
    assert finding.data["causes"]["copied"] == 12
    assert finding.data["copies_are"] == "guessed" and GUESSED in finding.notes


def test_sentences_that_are_right_here_and_there_are_no_copies(tmp_path):
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
    assert check(loaded(run)).data["causes"]["copied"] == 0


def test_the_headline_tells_what_the_verdict_owes_to(tmp_path):
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
    finding = check(loaded(make_run(tmp_path, "same", lambda gold: next(said))))
    assert finding.verdict == "broken"
    cutting, _, lost = finding.headline.partition("; ")
    assert cutting.startswith('same: cutting at "," takes drop F1 from ')
    assert lost == "30.00 points are lost at 12 texts: copied"
    assert SENTENCES.say(finding.headline, "zh").endswith("；12 条文本失去 30.00 分：照抄")


@pytest.mark.parametrize("shown", [None, ("unanswerable", "7")])
def test_who_says_that_there_is_no_answer_copies_none(shown):
    """Of fifteen times it is right ten times; a gold answer that is none has no text."""
    none = Answer(kind="none")
    names = [f"q{place}" for place in range(40)]
    texts = ["unanswerable" if place < 15 else f"Boat {place}" for place in range(40)]
    questions = tuple(
        msgspec.structs.replace(
            asked(f"Boat {place}"), question_id=name, passage_id=name, kind="span",
            **({"answers": (none,)} if place < 10 else {}),
        )
        for place, name in enumerate(names)
    )  # fmt: skip
    said = {
        name: msgspec.structs.replace(
            generated(name, text),
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
    questions = tuple(msgspec.structs.replace(asked(gold()), question_id=name) for name in shown)
    return check(
        Subject(
            name="run", dataset="set", sha256="", questions=questions, shown=shown,
            passages={"p": Passage(passage_id="p", text="Boats came.")}, stops_known=True,
            submission=Submission(
                predictions={
                    name: msgspec.structs.replace(
                        generated(name, text), answer=Answer(kind="span", texts=(text,))
                    )
                    for name, text in ((name, said(examples)) for name, examples in shown.items())
                }
            ),
        )
    )  # fmt: skip


def test_short_answers_come_again_by_chance():
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
    assert f" are lost at {beyond:.0f} texts: copied" in copying.headline
    assert f"; {beyond / 4:.2f} points" in copying.headline  # of 400 texts, all of them wrong


@pytest.mark.parametrize("others", [0, 5])
def test_where_all_prompts_show_the_same_a_short_answer_is_not_told_from_chance(others):
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


def test_prompts_without_examples_leave_nothing_to_copy(tmp_path):
    runs = ingest([ZERO_SHOT], tmp_path / "runs").runs
    (run,) = (run for run in runs if run.info.log.task == "drop_local")
    ids, finding = copied_in(loaded(run))
    assert not ids and finding.data["copies_are"] == "known"


class Copying:
    """Answers every other question with the first example of its prompt."""

    def __init__(self, examples):
        self._asking = Asking(examples=examples, extraction=Extraction())
        self.record = self._asking.record()
        self.copied = set()

    def read(self, items):
        for place, (passage, question) in enumerate(items):
            (ask,) = self._asking.asks(passage, question)
            ((_, example),) = self._asking.examples.drawn(passage, question)
            text = "I do not know"
            if place % 2 == 0:
                text = gold_of(example, "en")
                assert any(turn.content.endswith(text) for turn in ask.turns)
                self.copied.add(question.text)
            answer = Answer(kind="span", texts=(text,))
            yield Prediction(
                question_id=question.question_id, answer=answer, generation=Generation(text=text)
            )


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_copies_in_a_run_of_our_own_are_known(tmp_path, seed):
    """The examples are drawn again from the data set that the run names."""
    dataset = load(write_dataset(tmp_path))
    reader = Copying(Examples.opened(str(tmp_path / "ours.jsonl"), 1, seed))
    described = describe_reader("copying", {}, reader)
    run = predict(Job(dataset=dataset, reader=reader, reader_info=described), tmp_path / "run")
    ids, finding = copied_in(loaded(run))
    assert finding.data["copies_are"] == "known"
    assert len(reader.copied) == 4
    again = loaded(run)
    assert {one.text for one in again.questions if one.question_id in ids} == reader.copied

    file = tmp_path / "ours.jsonl"
    file.write_text(file.read_text().replace(PASSAGES[0][0], PASSAGES[0][0] + " Others sank."))
    assert answers_shown(run, again.passages, again.questions) is None


def test_cutting_at_the_line_break_restores_the_score(tmp_path):
    """Run-on text after right answers: all of the loss comes back."""
    finding = check(loaded(make_run(tmp_path, "run-on", lambda gold: gold + RUN_ON)))
    assert finding.verdict == "broken"
    assert 'cutting at "\\n" takes drop F1 from' in finding.headline
    assert "are lost" not in finding.headline  # what cutting mends is not told once more
    recuts = {row["stop"]: row for row in finding.data["recuts"]}
    assert recuts["\n"]["em"] == 1.0
    assert recuts["\n"]["changed"] == 8
    assert recuts[None]["em"] == 0.0
    assert finding.data["causes"]["next example"] == 8


def test_a_wrong_answer_before_a_next_example_is_wrong(tmp_path):
    """A model that knows nothing runs on as one that knows all: nothing is lost by that."""
    run = make_run(tmp_path, "weak", lambda gold: "the pier" + RUN_ON)
    said = {
        each.question_id: generated(each.question_id, each.answer.texts[0], finish_reason="length")
        for each in run.predictions()
    }
    for one in (
        loaded(run),
        dataclasses.replace(loaded(run), submission=Submission(predictions=said)),
    ):
        finding = check(one)
        assert finding.data["causes"]["next example"] == 8
        assert finding.verdict == "sound" and "are lost" not in finding.headline


def test_decimals_cut_at_the_point_are_found(tmp_path):
    """The stop "." took the decimals."""
    finding = check(loaded(make_run(tmp_path, "cut", lambda gold: gold.split(".")[0])))
    assert finding.verdict == "broken"
    assert finding.data["causes"]["decimal cut"] == 3
    assert finding.data["causes"]["gold cut"] == 1
    assert "decimal cut" in finding.headline


def test_clean_answers_are_sound(tmp_path):
    """Nothing to complain of."""
    finding = check(loaded(make_run(tmp_path, "gold", lambda gold: gold)))
    assert finding.verdict == "sound"


def test_the_oracle_rows_of_the_development_set(corpus, tmp_path):
    """Run-on oracle generations on all 9,536 questions: 0.00/13.41, 0.15/13.50, 100/100."""
    from closeread.formats.submissions import load_submission
    from closeread.runs.keep import keep

    dataset = load(corpus / "data/drop/drop_v0_dev.jsonl.gz")
    ending = "\n\nPassage: Hoping to rebound from their loss"
    said = {one.question_id: one.answers[0].texts[0] + ending for one in dataset.questions()}
    file = tmp_path / "oracle.json"
    file.write_text(json.dumps(said))
    run = keep(dataset, load_submission(file, dataset), (file,), tmp_path / "oracle")
    recuts = {row["stop"]: row for row in check(loaded(run)).data["recuts"]}
    shown = {
        stop: (round(100 * recuts[stop]["em"], 2), round(100 * recuts[stop]["f1"], 2))
        for stop in (None, ".", "\n")
    }
    print(f"{len(said)} questions: {shown}")
    assert shown == {None: (0.0, 13.41), ".": (0.15, 13.5), "\n": (100.0, 100.0)}


def test_no_column_stands_for_a_stop_that_is_none(tmp_path):
    """Where no other stop is better, the scores are told once."""
    finding = check(loaded(make_run(tmp_path, "cut", lambda gold: gold.split(".")[0])))
    endings = next(one for one in finding.tables if one.title == "How texts ended")
    assert not any("cut at" in heading for heading in endings.headings)
    assert {len(row) for row in endings.rows} == {len(endings.headings)}


@pytest.mark.parametrize(
    ("gold", "text", "stops", "found"),
    [
        ("St. Brendan 2.5", "St", (".",), {"gold cut"}),
        ("12.5 yards", "12", (".",), {"decimal cut", "ends in a number"}),
        ("3.5万元", "3", (".",), {"decimal cut", "ends in a number"}),
    ],
)
def test_only_a_point_between_digits_cuts_a_decimal(gold, text, stops, found):
    """Not the point of an abbreviation before it."""
    assert set(causes(asked(gold), generated("q", text), stops, frozenset())) == found


def test_a_text_that_is_whole_was_cut_nowhere(tmp_path):
    """A reader of ours without stops, whose texts are what the model wrote: 12 is but wrong."""
    one = loaded(make_run(tmp_path, "cut", lambda gold: gold.split(".")[0]))
    predictions = {
        name: Prediction(
            question_id=name, answer=found.answer, generation=Generation(text=found.answer.texts[0])
        )
        for name, found in one.predictions.items()
    }
    whole = dataclasses.replace(
        one, submission=Submission(predictions=predictions), stops_known=True, rule="drop"
    )
    counted = check(whole).data["causes"]
    assert (counted["decimal cut"], counted["gold cut"], counted["ends in a number"]) == (0, 0, 0)
    assert check(dataclasses.replace(whole, stops_known=False)).data["causes"]["decimal cut"] == 3


def test_what_the_run_takes_for_the_answer_is_taken_again(tmp_path):
    """Cut at a stop, the rule of the run is applied to the rest, not forgotten."""
    one = loaded(make_run(tmp_path, "said", lambda gold: gold))
    predictions = {
        name: Prediction(
            question_id=name, answer=found.answer,
            generation=Generation(text=f"Answer: {found.answer.texts[0]}\nQuestion: x"),
        )
        for name, found in one.predictions.items()
    }  # fmt: skip
    ours = dataclasses.replace(
        one, submission=Submission(predictions=predictions), stops_known=True, rule="drop",
        own_stops=(".",),
    )  # fmt: skip
    recuts = {row["stop"]: row for row in check(ours).data["recuts"]}
    assert recuts["\n"]["em"] == recuts[""]["em"] == 1.0
    assert recuts["."]["em"] < 1.0
    foreign = dataclasses.replace(ours, rule=None, own_stops=())
    recuts = {row["stop"]: row for row in check(foreign).data["recuts"]}
    assert recuts["\n"]["em"] == 1.0  # what the harness took out stands before the cut


def test_answers_that_change_are_counted_from_those_that_were_saved(tmp_path):
    """The run's own stop changes nothing, and not to cut at all changes what it had cut."""
    one = loaded(make_run(tmp_path, "said", lambda gold: gold))
    n = len(one.questions)
    predictions = {
        name: Prediction(
            question_id=name,
            answer=Answer(kind="span", texts=("Ada",)),
            generation=Generation(text="Ada\nQuestion: who?", stops=("\n",)),
        )
        for name in one.predictions
    }
    ours = dataclasses.replace(
        one, submission=Submission(predictions=predictions), stops_known=True, rule="none",
        own_stops=("\n",),
    )  # fmt: skip
    changed = {row["stop"]: row["changed"] for row in check(ours).data["recuts"]}
    assert (changed[None], changed["\n"], changed[""]) == (0, 0, n)


def test_spans_are_cut_one_by_one(tmp_path):
    """Answers without a text are no text joined by commas, which a stop could cut."""
    question = asked("x")
    answer = Answer(kind="spans", texts=("Smith", "Jones. And"))
    bare = Prediction(question_id="q", answer=answer)
    assert recut(question, bare, ",") == bare
    assert recut(question, bare, ".").answer.texts == ("Smith", "Jones")


def test_each_ending_has_its_score_at_every_stop(tmp_path):
    """Not only at the best one; and the points that are lost are of all questions."""
    finding = check(loaded(make_run(tmp_path, "run-on", lambda gold: gold + RUN_ON)))
    at = {row["stop"]: row["f1"] for row in finding.data["by_stop"]["run-on"]}
    assert at["\n"] == 1.0 and at[None] == finding.data["recuts"][0]["f1"]
    assert set(at) == {row["stop"] for row in finding.data["recuts"]}


def by_length(run):
    (table,) = [one for one in check(loaded(run)).tables if one.title == "Score against length"]
    assert table.headings == ("characters", "texts", "F1 %", "from %", "to %")
    assert table.note == "from, to: the interval at 95%, by 10,000 resamples"
    return table.rows


def test_a_score_by_length_has_the_interval_that_any_score_has(tmp_path):
    """Its units are the scorer's, passages: those of two texts are two, or one and the same."""
    for _, many, value, *bounds in by_length(make_run(tmp_path, "right", lambda gold: gold)):
        assert (many, value) == (2, 1.0)
        assert tuple(bounds) in [unseen(1.0, units, 0.95) for units in (1, 2)]
    half = make_run(tmp_path, "half", lambda gold: "7" if len(gold) < 5 else gold)
    assert all(low <= value <= high for *_, value, low, high in by_length(half))
    assert any(low > 0 for *_, low, _ in by_length(half))


def read_by_rule(tmp_path, said, rule, *stops):
    """A run of ours whose every text ended at the limit: ``said(gold)``, or "?" where it errs."""
    one = loaded(make_run(tmp_path, "said", lambda gold: gold))
    extraction = Extraction(stops=stops, rule=rule)
    predictions = {}
    for place, question in enumerate(one.questions):
        text = said(question.answers[0].texts[0] if place % 2 else "nobody knows")
        predictions[question.question_id] = Prediction(
            question_id=question.question_id,
            answer=extraction.answer(text, question),
            generation=Generation(text=text, finish_reason="length"),
        )
    return dataclasses.replace(
        one, submission=Submission(predictions=predictions), stops_known=True, rule=rule,
        own_stops=stops,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("said", "rule", "stops"),
    [
        (lambda gold: f" {gold}{RUN_ON}\nQuestion: Who?\nAnswer: x", "auto", ("\n",)),
        (lambda gold: f"{gold}, and so on for ever", "none", (", and",)),
        (lambda gold: f"Answer: {gold}\n\nQuestion: Who?", "auto", ()),
        (lambda gold: f"{gold}{RUN_ON}", "drop", ()),
    ],
)
def test_a_wrong_answer_is_no_loss_by_what_stands_behind_it(tmp_path, said, rule, stops):
    """Base models go on until the limit; their answer was read from before all that."""
    finding = check(read_by_rule(tmp_path, said, rule, *stops))
    assert finding.data["causes"]["token limit"] == 8
    assert finding.verdict == "sound", finding.headline
    assert "no answer was cut" in finding.headline


def test_an_answer_that_the_limit_may_have_cut_is_a_loss(tmp_path):
    """Reasoning without an end, and a next example that was read as the answer."""
    finding = check(read_by_rule(tmp_path, lambda gold: "Let us count the trips of", "auto"))
    assert finding.verdict == "broken"
    assert finding.headline.endswith("100.00 points are lost at 8 texts: token limit")
    other = tmp_path / "other"
    other.mkdir()
    read_on = read_by_rule(other, lambda gold: f"{gold}\nQuestion: Who?\nAnswer: x", "auto")
    assert check(read_on).verdict == "broken"


def test_an_answer_below_its_reasoning_is_no_next_example(tmp_path):
    """Nor did the run miss a gold answer which the reasoning only mentions."""

    def said(gold):
        return f"The text has numbers.\nThere are 7 and 12.25 and 1931.\nAnswer: {gold}"

    one = read_by_rule(tmp_path, said, "auto")
    whole = {
        name: msgspec.structs.replace(found, generation=Generation(text=found.generation.text))
        for name, found in one.predictions.items()
    }
    finding = check(dataclasses.replace(one, submission=Submission(predictions=whole)))
    assert finding.data["causes"]["next example"] == 0
    assert finding.data["causes"]["answer after"] > 0
    assert finding.verdict == "sound", finding.headline


def test_a_stop_of_the_run_that_the_server_had_too_is_one_candidate(tmp_path):
    one = loaded(make_run(tmp_path, "said", lambda gold: gold))
    ours = dataclasses.replace(one, stops=("##",), own_stops=("##",), rule="none")
    stops = [row["stop"] for row in check(ours).data["recuts"]]
    assert stops.count("##") == 1
