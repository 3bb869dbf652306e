"""The page is one whole file: nothing fetched, nothing of the data taken for markup."""

import base64
import hashlib
import json
import re
import tracemalloc
from html.parser import HTMLParser

import pytest
from msgspec import structs

from closeread import formats
from closeread.errors import InputError
from closeread.formats.submissions import load_submission
from closeread.readers.generative.extraction import Extraction
from closeread.reports.excerpts import MAX_CHARACTERS
from closeread.reports.frame import json_for_html
from closeread.reports.gather import gather
from closeread.reports.notices import collect_notices, licence_kind
from closeread.reports.page import leading_metrics, write_material
from closeread.reports.payload import question_columns
from closeread.reports.words.notices import NOTICES
from closeread.runs.from_submission import save_and_score, save_submission
from closeread.runs.records import ScoreSettings
from closeread.runs.score import score_run
from closeread.runs.selection import write_list
from closeread.runs.store import open_run
from closeread.runs.submission_fit import KINDS
from closeread.types import (
    Answer,
    Candidate,
    Evidence,
    Generation,
    Passage,
    Prediction,
    Question,
    Span,
)
from report_runs import PASSAGE, choose, correctness_by_id, triple, write_page, write_run, write_set

HOSTILE = "</script><script>alert(1)</script><!-- \u2028 \u2029 \u202e & ' \" <img src=x onerror=y>"


class _Scripts(HTMLParser):
    """Collects every script element as a browser would cut them."""

    def __init__(self):
        super().__init__()
        self.scripts, self.tags, self.attributes = [], [], []
        self._open = None

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag == "script":
            self._open = [dict(attrs), ""]

    def handle_data(self, data):
        if self._open is not None:
            self._open[1] += data

    def handle_endtag(self, tag):
        if tag == "script":
            self.scripts.append(self._open)
            self._open = None


def _parse_page(page):
    parser = _Scripts()
    parser.feed(page.read_text("utf-8"))
    blocks = {found["id"]: json.loads(text) for found, text in parser.scripts if "id" in found}
    return parser, blocks


def test_empty_options_are_omitted(tmp_path):
    """Zero and false say something; what was not named does not."""
    options = {"weights": "", "stop": [], "model": None, "seed": 0, "alone": False, "k": "x"}
    _, blocks = _parse_page(_write_page(tmp_path, options=options))
    assert blocks["index"]["runs"][0]["options"] == {"seed": 0, "alone": False, "k": "x"}


def _write_page(tmp_path, name="run", language=None, **run):
    questions = triple("t1") + triple("t2")
    dataset = write_set(tmp_path / "lamps.jsonl", [(PASSAGE, questions)])
    predictions = choose(questions, {"t1-negative": "B"})
    values = {"choice.accuracy": correctness_by_id(dataset, predictions)}
    folder = write_run(tmp_path / name, dataset, predictions, values, **run)
    return write_page([folder], tmp_path / "page.html", language=language)


def test_the_page_fetches_nothing(tmp_path):
    """No element names an address outside the page, and the policy forbids any."""
    parser, _ = _parse_page(_write_page(tmp_path))
    links = [value for _, name, value in parser.attributes if name in ("src", "href")]
    assert links == ["data:,"]
    policy = next(v for t, n, v in parser.attributes if n == "content" and "default-src" in v)
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_the_policy_has_hashes_of_script_and_style(tmp_path):
    """Exactly one script and one style may run: those that the page was made with."""
    page = _write_page(tmp_path)
    text = page.read_text("utf-8")
    style = text[text.index("<style>") + 7 : text.index("</style>")]
    parser, _ = _parse_page(page)
    (script,) = [body for found, body in parser.scripts if "type" not in found]
    for body in (style, script):
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in text


def test_numbers_are_shown_without_scripts(tmp_path):
    """The value with its interval, what limits trust in it, how many questions, the licence."""
    page = _write_page(tmp_path, language="en", defects={"duplicate-id": 2}).read_text("utf-8")
    said = re.sub("<[^>]*>", " ", page[page.index("<noscript>") : page.index("</noscript>")])
    said = " ".join(said.split())
    assert "choice.accuracy 83.3 [" in said
    assert "2 defects in the data of lamps" in said
    assert "6 questions · Licence: CC BY 4.0" in said


