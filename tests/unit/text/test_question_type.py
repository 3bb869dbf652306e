"""What question words ask for, in both languages."""

import pytest

from closeread.text.question_type import expected_answer_type

_ASKS = {
    "date": (
        "When is it?|What year is it?|In WHICH date is it?|What day is it?|Which month is it?"
        "|In what century is it?|What decade is it?|什么时候|何时|哪年|哪一年|哪月|哪个月|哪天"
        "|哪一天|几月|哪个年代|什么时间"
    ),
    "number": (
        "How many?|How much?|How long?|How old?|How far?|How tall?|How high?|How often?|How large?"
        "|How big?|How deep?|How wide?|How fast?|How heavy?|What percentage?|What percent?"
        "|What number?|What share?|What distance?|Say the difference."
        "|有多少|几个|几次|几年|几人|几天|几种|几位|几岁|几层|几所|几座|多高|多长|多大|多远|多重|多深|多宽"
    ),
    "name": (
        "So who came?|Whom did it meet?|Whose is it?|WHERE is it?|Which person?|Which city?"
        "|Which country?|Which team?|Which place?|Which town?|Which river?|Which hill?"
        "|谁|哪位|何人|哪里|何地|什么地方|哪个国家|哪个城市|哪个地区"
    ),
    "thing": (
        "What is it?|How is it?|Which one is it?|Why?|为什么|哪个|几乎|多样|天年月|"
        "|Whenever they differ|The whole nowhere|Somewhat yearly|How oldest|Which teams"
        "|What yearly day|Which percentages|What sharer|How manyfold"
    ),
}


@pytest.mark.parametrize("asked", _ASKS)
def test_question_words_give_the_answer_type(asked: str):
    questions = _ASKS[asked].split("|")
    assert {question: expected_answer_type(question) for question in questions} == dict.fromkeys(
        questions, asked
    )


def test_dates_precede_numbers_and_numbers_names():
    assert expected_answer_type("Who says how many came, and when?") == "date"
    assert expected_answer_type("Who says how many came?") == "number"
