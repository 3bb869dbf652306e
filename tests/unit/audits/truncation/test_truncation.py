"""How texts ended, and what cutting them elsewhere does."""

import dataclasses
import json

import msgspec
import pytest

from audit_runs import generated_prediction, load_run, make_run, question_with_golds
from closeread import load
from closeread.audits.truncation.check import check
from closeread.audits.truncation.endings import iter_causes
from closeread.audits.truncation.recuts import recut
from closeread.metrics.intervals import unseen_bounds
from closeread.readers.generative.extraction import Extraction
from closeread.reports.words.audit_sentences import OUR_CELLS, SENTENCES
from closeread.types import Answer, Generation, Prediction, Submission

RUN_ON = "\n\nPassage: The town has 7 wards"


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
def test_causes_of_endings_are_classified(gold, text, found):
    """Each by what the text and the gold answer show."""
    assert (
        set(
            iter_causes(question_with_golds(gold), generated_prediction("q", text), (), frozenset())
        )
        == found
    )


def test_a_failure_is_not_an_empty_text():
    failed = Prediction(question_id="q", error="timed out")
    assert set(iter_causes(question_with_golds("7"), failed, (), frozenset())) == {"failed"}


def test_each_text_was_cut_at_its_own_stop(tmp_path):
    """Logs of two settings in one: 12 for 12.25 was cut where the point stopped it, else wrong."""
    one = load_run(make_run(tmp_path, "cut", lambda gold: gold.split(".")[0]))
    decimals = [each for each in one.questions if each.answers[0].texts[0] in ("12.25", "62.5")]
    stops = dict(zip([each.question_id for each in decimals], (".", "\n"), strict=True))
    said = {
        name: generated_prediction(name, before.answer.texts[0], stops=(stops.get(name, "\n"),))
        for name, before in one.predictions.items()
    }
    mixed = dataclasses.replace(
        one, submission=Submission(predictions=said), stops=("\n",), tail_lost=True
    )
    assert check(mixed).data["causes"]["decimal cut"] == 1


def check_filtered_run(one, said, taken):
    """The finding on a run whose model wrote ``said(gold)``, of which a filter took ``taken``."""
    texts = {each.question_id: said(each.answers[0].texts[0]) for each in one.questions}
    found = {name: generated_prediction(name, text, taken=taken) for name, text in texts.items()}
    return check(dataclasses.replace(one, submission=Submission(predictions=found)))


def test_answers_missing_from_their_texts_are_reported(tmp_path):
    """A filter that never fits: no stop helps, and what is lost are the right texts."""
    one = load_run(make_run(tmp_path, "right", lambda gold: gold))
    more = " ".join(f"w{number}" for number in range(2000))
    found = check_filtered_run(
        one, lambda gold: f"{'sheep' if gold == '7' else gold} {more}", "[invalid]"
    )
    assert {(row["changed"], row["f1"]) for row in found.data["recuts"]} == {(0, 0.0)}
    assert found.data["causes"]["not taken"] == 8 and found.verdict == "broken"
    assert found.headline.endswith("87.50 points are lost in 7 texts: not taken")


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        (lambda gold: f"The answer is {gold}.", None),
        (lambda gold: f"<think>\nIt says 4 or 5.\n</think>\n\n{gold}", None),
        (lambda gold: gold, "[invalid]"),
    ],
)
def test_saved_answers_are_compared_with_extracted_ones(tmp_path, said, taken):
    """Whole texts hold the right answer; no stop brings it out."""
    one = load_run(make_run(tmp_path, "right", lambda gold: gold))
    found = check_filtered_run(one, said, taken)
    assert found.verdict == "broken" and found.data["read_anew"]["f1"] == 1
    assert " extracting the answers with --extract auto changes drop F1 from " in found.headline
    assert SENTENCES.say(found.headline, "zh") != found.headline
    anew = next(
        each for each in found.tables if each.title == "Answers extracted again from the texts"
    )
    assert [row[0] for row in anew.rows] == ["as saved", "--extract auto"]
    assert anew.headings[0] in OUR_CELLS
    assert not check(one).data["read_anew"], "without a text there is nothing to be read"
    healthy = check_filtered_run(one, lambda gold: gold, None)
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
def test_answers_are_matched_ignoring_marks_and_case(text, answer, told):
    """Harnesses take marks out and change case."""
    prediction = generated_prediction("q", text, taken=answer)
    assert (
        "not taken" in set(iter_causes(question_with_golds("7"), prediction, (), frozenset()))
    ) is told


