"""The closed track's rules: kept by record, broken by record, and never kept without one."""

import json

import msgspec
import pytest

from closeread.errors import InputError
from closeread.evidence.models import UsedModel
from closeread.readers.lineage import (
    RECORD,
    Learned,
    Lineage,
    Maker,
    Stage,
    evidence_record,
    lineage_of,
    lineage_record,
)
from closeread.runs.closed_track import closed_track, worst_verdict
from closeread.runs.records import DatasetInfo, LogInfo, ReaderInfo, RunInfo
from command_line import closeread

SMALL, LARGE = 330_000_000, 7_000_000_000
LEARNED = Learned(name="train", sha256="0" * 64, n_items=6994, made_by="people")


def make_run_info(reader: ReaderInfo, **changed) -> RunInfo:
    dataset = DatasetInfo(name="d", format="gcrc-advrobust", path="d", sha256="", n_questions=3)
    return RunInfo(
        closeread="0", created="", dataset=dataset, reader=reader, batch_size=1, **changed
    )


def choice(lineage: Lineage, **options) -> RunInfo:
    record = {
        "n_parameters": lineage.n_parameters,
        "lineage": json.loads(msgspec.json.encode(lineage)),
    }
    return make_run_info(ReaderInfo(name="choice", options=options, record=record))


def lineage(**changed) -> Lineage:
    given = {
        "n_parameters": SMALL,
        "origin": "macbert",
        "origin_made_by": "people",
        "stages": (Stage(reader="choice", learned_from=(LEARNED,)),),
        **changed,
    }
    return Lineage(**given)


def verdicts(info: RunInfo) -> list[str]:
    return [one.verdict for one in closed_track(info)]


def make_lineage_learned_from(made_by) -> Lineage:
    source = msgspec.structs.replace(LEARNED, made_by=made_by)
    return lineage(stages=(Stage(reader="choice", learned_from=(source,)),))


def test_a_recorded_and_declared_run_keeps_every_rule():
    """A model within the limit, trained on what people wrote, read here."""
    rulings = closed_track(choice(lineage()))
    assert {one.verdict for one in rulings} == {"kept"}
    assert worst_verdict(rulings) == "kept"
    assert "330,000,000 parameters" in rulings[0].why


@pytest.mark.parametrize("name", ["lexical", "random-option", "evidence"])
def test_a_reader_without_weights_keeps_every_rule(name):
    """There is nothing that could break one."""
    assert set(verdicts(make_run_info(ReaderInfo(name=name)))) == {"kept"}


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        (choice(lineage(n_parameters=LARGE)), ["broken", "broken", "kept", "kept"]),
        (choice(lineage(n_parameters=510_000_001)), ["broken", "broken", "kept", "kept"]),
        (choice(lineage(n_parameters=510_000_000)), ["kept"] * 4),
        (
            choice(make_lineage_learned_from(Maker(model="big", n_parameters=LARGE))),
            ["kept", "kept", "broken", "kept"],
        ),
        (
            choice(make_lineage_learned_from(Maker(model="mt", n_parameters=77_000_000))),
            ["kept"] * 4,
        ),
        (choice(lineage(origin_made_by=Maker(model="big", n_parameters=LARGE))),
         ["kept", "kept", "broken", "kept"]),
    ],
    ids=["large", "one too many", "just so", "data by a large model", "by a small one", "origin"],
)  # fmt: skip
def test_a_large_model_at_any_stage_breaks_a_rule(info, expected):
    """Of prediction, of training, of data."""
    assert verdicts(info) == expected


@pytest.mark.parametrize(
    ("info", "place"),
    [
        (make_run_info(ReaderInfo(name="chat", options={"model": "m"})), 0),
        (make_run_info(ReaderInfo(name="choice")), 0),
        (make_run_info(ReaderInfo(name="cues")), 2),
        (make_run_info(ReaderInfo(name="my_readers:mine")), 3),
        (make_run_info(ReaderInfo(name="lexical"), submission=("handed.json",)), 3),
        (make_run_info(ReaderInfo(name="lexical"), log=LogInfo(harness="other")), 3),
        (choice(lineage(origin_made_by="")), 1),
        (choice(lineage(stages=())), 1),
        (choice(make_lineage_learned_from("")), 2),
        (choice(make_lineage_learned_from("some model")), 2),
        (choice(lineage(), retriever="dense"), 0),
        (choice(lineage(), evidence_model="sentence-bert"), 0),
        (choice(lineage(), evidence_model="sentence-bert"), 1),
        (make_run_info(ReaderInfo(name="evidence", options={"retriever": "dense"})), 0),
        (make_run_info(ReaderInfo(name="evidence", options={"retriever": "dense"})), 2),
        (make_run_info(ReaderInfo(name="lexical"), rest={"run": "other"}), 1),
        (
            choice(
                lineage(stages=(Stage(reader="verifier", options={"retriever": "dense"},
                                      learned_from=(LEARNED,)),))
            ),
            1,
        ),
    ],
)  # fmt: skip
def test_unrecorded_facts_are_never_kept(info, place):
    """Neither is it broken: nobody knows."""
    assert verdicts(info)[place] == "not known"
    assert worst_verdict(closed_track(info)) == "not known"


