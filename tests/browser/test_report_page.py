"""The report as a person meets it: opened from disk in a real browser."""

import pytest

from closeread.reports.page import write_page
from closeread.types import (
    Answer,
    Candidate,
    Evidence,
    Generation,
    Option,
    Passage,
    Prediction,
    Question,
    Span,
)
from report_runs import PASSAGE, choose, right_or_wrong, triple, write_run, write_set

pytestmark = pytest.mark.browser

DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 360, "height": 740}
MANY = 20_000
HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror='window.hacked=1'>"


class Visit:
    """A page in a fresh browser context, with all that it logged and asked the network for."""

    def __init__(self, browser, path, fragment="", *, size=None, dark=False):
        scheme = "dark" if dark else "light"
        self.context = browser.new_context(viewport=size or DESKTOP, color_scheme=scheme)
        self.page = self.context.new_page()
        self.logged, self.asked = [], []
        self.page.on("console", lambda message: self.logged.append(message.text))
        self.page.on("pageerror", lambda error: self.logged.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri() + fragment)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()

    def sideways(self):
        """How many pixels the page is wider than the window."""
        return self.page.evaluate("document.documentElement.scrollWidth - innerWidth")

    def text(self, selector):
        return self.page.locator(selector).first.inner_text()


def _one_run(tmp_path_factory, questions, predictions, passages=None, **run):
    folder = tmp_path_factory.mktemp("report")
    items = passages or [(PASSAGE, tuple(questions))]
    dataset = write_set(folder / "set.jsonl", items)
    values = {"choice.accuracy": right_or_wrong(dataset, predictions)}
    path = write_run(folder / "run", dataset, predictions, values, **run)
    return path, folder


