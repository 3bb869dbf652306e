"""Extraction hides gold, keeps the order, and is broken down by what there is to find."""

import tracemalloc

import msgspec
import pytest

from closeread.errors import CloseReadError
from closeread.pipeline.extract import EvidenceScorer, evidence_of, extract, prepare_for_scoring
from closeread.pipeline.reading_cost import ReadingCost
from closeread.runs.scoring.evidence_groups import EvidenceGroups
from closeread.types import Answer, Evidence, Option, Passage, Prediction, Question, Span

TEXT = "Rain falls. Sheep graze. Ferries cross. Nobody sang. Ice melts. Bells ring."
SPANS = [Span(0, 11), Span(12, 24), Span(25, 39), Span(40, 52), Span(53, 63), Span(64, 75)]
PASSAGE = Passage(passage_id="p", text=TEXT)


def question(gold, name="q", kind="verification"):
    return Question(
        question_id=name, passage_id="p", text="?", kind=kind, group_id="g", role="original",
        options=tuple(Option(label=label, text=label, tags={"truth": "same"}) for label in gold),
        answers=(Answer(kind="choice", label="A"),),
        gold_evidence=tuple(
            Evidence(option_label=label, spans=tuple(SPANS[n] for n in found))
            for label, found in gold.items()
        ),
    )  # fmt: skip


def prediction(found, name="q"):
    return Prediction(
        question_id=name,
        evidence=tuple(
            Evidence(option_label=label, spans=tuple(SPANS[n] for n in places))
            for label, places in found.items()
        ),
    )


class Spy:
    def __init__(self):
        self.seen = []

    def retrieve(self, question, passage, option, k=None):
        self.seen.append((question, passage, option))
        return Evidence(spans=(SPANS[0],), option_label=option.label if option else "")


def test_the_retriever_sees_no_gold():
    spy = Spy()
    found = evidence_of(spy, PASSAGE, question({"A": [0], "B": [1]}))
    assert [one.texts for one in found] == [("Rain falls.",)] * 2
    for shown, _, option in spy.seen:
        assert not (shown.gold_evidence or shown.answers or shown.group_id or shown.role)
        assert not option.tags
        assert shown.question_id != "q"


def test_entailment_labels_are_not_claims():
    spy = Spy()
    evidence_of(spy, PASSAGE, question({"A": [0]}, kind="entailment"))
    assert [option for _, _, option in spy.seen] == [None]


@pytest.mark.parametrize("workers", [1, 2])
def test_results_are_in_the_data_sets_order(workers):
    items = [(PASSAGE, (question({"A": [n % 6]}, f"q{n}"),)) for n in range(20)]
    done = []
    found = list(extract(iter(items), "bm25", {}, workers=workers, advance=done.append))
    assert [one.question_id for _, _, one in found] == [f"q{n}" for n in range(20)]
    assert sum(done) == 20


def test_scores_are_grouped_by_number_and_distance():
    """A: one; B: two, neighbours; C: two, four apart; D: three over five sentences."""
    groups = EvidenceGroups(None)
    asked = question({"A": [0], "B": [1, 2], "C": [0, 4], "D": [0, 1, 5]})
    groups.add(PASSAGE, asked, prediction({"A": [0], "B": [1], "C": [0, 4], "D": [3]}))
    found = {
        by: {value: round(of["evidence.f1"].value, 6) for value, of in values.items()}
        for by, values in groups.summaries().items()
    }
    assert found == {
        "sentences": {"1": 1.0, "2": round((2 / 3 + 1) / 2, 6), "3 and more": 0.0},
        "distance": {"1": round(2 / 3, 6), "2 to 4": 1.0, "5 and more": 0.0},
    }