def test_hostile_data_stays_data(tmp_path):
    """Markup in every field of the data opens no element and comes back unchanged."""
    passage = Passage(passage_id="p", title=HOSTILE, text=HOSTILE * 2)
    question = Question(
        question_id=HOSTILE,
        passage_id="p",
        text=HOSTILE,
        kind="span",
        answers=(Answer(kind="span", texts=(HOSTILE,)),),
        tags={HOSTILE: HOSTILE},
    )
    dataset = write_set(tmp_path / "bad.jsonl", [(passage, (question,))])
    said = Prediction(question_id=HOSTILE, answer=Answer(kind="span", texts=(HOSTILE,)))
    folder = write_run(
        tmp_path / "run", dataset, [said], {"squad.f1": {HOSTILE: 1.0}}, name=HOSTILE
    )
    parser, blocks = _parse_page(write_page([folder], tmp_path / "page.html"))
    assert "img" not in parser.tags
    assert parser.tags.count("script") == len(blocks) + 1
    assert blocks["index"]["questions"]["text"] == [HOSTILE]
    assert blocks["passages-0"][0]["text"] == HOSTILE * 2
    assert blocks["details-0"][0]["runs"][0]["answer"]["texts"] == [HOSTILE]


@pytest.mark.parametrize("character", ["<", ">", "&", "\u2028", "\u2029"])
def test_embedded_json_cannot_end_its_element(character):
    """JSON in the page holds none of these raw, and decodes to the same value."""
    raw = json_for_html({"a": f"x{character}y"})
    assert character not in raw
    assert json.loads(raw) == {"a": f"x{character}y"}


def test_the_page_is_in_the_language_of_the_data(tmp_path):
    """A Chinese data set gives a Chinese page; --lang en gives an English one."""
    assert '<html lang="zh-CN">' in _write_page(tmp_path).read_text("utf-8")
    assert '<html lang="en">' in _write_page(tmp_path, "again", language="en").read_text("utf-8")


def test_each_passage_is_in_the_page_once(tmp_path):
    """A passage with six questions stands in the page one time."""
    text = _write_page(tmp_path).read_text("utf-8")
    assert text.count("河对岸的住户说") == 1


def test_the_page_is_small_beyond_its_data(tmp_path):
    """The page's own part (words, style, script) is under 300 kB."""
    page = _write_page(tmp_path)
    assert page.stat().st_size < 300_000


def test_a_changed_data_set_is_reported_and_not_shown(tmp_path):
    """Questions of another file than the one answered are left out, with a notice."""
    dataset_file = tmp_path / "lamps.jsonl"
    _write_page(tmp_path)
    dataset_file.write_text(dataset_file.read_text("utf-8") + "\n", "utf-8")
    page = write_page([tmp_path / "run"], tmp_path / "page.html")
    _, blocks = _parse_page(page)
    assert "passages-0" not in blocks
    assert [it["code"] for it in blocks["index"]["notices"]] == ["set-changed"]
    assert blocks["index"]["questions"]["n"] == 6
    assert "河对岸" not in page.read_text("utf-8")


def test_a_moved_data_set_can_be_given(tmp_path):
    """Without its file a run is shown without passages; dataset_path brings them back."""
    _write_page(tmp_path)
    moved = (tmp_path / "lamps.jsonl").rename(tmp_path / "moved.jsonl")
    _, blocks = _parse_page(write_page([tmp_path / "run"], tmp_path / "page.html"))
    assert [it["code"] for it in blocks["index"]["notices"]] == ["set-missing"]
    page = write_page([tmp_path / "run"], tmp_path / "page.html", dataset_path=moved)
    _, blocks = _parse_page(page)
    assert blocks["index"]["notices"] == []
    assert blocks["passages-0"][0]["text"] == PASSAGE.text


def test_a_given_data_set_shows_only_the_runs_questions(tmp_path):
    """A run of some questions has no others that were left unanswered."""
    _write_page(tmp_path)
    run = tmp_path / "run"
    info = json.loads((run / "run.json").read_text("utf-8"))
    info["dataset"] |= {"only": "a list", "n_questions": 3}
    (run / "run.json").write_text(json.dumps(info), "utf-8")
    write_list(run, [f"t1-{role}" for role in ("original", "positive", "negative")])
    moved = (tmp_path / "lamps.jsonl").rename(tmp_path / "moved.jsonl")
    assert len(gather([run], dataset_path=moved).rows) == 3


