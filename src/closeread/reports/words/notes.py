"""What numbers say beside themselves, in Chinese, as the report shows it."""

from closeread.reports.words.phrases import Phrases

# English -> Chinese, as `closeread.reports.words.phrases` has it; a note may be several of them.
NOTES = Phrases(
    {
        "no unit was scored": "没有计分单位",
        "all units alike: spread unknown": "各单位得分相同：离散程度未知",
        "all {n} scored units alike: exact bound instead of the bootstrap":
            "{n} 个计分单位得分相同：用精确界代替自助法",
        "one unit was scored: exact bound instead of the bootstrap":
            "只有一个计分单位：用精确界代替自助法",
        "resampled as {n} units: what belongs to one question together":
            "按 {n} 个单位重抽样：同属一题的在一起",
        "fewer than {n} passages: the interval is narrower than it should be":
            "文章少于 {n} 篇：区间比应有的窄",
        "fewer than {n} units: the interval is narrower than it should be":
            "单位少于 {n} 个：区间比应有的窄",
        "no resample has a value": "没有一次重抽样有值",
        "resamples do not differ, which is no certainty: no interval":
            "各次重抽样没有差别，但这不等于确定：不给区间",
        "resamples do not differ, which is no certainty: exact bound of what {n} units may not "
        "show": "各次重抽样没有差别，但这不等于确定：给出 {n} 个单位可能未显示部分的精确界",
        "resamples do not differ, which is no certainty: exact bound of what one unit may not "
        "show": "各次重抽样没有差别，但这不等于确定：给出一个单位可能未显示部分的精确界",
        "the same difference in every unit: exact bound instead of the bootstrap":
            "每个单位的差都相同：用精确界代替自助法",
        "p could be no smaller of {n} resamples": "{n} 次重抽样得不出更小的 p",
        "one of the two has no value": "两者之一没有值",
        "1 unit counts in only one of the two": "1 个单位只在两者之一中计分",
        "{n} units count in only one of the two": "{n} 个单位只在两者之一中计分",
        "units of the two differ: no paired test for this value":
            "两者的单位不同：此值没有配对检验",
        "{n} of {all} data sets have no value": "{all} 个数据集中有 {n} 个没有值",
        "{n} of {all} data sets have all units right or all wrong: drawn from what so many may not "
        "show": "{all} 个数据集中有 {n} 个的各单位全对或全错：按这么多单位可能未显示的部分抽取",
        "{n} of {all} data sets have units all alike, as if surely so":
            "{all} 个数据集中有 {n} 个的各单位得分相同，看似确定而已",
        "ids that come again: {n}": "重复的编号：{n} 个",
        "of each id the last question counts, as in the official program":
            "每个编号以最后一题为准，与官方程序相同",
        "chance {p} ({q} knowing that a triple's letters differ)":
            "随机 {p}（若知题组内字母互不相同则为 {q}）",
        "chance {p}": "随机 {p}",
        "nothing to divide by: no answer was handed in for an original":
            "没有分母：没有提交任何原始题的答案",
        "the first: {=note}": "前者：{=note}",
        "the second: {=note}": "后者：{=note}",
        "1 question judged by the option picked, for want of probabilities":
            "1 题按所选的选项判定：没有概率",
        "{n} questions judged by the option picked, for want of probabilities":
            "{n} 题按所选的选项判定：没有概率",
        "mean over 1 option": "1 个选项的平均",
        "mean over {n} options": "{n} 个选项的平均",
        "mean over 1 question": "1 道题的平均",
        "mean over {n} questions": "{n} 道题的平均",
        "1 prediction carries no evidence and counts as 0": "1 个预测没有证据，计 0 分",
        "{n} predictions carry no evidence and count as 0": "{n} 个预测没有证据，计 0 分",
        "1 question with evidence three times as long as any gold sentence: precision does not "
        "see what else is in it": "1 题的证据有任一标准句三倍长：精确率看不出其中还有什么",
        "{n} questions with evidence three times as long as any gold sentence: precision does not "
        "see what else is in it": "{n} 题的证据有任一标准句三倍长：精确率看不出其中还有什么",
        "no prediction carries evidence": "没有一个预测带证据",
        "no prediction carries evidence: all count as 0": "没有一个预测带证据：全部计 0 分",
        "1 prediction carries no evidence: wrong evidence": "1 个预测没有证据：按证据错误计",
        "{n} predictions carry no evidence: wrong evidence": "{n} 个预测没有证据：按证据错误计",
        "1 answer without a confidence": "1 个答案没有置信度",
        "{n} answers without a confidence": "{n} 个答案没有置信度",
        "{n} of {all} answers are equally sure: the file's order ranks them":
            "{all} 个答案中有 {n} 个置信度相同：按文件中的顺序排列",
        "{n} of {all} question not answered: wrong, and coverage counts them too":
            "{all} 道题中有 {n} 道未作答：按错误计，并计入覆盖率",
        "{n} of {all} questions not answered: wrong, and coverage counts them too":
            "{all} 道题中有 {n} 道未作答：按错误计，并计入覆盖率",
        "no prediction carries a confidence": "没有一个预测带置信度",
        "1 unanswered question is left out": "略去 1 道未作答的题",
        "{n} unanswered questions are left out": "略去 {n} 道未作答的题",
        "best threshold {value}": "最优阈值 {value}",
        "F1 may differ from the official program's: NLTK's Punkt data are not there":
            "F1 可能与官方程序不同：缺少 NLTK 的 Punkt 数据",
        "no evidence was predicted": "没有预测证据",
        "an answer without blanks, here one word": "答案中没有空格，这里只算一个词",
        "{n} of {all} answers are Chinese or Japanese and one word each here, so that F1 says "
        "little more than exact match: `--metric cmrc~mixed` counts characters":
            "{all} 个答案中有 {n} 个是中文或日文，这里各只算一个词，F1 几乎等于精确匹配："
            "`--metric cmrc~mixed` 按字计算",
        "evidence is a piece of a paragraph, and none here": "证据只是段落的一部分，这里不算",
        "the evidence of 1 answer is a piece of a right paragraph, and none here: "
        "`convert RUN FILE --to qasper` writes whole paragraphs":
            "1 个答案的证据只是正确段落的一部分，这里不算："
            "`convert RUN FILE --to qasper` 写出整个段落",
        "the evidence of {n} answers is a piece of a right paragraph, and none here: "
        "`convert RUN FILE --to qasper` writes whole paragraphs":
            "{n} 个答案的证据只是正确段落的一部分，这里不算："
            "`convert RUN FILE --to qasper` 写出整个段落",
        "the largest, not the mean": "取最大值，不是平均",
    }
)  # fmt: skip
