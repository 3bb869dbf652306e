"""Evidence compared, shaded and joined with answers, as a person meets it in a real browser."""

import json

import pytest
from msgspec.structs import replace

from closeread.types import Answer, Evidence, Option, Passage, Prediction, Question, Span
from command_line import run_in_subprocess
from report_runs import PASSAGE, correctness_by_id, triple, write_page, write_run, write_set

pytestmark = pytest.mark.browser

DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 360, "height": 740}
GOLD = Span(PASSAGE.text.index("传感器"), len(PASSAGE.text))
OTHER = Span(0, 13)


@pytest.fixture
def visit(browser):
    """Opens a page; nothing may be logged, and nothing may stand out at the side."""
    contexts = []

    def opened(path, fragment="", size=None, scheme="light"):
        context = browser.new_context(viewport=size or DESKTOP, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.logged = []
        page.on("console", lambda message: page.logged.append(message.text))
        page.on("pageerror", lambda error: page.logged.append(str(error)))
        page.goto(path.as_uri() + fragment)
        return page

    yield opened
    for context in contexts:
        for page in context.pages:
            assert page.logged == []
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        context.close()


def _predicted(name, label, spans):
    return Prediction(
        question_id=name,
        answer=Answer(kind="choice", label=label),
        evidence=(Evidence(spans=spans, option_label=label),),
    )


@pytest.fixture(scope="module")
def joined(tmp_path_factory):
    """Two runs: the first is right twice, once for a wrong reason; the second finds too much."""
    folder = tmp_path_factory.mktemp("joined")
    dataset = write_set(folder / "set.jsonl", [(PASSAGE, triple("t"))])
    told = {
        "first": [
            _predicted("t-original", "A", (GOLD,)),
            _predicted("t-positive", "A", (OTHER,)),
            _predicted("t-negative", "A", (GOLD,)),
        ],
        "second": [
            _predicted(f"t-{role}", "A", (OTHER, GOLD))
            for role in ("original", "positive", "negative")
        ],
    }
    paths = [
        write_run(
            folder / name,
            dataset,
            predictions,
            {"choice.accuracy": correctness_by_id(dataset, predictions)},
        )
        for name, predictions in told.items()
    ]
    return write_page(paths, folder / "page.html", language="en")


@pytest.fixture(scope="module")
def retrieved(tmp_path_factory):
    """What ``closeread evidence --html`` writes of three retrievers, one of them masking."""
    pytest.importorskip("gensim", reason="gensim is not installed")
    folder = tmp_path_factory.mktemp("retrieved")
    write_set(folder / "set.jsonl", [(PASSAGE, triple("t"))])

    (folder / "vectors.toml").write_text(
        'out = "v.bin"\n[reader]\nname = "vectors"\n'
        '[train]\ndatasets = ["set.jsonl"]\nleast = 1\ndimensions = 20\n',
        "utf-8",
    )

    def run(*args):
        done = run_in_subprocess(*args, folder=folder, CLOSEREAD_CACHE=str(folder / "cache"))
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("train", "vectors.toml")
    masking = "soft-masking,vectors=v.bin,integrate=off"
    printed = run("evidence", "set.jsonl", "--retriever", "cover", "--retriever", "bm25,k=2",
                  "--retriever", masking, "--html", "page.html", "--json")  # fmt: skip
    assert len(json.loads(printed)["runs"]) == 3
    return folder / "page.html"


@pytest.fixture(scope="module")
def reported(retrieved):
    """What ``closeread report`` writes of a run whose evidence a masking retriever found."""
    folder = retrieved.parent

    def run(*args):
        done = run_in_subprocess(*args, folder=folder)
        assert done.returncode == 0, done.stderr
        return done.stderr

    run("read", "set.jsonl", "--reader", "evidence", "-o", "retriever=soft-masking",
        "-o", "vectors=v.bin", "-o", "integrate=off", "--out", "run")  # fmt: skip
    assert "left out" not in run("report", "run", "--out", "run.html")
    return folder


def _kinds(page, label, row):
    line = page.locator(f".methods[data-option={label}] dd").nth(row)
    return [
        (one.evaluate("e => e.className.split(' ')[1]"), one.inner_text().split()[0])
        for one in line.locator(".finding").all()
    ]


def test_methods_are_told_apart_from_gold_by_shape(visit, joined):
    """Found and gold, found and not gold, missed: each number has its own form."""
    page = visit(joined, "#q=t-positive&ev=all")
    names = page.locator(".methods[data-option=A] dt").all_inner_texts()
    assert names == ["annotated", "first", "second"]
    assert _kinds(page, "A", 0) == [("is-gold", "2")]
    assert _kinds(page, "A", 1) == [("extra", "1"), ("missed", "2")]
    assert _kinds(page, "A", 2) == [("extra", "1"), ("hit", "2")]
    heard = page.get_by_role("button", name="evidence 2: found")
    assert heard.and_(page.locator(".methods[data-option=A] .hit")).count() == 1
    shapes = {
        kind: page.locator(f".methods .{kind}").first.evaluate(
            "e => getComputedStyle(e).borderStyle + getComputedStyle(e).borderRadius"
        )
        for kind in ("hit", "extra", "missed")
    }
    assert len(set(shapes.values())) == 3
    assert page.locator(".passage .ev-gold").count() == 1


def test_evidence_of_the_question_is_compared_with_what_was_found_for_it(visit, tmp_path):
    """It was called missed at the right option: what was found for the question stood nowhere."""
    (question,) = (one for one in triple("t") if one.role == "positive")
    shared = replace(question, gold_evidence=(Evidence(spans=(GOLD,)),))
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, (shared,))])
    said = Prediction(
        question_id=shared.question_id,
        answer=shared.answers[0],
        evidence=(Evidence(spans=(OTHER, GOLD)),),
    )
    right = {"choice.accuracy": correctness_by_id(dataset, [said])}
    run = write_run(tmp_path / "run", dataset, [said], right)
    page = visit(write_page([run], tmp_path / "page.html", language="en"), "#q=t-positive&ev=all")
    label = shared.answers[0].label
    assert _kinds(page, label, 1) == [("extra", "1"), ("hit", "2")]
    assert page.locator(".methods").count() == 1