@pytest.fixture(scope="module")
def triples(tmp_path_factory):
    """Two triples of one passage: one run, most answers right."""
    questions = triple("t1") + triple("t2")
    predictions = choose(questions, {"t1-negative": "B"})
    path, folder = _one_run(tmp_path_factory, questions, predictions)
    return write_page([path], folder / "page.html", language="en")


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory):
    """The same triples, read twice."""
    questions = triple("t1") + triple("t2")
    folder = tmp_path_factory.mktemp("two")
    dataset = write_set(folder / "set.jsonl", [(PASSAGE, questions)])
    paths = []
    for name, labels in (("first", {}), ("second", {"t1-original": "B"})):
        predictions = choose(questions, labels)
        values = {"choice.accuracy": right_or_wrong(dataset, predictions)}
        paths.append(write_run(folder / name, dataset, predictions, values))
    return write_page(paths, folder / "page.html", language="en")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Markup, right-to-left marks and 10,000 characters without a space, in every field."""
    text = f"{HOSTILE} \u202eright to left\u202c \u2028 {'x' * 10_000} 😀 end"
    passage = Passage(passage_id="p", title=HOSTILE, text=text)
    long = "y" * 3_000
    end = len(text)
    questions = (
        Question(
            question_id=HOSTILE,
            passage_id="p",
            text=f"{HOSTILE} \u202e {long}",
            kind="span",
            answers=(Answer(kind="span", texts=("end",), spans=(Span(end - 3, end),)),),
            tags={HOSTILE: long, "t": "1"},
        ),
        Question(
            question_id="options",
            passage_id="p",
            text="?",
            kind="choice",
            options=(Option(label="A", text=long), Option(label="B", text=HOSTILE)),
            answers=(Answer(kind="choice", label="B"),),
            tags={HOSTILE: HOSTILE, "t": "2"},
        ),
    )
    predictions = [
        Prediction(
            question_id=HOSTILE,
            answer=Answer(kind="span", texts=(long,)),
            candidates=(Candidate(answer=Answer(kind="span", texts=(HOSTILE,)), score=0.5),),
            generation=Generation(text=f"{HOSTILE}\n{long}", stops=("\n",), finish_reason="length"),
            evidence=(Evidence(spans=(Span(0, 40),)),),
        ),
        Prediction(question_id="options", error=f"{HOSTILE} {long}"),
    ]
    path, folder = _one_run(
        tmp_path_factory,
        questions,
        predictions,
        [(passage, questions)],
        name=HOSTILE,
        reader=HOSTILE,
        license=long,
        options={HOSTILE: long},
    )
    return write_page([path], folder / "page.html")


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """20,000 questions on 4,000 passages."""
    items = []
    for k in range(MANY // 5):
        passage = Passage(passage_id=f"p{k}", text=f"Passage {k}: the lamp stands in Whit.")
        questions = tuple(
            Question(
                question_id=f"q{k}-{j}",
                passage_id=f"p{k}",
                text=f"Where does lamp {k}-{j} stand?",
                kind="span",
                answers=(Answer(kind="span", texts=("Whit",)),),
                tags={"part": str(j)},
            )
            for j in range(5)
        )
        items.append((passage, questions))
    predictions = [
        Prediction(
            question_id=question.question_id,
            answer=Answer(kind="span", texts=("Whit" if number % 3 else "Aln",)),
            confidence=(number * 7919 % MANY) / MANY,
        )
        for number, question in enumerate(q for _, questions in items for q in questions)
    ]
    path, folder = _one_run(tmp_path_factory, (), predictions, items)
    return write_page([path], folder / "page.html")


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("fragment", ["", "#view=questions", "#q=t1-positive"])
def test_opens_from_disk_in_silence(browser, triples, fragment, size):
    """No error in the console, no request beyond the file itself, nothing sideways."""
    with Visit(browser, triples, fragment, size=size) as visit:
        assert visit.logged == []
        assert [url for url in visit.asked if not url.startswith("data:")] == [triples.as_uri()]
        assert visit.sideways() <= 0


def test_first_screen_says_the_number_and_how_sure(browser, triples):
    """Figure, interval, counts, reader, data set and licence stand above the fold."""
    with Visit(browser, triples) as visit:
        assert visit.text(".figure").replace("\n", "") == "83.3%"
        assert "95% interval 53.5 to 100.0" in visit.text(".first")
        assert "n = 6 questions" in visit.text(".counts")
        for said in ("by-hand", "set", "CC BY 4.0"):
            assert said in visit.text(".facts")
        box = visit.page.locator(".counts").first.bounding_box()
        assert box["y"] + box["height"] < DESKTOP["height"]


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("known", [True, False])
def test_a_served_reader_stands_under_its_own_name(browser, tmp_path, known, size):
    """With its own options, and its address beside it; a nameless one under its address."""
    questions = triple("t")
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, questions)])
    predictions = choose(questions, {})
    values = {"choice.accuracy": right_or_wrong(dataset, predictions)}
    record = {"address": "http://localhost:8000", "protocol": "closeread" if known else "mrqa"}
    own = {"reader": "lexical", "options": {"sharpness": 8}} if known else {}
    asked = {"options": {"retries": 6}, "record": record | own}
    run = write_run(
        tmp_path / "run", dataset, predictions, values, reader="http:localhost:8000", **asked
    )
    page = write_page([run], tmp_path / "page.html", language="en")
    told = "lexical (sharpness=8) · http://localhost:8000"
    with Visit(browser, page, size=size) as visit:
        assert visit.text(".facts dd") == (told if known else "http:localhost:8000 (retries=6)")
        assert visit.sideways() <= 0
    with Visit(browser, page, "#q=t-original", size=size) as visit:
        named = visit.page.locator(".runbox h3").inner_text()
        assert ("lexical" if known else "http:localhost:8000") in named


def test_another_level_of_the_intervals_is_said(browser, tmp_path):
    """A 90% interval is not called a 95% one."""
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, triple("t"))])
    predictions = choose(triple("t"), {})
    values = {"choice.accuracy": right_or_wrong(dataset, predictions)}
    path = write_run(tmp_path / "run", dataset, predictions, values, level=0.9)
    page = write_page([path], tmp_path / "page.html", language="en")
    with Visit(browser, page) as visit:
        assert "90% interval" in visit.text(".first")


def test_signature_opens_on_a_click(browser, triples):
    """The signature is hidden until its metric is clicked."""
    with Visit(browser, triples) as visit:
        proof = visit.page.locator("tr.proof").first
        assert not proof.is_visible()
        visit.page.get_by_role("button", name="choice.accuracy").click()
        assert "choice.accuracy|norm:test|missing:zero|v:1|n:6" in proof.inner_text()


def test_strict_values_are_seen_without_a_click(browser, tmp_path):
    """Of many metrics, GCRC's official and strict values are the rows shown, in pairs."""
    questions = triple("t1")
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, questions)])
    predictions = choose(questions, {})
    worth = right_or_wrong(dataset, predictions)
    names = [f"gcrc.{key}{end}" for end in ("", "~strict") for key in ("acc0", "acc1", "acc2")]
    names += ["choice.accuracy", "drop.f1~fixed", "drop.f1.number", "drop.f1.date"]
    run = write_run(tmp_path / "run", dataset, predictions, dict.fromkeys(names, worth))
    page = write_page([run], tmp_path / "page.html", language="en")
    with Visit(browser, page) as visit:
        shown = visit.page.locator("button.metric:visible").all_inner_texts()
    assert shown == [
        "gcrc.acc0", "gcrc.acc0~strict", "gcrc.acc1", "gcrc.acc1~strict",
        "gcrc.acc2", "gcrc.acc2~strict", "choice.accuracy",
    ]  # fmt: skip


