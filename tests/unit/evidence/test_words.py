"""Words as the paper's methods count them."""

import random
import sys

import pytest

from closeread.errors import InputError, MissingExtraError, UsageError
from closeread.evidence.words import Segmenter
from closeread.exam import locate
from closeread.formats import load


def segment(text, language="zh", **settings):
    return [word.text for word in Segmenter(**settings).words(text, language)]


def test_full_mode_has_nested_words_and_no_covered_characters():
    assert segment("语言大学", stop_words="none") == ["语言", "大学"]
    assert segment("中华人民共和国", stop_words="none")[0] == "中华"
    assert "中华人民共和国" in segment("中华人民共和国", stop_words="none")


def test_unknown_characters_are_single_words():
    assert segment("灣𠀀", stop_words="none") == ["灣", "𠀀"]


def test_function_words_and_punctuation_are_left_out():
    assert segment("他的语言，是好的。") == ["语言", "好"]


def test_full_width_letters_and_digits_are_half_width_ones():
    assert segment("ＧＤＰ增长２０２０", stop_words="none") == segment(
        "GDP增长2020", stop_words="none"
    )


def test_english_is_lower_cased_words():
    assert segment("The Ferry left at six.", "en") == ["ferry", "left", "six"]


def test_letters_and_their_accents_are_composed():
    (word,) = Segmenter().words("Rene\u0301", "en")
    assert word.text == "ren\u00e9"
    assert (word.span.start, word.span.end) == (0, 5)


def test_characters_need_no_dictionary():
    assert segment("好语言", method="characters") == [
        "好",
        "语",
        "好语",
        "言",
        "语言",
    ]


def test_pairs_are_of_adjacent_chinese_characters():
    found = segment("好，语x一y㐀㐁", method="characters")
    assert found == ["好", "语", "x", "一", "y", "㐀", "㐁", "㐀㐁"]


_STOPPED = (
    "a an the of to in on at by for from with as into and or but nor so if than then that this"
    " these those it its he him his she her they them their we us our you your i me my is are"
    " was were be been being am do does did done has have had having will would shall should"
    " can could may might must who whom whose which what when where why how there here"
)
_STOPPED_IN_CHINESE = (
    "的 地 得 了 着 过 之 其 此 这 那 这个 那个 这些 那些 它 它们 他 她 他们 她们 我 我们 你"
    " 你们 是 在 于 和 与 及 以及 并 并且 而 而且 或 或者 但 但是 却 则 就 也 都 还 又 再 把 被"
    " 将 让 使 对 对于 从 由 由于 向 以 因 因为 因而 所以 因此 为 为了 如 如果 若 虽 虽然 然而"
    " 即 即使 且 所 吗 呢 吧 啊 呀 哦 等 等等 之一 一个 一种 个 种 上 中 里 下 来 去 到 有"
)


def test_pure_function_words_are_left_out():
    assert segment(_STOPPED, "en") == []
    for word in _STOPPED_IN_CHINESE.split():
        assert word not in segment(word), word


@pytest.mark.parametrize("text", ["", "。。。", "🙂🙂", "   \n\n  "])
def test_content_words_are_not_stop_words(text):
    assert segment(text) == []


def test_spans_of_words_slice_to_them():
    draw = random.Random(1)
    letters = "的一是中国人民大学语言灣𠀀aB3.，。 \n🙂ＡＢ"
    cut = Segmenter(stop_words="none")
    for _ in range(300):
        text = "".join(draw.choices(letters, k=draw.randint(0, 40)))
        starts = [word.span.start for word in cut.words(text, "zh")]
        assert starts == sorted(starts)
        for word in cut.words(text, "zh"):
            piece = word.span.of(text)
            assert piece == piece.strip() != ""
        covered = {p for w in cut.words(text, "zh") for p in range(w.span.start, w.span.end)}
        assert {p for p, one in enumerate(text) if one.isalnum()} <= covered


@pytest.mark.parametrize("method", ["jieba", "characters"])
def test_words_without_spans_are_the_same(method):
    """In random texts and in real ones; a character that the dictionary does not know is kept."""
    draw = random.Random(2)
    letters = "的一是中国人民大学语言灣𠀀aB3.，。 \n🙂ＡＢ㐀、々-"
    texts = ["".join(draw.choices(letters, k=draw.randint(0, 40))) for _ in range(400)]
    texts += [passage.text for passage, _ in load(locate("exam/zh"))]
    texts += [
        "",
        "𠀀",
        "中华人民共和国中华",
        " GDP 3.5％ ",
        "T恤",
        "AA制度",
        "卡拉OK厅",
        "人民𠀀人民人民",
    ]
    for stop_words in ("own", "none"):
        cut = Segmenter(method, stop_words)
        for text in texts:
            for language in ("zh", "en"):
                words = [word.text for word in cut.words(text, language)]
                assert cut.texts(text, language) == words


def test_stop_words_come_from_a_file(tmp_path):
    path = tmp_path / "stop.txt"
    path.write_text(" 语言\t\n\n", "utf-8")
    assert segment("他语言", stop_words=str(path)) == ["他"]


def test_a_byte_order_mark_is_not_part_of_a_stop_word(tmp_path):
    path = tmp_path / "stop.txt"
    path.write_text("语言\n的\n", "utf-8-sig")
    assert segment("他语言", stop_words=str(path)) == ["他"]


def test_a_missing_stop_word_file_is_one_message(tmp_path):
    with pytest.raises(InputError, match="cannot be read as stop words"):
        Segmenter(stop_words=str(tmp_path / "none.txt"))


def test_an_unknown_method_lists_the_known_ones():
    with pytest.raises(UsageError, match="jieba, characters"):
        Segmenter("pairs")


def test_only_chinese_needs_the_dictionary(monkeypatch):
    monkeypatch.setitem(sys.modules, "rjieba", None)
    assert segment("Sheep graze", "en") == ["sheep", "graze"]
    assert segment("羊吃草", method="characters")
    with pytest.raises(MissingExtraError, match=r"closeread\[zh\]"):
        segment("羊吃草")