@pytest.mark.parametrize("name", ["predictions.jsonl", "scores.jsonl"])
def test_changed_files_are_the_first_notice(tmp_path, name):
    """Files that no longer have their recorded hashes are the gravest notice, and the cure."""
    _write_page(tmp_path)
    path = tmp_path / "run" / name
    path.write_bytes(path.read_bytes() + b" ")
    _, blocks = _parse_page(write_page([tmp_path / "run"], tmp_path / "page.html"))
    (found,) = blocks["index"]["notices"]
    assert (found["code"], found["run"], found["params"]["name"]) == ("files-changed", 0, "run")
    assert name in found["params"]["why"]
    assert "closeread verify" in blocks["index"]["words"]["en"]["notice.files-changed"]


def test_official_and_strict_values_come_first():
    """Strict values are never behind the button; other variants and answer types are."""
    official = ["gcrc.acc0", "gcrc.acc1", "choice.accuracy", "drop.f1", "drop.f1.number"]
    variants = ["gcrc.acc0~strict", "gcrc.acc1~strict", "drop.f1~fixed"]
    assert leading_metrics(official + variants) == [
        "gcrc.acc0",
        "gcrc.acc0~strict",
        "gcrc.acc1",
        "gcrc.acc1~strict",
        "choice.accuracy",
        "drop.f1",
    ]
    assert leading_metrics(["gcrc.acc0~strict"]) == ["gcrc.acc0~strict"]


def test_notices_name_limits_of_trust(tmp_path):
    """Failures, a shrinking denominator, defects and licences are each said once."""
    questions = triple("t1")
    dataset = write_set(tmp_path / "lamps.jsonl", [(PASSAGE, questions)])
    failed = Prediction(question_id="t1-original", error="TimeoutError: no answer")
    predictions = [failed, *choose(questions[1:], {})]
    values = {"choice.accuracy": correctness_by_id(dataset, predictions)}
    folder = write_run(
        tmp_path / "run",
        dataset,
        predictions,
        values,
        license="CC BY-NC 4.0",
        defects={"wrong-offset": 2, "duplicate-id": 1},
        changes={"n_scored": 2},
    )
    _, blocks = _parse_page(write_page([folder], tmp_path / "page.html"))
    found = {it["code"]: it["params"] for it in blocks["index"]["notices"]}
    assert list(found) == ["failed", "denominator", "defects", "licence-non-commercial"]
    assert found["defects"]["items"] == [["wrong-offset", 2], ["duplicate-id", 1]]
    assert found["failed"]["n"] == "1"


def test_every_misfit_has_words():
    kinds = {f"notice.handed-in-{kind}".replace("_", "-") for kind in KINDS}
    readings = ("letters", "numbers-from-0", "numbers-from-1", "ungarbled", "no-answer")
    kinds |= {f"notice.read-as-{how}" for how in (*readings, "no-null-odds")}
    assert kinds <= NOTICES.keys()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_notices_name_misfits_of_submissions(tmp_path, lang):
    """As on the terminal, where it was scored: whoever reads the page was not there."""
    row = {"passage": PASSAGE.text, "question": "Which?", "answer": "B"}
    row |= {"options": ["ice", "salt"]}
    data, file = tmp_path / "own.jsonl", tmp_path / "p.jsonl"
    data.write_text("".join(json.dumps({"id": name, **row}) + "\n" for name in "abcd"))
    given = [("a", "B"), ("b", "（B）"), ("c", "2"), ("z", "A"), ("a", "B")]
    file.write_text("".join(json.dumps({"id": i, "answer": said}) + "\n" for i, said in given))
    dataset = formats.load(data)
    settings = ScoreSettings(metrics=("choice",))
    save_and_score(dataset, load_submission(file, dataset), [file], tmp_path / "run", settings)
    _, blocks = _parse_page(write_page([tmp_path / "run"], tmp_path / "page.html", language=lang))
    found = {it["code"]: it["params"] for it in blocks["index"]["notices"]}
    assert found.pop("handed-in-missing") == {
        "n": "1", "all": "4", "ids": "d", "filter": "unanswered"
    }  # fmt: skip
    assert found.pop("handed-in-strangers") == {"n": "1", "all": "4", "ids": "z"}
    told = {code.removeprefix("handed-in-"): of.get("ids") for code, of in found.items()}
    assert told.pop("repeated") == "a"
    assert (told.pop("no-options"), told.pop("typed"), told.pop("numbers")) == ("b, c", "b", "c")
    assert found["read-as-letters"]["values"].startswith("choice.accuracy 50.0 % (25.0 %)")
    assert found["read-as-numbers-from-1"]["values"].startswith("choice.accuracy 50.0 % (25.0 %)")
    words = blocks["index"]["words"][lang]
    assert all(f"notice.{code}" in words for code in (*found, "handed-in-missing"))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("q1", "q2", "q3"), []),
        (("q1", "q3"), [{"metrics": "squad2.em, squad2.f1", "n": "2", "all": "3"}]),
    ],
)
def test_halves_exclude_questions_by_design(tmp_path, given, told):
    """Of SQuAD 2.0's values each half was told to count as few questions as the smaller one."""
    one = {"passage_id": PASSAGE.passage_id, "text": "Which?", "kind": "span"}
    gold, none = Answer(kind="span", texts=("lamp",)), Answer(kind="none")
    questions = tuple(
        Question(question_id=f"q{n}", answers=(answer,), **one)
        for n, answer in enumerate((gold, gold, none), 1)
    )
    data = write_set(tmp_path / "lamps.jsonl", [(PASSAGE, questions)])
    file = tmp_path / "p.json"
    file.write_text(json.dumps(dict.fromkeys(given, "lamp")))
    run = save_submission(data, load_submission(file, data), (file,), tmp_path / "run")
    score_run(run, ScoreSettings(metrics=("squad2",)))
    _, blocks = _parse_page(write_page([run.path], tmp_path / "page.html"))
    notices = blocks["index"]["notices"]
    assert [it["params"] for it in notices if it["code"] == "denominator"] == told


