"""What stands in a set that will be read is not learned from."""

import tracemalloc

from closeread.formats import load
from closeread.training.overlap import Overlap, clusters, run_hashes
from closeread.types import Option, Passage, Question

LONG = "灯塔建于1850年，当时海湾里的渔船每晚都靠它的光回港。后来港口迁走，灯塔便停用了。"


def make_item(text, *options):
    return (
        Passage(passage_id="p", text=text, language="zh"),
        Question(
            question_id="q",
            passage_id="p",
            text="",
            kind="choice",
            options=tuple(Option(label="A", text=option) for option in options),
        ),
    )


def as_dataset_item(passage, question):
    """As a data set yields it."""
    return passage, (question,)


def test_a_shared_passage_or_option_overlaps():
    """Marks, spaces and width do not hide it; another passage with other options is free."""
    known = Overlap([as_dataset_item(*make_item(LONG, "灯塔后来停用了，渔船也走了。", "是"))])
    assert known.overlaps(*make_item(LONG.replace("，", ", ").replace("1850", "１８５０")))
    assert known.overlaps(*make_item("别的文章。" + LONG[:40], "没有"))
    assert known.overlaps(*make_item("完全是另一篇。", "灯塔后来停用了渔船也走了"))
    assert not known.overlaps(
        *make_item("完全是另一篇，讲沙丘上的甲虫怎样收集雾水。", "甲虫收集雾水很慢。", "是")
    )
    assert not Overlap([]).overlaps(*make_item(LONG, "灯塔后来停用了，渔船也走了。"))


def test_traditional_characters_do_not_hide_overlap():
    """Neither in the passage nor in an option."""
    option = "灯塔后来停用了，渔船也走了。"
    known = Overlap([as_dataset_item(*make_item(LONG, option))])
    assert known.overlaps(*make_item("燈塔建於1850年，當時海灣裡的漁船每晚都靠它的光回港。"))
    assert known.overlaps(*make_item("另一篇。", "燈塔後來停用了漁船也走了"))


def test_passages_without_questions_count_for_overlap():
    """Whoever will read it may yet ask."""
    passage, _ = make_item(LONG)
    assert Overlap([(passage, ())]).overlaps(*make_item("别的文章。" + LONG[:40], "没有"))


ENGLISH = (
    "The lighthouse of Marl was built in 1850, when the boats of the bay came home by its light"
    " every evening of the year."
)


def test_english_texts_overlap_by_longer_runs():
    """A sentence in common is one passage in another; the commonest phrases are in all of them."""
    known = Overlap(
        [
            as_dataset_item(
                *make_item(ENGLISH, "because of the", "the harbour was moved away from the old bay")
            )
        ]
    )
    assert known.overlaps(*make_item("Nobody knew. " + ENGLISH[:70]))
    assert known.overlaps(*make_item("Other.", "The harbour was moved; away from the OLD bay!"))
    common = "Nobody knows when the boats of the bay were sold, for the year of the sale is lost."
    assert not known.overlaps(*make_item(common))
    assert not known.overlaps(*make_item("Other.", "because of the"))
    first, other, third = clusters(
        [make_item(ENGLISH), make_item(common), make_item("So: " + ENGLISH)]
    )
    assert first == third != other


def test_a_short_passage_overlaps_as_a_whole():
    """A set is kept out by its own name, whatever the length of its passages."""
    short = "The ferry left at six with a piano."
    known = Overlap([as_dataset_item(*make_item(short)), as_dataset_item(*make_item("船六点开。"))])
    assert known.overlaps(*make_item("the ferry left at six, with a piano"))
    assert known.overlaps(*make_item("船，六点开！"))
    assert not known.overlaps(*make_item("The ferry left at five with a piano."))
    assert not known.overlaps(*make_item("。"))
    assert not Overlap([as_dataset_item(*make_item("……"))]).overlaps(*make_item("！"))


def test_digits_do_not_make_a_chinese_text_english():
    """Runs and options are as short as in a text without them."""
    option = "CO2浓度从280ppm上升到400ppm"
    assert Overlap([as_dataset_item(*make_item("甲", option))]).overlaps(*make_item("乙", option))
    assert Overlap([as_dataset_item(*make_item("甲", "1949年10月1日"))]).overlaps(
        *make_item("乙", "1949年10月1日")
    )
    dated = "1949年10月1日起，CO2的浓度为310ppm，到了2024年7月为425ppm。"
    assert Overlap([as_dataset_item(*make_item("前面。" + dated))]).overlaps(*make_item(dated[:25]))