def test_models_of_a_retriever_are_named_once():
    """By its own name; the kind of an encoder that has no model here is none."""
    options = {"retriever": "soft-masking", "vectors": "v.bin", "evidence_model": ""}
    rulings = closed_track(choice(lineage(), encoder="sentence-transformers", **options))
    assert rulings[0].why == "the size of v.bin is not recorded"
    assert rulings[2].why == "the training data of v.bin are not recorded"
    assert closed_track(choice(lineage(), retriever="dense"))[0].why == (
        "the size of the retriever dense is not recorded"
    )


def with_evidence(info: RunInfo, **models) -> RunInfo:
    """Record what a retriever worked with, and how large it was."""
    told = [{"name": name, "n_parameters": size} for name, size in models.items()]
    record = info.reader.record | {"evidence_models": told}
    reader = msgspec.structs.replace(info.reader, record=record)
    return msgspec.structs.replace(info, reader=reader)


def test_every_model_that_a_run_used_is_counted():
    """A reader of 330 million parameters leaves 180 million to what finds the evidence."""
    info = choice(lineage(), retriever="soft-masking", vectors="v.bin", evidence_model="bert")
    within = closed_track(with_evidence(info, bert=79_999_999, v=100_000_001))[0]
    assert (within.verdict, within.why) == (
        "kept",
        "510,000,000 parameters: the model of choice 330,000,000, bert 79,999,999, v 100,000,001",
    )
    beyond = closed_track(with_evidence(info, bert=80_000_000, v=100_000_001))[0]
    assert beyond.verdict == "broken"
    assert beyond.why.startswith("510,000,001 parameters: ")
    untold = closed_track(with_evidence(info, bert=None, v=100_000_001))[0]
    assert (untold.verdict, untold.why) == ("not known", "the size of bert is not recorded")
    untold = closed_track(with_evidence(info, bert=None, v=200_000_000))[0]
    assert untold.verdict == "broken"


def test_a_reader_without_weights_has_the_models_of_its_retriever():
    options = {"retriever": "dense", "model": "bert"}
    info = make_run_info(ReaderInfo(name="evidence", options=options))
    found = closed_track(with_evidence(info, bert=135_000_000))
    assert (found[0].verdict, found[0].why) == ("kept", "135,000,000 parameters")
    assert closed_track(with_evidence(info, bert=LARGE))[0].verdict == "broken"
    assert found[1].verdict == "not known"


def test_models_of_one_name_are_all_counted():
    """A folder may hold an encoder, and a reranker of the same name with one layer more."""
    info = make_run_info(ReaderInfo(name="evidence", options={"retriever": "mine:made"}))
    told = [{"name": "bert", "n_parameters": size} for size in (300_000_000, 300_000_001)]
    reader = msgspec.structs.replace(info.reader, record={"evidence_models": told})
    found = closed_track(msgspec.structs.replace(info, reader=reader))[0]
    assert (found.verdict, found.why) == (
        "broken",
        "600,000,001 parameters: bert 300,000,000, bert 300,000,001",
    )


def test_a_retriever_without_declared_models_has_none():
    """One of your own that does not tell is another thing."""

    class Told:
        models = ()

    options = {"retriever": "mine:made"}

    class Other:
        models = {"a": 1}  # noqa: RUF012 (as somebody may write it)

    for retriever, verdict in ((Told(), "kept"), (object(), "not known"), (Other(), "not known")):
        record = evidence_record(retriever)
        assert msgspec.json.decode(msgspec.json.encode(record)) == record  # as a run keeps it
        info = make_run_info(ReaderInfo(name="evidence", options=options, record=record))
        assert verdicts(info)[:3] == [verdict] * 3


