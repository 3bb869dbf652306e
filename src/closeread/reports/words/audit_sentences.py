"""What the audit's checks say, in Chinese: sentences, headings, and what stands in cells."""

from closeread.reports.words.phrases import Phrases

# English -> Chinese. ``{name}`` is kept as it is, ``{=part}`` is one of these sentences itself.
_SHARED = {
    "scorer": "评分器", "value": "分值", "cause": "原因", "questions": "题数",
    "for example": "例如",
    "share %": "占比 %", "texts": "文本数", "stop": "停止串", "model": "模型", "benchmark": "基准",
    "models": "模型数", "why": "原因", "triples": "题组数", "trials": "试验数", "found": "找到",
    "p": "p", "label": "标签", "where": "位置", "from %": "从 %", "to %": "到 %", "sign": "迹象",
    "no run was named: a table of scores holds no answer": "没有指定运行：分数表中没有答案",
    "no question is left to be examined": "没有剩下可审查的题目",
    "the questions ask for options": "题目要求选择选项",
    "no answer": "没有答案",
    "{few} of {all} questions are in another language than the scorers are for: audit each "
    "language by itself": "{all} 题中有 {few} 题的语言不适用这些评分器：请按语言分别审计",
}  # fmt: skip

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
    "{score} comes out again as {scorer}": "{score} 与 {scorer} 一致",
    "{score} is not that of {scorer}, the nearest, at {n} of {all} answers":
        "{score} 与最近的 {scorer} 在 {all} 个答案中有 {n} 个不同",
    "Scores that the harness saved": "评测框架保存的分数",
    "score": "分数", "its number %": "其总分 %", "0 at a gold answer": "答对却得 0",
    "nearest: of all scorers the one that differs by more than 0.01 at the fewest questions; 0 at "
    "a gold answer: nothing is given for an answer that is a gold one letter by letter":
        "最近：所有评分器中相差超过 0.01 的题目最少者；答对却得 0：答案与标准答案逐字相同却不得分",
}  # fmt: skip