@pytest.mark.parametrize(
    ("license", "kind"),
    [
        ("CC BY-SA 4.0", "open"),
        ("research use only; the CNN stories keep their own terms", "non-commercial"),
        ("BioASQ's own terms; abstracts keep those of their publishers", "unknown"),
        ("none stated", "unknown"),
        ("", "unknown"),
    ],
)
def test_unspecified_terms_are_unknown(license, kind):  # noqa: A002
    """A reader of the page is to ask before passing such a text on."""
    assert licence_kind(license) == kind


def test_long_texts_are_shortened_with_a_notice(tmp_path):
    """An answer of megabytes, its n-best list and what the model wrote make no page of them."""
    asked = {"passage_id": PASSAGE.passage_id, "text": "Which?", "kind": "span"}
    questions = tuple(Question(question_id=name, **asked) for name in ("q1", "q2"))
    dataset = write_set(tmp_path / "lamps.jsonl", [(PASSAGE, questions)])
    long = Answer(kind="spans", texts=("short", "word " * 500_000, "last"))
    made = Generation(text="b" * 3_000_000)
    predictions = [
        Prediction(
            question_id="q1",
            answer=long,
            candidates=(Candidate(answer=long, score=1.0),),
            generation=made,
            others=(made, made),
            error="c" * 50_000,
        ),
        Prediction(question_id="q2", answer=Answer(kind="span", texts=("x" * MAX_CHARACTERS,))),
    ]
    folder = write_run(tmp_path / "run", dataset, predictions, {})
    page = write_page([folder], tmp_path / "page.html")
    assert page.stat().st_size < 500_000
    _, blocks = _parse_page(page)
    (notice,) = [it for it in blocks["index"]["notices"] if it["code"] == "shortened"]
    assert notice["params"] == {"n": "1", "most": f"{MAX_CHARACTERS:,}"}
    first, second = blocks["index"]["questions"]["runs"][0]["answer"]
    assert [first[0], first[1][:5], first[1][-1], first[2]] == ["short", "word ", "…", "…"]
    assert sum(map(len, first)) <= MAX_CHARACTERS + 2
    assert second == ["x" * MAX_CHARACTERS]


def test_several_runs_share_their_questions(tmp_path):
    """Two runs on one data set have one list of questions and a column each."""
    questions = triple("t1")
    dataset = write_set(tmp_path / "lamps.jsonl", [(PASSAGE, questions)])
    folders = []
    for name, labels in (("one", {}), ("two", {"t1-original": "B"})):
        predictions = choose(questions, labels)
        values = {"choice.accuracy": correctness_by_id(dataset, predictions)}
        folders.append(write_run(tmp_path / name, dataset, predictions, values))
    _, blocks = _parse_page(write_page(folders, tmp_path / "page.html"))
    index = blocks["index"]
    assert index["questions"]["n"] == 3
    assert [run["value"] for run in index["questions"]["runs"]] == [[1, 1, 0], [0, 1, 0]]
    assert [plot["title"] for plot in index["plots"]].count("pair") == 1


