"""What the report draws: the curve of a reader that may decline, and colours that can be read."""

import pytest

from page_visits import DESKTOP, PHONE, Visit
from report_runs import (
    PASSAGE,
    choose,
    correctness_by_id,
    mixed_run,
    triple,
    write_page,
    write_run,
    write_set,
)

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("runs", [1, 2, 3])
def test_the_curve_of_declining_has_a_band_in_its_frame(browser, tmp_path, runs, size):
    """Of one run or two; of three the bounds stand in the numbers alone, and the page says so."""
    questions = [question for k in range(9) for question in triple(f"g{k}")]
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, tuple(questions))])
    paths = []
    for number in range(runs):
        predictions = choose(questions, {f"g{number}-original": "B"})
        values = {"choice.accuracy": correctness_by_id(dataset, predictions)}
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
        assert ("Shaded: pointwise 95% interval" in said) == (runs < 3)
        assert "pointwise 95% interval" in said
        heads = figure.locator("th").all_text_contents()
        assert heads[-3:] == ["Value", "Low", "High"]
        assert visit.logged == []
        assert visit.sideways() <= 0


def test_the_numbers_of_a_million_questions_stand_clear_of_the_axis(browser, tmp_path):
    """Beside the line at 100, not on it."""
    questions = triple("g")
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, questions)])
    paths = []
    for name in ("first", "second"):
        predictions = choose(questions, {})
        values = {"choice.accuracy": correctness_by_id(dataset, predictions)}
        many = dict.fromkeys(("n_questions", "n_scored", "n_answered"), 1_000_000)
        paths.append(write_run(tmp_path / name, dataset, predictions, values, changes=many))
    page = write_page(paths, tmp_path / "page.html", language="en")
    with Visit(browser, page) as visit:
        figure = visit.page.locator("figure.plot svg").first
        last = figure.locator("text", has_text="100").first.bounding_box()
        labels = figure.locator("text", has_text=" n 1,000,000")
        assert labels.count() == 2
        assert labels.first.bounding_box()["x"] > last["x"] + last["width"] / 2 + 3


def _curves(tmp_path, wrong):
    """Write the page of runs of 27 questions that are wrong at some of them."""
    questions = [question for k in range(9) for question in triple(f"g{k}")]
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, tuple(questions))])
    other = {"A": "B", "B": "A"}
    paths = []
    for name, places in wrong.items():
        gold = [question.answers[0].label for question in questions]
        said = [other[label] if k in places else label for k, label in enumerate(gold)]
        labels = {each.question_id: label for each, label in zip(questions, said, strict=True)}
        predictions = choose(questions, labels)
        values = {"choice.accuracy": correctness_by_id(dataset, predictions)}
        paths.append(write_run(tmp_path / name, dataset, predictions, values))
    return write_page(paths, tmp_path / "page.html", language="en")


@pytest.mark.parametrize(
    "wrong",
    [
        {"the rising one": range(19, 23), "the falling one": range(24)},
        {"always right": (), "always right, too": ()},
        {"alone and always right": ()},
    ],
    ids=len,
)
def test_no_curve_crosses_a_name_and_all_that_is_written_stands_in_the_frame(
    browser, tmp_path, wrong
):
    """Wherever curves lie: along the upper edge as well."""
    with Visit(browser, _curves(tmp_path, wrong)) as visit:
        figure = visit.page.locator("figure.plot", has=visit.page.locator("path.curve"))
        found = figure.locator("svg").evaluate("""(svg) => {
          const frame = svg.viewBox.baseVal, names = [...svg.querySelectorAll("text.ink")];
          const out = [...svg.querySelectorAll("text")].filter((each) => {
            const box = each.getBBox();
            return box.x < 0 || box.y < 0 || box.x + box.width > frame.width
              || box.y + box.height > frame.height;
          });
          const crossed = names.filter((name) => {
            const box = name.getBBox();
            return [...svg.querySelectorAll("path.curve")].some((curve) => {
              const whole = curve.getTotalLength();
              return [...Array(2001).keys()].some((step) => {
                const { x, y } = curve.getPointAtLength((whole * step) / 2000);
                return x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height;
              });
            });
          });
          const said = (each) => each.textContent;
          return { names: names.map(said), out: out.map(said), crossed: crossed.map(said) };
        }""")
    names = list(wrong) if len(wrong) > 1 else []
    assert found == {"names": names, "out": [], "crossed": []}


@pytest.mark.parametrize("by", [("part",), ()], ids=["by scoring", "by the report"])
def test_a_dash_for_questions_of_another_kind_is_explained(browser, tmp_path, by):
    """Beneath the plot's question, and at the dash itself."""
    page = write_page([mixed_run(tmp_path, "run", *by)], tmp_path / "p.html", language="en")
    told = "—: the metric applies to no question there"
    with Visit(browser, page) as visit:
        plot = visit.page.locator("figure.plot", has_text="Does it depend on")
        assert told in plot.locator("figcaption").inner_text()
        assert plot.locator("svg text", has_text="—").locator("title").text_content() == told


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
