"""What a change leaves, scores anew, or asks to generate again."""

import dataclasses
import json
from pathlib import Path

import msgspec
import pytest

from audit_runs import generated_prediction, load_run, make_run
from closeread.audits.replan import Change, check, outcome, plan_lines
from closeread.audits.replan_total import sum_plans
from closeread.errors import UsageError
from closeread.runs.ingest import ingest
from closeread.runs.selection import ONLY, read_list, write_list
from closeread.types import Answer, Passage, Prediction, Question, Submission

FEW_SHOT = Path(__file__).parents[1] / "logs/fixtures/lm_eval_few_shot"

NEWLINE = Change(stops=("\n",), was=(".",))


@pytest.fixture
def one(tmp_path):
    return load_run(make_run(tmp_path, "cut", lambda gold: gold.split(".")[0]))


def make_question(gold):
    return Question(
        question_id="q", passage_id="p", text="?", kind="discrete",
        answers=(Answer(kind="span", texts=(gold,)),),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("gold", "text", "change", "found"),
    [
        ("12.25", "12", NEWLINE, "decimal cut"),
        ("12.25", "The answer is 12", NEWLINE, "decimal cut"),
        ("12.25", "The answer is 112", NEWLINE, "ends in a number"),
        ("St. Brendan", "St", NEWLINE, "gold cut"),
        ("7", "there were 7", NEWLINE, "ends in a number"),
        ("Ada", "Ada Quill", NEWLINE, "may go on"),
        ("7", "7\n\nPassage: more", NEWLINE, "scored anew"),
        ("7", "7", Change(normalizer=True), "scored anew"),
        ("7", "7", Change(prompt=True), "new prompt"),
        ("7", "7", Change(stops=("\n",)), "unaffected"),
        ("7", "7\nmore", Change(stops=("\n",)), "scored anew"),
        ("7", "7 trips", Change(stops=(".", "\n"), was=(".",)), "unaffected"),
    ],
)
def test_each_answer_has_one_outcome(one, gold, text, change, found):
    """By the texts, the old stop and the new one."""
    assert outcome(make_question(gold), generated_prediction("q", text), one, change) == found


def test_a_text_that_ended_itself_is_not_cut(one):
    """The server said so."""
    ended = generated_prediction("q", "there were 7", finish_reason="eos")
    assert outcome(make_question("7"), ended, one, NEWLINE) == "unaffected"


def test_extraction_needs_a_saved_text(one):
    """Its text is gone."""
    bare = Prediction(question_id="q", answer=Answer(kind="span", texts=("7",)))
    assert outcome(make_question("7"), bare, one, Change(extract=True)) == "no text"
    assert outcome(make_question("7"), None, one, Change(normalizer=True)) == "no answer"


def test_stops_sent_to_the_server_lost_the_tail(one):
    """Then the run itself says at what its texts were cut."""
    sent = dataclasses.replace(one, stops=(".",), tail_lost=True)
    change = Change(stops=("\n",))
    assert (
        outcome(make_question("12.25"), generated_prediction("q", "12", stops=(".",)), sent, change)
        == "decimal cut"
    )


def test_the_plan_has_counts_cost_and_list(one):
    """Eight answers cut at the point: four were cut inside gold, the rest may go on."""
    finding = check(one, NEWLINE, tokens_per_second=1000)
    counts = finding.data["counts"]
    assert counts["decimal cut"] == 3
    assert counts["gold cut"] == 1
    assert sum(counts.values()) == 8
    assert finding.data["cost"]["questions"] == 8
    tokens = finding.data["cost"]["prompt_tokens"] + finding.data["cost"]["completion_tokens"]
    assert finding.data["cost"]["gpu_hours"] == pytest.approx(tokens / 1000 / 3600, rel=0.01)
    listed = list(plan_lines(finding))
    assert len(listed) == 8
    assert listed[0].split("\t")[1] == "decimal cut"


def test_examples_in_the_prompts_cost_tokens_too(tmp_path):
    """Of a log with prompts the estimate is near their length; else it says what it lacks."""
    (run,) = ingest([FEW_SHOT], tmp_path / "run").runs
    (samples,) = FEW_SHOT.glob("samples*")
    rows = [json.loads(line) for line in samples.read_text("utf-8").splitlines()]
    length = sum(len(row["arguments"]["gen_args_0"]["arg_0"]) / 4 for row in rows)
    one = load_run(run)
    change = Change(prompt=True)
    assert check(one, change).data["cost"]["prompt_tokens"] == pytest.approx(length, rel=0.35)
    bare = check(dataclasses.replace(one, shown=None), change)
    assert bare.data["cost"]["prompt_tokens"] < length / 2
    assert bare.tables[1].note.endswith("without the examples that the prompts may have")


def test_an_empty_change_is_rejected(one):
    """Say what is to be changed."""
    with pytest.raises(UsageError, match="no change is given"):
        check(one, Change())


def test_unknown_stops_may_be_any_stops(one):
    """A log that lost the tail and does not name its stops proves nothing whole."""
    lost = dataclasses.replace(one, stops=(), tail_lost=True)
    assert outcome(make_question("Ada"), generated_prediction("q", "Ada Quill"), lost, Change(
        stops=("\n",)
    )) == "may go on"  # fmt: skip


