"""The strategies for English statements: what each rewords and turns, and what it leaves alone."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeread.attacks.attack import Attack, AttackSummary, Group
from closeread.attacks.causality import causality
from closeread.attacks.context import Surroundings
from closeread.attacks.english.causality import propose_edits_en as causes
from closeread.attacks.english.keyword import propose_edits_en as keywords
from closeread.attacks.english.logic import propose_edits_en as logics
from closeread.attacks.english.predicates import verbs_by_form
from closeread.attacks.english.spacetime import propose_edits_en as spacetimes
from closeread.attacks.keyword import keyword
from closeread.attacks.logic import logic
from closeread.attacks.spacetime import spacetime
from closeread.attacks.statements import HIDDEN
from closeread.evidence.cover import cover
from closeread.types import Answer, Option, Passage, Question
from statement_edits import Propose, edited_statements, statement

ALL = (keywords, logics, spacetimes, causes)


@pytest.mark.parametrize(
    ("turns", "text", "rule", "reworded"),
    [
        (keywords, "Everyone must help.", "reworded", "Everybody must help."),
        (keywords, "They have a huge barn.", "reworded", "They have an enormous barn."),
        (keywords, "Kids like the pond.", "reworded", "Children like the pond."),
        (keywords, "The walk takes about 20 minutes.", "reworded",
         "The walk takes approximately 20 minutes."),
        (keywords, "The walk takes 3 hours.", "numerals", "The walk takes three hours."),
        (keywords, "The walk takes three hours.", "numerals", "The walk takes 3 hours."),
        (logics, "Although it rained, they left.", "reworded", "Even though it rained, they left."),
        (logics, "The barn was built by Tom Hale.", "active", "Tom Hale built the barn."),
        (logics, "The goat is both strong and shy.", "reworded",
         "The goat is not only strong but also shy."),
        (logics, "Ann and Ben are asleep.", "list-order", "Ben and Ann are asleep."),
        (logics, "The goat isn't shy.", "contraction", "The goat is not shy."),
        (logics, "The goat cannot swim.", "contraction", "The goat can't swim."),
        (spacetimes, "The fair is on May 3.", "date", "The fair is on the 3rd of May."),
        (spacetimes, "The fair is on the 21st of May.", "date", "The fair is on May 21."),
        (spacetimes, "They lived in the UK.", "reworded", "They lived in the United Kingdom."),
        (causes, "The fair closed because of snow.", "reworded", "The fair closed due to snow."),
        (causes, "The fair closed because it snowed.", "cause-first",
         "Because it snowed, the fair closed."),
        (causes, "Because it snowed, the fair closed.", "cause-last",
         "The fair closed because it snowed."),
    ],
)  # fmt: skip
def test_statements_are_reworded_regardless_of_truth(
    turns: Propose, text: str, rule: str, reworded: str
) -> None:
    for holds in (True, False, None):
        assert edited_statements(turns, statement(text, holds=holds), "same")[reworded] == rule


@pytest.mark.parametrize(
    "text",
    [
        "How many people came?",
        "The story is about two ships.",
        "The book is called “Everyone Must Help”.",
        "They met on the first two days.",
        "He died because of the cold or hunger, not because of age.",
        "The tea was made by hand.",
        "The fair did not close because it snowed.",
        "Tom Hale and Ann Moss left.",
        "It snowed from time to time; ice pellets, hail and rain fell.",
        "The Seven Years' War ended.",
        "The illness due to snow was bad.",
        "It keeps both of them warm and dry.",
    ],
)
def test_parts_of_phrases_and_quotations_are_not_edited(text: str) -> None:
    got = {
        new: rule
        for turns in ALL
        for new, rule in edited_statements(turns, statement(text), "same").items()
    }
    assert set(got.values()) <= {"contraction"}


@pytest.mark.parametrize(
    ("turns", "text", "evidence", "rule", "turned"),
    [
        (keywords, "Some farmers keep bees.", "Some farmers here keep bees.", "some>no",
         "No farmers keep bees."),
        (keywords, "All the farmers keep bees.", "Each of the farmers keeps bees.", "all>not-all",
         "Not all the farmers keep bees."),
        (keywords, "None of the boats leak.", "The boats never leak, none of them.", "none>all",
         "All of the boats leak."),
        (keywords, "The farm has more than 40 goats.", "There are more than 40 goats on the farm.",
         "more>fewer", "The farm has fewer than 40 goats."),
        (keywords, "The farm has more than 40 percent.", "The farm has more than 40 percent.",
         "more>fewer", "The farm has less than 40 percent."),
        (logics, "They have gotten help.", "They have gotten help.", "negated",
         "They have not gotten help."),
        (keywords, "The pond is always frozen.", "The pond is always frozen in May.", "contrary",
         "The pond is never frozen."),
        (keywords, "The lake is the largest in Orle.", "The lake is the largest one in Orle.",
         "contrary", "The lake is the smallest in Orle."),
        (keywords, "It is the most useful tool.", "It is the most useful tool.", "contrary",
         "It is the least useful tool."),
        (keywords, "Goats are cheaper than cows.", "Goats are cheaper than cows.", "contrary",
         "Goats are more expensive than cows."),
        (logics, "The goat is shy.", "The goat is shy.", "negated", "The goat is not shy."),
        (logics, "The goats can swim.", "Goats can swim.", "negated", "The goats cannot swim."),
        (logics, "She lives in a barn.", "She lives in a barn.", "negated",
         "She does not live in a barn."),
        (logics, "Tom sold a goat.", "Tom sold a goat.", "negated", "Tom did not sell a goat."),
        (logics, "The toys made by Ann were lost.", "The toys made by Ann were lost.", "negated",
         "The toys made by Ann were not lost."),
        (logics, "The stage plays were long.", "The stage plays were long.", "negated",
         "The stage plays were not long."),
        (logics, "Tom has sold the goat.", "Tom has sold the goat.", "negated",
         "Tom has not sold the goat."),
        (logics, "Tom has a goat.", "Tom has a goat.", "negated", "Tom does not have a goat."),
        (logics, "In May, they left home.", "They left home in May.", "negated",
         "In May, they did not leave home."),
        (logics, "There is a bridge.", "There is a bridge.", "negated", "There is no bridge."),
        (logics, "The goat didn't find food.", "The goat did not find any food.", "affirmed",
         "The goat found food."),
        (logics, "It doesn't help us.", "It does not help us.", "affirmed", "It helps us."),
        (logics, "The bell is not only loud but also old.", "The bell is loud and old.",
         "not-only>not", "The bell is not loud but old."),
        (spacetimes, "The fair is in the south of Orle.", "The fair is in the south of Orle.",
         "contrary", "The fair is in the north of Orle."),
        (spacetimes, "They ate before the storm came.", "They ate before the storm came.",
         "before>after", "They ate after the storm came."),
        (causes, "The fair closed because of snow.", "The fair closed because of snow.",
         "because>although", "The fair closed in spite of snow."),
        (causes, "The drought led to the famine.", "The drought led to the famine.", "exchanged",
         "The famine led to the drought."),
    ],
)  # fmt: skip
def test_a_true_statement_is_falsified_if_the_evidence_allows(
    turns: Propose, text: str, evidence: str, rule: str, turned: str
) -> None:
    assert edited_statements(turns, statement(text, evidence), "opposite")[turned] == rule
    for unsure in (None, False):
        assert edited_statements(turns, statement(text, evidence, holds=unsure), "opposite") == {}
    assert (
        edited_statements(turns, statement(text, "Nothing of that is told here."), "opposite") == {}
    )


@pytest.mark.parametrize(
    ("turns", "text", "others"),
    [
        (keywords, "The farm has 6 goats.", {"4", "5", "7", "8"}),
        (keywords, "The farm has six goats.", {"four", "five", "seven", "eight"}),
        (keywords, "The farm has 300 goats.", {"200", "400", "500"}),
        (spacetimes, "The bridge fell in 1894.", {"1886", "1889", "1891", "1897", "1899", "1902"}),
        (spacetimes, "The fair is on Monday.",
         {"Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}),
        (spacetimes, "It was built in the 1890s.", {"1870", "1880", "1900", "1910"}),
        (spacetimes, "It was built in the 18th century.", {"16th", "17th", "19th"}),
    ],
)  # fmt: skip
def test_a_new_number_or_time_is_not_in_the_passage(
    turns: Propose, text: str, others: set[str]
) -> None:
    seen = set()
    for seed in range(30):
        (new,) = [
            new
            for new, rule in edited_statements(turns, statement(text), "opposite", seed).items()
            if rule not in ("negated", "contrary")
        ]
        seen |= {one for one in others if one in new}
    assert seen == others
    known = "\n".join([text, *(text.replace("6", one) for one in ("4", "5", "7"))])
    if "6" in text:
        assert set(edited_statements(turns, statement(text, known), "opposite")) == {
            "The farm has 8 goats."
        }


@pytest.mark.parametrize(
    "text",
    [
        "Some boats were not sold.",
        "Many people like bees.",
        "If it snows, bees die.",
        "He thinks that the goat is shy and that the pond is deep.",
        "Tom cooks and cleans.",
        "The goat is shy because it is young.",
        "Ann could not eat any cake.",
        "He said “the goat is shy”.",
        "The farm has about 40 goats.",
        "The farm has had goats since 1894.",
        "Bees left the",
        "Two peaks, Mount Vamm and Mount Teld, rise there, and nobody saw them.",
        "Rose.",
        "Prices rapidly changed again.",
        "Thousands of goats were lost.",
        "The goat is shy and fits in the barn.",
        "She misses her loved ones.",
        "Tom agreed to go, and Ann went.",
        "The barn was 100% full, and Tom was sure.",
        "It is one of the largest farms and the tenth largest in Orle.",
        "The North Sea port lies there.",
    ],
)
def test_uncertain_statements_are_not_falsified(text: str) -> None:
    allowed = {"negated"} if "largest" in text or "North" in text else set()
    rules = {
        rule
        for turns in ALL
        for rule in edited_statements(turns, statement(text), "opposite").values()
    }
    assert rules - {"because>although"} <= allowed


@pytest.mark.parametrize(
    ("turns", "text", "elsewhere", "reworded"),
    [
        (logics, "He was helped by Tom.", "", "Tom helped him."),
        (logics, "Both songs were written by Tom.", "", "Tom wrote both songs."),
        (logics, "Farms were visited by Tom.", "He saw the farms.", "Tom visited farms."),
        (logics, "Orle was visited by Tom.", "Tom saw Orle.", "Tom visited Orle."),
        (causes, "Cleaning it is easy because of its size.", "He likes cleaning it.",
         "Because of its size, cleaning it is easy."),
        (causes, "Ann left because it snowed.", "Did Ann go? Ann did.",
         "Because it snowed, Ann left."),
        (causes, "Because of the snow, they left .", "", "They left because of the snow."),
        (spacetimes, "They love the United States in May.", "", "They love the USA in May."),
        (keywords, "These 6 goats are shy.", "", "These six goats are shy."),
    ],
)  # fmt: skip
def test_moved_sentence_beginnings_lose_their_capital_except_names(
    turns: Propose, text: str, elsewhere: str, reworded: str
) -> None:
    assert reworded in edited_statements(turns, statement(text, f"{text} {elsewhere}"), "same")


@pytest.mark.parametrize(
    "text",
    [
        "The song was written by Tom last year.",
        "The song was written by the band again.",
        "The song was written by the band's.",
        "He and Ann Moss are here.",
        "Faber and Faber are here.",
        "Patient 6 tested positive.",
        "Cleaning it is odd because of his aim.",
        "They moved to the UK Medical School.",
    ],
)
def test_rewordings_that_break_english_are_not_made(text: str) -> None:
    got = {
        rule for turns in ALL for rule in edited_statements(turns, statement(text), "same").values()
    }
    assert got <= {"reworded"}
    assert "United" not in str([edited_statements(turns, statement(text), "same") for turns in ALL])


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("She must have left early.", "negated"),
        ("People like him need help.", "negated"),
        ("He had better stay.", "negated"),
        ("Someone left the door open.", "negated"),
        ("Everything he said was true.", "negated"),
        ("The house he built was big.", "negated"),
        ("He can't help laughing.", "affirmed"),
        ("Patient 6 is well.", "number"),
        ("It takes >20 minutes.", "number"),
        ("They have ~5 children.", "number"),
        ("Every other day he runs.", "all>not-all"),
        ("All boats but one leaked.", "all>not-all"),
        ("All of this set the stage.", "all>not-all"),
        ("At least some of these were lost.", "some>no"),
        ("The rose smelled nice.", "contrary"),
        ("He fell ill.", "contrary"),
    ],
)
def test_falsifications_that_break_english_or_stay_true_are_not_made(text: str, rule: str) -> None:
    rules = {
        rule
        for turns in ALL
        for rule in edited_statements(turns, statement(text), "opposite").values()
    }
    assert rule not in rules


def test_an_article_fits_the_following_number() -> None:
    said = statement("It is a 7 year plan.")
    got = {
        new
        for seed in range(20)
        for new, rule in edited_statements(keywords, said, "opposite", seed).items()
        if rule == "number"
    }
    assert got == {f"It is {put} year plan." for put in ("a 5", "a 6", "an 8", "a 9")}


def test_verbs_have_irregular_forms() -> None:
    for form, verb in verbs_by_form().items():
        assert form in verb
        assert verb.third in (f"{verb.base}s", f"{verb.base}es", f"{verb.base[:-1]}ies")


WORDS = (
    "The goat is not shy, and all 6 bees left “home” in 1894 because of snow. some had been more "
    "than Anns’ "
)


@given(
    st.lists(st.sampled_from(WORDS.split(" ")), max_size=14).map(" ".join),
    st.sampled_from([True, False, None]),
)
def test_edits_of_any_statement_are_valid_and_repeatable(text: str, holds: bool | None) -> None:
    said = statement(text, "All 6 bees left home in 1894. The goat is shy.", holds=holds)
    for turns in ALL:
        got = list(turns(said, random.Random(1)))
        assert got == list(turns(said, random.Random(1)))
        for turn in got:
            assert 0 <= turn.span.start < turn.span.end <= len(text)
            assert turn.span.of(text) != turn.words
            assert HIDDEN not in turn.words
            assert turn.truth == "same" or holds is True


def test_overlong_statements_are_not_edited() -> None:
    text = "Everyone must help because of snow in 1894. " * 30
    for turns in ALL:
        assert list(turns(statement(text), random.Random(0))) == []


TEXT = (
    "The farm at Orle has six goats. It was built in 1894. Everyone in the village must help "
    "in the summer. The goats can swim."
)
PASSAGE = Passage(passage_id="p", text=TEXT, language="en")


def make_question(stem: str, kind: str = "choice") -> Question:
    texts = (
        "The farm has six goats.", "The farm was built in 1894.", "The goats can swim.",
        "Nobody must help.",
    )  # fmt: skip
    return Question(
        question_id="q", passage_id="p", text=stem, kind=kind,  # type: ignore[arg-type]
        options=tuple(
            Option(label=label, text=text) for label, text in zip("ABCD", texts, strict=True)
        ),
        answers=(Answer(kind="choice", label="D", texts=texts[3:]),),
    )  # fmt: skip


def attack_question(question: Question) -> tuple[list[Group], AttackSummary]:
    around = Surroundings(retriever=cover())
    strategies = [make(around) for make in (keyword, logic, spacetime, causality)]
    made_of = AttackSummary()
    return list(Attack(strategies=strategies).groups([(PASSAGE, (question,))], made_of)), made_of


def test_an_english_question_becomes_a_triple() -> None:
    ((one,), _) = attack_question(
        make_question("Which of the following is NOT TRUE according to the passage?")
    )
    (_, positive), (_, negative) = one.variants
    assert positive.text == "Which of the following is NOT TRUE according to the passage?"
    assert negative.text == "Which of the following is TRUE according to the passage?"
    (answer,) = negative.answers
    (right,) = [one for one in negative.options if one.label == answer.label]
    assert right.tags["truth"] == "same"
    assert sum(option.tags["truth"] == "opposite" for option in negative.options) == 2


def test_options_of_other_stems_are_not_statements() -> None:
    groups, counted = attack_question(
        make_question("She saw that something was wrong with the goats when ____.")
    )
    assert (groups, sum(counted.left_out.values())) == ([], 1)
    assert attack_question(make_question("She saw that something was wrong.", "verification"))[0]