def test_filter_narrows_the_list_and_stands_in_the_address(browser, triples):
    """Typing keeps what matches; a result chip keeps right or wrong; both can be linked."""
    with Visit(browser, triples, "#view=questions") as visit:
        page = visit.page
        assert page.locator(".row").count() == 6
        page.fill("#search", "t2 不正确")
        assert page.locator(".row").count() == 1
        assert page.evaluate("document.activeElement.id") == "search"
        page.fill("#search", "")
        page.click("[data-status=wrong]")
        assert page.locator(".row").count() == 1
        address = page.url
    with Visit(browser, triples, "#" + address.split("#")[1]) as visit:
        assert visit.page.locator(".row").count() == 1
        assert visit.text("#found") == "1 of 6"


def test_tag_and_order_choose_and_sort(browser, triples):
    """A tag keeps its questions; by confidence the surest stands first."""
    with Visit(browser, triples, "#view=questions&tag=role:positive&sort=-confidence") as visit:
        rows = visit.page.locator(".row .num").all_inner_texts()
        assert rows == ["0.54", "0.51"]


def test_a_link_leads_to_one_question(browser, triples):
    """The hash opens a question with its passage, options, truth and evidence."""
    with Visit(browser, triples, "#q=t2-negative") as visit:
        assert visit.text(".where .id") == "t2-negative"
        assert visit.page.locator(".option.is-gold").count() == 1
        assert visit.text(".option.is-gold .mark").startswith("B")
        assert visit.text(".option .mark.said.off").startswith("A")
        assert "contradicts" in visit.text(".polarity")
        assert visit.text(".passage .ev").startswith("传感器")
        assert visit.page.locator(".passage .badge").inner_text() == "1"
        assert visit.page.locator(".option button.badge").all_inner_texts() == ["1", "1"]


def test_an_unknown_question_says_so(browser, triples):
    """A link to a question that is not here tells that instead of failing."""
    with Visit(browser, triples, "#q=nowhere") as visit:
        assert "nowhere" in visit.text(".detail")
        assert visit.logged == []


def test_keys_walk_through_the_questions(browser, triples):
    """j and k step, / goes to the filter, ? shows the keys, Escape closes."""
    with Visit(browser, triples) as visit:
        page = visit.page
        page.keyboard.press("j")
        assert visit.text(".where .id") == "t1-original"
        page.keyboard.press("j")
        assert visit.text(".where .id") == "t1-positive"
        page.keyboard.press("k")
        assert visit.text(".where .id") == "t1-original"
        assert page.locator(".row[aria-current]").count() == 1
        page.keyboard.press("/")
        page.keyboard.type("jk")
        assert page.input_value("#search") == "jk"
        page.keyboard.press("Escape")
        page.keyboard.press("?")
        assert page.locator("dialog[open]").is_visible()
        page.keyboard.press("Escape")
        page.locator("dialog").wait_for(state="detached")


