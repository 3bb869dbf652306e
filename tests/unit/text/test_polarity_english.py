"""What English stems ask for: a table of stems as exams have them, and texts made to take long."""

import pytest

from closeread.text.polarity import asks_for, is_verification

SUPPORTED = """
Which of the following is TRUE?
Which is TRUE about people who don't sleep?
Which of the following is true of those who cannot swim and have not learned it?
Which of the followings is right according to the passage?
Which statement about the old ferry is TRUE?
Which of the following statements about the boy, his dog and their boat is correct?
Which of the statements about how glass is made is accurate? In what order?
Which sentence is RIGHT?
Which one is right?
Which of these is not false?
Which two of the following can be true?
Which in the passage is true?
Which about the keeper is TRUE?
Which of the following about Mr. Smith and his 2.5 km walk is true?
Which of the following is  “surely” right?
Which information is true according to the poster?
Which of them is most probably correct?
Which would be true if the bridge were closed?
Which one of the following must be true?
Which of the following, according to the writer, is certainly true?
Which of the following best describes the mill according to Paragraph 2?
Which of the following statements is best supported by the passage?
Which of the following is consistent with what the captain said?
Which statement is not wrong?
What is true about the lamp?
What's true of both towns?
Read the passage. The statement that is true is ____.
Choose the correct statement according to the passage.
Which of the following is a true statement?
Which sentence is the correct one?
____ is true according to the passage.
It was getting late. ____ is right.
We can learn from the passage that ____.
Which of the following can be inferred from the passage?
With which of the following would the author most likely agree?
""".strip().splitlines()

CONTRADICTED = """
Which of the following is NOT true?
Which is NOT true about people who don't sleep?
Which isn't true of those who cannot swim?
Which is true of people who don't sleep, EXCEPT
Which of the following is WRONG according to the passage?
Which of the following isn't true about Ada?
Which of the following statements is incorrect?
Which is FALSE?
Which of the following statements about people who are over 60 is NOT true?
Which of the following about what happened when he was young isn't true?
Which of the following about things that were made there is wrong?
Which is not right according to the advertisement?
Which of these is said to be false?
Which of the statements that follow is untrue?
Which of the following could not be true?
Which statement does the passage contradict?
Which statement contradicts what the captain said?
Which of the following is inconsistent with the passage?
Which of the following is NOT mentioned in the passage?
Which statement is mostly true but contains an error?
With which of the following would the author least likely agree?
What is NOT true about the lamp?
What isn't true about the lamp?
____ is NOT true according to the passage.
Choose the wrong statement.
Find out the wrong one.
Pick the incorrect ones.
All of the following are mentioned EXCEPT
All of the following are mentioned in the passage except ____.
All the following statements are true except that ____
You can see all of these at the fair EXCEPT:
The school teaches all of these sports except(······) ______.
Mr. Lee had no money. All of these helped him EXCEPT for ____.
Each of these is given as a cause except one. It is
Each of the following is true except _ .
All of these are mentioned EXCEPT____.
____is NOT true.
Which of the following is WRONG____?
""".strip().splitlines()

NONE = """
What is wrong with the car?
What's wrong with Ben?
What was wrong?
What did he do wrong?
What should you do when something is wrong?
What can't you do if your friend has done wrong?
Ben's mother found there was something wrong with his eyes when ____.
He first noticed something was wrong with him when ____.
When you do something wrong, ____.
The writer was wrong because ____.
The boy took the wrong bus because ____.
The doctor made a wrong decision when ____.
It is wrong to ____.
According to the following passage, it is wrong to ____.
From the following, he was right to ____.
Which of the following shows that the doctor was wrong?
Which of the following explains why the clerk was wrong?
Which of the following is a sign that something is wrong?
Which of the following is what went wrong?
Which of the following is the reason why Ben was wrong?
Which of the following is wrong with the clock?
Which of the following is right for Mary?
Which of the following is right behind the library?
Which of the following is the right order?
Which of the following is the right sentence for the blank in Paragraph 5?
Which of the following, if true, would weaken the argument?
Which of the following could be a complete and accurate list?
Which doctor said the plan was wrong?
What's the right order of the events?
The correct order is
Which is the correct order of the following?
Who is right?
Who is the writer's true friend?
This is a true story about ____.
What makes a true friend?
How did his dream come true?
Was his answer correct?
Is it true that the ferry sank?
His right hand was hurt when ____.
You should turn right at ____.
What right do the children have?
The king was supported by ____.
Who supported the strike?
What do the two accounts contradict?
The underlined word 'correct' means
The underlined word "wrong" in Paragraph 2 means
The word “except” can be replaced by ____.
What did everyone except Tom like?
He had nothing except ____.
Nobody could swim except ____.
He did not buy anything except ____.
Everyone came except Tom because ____.
Which is the best title?
What is the author's attitude towards the law?
What would the writer most likely do next?
The passage is mainly about ____.
Why didn't the little stream go on?
Which of the following is the best title for the passage?
""".strip().splitlines()


@pytest.mark.parametrize("stem", SUPPORTED)
def test_stems_that_ask_for_supported_statements(stem: str):
    assert asks_for(stem) == "supported"


@pytest.mark.parametrize("stem", CONTRADICTED)
def test_stems_that_ask_for_contradicted_statements(stem: str):
    assert asks_for(stem) == "contradicted"


@pytest.mark.parametrize("stem", NONE)
def test_stems_without_verification(stem: str):
    """Though some of them say that something was wrong, right or true."""
    assert asks_for(stem) is None


_PIECES = [
    *("which ", "which of ", "which x ", "which is x ", "which about ", "which about is "),
    *("following ", "following x", "following is ", "following is a ", "following is in "),
    *("statement that ", "about is ", "the correct ", "choose the ", "what is ", "be be ", "is "),
    *("about ", "_", "_ ", "except x ", "x. ", ", he ", "a", " ", "\n"),
]


@pytest.mark.parametrize("piece", _PIECES)
def test_every_stem_is_fast(piece: str):
    """A pattern that looked to the end from every word would take minutes for these."""
    assert not is_verification(piece * 20_000)
    assert is_verification(piece * 20_000 + "\nWhich is true?")
