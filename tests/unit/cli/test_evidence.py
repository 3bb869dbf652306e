"""`closeread evidence` as a user calls it."""

import hashlib
import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec

import pytest

from closeread.pipeline.extract import default_retriever
from command_line import run_in_process, run_in_subprocess
from project_paths import ROOT

SET = {
    "version": "tiny",
    "data": [
        {
            "cid": 1,
            "context": "海水的盐度由蒸发和降水决定。"
            "蒸发使海水变咸。降水使海水变淡。渔民在清晨出海。",
            "qas": [
                {
                    "qid": "1-1",
                    "question": "下列说法符合原文意思的一项是",
                    "options": [
                        "蒸发使海水变咸",
                        "降水使海水变淡，蒸发使海水变咸",
                        "渔民在清晨出海",
                        "盐度由蒸发决定",
                    ],
                    "answer": "A",
                    "correctness": [1, 0, 0, 0],
                    "golden_evidence": [
                        ["蒸发使海水变咸。"],
                        ["蒸发使海水变咸。", "降水使海水变淡。"],
                        ["渔民在清晨出海。"],
                        ["海水的盐度由蒸发和降水决定。"],
                    ],
                }
            ],
        },
        {
            "cid": 2,
            "context": "大雁秋天南飞。它们排成人字。",
            "qas": [
                {
                    "qid": "2-1",
                    "question": "下列说法不符合原文意思的一项是",
                    "options": ["大雁秋天南飞", "大雁排成人字", "大雁秋天北飞", "它们排成一字"],
                    "answer": "C",
                    "correctness": [1, 1, 0, 1],
                    "golden_evidence": [
                        ["大雁秋天南飞。"],
                        ["它们排成人字。"],
                        ["大雁秋天南飞。"],
                        ["它们排成人字。"],
                    ],
                }
            ],
        },
    ],
}  # fmt: skip

needs_vectors = pytest.mark.skipif(not find_spec("gensim"), reason="gensim is not installed")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "set.json").write_text(json.dumps(SET, ensure_ascii=False), "utf-8")
    return tmp_path


def run(folder, *args):
    return run_in_process("evidence", *args, folder=folder, CLOSEREAD_CACHE=str(folder / "cache"))


