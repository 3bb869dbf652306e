"""What is kept of texts that come again, and that no text stretches it."""

from closeread.text.remembered import ByText, ByWord


def test_a_word_is_worked_out_once_unless_it_is_none():
    """What is as long as a passage is no word: it is not kept."""
    asked = []

    def made(word):
        asked.append(word)
        return len(word)

    lengths = ByWord(made, most=2)
    assert [lengths[word] for word in ("a", "bb", "a", "x" * 65, "x" * 65)] == [1, 2, 1, 65, 65]
    assert asked == ["a", "bb", "x" * 65, "x" * 65]
    assert [lengths["ccc"], lengths["ccc"]] == [3, 3]
    assert list(lengths) == ["ccc"]  # there were two: all were forgotten


def test_texts_are_kept_while_they_are_few_and_short():
    asked = []

    def made(text, language="en"):
        asked.append(text)
        return text.upper() + language

    known = ByText(made, most=3, characters=10)
    assert [known("abc"), known("abc", "zh"), known("abc"), known("abc", "zh")] == [
        "ABCen", "ABCzh", "ABCen", "ABCzh"
    ]  # fmt: skip
    assert asked == ["abc", "abc"]
    known("d")
    known("e")  # the fourth: the one asked for longest ago goes
    known("abc")
    assert asked == ["abc", "abc", "d", "e", "abc"]
    known("f" * 20)  # longer than all may be together: it is kept alone
    known("f" * 20)
    known("e")
    assert asked[5:] == ["f" * 20, "e"]


def test_what_raises_is_not_kept():
    known = ByText(lambda text: 1 / len(text))
    for _ in range(2):
        try:
            known("")
        except ZeroDivisionError:
            continue
        raise AssertionError
    assert known("ab") == 0.5


def test_what_is_forgotten_is_made_again():
    asked = []
    known = ByText(asked.append, characters=4)
    known("abc")
    known("abc")
    known.forget()
    known("abc")
    known("d")  # as many characters as may be kept: what was forgotten does not count
    known("abc")
    assert asked == ["abc", "abc", "d"]
