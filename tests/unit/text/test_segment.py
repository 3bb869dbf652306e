"""Sentences and words as offsets, on texts written for it."""

import pytest

from closeread.text.segment import sentences, tokens, vgaokao, words
from closeread.types import Span


def _split(text: str, language: str) -> list[str]:
    return [span.of(text) for span in sentences(text, language)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("他来了。她走了。", ["他来了。", "她走了。"]),
        ("他问：“来吗？”她点头。", ["他问：“来吗？”", "她点头。"]),
        ("“来吗？”的意思很清楚。完了。", ["“来吗？”的意思很清楚。", "完了。"]),
        ("真的吗？！是的。", ["真的吗？！", "是的。"]),
        ("他想……算了。", ["他想……", "算了。"]),
        ("他想……，还是算了。", ["他想……，还是算了。"]),
        ("比例是3.14。共10.5万人！好", ["比例是3.14。", "共10.5万人！", "好"]),
        ("“一句。两句。”后来呢？", ["“一句。", "两句。”", "后来呢？"]),
        ("他（笑了。）又走了。再见。", ["他（笑了。）又走了。", "再见。"]),
        ("第一段\n　　第二段。\n\n第三段", ["第一段", "第二段。", "第三段"]),
        ("真好!他说?是", ["真好!", "他说?", "是"]),
        # A mark inside of an address is none of the sentence's.
        ("见http://a.cn/b?c=1&d=!2的说明。完", ["见http://a.cn/b?c=1&d=!2的说明。", "完"]),
        ("访问www.a.com/x?y=1就行。完", ["访问www.a.com/x?y=1就行。", "完"]),
        ("去过http://a.cn/b?去过!“A”吗？", ["去过http://a.cn/b?", "去过!", "“A”吗？"]),
        ("见http://a.cn。OK?Yes!", ["见http://a.cn。", "OK?", "Yes!"]),
        # A paper's full stops, where there is no 。 and one of them ends the text.
        ("盐度为3．5％，偏高．水温不变．", ["盐度为3．5％，偏高．", "水温不变．"]),
        ("他说“走．”她留下.完了.", ["他说“走．”", "她留下.", "完了."]),
        ("见图（略）．2月，取样．\n再取样．", ["见图（略）．", "2月，取样．", "再取样．"]),
        ("约翰．梅走了。他回来．", ["约翰．梅走了。", "他回来．"]),
        ("约翰．梅走了", ["约翰．梅走了"]),
        ("他说“走．”，她留下．", ["他说“走．”，她留下．"]),
        ("半句；另半句，未完", ["半句；另半句，未完"]),
        ("", []),
        (" \n\u3000 ", []),
        ("。。。", ["。。。"]),
    ],
)
def test_chinese_text_is_split(text: str, expected: list[str]):
    """Full-width enders, quotes behind them, ellipses and line breaks end a sentence."""
    assert _split(text, "zh") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rained. We left.", ["It rained.", "We left."]),
        ("Dr. Ng met J. R. Hale. They spoke.", ["Dr. Ng met J. R. Hale.", "They spoke."]),
        ("The U.S. Army came. It won.", ["The U.S. Army came.", "It won."]),
        ("He left the U.S. The war went on.", ["He left the U.S.", "The war went on."]),
        ("It cost $3.5 million. Wow!", ["It cost $3.5 million.", "Wow!"]),
        ('"Go!" he said. "Now."', ['"Go!" he said.', '"Now."']),
        ("He wrote (in 1990.) Then he left.", ["He wrote (in 1990.)", "Then he left."]),
        ("See No. 5 for more. No. Not that.", ["See No. 5 for more.", "No.", "Not that."]),
        ("It works, e.g. in Paris. Good.", ["It works, e.g. in Paris.", "Good."]),
        ("Wait... what? Yes.", ["Wait... what?", "Yes."]),
        ("One line\nAnother line. And more", ["One line", "Another line.", "And more"]),
        ("Born in St. Louis, Inc. and all. End.", ["Born in St. Louis, Inc. and all.", "End."]),
        ("At 5 p.m. The door opened.", ["At 5 p.m.", "The door opened."]),
        ("It ended.Then it began.A man came.", ["It ended.", "Then it began.", "A man came."]),
        (
            "See www.Example.Com or J.Smith by Mr.Hale.",
            ["See www.Example.Com or J.Smith by Mr.Hale."],
        ),
        ("They sat. Bob left on Sat. 4 May.", ["They sat.", "Bob left on Sat. 4 May."]),
        ("no end", ["no end"]),
    ],
)
def test_english_text_is_split(text: str, expected: list[str]):
    """Abbreviations, initials, decimals and ordinals do not end a sentence."""
    assert _split(text, "en") == expected