def test_a_group_without_predicted_evidence_scores_0():
    """Others' do: the reader gives evidence, and gave none here."""
    groups = EvidenceGroups(None)
    groups.add(PASSAGE, question({"A": [0]}), prediction({"A": [0]}))
    silent = Prediction(question_id="r", answer=Answer(kind="choice", label="A"))
    groups.add(PASSAGE, question({"A": [0, 1]}, "r"), silent)
    found = groups.summaries()["sentences"]
    assert [found[value]["evidence.f1"].value for value in ("1", "2")] == [1.0, 0.0]


def test_groups_of_text_gold_count_overlapped_sentences():
    """The first reference decides; each question stands once in its groups."""
    groups = EvidenceGroups(None)
    for name, start, end in (("one", 0, 11), ("two", 0, 24)):
        asked = Question(
            question_id=name, passage_id="p", text="?", kind="span",
            answers=(Answer(kind="span", texts=("falls",)),),
            gold_evidence=(Evidence(texts=(TEXT[start:end],), spans=(Span(start, end),)),),
        )  # fmt: skip
        found = Evidence(spans=(Span(0, 11),), texts=("Rain falls.",))
        answer = Answer(kind="span", texts=("falls",))
        told = Prediction(question_id=name, answer=answer, evidence=(found,))
        groups.add(PASSAGE, asked, told)
    summaries = groups.summaries()
    assert {by: list(found) for by, found in summaries.items()} == {
        "sentences": ["1", "2"],
        "distance": ["1"],
    }
    assert summaries["sentences"]["1"]["expmrc.evidence_f1"].value == 1.0
    assert 0 < summaries["sentences"]["2"]["expmrc.evidence_f1"].value < 1
    assert summaries["sentences"]["2"]["expmrc.evidence_f1"].n_answered == 1


def test_question_gold_judges_the_right_options_evidence():
    asked = Question(
        question_id="q", passage_id="p", text="?", kind="choice",
        options=(Option(label="A", text="a"), Option(label="B", text="b")),
        answers=(Answer(kind="choice", label="B"),),
        gold_evidence=(Evidence(texts=("Sheep graze.",)),),
    )  # fmt: skip
    given = Prediction(
        question_id="q",
        evidence=(
            Evidence(option_label="A", texts=("Rain falls.",)),
            Evidence(option_label="B", texts=("Sheep graze.",)),
        ),
    )
    scorer = EvidenceScorer(None)
    scorer.add(asked, given)
    found = scorer.summaries()
    assert set(found) == {"expmrc.evidence_f1"}
    assert found["expmrc.evidence_f1"].value == 1.0
    assert "|evidence-of:right-option|" in found["expmrc.evidence_f1"].signature


def question_with_text_gold(options="", answers=(), **more):
    return Question(
        question_id="q", passage_id="p", text="?", kind=more.pop("kind", "choice"), answers=answers,
        options=tuple(Option(label=label, text=label) for label in options),
        gold_evidence=(Evidence(texts=("Sheep graze.",)),),
    )  # fmt: skip


def told(*labels):
    found = tuple(Evidence(option_label=one, texts=("Sheep graze.",)) for one in labels)
    return Prediction(question_id="q", evidence=found)


@pytest.mark.parametrize("only", ["A", "B"])
def test_evidence_of_other_options_is_not_judged(only):
    """Gold is about the right option: nobody looked for it where another was asked for."""
    scorer = EvidenceScorer(None)
    scorer.add(
        question_with_text_gold("AB", (Answer(kind="choice", label="B"),)), told(only), only=only
    )
    found = scorer.summaries()
    assert {name: one.value for name, one in found.items()} == (
        {"expmrc.evidence_f1": 1.0} if only == "B" else {}
    )


def test_evidence_is_not_judged_without_the_right_option():
    scorer = EvidenceScorer(None)
    scorer.add(question_with_text_gold("AB"), told("A", "B"))
    assert scorer.summaries() == {}


@pytest.mark.parametrize(
    "answers", [(), (Answer(kind="none"),), (Answer(kind="number", texts=()),)]
)
def test_evidence_of_a_question_without_options_needs_no_gold_answer(answers):
    scorer = EvidenceScorer(None)
    scorer.add(question_with_text_gold(answers=answers, kind="span"), told(""))
    found = scorer.summaries()["expmrc.evidence_f1"]
    assert (found.value, found.n_scored, found.n_answered) == (1.0, 1, 1)


