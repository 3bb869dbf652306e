"""Chinese translations of the findings of the audit's checks of scorers and data sets."""

# English -> Chinese, as in ``closeread.reports.words.audit_sentences``.
_METAMORPHIC = {
    "{metric} keeps {kept} of {tried} promises that these questions can test":
        "{metric} 信守 {tried} 项可在这些题上检验的承诺中的 {kept} 项",
    "these questions can test none of the scorers' promises": "这些题目检验不了评分器的任何承诺",
    "Promises kept": "信守的承诺",
    "promises tested": "检验的承诺", "kept": "信守",
    "Broken promises, each with the smallest counterexample": "违背的承诺及最小反例",
    "promise": "承诺", "of trials %": "占试验 %", "smallest example": "最小反例",
    "Bugs planted at random in copies of scorers": "在评分器副本中随机植入的错误",
    "planted": "植入", "without a crash": "不崩溃的", "of them found": "其中找到",
    "found: the copy breaks a promise that the original keeps": "找到：违背了原评分器信守的承诺",
    "exact match and F1 agree that an answer is right": "精确匹配与 F1 对正确与否判断一致",
    "a score is between 0 and 1": "得分在 0 与 1 之间",
    "an answer equal to the gold answer scores 1": "与标准答案相同的答案得 1 分",
    "letter case is ignored": "大小写不计",
    "surrounding white space is ignored": "首尾空白不计",
    "two spaces equal one": "两个空格等于一个",
    "any white space separates words": "任何空白都分隔单词",
    "text on later lines is ignored": "后面各行的文字不计",
    "full-width and ASCII characters are equal": "全角与 ASCII 字符视为相同",
    "a final full stop is ignored": "句末句号不计",
    "a final comma is ignored": "末尾逗号不计",
    "surrounding quotes and brackets are ignored": "外围引号与括号不计",
    "all apostrophes are equal": "各种撇号视为同一字符",
    "an article is ignored": "冠词不计",
    "a hyphen equals a space": "连字符等于空格",
    "a dash equals a hyphen": "破折号等于连字符",
    "10, 10.0 and 10. are the same number": "10、10.0 与 10. 是同一个数",
    "thousands separators are ignored": "千位分隔符不计",
    "leading zeros are ignored": "前导零不计",
    "a currency sign is ignored": "货币符号不计",
    "a percent sign is ignored": "百分号不计",
    "a full stop after a number is ignored": "数字后的句点不计",
    "a number in words equals its digits": "用文字写的数与数字相等",
    "all minus signs are equal": "各种负号视为同一个",
    "the opposite number is a different answer": "相反数是另一个答案",
    "other decimals make a different answer": "小数不同即为另一个答案",
    "the decimal point distinguishes numbers": "小数点区分不同的数",
    "extra digits make a different number": "多出数位即为另一个数",
    "digits after a thousands separator count": "千位分隔符之后的数字要计",
    "a fraction or a time is not a whole number": "分数或时间不是整数",
    "a different last word makes a different answer": "最后一个词不同即为另一个答案",
    "a longer word is a different word": "更长的词是另一个词",
    "a repeated text is a different answer": "重复两遍即为另一个答案",
    "an empty answer is wrong": "空答案是错的",
    "a nearly correct answer scores above 0": "接近正确的答案得分高于 0",
    "the order of spans is ignored": "片段的次序不计",
    "spans joined by a comma are the same answer": "用逗号连接的片段是同一个答案",
    "the order of spans in one text is ignored": "同一文本中片段的次序不计",
    "a repeated span makes a different answer": "重复片段即为另一个答案",
    "every span counts": "每个片段都要计",
    "a further gold answer never lowers a score": "增加标准答案不会降低得分",
    "a repeated gold answer changes nothing": "重复的标准答案不影响得分",
    "one more wrong answer lowers the score": "多答错一题会降低总分",
    "a third of wrong answers lowers the score": "三分之一答错会降低总分",
    "leaving out a wrong answer does not raise the score": "略去错误答案不会提高总分",
    "leaving out a right answer lowers the score": "略去正确答案会降低总分",
    "a second answer to a question does not raise the score": "对一题重复作答不会提高总分",
    "a second answer to a variant does not raise the score": "对变式重复作答不会提高总分",
    "an answer to an unknown question changes nothing": "不对应任何题目的答案不影响总分",
    "the order of rows is ignored": "各行的次序不计",
}  # fmt: skip