def test_where_any_number_of_options_is_right_each_has_its_own_colour(visit, tmp_path):
    """All were red where one was wrong, and gold of the question was compared with no option's."""
    (question,) = (one for one in triple("t") if one.role == "positive")
    truth = (True, False, True, False)
    options = tuple(Option(label=label, text=f"{label}说") for label in "ABCD")
    several = replace(
        question,
        options=options, answers=(), option_truth=truth, asks_for="supported",
        gold_evidence=(Evidence(spans=(GOLD,)),),
    )  # fmt: skip
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, (several,))])
    said = Prediction(
        question_id=several.question_id,
        option_scores=(1.0, 1.0, 0.0, 0.0),
        evidence=(
            Evidence(spans=(OTHER,), option_label="A"),
            Evidence(spans=(GOLD,), option_label="B"),
        ),
    )
    run = write_run(tmp_path / "run", dataset, [said], {"option.accuracy": {"t-positive": 0.5}})
    page = visit(write_page([run], tmp_path / "page.html", language="en"), "#q=t-positive&ev=all")
    marks = page.locator(".option .mark").evaluate_all("all => all.map((one) => one.className)")
    assert marks == ["mark said", "mark said off", "mark", "mark"]
    assert page.locator(".option.is-gold .mark").all_inner_texts() == [
        "A\ngold, predicted",
        "C\ngold",
    ]
    assert page.locator(".row .letter").all_inner_texts() == ["A", "C", "B"]
    assert _kinds(page, "A", 0) == [("plain", "1")]
    whole = page.locator(".methods[data-option='']")
    assert whole.locator(".hit").all_inner_texts() == ["2"]
    assert whole.locator(".extra").all_inner_texts() == ["1"]


