"""What the audit's checks of generated texts and their scores say, in Chinese."""

# English -> Chinese, as in ``closeread.reports.words.audit_sentences``.
_ORDER = {
    "fewer than {n} answers": "答案不足 {n} 个",
    "no run's answers fit other questions better than their own": "没有运行的答案更适合其他题目",
    "{run}: {n} of {all} answers are right for the question {shift} behind theirs, and {own} for "
    "their own":
        "{run}：{all} 个答案中有 {n} 个适合其后第 {shift} 题，{own} 个适合自己的题目",
    "{run}: {n} of {all} answers are right for the question {shift} before theirs, and {own} for "
    "their own":
        "{run}：{all} 个答案中有 {n} 个适合其前第 {shift} 题，{own} 个适合自己的题目",
    "{run}: {n} of {all} long answers are not in their passage but gold answers of others":
        "{run}：{all} 个长答案中有 {n} 个不在其原文中，而是其他篇章的标准答案",
    "Whose gold answers were given": "给出的是谁的标准答案",
    "answers": "答案数", "own %": "自己的 %", "places behind": "其后第几题",
    "of those %": "该题的 %", "long answers": "长答案数", "of other passages %": "其他篇章的 %",
}  # fmt: skip

_REPEATS = {
    "{run}: no question comes more than once": "{run}：没有题目重复出现",
    "{run}: {n} of {all} questions are repetitions; the score is {every} with them and {once} with "
    "each question once":
        "{run}：{all} 题中有 {n} 题是重复；连同重复题分数为 {every}，每题只计一次为 {once}",
    "Questions that come more than once": "重复出现的题目", "times": "次数",
    "the same passage, question and options, word for word; the first of each counts; score: F1, "
    "of options accuracy":
        "篇章、题干与选项逐字相同；各取第一个；分数：F1，选择题为正确率",
}  # fmt: skip

_GARBLED = {
    "{run}: no answer and no gold answer is garbled": "{run}：没有答案或标准答案是乱码",
    "{run}: {n} answers and {golds} gold answers are garbled; undone, {metric} F1 goes from {old} "
    "to {new}":
        "{run}：{n} 个答案和 {golds} 个标准答案是乱码；还原后 {metric} F1 从 {old} 变为 {new}",
    "Texts that became others": "变成乱码的文字",
    "whose": "谁的", "how": "原因", "it is": "现为", "it was": "原为",
    "UTF-8 read as Latin-1": "UTF-8 被当作 Latin-1 读入",
    "UTF-8 read as GBK": "UTF-8 被当作 GBK 读入", "GBK read as Latin-1": "GBK 被当作 Latin-1 读入",
    "HTML entities": "HTML 实体", "JSON escapes": "JSON 转义",
    "letters and accents apart": "字母与重音分离", "letters lost": "字符丢失",
    "found where the text that it was stands in its passage or is accepted, and the text itself is "
    "neither; share: of the questions":
        "仅当还原后的文字见于原文或为标准答案、而现有文字两者皆非时才计；占比：占题目",
    "Scored as if none had": "还原后的评分", "scored": "评分方式",
    "answers undone": "还原答案", "gold answers undone, too": "并还原标准答案",
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
    "{run}: 1 text ended at the token limit before an option":
        "{run}：1 条文本在给出选项之前到达词元上限",
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
    "failed": "读者出错", "the reader failed, and no text came": "读者出错，没有得到文字",
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
    "columns that are no benchmark, left out: {columns}": "不是基准而略去的列：{columns}",
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

OF_TEXTS = _ORDER | _REPEATS | _GARBLED | _TRUNCATION | _SHAPE | _REPLAN
