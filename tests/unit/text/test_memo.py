"""What is kept of texts that come again, and that no text stretches it."""

from closeread.text.memo import TextCache, WordCache


def test_a_word_is_computed_once():
    """What is as long as a passage is no word: it is not kept."""
    asked = []

    def made(word):
        asked.append(word)
        return len(word)

    lengths = WordCache(made, max_words=2)
    assert [lengths[word] for word in ("a", "bb", "a", "x" * 65, "x" * 65)] == [1, 2, 1, 65, 65]
    assert asked == ["a", "bb", "x" * 65, "x" * 65]
    assert [lengths["ccc"], lengths["ccc"]] == [3, 3]
    assert list(lengths) == ["ccc"]  # there were two: all were forgotten


def test_few_short_texts_are_cached():
    asked = []

    def made(text, language="en"):
        asked.append(text)
        return text.upper() + language

    known = TextCache(made, max_results=3, max_characters=10)
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


def test_the_least_recent_text_is_evicted():
    """And leaves its room to others: two of four characters fit into ten, three do not."""
    asked = []
    for settings in ({"max_results": 2}, {"max_characters": 10}):
        known = TextCache(asked.append, **settings)
        for text in ("aaaa", "bbbb", "aaaa", "cccc", "aaaa", "cccc", "bbbb", "dddd", "bbbb"):
            known(text)
        assert asked == ["aaaa", "bbbb", "cccc", "bbbb", "dddd"]
        asked.clear()


def test_the_last_text_is_always_cached():
    asked = []
    for settings in ({"max_results": 0}, {"max_results": 1}, {"max_characters": 5}):
        known = TextCache(asked.append, **settings)
        for text in ("aaa", "aaa", "bbb", "aaa"):
            known(text)
        assert asked == ["aaa", "bbb", "aaa"]
        asked.clear()


def test_a_word_of_64_characters_is_cached():
    known = WordCache(len)
    assert (known["x" * 64], known["y" * 65]) == (64, 65)
    assert list(known) == ["x" * 64]


def test_exceptions_are_not_cached():
    known = TextCache(lambda text: 1 / len(text))
    for _ in range(2):
        try:
            known("")
        except ZeroDivisionError:
            continue
        raise AssertionError
    assert known("ab") == 0.5


def test_evicted_results_are_computed_again():
    asked = []
    known = TextCache(asked.append, max_characters=4)
    known("abc")
    known("abc")
    known.clear()
    known("abc")
    known("d")  # as many characters as may be kept: what was forgotten does not count
    known("abc")
    assert asked == ["abc", "abc", "d"]