def test_an_answer_was_cut_at_its_own_stops(one):
    """Not at those of most others."""
    sent = dataclasses.replace(one, stops=("\n",), tail_lost=True)
    change = Change(stops=("\n",))
    own = generated_prediction("q", "12", stops=(".",))
    assert outcome(make_question("12.25"), own, sent, change) == "decimal cut"
    assert (
        outcome(make_question("12.25"), generated_prediction("q", "12"), sent, change)
        == "unaffected"
    )


def test_a_list_can_hold_any_id(one, tmp_path):
    """Tabs, line breaks, quotes, blanks: what is written is what is read."""
    ids = [
        "q1",
        " q 2 ",
        "q\t3",
        "q\n4",
        "q5\r",
        '"q6"',
        '"q7',
        "q\u20288",
        "\t",
        "题9",
        "\\n",
        " ",
    ]
    base = one.questions[0]
    odd = dataclasses.replace(
        one, questions=tuple(msgspec.structs.replace(base, question_id=name) for name in ids)
    )
    path = tmp_path / "list.txt"
    path.write_bytes("".join(f"{row}\n" for row in plan_lines(check(odd, NEWLINE))).encode())
    assert sorted(read_list(path)) == sorted(ids)
    write_list(tmp_path, ids)
    assert read_list(tmp_path / ONLY) == tuple(ids)


def test_lists_with_other_line_ends_or_columns_are_read(tmp_path):
    """A mark and lines' ends as Windows writes them; quotes that are no JSON are an id's own."""
    path = tmp_path / "list.txt"
    path.write_bytes(b'\xef\xbb\xbfq1\r\nq2\twhy\r\n"q3\r\n\r\n')
    assert read_list(path) == ("q1", "q2", '"q3')


def test_a_chinese_character_is_about_a_token(one):
    """Four characters a token are those of words written apart."""
    costs = {}
    for text in ("abcd" * 100, "灯塔看守" * 100):
        passages = {name: Passage(passage_id=name, text=text) for name in one.passages}
        found = check(dataclasses.replace(one, passages=passages), NEWLINE)
        costs[text[0]] = found.data["cost"]["prompt_tokens"]
    assert costs["灯"] - costs["a"] == 8 * 300


def test_throughput_is_measured_from_the_run(one):
    """Where it counted tokens and time; else it is asked for a number."""
    predictions = {
        question.question_id: generated_prediction(
            question.question_id, "7", prompt_tokens=90, completion_tokens=10, stops=(".",)
        )
        for question in one.questions
    }
    timed = dataclasses.replace(
        one, submission=Submission(predictions=predictions), seconds=4.0, tail_lost=True
    )
    finding = check(timed, NEWLINE, tokens_per_second="run")
    cost = finding.data["cost"]
    assert cost["tokens_per_second"] == 200
    assert cost["gpu_hours"] == pytest.approx(800 / 200 / 3600)
    assert finding.notes
    with pytest.raises(UsageError, match="does not record its speed"):
        check(one, NEWLINE, tokens_per_second="run")


@pytest.mark.parametrize(
    ("gold", "text", "found"),
    [("12.5 yards", "12", "decimal cut"), ("St. Brendan 2.5", "St", "gold cut")],
)
def test_only_a_point_between_digits_cuts_a_decimal(one, gold, text, found):
    """As the truncation check has it."""
    assert outcome(make_question(gold), generated_prediction("q", text), one, NEWLINE) == found


def test_own_stops_of_a_run_are_compared_with_the_new_ones(tmp_path):
    """A reader of ours saves whole texts: its own stop cuts when answers are read."""
    one = load_run(make_run(tmp_path, "run", lambda gold: gold))
    texts = {name: f"{found.answer.texts[0]}\nPassage" for name, found in one.predictions.items()}
    ours = dataclasses.replace(
        one,
        submission=Submission(
            predictions={k: generated_prediction(k, text) for k, text in texts.items()}
        ),
        stops_known=True, rule="auto", own_stops=("\n",),
    )  # fmt: skip
    for stops, cause in ((("\n",), "unaffected"), ((), "scored anew"), (("Pass",), "scored anew")):
        assert check(ours, Change(stops=stops)).data["counts"][cause] == 8, stops


def test_plans_of_several_runs_are_summed(tmp_path):
    """The run of which most must be generated again stands first; what it costs is the sum."""
    runs = [
        load_run(make_run(tmp_path, "runs-on", lambda gold: f"{gold}\n\nPassage: more")),
        load_run(make_run(tmp_path, "cut", lambda gold: gold.split(".")[0])),
    ]
    plans = [check(one, NEWLINE, tokens_per_second=1000) for one in runs]
    found = sum_plans([one.name for one in runs], plans, NEWLINE)
    assert found.headline.startswith('2 runs, stop at "\\n": 8 of 16 answers (50.0 %)')
    assert [row[:4] for row in found.tables[0].rows] == [("cut", 8, 0, 8), ("runs-on", 8, 8, 0)]
    costs = [plan.data["cost"] for plan in plans]
    assert found.data["gpu_hours"] == pytest.approx(sum(cost["gpu_hours"] for cost in costs))
    tokens = sum(cost["prompt_tokens"] + cost["completion_tokens"] for cost in costs)
    assert found.data["tokens"] == tokens > 0 and found.verdict == "doubtful"
