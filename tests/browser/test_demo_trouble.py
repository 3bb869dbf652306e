"""What the page where a person asks says when a question is not answered, in a real browser."""

import re

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")

from demo_visits import PHONE, ask, error_reply
from serving_process import serving

pytestmark = pytest.mark.browser


def test_what_is_missing_is_said_at_its_place(visit, lexical):
    page = visit(lexical)
    page.get_by_role("button", name="Answer", exact=True).click()
    assert page.locator("#passage-problem").inner_text() == "Enter a passage."
    assert page.evaluate("document.activeElement.id") == "passage"
    page.get_by_label("Passage", exact=True).fill("The lamp was lit at six.")
    assert page.locator("#passage-problem").inner_text() == ""
    page.get_by_label("Question", exact=True).fill("Which is true?")
    page.get_by_role("button", name="Add options").click()
    page.get_by_label("Option A", exact=True).fill("It was lit.")
    page.keyboard.press("Control+Enter")
    assert page.locator("#options-problem").inner_text() == "Option B is empty."
    assert page.evaluate("document.activeElement.id") == "option-1"
    invalid = "boxes => boxes.map((one) => one.ariaInvalid)"
    assert page.locator(".choice textarea").evaluate_all(invalid) == [None, "true"]
    page.get_by_role("button", name="Remove option B").click()
    page.keyboard.press("Control+Enter")
    assert "at least two options" in page.locator("#options-problem").inner_text()
    assert page.locator(".choice textarea").evaluate_all(invalid) == ["true"]


def test_a_busy_server_is_asked_again(visit, lexical):
    """After two 503 the answer comes; meanwhile the page counts down, and can be told to stop."""
    page = visit(lexical)
    page.clock.install(time=0)
    page.clock.pause_at(1000)  # else it counts on by itself, past what a slow machine looks for
    answers = [error_reply(503, "the queue is full", **{"Retry-After": "7"}) for _ in range(2)]

    def busy(route):
        route.fulfill(**answers.pop()) if answers else route.continue_()

    page.route("**/v1/answer", busy)
    page.get_by_label("Passage", exact=True).fill("The lamp was lit at six.")
    page.get_by_label("Question", exact=True).fill("When was it lit?")
    page.get_by_role("button", name="Answer", exact=True).click()
    page.get_by_text("trying again in 7 s").wait_for()
    page.clock.run_for(3000)
    page.get_by_text("trying again in 4 s").wait_for()
    page.clock.run_for(4000)
    page.get_by_text("trying again in 7 s").wait_for()
    page.clock.run_for(7000)
    page.locator(".took").wait_for()
    assert not answers
    page.logged = [line for line in page.logged if "503" not in line]


def test_a_request_can_be_cancelled(visit, lexical):
    page = visit(lexical)
    page.route("**/v1/answer", lambda route: None)
    page.get_by_label("Passage", exact=True).fill("The lamp was lit at six.")
    page.get_by_label("Question", exact=True).fill("When was it lit?")
    page.keyboard.press("Control+Enter")
    page.get_by_text("Reading, ").wait_for()
    assert page.get_by_role("button", name="Answer", exact=True).is_disabled()
    page.keyboard.press("Escape")
    page.locator("#cancel").wait_for(state="detached")
    assert page.locator("[role=status]").inner_text() == "Cancelled."
    assert page.locator(".trouble").count() == 0


def test_a_request_can_be_cancelled_by_tab_and_enter(visit, lexical):
    """The seconds that are counted beside it take the focus from no button."""
    page = visit(lexical)
    page.route("**/v1/answer", lambda route: None)
    page.get_by_label("Passage", exact=True).fill("The lamp was lit at six.")
    page.get_by_label("Question", exact=True).fill("When was it lit?")
    page.get_by_role("button", name="Answer", exact=True).press("Enter")
    page.locator("#cancel").focus()
    page.get_by_text(re.compile(r"Reading, (?:[2-9]|\d\d+) s")).wait_for()
    page.keyboard.press("Enter")
    page.locator("#cancel").wait_for(state="detached")
    assert page.locator("[role=status]").inner_text() == "Cancelled."


@pytest.mark.parametrize(
    ("status", "headline"),
    [
        (413, "text is too long for the server"),
        (422, "rejected the request"),
        (500, "went wrong in the server"),
        (504, "took too long"),
    ],
)
def test_refusals_are_told_in_words(visit, lexical, status, headline):
    page = visit(lexical)
    page.route(
        "**/v1/answer", lambda route: route.fulfill(**error_reply(status, "<b>too much</b>"))
    )
    ask(page, "The lamp was lit at six.", "When was it lit?")
    trouble = page.get_by_role("alert")
    trouble.wait_for()
    assert headline in trouble.inner_text()
    assert "<b>too much</b>" in trouble.inner_text()
    assert "send less" in trouble.inner_text()
    page.unroute("**/v1/answer")
    page.get_by_role("button", name="Try again").click()
    page.locator(".took").wait_for()
    page.logged = [line for line in page.logged if str(status) not in line]


@pytest.mark.parametrize("body", ["<html>", '{"ok": true}', "null", '{"predictions": []}', "[]"])
def test_what_is_no_answer_is_not_taken_for_one(visit, lexical, body):
    """A proxy, or a network that wants a login, may answer with what it likes."""
    page = visit(lexical)
    page.route("**/v1/answer", lambda route: route.fulfill(status=200, body=body))
    ask(page, "The lamp was lit at six.", "When was it lit?")
    page.get_by_role("alert").wait_for()
    assert "not a complete answer from closeread" in page.get_by_role("alert").inner_text()
    page.unroute("**/v1/answer")
    page.get_by_role("button", name="Try again").click()
    page.locator(".took").wait_for()


def test_what_is_too_long_is_said_at_its_place(visit):
    """By the limits of this server, and before anything is sent."""
    with serving("lexical", "--max-passage-characters", "30", "--max-question-characters", "20",
                 "--max-body-bytes", "400") as server:  # fmt: skip
        page = visit(server)
        page.on("request", lambda sent: page.foreign.append(sent.url))
        ask(page, "The lamp was lit at six. " * 2, "When was the lamp lit?")
        told = page.locator("#passage-problem").inner_text()
        assert told.startswith("50 characters; the server takes at most 30.")
        assert page.evaluate("document.activeElement.id") == "passage"
        assert page.locator("#question-problem").inner_text().startswith("22 characters")


def test_a_real_refusal_comes_into_view(visit):
    """Of the real service, not one made up here; on a phone it stands below the form."""
    with serving("lexical", "--max-body-bytes", "300") as server:
        page = visit(server, PHONE)
        ask(page, "The lamp was lit at six. " * 20, "When was it lit?")
        alert = page.get_by_role("alert")
        alert.wait_for()
        assert "Expected: at most 300 bytes" in alert.inner_text()
        box = alert.bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= PHONE["height"]
        page.logged = [line for line in page.logged if "413" not in line]


def test_a_server_that_is_gone(visit):
    with serving("lexical") as server:
        page = visit(server)
        page.get_by_label("Passage", exact=True).fill("The lamp was lit at six.")
        page.get_by_label("Question", exact=True).fill("When was it lit?")
    page.keyboard.press("Control+Enter")
    page.get_by_role("alert").wait_for()
    assert "cannot be reached" in page.get_by_role("alert").inner_text()
    assert page.get_by_label("Passage", exact=True).input_value() == "The lamp was lit at six."
    page.logged = [line for line in page.logged if "ERR_CONNECTION" not in line]