def test_evidence_for_a_hypothesis_is_judged_for_any_label():
    scorer = EvidenceScorer(None)
    gold = (Answer(kind="choice", label="A"),)
    scorer.add(question_with_text_gold("AB", gold, kind="entailment"), told(""))
    assert scorer.summaries()["expmrc.evidence_f1"].value == 1.0


def test_groups_need_no_gold_answer():
    groups = EvidenceGroups(None)
    asked = question_with_text_gold(kind="span")
    gold = Evidence(texts=("Sheep graze.",), spans=(SPANS[1],))
    asked = msgspec.structs.replace(asked, gold_evidence=(gold,))
    groups.add(PASSAGE, asked, prepare_for_scoring(asked, told("")))
    assert groups.summaries()["sentences"]["1"]["expmrc.evidence_f1"].value == 1.0


@pytest.mark.parametrize("gold", ["options", "text"])
def test_a_scorer_keeps_no_texts(gold):
    scorer = EvidenceScorer(None)

    def add(number):
        text = f"{number} " * 5_000
        asked = question({"A": [0]}) if gold == "options" else question_with_text_gold(kind="span")
        asked = msgspec.structs.replace(
            asked, question_id=f"q{number}", answers=(Answer(kind="span", texts=(text,)),)
        )
        given = Evidence(option_label="A" * (gold == "options"), texts=(text,))
        scorer.add(asked, Prediction(question_id=asked.question_id, evidence=(given,)))

    add(0)  # what it imports is none of its own
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for number in range(1, 100):
            add(number)
        assert tracemalloc.get_traced_memory()[0] - before < 500_000
    finally:
        tracemalloc.stop()
    assert {one.n_answered for one in scorer.summaries().values()} == {100}


def test_reading_cost_equals_a_hand_computed_one():
    """12 tokens are one chunk. A: 1 + 2 with its sentence, 1 + 12 in chunks; B the same."""
    cost = ReadingCost()
    cost.add(PASSAGE, question({"A": [0], "B": [1]}), prediction({"A": [0], "B": [1]}))
    assert cost.cells() == ("6", "26", "4.3")
    assert cost.numbers() == {"chunk": 200, "with_evidence": 6.0, "in_chunks": 26.0}


def test_a_long_passage_is_read_in_several_chunks():
    """450 tokens are three chunks, and the option is read with each."""
    cost = ReadingCost()
    long = Passage(passage_id="p", text="word " * 450)
    cost.add(long, question({"A": [0]}), prediction({"A": [0]}))
    assert cost.in_chunks == 450 + 3


@pytest.mark.parametrize("workers", [1, 2])
def test_a_users_error_in_a_worker_keeps_its_message(workers, tmp_path, monkeypatch):
    """Vectors of another language: the same message from one process and from two."""
    pytest.importorskip("gensim", reason="gensim is not installed")
    monkeypatch.setenv("CLOSEREAD_CACHE", str(tmp_path))
    path = tmp_path / "v.txt"
    path.write_text("1 2\n海水 1.0 2.0\n", "utf-8")
    text = " ".join("word" + chr(97 + n) for n in range(25)) + "."
    items = [(Passage(passage_id="p", text=text), (question({"A": []}),))]
    options = {"vectors": str(path), "integrate": "off"}
    with pytest.raises(CloseReadError, match="none of 25 different words has a vector"):
        list(extract(items, "soft-masking", options, workers=workers))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_retriever_that_cannot_be_made_is_an_error(workers):
    """Where processes make it, too: nobody "ended a worker from outside"."""
    items = [(PASSAGE, (question({"A": []}),))]
    with pytest.raises(CloseReadError, match="no model given for the encoder"):
        list(extract(items, "dense", {}, workers=workers))
