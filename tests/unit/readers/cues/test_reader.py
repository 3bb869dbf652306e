"""The cue reader decides by named features, tells them, and keeps silent below its threshold."""

import math
import os
import subprocess
import sys

import msgspec
import pytest

from closeread.errors import InputError, UsageError
from closeread.exam import locate
from closeread.formats import load
from closeread.metrics.choice import picked_label
from closeread.readers import make
from closeread.readers.confidence.calibrate import logistic
from closeread.readers.confidence.options import MarginCurve
from closeread.readers.cues.reader import (
    CueWeights,
    Threshold,
    cues,
    load_weights,
    save_weights,
    shipped_weights,
)
from closeread.runs.closed_track import closed_track
from closeread.runs.records import DatasetInfo, RunInfo, describe_reader


def exam_items():
    dataset = load(str(locate("exam/zh")))
    return [(passage, question) for passage, asked in dataset for question in asked]


def test_an_explanation_adds_up_to_the_score():
    """Of every option: score = sum of value times weight, and that is the score handed in."""
    reader = cues()
    for passage, question in exam_items()[:12]:
        (prediction,) = reader.read([(passage, question)])
        judged = reader.judge(question, passage)
        for one, score in zip(judged, prediction.option_scores, strict=True):
            total = math.fsum(reason.value * reason.weight for reason in one.reasons)
            assert one.score == total
            assert score == round(total, 6)
            assert f"{one.option.label} {total:+.2f}: " in prediction.note or (
                one.option.label != prediction.answer.label
            )