def test_evidence_in_training_is_judged_by_its_model():
    """Its size is on record since trainings record it; its own making never is."""
    for size, verdict in ((SMALL, "not known"), (LARGE, "broken")):
        used = (UsedModel(name="bert", n_parameters=size),)
        stage = Stage(reader="verifier", evidence_models=used, learned_from=(LEARNED,))
        ruling = closed_track(choice(lineage(stages=(stage,))))[1]
        assert (ruling.verdict, "bert" in ruling.why) == (verdict, True)


def test_teachers_are_judged_like_the_model():
    """At whatever stage, and by whomever the teacher was taught itself."""
    large = lineage(n_parameters=LARGE, stages=(Stage(reader="choice", learned_from=(LEARNED,)),))
    unknown = lineage(
        stages=(
            Stage(
                reader="choice",
                learned_from=(LEARNED, msgspec.structs.replace(LEARNED, made_by="")),
            ),
        )
    )
    for first, expected in (
        (lineage(), ["kept", "kept", "kept"]),
        (large, ["kept", "broken", "kept"]),
        (unknown, ["kept", "kept", "not known"]),
    ):
        second = lineage(stages=(Stage(reader="choice", taught_by=(lineage(), first)),))
        taught = Stage(reader="choice", learned_from=(LEARNED,), taught_by=(second,))
        assert verdicts(choice(lineage(stages=(taught,))))[:3] == expected


def test_a_broken_rule_outweighs_unknown_facts():
    """Within a rule and over all rules."""
    sources = (
        LEARNED,
        msgspec.structs.replace(LEARNED, made_by=""),
        msgspec.structs.replace(LEARNED, made_by=Maker(model="big", n_parameters=LARGE)),
    )
    info = choice(lineage(stages=(Stage(reader="choice", learned_from=sources),)))
    rulings = closed_track(info)
    assert rulings[2].verdict == "broken"
    assert "big" in rulings[2].why
    assert worst_verdict(rulings) == "broken"


def test_the_lineage_is_read_from_the_reader_s_record(tmp_path):
    """What `closeread train` wrote; a folder without it is an origin, a broken file an error."""
    assert lineage_of(str(tmp_path), 5, "people") == Lineage(
        n_parameters=5, origin=str(tmp_path), origin_made_by="people"
    )
    record = {"reader": "choice", "lineage": msgspec.to_builtins(lineage()), "history": [{}]}
    (tmp_path / RECORD).write_bytes(msgspec.json.encode(record))
    assert lineage_of(str(tmp_path), 5) == lineage()
    told = lineage_record(str(tmp_path), 5)
    assert told["n_parameters"] == 5
    assert msgspec.convert(told["lineage"], Lineage) == lineage()
    (tmp_path / RECORD).write_text('{"lineage": 3}', "utf-8")
    with pytest.raises(InputError, match="not a training record"):
        lineage_of(str(tmp_path), 5)


@pytest.mark.parametrize(
    ("reader", "code", "said"),
    [("lexical", 0, "kept"), ("cues", 1, "not known")],
)
def test_verify_prints_the_rulings(tmp_path, capsys, reader, code, said):
    """With the exit code that a script can act on; nobody declared who wrote what cues learned."""
    run = tmp_path / "run"
    assert closeread("read", "exam/zh", "--reader", reader, "--limit", 4, "--out", run) == 0
    capsys.readouterr()
    assert closeread("verify", run, "--track", "closed") == code
    printed = capsys.readouterr().out
    assert "  kept: at most 510 million parameters in all" in printed
    assert f"  {said}: no large model wrote the training data" in printed
    assert closeread("verify", run, "--track", "closed", "--json") == code
    (told,) = json.loads(capsys.readouterr().out)["runs"].values()
    assert told["track"]["closed"] == said
    assert len(told["track"]["rules"]) == 4
    assert closeread("verify", run) == 0


def test_a_broken_rule_ends_with_exit_code_2(tmp_path, capsys):
    """A run that records a model beyond the limit."""
    run = tmp_path / "run"
    assert closeread("read", "exam/zh", "--reader", "lexical", "--limit", 2, "--out", run) == 0
    info = json.loads((run / "run.json").read_text("utf-8"))
    info["reader"] |= {"name": "local", "record": {"model": {"n_parameters": LARGE}}}
    (run / "run.json").write_text(json.dumps(info), "utf-8")
    capsys.readouterr()
    assert closeread("verify", run, "--track", "closed") == 2
    assert "broken: at most 510 million" in capsys.readouterr().out
