"""The report's list of questions: filtered, sorted, walked through by keys and links."""

import pytest

from page_visits import PHONE, Visit

pytestmark = pytest.mark.browser


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
        assert rows == ["0.540", "0.510"]


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
        page.locator(".list").wait_for()
        assert not page.locator(".detail").is_visible()