@pytest.mark.parametrize("quote", "”’」』\"'")
def test_a_closing_quote_belongs_to_its_sentence(quote: str):
    """Across a wide blank, too; and the sentence goes on where a particle or a mark follows."""
    assert _split(f"来吗？{quote}她点头。", "zh") == [f"来吗？{quote}", "她点头。"]
    assert _split(f"来吗。\u3000{quote}她点头。", "zh") == [f"来吗。\u3000{quote}", "她点头。"]
    for follower in "，、；：,;:…—的地得":
        assert _split(f"来吗？{quote}{follower}她", "zh") == [f"来吗？{quote}{follower}她"]
    for mark in "。！？!?":
        assert _split(f"来吗？{quote}{mark}她", "zh") == [f"来吗？{quote}{mark}", "她"]


@pytest.mark.parametrize("bracket", "）)】〕]》〉")
def test_an_end_mark_before_a_closing_bracket_ends_nothing(bracket: str):
    """Quotes before and behind the bracket change nothing."""
    for closers in (bracket, f"’{bracket}", *(bracket + quote for quote in "”’」』\"'")):
        assert _split(f"他笑了。{closers}又走了。", "zh") == [f"他笑了。{closers}又走了。"]


def test_only_inner_punctuation_continues_a_sentence():
    """A particle begins the next sentence; one wide mark in a run of enders is enough."""
    assert _split("他走了。的确如此。", "zh") == ["他走了。", "的确如此。"]
    for mark in "，、；：,;":
        assert _split(f"真的？{mark}是。", "zh") == [f"真的？{mark}是。"]
    assert _split("来｡走.。好...?是!好…好", "zh") == ["来｡", "走.。", "好...?", "是!", "好…好"]
    assert _split("来｡走.。Who?is…it", "en") == ["来｡", "走.。", "Who?is…it"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It weighs 5 kg. (about 11 lb.) when dry. Good.",
         ["It weighs 5 kg. (about 11 lb.) when dry.", "Good."]),
        ("He won. 2nd place went to Ada.", ["He won.", "2nd place went to Ada."]),
        ("Who won? I", ["Who won?", "I"]),
        ('It ended. "', ['It ended. "']),
        ("It was plan B! Good.", ["It was plan B!", "Good."]),
        ("Some (not all). Then none.", ["Some (not all).", "Then none."]),
        ("It costs U.S. $5 in Paris.", ["It costs U.S. $5 in Paris."]),
        ("The Ph.D. Ada holds is new.", ["The Ph.D. Ada holds is new."]),
        # One capital alone is an initial.
        ("By J. A. Hale and J. I. Ng. Good.", ["By J. A. Hale and J. I. Ng.", "Good."]),
        ("Nobody but I. The rest slept.", ["Nobody but I.", "The rest slept."]),
        # Behind it a word ends the sentence that begins one and no name.
        ("It holds vitamin C. The vitamin is lost at 60 °C. It melts.",
         ["It holds vitamin C.", "The vitamin is lost at 60 °C.", "It melts."]),
        ("Under Ptolemy V. However, A. A. Hale of Hall B. Oak Street says no.",
         ["Under Ptolemy V.", "However, A. A. Hale of Hall B. Oak Street says no."]),
        ("Add x to y. The sum is z.", ["Add x to y.", "The sum is z."]),
        ("She left AT&T. Ada joined the UN. Good.",
         ["She left AT&T.", "Ada joined the UN.", "Good."]),
        # These are words of their own where no number follows.
        ("See Fig. 3, Vol. 2 and Nos. 4 to 6.", ["See Fig. 3, Vol. 2 and Nos. 4 to 6."]),
        ("Five ayes, two nos. He ate a fig. It had vol. Good.",
         ["Five ayes, two nos.", "He ate a fig.", "It had vol.", "Good."]),
    ],
)  # fmt: skip
def test_the_context_of_a_full_stop_decides(text: str, expected: list[str]):
    """A small letter behind it, an abbreviation before it; other enders need neither."""
    assert _split(text, "en") == expected


