"""Pointed blindly at scorers, the promises find every defect that is known of them."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from closeread import load
from closeread.audits.metamorphic.examine import examine, pick_varied
from closeread.audits.metamorphic.planting import SPECIMENS, plant_random_bugs, summarize
from closeread.audits.metamorphic.relations import RELATIONS
from closeread.metrics.others.foreign import ForeignScorer
from closeread.registry import lookup
from closeread.types import Answer, Option, Question
from project_paths import ROOT


def make_question(place, *texts):
    kind = "span" if len(texts) == 1 else "spans"
    return Question(
        question_id=f"q{place}", passage_id=f"p{place // 3}", text="What?", kind="discrete",
        answers=(Answer(kind=kind, texts=texts),),
    )  # fmt: skip


ENGLISH = [
    make_question(place, *texts)
    for place, texts in enumerate(
        [
            ("7",), ("12.25",), ("46820",), ("The Harbour Gazette",), ("30-tonne crane",),
            ("St. Brendan Ferry",), ("Ada Quill", "Tom Birch"), ("red", "green", "blue"),
            ("19 May 1907",), ("lantern",), ("0.6",), ("218",), ("keeper's lamp",),
            ("slow green river boats",), ("ninety sheep, two goats",),
        ]
    )
]  # fmt: skip
CHINESE = [
    make_question(place, text)
    for place, text in enumerate(["灯塔看守人", "1907年", "青石桥", "蓝色的旧渡船", "渡口"])
]


def triples():
    found = []
    for place in range(12):
        for turn, role in enumerate(("original", "positive", "negative")):
            found.append(
                Question(
                    question_id=f"t{place}#{role}", passage_id="p", text="?", kind="verification",
                    options=tuple(Option(label=label, text=label) for label in "ABCD"),
                    answers=(Answer(kind="choice", label="ABCD"[(place + turn) % 4]),),
                    group_id=f"t{place}", role=role,
                )
            )  # fmt: skip
    return found


def split_at_commas():
    """A scorer that takes a gold answer with commas for several answers."""

    def judge(texts, golds):
        accepted = {part.strip() for gold in golds for text in gold for part in text.split(",")}
        return {"em": float(texts[0] in accepted) if texts else 0.0}

    return ForeignScorer(name="commas", version="1", keys=("em",), judge=judge)


def make_case_insensitive_scorer():
    """A scorer that forgives case and nothing else."""

    def judge(texts, golds):
        return {"em": float(any(texts[:1] == (gold[0],) for gold in golds))}

    return ForeignScorer(name="quasi", version="1", keys=("em",), judge=judge)


def make_older_inspect():
    """Inspect's scorer before it counted words as often as they stand."""
    return lookup.resolve("metric", "inspect")(version="499e6152")


KNOWN = [
    ("a line break after a number", "drop", ENGLISH, "run-on", "em"),
    ("a tab inside an answer", "drop", ENGLISH, "other-blanks", "em"),
    ("a decimal number before a full stop", "drop", ENGLISH, "point-behind", "em"),
    ("a currency sign swallows the point", "drop", ENGLISH, "currency", "em"),
    ("a percent sign swallows the point", "drop", ENGLISH, "percent", "em"),
    ("the sign is lost", "drop", ENGLISH, "sign", "em"),
    ("1/2 is 12", "drop", ENGLISH, "fraction", "em"),
    ("sets, not bags, of spans", "drop", ENGLISH, "span-repeated", "em"),
    ("exact match without F1", "drop", ENGLISH, "agreement", "f1"),
    ("the harness passes on one string", "lm-eval", ENGLISH, "span-joined", "drop.em"),
    ("exact match blind to the number of spans", "lighteval", ENGLISH, "span-repeated", "drop.em"),
    ("the largest instead of the mean", "lighteval", ENGLISH, "wrong-third", "lighteval.drop.f1"),
    ("plain strings", "lighteval", ENGLISH, "thousands", "exact_match"),
    ("spans joined by a bare comma", "inspect", ENGLISH, "itself", "f1"),
    ("words are counted once", make_older_inspect, ENGLISH, "repeated-word", "f1"),
    ("a Unicode minus", "inspect", ENGLISH, "minus", "f1"),
    ("a substring is enough", "simple-evals", ENGLISH, "other-digits", "drop.score"),
    ("a substring is enough", "opencompass", ENGLISH, "other-letters", "drop"),
    ("decimals cut at the point", "opencompass", ENGLISH, "other-decimals", "em"),
    ("thousands cut at the comma", "opencompass", ENGLISH, "other-thousands", "em"),
    ("names cut at the point", "opencompass", ENGLISH, "other-word", "em"),
    ("only the first span", "squad", ENGLISH, "span-other", "f1"),
    ("articles only: exact match 1, F1 0", "squad", ENGLISH, "agreement", "f1"),
    ("articles only: exact match 1, F1 0", "mrqa", ENGLISH, "itself", "f1"),
    ("a Chinese answer is one word", "evaluate", CHINESE, "nearly", "squad.f1"),
    ("full-width marks stay", "evaluate", CHINESE, "full-stop", "squad.em"),
    ("missing ids shrink the denominator", "gcrc", triples(), "left-out", "gcrc.score"),
    ("repeated ids lift the Score", "gcrc", triples(), "variant-twice", "gcrc.score"),
    ("unknown ids count", "gcrc", triples(), "unknown-id", "gcrc.score"),
    ("missing answers leave the mean", "squad2", ENGLISH, "left-out", "squad2.f1"),
    ("gold split at commas", split_at_commas, ENGLISH, "itself", "em"),
    ("a trailing full stop", make_case_insensitive_scorer, ENGLISH, "full-stop", "em"),
]