def test_back_returns_to_the_list(browser, triples):
    """On a phone the list and a question are two screens; Back goes from one to the other."""
    with Visit(browser, triples, "#view=questions", size=PHONE) as visit:
        page = visit.page
        page.locator(".row").nth(1).click()
        assert not page.locator(".list").is_visible()
        assert visit.text(".where .id") == "t1-positive"
        page.go_back()
        assert page.locator(".list").is_visible()
        assert not page.locator(".detail").is_visible()


def test_uncovered_words_are_waved(browser, triples):
    """What no evidence covers has a wavy underline; what it covers has none."""
    with Visit(browser, triples, "#q=t1-original") as visit:
        waved = visit.page.locator(".option .loose").all_inner_texts()
        said = "".join(waved)
        assert "路灯" in said
        assert "光照" not in said
        style = "e => getComputedStyle(e).textDecorationStyle"
        assert visit.page.locator(".option .loose").first.evaluate(style) == "wavy"


def test_evidence_of_the_reader_can_be_shown_instead(browser, triples):
    """The evidence changes from the annotated to what the reader chose."""
    with Visit(browser, triples, "#q=t1-original") as visit:
        visit.page.get_by_role("button", name="chosen by the reader").click()
        assert visit.text(".passage .ev").startswith("老街的路灯")
        assert "ev=0" in visit.page.url


def test_triples_stand_side_by_side_with_their_differences(browser, triples):
    """Three columns; inserted characters are marked, deleted ones struck through."""
    with Visit(browser, triples, "#q=t1-positive") as visit:
        columns = visit.page.locator(".side > div")
        tops = {round(columns.nth(k).bounding_box()["y"]) for k in range(3)}
        assert columns.count() == 3
        assert len(tops) == 1
        assert columns.nth(0).locator("ins, del").count() == 0
        assert columns.nth(1).locator("li ins").first.inner_text() == "由"
        assert columns.nth(2).locator(".stem ins").inner_text() == "不"


def test_two_runs_have_a_column_each(browser, two_runs):
    """Names, numbers and marks of both runs; the questions on which they differ."""
    with Visit(browser, two_runs) as visit:
        heads = visit.page.locator("thead th").all_inner_texts()
        assert heads[:3] == ["Metric", "first", "second"]
        told = visit.page.locator(".differences").inner_text()
        assert "choice.accuracy, in points, minus first" in told
        assert "second" in told and "\u221216.7" in told and "1.0000" in told
        visit.page.locator(".ways a", has_text="runs differ").click()
        assert visit.page.locator(".row").count() == 1
        assert visit.page.locator(".row .icon").count() == 2
        assert visit.page.locator(".option .says-run").all_inner_texts() == ["1", "2"]


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("fragment", ["", "#view=questions&q=options", "#view=questions"])
def test_hostile_text_is_inert(browser, hostile, fragment, size):
    """No script of the data runs, no element of it exists, nothing is pushed sideways."""
    with Visit(browser, hostile, fragment, size=size) as visit:
        assert visit.page.evaluate("window.hacked") is None
        assert visit.page.locator("img").count() == 0
        assert visit.logged == []
        assert visit.sideways() <= 0
        assert not [url for url in visit.asked if url.rsplit("/", 1)[-1] == "x"]


def test_hostile_text_is_shown_as_it_is(browser, hostile):
    """The title and the cut part of a generation read as they were written."""
    with Visit(browser, hostile, "#view=questions") as visit:
        assert visit.text(".passage h2") == HOSTILE
        assert visit.text(".passage .gold-span") == "end"
        assert visit.page.locator(".generation del").text_content().strip().startswith("yyy")


def test_twenty_thousand_questions_have_few_rows(browser, many):
    """Only the rows in view exist, at the top, after a jump, and under a filter."""
    with Visit(browser, many, "#view=questions") as visit:
        page = visit.page
        rows = page.locator(".row")
        assert visit.text("#found") == "20,000 of 20,000"
        assert 5 < rows.count() < 60
        page.evaluate("document.querySelector('.list').scrollTop = 62 * 15000")
        page.wait_for_selector("[data-i='15000']")
        assert 5 < rows.count() < 60
        page.fill("#search", "3999-4")
        assert rows.count() == 1
        rows.first.click()
        assert visit.text(".passage") == "Passage 3999: the lamp stands in Whit."
        assert page.evaluate("document.querySelectorAll('*').length") < 1500


