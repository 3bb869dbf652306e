"""The reader without weights covers options and questions with the passage's words."""

import re

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from closeread.errors import UsageError
from closeread.readers import make
from closeread.readers.candidates import find_candidates, find_numbers, format_date
from closeread.readers.lexical import asks_for_several
from closeread.text.question_type import expected_answer_type
from closeread.types import Option, Passage, Question, Span

ENGLISH = Passage(
    passage_id="en",
    text=(
        "The Marl ferry was built by Ada Thorne in 1872. It carried 140 sheep on 3 May 1875. "
        "A storm sank it off Kell Point, and 17 sheep swam ashore."
    ),
)
CHINESE = Passage(
    passage_id="zh",
    text="海水的盐度主要由蒸发和降水决定。1872年，科考船从港口出发。表层海水的温度随纬度变化。",
    language="zh",
)


def read(passage, text, kind="span", **given):
    question = Question(
        question_id="q", passage_id=passage.passage_id, text=text, kind=kind, **given
    )
    (prediction,) = make("lexical")[0].read([(passage, question)])
    return prediction


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("Who built the Marl ferry?", "span", "Ada Thorne"),
        ("When was the ferry built?", "span", "1872"),
        ("How many sheep were carried by the ferry?", "discrete", "140"),
        ("On what date did it carry sheep?", "discrete", "3 May 1875"),
    ],
)
def test_english_answers(text, kind, expected):
    """The question word decides what kind of piece is taken from the best sentence."""
    assert read(ENGLISH, text, kind).answer.texts == (expected,)


def test_chinese_answers():
    """A Chinese question of time is answered with a time."""
    assert read(CHINESE, "科考船哪一年从港口出发？").answer.texts == ("1872年",)


def test_options_by_polarity():
    """The best covered option is picked, or the worst where the stem asks for what is wrong."""
    options = (
        Option(label="A", text="海水的盐度由蒸发和降水决定"),
        Option(label="B", text="潮汐使渔民获得丰收的喜悦"),
    )
    for asks_for, label in (("supported", "A"), ("contradicted", "B")):
        found = read(CHINESE, "下列说法", "verification", options=options, asks_for=asks_for)
        assert found.answer.label == label
        assert found.option_scores[0] > found.option_scores[1]
        assert found.scores_rank  # shares of words, no probabilities
        assert found.confidence == max(candidate.score for candidate in found.candidates)
        assert [one.option_label for one in found.evidence] == ["A", "B"]
    covering = found.evidence[0].spans
    assert [span.of(CHINESE.text) for span in covering] == ["海水的盐度主要由蒸发和降水决定。"]


@pytest.mark.parametrize("no", ["没有", "沒有", "无", "無", "未", "不"])
def test_a_negated_hypothesis_is_a_contradiction(no):
    """In simplified and Traditional characters."""
    options = tuple(
        Option(label=name, text=name) for name in ("entailment", "neutral", "contradiction")
    )
    found = read(CHINESE, f"1872年，科考船{no}从港口出发", "entailment", options=options)
    assert found.answer.label == "contradiction"


def test_lexical_yields_predictions_as_it_reads():
    """The first prediction comes before the last item is looked at."""

    def items():
        yield ENGLISH, Question(question_id="q", passage_id="en", text="Who?", kind="span")
        raise AssertionError("read too far")

    assert next(make("lexical")[0].read(items())).question_id == "q"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("When did it sink?", "date"),
        ("In which year?", "date"),
        ("How much did it cost?", "number"),
        ("Who sank it?", "name"),
        ("What was it called?", "thing"),
        ("这座桥什么时候建成？", "date"),
        ("一共有多少人？", "number"),
        ("谁建造了它？", "name"),
        ("它叫什么？", "thing"),
        ("這座橋什麼時候建成？", "date"),
        ("共有幾個人？", "number"),
        ("他住在哪裡？", "name"),
    ],
)
def test_question_words(text, kind):
    """What a question asks for follows from its words, in both languages."""
    assert expected_answer_type(text) == kind


