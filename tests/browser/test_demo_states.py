"""What the page where a person asks says between an answer and the next, in a real browser."""

import json
from importlib.resources import files

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")

from closeread.readers.confidence.calibrate import Calibrator, Linear, Threshold, save_calibrator
from closeread.readers.confidence.provenance import AnsweredBy
from closeread.serve.demo import demo_page
from closeread.serve.settings import Settings
from demo_visits import PHONE, ask, error_reply
from serving_process import serving

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("prediction", "options", "told"),
    [
        ({"answer": {"kind": "none"}}, ("It was lit.", "It was not."), "without options"),
        ({"answer": {"kind": "none"}}, (), "only questions with options"),
        ({"candidates": [{"answer": {"kind": "choice", "label": "A"}, "score": 0.6}]},
         ("It was lit.", "It was not."), "not sure enough"),
        ({"note": "withheld: confidence below 0.5"}, ("It was.", "It was not."), "not sure enough"),
        ({"answer": {"kind": "none"}, "candidates": [{"answer": {"kind": "none"}, "score": 0.6}]},
         (), "finds no answer in this passage"),
    ],
    ids=["takes-no-options", "takes-options-only", "withheld", "withheld-by-note", "none-there"],
)  # fmt: skip
def test_why_there_is_no_answer(visit, lexical, prediction, options, told):
    """A reader that does not take such questions did not find that the passage has no answer."""
    page = visit(lexical)
    reply = {
        "predictions": [{"question_id": "q", "confidence": 0.0} | prediction],
        "coverage": [[]], "reader": "other", "options": {}, "version": "0",
    }  # fmt: skip
    page.route("**/v1/answer", lambda route: route.fulfill(json=reply))
    ask(page, "The lamp was lit at six.", "Which is true?", options)
    page.locator(".took").wait_for()
    assert told in page.locator(".told").inner_text()


@pytest.mark.parametrize("fails", [False, True], ids=["answered", "refused"])
def test_what_is_written_while_waiting_stays(visit, lexical, fails):
    """Nothing written is hidden, the answer is marked as one to something else, the caret stays."""
    page = visit(lexical)
    held = []

    def hold(route):
        held.append(route)

    page.route("**/v1/answer", hold)
    ask(page, "The lamp was lit at six. It went out at nine.", "When was it lit?")
    page.get_by_text("Reading, ").wait_for()
    while not held:  # the page shows that it waits before we hear of the request
        page.wait_for_timeout(10)
    page.get_by_label("Passage", exact=True).fill("The lamp was lit at six. It went out at ten.")
    page.get_by_label("Question", exact=True).fill("When did it go out")
    if fails:
        held[0].fulfill(**error_reply(422, "too much"))
    else:
        held[0].continue_()
    page.locator("#cancel").wait_for(state="detached")
    assert page.locator(".changed").count() == (0 if fails else 1)
    page.keyboard.type("?")
    assert page.get_by_label("Question", exact=True).input_value() == "When did it go out?"
    assert page.get_by_label("Passage", exact=True).input_value().endswith("at ten.")
    page.unroute("**/v1/answer")
    page.keyboard.press("Control+Enter")
    page.locator("#marked").wait_for()
    assert "at ten" in page.locator("#marked").inner_text()
    assert page.locator(".changed, .trouble").count() == 0
    page.logged = [line for line in page.logged if "422" not in line]


def test_options_are_given_after_an_answer_without(visit, lexical):
    page = visit(lexical)
    ask(page, "The lamp was lit at six.", "When was it lit?")
    page.locator(".took").wait_for()
    page.get_by_role("button", name="Add options").click()
    assert page.evaluate("document.activeElement.id") == "option-0"
    page.keyboard.type("at five")
    page.get_by_label("Option B", exact=True).fill("at six")
    page.keyboard.press("Control+Enter")
    page.locator(".option").first.wait_for()
    assert page.locator(".told .filled").inner_text() == "B"


def test_an_answer_grows_stale_when_something_is_changed(visit, lexical):
    page = visit(lexical)
    ask(page, "The lamp was lit at six. It went out at nine.", "When was it lit?")
    page.locator(".took").wait_for()
    page.get_by_label("Question", exact=True).fill("When did it go out?")
    assert "Ask again" in page.locator(".changed").inner_text()
    assert page.get_by_role("status").inner_text() == page.locator(".changed").inner_text()
    page.keyboard.press("Control+Enter")
    page.locator(".changed").wait_for(state="detached")
    page.get_by_role("button", name="Edit passage").click()
    assert page.get_by_label("Passage", exact=True).input_value().startswith("The lamp")


def test_trouble_is_not_taken_for_an_answer_that_grew_stale(visit, lexical):
    page = visit(lexical)
    asked = []

    def second_refused(route):
        asked.append(route)
        route.continue_() if len(asked) == 1 else route.fulfill(**error_reply(422, "too much"))

    # From the start: a page may send what a key asks for before it hears of a new route.
    page.route("**/v1/answer", second_refused)
    ask(page, "The lamp was lit at six.", "When was it lit?")
    page.locator(".took").wait_for()
    page.keyboard.press("Control+Enter")
    page.get_by_role("alert").wait_for()
    page.get_by_label("Question", exact=True).fill("When did it go out?")
    assert page.locator(".changed").count() == 0
    assert page.get_by_role("alert").evaluate("node => getComputedStyle(node).opacity") == "1"
    page.logged = [line for line in page.logged if "422" not in line]