def test_a_retriever_alone_is_called_by_its_name(visit, tmp_path):
    """There is no reader whose evidence it could be."""
    write_set(tmp_path / "set.jsonl", [(PASSAGE, triple("t"))])
    done = run_in_subprocess("evidence", "set.jsonl", "--html", "page.html", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    page = visit(tmp_path / "page.html", "#q=t-positive&ev=all&lang=en")
    names = page.locator(".methods[data-option=A] dt").all_inner_texts()
    assert names == ["annotated", "cover"]


def test_one_method_or_one_option_can_be_marked_alone(visit, joined):
    """A method's button and an option's leave its own sentences in the passage; both are linked."""
    page = visit(joined, "#q=t-positive&ev=all")
    assert page.locator(".passage .badge").count() == 2
    page.get_by_role("button", name="B", exact=True).click()
    assert page.locator(".passage .badge").all_inner_texts() == ["2"]
    page.get_by_role("button", name="first", exact=True).click()
    assert page.locator(".passage .badge").count() == 1
    assert page.locator(".methods").count() == 0
    assert "opt=B" in page.url


def test_the_cells_lead_to_their_questions(visit, joined):
    """The cell "right answer, wrong evidence" opens the list with just those questions."""
    page = visit(joined)
    counts = page.locator(".joined").first.locator("tbody").first.locator("td")
    assert [one.inner_text().split()[0] for one in counts.all()] == ["1", "1", "1", "0"]
    page.locator(".joined a[title='right answer, wrong evidence']").first.click()
    assert page.locator(".row").count() == 1
    assert "cell=answer_only" in page.url
    page.locator(".row").click()
    assert page.locator(".where .id").inner_text() == "t-positive"
    page.get_by_text("clear", exact=True).click()
    assert page.locator(".row").count() == 3


def test_evidence_of_a_page_is_compared_at_first_sight(visit, retrieved):
    """The page of several retrievers opens with the comparison, and calls nothing unanswered."""
    page = visit(retrieved, "#view=questions&lang=en")
    names = page.locator(".methods[data-option=A] dt").all_inner_texts()
    assert names == ["annotated", "cover", "bm25", "soft-masking"]
    assert page.locator("[data-status=unanswered]").count() == 0
    assert page.locator(".option .mark.said").count() == 0
    overview = visit(retrieved, "#lang=en")
    assert overview.locator(".metric", has_text="evidence.f1").count() == 1
    assert "survive" not in overview.locator("main").inner_text()


def test_a_masking_retriever_shows_what_it_looked_for(visit, retrieved):
    """Each step shades the query's words by weight, with the numbers and what was found."""
    page = visit(retrieved, "#q=t-original&lang=en")
    box = page.locator(".option").first.locator(".attention")
    assert not box.locator(".query").first.is_visible()
    box.locator("summary").click()
    first = box.locator("li").first
    assert first.locator(".query").inner_text() == "路灯按光照开关。"
    shares = first.locator(".shade").evaluate_all(
        "all => all.map((e) => Number(e.style.getPropertyValue('--share')))"
    )
    assert max(shares) == 1
    assert first.locator(".weights").first.inner_text()
    assert first.locator(".weights .badge").count() == 1


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_views_fit_every_window(visit, joined, retrieved, size, scheme):
    """Nothing is logged or stands out at the side, as the fixture checks."""
    for path, fragment in (
        (joined, ""),
        (joined, "#q=t-positive&ev=all"),
        (retrieved, ""),
        (retrieved, "#q=t-original&opt=A"),
    ):
        assert visit(path, fragment, size, scheme).locator("main").is_visible()


def test_a_runs_page_shades_what_was_looked_for(visit, reported):
    """A run of a masking retriever has each step's query, shaded, as the comparison has."""
    page = visit(reported / "run.html", "#q=t-original&opt=A&ev=0&lang=en")
    steps = page.locator("details.attention[open] li")
    assert steps.count() == 2
    shares = [
        [float(one.evaluate("e => e.style.getPropertyValue('--share')")) for one in row.all()]
        for row in (steps.nth(k).locator(".shade") for k in range(2))
    ]
    assert set(shares[0]) == {1.0}
    assert len(set(shares[1])) > 1
    assert steps.nth(0).locator(".weights .badge").count() == 1
    page.get_by_role("button", name="annotated", exact=True).click()
    found = [one.locator(".weights").last.inner_text() for one in steps.all()]
    assert all(one.startswith("found") for one in found)
    assert len(set(found)) == 2


def test_a_run_whose_vectors_are_gone_is_reported_without_steps(visit, reported):
    """The page stands, and the user is told why it lacks the shading."""
    (reported / "v.bin").rename(reported / "elsewhere.bin")
    try:
        done = run_in_subprocess("report", "run", "--out", "bare.html", folder=reported)
    finally:
        (reported / "elsewhere.bin").rename(reported / "v.bin")
    assert done.returncode == 0, done.stderr
    assert "run: shown without the retriever's steps:" in done.stderr
    page = visit(reported / "bare.html", "#q=t-original")
    assert page.locator("details.attention").count() == 0
    assert page.locator(".cov").count() > 0


def test_a_covered_phrase_has_the_number_of_its_sentence(visit, joined):
    """Each part of an option is marked like the sentence that says it, and by its number."""
    page = visit(joined, "#q=t-original&ev=gold&opt=A")
    option = page.locator(".option").first
    parts = option.locator(".cov")
    assert parts.count() >= 1
    assert set(option.locator(".cov-n").all_inner_texts()) == {"1"}
    look = "e => getComputedStyle(e).textDecorationLine + getComputedStyle(e).textDecorationColor"
    in_passage = page.locator(".passage .cov")
    assert in_passage.count() >= 1
    assert parts.first.evaluate(look) == in_passage.first.evaluate(look)
    said = {one.replace(" ", "") for one in in_passage.all_inner_texts()}
    assert {one.replace(" ", "") for one in parts.all_inner_texts()} <= said


def test_sentences_are_told_apart_without_colour(visit, joined):
    """Two sentences have lines of two kinds, and two numbers."""
    page = visit(joined, "#q=t-original&ev=1&opt=A&run=1", size=PHONE)
    option = page.locator(".option").first
    kinds = {
        one.evaluate("e => e.className + getComputedStyle(e).textDecorationStyle")
        for one in option.locator(".cov").all()
    }
    assert len(kinds) == len(set(option.locator(".cov-n").all_inner_texts())) == 2


def test_an_annotated_sentence_has_one_frame_around_its_phrases(visit, joined):
    """Compared, with the phrases of one option in it: they are inside, and the text is whole."""
    page = visit(joined, "#q=t-original&ev=all&opt=A&run=1")
    framed = page.locator(".passage .ev-gold")
    assert framed.count() == 1
    assert framed.inner_text() == GOLD.of(PASSAGE.text)
    assert framed.locator(".cov").count() >= 1


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_a_question_without_options_is_marked_itself(visit, tmp_path, size):
    """What of it each sentence says, and what none; a character of two halves moves nothing."""
    text = "😀 The ferry left Kell in June. It carried 140 sheep across the strait. Nobody swam."
    first, second = Span(2, 31), Span(32, 71)
    passage = Passage(passage_id="p", text=text)
    question = Question(
        question_id="q", passage_id="p", kind="span",
        text="😀 How many sheep across the strait did the ferry from Kell carry for money?",
        answers=(Answer(kind="span", texts=("140",), spans=(Span(43, 46),)),),
        gold_evidence=(Evidence(spans=(first, second)),),
    )  # fmt: skip
    told = Prediction(
        question_id="q", answer=question.answers[0], evidence=(Evidence(spans=(second,)),)
    )
    dataset = write_set(tmp_path / "set.jsonl", [(passage, (question,))])
    run = write_run(tmp_path / "run", dataset, [told], {"squad.f1": {"q": 1.0}})
    path = write_page([run], tmp_path / "page.html", language="en")

    page = visit(path, "#q=q&ev=gold", size=size)
    ask = page.locator(".ask")
    assert "sheep across the strait" in ask.locator(".cov.h2").all_inner_texts()
    assert set(ask.locator(".cov-n").all_inner_texts()) == {"1", "2"}
    assert "money" in "".join(ask.locator(".loose").all_inner_texts())
    assert "sheep across the strait" in page.locator(".passage .cov.h2").all_inner_texts()
    assert page.locator(".key .loose").count() == 1

    page = visit(path, "#q=q&ev=0", size=size)
    assert set(page.locator(".ask .cov-n").all_inner_texts()) == {"1"}
    assert "ferry from Kell" in "".join(page.locator(".ask .loose").all_inner_texts())