_DISAGREEMENT = {
    "{run}: the same answers score from {low} to {high}; scorers disagree on {apart} of {all} "
    "questions": "{run}：同样的答案得分从 {low} 到 {high}；{all} 题中有 {apart} 题评分器意见不一",
    "exact scores (0 or 1) are compared only with exact scores, graded scores only with graded "
    "scores":
        "精确分（0 或 1）只与精确分比较，分级分只与分级分比较",
    "{value} is {number}, which is not between 0 and 1": "{value} 为 {number}，不在 0 到 1 之间",
    "skipped {scorer}: it does not support questions without an answer":
        "已跳过 {scorer}：它不支持没有答案的题目",
    "skipped {scorer}: {why}": "已跳过 {scorer}：{why}",
    "no scorer can score these questions": "没有评分器适用于这些题目",
    "Ranking of the runs by scorer": "各评分器对运行的排名",
    "order": "次序", "swapped pairs": "换位的对数",
    "Scores by scorer": "各评分器的得分",
    "mean %": "平均 %", "nearest": "最近", "apart %": "相异 %", "farthest": "最远",
    "away %": "与其相异 %",
    "apart, away: the share of questions on which two values differ by more than 0.01":
        "相异、与其相异：两个分值相差超过 0.01 的题目占比",
    "Why the scorers disagree": "为何不一致", "of examined %": "占所查 %",
    "Disagreement of exact scores": "精确分的相异占比",
    "Disagreement of graded scores": "分级分的相异占比",
    "Disagreement by run": "各次运行中评分器的分歧",
    "run": "运行", "lowest %": "最低 %", "highest %": "最高 %", "questions apart": "相异题数",
    "the runs cover {n} sets of questions; this finding is about one of them: {runs}":
        "各次运行涉及 {n} 套题目，本项结论针对其中一套：{runs}",
    "all tables but those that compare the runs are about {run}, the run with the widest "
    "disagreement":
        "除比较各次运行的表格外，其余各表均针对分歧最大的运行 {run}",
    "the verdict ignores answers that are a longer or shorter piece of the passage than a gold "
    "answer: {n} of {run}":
        "是原文片段但比标准答案长或短的答案不计入结论：{run} 中有 {n} 个",
    "swapped pairs: compared with the ranking by {value}; ties do not count":
        "换位：与按 {value} 的次序相比；同分不算",
    "examined {named} of {all} questions, evenly spaced": "等距抽查 {all} 题中的 {named} 题",
    "several spans": "多个片段", "text on further lines": "后续各行的文字",
    "words before `Answer:`": "`Answer:` 之前的文字", "white space": "空白",
    "full-width forms": "全角形式", "how numbers are written": "数字写法",
    "punctuation": "标点", "case": "大小写", "articles": "冠词",
    "one contains the other": "一个包含另一个", "rules of the scorers": "评分器各自的规则",
}  # fmt: skip

_RECORDED = {
    "the source has no per-question scores of another harness, or it has several texts per "
    "question":
        "来源中没有其他评测框架的逐题分数，或每题有多条文本",
    "{score} is {whole} in the harness's report, but the mean of its per-question scores is {mean}":
        "{score} 在评测框架中为 {whole}，而其逐题分数的平均为 {mean}",
    "{score} is 0 for {n} of {all} answers although they equal a gold answer":
        "{score} 在 {all} 个答案中有 {n} 个与标准答案相同却得 0 分",
    "{score} is not a score that closeread can recompute": "closeread 无法重新计算 {score}",
    "{score} is reproduced by {scorer}, except for ties, where it is the share of tied options "
    "that are correct: {n}":
        "{score} 与 {scorer} 一致；选项并列的有 {n} 题，其分数是并列选项中正确者的比例",
    "{score} is reproduced by {scorer}": "{score} 与 {scorer} 一致",
    "{score} differs from {scorer}, the nearest scorer, for {n} of {all} answers":
        "{score} 与最近的 {scorer} 在 {all} 个答案中有 {n} 个不同",
    "Scores saved by the harness": "评测框架保存的分数",
    "score": "分数", "reported %": "框架报告值 %", "0 for a gold answer": "答对却得 0",
    "nearest: the scorer that differs by more than 0.01 for the fewest questions; 0 for a gold "
    "answer: answers that equal a gold answer letter by letter and score 0":
        "最近：所有评分器中相差超过 0.01 的题目最少者；答对却得 0：答案与标准答案逐字相同却不得分",
}  # fmt: skip