def evidence_json(folder, *args):
    done = run(folder, *args, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


FIELDS = {"value", "low", "high", "unit", "n_questions", "n_scored", "n_answered", "n_failed",
          "signature"}  # fmt: skip


def test_the_projects_own_retriever_is_the_default(folder):
    found = evidence_json(folder, "set.json")
    assert set(found["metrics"]) == {"evidence.precision", "evidence.recall", "evidence.f1"}
    assert set(found["metrics"]["evidence.f1"]) - {"note"} == FIELDS
    assert found["retriever"]["name"] == default_retriever()
    assert found["metrics"]["evidence.f1"]["n_questions"] == 2
    assert found["evidence"]["claims"] == 8
    assert found["reading"]["in_chunks"] > 0


def test_notes_are_printed_once_below_the_numbers(folder):
    done = run(folder, "set.json", "--retriever", "cover", "--retriever", "bm25", "--no-intervals")
    note = "\n\nevidence.precision, evidence.recall, evidence.f1: mean over 8 options\n\n"
    assert done.stdout.count(note) == 1
    assert run(folder, "set.json", "--build-corpus", "c").returncode == 0
    assert note in run(folder, "set.json", "--corpus", "c", "--no-intervals").stdout


def test_bm25_scores_equal_those_computed_by_hand(folder):
    """Every option but B of the first question has one gold sentence, which BM25 finds first."""
    found = evidence_json(folder, "set.json", "--retriever", "bm25")["metrics"]
    assert found["evidence.precision"]["value"] == pytest.approx(1.0)
    assert found["evidence.recall"]["value"] == pytest.approx(7.5 / 8)
    assert found["evidence.f1"]["value"] == pytest.approx((7 + 2 / 3) / 8)


def test_options_apply_to_one_or_all_retrievers(folder):
    found = evidence_json(
        folder, "set.json", "--retriever", "bm25,k=2", "--retriever", "bm25", "-o", "b=0"
    )
    assert [run["retriever"]["options"]["k"] for run in found["runs"]] == [2, 1]
    assert {run["retriever"]["options"]["b"] for run in found["runs"]} == {0.0}


def test_results_do_not_depend_on_the_number_of_workers(folder):
    for name in ("one.jsonl", "two.jsonl"):
        workers = 1 if name == "one.jsonl" else 2
        done = run(folder, "set.json", "--retriever", "bm25", "--workers", workers, "--out", name)
        assert done.returncode == 0, done.stderr
    assert (folder / "one.jsonl").read_bytes() == (folder / "two.jsonl").read_bytes()
    rows = [json.loads(line) for line in (folder / "one.jsonl").read_text("utf-8").splitlines()]
    assert [row["question_id"] for row in rows] == ["1-1", "2-1"]
    assert rows[0]["evidence"][0] == {
        "spans": [[14, 22]], "texts": ["蒸发使海水变咸。"], "option_label": "A",
        "score": rows[0]["evidence"][0]["score"],
    }  # fmt: skip


def test_written_evidence_scores_the_same_as_a_submission(folder):
    """The file of --out, handed in, gives what was printed."""
    printed = evidence_json(folder, "set.json", "--retriever", "bm25", "--out", "e.jsonl")
    done = run_in_process(
        "score", "--dataset", "set.json", "--predictions", "e.jsonl", "--metric", "evidence",
        "--json", folder=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    again = json.loads(done.stdout)["metrics"]
    assert {n: m["value"] for n, m in again.items()} == {
        n: m["value"] for n, m in printed["metrics"].items()
    }


def test_evidence_from_another_version_of_the_data_is_reported(folder):
    """Its spans hold other words there than it repeats."""
    evidence_json(folder, "set.json", "--retriever", "bm25", "--out", "e.jsonl")
    changed = (
        (folder / "set.json").read_text("utf-8").replace("渔民在清晨出海", "渔民清晨便出海", 1)
    )
    (folder / "new.json").write_text(changed.replace("蒸发使", "而蒸发使", 1), "utf-8")
    for name, many in (("set.json", 0), ("new.json", 1)):
        done = run_in_process(
            "score", "--dataset", name, "--predictions", "e.jsonl", "--metric", "evidence",
            "--json", folder=folder,
        )  # fmt: skip
        assert json.loads(done.stdout)["misfits"]["misplaced"] == many
        assert ("whose spans and text differ" in done.stderr) == bool(many)


def test_json_names_the_written_file(folder):
    """By their sha256, beside that of the data set; a stream has none."""
    assert run(folder, "set.json", "--build-corpus", "c").returncode == 0
    for more in ((), ("--corpus", "c")):
        told = evidence_json(folder, "set.json", "--out", "e.jsonl", *more)
        wanted = hashlib.sha256((folder / "e.jsonl").read_bytes()).hexdigest()
        assert told["out"] == {"path": "e.jsonl", "sha256": wanted}
        assert len(told["dataset"]["sha256"]) == 64
    assert "out" not in evidence_json(folder, "set.json", "--out", os.devnull)
    assert "out" not in evidence_json(folder, "set.json")


def test_limit_and_option_restrict_the_extraction(folder):
    assert evidence_json(folder, "set.json", "--limit", 1)["evidence"]["claims"] == 4
    found = evidence_json(folder, "set.json", "--option", "B", "--retriever", "bm25")
    assert found["evidence"]["claims"] == 2
    assert found["metrics"]["evidence.recall"]["value"] == pytest.approx(0.75)


def test_breakdowns_of_one_option_exclude_others(folder):
    """The other options' gold is not missed where nobody looked for it."""
    found = evidence_json(
        folder, "set.json", "--option", "B", "--retriever", "bm25", "--by", "sentences"
    )
    groups = found["breakdowns"]["sentences"]
    assert {name: of["evidence.recall"]["value"] for name, of in groups.items()} == {
        "1": 1.0,
        "2": 0.5,
    }
    assert {of["evidence.recall"]["n_answered"] for of in groups.values()} == {1}


@pytest.mark.parametrize("narrowed", [("--question", "1-1"), ("--explain",)])
@pytest.mark.parametrize("whole", [("--out", "found.jsonl"), ("--by", "distance")])
def test_shown_evidence_takes_no_out_or_by(folder, narrowed, whole):
    """Nothing that was asked for is dropped in silence."""
    done = run(folder, "set.json", *narrowed, *whole)
    assert done.returncode == 2
    assert "--out and --by cannot be combined" in done.stderr
    assert done.stdout == ""


def train_retriever(folder):
    """Train vectors on the set's passages; return the retriever over them."""
    recipe = (
        'out = "v.bin"\n[reader]\nname = "vectors"\n'
        '[train]\ndatasets = ["set.json"]\nleast = 1\ndimensions = 20\n'
    )
    (folder / "vectors.toml").write_text(recipe, "utf-8")
    done = run_in_process(
        "train", "vectors.toml", "--json", folder=folder, CLOSEREAD_CACHE=str(folder / "cache")
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["words"] > 8
    return "soft-masking,vectors=v.bin,integrate=overlap"


@needs_vectors
def test_vectors_can_be_trained_and_used(folder):
    found = evidence_json(folder, "set.json", "--retriever", train_retriever(folder))
    assert found["evidence"]["sentences"] >= 8
    assert found["retriever"]["options"]["sharpness"] == 1.0


@needs_vectors
def test_vectors_with_too_few_words_warn(folder):
    """Whichever verb and retriever they serve, and however the evidence is looked at."""
    (folder / "few.txt").write_text("2 2\n大雁 1 0\n蒸发 0 1\n")
    soft = "soft-masking,vectors=few.txt,integrate=overlap"
    for args in (
        ("--retriever", soft),
        ("--retriever", soft, "--explain"),
        ("--retriever", "dense,encoder=word-vectors,model=few.txt"),
    ):
        done = run(folder, "set.json", *args)
        assert done.returncode == 0, done.stderr
        assert done.stderr.count("evidence from word vectors is unreliable here") == 1
    options = ("-o", "retriever=hard-masking", "-o", "vectors=few.txt", "-o", "integrate=off")
    done = run_in_process(
        "read", "set.json", "--reader", "evidence", *options, "--out", "run", folder=folder,
        CLOSEREAD_CACHE=str(folder / "cache"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "have a vector in few.txt" in done.stderr


@needs_vectors
def test_several_retrievers_are_shown_beside_gold(folder):
    """As the paper's Table 4: numbered sentences, each method's choice, gold."""
    soft = train_retriever(folder)
    done = run(folder, "set.json", "--question", "1-1", "--option", "B", "--explain",
               "--retriever", "bm25", "--retriever", soft)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "gold          ① ②" in done.stdout
    assert "soft-masking step 1:\n降水使海水变淡，蒸发使海水变咸" in done.stdout
    assert "  uncovered: nothing" in done.stdout
    assert "bm25:\n  降水使海水变①淡，蒸发使海水变咸①\n  ① covers " in done.stdout
    assert "\x1b" not in done.stdout


def test_a_claim_without_words_is_reported(folder):
    """Punctuation is no part that evidence could cover, so nothing is called covered either."""
    empty = json.loads(json.dumps(SET))
    empty["data"][0]["qas"][0]["options"][0] = "。！？😀"
    (folder / "empty.json").write_text(json.dumps(empty, ensure_ascii=False), "utf-8")
    done = run(folder, "empty.json", "--question", "1-1", "--option", "A", "--explain")
    assert done.returncode == 0, done.stderr
    assert "cover:\n  nothing to look for: the claim has no letter" in done.stdout
    assert "uncovered" not in done.stdout


def test_an_option_without_words_uses_its_stems_evidence(folder):
    row = {"id": 1, "passage": "Rain falls. Sheep graze.", "question": "Where do sheep graze?",
           "options": ["!?", "on hills"], "answer": "B"}  # fmt: skip
    (folder / "rows.jsonl").write_text(json.dumps(row) + "\n")
    done = run(folder, "rows.jsonl", "--option", "A", "--explain")
    assert done.returncode == 0, done.stderr
    assert "① Sheep graze.\n\ncover:\n  !?\n  ① covers no part of it\n" in done.stdout
    assert "nothing to look for" in done.stdout


@needs_vectors
def test_json_of_the_view_has_weights(folder):
    found = evidence_json(folder, "set.json", "--question", "1-1", "--option", "B", "--explain",
                    "--retriever", train_retriever(folder))["evidence"]  # fmt: skip
    (claim,) = found
    assert [piece["text"] for piece in claim["gold"]] == ["蒸发使海水变咸。", "降水使海水变淡。"]
    (told,) = claim["retrievers"].values()
    assert sum(one["weight"] for one in told["steps"][0]["weights"]) == pytest.approx(1.0)
    for one in told["steps"][0]["weights"]:
        assert claim["claim"][slice(*one["span"])] == one["word"]


def test_a_search_prints_the_best_pair(folder):
    done = run(folder, "set.json", "--retriever", "bm25", "--search")
    assert done.returncode == 0, done.stderr
    assert "best of 36: -o k1=0.3 -o b=0" in done.stdout
    assert "were tuned on this data set" in done.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--retriever", "bm52"], "there is no retriever named 'bm52'"),
        (["--retriever", "bm25,k=x"], "'x' is not a valid value for 'k' of the retriever bm25"),
        (["--retriever", "bm25", "-o", "z=1"], "the retriever bm25 has no option 'z'"),
        (["--retriever", "dense"], "no model given for the encoder"),
        (["--retriever", "soft-masking,integrate=off"], "no word vectors are given"),
        (["--question", "1-9"], "no question has the id '1-9'\n  expected: perhaps 1-1"),
        (["--question", "1-1", "--option", "Z"], "none of the chosen questions has an option"),
        (["--option", "Z"], "none of the chosen questions has an option"),
        (["--retriever", "cover", "--search"], "--search needs --retriever bm25"),
        (["--html", "page.html", "--search"], "--html cannot be combined"),
        (["--by", "distance", "--corpus", "c"], "--by cannot be combined with --search"),
        (["--explain", "--build-corpus", "c"], "--explain cannot be combined with --search"),
        (["--limit", "1", "--build-corpus", "c"], "--build-corpus cannot be combined with --limit"),
        (
            ["--option", "A", "--search", "--retriever", "bm25"],
            "--search cannot be combined with --option",
        ),
        (["--out", "set.json"], "would overwrite the data set"),
        (["--html", "set.json"], "would overwrite the data set"),
        (["--retriever", "bm25,k"], "--retriever bm25,k\n  expected: --retriever NAME,KEY=VALUE"),
    ],
)
def test_user_errors_print_one_message(folder, args, message):
    done = run(folder, "set.json", *args)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not done.stdout


def test_an_option_that_no_question_has_leaves_no_file(folder):
    assert run(folder, "set.json", "--build-corpus", "c").returncode == 0
    for more in ((), ("--corpus", "c")):
        done = run(folder, "set.json", "--option", "Z", "--out", "found.jsonl", *more)
        assert "none of the chosen questions has an option" in done.stderr
        assert not (folder / "found.jsonl").exists()


def test_a_set_without_gold_is_extracted_but_not_scored(folder):
    plain = json.loads(json.dumps(SET))
    for row in plain["data"]:
        for qa in row["qas"]:
            del qa["golden_evidence"]
    (folder / "plain.json").write_text(json.dumps(plain, ensure_ascii=False), "utf-8")
    done = run(folder, "plain.json", "--retriever", "bm25")
    assert done.returncode == 0, done.stderr
    assert "nothing to score" in done.stderr
    assert "1.00" in done.stdout


def test_corpus_evidence_is_shown_with_its_passages(folder):
    assert run(folder, "set.json", "--build-corpus", "c").returncode == 0
    asked = ("set.json", "--corpus", "c", "--question", "1-1", "--out", "found.jsonl")
    done = run(folder, *asked)
    assert done.returncode == 0, done.stderr
    (line,) = map(json.loads, (folder / "found.jsonl").read_text("utf-8").splitlines())
    for told in line["evidence"]:
        assert f"── 1-1 {told['option_label']}\n" in done.stdout
        for piece in told["sentences"]:
            assert f"  {piece['passage_id']}: {piece['text']}\n" in done.stdout
    assert evidence_json(folder, *asked)["evidence"] == [line]
    assert "── " not in run(folder, "set.json", "--corpus", "c").stdout


def test_the_corpus_variable_is_expanded(folder):
    """Recipes of published sets name them by $CLOSEREAD_CORPUS/; unset, that is one message."""
    environment = {k: v for k, v in os.environ.items() if k != "CLOSEREAD_CORPUS"}
    command = [sys.executable, "-m", "closeread", "describe", "$CLOSEREAD_CORPUS/set.json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 2
    assert "CLOSEREAD_CORPUS is not set" in done.stderr
    assert "CLOSEREAD_CORPUS=. to use" in done.stderr
    environment["CLOSEREAD_CORPUS"] = str(folder)
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr


def test_a_page_and_numbers_are_written_together(folder):
    """The numbers are those without the page; where it lies is said on stderr."""
    plain = run(folder, "set.json", "--no-intervals")
    done = run(folder, "set.json", "--no-intervals", "--html", "page.html")
    assert done.returncode == 0, done.stderr
    assert done.stdout == plain.stdout
    assert "page.html" in done.stderr
    assert "降水使海水变淡" in (folder / "page.html").read_text("utf-8")
    only = run(folder, "set.json", "--question", "2-1", "--html", "one.html")
    assert only.returncode == 0, only.stderr
    assert "大雁" in (folder / "one.html").read_text("utf-8")
    assert "海水" not in (folder / "one.html").read_text("utf-8")


def test_grouped_scores_on_the_page_have_intervals(tmp_path):
    """As the page says of them."""
    for asked, bounds in ((), True), (("--no-intervals",), False):
        done = run(tmp_path, "exam/zh", "--html", "page.html", *asked)
        assert done.returncode == 0, done.stderr
        page = (tmp_path / "page.html").read_text("utf-8")
        (found,) = re.findall(r'\["original","cover","93.5","([\d.]*)","([\d.]*)","36"\]', page)
        assert [bool(bound) for bound in found] == [bounds, bounds]


@needs_vectors
def test_json_has_checksums_of_all_files(folder):
    """Those of stop words, of word vectors and of a corpus, as ``sha256sum`` prints them."""
    sums = {}
    for name, content in (("words.txt", "的\n"), ("v.txt", "2 2\n海水 1 0\n蒸发 0 1\n")):
        (folder / name).write_text(content, "utf-8")
        sums[name] = hashlib.sha256(content.encode()).hexdigest()
    given = ("words=characters", "stop_words=words.txt")
    told = evidence_json(folder, "set.json", "--retriever", ",".join(["bm25", *given]))["retriever"]
    assert told["record"]["files_sha256"] == {"words.txt": sums["words.txt"]}
    masking = ",".join(["hard-masking", "integrate=off", "vectors=v.txt", *given])
    told = evidence_json(folder, "set.json", "--limit", "1", "--retriever", masking)["retriever"]
    assert told["record"]["files_sha256"] == sums
    (model,) = told["record"]["evidence_models"]
    assert model["sha256"] == sums["v.txt"]
    assert run(folder, "set.json", "--build-corpus", "c").returncode == 0
    told = evidence_json(folder, "set.json", "--corpus", "c", "-o", "background=c")
    wanted = hashlib.sha256((folder / "c" / "passages.jsonl").read_bytes()).hexdigest()
    assert told["corpus_sha256"] == wanted
    assert told["retriever"]["record"] == {"files_sha256": {"c/passages.jsonl": wanted}}


def test_evidence_is_written_even_if_it_cannot_be_scored(tmp_path):
    """That of exam/en is judged as text, which needs NLTK; what is found needs nothing."""
    (tmp_path / "nltk.py").write_text('raise ModuleNotFoundError("no nltk", name="nltk")\n')
    path = os.pathsep.join([str(tmp_path), str(ROOT / "src")])
    few = ("evidence", "exam/en", "--limit", "3")
    for asked in (("--out", "found.jsonl"), ("--html", "page.html", "--by", "sentences")):
        done = run_in_subprocess(*few, *asked, folder=tmp_path, PYTHONPATH=path)
        assert done.returncode == 0, done.stderr
        assert "the evidence is not scored" in done.stderr
        assert "pip install 'closeread[cmrc]'" in done.stderr
        assert "no gold evidence" not in done.stderr
    assert len((tmp_path / "found.jsonl").read_text("utf-8").splitlines()) == 3
    done = run_in_subprocess(*few, folder=tmp_path, PYTHONPATH=path)
    assert done.returncode == 2
    assert "closeread[cmrc]" in done.stderr