def test_the_finish_reason_shows_the_token_limit():
    """The finish reason says it."""
    prediction = generated_prediction("q", "the ferry that", finish_reason="length")
    assert "token limit" in set(iter_causes(question_with_golds("7"), prediction, (), frozenset()))


def test_cutting_at_the_line_break_restores_the_score(tmp_path):
    """Run-on text after right answers: all of the loss comes back."""
    finding = check(load_run(make_run(tmp_path, "run-on", lambda gold: gold + RUN_ON)))
    assert finding.verdict == "broken"
    assert 'cutting at "\\n" changes drop F1 from' in finding.headline
    assert "are lost" not in finding.headline  # what cutting mends is not told once more
    recuts = {row["stop"]: row for row in finding.data["recuts"]}
    assert recuts["\n"]["em"] == 1.0
    assert recuts["\n"]["changed"] == 8
    assert recuts[None]["em"] == 0.0
    assert finding.data["causes"]["next example"] == 8


def test_a_wrong_answer_before_a_next_example_is_no_loss(tmp_path):
    """A model that knows nothing runs on as one that knows all: nothing is lost by that."""
    run = make_run(tmp_path, "weak", lambda gold: "the pier" + RUN_ON)
    said = {
        each.question_id: generated_prediction(
            each.question_id, each.answer.texts[0], finish_reason="length"
        )
        for each in run.predictions()
    }
    for one in (
        load_run(run),
        dataclasses.replace(load_run(run), submission=Submission(predictions=said)),
    ):
        finding = check(one)
        assert finding.data["causes"]["next example"] == 8
        assert finding.verdict == "sound" and "are lost" not in finding.headline


def test_decimals_cut_at_the_point_are_found(tmp_path):
    """The stop "." took the decimals."""
    finding = check(load_run(make_run(tmp_path, "cut", lambda gold: gold.split(".")[0])))
    assert finding.verdict == "broken"
    assert finding.data["causes"]["decimal cut"] == 3
    assert finding.data["causes"]["gold cut"] == 1
    assert "decimal cut" in finding.headline


def test_clean_answers_are_sound(tmp_path):
    """Nothing to complain of."""
    finding = check(load_run(make_run(tmp_path, "gold", lambda gold: gold)))
    assert finding.verdict == "sound"


def test_oracle_rows_of_the_development_set_match(corpus, tmp_path):
    """Run-on oracle generations on all 9,536 questions: 0.00/13.41, 0.15/13.50, 100/100."""
    from closeread.formats.submissions import load_submission
    from closeread.runs.from_submission import save_submission

    dataset = load(corpus / "data/drop/drop_v0_dev.jsonl.gz")
    ending = "\n\nPassage: Hoping to rebound from their loss"
    said = {one.question_id: one.answers[0].texts[0] + ending for one in dataset.questions()}
    file = tmp_path / "oracle.json"
    file.write_text(json.dumps(said))
    run = save_submission(dataset, load_submission(file, dataset), (file,), tmp_path / "oracle")
    recuts = {row["stop"]: row for row in check(load_run(run)).data["recuts"]}
    shown = {
        stop: (round(100 * recuts[stop]["em"], 2), round(100 * recuts[stop]["f1"], 2))
        for stop in (None, ".", "\n")
    }
    print(f"{len(said)} questions: {shown}")
    assert shown == {None: (0.0, 13.41), ".": (0.15, 13.5), "\n": (100.0, 100.0)}


def test_without_a_best_stop_there_is_no_column_for_it(tmp_path):
    """Where no other stop is better, the scores are told once."""
    finding = check(load_run(make_run(tmp_path, "cut", lambda gold: gold.split(".")[0])))
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
    assert (
        set(
            iter_causes(
                question_with_golds(gold), generated_prediction("q", text), stops, frozenset()
            )
        )
        == found
    )


def test_a_whole_text_was_not_cut(tmp_path):
    """A reader of ours without stops, whose texts are what the model wrote: 12 is but wrong."""
    one = load_run(make_run(tmp_path, "cut", lambda gold: gold.split(".")[0]))
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


def test_recuts_use_the_rule_of_the_run(tmp_path):
    """Cut at a stop, the rule of the run is applied to the rest, not forgotten."""
    one = load_run(make_run(tmp_path, "said", lambda gold: gold))
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


