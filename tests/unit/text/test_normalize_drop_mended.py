"""DROP answers with the official normaliser's defects taken out, one mend at a time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from closeread.errors import CloseReadError
from closeread.metrics import cmrc_mixed, drop_mended
from closeread.metrics.drop import metric as official
from closeread.text.normalize_drop import drop
from closeread.text.normalize_drop_mended import by_number, by_whitespace, first_line
from closeread.text.numbers import parse_number_words, to_ascii_marks
from closeread.types import Answer, Prediction, Question, Submission


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("12.25.", "12.25"),
        ("12.25%", "12.25"),
        ("12.25 percent", "12.25"),
        ("$12.25", "12.25"),
        ("£1,001,360", "1001360.0"),
        ("10\u202f000", "10000.0"),
        ("1_000", "1000.0"),
        ("1,2", "1.0 2.0"),
        ("(3.14)", "3.14"),
        ("-5", "-5.0"),
        ("\u22125", "-5.0"),
        ("-$5", "-5.0"),
        ("$-5", "-5.0"),
        ("+5", "5.0"),
        ("-9", "-9.0"),
        ("-0", "0.0"),
        ("-0 percent", "0.0"),
        ("0/0", "0.0 0.0"),
        ("5-7", "5.0 7.0"),
        ("2007\u201308", "2007.0 8.0"),
        ("54-yard", "54.0 yard"),
        ("V-22", "v 22.0"),
        ("１２．５", "12.5"),
        ("1/2", "1.0 2.0"),
        ("3:45", "3.0 45.0"),
        ("1e3", "1000.0"),
        ("10\n\nPassage: 7", "10.0 passage 7.0"),
        ("twenty-five", "25.0"),
        ("one hundred and five", "105.0"),
        ("two thousand twelve", "2012.0"),
        ("five hundred thousand", "500000.0"),
        ("1.5 million", "1500000.0"),
        ("nineteen ninety", "19.0 90.0"),
        ("ten and two", "10.0 and 2.0"),
        ("two hundred and five thousand", "205000.0"),
        ("one million two hundred thousand and five", "1200005.0"),
        ("5 thousand two hundred", "5200.0"),
        ("two million three million", "2000000.0 3000000.0"),
        ("two million and three million", "2000000.0 and 3000000.0"),
        ("one thousand two hundred thousand", "1000.0 200000.0"),
        ("1 hundred two hundred", "100.0 200.0"),
        ("hundred hundred thousand", "100.0 100000.0"),
        ("twenty ten", "20.0 10.0"),
        ("twenty zero", "20.0 0.0"),
        ("five zero", "5.0 0.0"),
        ("ten thousand hundred", "10000.0 100.0"),
        ("two 5", "2.0 5.0"),
        ("5 two", "5.0 2.0"),
        ("zero million", "0.0 1000000.0"),
        ("nineteen hundred", "1900.0"),
        ("150 hundred", "150.0 100.0"),
        ("two hundred and", "200.0 and"),
        ("5th", "5th"),
        ("49ers", "49ers"),
        ("3.14.15", "'31415"),
        ("U.S. Army", "us army"),
        ("infinity", "'infinity"),
        ("Infinity-War", "'infinity war"),
        ("NaN and -inf.", "'nan and 'inf"),
        ("", ""),
    ],
)
def test_numbers_are_compared_by_value(raw, expected):
    """Signs, thousands, currency, percent, ranges, full-width forms and number words."""
    assert by_number(raw).text == expected
    assert by_number(raw).bag == frozenset(expected.split())


def test_every_number_word_has_its_value():
    small = (
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
        " fifteen sixteen seventeen eighteen nineteen"
    )
    tens = "twenty thirty forty fifty sixty seventy eighty ninety"
    scales = "thousand million billion trillion"
    assert [parse_number_words([word]) for word in small.split()] == [[n] for n in range(20)]
    assert [parse_number_words([word]) for word in tens.split()] == [
        [n] for n in range(20, 100, 10)
    ]
    assert [parse_number_words([word]) for word in scales.split()] == [
        [1000**n] for n in range(1, 5)
    ]
    words = "seven trillion six billion five million four thousand three hundred twenty one"
    assert parse_number_words(words.split()) == [7_006_005_004_321]


def test_full_width_forms_dashes_and_quotes_become_ascii():
    assert to_ascii_marks("！ａ～") == "!a~"
    assert to_ascii_marks("\uff00｟") == "\uff00｟"  # just before and behind them
    assert to_ascii_marks("‐‑‒–—―−﹣") == "-" * 8
    assert to_ascii_marks("‘a’ “b” 人") == "'a' \"b\" 人"


@pytest.mark.parametrize("gap", ["\n\n", "\t", "\r\n", "\u00a0", "\u3000", "\u2003", "  "])
def test_a_number_before_any_white_space_is_a_number(gap):
    """The official evaluator reads it as a number only before a plain blank."""
    assert by_whitespace(f"10{gap}yards").text == "10.0 yards"


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        ("10\n\nPassage: x", "10"),
        ("\n\n10\nx", "10"),
        ("10", "10"),
        (" 10 ", " 10 "),
        ("\n", ""),
        ("Ada\r\nx", "Ada"),
    ],
)
def test_the_first_line_that_is_not_blank_counts(raw, line):
    """Run-on text lies behind a line break."""
    assert first_line(raw) == line


@given(st.text(alphabet="abthe .,-0123456789$%\n\t", max_size=30))
def test_plain_blanks_keep_the_official_normalisation(text):
    """Without other white space the mend is the official normaliser."""
    plain = " ".join(text.split())
    assert by_whitespace(plain) == drop(plain)


@given(st.text(max_size=40))
def test_number_normalisation_is_idempotent(text):
    """What was normalised has no number left that reads otherwise, but for words that compose."""
    once = by_number(text)
    assert once.text == " ".join(once.text.split())
    assert once.bag == frozenset(once.text.split())


def _score(metric, said, gold):
    question = Question(
        question_id="q", passage_id="p", text="?", kind="discrete",
        answers=(Answer(kind="span", texts=(gold,)),),
    )  # fmt: skip
    answer = Answer(kind="span", texts=(said,))
    values = metric.score(question, Prediction(question_id="q", answer=answer)).values
    return values["em"], values["f1"]


@pytest.mark.parametrize(
    ("said", "gold", "mended"),
    [
        ("10\n\nPassage: The census", "10", "firstline"),
        ("10\n\nPassage: The census", "10", "fixed"),
        ("12.25%", "12.25", "number"),
        ("$1,200.50", "1200.5", "fixed"),
        ("twelve", "12", "number"),
        ("12.25.\n\nQuestion: What?", "12.25", "fixed"),
    ],
)
def test_mends_accept_answers_that_the_official_scorer_rejects(said, gold, mended):
    """Each mend does what its name says."""
    assert _score(official(), said, gold)[0] == 0.0
    assert _score(getattr(drop_mended, mended)(), said, gold) == (1.0, 1.0)


def test_lost_signs_and_points_are_wrong_when_mended():
    """`-5` is not 5, `$1.5` is not 15, `1/2` is not 12."""
    for said, gold in (("-5", "5"), ("$1.5", "15"), ("1/2", "12")):
        assert _score(official(), said, gold) == (1.0, 1.0)
        assert _score(drop_mended.fixed(), said, gold)[0] == 0.0


@pytest.mark.parametrize("mend", ["number", "fixed"])
def test_words_that_are_not_numbers_do_not_count_as_numbers(mend):
    """Rounded: 1 of 1 word is among 2 (2/3), 3 of 3 are among 4 (6/7); a number that lacks is 0."""
    mended = getattr(drop_mended, mend)()
    assert _score(mended, "Goldin", "Nan Goldin") == (0.0, 0.67)
    assert _score(mended, "war", "Infinity War") == (0.0, 0.67)
    assert _score(mended, "build of May", "build 3.14.15 of May") == (0.0, 0.86)
    assert _score(mended, "build of May", "build 3.14 of May") == (0.0, 0.0)
    assert _score(mended, "infinity", "Infinity.") == (1.0, 1.0)
    assert _score(official(), "Goldin", "Nan Goldin") == (0.0, 0.0)


@pytest.mark.parametrize(
    ("said", "gold", "exact", "f1"),
    [
        ("２０１０年", "2010年", 1.0, 1.0),
        ("长江大桥。", "长江大桥", 1.0, 1.0),
        ("“长江”大桥", "长江大桥", 1.0, 1.0),
        ("1,000人", "1000人", 1.0, 1.0),
        ("1234567人", "1234568人", 0.0, 0.5),
        ("3.1415926", "3.1415927", 0.0, 0.0),
        ("1,234,567.0", "1234567", 1.0, 1.0),
        ("123456789012345", "123456789012346", 0.0, 0.0),
        ("3-5", "35", 0.0, 0.0),
        ("Ｗii版", "wii版", 1.0, 1.0),
        ("南京长江", "长江", 0.0, 2 / 3),
        ("", "。", 1.0, 1.0),
        ("Dark Souls", "Dark Soul", 0.0, 0.5),
    ],
)
def test_chinese_spans_are_mended(said, gold, exact, f1):
    """Width does not count, marks go, a Latin word and a number are one segment each."""
    assert _score(cmrc_mixed.metric(), said, gold) == (exact, pytest.approx(f1))


@given(
    st.lists(st.sampled_from(["10", "the", "Ada-x", "\n", "\t", " ", "\u00a0", "\x1f", "12.5 "]))
)
def test_long_texts_are_split_as_short_ones(pieces):
    """The way without joining blanks first says the same."""
    text = "".join(pieces) * 9
    assert by_whitespace(text) == drop(" ".join(text.split()))


EVERY = ["whitespace", "number", "firstline", "fixed"]


def _make_question(*golds):
    answers = tuple(Answer(kind="spans", texts=texts) for texts in golds)
    return Question(question_id="q", passage_id="p", text="?", kind="discrete", answers=answers)


def _score_mended(mend, question, *said):
    prediction = Prediction(question_id="q", answer=Answer(kind="spans", texts=said))
    values = getattr(drop_mended, mend)().score(question, prediction).values
    return values["em"], values["f1"]


@pytest.mark.parametrize(
    ("mend", "gap"), [("whitespace", "\t"), ("number", "%"), ("firstline", "\n"), ("fixed", "\n")]
)
def test_every_one_of_several_spans_is_mended(mend, gap):
    """Of the prediction and of the gold answers; half of two spans are half right."""
    two = _make_question(("12.5", "red"))
    assert _score_mended(mend, two, "red", f"12.5{gap}") == (1.0, 1.0)
    assert _score_mended(mend, two, f"12.5{gap}") == (0.0, 0.5)
    assert _score_mended(mend, two, "red", f"7{gap}") == (0.0, 0.5)


def test_mends_reach_every_gold_answer_but_the_blank_ones():
    """The second is the one that is met, the third says nothing and is met by nobody."""
    asked = _make_question(("blue",), ("red", "10\tyards"), (" ",), ())
    for mend in ("whitespace", "number", "fixed"):
        assert _score_mended(mend, asked, "red", "10 yards") == (1.0, 1.0)
        assert _score_mended(mend, asked, "10\tyards", "red") == (1.0, 1.0)
        assert _score_mended(mend, _make_question(("red", "10 yards")), "red", "10\tyards") == (
            1.0,
            1.0,
        )
        assert _score_mended(mend, asked, "\t") == _score_mended(mend, asked, "") == (0.0, 0.0)


@pytest.mark.parametrize("order", [EVERY, EVERY[::-1]])
def test_one_prediction_is_judged_by_every_mend_in_any_order(order):
    """12.5 among two words is 2/3; without the mend of numbers it is 125."""
    expected = {
        "whitespace": (0.0, 0.0), "number": (0.0, 0.67), "firstline": (0.0, 0.0),
        "fixed": (1.0, 1.0),
    }  # fmt: skip
    asked = _make_question(("12.5",))
    said = Prediction(question_id="q", answer=Answer(kind="span", texts=("12.5%\nm",)))
    for mend in (*order, *order):
        values = getattr(drop_mended, mend)().score(asked, said).values
        assert (values["em"], values["f1"]) == expected[mend], mend


def test_white_space_in_gold_alone_is_mended():
    """The official evaluator finds no 10.0 in the gold answer."""
    tab = _make_question(("10\tyards",))
    assert _score_mended("whitespace", tab, "10 yards") == (1.0, 1.0)
    assert _score_mended("firstline", tab, "10 yards")[0] == 0.0


@pytest.mark.parametrize("mend", EVERY)
def test_gold_with_a_blank_first_span_is_skipped(mend):
    """Another span that is blank is kept: it is one of two."""
    assert _score_mended(mend, _make_question(("", "red\tfox")), "", "red\tfox") == (0.0, 0.0)
    assert _score_mended(mend, _make_question(("red\tfox", "")), "red\tfox", "") == (1.0, 1.0)
    assert _score_mended(mend, _make_question(("red\tfox", "")), "red\tfox") == (0.0, 0.5)


@pytest.mark.parametrize(
    ("mend", "end"),
    [("whitespace", "\tm"), ("number", "%"), ("firstline", "\nm"), ("fixed", "%\nm")],
)
def test_the_best_gold_answer_counts(mend, end):
    """All that is said is mended, so that no score is the official evaluator's."""
    said, right = f"12{end}", "12 m" if mend == "whitespace" else "12"
    for golds in ((right, "red fox"), ("red fox", right)):
        assert _score_mended(mend, _make_question(*((gold,) for gold in golds)), said) == (1.0, 1.0)
    assert _score_mended(mend, _make_question((" ",)), said) == (0.0, 0.0)
    with pytest.raises(CloseReadError, match="no gold answer"):
        _score_mended(mend, _make_question(), said)


