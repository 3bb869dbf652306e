"""What the audit's checks of scorers and data sets say, in Chinese."""

# English -> Chinese, as in ``closeread.reports.words.audit_sentences``.
_METAMORPHIC = {
    "{metric} keeps {kept} of {tried} promises that these questions can try":
        "{metric} 信守 {tried} 项可在这些题上检验的承诺中的 {kept} 项",
    "these questions can try no promise of the scorers": "这些题目检验不了评分器的任何承诺",
    "Promises kept": "信守的承诺",
    "promises tried": "检验的承诺", "kept": "信守",
    "Promises broken, with the smallest example": "违背的承诺及最小反例",
    "promise": "承诺", "of trials %": "占试验 %", "smallest example": "最小反例",
    "Bugs planted at random in copies of scorers": "在评分器副本中随机植入的错误",
    "planted": "植入", "without a crash": "不崩溃的", "of them found": "其中找到",
    "found: a promise is broken that the original keeps": "找到：违背了原评分器信守的承诺",
    "exact match and F1 agree that an answer is right": "精确匹配与 F1 对正确与否判断一致",
    "a score is 0, 1 or between": "得分在 0 与 1 之间",
    "an answer equal to the gold one scores 1": "与标准答案相同的答案得 1 分",
    "letter case does not count": "大小写不计",
    "white space around does not count": "首尾空白不计",
    "two blanks are one": "两个空格等于一个",
    "any white space separates words": "任何空白都分隔单词",
    "text on later lines does not count": "后面各行的文字不计",
    "full-width characters are the same": "全角字符视为相同",
    "a full stop at the end does not count": "句末句号不计",
    "a comma at the end does not count": "末尾逗号不计",
    "quotes and brackets around do not count": "外围引号与括号不计",
    "apostrophes are one character": "各种撇号视为同一字符",
    "an article does not count": "冠词不计",
    "a hyphen is a blank": "连字符等于空格",
    "a dash is a hyphen": "破折号等于连字符",
    "10, 10.0 and 10. are one number": "10、10.0 与 10. 是同一个数",
    "separators of thousands do not count": "千位分隔符不计",
    "leading zeros do not count": "前导零不计",
    "a currency sign does not count": "货币符号不计",
    "a percent sign does not count": "百分号不计",
    "a full stop behind a number does not count": "数字后的句点不计",
    "a number in words is the same": "用文字写的数相同",
    "every minus sign is one": "各种负号视为同一个",
    "the opposite number is another answer": "相反数是另一个答案",
    "other decimals are another answer": "小数不同即为另一个答案",
    "the point tells numbers apart": "小数点区分不同的数",
    "more digits are another number": "多出数位即为另一个数",
    "what follows a separator counts": "分隔符之后的数字要计",
    "a fraction or a time is no whole number": "分数或时间不是整数",
    "another last word is another answer": "最后一个词不同即为另一个答案",
    "a longer word is another word": "更长的词是另一个词",
    "saying it twice is another answer": "重复两遍即为另一个答案",
    "saying nothing is wrong": "什么都不说是错的",
    "nearly right is better than nothing": "接近正确胜于没有",
    "the order of spans does not count": "片段的次序不计",
    "spans joined by a comma are the same answer": "用逗号连接的片段是同一个答案",
    "their order in the text does not count": "它们在文中的次序不计",
    "a repeated span is another answer": "重复片段即为另一个答案",
    "every span counts": "每个片段都要计",
    "a further gold answer never lowers a score": "增加标准答案不会降低得分",
    "a repeated gold answer changes nothing": "重复的标准答案不影响得分",
    "one more wrong answer lowers the number": "多答错一题会降低总分",
    "a third of wrong answers lowers the number": "三分之一答错会降低总分",
    "leaving out a wrong answer does not help": "略去错误答案不会提高总分",
    "leaving out a right answer costs": "略去正确答案会失分",
    "a second answer to a question does not help": "对一题重复作答不会提高总分",
    "a second answer to a variant does not help": "对变式重复作答不会提高总分",
    "an answer to no question changes nothing": "不对应任何题目的答案不影响总分",
    "the order of rows does not count": "各行的次序不计",
}  # fmt: skip