_SHORTCUTS = {
    "no question has a gold answer": "没有题目带标准答案",
    "{dataset}: no shortcut beats chance": "{dataset}：没有捷径胜过随机",
    "{dataset}: {=reader} alone answers {right} % correctly (chance {chance} %)":
        "{dataset}：仅凭{=reader}就能答对 {right} %（随机 {chance} %）",
    "Baselines that do not read the passage": "不读原文的基线",
    "reads only": "只看", "right %": "答对 %", "chance %": "随机 %",
    "chance: an option drawn at random, or the most common answer; p: one-sided binomial test":
        "随机：随机抽取一个选项，或取最常见的答案；p：单侧二项检验",
    "the question's first words": "题干开头几个词",
    "the longest option": "最长的选项", "the shortest option": "最短的选项",
    "the options' positions": "选项的位置", "the options' words": "选项的用词",
    "the options' similarity": "选项的相似度",
    "the option most similar to the question": "与题干最相似的选项",
    "Position of the correct option": "正确选项的位置",
    "Length of the correct option compared with the others": "正确选项的长度名次",
    "longer options": "更长的选项数",
    "Position of the answer in the passage": "答案在原文中的位置", "tenth": "第几个十分之一",
}  # fmt: skip

_LEAKAGE = {
    "{hit} of {all} passages ({n} questions) share text with {train}":
        "{all} 篇中有 {hit} 篇（{n} 题）与 {train} 有相同文字",
    "{hit} of {all} passages (1 question) share text with {train}":
        "{all} 篇中有 {hit} 篇（1 题）与 {train} 有相同文字",
    "the letters of triples differ far more often than chance explains":
        "题组的预测字母互异的次数远超随机水平",
    "{distinct} of {triples} predicted triples have three different letters: no sign that "
    "answers were adjusted to one another":
        "{triples} 个预测题组中有 {distinct} 个三字母互异：没有答案相互调整的迹象",
    "no wrong answer lies outside the windows that contain the gold answer":
        "没有错误答案落在含标准答案的窗口之外",
    "nothing to check: no training set (--train), no examples in prompts, no triples, no long "
    "passages":
        "没有可检查的内容：没有训练集（--train），提示中没有示例，没有题组，也没有长文",
    "none of {n} prompts with examples shows its own question as an example":
        "{n} 个带示例的提示中，没有一个示例就是所问的题",
    "{n} of {all} prompts with examples show their own question as an example: without these "
    "questions {others}, with them {score}":
        "{all} 个带示例的提示中，有 {n} 个的示例就是所问的题：去掉这些题 {others}，"
        "连同这些题 {score}",
    "no questions are left": "没有剩下的题目",
    "Questions among the examples of their own prompt": "出现在自身提示示例中的题目",
    "their examples": "提示的示例", "score %": "分数 %",
    "contain the question": "含所问的题", "do not contain it": "不含",
    "contained: passage, question and options occur there word for word; score: F1, for "
    "questions with options accuracy":
        "含：篇章、题干与选项在示例中逐字出现；分数：F1，选择题为正确率",
    "nothing found": "未发现问题",
    "Passages that share text with the training set": "与训练集有相同文字的篇章",
    "passage": "篇章", "training passage": "训练篇章", "shared": "相同部分", "text": "文字",
    "30 characters": "30 个字符", "13 words": "13 个词",
    "the first {shown} of {n}": "前 {shown} 条，共 {n} 条",
    "30 characters of space-separated words may be a common phrase":
        "以空格分词的文字中，三十个字符可能只是常见短语",
    "Triples whose three letters differ": "三个字母互异的题组",
    "letters": "字母", "all different": "互异", "gold": "标准答案", "predicted": "模型答案",
    "expected by chance": "随机期望",
    "expected: correct letters are kept, wrong letters are drawn with the reader's own "
    "frequencies for each role":
        "期望：答对的字母不变，答错的按阅读器在各角色上的频率抽取",
    "Wrong answers on passages longer than a window": "长于一个窗口的篇章上的错误答案",
    "wrong answers": "错误答案", "within a window of gold": "在标准答案的窗口内",
    "expected %": "期望 %",
    "window: {n} words; expected: if the answers were anywhere in the passage. If all of them "
    "are inside, the reader skipped the windows without the gold answer":
        "窗口：{n} 个词；期望：位置任意时的占比。全部在内说明不含标准答案的窗口被跳过",
}  # fmt: skip

OF_SCORERS = _METAMORPHIC | _DISAGREEMENT | _RECORDED | _SHORTCUTS | _LEAKAGE