def test_a_link_into_twenty_thousand_shows_its_row(browser, many):
    """Opening a question far down brings its row into view."""
    with Visit(browser, many, "#q=q3000-2") as visit:
        assert visit.text(".where .id") == "q3000-2"
        assert visit.page.locator(".row[aria-current]").is_visible()


def _luminance(color):
    channels = [value / 255 for value in color]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one, other):
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


PAIRS = [
    *(
        (text, ground)
        for text in ("ink", "ink-soft", "link", "right-ink", "wrong-ink", "unsure-ink", "cut-ink")
        for ground in ("paper", "surface", "raised")
    ),
    ("ink", "evidence"),
    ("ink", "evidence-soft"),
    ("ink", "right-soft"),
    ("ink", "wrong-soft"),
    ("ink", "unsure-soft"),
    ("right-ink", "right-soft"),
    ("on-mark", "right-ink"),
    ("on-mark", "wrong-ink"),
    ("on-mark", "unsure-ink"),
    ("paper", "ink"),
]


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("runs", [1, 2, 3])
def test_the_curve_of_declining_has_a_band_in_its_frame(browser, tmp_path, runs, size):
    """Of one run or two; of three the bounds stand in the numbers alone, and the page says so."""
    questions = [question for k in range(9) for question in triple(f"g{k}")]
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, tuple(questions))])
    paths = []
    for number in range(runs):
        predictions = choose(questions, {f"g{number}-original": "B"})
        values = {"choice.accuracy": right_or_wrong(dataset, predictions)}
        path = tmp_path / f"run{number}"
        paths.append(write_run(path, dataset, predictions, values, resamples=200))
    page = write_page(paths, tmp_path / "page.html", language="en")
    with Visit(browser, page, size=size) as visit:
        figure = visit.page.locator("figure.plot", has=visit.page.locator("path.curve"))
        bands = figure.locator("path.band")
        assert bands.count() == (runs if runs < 3 else 0)
        frame = figure.locator("svg").bounding_box()
        for number in range(bands.count()):
            box = bands.nth(number).bounding_box()
            assert box["width"] > frame["width"] / 2
            assert frame["x"] <= box["x"] and box["x"] + box["width"] <= frame["x"] + frame["width"]
            assert frame["y"] <= box["y"]
        said = figure.locator("figcaption p").inner_text()
        assert ("Shaded: the 95% interval" in said) == (runs < 3)
        assert "each point by itself" in said
        heads = figure.locator("th").all_text_contents()
        assert heads[-3:] == ["Value", "Low", "High"]
        assert visit.logged == []
        assert visit.sideways() <= 0


def test_a_curve_does_not_cross_its_own_name(browser, tmp_path):
    """Though it rises, or falls, where the name stands."""
    questions = [question for k in range(9) for question in triple(f"g{k}")]
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, tuple(questions))])
    other = {"A": "B", "B": "A"}
    paths = []
    for name, wrong in (("the rising one", range(19, 23)), ("the falling one", range(24))):
        gold = [question.answers[0].label for question in questions]
        said = [other[label] if k in wrong else label for k, label in enumerate(gold)]
        labels = {each.question_id: label for each, label in zip(questions, said, strict=True)}
        predictions = choose(questions, labels)
        values = {"choice.accuracy": right_or_wrong(dataset, predictions)}
        paths.append(write_run(tmp_path / name, dataset, predictions, values))
    page = write_page(paths, tmp_path / "page.html", language="en")
    with Visit(browser, page) as visit:
        figure = visit.page.locator("figure.plot", has=visit.page.locator("path.curve"))
        crossed = figure.locator("svg").evaluate("""(svg) => {
          const names = [...svg.querySelectorAll("text.ink")].map((each) => each.getBBox());
          return [...svg.querySelectorAll("path.curve")].map((curve, k) => {
            const box = names[k], steps = [...Array(2001).keys()], whole = curve.getTotalLength();
            return steps.some((step) => {
              const { x, y } = curve.getPointAtLength((whole * step) / 2000);
              return x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height;
            });
          });
        }""")
    assert crossed == [False, False]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_is_readable_in_both_themes(browser, triples, dark):
    """Every pair of text and ground that the page uses has a contrast of at least 4.5."""
    read = """name => {
      const probe = document.createElement("span");
      document.body.append(probe);
      probe.style.setProperty("color", `var(--${name})`);
      const found = getComputedStyle(probe).color.match(/[0-9.]+/g).slice(0, 3).map(Number);
      probe.remove();
      return found;
    }"""
    with Visit(browser, triples, dark=dark) as visit:
        names = {name for pair in PAIRS for name in pair}
        colors = {name: visit.page.evaluate(read, name) for name in names}
        low = {pair: _contrast(colors[pair[0]], colors[pair[1]]) for pair in PAIRS}
        assert {pair: round(value, 2) for pair, value in low.items() if value < 4.5} == {}
        ground = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (_luminance([int(c) for c in ground[4:-1].split(",")]) < 0.1) is dark