def test_reextracted_answers_are_shown(tmp_path):
    """Old answers would stand beside values that are not theirs."""
    questions = triple("t")
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, questions)])
    said = [
        structs.replace(one, confidence=0.5, generation=Generation(text="A"))
        for one in choose(questions, {q.question_id: "B" for q in questions})
    ]
    values = {"choice.accuracy": correctness_by_id(dataset, said)}
    path = write_run(tmp_path / "run", dataset, said, values)
    extraction = Extraction(stops=(), rule="letter")
    for settings, label in ((None, "B"), (extraction, "A")):
        score_run(open_run(path), ScoreSettings(metrics=("choice",), extraction=settings))
        (run,) = gather([path]).runs
        right = [name for name in run.results if run.value(name) == 1.0]
        assert len(right) == (2 if label == "A" else 1)
        told = {one.prediction.answer.label for one in run.results.values()}
        assert told == {label}
        assert {one.prediction.confidence for one in run.results.values()} == {
            None if settings else 0.5
        }
    raw = (tmp_path / "set.jsonl").read_bytes()
    (tmp_path / "set.jsonl").unlink()  # without it nothing can be read anew by its options
    (run,) = gather([path]).runs
    assert {one.prediction.answer.label for one in run.results.values()} == {"B"}
    (tmp_path / "set.jsonl").write_bytes(raw)
    extraction = Extraction(stops=(), rule="first-line")
    score_run(open_run(path), ScoreSettings(metrics=("choice",), extraction=extraction))
    (tmp_path / "set.jsonl").unlink()  # but by its text alone
    (run,) = gather([path]).runs
    assert {one.prediction.answer.texts for one in run.results.values()} == {("A",)}


def test_runs_on_different_sets_share_a_page(tmp_path):
    """Questions of both sets are listed; each run has values for its own alone."""
    folders = []
    for name in ("one", "two"):
        questions = triple(name)
        dataset = write_set(tmp_path / f"{name}.jsonl", [(PASSAGE, questions)])
        predictions = choose(questions, {})
        values = {"choice.accuracy": correctness_by_id(dataset, predictions)}
        folders.append(write_run(tmp_path / f"run-{name}", dataset, predictions, values))
    _, blocks = _parse_page(write_page(folders, tmp_path / "page.html"))
    columns = blocks["index"]["questions"]
    assert columns["dataset"] == [0, 0, 0, 1, 1, 1]
    assert columns["runs"][0]["value"][3:] == [None, None, None]
    assert columns["runs"][1]["answer"][:3] == [None, None, None]
    assert blocks["index"]["notices"] == []


def test_incomparable_runs_get_a_notice(tmp_path):
    """Three runs on two sets, two of them scored in different ways: both are said."""
    folders = []
    for name, of in (("one", "a"), ("two", "a"), ("three", "b")):
        questions = triple(of)
        path = tmp_path / f"{of}.jsonl"
        dataset = write_set(path, [(PASSAGE, questions)])
        predictions = choose(questions, {})
        values = {"choice.accuracy": correctness_by_id(dataset, predictions)}
        changes = {"signature": f"choice.accuracy|tie:{name}|ci:x"}
        folders.append(write_run(tmp_path / name, dataset, predictions, values, changes=changes))
    _, blocks = _parse_page(write_page(folders, tmp_path / "page.html"))
    codes = [it["code"] for it in blocks["index"]["notices"]]
    assert codes == ["different-sets", "signatures"]


def test_values_by_role_belong_to_their_questions(tmp_path):
    """A metric that calls its values original, positive and negative marks every question."""
    questions = triple("t1")
    dataset = write_set(tmp_path / "lamps.jsonl", [(PASSAGE, questions)])
    predictions = choose(questions, {})
    right = correctness_by_id(dataset, predictions)
    values = {f"gcrc.{q.role}": {q.question_id: right[q.question_id]} for q in questions}
    folder = write_run(tmp_path / "run", dataset, predictions, values)
    _, blocks = _parse_page(write_page([folder], tmp_path / "page.html"))
    assert blocks["index"]["questions"]["runs"][0]["value"] == [1, 1, 0]
    assert gather([folder]).runs[0].per_question == "gcrc.right"  # not that of originals alone