_TRUNCATION = {
    "{run}: cutting at {stop} takes {metric} F1 from {old} to {new}":
        "{run}：在 {stop} 处截断使 {metric} F1 从 {old} 变为 {new}",
    "{run}: cutting at {stop} takes {metric} F1 from {old} to {new}; {points} points are lost at "
    "1 text: {=cause}":
        "{run}：在 {stop} 处截断使 {metric} F1 从 {old} 变为 {new}；"
        "1 条文本失去 {points} 分：{=cause}",
    "{run}: cutting at {stop} takes {metric} F1 from {old} to {new}; {points} points are lost at "
    "{n} texts: {=cause}":
        "{run}：在 {stop} 处截断使 {metric} F1 从 {old} 变为 {new}；"
        "{n} 条文本失去 {points} 分：{=cause}",
    "{run}: reading the answers by --extract {rule} takes {metric} F1 from {old} to {new}":
        "{run}：按 --extract {rule} 从文本读取答案使 {metric} F1 从 {old} 变为 {new}",
    "{run}: reading the answers by --extract {rule} takes {metric} F1 from {old} to {new}; "
    "{points} points are lost at 1 text: {=cause}":
        "{run}：按 --extract {rule} 从文本读取答案使 {metric} F1 从 {old} 变为 {new}；"
        "1 条文本失去 {points} 分：{=cause}",
    "{run}: reading the answers by --extract {rule} takes {metric} F1 from {old} to {new}; "
    "{points} points are lost at {n} texts: {=cause}":
        "{run}：按 --extract {rule} 从文本读取答案使 {metric} F1 从 {old} 变为 {new}；"
        "{n} 条文本失去 {points} 分：{=cause}",
    "{run}: reading the answers by --extract {rule} takes accuracy from {old} to {new}":
        "{run}：按 --extract {rule} 从文本读取答案使正确率从 {old} 变为 {new}",
    "{run}: {n} texts ended at the token limit before an option":
        "{run}：{n} 条文本在给出选项之前到达词元上限",
    "{run}: no option was lost between the text and the answer":
        "{run}：从文本到答案没有丢失选项",
    "the questions ask for options, and no texts were kept": "题目要求选择选项，且没有保存文本",
    "accuracy %": "正确率 %", "no option": "未读出选项",
    "Texts of which no option was read": "未读出选项的文本",
    "Answers read anew from the texts": "从文本重新读取的答案",
    "read by": "读取方式", "--extract {rule}": "--extract {rule}",
    "{run}: no answer was cut, and no other stop raises {metric} F1":
        "{run}：没有答案被截断，换停止串也不会提高 {metric} F1",
    "{run}: no other stop raises {metric} F1; {points} points are lost at 1 text: {=cause}":
        "{run}：换停止串不会提高 {metric} F1；1 条文本失去 {points} 分：{=cause}",
    "{run}: no other stop raises {metric} F1; {points} points are lost at {n} texts: {=cause}":
        "{run}：换停止串不会提高 {metric} F1；{n} 条文本失去 {points} 分：{=cause}",
    "Cut at another stop": "在其他停止串处截断",
    "answers that change": "改变的答案", "as saved": "保存的原样", "no stop": "不截断",
    "a text may show several": "一条文本可有多种情况",
    "How texts ended": "文本如何结束",
    "F1 as saved %": "原样 F1 %",
    "F1 cut at {stop} %": "截于 {stop} 的 F1 %",
    "Score against length": "得分与长度", "characters": "字符数",
    "from, to: the interval at {level}, by {n} resamples":
        "从、到：{level} 置信区间，重采样 {n} 次",
    "the texts were cut when they were saved: what followed the stop is lost, and cutting later "
    "cannot bring it back": "文本在保存时已被截断：停止串之后的内容已丢失，事后截断无法找回",
    "empty": "空文本", "no text at all": "没有任何文字",
    "token limit": "词元上限", "the text ended at the token limit": "文本在词元上限处结束",
    "decimal cut": "小数被截断",
    "a decimal gold answer of which the text has the part before the point, no more":
        "标准答案是小数，而文本只有小数点之前的部分",
    "gold cut": "答案被截断",
    "the text is the beginning of a gold answer, up to a stop string in it":
        "文本是标准答案的开头，止于其中的停止串",
    "ends in a number": "以数字结尾",
    "the text ends in a digit: a stop may have cut it": "文本以数字结尾，可能被停止串截断",
    "next example": "续写示例",
    "the text goes on with headings as in the prompt": "文本继续写出提示中的标题",
    "run-on": "续写",
    "copied": "照抄",
    "the answer of one of the prompt's examples (see the notes)": "提示示例中的答案（见说明）",
    "copied: equal to the answer of an example in the question's own prompt, not in its passage "
    "and not accepted; the prompts are known, so this is exact":
        "照抄：与该题提示中某个示例的答案相同，不在原文中，也不被接受；提示已知，因此是确切的",
    "copied: one long text to ten questions or more of different passages, of which fewer than one "
    "in ten has an answer in it; the prompts are not known, so this is a guess":
        "照抄：同一个长文本用于不同篇章的十题或更多，其中含有答案的不到十分之一；提示未知，因此只是推测",
    "copied by chance: {n} texts equal the answer of an example that another question was shown":
        "偶然照抄：{n} 条文本与其他题目提示中某个示例的答案相同",
    "answer after": "答案在后",
    "a gold answer stands in the text, but not on its first line":
        "文本中有标准答案，但不在第一行",
    "not taken": "未取到答案",
    "what was taken for the answer does not stand in the text, or is nothing":
        "作为答案取出的内容不在文本中，或什么也没有取出",
}  # fmt: skip