def test_the_stem_inverts_the_choice():
    """The highest score answers a supported stem, the lowest a contradicted one."""
    reader = cues()
    for passage, question in exam_items():
        (prediction,) = reader.read([(passage, question)])
        scores = prediction.option_scores
        best = (max if question.asks_for == "supported" else min)(scores)
        at = [option.label for option in question.options].index(prediction.answer.label)
        assert scores[at] == best
        assert prediction.scores_rank  # sums of weights, some of which lie between 0 and 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_weights_in_a_pipe_are_rejected(tmp_path):
    """Their sum is recorded, too; one message, of the command as of Python."""
    os.mkfifo(tmp_path / "pipe")
    command = [sys.executable, "-m", "closeread", "read", "exam/zh", "--reader", "cues"]
    command += ["-o", f"weights={tmp_path / 'pipe'}", "--out", str(tmp_path / "run")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2, done.stderr
    assert "pipe: not a regular file\n  do: save the content to a file first" in done.stderr
    assert not (tmp_path / "run").exists()
    with pytest.raises(InputError, match="not a regular file"):
        load_weights(tmp_path / "pipe")


def test_a_single_weight_decides_the_choice():
    """With a single weight on an added 都 the option that adds it is the wrong one."""
    passage, question = exam_items()[0]
    text = "沙丘上的一些甲虫能收集雾水，另一些不能。"
    passage = msgspec.structs.replace(passage, text=text)
    options = tuple(
        msgspec.structs.replace(option, text=said)
        for option, said in zip(
            question.options, ("一些甲虫能收集雾水。", "甲虫都能收集雾水。"), strict=False
        )
    )
    question = msgspec.structs.replace(question, options=options, asks_for="contradicted")
    reader = type(cues())(CueWeights(weights={"added:都": -1.0}), make("lexical")[0]._retriever)
    (prediction,) = reader.read([(passage, question)])
    assert prediction.answer.label == "B"
    (reason,) = reader.judge(question, passage)[1].reasons
    assert prediction.option_scores == (0.0, round(-reason.value, 6))
    assert reason.feature == "added:都"
    assert reason.value > 0 > reason.contribution == -reason.value
    told = f"{-reason.value:+.2f}"
    assert prediction.note.startswith(f"B {told}: added:都 {told}")


def test_the_shipped_weights_are_those_of_the_recipe(tmp_path):
    """The committed file is reproduced from our own questions by the committed recipe."""
    from click.testing import CliRunner

    from closeread.cli.train import command
    from project_paths import ROOT

    out = tmp_path / "weights.json"
    recipe = ROOT / "recipes" / "train" / "cues-exam.toml"
    result = CliRunner().invoke(command, [str(recipe), "--out", str(out), "--json"])
    assert result.exit_code == 0, result.output
    again, ships = load_weights(out), shipped_weights()
    assert again.weights.keys() == ships.weights.keys()
    assert all(
        again.weights[name] == pytest.approx(ships.weights[name], abs=2e-4)
        for name in ships.weights
    )
    assert again.learned_from == {"exam/zh": 108, "exam/zh-practice": 1624}


def test_weights_are_loaded_as_saved(tmp_path):
    """A file of weights says all that was learned."""
    learned = CueWeights(
        weights={"added:都": -0.5},
        languages=("zh",),
        calibrator=MarginCurve(intercept=-1.0, margin=0.25, share=0.5),
        threshold=Threshold(
            value=0.4, risk=0.5, delta=0.1, n_answered=9, n_questions=20, bound=0.49
        ),
        learned_from={"mine": 20},
        settings={"l2": 10.0},
    )
    save_weights(tmp_path / "new" / "w.json", learned)
    assert load_weights(tmp_path / "new" / "w.json") == learned


@pytest.mark.parametrize("content", [None, b"", b"[1]", b'{"weights": {"a": "b"}}', b"\xff"])
def test_a_broken_file_of_weights_is_rejected(tmp_path, content):
    """One message that names the file and the cure."""
    path = tmp_path / "w.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=r"w\.json"):
        cues(str(path))


def test_unreadable_weights_are_not_reported_as_missing(tmp_path):
    for path, cure in ((tmp_path / "none.json", "closeread train"), (tmp_path, "check the path")):
        with pytest.raises(InputError) as told:
            load_weights(path)
        assert cure in told.value.cure


def test_below_the_threshold_no_answer_is_given(tmp_path):
    """With `selective` a question is left open where confidence is too low; metrics see no pick."""
    threshold = Threshold(value=2.0, risk=0.1, delta=0.1, n_answered=0, n_questions=9, bound=1.0)
    path = tmp_path / "w.json"
    save_weights(path, msgspec.structs.replace(shipped_weights(), threshold=threshold))
    asked = exam_items()[:4]
    silent = cues(str(path), selective=True).read(asked)
    for (_, question), prediction in zip(asked, silent, strict=True):
        assert prediction.answer is None
        assert picked_label(question, prediction) is None
        assert prediction.candidates
        assert prediction.confidence < 1
    with pytest.raises(UsageError, match="threshold"):
        cues(selective=True)


def test_confidence_grows_with_the_margin():
    """One option is sure, equal ones are not, and no score overflows."""
    calibrator = MarginCurve(margin=0.5, share=0.5)
    assert calibrator.confidence([3.0]) == 1
    near, far = calibrator.confidence([1, 0, 0, 0]), calibrator.confidence([5, 0, 0, 0])
    assert near < far
    assert calibrator.confidence([1e6, -1e6]) == 1
    assert logistic(-1e6) == 0


def test_without_weights_for_answers_options_are_chosen_by_coverage():
    """Weights learned from statements do not judge answers: as `lexical`, and the score says so."""
    reader, lexical = cues(), make("lexical", {})[0]
    assert not any(name.startswith("answer/") for name in shipped_weights().weights)
    for passage, statement in exam_items()[:20]:
        question = msgspec.structs.replace(statement, kind="choice")
        (prediction,) = reader.read([(passage, question)])
        (other,) = lexical.read([(passage, question)])
        assert prediction.answer == other.answer
        for one in reader.judge(question, passage):
            assert [reason.feature for reason in one.reasons] == ["answer/stem:support"]


def test_a_language_without_weights_is_reported():
    """An English passage is read without cue words, and the note tells it."""
    passage, question = exam_items()[0]
    passage = msgspec.structs.replace(passage, language="en")
    (prediction,) = cues().read([(passage, question)])
    assert "language 'en'" in prediction.note


def test_a_run_is_not_resumed_with_other_weights(tmp_path):
    """Trained again into the same file, between a kill and a resumption."""
    path = tmp_path / "weights.json"
    save_weights(path, shipped_weights())
    reader, options = make("cues", {"weights": str(path)})
    first = describe_reader("cues", options, reader).record
    save_weights(path, msgspec.structs.replace(shipped_weights(), weights={"cue:只": -1.0}))
    reader, options = make("cues", {"weights": str(path)})
    assert describe_reader("cues", options, reader).record != first
    assert list(first.pop("files_sha256")) == [str(path)]
    assert first == describe_reader("cues", {}, cues()).record


def verdicts(tmp_path, learned_from, **settings):
    """What the closed track says of weights that people's questions gave, and why."""
    declared = {"made_by": {"exam/zh": "people", "nli": "people"}}
    learned = msgspec.structs.replace(
        shipped_weights(), learned_from=learned_from, settings=declared | settings
    )
    save_weights(tmp_path / "weights.json", learned)
    reader = cues(str(tmp_path / "weights.json"))
    dataset = DatasetInfo(name="d", format="gcrc", path="d", sha256="", n_questions=3)
    info = RunInfo(
        closeread="0", created="", dataset=dataset, batch_size=1,
        reader=describe_reader("cues", {"retriever": "cover"}, reader),
    )  # fmt: skip
    rulings = closed_track(info)
    return [one.verdict for one in rulings], " ".join(one.why for one in rulings)


def test_training_data_by_people_keeps_the_closed_track(tmp_path):
    """What came first counts as what came last does."""
    first = {"before": [{"datasets": ["nli"]}], "retriever": "cover"}
    assert verdicts(tmp_path, {"exam/zh": 108})[0] == ["kept"] * 4
    assert verdicts(tmp_path, {"exam/zh": 108, "nli": 30}, **first)[0] == ["kept"] * 4
    found, why = verdicts(tmp_path, {"exam/zh": 108, "ocnli": 30}, **first)
    assert found == ["kept", "kept", "not known", "kept"]
    assert "the authors of ocnli are not declared" in why


def test_the_retriever_s_model_is_part_of_the_lineage(tmp_path):
    """Though the run itself was read with one that has none."""
    found, why = verdicts(tmp_path, {"exam/zh": 108}, retriever="mine:dense")
    assert found == ["kept", "not known", "kept", "kept"]
    assert "mine:dense" in why
