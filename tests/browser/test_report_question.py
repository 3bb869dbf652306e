"""One question in the report: its passage, options, evidence, variants and runs."""

import pytest

from closeread.types import Answer, Passage, Prediction, Question, Span
from page_visits import DESKTOP, Visit
from report_runs import PASSAGE, choose, correctness_by_id, triple, write_page, write_run, write_set

pytestmark = pytest.mark.browser


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


def test_a_pick_is_marked_by_gold_though_evidence_alone_was_scored(browser, tmp_path):
    """A right letter whose evidence is right in part was marked as wrong."""
    questions = triple("t1")
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, questions)])
    predictions = choose(questions, {})
    values = {"evidence.f1": dict.fromkeys((one.question_id for one in questions), 0.7)}
    run = write_run(tmp_path / "run", dataset, predictions, values)
    page = write_page([run], tmp_path / "page.html", language="en")
    for name, wrong in (("t1-original", 0), ("t1-negative", 1)):
        with Visit(browser, page, f"#q={name}") as visit:
            assert visit.page.locator(".option .mark.said").count() == 1
            assert visit.page.locator(".option .mark.said.off").count() == wrong


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
        assert "choice.accuracy: difference from first" in told
        assert "in points from first on the same questions" in told
        assert "second" in told and "\u221216.7" in told and "1.0000" in told
        assert "rewritten" in visit.text("main")
        assert "dashed" not in visit.text("main")  # of several runs no line is drawn
        visit.page.locator(".ways a", has_text="runs differ").click()
        assert visit.page.locator(".row").count() == 1
        assert visit.page.locator(".row .icon").count() == 2
        assert visit.page.locator(".option .says-run").all_inner_texts() == ["1", "2"]


def test_an_answer_that_was_not_judged_is_painted_neither_right_nor_wrong(browser, tmp_path):
    """As of a question that the chief metric is not about: it was painted as a wrong one."""
    passage = Passage(passage_id="p", text="The lamp stands in Whit.")
    gold = Answer(kind="span", texts=("Whit",), spans=(Span(19, 23),))
    where = Question(question_id="w", passage_id="p", text="Where?", kind="span", answers=(gold,))
    questions = triple("t")
    mixed = write_set(tmp_path / "mixed.jsonl", [(PASSAGE, questions), (passage, (where,))])
    told = choose(questions, {})
    choices = write_set(tmp_path / "choices.jsonl", [(PASSAGE, questions)])
    values = {"choice.accuracy": correctness_by_id(choices, told)}
    said = [*told, Prediction(question_id="w", answer=gold)]
    page = write_page([write_run(tmp_path / "run", mixed, said, values)], tmp_path / "page.html")
    with Visit(browser, page, "#q=w") as visit:
        assert visit.page.locator(".answers .filled.open").inner_text() == "Whit"
        assert visit.page.locator(".passage .said-span.open").inner_text() == "Whit"
        assert visit.page.locator(".key .filled.open").inner_text() == "not scored"
        assert visit.logged == []


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
    values = {"choice.accuracy": correctness_by_id(choices, told)}
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


def test_a_passage_that_is_indented_by_blanks_is_not_indented_again(browser, tmp_path):
    """Every paragraph of a Chinese passage begins two characters from the edge."""
    text = "第一段没有空格。\n　　第二段有两个全角空格。"
    passage = Passage(passage_id="p", text=text, language="zh")
    gold = Answer(kind="span", texts=("两个",))
    question = Question(
        question_id="q", passage_id="p", text="几个？", kind="span", answers=(gold,)
    )
    dataset = write_set(tmp_path / "set.jsonl", [(passage, (question,))])
    said = Prediction(question_id="q", answer=gold)
    path = write_run(tmp_path / "run", dataset, [said], {"squad.f1": {"q": 1.0}})
    with Visit(browser, write_page([path], tmp_path / "page.html"), "#q=q") as visit:
        first, second = visit.page.locator(".passage p").evaluate_all(
            "(all) => all.map((p) => getComputedStyle(p).textIndent)"
        )
        assert first.endswith("px") and first != "0px" and second == "0px"
