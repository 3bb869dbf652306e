"""What a change leaves, scores anew, or asks to generate again."""

import dataclasses

import pytest

from audit_runs import generated, loaded, make_run
from closeread.audits.replan import Change, check, lines, outcome
from closeread.errors import UsageError
from closeread.types import Answer, Prediction, Question

NEWLINE = Change(stops=("\n",), was=(".",))


@pytest.fixture
def one(tmp_path):
    return loaded(make_run(tmp_path, "cut", lambda gold: gold.split(".")[0]))


def asked(gold):
    return Question(
        question_id="q", passage_id="p", text="?", kind="discrete",
        answers=(Answer(kind="span", texts=(gold,)),),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("gold", "text", "change", "found"),
    [
        ("12.25", "12", NEWLINE, "decimal cut"),
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
    assert outcome(asked(gold), generated("q", text), one, change) == found


def test_a_text_that_ended_by_itself_is_not_cut(one):
    """The server said so."""
    ended = generated("q", "there were 7", finish_reason="eos")
    assert outcome(asked("7"), ended, one, NEWLINE) == "unaffected"


def test_an_extracted_answer_alone_cannot_be_extracted_again(one):
    """Its text is gone."""
    bare = Prediction(question_id="q", answer=Answer(kind="span", texts=("7",)))
    assert outcome(asked("7"), bare, one, Change(extract=True)) == "no text"
    assert outcome(asked("7"), None, one, Change(normalizer=True)) == "no answer"


def test_stops_sent_to_the_server_lost_the_tail(one):
    """Then the run itself says at what its texts were cut."""
    sent = dataclasses.replace(one, stops=(".",), tail_lost=True)
    change = Change(stops=("\n",))
    assert (
        outcome(asked("12.25"), generated("q", "12", stops=(".",)), sent, change) == "decimal cut"
    )


def test_counts_cost_and_list(one):
    """Eight answers cut at the point: four were cut inside gold, the rest may go on."""
    finding = check(one, NEWLINE, tokens_per_second=1000)
    counts = finding.data["counts"]
    assert counts["decimal cut"] == 3
    assert counts["gold cut"] == 1
    assert sum(counts.values()) == 8
    assert finding.data["cost"]["questions"] == 8
    tokens = finding.data["cost"]["prompt_tokens"] + finding.data["cost"]["completion_tokens"]
    assert finding.data["cost"]["gpu_hours"] == pytest.approx(tokens / 1000 / 3600, rel=0.01)
    listed = list(lines(finding))
    assert len(listed) == 8
    assert listed[0].split("\t")[1] == "decimal cut"


def test_a_change_of_nothing_is_refused(one):
    """Say what is to be changed."""
    with pytest.raises(UsageError, match="nothing is to be changed"):
        check(one, Change())


def test_unknown_stops_may_have_been_any(one):
    """A log that lost the tail and does not name its stops proves nothing whole."""
    lost = dataclasses.replace(one, stops=(), tail_lost=True)
    assert outcome(asked("Ada"), generated("q", "Ada Quill"), lost, Change(
        stops=("\n",)
    )) == "may go on"  # fmt: skip


def test_an_answer_was_cut_at_its_own_stops(one):
    """Not at those of most others."""
    sent = dataclasses.replace(one, stops=("\n",), tail_lost=True)
    change = Change(stops=("\n",))
    own = generated("q", "12", stops=(".",))
    assert outcome(asked("12.25"), own, sent, change) == "decimal cut"
    assert outcome(asked("12.25"), generated("q", "12"), sent, change) == "unaffected"