_SHAPE = {
    "fewer than two models with scores": "有分数的模型不足两个",
    "{benchmark}: fewer than three models with scores, and nothing odd about them":
        "{benchmark}：有分数的模型不足三个，也未见异常",
    "{n} models are stuck between {low} and {high} while the others' mean goes from {from} to {to}":
        "{n} 个模型停滞在 {low} 与 {high} 之间，而其余基准的平均从 {from} 升至 {to}",
    "{=what} ({count})": "{=what}（{count}）",
    "{=what} ({count} or more)": "{=what}（至少 {count}）",
    "{benchmark}: moves as the others do": "{benchmark}：与其他基准同步变化",
    "moves as the others do": "与其他基准同步变化",
    "1 sign at other benchmarks": "其他基准上有 1 处迹象",
    "{n} signs at other benchmarks": "其他基准上有 {n} 处迹象",
    "examples lower the score": "示例使分数降低",
    "the larger model scores lower": "较大的模型得分更低",
    "the same setting differs between runs": "同一设置的多次结果不同",
    "a weaker model scores twice as high": "较弱的模型得分翻倍",
    "zero for every model": "所有模型均为零",
    "{benchmark} against the others": "{benchmark} 与其他基准",
    "mean of the others": "其余基准的平均",
    "Pearson without the cluster": "除去该簇的 Pearson",
    "Stuck: {benchmark} hardly moves over these": "停滞：{benchmark} 在这些模型上几乎不变",
    "mean of the others %": "其余基准的平均 %",
    "The runs of these models against their other scores, cut at each stop":
        "这些模型的运行与其他分数：在各停止串处截断",
    "stuck": "停滞数",
    "one stop for all models; the runs are scored by the scorer that they call for":
        "所有模型用同一停止串；运行按其应用的评分器评分",
    "Before and after": "之前与之后",
    "{scorer} F1 as saved %": "原样 {scorer} F1 %",
    "more than once with the same scores, counted once: {names}":
        "重复出现且分数相同，只计一次：{names}",
    "{n} of the runs are of models in the table: three are needed":
        "表中的模型只有 {n} 次运行：至少需要三次",
    "scores without a standard error: {few} of {all}, taken to be of {n} questions each "
    "(--questions tells another number)":
        "没有标准误的分数：{all} 个中有 {few} 个，按各 {n} 题计（题数不同时用 --questions 指明）",
    "{=shape}; no stop raises the scores of the {n} runs":
        "{=shape}；任何停止串都不会提高这 {n} 次运行的分数",
    "{=shape}; cutting the texts of {n} runs at {stop} takes Pearson's correlation with the others "
    "from {before} to {after}":
        "{=shape}；将 {n} 次运行的文本截于 {stop}，与其余基准的 Pearson 相关从 {before} 变为 "
        "{after}",
    "no stop raises the scores of the {n} runs": "任何停止串都不会提高这 {n} 次运行的分数",
    "cutting the texts of {n} runs at {stop} takes Pearson's correlation with the others from "
    "{before} to {after}":
        "将 {n} 次运行的文本截于 {stop}，与其余基准的 Pearson 相关从 {before} 变为 {after}",
    "Signs that a number is no measure": "分数不成其为度量的迹象",
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
    "no training set was named (--train), no triples, no long passages":
        "没有指定训练集（--train），没有题组，也没有长文",
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

_REPLAN = {
    "{=change}, another prompt": "{=change}，换提示",
    "{=change}, another normaliser": "{=change}，换归一化",
    "{=change}, another extraction": "{=change}，换抽取规则",
    "stop at {stops}": "停止于 {stops}",
    "{n} runs, {=change}: {again} of {all} answers ({share} %) must be generated again":
        "{n} 次运行，{=change}：{all} 条答案中有 {again} 条（{share} %）必须重新生成",
    "What each run asks for": "各次运行的要求", "again": "重新生成",
    "tokens": "词元",
    "{run}, {=change}: {again} of {all} answers ({share} %) must be generated again":
        "{run}，{=change}：{all} 条答案中有 {again} 条（{share} %）必须重新生成",
    "{run}, {=change}: {again} of {all} answers ({share} %) must be generated again: all can be "
    "scored from what was saved":
        "{run}，{=change}：{all} 条答案中有 {again} 条（{share} %）必须重新生成；"
        "全部可用已保存的文本评分",
    "stop at nothing": "不设停止串", "another extraction": "换抽取规则",
    "another normaliser": "换归一化", "another prompt": "换提示",
    "What the change asks for": "该改动的要求", "saved answers": "已保存的答案",
    "unaffected": "不受影响", "scored anew": "重新评分",
    "the change does not touch them": "改动与其无关",
    "the saved text holds all that the new rule needs": "保存的文本已含新规则所需的全部内容",
    "a decimal gold answer whose right beginning was cut at the point":
        "标准答案是小数，正确的开头在小数点处被截断",
    "a gold answer that holds the old stop, whose right beginning was cut there":
        "标准答案含旧停止串，正确的开头在该处被截断",
    "the text ends in a number, which the old stop may have cut":
        "文本以数字结尾，可能被旧停止串截断",
    "may go on": "可能未完", "the old stop ended the text; the new one might not":
        "文本因旧停止串而结束，新停止串未必如此",
    "new prompt": "新提示", "another prompt was asked": "换用了另一个提示",
    "no text": "无原文", "only the extracted answer was saved": "只保存了抽取出的答案",
    "nothing was saved, or the reader failed": "没有保存，或阅读器失败",
    "throughput, measured in the run itself: {n} tokens a second; a cache or a resumed run makes "
    "it too high": "按运行本身测得的吞吐：每秒 {n} 个词元；缓存或续跑会使其偏高",
    "What generating again costs": "重新生成的代价",
    "prompt tokens": "提示词元", "new tokens": "新词元", "GPU-hours": "GPU 小时",
    "tokens are estimated from lengths": "词元数按长度估计",
    "tokens are estimated from lengths, without any examples in the prompts":
        "词元数按长度估计，不含提示中可能有的示例",
}  # fmt: skip

# Sentences that only cells hold.
_CELLS = {
    "gold {answers}": "标准答案 {answers}",
    "{n} questions, {before} and {after} rows: {old} -> {new}":
        "{n} 题，{before} 行与 {after} 行：{old} → {new}",
    "{small} and {large} on {benchmark}, {shots} examples":
        "{benchmark} 上的 {small} 与 {large}，{shots} 个示例",
    "{model} on {benchmark}, {few} to {many} examples":
        "{benchmark} 上的 {model}，{few} 至 {many} 个示例",
    "{small} and {large} on {benchmark}": "{benchmark} 上的 {small} 与 {large}",
    "{model} on {benchmark}": "{benchmark} 上的 {model}",
    "{benchmark}, {shots} examples: {zeros} of {all} models":
        "{benchmark}，{shots} 个示例：{all} 个模型中的 {zeros} 个",
    "{benchmark}: {zeros} of {all} models": "{benchmark}：{all} 个模型中的 {zeros} 个",
}  # fmt: skip

# Lists of sentences and of names with their meaning.
_LOOSE = {"{=cause}: {=what}": "{=cause}：{=what}", "{name}: {=what}": "{name}：{=what}"}

_CHECKS = (
    _SHARED
    | _METAMORPHIC
    | _RECORDED
    | _DISAGREEMENT
    | _TRUNCATION
    | _SHAPE
    | _SHORTCUTS
    | _LEAKAGE
    | _REPLAN
)

SENTENCES = Phrases(_LOOSE | _CHECKS)
CELLS = Phrases(_CHECKS | _CELLS)

# Only under these headings do cells hold our own words; all other cells are a stranger's.
OUR_CELLS = frozenset((
    "benchmark", "cause", "letters", "promise", "read by", "reads only", "saved answers",
    "shared", "sign", "smallest example", "stop", "where", "why",
))  # fmt: skip