@pytest.mark.parametrize(
    "text",
    [
        "Messrs. Ng and Hale met Mr. Lee, Mrs. Ray, Ms. Fox, Dr. Po, Prof. Day and Rev. Orr.",
        "Gen. Poe, Col. Ash, Maj. Elm, Capt. Oak, Lt. Yew, Sgt. Bay, Cpl. Rye and Pvt. Fir came.",
        "Cmdr. Ivy, Adm. Box, Sen. Asp, Rep. Fig, Gov. Tan, Pres. Kay and Hon. Jay came.",
        "A. Ng Jr. Hale and B. Ng Sr. Lee went from Ft. Worth to Mt. Rainier and St. Louis.",
        "See Eq. 3, Figs. 2, pp. 4, Vols. 5, Ed. Ng, Eds. Ng, Dept. One, Univ. Two, Assn. Six.",
        "Ada vs. Bob, viz. Bob, cf. Hale et al. Two, approx. 5, are listed.",
        "Jan. 1, Feb. 2, Mar. 3, Apr. 4, Jun. 5, Jul. 6, Aug. 7, Sep. 8, Sept. 9, Oct. 10 and 11.",
        "Nov. 1, Dec. 2, Mon. 3, Tue. 4, Tues. 5, Wed. 6, Thu. 7, Thur. 8, Thurs. 9 and Fri. 10.",
        "Sat. 1, Sun. 2, Max. 3, Min. 4, Est. 5 Oz. 6 Lb. 7 Lbs. 8 Hr. 9 Hrs. 10 Sq. 11 Etc. Ng.",
        "Acme Inc. Ng Co. Hale Corp. Lee Bros. Ray Ltd. Fox LLC. Day PLC. Orr sold all.",
        "5 Hale Ave. Northwest, 6 Lee Blvd. East and 7 Ray Rd. West burned.",
    ],
)
def test_abbreviations_do_not_end_sentences(text: str):
    assert _split(text, "en") == [text]


_STARTERS = (
    "A An The This That These Those He She It They We You I His Her Its Their Our My In On At By "
    "For From With After Before During When While Where Who What Why How If As But And Or So "
    "However Although Though Since Because There Here Then Thus Some Many Most One Two Each All "
    "No Not Another Both Once"
)


@pytest.mark.parametrize("starter", _STARTERS.split())
def test_starters_begin_a_sentence_after_abbreviations(starter: str):
    assert _split(f"He left the U.S. {starter} it was.", "en") == [
        "He left the U.S.",
        f"{starter} it was.",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It ended.Common people came.", ["It ended.", "Common people came."]),
        ("It ended.I’m off.I'm gone.", ["It ended.", "I’m off.", "I'm gone."]),
        ("So “go”.Then 'stay'.Then \"run\".Then (well).Then end.",
         ["So “go”.", "Then 'stay'.", 'Then "run".', "Then (well).", "Then end."]),
        ("It is well-known.Nobody didn’t.Nobody didn't.Good one.",
         ["It is well-known.", "Nobody didn’t.", "Nobody didn't.", "Good one."]),
        ("Part 2 ended.Then came part 3.Then part 4.",
         ["Part 2 ended.", "Then came part 3.Then part 4."]),
        ("See Example.Com, Example.Org, Example.Net and Example.Edu now.",
         ["See Example.Com, Example.Org, Example.Net and Example.Edu now."]),
        ("Open example.com by Ada, mail ada@mail.Example there.",
         ["Open example.com by Ada, mail ada@mail.Example there."]),
        ("@ada.Lee is here.", ["@ada.Lee is here."]),
        (".Then he left.", [".Then he left."]),
        ("See part.B\nNext.", ["See part.B", "Next."]),
    ],
)  # fmt: skip
def test_sentences_may_lack_a_space_between(text: str, expected: list[str]):
    """Between a plain word and a capital with a small letter; not in addresses, names, numbers."""
    assert _split(text, "en") == expected


def test_mrqa_marks_separate_sentences():
    """Titles and paragraphs without a full stop, as MRQA's HotpotQA, SearchQA and TriviaQA are."""
    text = "[DOC] [TLE] Ann Lee [PAR] Ann ran. She won [PAR] [TLE] Orle [SEP] Orle is a town [1]."
    found = [one.of(text) for one in sentences(text)]
    assert found == ["Ann Lee", "Ann ran.", "She won", "Orle", "Orle is a town [1]."]
    assert sentences("[PAR] [TLE]") == ()


