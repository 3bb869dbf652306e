"""Chinese translations of the notes of scores, for the report."""

from closeread.reports.words.phrases import Phrases

# English -> Chinese, as `closeread.reports.words.phrases` has it; a note may be several of them.
NOTES = Phrases(
    {
        "no question was scored": "没有计分的题目",
        "every unit has the same score: no interval can be estimated":
            "各单位得分相同：无法估计区间",
        "all {n} scored units have the same score: exact interval instead of the bootstrap":
            "{n} 个计分单位得分相同：以精确区间代替自助法",
        "only one unit was scored: exact interval instead of the bootstrap":
            "只有一个计分单位：以精确区间代替自助法",
        "resampled in {n} groups: options and variants of one question stay together":
            "按 {n} 组重抽样：同一题的选项与变式不拆开",
        "fewer than {n} passages: the interval is probably too narrow":
            "文章少于 {n} 篇：区间可能偏窄",
        "fewer than {n} units: the interval is probably too narrow":
            "单位少于 {n} 个：区间可能偏窄",
        "no resample gives a value": "没有一次重抽样得到数值",
        "all resamples give the same value: no interval can be estimated":
            "各次重抽样的数值相同：无法估计区间",
        "all resamples give the same value: exact interval for {n} units":
            "各次重抽样的数值相同：改用 {n} 个单位的精确区间",
        "all resamples give the same value: exact interval for one unit":
            "各次重抽样的数值相同：改用一个单位的精确区间",
        "the difference is the same in every unit: exact interval instead of the bootstrap":
            "每个单位的差都相同：以精确区间代替自助法",
        "p is the smallest that {n} resamples can give": "p 已是 {n} 次重抽样所能得到的最小值",
        "one of the two runs has no value": "两次运行之一没有数值",
        "1 unit counts in only one of the two runs": "1 个单位只在其中一次运行中计分",
        "{n} units count in only one of the two runs": "{n} 个单位只在其中一次运行中计分",
        "the two runs have different units: no paired test for this value":
            "两次运行的单位不同：无法做配对检验",
        "{n} of {all} data sets have no value": "{all} 个数据集中有 {n} 个没有数值",
        "{n} of {all} data sets are all right or all wrong: they are resampled from the exact "
        "interval": "{all} 个数据集中有 {n} 个全对或全错：从精确区间中重抽样",
        "{n} of {all} data sets have the same score in every unit: the interval ignores their "
        "uncertainty": "{all} 个数据集中有 {n} 个的各单位得分相同：区间未计入其不确定性",
        "repeated question ids: {n}": "重复的题目编号：{n} 个",
        "the last question of each id counts, as in the official program":
            "每个编号以最后一题为准，与官方程序相同",
        "chance {p} ({q} knowing that a triple's letters differ)":
            "随机猜测 {p}（已知题组内答案字母互不相同时为 {q}）",
        "chance {p}": "随机猜测 {p}",
        "no value: the predictions answer no original question":
            "没有数值：预测未回答任何原始题",
        "the first: {=note}": "前者：{=note}",
        "the second: {=note}": "后者：{=note}",
        "1 question without option scores, judged by the option picked":
            "1 题没有选项分数，按所选选项判定",
        "{n} questions without option scores, judged by the option picked":
            "{n} 题没有选项分数，按所选选项判定",
        "1 question with option scores that only rank, judged by the option picked":
            "1 题的选项分数只用于排序，按所选选项判定",
        "{n} questions with option scores that only rank, judged by the option picked":
            "{n} 题的选项分数只用于排序，按所选选项判定",
        "judged by the option picked": "按所选选项判定",
        "option scores that only rank, judged by the option picked":
            "选项分数只用于排序，按所选选项判定",
        "mean over 1 option": "1 个选项的平均",
        "mean over {n} options": "{n} 个选项的平均",
        "mean over 1 question": "1 道题的平均",
        "mean over {n} questions": "{n} 道题的平均",
        "1 prediction has no evidence and counts as 0": "1 个预测没有证据，计 0 分",
        "{n} predictions have no evidence and count as 0": "{n} 个预测没有证据，计 0 分",
        "1 question with evidence at least three times as long as any gold sentence: precision "
        "ignores the excess": "1 题的证据至少是最长标准证据句的三倍：精确率不计多出的部分",
        "{n} questions with evidence at least three times as long as any gold sentence: precision "
        "ignores the excess": "{n} 题的证据至少是最长标准证据句的三倍：精确率不计多出的部分",
        "no prediction has evidence": "所有预测都没有证据",
        "no prediction has evidence: all count as 0": "所有预测都没有证据：全部计 0 分",
        "1 prediction has no evidence: counted as wrong evidence": "1 个预测没有证据：按证据错误计",
        "{n} predictions have no evidence: counted as wrong evidence":
            "{n} 个预测没有证据：按证据错误计",
        "1 answer without a confidence": "1 个答案没有置信度",
        "{n} answers without a confidence": "{n} 个答案没有置信度",
        "{n} of {all} answers have the same confidence: file order breaks the tie":
            "{all} 个答案中有 {n} 个置信度相同：按文件中的顺序排列",
        "{n} of {all} question unanswered: counted as wrong, and in coverage":
            "{all} 道题中有 {n} 道未作答：按错误计，并计入覆盖率",
        "{n} of {all} questions unanswered: counted as wrong, and in coverage":
            "{all} 道题中有 {n} 道未作答：按错误计，并计入覆盖率",
        "no prediction has a confidence": "所有预测都没有置信度",
        "1 unanswered question is left out": "略去 1 道未作答的题",
        "{n} unanswered questions are left out": "略去 {n} 道未作答的题",
        "best threshold {value}": "最优阈值 {value}",
        "F1 may differ from the official program's: NLTK's Punkt data are not installed":
            "F1 可能与官方程序不同：缺少 NLTK 的 Punkt 数据",
        "no evidence was predicted": "没有预测证据",
        "a gold answer without spaces: one word": "标准答案中没有空格：只算一个词",
        "{n} of {all} answers are Chinese or Japanese, and this metric counts each as one word, "
        "so F1 is close to exact match: `--metric cmrc~mixed` compares characters":
            "{all} 个答案中有 {n} 个是中文或日文，该指标将每个答案算作一个词，F1 几乎等于精确匹配："
            "`--metric cmrc~mixed` 按字计算",
        "the evidence is only part of a gold paragraph and scores 0":
            "证据只是标准段落的一部分，计 0 分",
        "the evidence of 1 answer is only part of a gold paragraph and scores 0: `closeread "
        "convert RUN FILE --to qasper` writes whole paragraphs":
            "1 个答案的证据只是标准段落的一部分，这里计 0 分："
            "`closeread convert RUN FILE --to qasper` 写出整个段落",
        "the evidence of {n} answers is only part of a gold paragraph and scores 0 here: "
        "`closeread convert RUN FILE --to qasper` writes whole paragraphs":
            "{n} 个答案的证据只是标准段落的一部分，这里计 0 分："
            "`closeread convert RUN FILE --to qasper` 写出整个段落",
        "the maximum, not the mean": "取最大值，不是平均",
    }
)  # fmt: skip