_DISAGREEMENT = {
    "{run}: the same answers score from {low} to {high}; scorers part at {apart} of {all} "
    "questions": "{run}：同样的答案得分从 {low} 到 {high}；{all} 题中有 {apart} 题评分器意见不一",
    "exact scores (0 or 1) are compared with exact ones, graded with graded ones":
        "精确分（0 或 1）只与精确分比较，分级分只与分级分比较",
    "{value} is {number}, not from 0 to 1": "{value} 为 {number}，不在 0 到 1 之间",
    "left out {scorer}: it knows no question without an answer":
        "略去 {scorer}：它不识别没有答案的题目",
    "left out {scorer}: {why}": "略去 {scorer}：{why}",
    "no scorer judges these questions": "没有评分器适用于这些题目",
    "Which run is best, by scorer": "各评分器认为哪次运行最好",
    "order": "次序", "pairs that change places": "互换位置的对数",
    "What each scorer says": "各评分器的评分",
    "mean %": "平均 %", "nearest": "最近", "apart %": "相异 %", "farthest": "最远",
    "away %": "与其相异 %",
    "apart: the share of questions at which two values differ by more than 0.01":
        "相异：两个分值相差超过 0.01 的题目占比",
    "Why they part": "为何不一致", "of those looked at %": "占所查 %",
    "Exact scores apart": "精确分的相异占比", "Graded scores apart": "分级分的相异占比",
    "How far the scorers part, by run": "各次运行中评分器的分歧",
    "run": "运行", "lowest %": "最低 %", "highest %": "最高 %", "questions apart": "相异题数",
    "the runs are on {n} sets of questions, here on one: {runs}":
        "各次运行共用 {n} 套题目，此处为其中一套：{runs}",
    "what follows the table of runs is about {run}: the widest apart":
        "运行表之后的内容均为分歧最大的 {run}",
    "answers that are a piece of the passage, longer or shorter than a gold one, are left out of "
    "the verdict: {n} of {run}":
        "是原文片段但比标准答案长或短的答案不计入结论：{run} 中有 {n} 个",
    "change places: against the order by {value}; equal ones do not":
        "换位：与按 {value} 的次序相比；同分不算",
    "looked at {named} of {all}, evenly chosen": "等距抽查 {all} 题中的 {named} 题",
    "several spans": "多个片段", "text on further lines": "后续各行的文字",
    "words before `Answer:`": "`Answer:` 之前的文字", "white space": "空白",
    "full-width forms": "全角形式", "how numbers are written": "数字写法",
    "punctuation": "标点", "case": "大小写", "articles": "冠词",
    "one contains the other": "一个包含另一个", "rules of the scorers": "评分器各自的规则",
}  # fmt: skip

_RECORDED = {
    "no scores of a harness, of one text a question, were saved with the answers":
        "没有随答案保存、每题一条文本的评测框架分数",
    "{score} is {whole} by the harness, and {mean} by the mean of its own scores":
        "{score} 在评测框架中为 {whole}，而其逐题分数的平均为 {mean}",
    "{score} is 0 at {n} of {all} answers that are a gold one":
        "{score} 在 {all} 个答案中有 {n} 个与标准答案相同却得 0 分",
    "{score} is no score that is known here": "{score} 不是此处已知的分数",
    "{score} comes out again as {scorer}; ties, of which it gives the share that is right: {n}":
        "{score} 与 {scorer} 一致；选项并列的有 {n} 题，其分数是并列选项中正确者的比例",
    "{score} comes out again as {scorer}": "{score} 与 {scorer} 一致",
    "{score} is not that of {scorer}, the nearest, at {n} of {all} answers":
        "{score} 与最近的 {scorer} 在 {all} 个答案中有 {n} 个不同",
    "Scores that the harness saved": "评测框架保存的分数",
    "score": "分数", "its number %": "其总分 %", "0 at a gold answer": "答对却得 0",
    "nearest: of all scorers the one that differs by more than 0.01 at the fewest questions; 0 at "
    "a gold answer: nothing is given for an answer that is a gold one letter by letter":
        "最近：所有评分器中相差超过 0.01 的题目最少者；答对却得 0：答案与标准答案逐字相同却不得分",
}  # fmt: skip