def test_candidates_slice_to_their_texts():
    """Candidates lie in the sentence and are of the kind that is asked for."""
    sentence = Span(0, 48)
    found = [
        span.of(ENGLISH.text) for span in find_candidates(ENGLISH.text, sentence, "name", "en")
    ]
    assert "Ada Thorne" in found
    assert "The" not in found
    dates = find_candidates(ENGLISH.text, Span(49, 85), "date", "en")
    assert [span.of(ENGLISH.text) for span in dates] == ["3 May 1875"]


def test_numbers_exclude_dates():
    """Years and days are no quantities."""
    assert find_numbers(ENGLISH.text, Span(0, len(ENGLISH.text))) == [140.0, 17.0]


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("3 May 1875", "3 May 1875"),
        ("May 3, 1875", "3 May 1875"),
        ("May 3rd", "3 May"),
        ("21st May 1875", "21 May 1875"),
        ("May 1875", "May 1875"),
        ("12 in 1875", "1875"),
        ("1875", "1875"),
        ("soon", ""),
    ],
)
def test_dates(text, date):
    """A date is written day, month, year."""
    assert format_date(text) == date


@pytest.mark.parametrize("sharpness", [float("nan"), float("inf"), -1.0, 0.0])
def test_sharpness_must_be_positive(sharpness):
    """What would turn the order of the options around, or leave no order, is refused at once."""
    with pytest.raises(UsageError, match="sharpness"):
        make("lexical", {"sharpness": sharpness})


def candidate_texts(text, asked, language="en"):
    return [span.of(text) for span in find_candidates(text, Span(0, len(text)), asked, language)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("In Harrow Anna of the Hills met Bo.", ["Harrow Anna of the Hills", "Bo"]),
        (
            "There Anna O'Neill-Smith saw Bo van Dyck 2 there.",
            ["Anna O'Neill-Smith", "Bo van Dyck 2"],
        ),
        ("She met Bo.", ["Bo"]),
        ("Anna Thorne read The Times.", ["Anna Thorne", "The Times"]),
        ("The U.S. Army met J. R. Dyck.", ["U.S. Army", "J. R. Dyck"]),
        ("It left for the U.S.", ["U.S."]),
        ("Anna met Bo D. and left.", ["Anna", "Bo D"]),
    ],
)
def test_names_by_hand(text, names):
    """A word that has its capital from beginning the sentence goes, what it stands before stays."""
    assert candidate_texts(text, "name") == names


def test_without_names_clauses_are_candidates():
    """A date is none, nor a word that begins a sentence."""
    assert candidate_texts("On 3 May 1875.", "name") == ["On 3 May 1875", "3 May 1875"]
    assert candidate_texts("The barn burned.", "name") == ["The barn burned", "barn burned"]


def test_clauses_are_split_at_function_words():
    text = "The red barn burned in the old town, (say) some  !"
    assert candidate_texts(text, "thing") == [
        "The red barn burned in the old town",
        "red barn burned",
        "old town",
        "say",
        "some",
    ]


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        (
            "it cost 12,500.5 pounds, 1,000,000 in all.",
            "en",
            ["it cost 12,500.5 pounds", "1,000,000"],
        ),
        (
            "they won 3:1 at 10:30 a.m., in 1914–1918",
            "en",
            ["won 3:1", "10:30 a.m.", "1914–1918"],
        ),
        ("towns of 12,34 sheep: 1893,1927, more", "en", ["34 sheep", "1893", "1927", "more"]),
        ("left the U.S.!", "en", ["left the U.S."]),
        ("said so...", "en", ["said so"]),
        ("售出1，000件，共3.5吨，比分2：1。", "zh", ["售出1，000件", "共3.5吨", "比分2：1"]),
        ("有12，34头：1893，1927", "zh", ["有12", "34头", "1893", "1927"]),
    ],
)
def test_clauses_do_not_end_within_numbers_or_initials(text, language, found):
    """A mark between digits is theirs where it parts thousands, hours, goals or years."""
    assert set(found) <= set(candidate_texts(text, "thing", language))
    assert not {"000", "30 a.m", "it cost 12", "1914"} & set(
        candidate_texts(text, "thing", language)
    )


