"""Marks in a passage, as the report and the page of a service draw them."""

from random import Random

import pytest

from closeread.reports.frame import load_template

pytestmark = pytest.mark.browser

# Each character of what was drawn with the classes around it, line by line; badges aside.
DRAWN = """([text, marks]) => renderMarked(text, marks, "en").map((line) => {
  const found = [];
  const walk = (node, classes) => {
    if (node.nodeType === Node.TEXT_NODE) for (const one of node.data) found.push([one, classes.join(" ")]);
    else if (node.className !== "badge") for (const inner of node.childNodes) walk(inner, node.className ? [...classes, node.className] : classes);
  };
  walk(line, []);
  return found;
})"""  # noqa: E501


@pytest.fixture
def page(browser):
    page = browser.new_page()
    page.set_content("<main></main>")
    for name in ("1-dom.js", "4-text.js"):
        page.add_script_tag(content=load_template(name))
    yield page
    page.close()


def test_every_character_has_the_marks_that_lie_over_it(page):
    """Marks that overlap, touch, repeat, or reach beyond the text, in any order."""
    draw = Random(5)
    for _ in range(200):
        pieces = draw.choices(("ab", "中", "😀", " ", "\n"), k=draw.randrange(25))
        text = "".join(pieces)
        marks = [
            {"start": draw.randint(-1, 30), "end": draw.randint(-1, 30), "class": f"m{number}"}
            for number in range(draw.randrange(8))
        ]
        good = [one for one in marks if 0 <= one["start"] < one["end"] <= len(text)]
        # Lines without a character that shows are no paragraphs, unless one has begun.
        wanted = [
            (one, " ".join(m["class"] for m in good if m["start"] <= at < m["end"]))
            for at, one in enumerate(text)
        ]
        drawn = [tuple(one) for line in page.evaluate(DRAWN, [text, marks]) for one in line]
        assert [one for one in drawn if one[0].strip()] == [one for one in wanted if one[0].strip()]


def test_many_marks_side_by_side(page):
    """Asking every mark at every edge would take minutes for these."""
    drawn = page.evaluate(
        """(many) => renderMarked("ab ".repeat(many), Array.from({ length: many }, (_, k) => (
          { start: 3 * k, end: 3 * k + 2, class: "ev", badge: String(k) })), "en")
          .map((line) => line.querySelectorAll(".ev").length)""",
        60_000,
    )
    assert drawn == [60_000]
