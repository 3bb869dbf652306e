"""A report on hostile text, and on 20,000 questions."""

import pytest

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
from page_visits import DESKTOP, PHONE, Visit
from report_runs import one_run, write_page

pytestmark = pytest.mark.browser

MANY = 20_000
HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror='window.hacked=1'>"


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
    folder = tmp_path_factory.mktemp("hostile")
    path = one_run(
        folder,
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
    folder = tmp_path_factory.mktemp("many")
    path = one_run(folder, (), predictions, items)
    return write_page([path], folder / "page.html")


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


@pytest.mark.parametrize("mark", ["。", "（", "A", "\n"])
def test_what_a_model_repeated_without_end_is_drawn_at_once(browser, tmp_path, mark):
    """With Chinese marks a minute and more went by, and the page was dead."""
    gold = (Answer(kind="span", texts=("six",)),)
    question = Question(question_id="q", passage_id="p", text="?", kind="span", answers=gold)
    said = mark * 20_000
    answer = Prediction(
        question_id="q",
        answer=Answer(kind="span", texts=(said.strip() or "six",)),
        generation=Generation(text=said, finish_reason="length"),
    )
    passage = Passage(passage_id="p", text="The ferry left at six.")
    path = one_run(tmp_path, (question,), [answer], [(passage, (question,))])
    page = write_page([path], tmp_path / "page.html")
    with Visit(browser, page, "#view=questions&q=q") as visit:
        visit.page.set_default_timeout(20_000)
        visit.page.locator("summary", has_text="length").click()
        assert visit.page.locator(".generation").evaluate("one => one.offsetHeight") > 0
        assert visit.sideways() <= 0


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