@pytest.mark.parametrize(
    ("defect", "name", "questions", "relation", "value"), KNOWN, ids=[one[0] for one in KNOWN]
)
def test_every_known_defect_is_found(defect, name, questions, relation, value):
    """The promises know of no scorer, and their smallest counterexample is small."""
    metric = name() if callable(name) else lookup.resolve("metric", name)()
    found = [
        one
        for one in examine(metric, questions).broken
        if one.relation == relation and one.value == value
    ]
    assert len(found) == 1, defect
    page = (ROOT / "docs" / "audit.md").read_text("utf-8").splitlines()
    told = [line for line in page if line.startswith(f"| {defect} |")]
    assert any(line.endswith(f"| {found[0].example()} |") for line in told), found[0].example()
    assert sum(map(len, found[0].gold)) <= 9, found[0].example()
    assert found[0].before != found[0].after or relation in {
        "sign", "fraction", "span-repeated", "repeated-word", "other-digits", "other-letters",
        "other-decimals", "other-thousands", "other-word", "span-other", "wrong-third", "itself",
        "nearly",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "questions", "kept"),
    [
        ("drop~whitespace", ENGLISH, {"other-blanks"}),
        (
            "drop~fixed",
            ENGLISH,
            {
                "run-on", "other-blanks", "point-behind", "currency", "percent", "sign", "fraction",
                "minus", "thousands", "full-stop", "full-width", "dashes", "number-words",
                "lost-point",
            },
        ),
        ("gcrc~strict", triples(), {"left-out", "variant-twice", "unknown-id", "wrong-counts"}),
        ("cmrc~mixed", CHINESE, {"full-stop", "full-width", "comma", "quotes", "nearly", "itself"}),
    ],
)  # fmt: skip
def test_mended_scorers_keep_their_promises(name, questions, kept):
    """The mended scorers break none of the promises that they were mended for."""
    broken = {one.relation for one in examine(lookup.resolve("metric", name)(), questions).broken}
    assert not broken & kept


def test_promises_do_not_contradict_each_other():
    """A scorer keeps all of them but what DROP means by its measure: words and spans are sets."""
    found = examine(lookup.resolve("metric", "drop~fixed")(), ENGLISH).broken
    sets = {"repeated-word", "span-repeated", "span-joined", "agreement"}
    assert {one.relation for one in found} <= sets


def test_a_counterexample_is_minimal():
    """The newline defect needs a digit, a line break and a letter."""
    found = examine(lookup.resolve("metric", "drop")(), ENGLISH).broken
    newline = next(one for one in found if one.relation == "run-on" and one.value == "em")
    assert len(newline.gold[0]) == 1
    assert newline.second_answer == (f"{newline.gold[0]}\nx",)
    assert newline.example() == f"gold `{newline.gold[0]}`: `{newline.gold[0]}\\nx` 0"


@pytest.mark.parametrize("name", ["drop", "opencompass", "lighteval", "squad"])
def test_a_counterexample_is_a_plausible_answer(name):
    """No lone mark, and no blank at an end, where the question had none."""
    found = examine(lookup.resolve("metric", name)(), ENGLISH).broken
    golds = [text for one in found for text in one.gold]
    assert golds
    assert all(any(map(str.isalnum, text)) and text == text.strip() for text in golds), golds