def test_the_number_gate_reads_gold_only():
    """1 of 2 words said is the 1 asked for, which is 2/3; a number asked for must be said."""
    for mend in ("number", "fixed"):
        assert _score_mended(mend, _make_question(("red",)), "red 2.5%") == (0.0, 0.67)
        assert _score_mended(mend, _make_question(("red 2.5%",)), "red") == (0.0, 0.0)


def test_signatures_distinguish_mends_and_versions():
    """Those that read numbers said something else thrice since they were first there."""
    versions = {"whitespace": 1, "number": 4, "firstline": 1, "fixed": 4}
    for mend, version in versions.items():
        made = getattr(drop_mended, mend)()
        settings = f"norm:{mend}|golds:all|missing:zero|v:{version}"
        assert (made.name, made.signature()) == (f"drop~{mend}", f"drop~{mend}|{settings}")
        assert made.unit == "passage"


@pytest.mark.parametrize(
    ("mend", "right"), [("whitespace", 2.0), ("number", 2.0), ("firstline", 1.0), ("fixed", 1.0)]
)
def test_questions_of_one_passage_are_one_unit(mend, right):
    """Three: judged as the official evaluator does, anew, and not at all. A first line lacks m."""
    made = getattr(drop_mended, mend)()
    asked = [replace(_make_question(("12 m",)), question_id=name) for name in "abc"]
    said = {
        name: Prediction(question_id=name, answer=Answer(kind="span", texts=(text,)))
        for name, text in (("a", "12 m"), ("b", "12\nm"))
    }
    scores = [made.score(one, said.get(one.question_id)) for one in asked]
    em, f1 = made.pool(scores, Submission(predictions=said))
    assert (em.metric, f1.metric) == (f"drop.em~{mend}", f"drop.f1~{mend}")
    assert list(em.numerators) == [right]
    for pool in (em, f1):
        assert (list(pool.unit_ids), list(pool.denominators)) == (["p"], [3])
        assert (pool.n_scored, pool.n_answered) == (3, 2)


@pytest.mark.parametrize("mend", EVERY)
def test_no_state_is_kept_between_questions(mend):
    """Answers to one question in turn, one answer to two questions, and none."""
    asked, other = _make_question(("12",)), _make_question(("13",))
    made = getattr(drop_mended, mend)()
    twelve, thirteen = (
        Prediction(question_id="q", answer=Answer(kind="span", texts=(text,)))
        for text in ("12", "13")
    )
    pairs = [(asked, twelve), (asked, thirteen), (other, thirteen), (other, twelve)]
    found = [made.score(*pair).values["em"] for pair in (*pairs, *pairs[::-1])]
    assert found == [1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0]
    for nothing in (None, Prediction(question_id="q", error="timed out")):
        assert made.score(asked, nothing).values == {"em": 0.0, "f1": 0.0}