def test_overlapping_questions_are_clustered():
    """By the passage, a part of it, or an option; through a third one too. Others stay apart."""
    free = "沙丘上的甲虫怎样收集雾水，是另一篇文章的事，和这里没有关系。"
    found = clusters(
        [
            make_item(LONG, "是"),
            make_item(free, "不是"),
            make_item(LONG.replace("，", ", "), "灯塔后来停用了，渔船也走了。"),
            make_item("这里只有一句话。", "灯塔后来停用了渔船也走了"),
            make_item("别的文章。" + LONG[:30], "没有"),
            make_item("又是一篇。", "是"),
        ]
    )
    assert found == [0, 1, 0, 0, 0, 2]
    assert clusters([]) == []


# Characters that all differ, so that texts share just the runs that they are cut from together.
CHINESE = "".join(map(chr, range(0x4E00, 0x4E00 + 400)))


def test_lengths_of_runs_and_long_options():
    """12 and 8 characters of Chinese, 48 and 32 of an alphabet, as the documentation says."""
    assert [len(run_hashes(CHINESE[:many])) for many in (11, 12, 40)] == [0, 1, 29]
    spelt = "the quick brown fox jumps over a lazy dog while five boxing wizards".replace(" ", "")
    assert [len(run_hashes(spelt[:many])) for many in (47, 48, 50)] == [0, 1, 3]
    for text, least in ((CHINESE, 8), (spelt, 32)):
        for many, overlaps in ((least, True), (least - 1, False)):
            known = Overlap([as_dataset_item(*make_item("甲", text[:many]))])
            assert known.overlaps(*make_item("乙", text[:many])) == overlaps


def test_a_fifth_of_east_asian_characters_makes_a_text_chinese():
    """Eight figures to two of them are still so; nine to two are spelt, and need a longer run."""
    assert len(run_hashes("12345678年月" * 2)) == 9
    assert len(run_hashes("123456789年月" * 2)) == 0


def test_more_than_a_tenth_of_the_runs_is_an_overlap():
    """Of 101 runs ten may be known, not eleven; in passages, options and clusters alike."""
    text, other = CHINESE[:112], CHINESE[150:350]
    for shared, overlaps in ((21, False), (22, True)):
        longer = other + text[:shared]
        assert Overlap([as_dataset_item(*make_item(longer))]).overlaps(*make_item(text)) == overlaps
        assert (
            Overlap([as_dataset_item(*make_item("甲", longer))]).overlaps(*make_item("乙", text))
            == overlaps
        )
        assert not Overlap([as_dataset_item(*make_item(text))]).overlaps(
            *make_item(longer)
        )  # of its own, a twentieth
        for two in ((text, longer), (longer, text)):
            assert clusters([make_item(one) for one in two]) == ([0, 0] if overlaps else [0, 1])


def test_a_text_that_overlaps_two_others_joins_them():
    one, two = CHINESE[:112], CHINESE[150:262]
    both = CHINESE[300:400] + one[:30] + two[:30]
    assert clusters([make_item(text) for text in (one, two, both)]) == [0, 0, 0]
    assert clusters([make_item(text) for text in (one, two, CHINESE[300:400])]) == [0, 1, 2]


def test_questions_of_gcrc_2020_in_vgaokao_are_excluded(corpus):
    """1,576 questions: 313 overlap the test set of VGaokao, every shared option set among them."""
    data = corpus / "data"
    tested = list(load(str(data / "vgaokao" / "test.json")))
    known = Overlap(tested)
    sets = {
        frozenset(option.text for option in question.options)
        for _, asked in tested
        for question in asked
    }
    texts = {passage.text for passage, _ in tested}
    held = n_read = 0
    for part in ("dev", "test"):
        for passage, asked in load(str(data / "gcrc_2020" / f"{part}.json")):
            for question in asked:
                n_read += 1
                overlaps = known.overlaps(passage, question)
                held += overlaps
                if not overlaps:
                    assert frozenset(option.text for option in question.options) not in sets
                    assert passage.text not in texts
    assert (n_read, held) == (1576, 313)


def test_the_overlap_index_takes_eight_bytes_per_run():
    """A set of numbers took 70: 280 KB a passage of 700 words."""
    held = [
        (Passage(passage_id="p", text=" ".join(f"{place}w{one}" for one in range(700))), ())
        for place in range(20)
    ]
    many = sum(len(run_hashes(passage.text)) for passage, _ in held)
    run_hashes.cache_clear()
    tracemalloc.start()
    known = Overlap(held)
    run_hashes.cache_clear()
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert known.overlaps(
        held[7][0], Question(question_id="q", passage_id="p", text="", kind="span")
    )
    assert 8 * many < kept < 12 * many