def test_changed_answers_are_counted_against_saved_ones(tmp_path):
    """The run's own stop changes nothing, and not to cut at all changes what it had cut."""
    one = load_run(make_run(tmp_path, "said", lambda gold: gold))
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


def test_each_span_is_cut_separately(tmp_path):
    """Answers without a text are no text joined by commas, which a stop could cut."""
    question = question_with_golds("x")
    answer = Answer(kind="spans", texts=("Smith", "Jones. And"))
    bare = Prediction(question_id="q", answer=answer)
    assert recut(question, bare, ",") == bare
    assert recut(question, bare, ".").answer.texts == ("Smith", "Jones")


def test_each_ending_has_its_score_at_every_stop(tmp_path):
    """Not only at the best one; and the points that are lost are of all questions."""
    finding = check(load_run(make_run(tmp_path, "run-on", lambda gold: gold + RUN_ON)))
    at = {row["stop"]: row["f1"] for row in finding.data["by_stop"]["run-on"]}
    assert at["\n"] == 1.0 and at[None] == finding.data["recuts"][0]["f1"]
    assert set(at) == {row["stop"] for row in finding.data["recuts"]}


def length_table_rows(run):
    (table,) = [one for one in check(load_run(run)).tables if one.title == "Score by text length"]
    assert table.headings == ("characters", "texts", "F1 %", "from %", "to %")
    assert table.note == "from, to: the 95% interval, from 10,000 resamples"
    return table.rows


def test_scores_by_length_have_usual_intervals(tmp_path):
    """Its units are the scorer's, passages: those of two texts are two, or one and the same."""
    for _, many, value, *bounds in length_table_rows(
        make_run(tmp_path, "right", lambda gold: gold)
    ):
        assert (many, value) == (2, 1.0)
        assert tuple(bounds) in [unseen_bounds(1.0, units, 0.95) for units in (1, 2)]
    half = make_run(tmp_path, "half", lambda gold: "7" if len(gold) < 5 else gold)
    assert all(low <= value <= high for *_, value, low, high in length_table_rows(half))
    assert any(low > 0 for *_, low, _ in length_table_rows(half))


def make_run_by_rule(tmp_path, said, rule, *stops):
    """A run of ours whose every text ended at the limit: ``said(gold)``, or "?" where it errs."""
    one = load_run(make_run(tmp_path, "said", lambda gold: gold))
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
def test_text_after_a_wrong_answer_is_no_loss(tmp_path, said, rule, stops):
    """Base models go on until the limit; their answer was read from before all that."""
    finding = check(make_run_by_rule(tmp_path, said, rule, *stops))
    assert finding.data["causes"]["token limit"] == 8
    assert finding.verdict == "sound", finding.headline
    assert "no answer was cut" in finding.headline


def test_an_answer_that_the_limit_may_have_cut_is_a_loss(tmp_path):
    """Reasoning without an end, and a next example that was read as the answer."""
    finding = check(make_run_by_rule(tmp_path, lambda gold: "Let us count the trips of", "auto"))
    assert finding.verdict == "broken"
    assert finding.headline.endswith("100.00 points are lost in 8 texts: token limit")
    other = tmp_path / "other"
    other.mkdir()
    read_on = make_run_by_rule(other, lambda gold: f"{gold}\nQuestion: Who?\nAnswer: x", "auto")
    assert check(read_on).verdict == "broken"


def test_an_answer_after_reasoning_is_not_a_next_example(tmp_path):
    """Nor did the run miss a gold answer which the reasoning only mentions."""

    def said(gold):
        return f"The text has numbers.\nThere are 7 and 12.25 and 1931.\nAnswer: {gold}"

    one = make_run_by_rule(tmp_path, said, "auto")
    whole = {
        name: msgspec.structs.replace(found, generation=Generation(text=found.generation.text))
        for name, found in one.predictions.items()
    }
    finding = check(dataclasses.replace(one, submission=Submission(predictions=whole)))
    assert finding.data["causes"]["next example"] == 0
    assert finding.data["causes"]["answer after"] > 0
    assert finding.verdict == "sound", finding.headline


def test_a_stop_of_run_and_server_is_one_candidate(tmp_path):
    one = load_run(make_run(tmp_path, "said", lambda gold: gold))
    ours = dataclasses.replace(one, stops=("##",), own_stops=("##",), rule="none")
    stops = [row["stop"] for row in check(ours).data["recuts"]]
    assert stops.count("##") == 1