def test_language_can_be_switched(browser, triples):
    """One click turns the page's words into Chinese and keeps them in the address."""
    with Visit(browser, triples) as visit:
        visit.page.get_by_role("button", name="中文").click()
        assert "概览" in visit.text(".bar")
        assert visit.page.evaluate("document.documentElement.lang") == "zh-CN"
        assert "lang=zh" in visit.page.url


def test_print_shows_the_overview_without_controls(browser, triples):
    """On paper: the numbers and the plots, no bar."""
    with Visit(browser, triples) as visit:
        visit.page.emulate_media(media="print")
        assert not visit.page.locator(".bar").is_visible()
        assert visit.page.locator(".figure").is_visible()
        assert visit.page.locator(".plot svg").first.is_visible()


def test_a_question_of_another_set_than_the_chosen_runs_shows_its_own_run(browser, tmp_path):
    """The first run answers the first set; a question of the second has the second run's answer."""
    passage = Passage(passage_id="p", text="The lamp stands in Whit.")
    gold = Answer(kind="span", texts=("Whit",), spans=(Span(19, 23),))
    where = Question(question_id="w", passage_id="p", text="Where?", kind="span", answers=(gold,))
    spans = write_set(tmp_path / "spans.jsonl", [(passage, (where,))])
    said = Prediction(question_id="w", answer=gold)
    first = write_run(tmp_path / "first", spans, [said], {"squad.f1": {"w": 1.0}})
    questions = triple("t")
    choices = write_set(tmp_path / "choices.jsonl", [(PASSAGE, questions)])
    told = choose(questions, {})
    values = {"choice.accuracy": right_or_wrong(choices, told)}
    second = write_run(tmp_path / "second", choices, told, values)
    page = write_page([first, second], tmp_path / "page.html")
    with Visit(browser, page, "#q=t-original&d=1") as visit:
        label = told[0].answer.label
        assert visit.text(".option .mark.said").startswith(label)
        row = visit.page.locator(".row[data-i='1']")
        assert row.locator(".letter.said, .said").count() == 1
        assert visit.logged == []


def test_a_long_passage_opens_at_its_first_mark(browser, tmp_path):
    """An answer far down in a long passage is in view as soon as the question is opened."""
    text = "The river Aln runs on. " * 400 + "The lamp stands in Whit."
    passage = Passage(passage_id="p", text=text)
    start = text.index("Whit")
    gold = Answer(kind="span", texts=("Whit",), spans=(Span(start, start + 4),))
    question = Question(
        question_id="q", passage_id="p", text="Where?", kind="span", answers=(gold,)
    )
    dataset = write_set(tmp_path / "set.jsonl", [(passage, (question,))])
    said = Prediction(question_id="q", answer=gold)
    path = write_run(tmp_path / "run", dataset, [said], {"squad.f1": {"q": 1.0}})
    with Visit(browser, write_page([path], tmp_path / "page.html"), "#q=q") as visit:
        box = visit.page.locator(".gold-span").bounding_box()
        assert 0 < box["y"] < DESKTOP["height"]