_SHORTCUTS = {
    "no question has a gold answer": "没有题目带标准答案",
    "{dataset}: no shortcut beats chance": "{dataset}：没有捷径胜过随机",
    "{dataset}: {=reader} alone answers {right} % (chance {chance} %)":
        "{dataset}：仅凭{=reader}就能答对 {right} %（随机 {chance} %）",
    "Readers that do not read": "不读原文的阅读器",
    "reads only": "只看", "right %": "答对 %", "chance %": "随机 %",
    "chance: an option that is drawn, or the commonest answer; p: one-sided binomial":
        "随机：随意抽取一个选项，或取最常见的答案；p：单侧二项检验",
    "the question's first words": "题干开头几个词",
    "the longest option": "最长的选项", "the shortest option": "最短的选项",
    "the options' places": "选项的位置", "the options' words": "选项的用词",
    "the options' likeness": "选项的相似度",
    "the option most like the question": "与题干最相似的选项",
    "Where the right option stands": "正确选项的位置",
    "How long the right option is among the others": "正确选项的长度名次",
    "longer ones": "更长的选项数",
    "Where in the passage the answer stands": "答案在原文中的位置", "tenth": "第几个十分之一",
}  # fmt: skip

_LEAKAGE = {
    "{hit} of {all} passages ({n} questions) share text with {train}":
        "{all} 篇中有 {hit} 篇（{n} 题）与 {train} 有相同文字",
    "the letters of triples differ far more often than by chance":
        "题组的字母互异的次数远多于随机",
    "{distinct} of {triples} predicted triples have three letters: nothing was repaired":
        "{triples} 个预测题组中有 {distinct} 个三字母互异：没有修补迹象",
    "wrong answers never leave the windows that hold the gold answer":
        "错误答案从不离开含标准答案的窗口",
    "no training set was named (--train), no examples in prompts, no triples, no long passages":
        "没有指定训练集（--train），提示中没有示例，没有题组，也没有长文",
    "none of {n} prompts with examples shows the question that it asks":
        "{n} 个带示例的提示中，没有一个示例就是所问的题",
    "{n} of {all} prompts with examples show the question that they ask: without these {others}, "
    "with them {score}":
        "{all} 个带示例的提示中，有 {n} 个的示例就是所问的题：去掉这些题 {others}，"
        "连同这些题 {score}",
    "no question is left": "没有题剩下",
    "Questions among the examples of their own prompt": "出现在自身提示示例中的题目",
    "their examples": "提示的示例", "score %": "分数 %",
    "hold the question": "含所问的题", "do not hold it": "不含",
    "held: passage, question and options stand there word for word; score: F1, of options accuracy":
        "含：篇章、题干与选项在示例中逐字出现；分数：F1，选择题为正确率",
    "nothing found": "未发现问题",
    "Passages that share text with the training set": "与训练集有相同文字的篇章",
    "passage": "篇章", "training passage": "训练篇章", "shared": "相同部分", "text": "文字",
    "30 characters": "30 个字符", "13 words": "13 个词",
    "the first {shown} of {n}": "前 {shown} 条，共 {n} 条",
    "thirty characters of words written apart may be a common phrase":
        "以空格分词的文字中，三十个字符可能只是常见短语",
    "Triples whose three letters differ": "三个字母互异的题组",
    "letters": "字母", "all different": "互异", "gold": "标准答案", "predicted": "模型答案",
    "expected by chance": "随机期望",
    "expected: right letters as they are, wrong ones drawn with the reader's own frequencies for "
    "each role":
        "期望：答对的字母不变，答错的按阅读器在各角色上的频率抽取",
    "Wrong answers on passages longer than a window": "长于一个窗口的篇章上的错误答案",
    "wrong answers": "错误答案", "within a window of gold": "在标准答案的窗口内",
    "expected %": "期望 %",
    "window: {n} words; expected: had they stood anywhere. All of them inside means that windows "
    "without the gold answer were skipped":
        "窗口：{n} 个词；期望：位置任意时的占比。全部在内说明不含标准答案的窗口被跳过",
}  # fmt: skip

OF_SCORERS = _METAMORPHIC | _DISAGREEMENT | _RECORDED | _SHORTCUTS | _LEAKAGE