def test_vgaokaos_rule_keeps_its_oddities():
    """Of two enders only the first counts, and leading space stays in the sentence."""
    text = "一……。二！？三。  四\n\n五"
    assert [span.of(text) for span in vgaokao(text)] == [
        "一……",
        "。",
        "二！",
        "？三。",
        "  四",
        "五",
    ]
    assert vgaokao("") == ()
    assert vgaokao("\n \n") == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("“好......”走了。完", ["“好......”走了。", "完"]),
        ("‘好......’走了", ["‘好......’走了"]),
        ("好......走了", ["好......", "走了"]),
        ("“好。”走了", ["“好。”", "走了"]),
        ("“好。”，走了", ["“好。”，走了"]),
        ("“好。”！走了", ["“好。”！", "走了"]),
        ("‘好？’？走了", ["‘好？’？", "走了"]),
        ("“好！”?走了", ["“好！”?", "走了"]),
        ("“好?”。走了", ["“好?”。", "走了"]),
    ],
)
def test_vgaokaos_rule_includes_closing_marks(text: str, expected: list[str]):
    """A quote that closes stays, and so does the mark behind it, which then ends the sentence."""
    assert [span.of(text) for span in vgaokao(text)] == expected


def test_tokens_are_words_numbers_and_chinese_characters():
    """English words and numbers are whole, Chinese characters single, punctuation is left out."""
    text = "Don't pay $1,250.5 in the U.S. for 北京’s 3 well-known 书。"
    assert [span.of(text) for span in tokens(text)] == [
        *("Don't", "pay", "1,250.5", "in", "the", "U.S", "for", "北", "京", "s", "3"),
        *("well-known", "书"),
    ]
    assert tokens("，。 …") == ()
    assert tokens("a b") == (Span(0, 1), Span(2, 3))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("In 1872, 12.5.3 of 1,000", ["In", "1872", "12.5.3", "of", "1,000"]),
        ("AT&T’s don’t rock'n'roll", ["AT&T’s", "don’t", "rock'n'roll"]),
        ("R2D2 a_b x-1 b-c_d", ["R", "2", "D", "2", "a", "b", "x", "1", "b-c", "d"]),
        ("b-c3 Café-Öl", ["b-c", "3", "Café-Öl"]),
        ("㐀䶿一鿿豈龎", ["㐀", "䶿", "一", "鿿", "豈", "龎"]),
        ("\ufaff\U00020000\U0003ffff", ["\ufaff", "\U00020000", "\U0003ffff"]),
        ("Ab㐀 Ab鿿 Ab豈 Ab\U00020000", ["Ab", "㐀", "Ab", "鿿", "Ab", "豈", "Ab", "\U00020000"]),
        ("A-㐀b A-鿿b A-豈b", ["A", "㐀", "b", "A", "鿿", "b", "A", "豈", "b"]),
        ("A-\U00020000b A-b\U00020000", ["A", "\U00020000", "b", "A-b", "\U00020000"]),
        ("A-bひら カナ", ["A-b", "ひ", "ら", "カナ"]),
    ],
)
def test_every_chinese_character_is_a_token(text: str, expected):
    """The rare ones beyond the basic plane, too; so is every hiragana, and katakana stay whole."""
    assert [span.of(text) for span in tokens(text)] == words(text) == expected


def test_natural_questions_blocks_separate_sentences():
    """As the MRQA shared task has them; what only looks so is text."""
    text = (
        '<Table> <Tr> <Th_colspan="2"> Boats </Th> </Tr> <Tr> <Td> Ada </Td> <Td> 1931 </Td> </Tr>'
        " </Table> <P> It sank. Nobody drowned </P> <Ul> <Li> one </Li> <Li> a < b </Li> </Ul>"
    )
    found = [span.of(text) for span in sentences(text)]
    assert found == ["Boats", "Ada", "1931", "It sank.", "Nobody drowned", "one", "a < b"]
    for kept in ("He wrote <p> and <Pre> by hand.", "A <Td of no end."):
        assert [span.of(kept) for span in sentences(kept)] == [kept]