def test_what_is_marked_in_a_long_passage_is_in_sight(visit, lexical):
    """The passage scrolls in a box of its own: to the answer, or to an option's evidence."""
    page = visit(lexical)
    filler = "The harbour was quiet that morning and nobody came by. " * 200
    passage = f"The piano was red. {filler} It carried 14 sheep. {filler}"
    ask(page, passage, "How many sheep did it carry?")
    page.locator(".took").wait_for()
    assert _seen(page, ".said-here")
    page.get_by_role("button", name="中文", exact=True).click()
    assert _seen(page, ".said-here")
    page.get_by_role("button", name="English", exact=True).click()
    page.get_by_role("button", name="Edit passage").click()
    ask(page, passage, "Which statement is supported?", ("The piano was red.", "It carried sheep."))
    page.locator("#show-B").click()
    assert _seen(page, ".badge")
    page.locator("#show-A").click()
    assert _seen(page, ".badge")


def test_what_is_marked_at_the_end_of_a_long_passage_is_in_the_window(visit, lexical):
    """The box itself ends below the window, until one scrolls."""
    page = visit(lexical)
    passage = "The ferry carried sheep and hay. " * 1000 + "Ada sold the piano."
    ask(page, passage, "Who sold the piano?")
    page.locator(".took").wait_for()
    mark, result = (page.locator(one).bounding_box() for one in ("#marked .said-here", "#result"))
    assert mark["y"] + mark["height"] <= page.viewport_size["height"]
    assert 0 <= result["y"] < page.viewport_size["height"] / 2


def test_a_long_passage_leaves_the_answer_within_reach_on_a_phone(visit, lexical):
    """The passage scrolls within its box, with what is marked in sight."""
    page = visit(lexical, size=PHONE)
    passage = "The ferry carried sheep and hay. " * 1000 + "Ada sold the piano."
    ask(page, passage, "Who sold the piano?")
    page.locator(".took").wait_for()
    assert page.locator("#marked").bounding_box()["height"] < PHONE["height"]
    assert _seen(page, ".said-here")
    assert page.evaluate("document.documentElement.scrollHeight") < 4 * PHONE["height"]


def _seen(page, mark):
    """Whether the first such mark of the passage lies within its box."""
    return page.evaluate(
        """(mark) => {
          const box = document.getElementById("marked").getBoundingClientRect();
          const at = document.querySelector(`#marked ${mark}`).getBoundingClientRect();
          return at.top >= box.top && at.bottom <= box.bottom;
        }""",
        mark,
    )


def test_whose_evidence_it_is(visit, lexical):
    """What the service's retriever found is not shown as the reader's reasons."""
    page = visit(lexical)
    page.get_by_role("button", name="Night buses").click()
    page.locator(".took").wait_for()
    assert page.locator(".found-by").count() == 0
    with serving("longest-option") as server:
        page = visit(server)
        page.get_by_role("button", name="Night buses").click()
        page.locator(".took").wait_for()
        assert "the retriever cover" in page.locator(".found-by").inner_text()
        page.context.close()


def test_what_a_confidence_was_learned_from(visit, tmp_path):
    """Where a calibrator tells it; what it withholds is told as that."""
    model = Linear(intercept=-4.0, weights=(10.0,), means=(0.0,), spreads=(1.0,))
    half = Threshold(value=0.5, risk=0.1, delta=0.05, n_answered=9, n_questions=9, bound=0.1)
    learned = Calibrator(
        method="platt", features=("confidence",), scale="probabilities", model=model,
        threshold=half, datasets={"my exam": "0" * 64},
        readers=(AnsweredBy(name="lexical", options={"sharpness": 8.0}),),
    )  # fmt: skip
    save_calibrator(tmp_path / "c.json", learned)
    with serving("lexical", "--calibrator", str(tmp_path / "c.json"), "--selective") as server:
        page = visit(server)
        ask(page, "The lamp was lit at six. It went out at nine.", "When was the lamp lit?")
        page.locator(".took").wait_for()
        assert "calibrated on my exam" in page.locator(".why").inner_text()
        assert page.locator(".told .filled").inner_text() == "six"
        assert "not calibrated" in page.locator(".others + .own").inner_text()
        page.get_by_label("Question", exact=True).fill("Whose was the hat?")
        page.keyboard.press("Control+Enter")
        page.get_by_text("it is not sure enough").wait_for()
        page.context.close()
    with serving("lexical", "-o", "sharpness=4", "--calibrator", str(tmp_path / "c.json")) as other:
        page = visit(other)
        ask(page, "The lamp was lit at six. It went out at nine.", "When was the lamp lit?")
        page.locator(".took").wait_for()
        assert "its guarantee does not hold here" in page.locator(".why").inner_text()
        page.context.close()


def test_no_word_of_the_page_is_left_over():
    """Every word is asked for by the page's scripts, by its name or by the beginning of it."""
    folder = files("closeread.serve") / "demo"
    script = demo_page("any", Settings(), {}).decode().rpartition("<script>")[2]
    assert "function " in script
    unused = [
        name
        for name in json.loads((folder / "words.json").read_text("utf-8"))
        if f'"{name}"' not in script and f"`{name.partition('.')[0]}.$" not in script
    ]
    assert set(unused) <= {"title", "noscript"}