@pytest.mark.parametrize(
    "said",
    [
        {"answer": Answer(kind="span", texts=("B",), label="B")},
        {"answer": Answer(kind="span", texts=("路灯按钟点开关。",))},
        {"option_scores": (0.2, 0.8)},
    ],
    ids=["letter", "text", "scores"],
)
def test_submissions_mark_the_picked_option(tmp_path, said):
    """However it names the option: it was marked at none, and told apart from the same letter."""
    questions = triple("t1")
    dataset = write_set(tmp_path / "lamps.jsonl", [(PASSAGE, questions)])
    given = [Prediction(question_id=questions[0].question_id, **said)]
    own = choose(questions[:1], {questions[0].question_id: "B"})
    runs = []
    for name, predictions in (("given", given), ("own", own)):
        values = {"choice.accuracy": {questions[0].question_id: 0.0}}
        runs.append(write_run(tmp_path / name, dataset, predictions, values))
    shown = question_columns(gather(runs))["runs"]
    assert [run["answer"][0] for run in shown] == ["B", "B"]


def test_large_sets_are_sampled_by_passage(tmp_path):
    """Of six questions on two passages a page for three keeps the first passage's three."""
    other = structs.replace(PASSAGE, passage_id="p2")
    items = [(PASSAGE, triple("t1")), (other, triple("t2", other))]
    dataset = write_set(tmp_path / "lamps.jsonl", items)
    predictions = choose(tuple(dataset.questions()), {})
    values = {"choice.accuracy": correctness_by_id(dataset, predictions)}
    folder = write_run(tmp_path / "run", dataset, predictions, values)
    material = gather([folder], max_questions=3)
    assert [row.question.question_id for row in material.rows] == [
        "t1-original",
        "t1-positive",
        "t1-negative",
    ]
    (said,) = collect_notices(material)
    assert (said.code, said.params["n"], said.params["all"]) == ("sampled", "3", "6")
    assert material.runs[0].metrics["choice.accuracy"].n_questions == 6


def test_hidden_questions_are_counted_without_texts(tmp_path):
    """A million predictions stood in memory, though the page holds 20,000 questions."""
    other = structs.replace(PASSAGE, passage_id="p2")
    items = [(PASSAGE, triple("t1")), (other, triple("t2", other))]
    dataset = write_set(tmp_path / "lamps.jsonl", items)
    made = Generation(text="A long text.", finish_reason="length")
    predictions = [
        structs.replace(
            one, confidence=0.1 * place, generation=made, error="timed out" if place == 5 else ""
        )
        for place, one in enumerate(choose(tuple(dataset.questions()), {}))
    ]
    values = {"choice.accuracy": correctness_by_id(dataset, predictions)}
    folder = write_run(tmp_path / "run", dataset, predictions, values)
    whole, part = gather([folder]), gather([folder], max_questions=3)
    last = part.runs[0].results[predictions[-1].question_id].prediction
    assert (last.generation.text, last.generation.finish_reason) == ("", "length")
    assert part.runs[0].results[predictions[0].question_id] == whole.runs[0].results["t1-original"]
    assert part.runs[0].coverage == whole.runs[0].coverage
    assert part.runs[0].evidence_only == whole.runs[0].evidence_only
    assert [one for one in collect_notices(part) if one.code != "sampled"] == collect_notices(whole)
    assert {one.code for one in collect_notices(whole)} >= {"failed", "truncated"}


def test_the_run_with_most_answers_gives_the_questions(tmp_path):
    """A run with a limit, named first, hides nothing of the whole run beside it."""
    other = structs.replace(PASSAGE, passage_id="p2")
    items = [(PASSAGE, triple("t1")), (other, triple("t2", other))]
    dataset = write_set(tmp_path / "lamps.jsonl", items)
    predictions = choose(tuple(dataset.questions()), {})
    values = {"choice.accuracy": correctness_by_id(dataset, predictions)}
    part = write_run(tmp_path / "part", dataset, predictions[:3], values)
    whole = write_run(tmp_path / "whole", dataset, predictions, values)
    info = json.loads((part / "run.json").read_text("utf-8"))
    info["dataset"] |= {"limit": 3, "n_questions": 3}
    (part / "run.json").write_text(json.dumps(info), "utf-8")
    for paths in ([part, whole], [whole, part]):
        material = gather(paths)
        assert [run.name for run in material.runs] == [path.name for path in paths]
        assert len(material.rows) == 6
        assert material.sets[0].info.limit is None
    assert len(gather([part]).rows) == 3