def test_every_relation_has_trials():
    """The questions at hand give every promise a trial."""
    everything = ENGLISH + CHINESE
    for relation in RELATIONS:
        assert any(True for one in everything for _ in relation.trials(one.answers[0].texts)), (
            relation.name
        )


def test_a_perfect_scorer_keeps_its_promises():
    """A scorer that is always 1 breaks every promise that wrong answers count, and no other."""
    always = ForeignScorer(
        name="one", version="1", keys=("em",), judge=lambda texts, golds: {"em": 1.0}
    )
    broken = {one.relation for one in examine(always, ENGLISH).broken}
    demands = {one.name: one.demand for one in RELATIONS}
    assert {demands[name] for name in broken if name in demands} == {"lower"}
    assert {name for name, demand in demands.items() if demand == "lower"} <= broken


def test_planted_bugs_are_found():
    """Bugs planted at random in copies of scorers are found by the promises, most of them."""
    found = []
    for specimen in SPECIMENS:
        found += plant_random_bugs(specimen, ENGLISH, 14, random.Random(3))
    counted = summarize(found)
    print(counted)
    assert counted["planted"] >= 60
    assert counted["quiet_found"] / counted["quiet"] >= 0.75
    assert all(one.n_changed for one in found)


def test_planted_copies_do_not_change_the_original():
    """A planted bug stays in its copy."""
    before = examine(lookup.resolve("metric", "inspect")(), ENGLISH)
    list(plant_random_bugs("inspect", ENGLISH, 5, random.Random(1)))
    assert examine(lookup.resolve("metric", "inspect")(), ENGLISH) == before


def test_varied_questions_are_picked(corpus):
    """From 9,536 questions a few dozen of different shapes are taken."""
    dev = list(load(corpus / "data/drop/drop_v0_dev.jsonl.gz").questions())
    chosen = pick_varied(dev, 80)
    texts = [one.answers[0].texts[0] for one in chosen]
    assert len(chosen) == 80
    assert any(text.isdecimal() for text in texts)
    assert any("." in text and text.replace(".", "").isdecimal() for text in texts)
    assert any("-" in text for text in texts)
    assert any("%" in text for text in texts)


def scorer_of(**values):
    """A scorer that gives the same values whatever is said."""
    return ForeignScorer(
        name="fixed", version="1", keys=tuple(values), judge=lambda texts, golds: values
    )


def test_invariants_are_counted():
    """They are among those tried, so that kept ones are never fewer than none."""
    alone, both = (examine(scorer_of(**values), ENGLISH) for values in (
        {"em": 1.0}, {"em": 1.0, "f1": 1.0},
    ))  # fmt: skip
    assert both.n_relations == alone.n_relations + 1
    lying = examine(scorer_of(em=1.0, f1=0.5), ENGLISH)
    agreement = next(one for one in lying.broken if one.relation == "agreement")
    assert agreement.n_failed == agreement.n_trials > 0
    assert lying.n_relations == both.n_relations


def test_a_score_in_percent_is_out_of_range():
    """By the value's own name, and no promise about exact match and F1 is dragged in."""
    found = examine(scorer_of(exact_match=100.0), ENGLISH).broken
    (ranged,) = (one for one in found if one.relation == "range")
    assert (ranged.value, ranged.after) == ("exact_match", 100.0)
    assert "agreement" not in {one.relation for one in found}


def test_findings_do_not_depend_on_hash_order():
    """The order of values is the scorer's own, in every process."""
    code = (
        "from test_metamorphic import ENGLISH, examine, lookup; "
        "print(examine(lookup.resolve('metric', 'drop')(), ENGLISH[:4]).broken)"
    )
    said = set()
    for seed in range(4):
        environment = os.environ | {"PYTHONHASHSEED": str(seed)}
        folders = [str(Path(__file__).parent), *filter(None, sys.path)]
        environment["PYTHONPATH"] = os.pathsep.join(folders)
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment,
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        said.add(done.stdout)
    assert len(said) == 1


def test_repeated_question_ids_break_no_promise():
    """DROP's own development set has two of one id: their rows cannot be told apart."""
    shared = [
        Question(
            question_id=name, passage_id="p", text="?", kind="choice",
            options=tuple(Option(label=label, text=label) for label in "AB"),
            answers=(Answer(kind="choice", label=gold, texts=(gold,)),),
        )
        for name, gold in (("1", "A"), ("2", "A"), ("2", "B"), ("3", "B"), ("3", "A"), ("4", "B"))
    ]  # fmt: skip
    assert not examine(lookup.resolve("metric", "choice")(), shared).broken
