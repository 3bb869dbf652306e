"""The page where a person asks fits its window, and what stands in it can be read and met."""

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")

from demo_visits import DESKTOP, PHONE, ask

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_examples_fit_every_window(visit, lexical, cues, size, scheme):
    """Nothing is logged or stands out at the side; small text keeps its contrast."""
    for server, locale in ((lexical, "en-GB"), (cues, "zh-CN")):
        page = visit(server, size, scheme, locale)
        for number in range(page.locator(".examples .chip").count()):
            page.locator(".examples .chip").nth(number).click()
            page.locator(".took").wait_for()
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
            visible = page.locator(".told").bounding_box()
            assert visible["y"] < size["height"]
            assert all(ratio >= 4.5 for ratio in page.evaluate(CONTRAST).values())
            page.locator("#question").press_sequentially("?")
            page.locator(".changed").wait_for()
            assert all(ratio >= 4.5 for ratio in page.evaluate(CONTRAST).values())


def test_a_text_from_right_to_left_ends_at_its_left(visit, lexical):
    """Its full stop too, wherever the page repeats the passage, the question or an option."""
    page = visit(lexical)
    first, second = "تأسست القاهرة عام 969.", "القاهرة عاصمة السودان."
    passage, question = f"القاهرة عاصمة مصر. {first}", "ما الصحيح."
    ask(page, passage, question, [first, second])
    page.locator(".took").wait_for()
    for name in (".passage p", ".told .with", ".option .says"):
        assert page.evaluate(ENDS_LEFT, name), name
    page.get_by_role("button", name="Edit options").click()
    for _ in range(2):
        page.get_by_role("button", name="Remove option A").click()
    page.keyboard.press("Control+Enter")
    page.locator(".claim").wait_for()
    for name in (".passage p", ".told", ".claim", ".sentences .says", ".others .says"):
        assert page.evaluate(ENDS_LEFT, name), name


# Whether the last character of a text stands left of its first, in all elements of a name.
ENDS_LEFT = """(name) => {
  const texts = (node) => {
    const walk = document.createTreeWalker(node, NodeFilter.SHOW_TEXT), found = [];
    while (walk.nextNode()) {
      const apart = walk.currentNode.parentElement.closest("sup, .badge");
      if (walk.currentNode.data.trim() && !apart) found.push(walk.currentNode);
    }
    return found;
  };
  const left = (node, at) => {
    const range = new Range();
    range.setStart(node, at);
    range.setEnd(node, at + 1);
    return range.getBoundingClientRect().left;
  };
  const nodes = [...document.querySelectorAll(name)];
  return nodes.length > 0 && nodes.every((node) => {
    const found = texts(node), last = found[found.length - 1];
    return left(last, last.data.trimEnd().length - 1) < left(found[0], 0);
  });
}"""


# The contrast of every kind of text with what it stands on (WCAG 2.2, 1.4.3).
CONTRAST = """() => {
  const parsed = (color) => color.match(/[\\d.]+/g).map(Number);
  const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) =>
    0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
  const ground = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const color = parsed(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const solid = (node) => (node ? getComputedStyle(node).opacity * solid(node.parentElement) : 1);
  const shown = (node, under, share) =>
    [0, 1, 2].map((k) => parsed(getComputedStyle(node).color)[k] * share + under[k] * (1 - share));
  const found = {};
  for (const name of [
    ".changed", ".about", ".opening p", ".label", ".chip", ".told .filled", ".said-here", ".ev",
    ".badge", ".loose", ".score", ".took", ".key span", ".go", ".link", ".segment button",
    ".mark.said",
  ]) {
    for (const node of document.querySelectorAll(name)) {
      const under = ground(node), a = light(shown(node, under, solid(node))), b = light(under);
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      found[name] = Math.min(found[name] ?? 99, ratio);
    }
  }
  return found;
}"""


def test_quotation_marks_are_those_of_the_language(visit, lexical):
    """As wide as a character in Chinese alone: a font of Han has them so for every language."""
    page = visit(lexical)
    width = """passage => {
      const nodes = document.createTreeWalker(passage, NodeFilter.SHOW_TEXT);
      const size = parseFloat(getComputedStyle(passage).fontSize), range = document.createRange();
      for (let node; (node = nodes.nextNode());) {
        const at = node.data.indexOf("”");
        if (at < 0) continue;
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        return range.getBoundingClientRect().width / size;
      }
    }"""
    ask(page, "The “lamp” was lit at six.", "When was it lit?")
    page.locator(".took").wait_for()
    assert page.locator("#marked").evaluate(width) < 0.7


def test_marks_outlast_a_system_that_sets_all_colours(visit, lexical):
    """As Windows does for high contrast: evidence and what is chosen keep their grounds."""
    page = visit(lexical)
    page.emulate_media(forced_colors="active")
    page.get_by_role("button", name="Night buses").click()
    page.locator(".took").wait_for()
    kept = "nodes => nodes.map((node) => getComputedStyle(node).forcedColorAdjust)"
    marks = ("#marked .ev", ".told .filled", ".option .mark.said", "[aria-pressed=true]", ".go")
    for name in marks:
        assert set(page.locator(name).evaluate_all(kept)) == {"none"}, name
    assert page.locator("#marked").evaluate_all(kept) == ["auto"]


def test_what_a_finger_meets_is_large_enough(visit, lexical):
    """WCAG 2.2 wants 24 pixels each way of what is no link within a sentence."""
    page = visit(lexical, size={"width": 390, "height": 844})
    page.get_by_role("button", name="Night buses").click()
    page.locator(".took").wait_for()
    reached = """node => {
      node.scrollIntoView({ block: "center" });
      const { left, right, top, bottom } = node.getBoundingClientRect();
      const x = (left + right) / 2, y = (top + bottom) / 2;
      const meets = (dx, dy) => node.contains(document.elementFromPoint(x + dx, y + dy));
      return [meets(-11, 0), meets(11, 0), meets(0, -11), meets(0, 11)];
    }"""
    for button in page.locator("main button").all():
        assert button.evaluate(reached) == [True] * 4, button.inner_text()


@pytest.mark.parametrize("width", [360, 1280])
def test_the_interface_fits_every_window(visit, lexical, width):
    page = visit(lexical, {"width": width, "height": 800})
    page.goto(f"{lexical.url}/docs")
    assert "How many candidates an answer has at most." in page.inner_text("body")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
