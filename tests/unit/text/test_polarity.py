"""What stems ask for, in both languages."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from closeread.text.polarity import (
    SPELLED,
    asks_for,
    infer_asks_for,
    is_verification,
    polarity,
    replace_denied_faults,
    rules,
    vgaokao_polarity,
)
from closeread.text.quotations import QUOTATION_MARKS


@pytest.mark.parametrize(
    ("stem", "expected"),
    [
        ("下列说法符合原文意思的一项是", "supported"),
        ("下列说法不符合原文意思的一项是", "contradicted"),
        ("根据原文内容，下列推断有误的一项是", "contradicted"),
        ("下列表述无误的一项是", "supported"),
        ("下列对“多不一定好”的理解，正确的一项是", "supported"),
        ("下列关于不同时期的说法，正确的一项是", "supported"),
        ("下列没有体现作者观点的一项说法是", None),
        ("下列理解与文意无关的一项是", "contradicted"),
        ("沈从文没拿教材，是因为他觉得", None),
        ("文章的标题最恰当的一项是", None),
        ("Which of the following is TRUE according to the passage?", "supported"),
        ("Which of the following is NOT true according to the text?", "contradicted"),
        ("Which of the following cannot be inferred from the passage?", "contradicted"),
        ("All of the following statements are correct EXCEPT", "contradicted"),
        ("Which statement does the passage contradict?", "contradicted"),
        ("Which of the following can be inferred from the passage?", "supported"),
        ("表述正确的一项", "supported"),
        ("下列哪项不正确？", "contradicted"),
        ("下列不正确的是", "contradicted"),
        ("以下哪项错误", "contradicted"),
        ("哪一个不对？", "contradicted"),
        ("哪个是错误的", "contradicted"),
        ("关于狮子，以下哪种说法是错的?", "contradicted"),
        ("请从下列各项中选出错误的一项", "contradicted"),
        ("关于小明，下列哪项是不对的？", "contradicted"),
        ("以下哪个选项是对的？", "supported"),
        ("根据上文，下列哪项正确？", "supported"),
        ("关于《本草纲目》，下列正确的是：", "supported"),
        ("下列有误的是哪一项？", "contradicted"),
        ("下列没有错误的一项是", "supported"),
        ("下列哪项没有什么错误？", "supported"),
        ("下列哪项没有什么不对？", "supported"),
        ("下列对文意的理解，不对的一项是", "contradicted"),
        ("下列说法中，不对的是哪一项，请选出来", "contradicted"),
        ("下列哪一项不对外开放", None),
        ("下列說法不正確的一項是", "contradicted"),
        ("選出錯誤的一項", "contradicted"),
        ("哪一項是錯誤的？", "contradicted"),
        ("下列選項，最符合原文的一項是", "supported"),
        ("根據原文內容，下列推斷有誤的一項是", "contradicted"),
        ("下列敘述何者正確？", "supported"),
        ("下列敍述，與本文無關的是", "contradicted"),
        ("下列何者為非？", "contradicted"),
        ("下列關於「說法不正確」的說明，沒有錯誤的是", "supported"),
        ("文章的標題最恰當的一項是", None),
        ("關於畫線處的斷句，下列正確的一項是", None),
        ("他做得对吗", None),
        ("不对", None),
        ("他为什么不高兴？", None),
        ("哪项不是原因？", None),
        ("下列对文中画波浪线部分的断句，正确的一项是（   ）", None),  # no statement is judged
        ("关于文中画线处的断句，下列正确的一项是", None),
        ("关于文中加点的词语，下列哪项正确？", None),
        ("小明出门了，下列哪项正确？", None),  # the first clause says what nobody asked
        ("下列说法\n正确的一项", None),  # one line asks
        ("标题\n说法正确的一项", "supported"),
        ("标题的说法正确的标题", None),
        ("Which is TRUE of Ada?", "supported"),
        ("In the text WHICH ONE is STATED?", "supported"),
        ("According to the passage, which one did Ada build?", None),
        ("Which one was built,\naccording to the passage?", None),
        ("Why didn't Tom go to school?", None),
        ("What is the best title?", None),
    ],
)
def test_stems_have_the_expected_polarity(stem: str, expected: str | None):
    """A verification stem has a polarity; another kind of stem has none."""
    assert asks_for(stem) == expected
    assert is_verification(stem) == (expected is not None)


_JUDGED = (
    "不正确 不准确 不恰当 不妥当 不适当 不得当 不合理 不符合 不相符 不吻合 不一致 不契合 不属于"
    " 不属实 没有关 不相关 不体现 不成立 不能看出 不能够看出 不合乎 不切合 不贴切 不支持 不印证"
    " 不证明 有误 错的 失当 不当 无关 矛盾 相悖 违背"
    " 不对 不妥 何者为非 何者是非"
)


@pytest.mark.parametrize("judged", _JUDGED.split())
def test_the_clause_with_the_verdict_decides(judged: str):
    assert polarity(f"{judged}的是哪一项，请选出来。") == "contradicted"
    assert polarity(f"他{judged}吗？说法正确的是哪一项；请选出来") == "supported"


def test_traditional_characters_equal_simplified_ones():
    """Every word that the rules name, in every spelling; what the page is told names no other."""
    spellings: dict[str, list[str]] = {}
    for traditional, simplified in SPELLED.items():
        spellings.setdefault(simplified, []).append(traditional)
    named = "".join(rule for name, rule in rules().items() if name.startswith("zh"))
    assert set(spellings) <= set(named)
    for word in (*_JUDGED.split(), *_STATEMENT.split(), *_VERDICT.split(), *_SAYS_NO.split()):
        stem = f"下列说法{word}的是"
        for number in range(3):
            way = "".join((spellings.get(one, [one]) * 3)[number] for one in stem)
            assert asks_for(way) == asks_for(stem), way


def test_every_clause_mark_separates_clauses():
    for mark in "，,；;。！？!?：:":
        assert polarity(f"他不走{mark}正确的是{mark}") == "supported", mark
    assert polarity("他没来，为什么") == "supported"  # none judges: the last one counts


_SAYS_NO = "不 没 没有 未 无关 无法 错误 有误 错的 失当 矛盾 相悖 违背 相反 失实 除一项外 除此之外"
_SAYS_NOTHING = (
    "不同 不列颠 不仅 不断 不久 不少 不得不 不可不 没错 没有错 没错误 没有错误 没有误 没错的"
    " 没有错的 无错误 无误 从未 未来 除法之一 外 没有什么错误 没有什么不对 没什么不妥 没有任何有误"
    " 没有一处不当 没有矛盾 不矛盾 没有违背 不相悖 不错 不是错误 不存在失实 没说错 不能不 不无"
)


def test_negations_and_words_that_resemble_them():
    assert {polarity(f"说法{word}是") for word in [*_SAYS_NO.split(), "有错误"]} == {"contradicted"}
    for word in _SAYS_NOTHING.split():
        assert polarity(f"说法{word}是") == "supported", word
    for words in (
        "没有错过",
        "没有错觉",
        "没有误会",
        "不是误解",
        "没有什么体现",
        "没有错误也不符合",
    ):
        assert polarity(f"说法{words}是") == "contradicted", words
    assert polarity("除了甲乙丙丁戊己庚辛壬癸子外") == "contradicted"  # twelve between
    assert polarity("除了甲乙丙丁戊己庚辛壬癸子丑外") == polarity("除甲，乙外") == "supported"


def test_statements_with_flaws_are_contradicted():
    """基本正确，但…: what stands behind decides; no slip is none, and a stem may be about one."""
    for slip in ("有误", "有错误", "存在疏漏", "有细微偏差", "有瑕疵", "有失偏颇", "与原文有出入"):
        for stem in ("下列说法基本正确，但{}的一项是", "下列说法大致正确但{}的一项是"):
            assert asks_for(stem.format(slip)) == "contradicted", slip
    assert asks_for("下列说法并非正确的是") == "contradicted"
    assert asks_for("Which statement is mostly true but contains an error?") == "contradicted"
    for stem in (
        "下列说法正确，没有瑕疵的一项是",
        "下列说法正确，不存在任何偏差的一项是",
        "下列对存在偏差的原因的分析，正确的一项是",
        "下列对有瑕疵的玉石的说法正确的一项是",
        "Which correct statement does not contain an error?",
    ):
        assert asks_for(stem) == "supported", stem


def test_distorting_is_contradicted_and_following_supported():
    for bent in (
        "曲解文意",
        "歪曲原文意思",
        "背离作者本意",
        "偏离原意",
        "有悖原文",
        "欠妥",
        "欠妥当",
    ):
        assert asks_for(f"下列对原文的理解，{bent}的一项是") == "contradicted", bent
    for bent in ("曲解文意", "歪曲原文意思", "背离作者本意", "偏离原意"):
        assert asks_for(f"下列说法没有{bent}的一项是") == "supported", bent
    for wrong in ("有偏差", "有失偏颇", "与材料二有出入", "站不住脚", "把握不准", "欠准确"):
        assert asks_for(f"下列对文意的概括{wrong}的一项是") == "contradicted", wrong
    for drawn in ("从文中得出", "由此推出", "从上述材料中推断出", "推知"):
        assert asks_for(f"下列说法可以{drawn}的是") == "supported", drawn
        for cannot in ("不能", "不可以", "无法"):
            assert asks_for(f"下列结论{cannot}{drawn}的一项是") == "contradicted"
    assert asks_for("下列说法站得住脚的是") == "supported"
    for about in ("下列对曲解经典现象的分析正确的一项是", "下列对歪曲史实的理解，准确的是"):
        assert asks_for(about) == "supported"
    assert asks_for("根据材料，公司推出新产品的原因是") is None


def test_counting_questions_are_not_verification():
    for stem in (
        "下列说法正确的有几项",
        "下列关于“碳中和”的说法，错误的有几处",
        "以下说法中，正确的个数是",
        "下列說法正確的有幾個？",
        "以下理解有误的有多少项",
    ):
        assert asks_for(stem) is None, stem
    assert asks_for("下列几项说法中不正确的是哪一项") == "contradicted"
    assert asks_for("以下几句话不正确的是") == "contradicted"


def test_inference_stems_are_recognised():
    for stem in (
        "What can we infer from the passage?",
        "It can be inferred from the passage that ____.",
        "What can be learned about Ada from the text?",
        "Which of the following would the author agree with?",
    ):
        assert asks_for(stem) == "supported", stem
    for stem in (
        "What can NOT be inferred from the passage?",
        "What can't be concluded from the text?",
        "It cannot be learnt from the passage that ____.",
        "Which of the following would the author disagree with?",
        "Which of the following may the author disagree?",
    ):
        assert asks_for(stem) == "contradicted", stem
    for stem in ("What can we do about it?", "What can be seen in the museum?"):
        assert asks_for(stem) is None, stem
    assert asks_for("Which is true of people who disagree with Ada?") == "supported"


def test_denied_faults_are_supported():
    """What denies something else does not."""
    assert replace_denied_faults("甲没有什么错误，乙不矛盾，丙无误。") == "甲正确，乙正确，丙正确。"
    for text in ("甲没有错过，乙不得不", "丙没有误会", "丁有误，不正确", "戊不符合"):
        assert replace_denied_faults(text) == text


_EN_SAYS_NO = (
    "not cannot isn't isn’t except false untrue incorrect incorrectly wrong wrongly least"
    " contradict contradicts inconsistent unsupported"
)


def test_negations_in_the_topic_are_ignored():
    """Not what judges; but a verdict, or what is asked for, is no topic."""
    for about in ("关于不平等条约的说法", "对不对称加密的理解", "有關未成年人的敘述"):
        assert polarity(f"下列{about}正确的一项是") == "supported"
        assert polarity(f"下列{about}不正确的一项是") == "contradicted"
    for stem in ("下列关于文章不正确的说法是", "下列关于丝绸之路没有提到的内容是"):
        assert polarity(stem) == "contradicted"


def test_english_negations_and_words_that_resemble_them():
    for word in _EN_SAYS_NO.split():
        assert polarity(f"which is {word.upper()} so") == "contradicted", word
    assert polarity("none of the four") == "contradicted"
    other = "knot notable exceptional falsehood untruest incorrectness wrongful leastwise n'th"
    other += " inconsistently unsupportedly none no of the"
    assert polarity(other) == "supported"


def test_english_denied_faults_are_supported():
    """A second word that says no says no."""
    for stem in (
        "Which of these statements is NOT incorrect?",
        "Which is not false?",
        "Which isn't wrong? Which isn’t  untrue?",
        "Which statement does not contradict the passage?",
        "Which cannot be wrong?",
    ):
        assert polarity(stem) == "supported", stem
    for stem in (
        "Which is not true?",
        "None of the statements is false but which is not stated?",
        "All are not incorrect EXCEPT",
        "Which is not only wrong but inaccurate?",
        "Is it false, or not?",
        "Which statement is inaccurate?",
    ):
        assert polarity(stem) == "contradicted", stem


_STATEMENT = (
    "说法 表述 表达 理解 分析 概括 推断 推论 推测 判断 解说 解释 解读 叙述 陈述 阐述 阐释 论述"
    " 描述 介绍 评价 评析 赏析 鉴赏 看法 观点 结论 归纳 总结 认识 说明 内容 意思 文意 文义 原文"
    " 文章 本文 材料 信息 选项"
)
_VERDICT = (
    "正确 准确 恰当 妥当 适当 得当 合理 符合 相符 吻合 一致 合乎 切合 属于 成立 有误 无误 错误"
    " 不符 不合 不当 不对 不妥 失当 无关 矛盾 相悖 违背 何者为非"
)


def test_verification_needs_a_statement_and_a_verdict():
    for word in _STATEMENT.split():
        assert is_verification(f"{word}正确的是"), word
    for word in _VERDICT.split():
        assert is_verification(f"说法{word}的是"), word
    for word in ("标题", "题目", "词语", "成语", "读音", "字音", "字形"):
        assert not is_verification(f"说法正确的{word}是"), word
    assert not is_verification("说法怎么样")
    assert not is_verification("正确的是")


_EN_VERDICT = (
    "true false untrue correct incorrect right wrong supported unsupported consistent"
    " inconsistent accurate inaccurate"
)
_SAID = (
    "infer inferred conclude concluded implied implies stated mentioned agree agrees learn"
    " learned know known contradict contradicts"
)


def test_english_verification_needs_a_verdict():
    for word in _EN_VERDICT.split():
        assert is_verification(f"Which of the following is {word}?"), word
    for word in _SAID.split():
        assert is_verification(f"So which statement is {word} here?"), word
    for words in ("which of the following", "which one", "which statement", "which sentence"):
        assert is_verification(f"So {words} is right, according to Ada?"), words
        assert is_verification(f"So {words} holds, according to Ada?"), words
    for word in ("infer", "learn", "know", "conclude"):
        assert is_verification(f"So we can {word} here that it is so"), word
    for stem in (
        "So truest, rightful, correctly, accurately, exceptional",
        "So which statements of the following ones are unlearned, unknown, misstated, simply",
        "So which one is an imp, according",
        "So we can walk here that far, and they can know that",
        "So we can know here what thatch is",
    ):
        assert not is_verification(stem), stem


def test_the_stem_gives_the_default():
    """A verification always asks for one or the other, a choice only where its words do."""
    assert infer_asks_for("verification", "哪一项") == "supported"
    assert infer_asks_for("verification", "不是哪一项") == "contradicted"
    assert infer_asks_for("choice", "不是哪一项") is None
    assert infer_asks_for("choice", "下列说法不正确的是") == "contradicted"
    assert infer_asks_for("span", "下列说法不正确的是") is None


@pytest.mark.parametrize("marks", ["“”", "‘’", "「」", "《》", "（）", "()", '""'])
def test_quotations_are_ignored(marks: str):
    """Several asides, one right behind the other; what nothing closes is none."""
    begun, closed = marks
    aside = f"{begun}不{closed}"
    assert polarity(f"对{aside}{aside}的理解正确的是") == "supported"
    assert polarity(f"理解{begun}不正确的是") == "contradicted"
    assert not is_verification(f"{begun}说法{closed}正确的是")


def test_the_official_rule_is_literal():
    """It looks for 不, 错误 and 有误 anywhere, in quotes too, and knows no other way to say no."""
    assert vgaokao_polarity("对“多不一定好”理解正确的一项是") == "contradicted"
    assert vgaokao_polarity("与此无关的一项是") == "supported"
    assert polarity("对“多不一定好”理解正确的一项是") == "supported"
    assert polarity("与此无关的一项是") == "contradicted"


@given(st.text('“”‘’「」《》（）()"不a'))
def test_ignored_parts_equal_those_of_the_published_rules(stem: str):
    """As one pattern says it, whose time grows with the square."""
    bare = re.sub("|".join(f"[{a}][^{z}]*[{z}]" for a, z in QUOTATION_MARKS.items()), "", stem)
    assert polarity(f"正确的是{stem}") == ("contradicted" if "不" in bare else "supported")


_PIECES = [
    *("标题", "题目", "说法", "正确", "的", "\n", "\r", " ", "x", "which one", "Which sentence"),
    *("we can know", "known", "know", "that", "according to", "true"),
]


@given(st.lists(st.sampled_from(_PIECES), max_size=12).map("".join))
@example("which one is known")
def test_verification_equals_the_published_rules(stem: str):
    """As one pattern says it, whose time grows with the square."""
    rule = rules()
    if re.search(rule["han"], stem):
        pattern = "(?!.*(?:{zh_other}))(?=.*(?:{zh_statement})).*(?:{zh_verdict})"
    else:
        pattern = "{en_alone}|{en_which}.*{en_which_then}|{en_we_can}.*{en_we_can_then}"
    found = re.search(pattern.format(**rule), stem, re.IGNORECASE)
    assert is_verification(stem) == bool(found)


@pytest.mark.parametrize("stem", ["的", "下列说法", "标题说法", "which one ", "we can know "])
def test_stems_without_polarity(stem: str):
    """The patterns themselves would take hours for these."""
    assert not is_verification(stem * 300_000)


def test_unclosed_marks_are_fast():
    """The pattern itself would take minutes for these."""
    assert polarity("“" * 1_000_000 + "不正确的") == "contradicted"
    assert polarity("(“" * 500_000 + ")“" * 100_000 + "正确的") == "supported"


def test_seeming_verdicts_are_ignored():
    for seems in ("看似", "似乎", "看起来", "看起來"):
        for asked, seen in (("错误", "正确"), ("不符合原文", "合理"), ("有误", "合乎文意")):
            stem = f"下列说法{asked}，但{seems}{seen}的一项是"
            assert asks_for(stem) == "contradicted", stem
            assert asks_for(f"下列说法{seems}{seen}，实则{asked}的一项是") == "contradicted"
        for seen in ("错误", "不合理"):
            assert asks_for(f"下列说法正确，但{seems}{seen}的一项是") == "supported"
            assert asks_for(f"下列{seems}{seen}而实际正确的说法是") == "supported"


@pytest.mark.parametrize("seems", ["看似", "似乎", "看起来", "看起來"])
def test_seeming_verdicts_count_alone(seems):
    for seen in ("不准确", "不合理", "与原文不符"):
        assert asks_for(f"下列对文章的理解{seems}{seen}的一项是") == "contradicted", seen
    for seen in ("错误", "不合理，不准确", "不合理、不准确"):
        assert polarity(f"下列对文章的理解{seems}{seen}的一项是") == "contradicted", seen
    for seen in ("准确", "与原文相符"):
        assert polarity(f"下列对文章的理解{seems}{seen}的一项是") == "supported", seen