def test_an_invalid_run_leaves_no_page(tmp_path):
    """A wrong folder is a user error, and nothing is written."""
    with pytest.raises(InputError, match="not a run folder"):
        write_page([tmp_path], tmp_path / "page.html")
    assert not list(tmp_path.iterdir())


def test_every_word_of_the_scripts_exists():
    """Each literal key in the page's scripts has its English and Chinese words."""
    from importlib.resources import files

    from closeread.reports.words.page import WORDS

    scripts = "".join(
        each.read_text("utf-8")
        for each in (files("closeread.reports") / "templates").iterdir()
        if each.name.endswith(".js")
    )
    keys = set(re.findall(r'\bt\("([a-z][\w.-]*[a-z-])"', scripts))
    assert len(keys) > 50
    assert not {key for key in keys if key not in WORDS and not key.endswith((".", "-"))}
    for english, chinese in WORDS.values():
        assert english
        assert chinese
        assert set(re.findall(r"{\w+}", english)) == set(re.findall(r"{\w+}", chinese))


def test_a_large_page_is_streamed(tmp_path):
    """It was held four times over, each character in four bytes where one of them needs as many."""
    questions = tuple(
        Question(question_id=f"q{n}", passage_id="p1", text="Who?", kind="span")
        for n in range(2_000)
    )
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, questions)])
    said = [
        Prediction(question_id=one.question_id, generation=Generation(text="𠮷" + "a" * 10_000))
        for one in questions
    ]
    material = gather([write_run(tmp_path / "run", dataset, said, {})])
    tracemalloc.start()
    try:
        page = write_material(material, tmp_path / "page.html")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    size = page.stat().st_size
    assert size > 2_000 * 10_000
    assert peak < 3 * size, peak  # a block of it, not the whole: that took 17 times its size
    assert len(_parse_page(page)[1]["details-0"]) == 64


def test_notes_of_all_scorers_are_shown(tmp_path):
    """That of the first alone would hide that the reader gave no evidence."""
    gold = Evidence(spans=(Span(start=0, end=7),))
    question = Question(
        question_id="q", passage_id="p", text="在哪里？", kind="span",
        answers=(Answer(kind="span", texts=("青石桥",)),), gold_evidence=(gold,),
    )  # fmt: skip
    passage = Passage(passage_id="p", text="在青石桥的东边。", language="zh")
    dataset = write_set(tmp_path / "set.jsonl", [(passage, (question,))])
    said = [Prediction(question_id="q", answer=Answer(kind="span", texts=("青石桥",)))]
    folder = write_run(tmp_path / "run", dataset, said, {})
    score_run(open_run(folder), ScoreSettings(metrics=("squad", "mrqa", "evidence"), resamples=0))
    _, blocks = _parse_page(write_page([folder], tmp_path / "page.html"))
    both = "a gold answer without spaces: one word; no evidence was predicted"
    assert blocks["details-0"][0]["runs"][0]["note"] == both
    assert blocks["index"]["notes"][both] == "标准答案中没有空格：只算一个词；没有预测证据"


def test_a_missing_large_set_shows_every_runs_answers(tmp_path):
    """Runs answer in other orders: each held the texts of its own first questions alone."""
    questions = tuple(
        Question(question_id=f"q{n}", passage_id="p1", text="Who?", kind="span") for n in range(9)
    )
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, questions)])
    said = [
        Prediction(question_id=one.question_id, answer=Answer(kind="span", texts=("Ann",)))
        for one in questions
    ]
    runs = [
        write_run(tmp_path / name, dataset, given, {})
        for name, given in (("one", said), ("other", said[::-1]))
    ]
    (tmp_path / "set.jsonl").unlink()
    material = gather(runs, max_questions=4)
    assert [row.question.question_id for row in material.rows] == ["q0", "q1", "q2", "q3"]
    for run in material.runs:
        assert len(run.results) == 9
        shown = (run.results[row.question.question_id].prediction for row in material.rows)
        assert all(one.answer.texts == ("Ann",) for one in shown)