def test_chinese_numbers_may_have_thousands():
    """With either comma; what only stands behind one is another number."""
    assert candidate_texts("约1,250人和3，000万吨，又12,34", "number", "zh") == [
        "约1,250人",
        "3，000万吨",
        "12",
        "34",
    ]


def test_many_marks_between_digits_are_read_in_linear_time():
    """A pattern that looks back from each would take hours for these."""
    for text in ("1,000" * 200_000, "1:" * 500_000, "A." * 500_000, ". " * 500_000):
        assert candidate_texts(text, "thing") is not None
        assert candidate_texts(text, "thing", "zh") is not None


def test_a_run_of_words_has_eight_at_most():
    """A longer one goes on in the next: no word is lost."""
    eight = "red old big odd dry hot wet sad"
    assert candidate_texts(f"{eight} of", "thing") == [f"{eight} of", eight]
    assert candidate_texts(f"{eight} mad", "thing") == [f"{eight} mad", eight, "mad"]
    assert candidate_texts(f"{eight} mad new of", "thing")[1:] == [eight, "mad new"]


def test_chinese_pieces_by_hand():
    """Marks end them; of a clause 80 characters count."""
    assert candidate_texts("灯塔建在“海边”，很高。", "thing", "zh") == ["灯塔建在", "海边", "很高"]
    assert [len(one) for one in candidate_texts("长" * 81, "thing", "zh")] == [80]
    assert candidate_texts("约三百人和近20%的船在1872年5月3日到过《海》。", "number", "zh")[:2] == [
        "约三百人",
        "近20%",
    ]
    assert candidate_texts("他在1872年5月3日到港，19世纪末停用。", "date", "zh") == [
        "1872年5月3日",
        "19世纪",
    ]
    assert candidate_texts("安娜·桑恩读《海》。", "name", "zh") == ["安娜·桑恩读", "《海》"]


def test_numbers_by_hand():
    """With their thousands and decimals; neither the day nor the year of a date."""
    text = "In 1875 it held 1,250.5 tons, on May 3, 1876 only 40 and 7."
    assert find_numbers(text, Span(0, len(text))) == [1250.5, 40.0, 7.0]
    assert find_numbers(text, Span(8, 28)) == [1250.5]


def test_differences_and_several_answers_of_discrete_questions():
    """A difference is written out whole, whatever its size."""
    passage = Passage(
        passage_id="en",
        text="The north holds 2,345,678 sheep and the south 1,111 sheep. Anna Thorne met Bo Dyck.",
    )
    found = read(passage, "How many more sheep does the north hold than the south?", "discrete")
    assert (found.answer.kind, found.answer.texts) == ("number", ("2344567",))
    small = msgspec.structs.replace(
        passage, text="The north had 2.3 tons of hay, the south 1.1 tons."
    )
    found = read(small, "How many more tons had the north than the south?", "discrete")
    assert found.answer.texts == ("1.2",)


_ASKED = ["which", "Which", " are", "are", " ", "\n", "\r", "who were", "names", "s", "towns"]


@given(st.lists(st.sampled_from(_ASKED), max_size=10).map("".join))
@example("which towns\nare which  are")
def test_questions_for_several_answers_are_recognised(text):
    """Its time grows with the square."""
    pattern = r"\b(?:two|three|four|both|names|which .* are|who were)\b"
    assert asks_for_several(text) == bool(re.search(pattern, text, re.IGNORECASE))


def test_apparent_questions_for_several_answers():
    """The pattern itself would take hours for these."""
    assert not asks_for_several("which " * 500_000)
    assert not asks_for_several("which area " * 300_000)
