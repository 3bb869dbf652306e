"""Chinese translations of the findings of the audit's checks of generated texts and scores."""

# English -> Chinese, as in ``closeread.reports.words.audit_sentences``.
_ORDER = {
    "fewer than {n} answers, or questions with a gold answer":
        "答案或带标准答案的题目不足 {n} 个",
    "no run's answers fit other questions better than their own": "没有运行的答案更适合其他题目",
    "{run}: {n} of {all} answers fit the question at offset {shift}, and {own} fit their own "
    "question":
        "{run}：{all} 个答案中有 {n} 个适合偏移 {shift} 处的题目，{own} 个适合自己的题目",
    "{run}: {n} of {all} long answers are gold answers of other passages and not in their own "
    "passage":
        "{run}：{all} 个长答案中有 {n} 个不在其原文中，而是其他篇章的标准答案",
    "Which questions the answers fit": "答案与哪些题目相符",
    "answers": "答案数", "own %": "自己的 %", "offset": "偏移",
    "at offset %": "偏移处的 %", "long answers": "长答案数", "of other passages %": "其他篇章的 %",
}  # fmt: skip

_REPEATS = {
    "{run}: no question occurs more than once": "{run}：没有题目重复出现",
    "{run}: {n} of {all} questions are repetitions; the score is {every} with them and {once} with "
    "each question counted once":
        "{run}：{all} 题中有 {n} 题是重复；连同重复题分数为 {every}，每题只计一次为 {once}",
    "Questions that occur more than once": "重复出现的题目", "times": "次数",
    "the same passage, question and options, word for word; the first occurrence "
    "counts; score: F1, for questions with options accuracy":
        "篇章、题干与选项逐字相同；各取第一个；分数：F1，选择题为正确率",
}  # fmt: skip

_GARBLED = {
    "{run}: no answer and no gold answer is garbled": "{run}：没有答案或标准答案是乱码",
    "{run}: {n} answers and {golds} gold answers are garbled; undoing this changes {metric} F1 "
    "from {old} to {new}":
        "{run}：{n} 个答案和 {golds} 个标准答案是乱码；还原后 {metric} F1 从 {old} 变为 {new}",
    "{run}: 1 answer and {golds} gold answers are garbled; undoing this changes {metric} F1 from "
    "{old} to {new}":
        "{run}：1 个答案和 {golds} 个标准答案是乱码；还原后 {metric} F1 从 {old} 变为 {new}",
    "{run}: {n} answers and 1 gold answer are garbled; undoing this changes {metric} F1 from {old} "
    "to {new}":
        "{run}：{n} 个答案和 1 个标准答案是乱码；还原后 {metric} F1 从 {old} 变为 {new}",
    "{run}: 1 answer and 1 gold answer are garbled; undoing this changes {metric} F1 from {old} to "
    "{new}":
        "{run}：1 个答案和 1 个标准答案是乱码；还原后 {metric} F1 从 {old} 变为 {new}",
    "Garbled texts": "乱码文本",
    "whose": "谁的", "how": "原因", "saved text": "保存的文本", "original text": "原文本",
    "UTF-8 read as Latin-1": "UTF-8 被当作 Latin-1 读入",
    "UTF-8 read as GBK": "UTF-8 被当作 GBK 读入", "GBK read as Latin-1": "GBK 被当作 Latin-1 读入",
    "HTML entities": "HTML 实体", "JSON escapes": "JSON 转义",
    "letters and accents apart": "字母与重音分离", "letters lost": "字符丢失",
    "counted only if the original text occurs in the passage or is an accepted answer, and the "
    "saved text is neither; share: of all questions":
        "仅当还原后的文字见于原文或为标准答案、而现有文字两者皆非时才计；占比：占题目",
    "Scores with the garbling undone": "还原后的评分", "scored": "评分方式",
    "answers undone": "还原答案", "gold answers undone, too": "并还原标准答案",
}  # fmt: skip

_TRUNCATION = {
    "{run}: cutting at {stop} changes {metric} F1 from {old} to {new}":
        "{run}：在 {stop} 处截断使 {metric} F1 从 {old} 变为 {new}",
    "{run}: cutting at {stop} changes {metric} F1 from {old} to {new}; {points} points are lost "
    "in 1 text: {=cause}":
        "{run}：在 {stop} 处截断使 {metric} F1 从 {old} 变为 {new}；"
        "1 条文本失去 {points} 分：{=cause}",
    "{run}: cutting at {stop} changes {metric} F1 from {old} to {new}; {points} points are lost "
    "in {n} texts: {=cause}":
        "{run}：在 {stop} 处截断使 {metric} F1 从 {old} 变为 {new}；"
        "{n} 条文本失去 {points} 分：{=cause}",
    "{run}: extracting the answers with --extract {rule} changes {metric} F1 from {old} to {new}":
        "{run}：按 --extract {rule} 抽取答案使 {metric} F1 从 {old} 变为 {new}",
    "{run}: extracting the answers with --extract {rule} changes {metric} F1 from {old} to "
    "{new}; {points} points are lost in 1 text: {=cause}":
        "{run}：按 --extract {rule} 抽取答案使 {metric} F1 从 {old} 变为 {new}；"
        "1 条文本失去 {points} 分：{=cause}",
    "{run}: extracting the answers with --extract {rule} changes {metric} F1 from {old} to "
    "{new}; {points} points are lost in {n} texts: {=cause}":
        "{run}：按 --extract {rule} 抽取答案使 {metric} F1 从 {old} 变为 {new}；"
        "{n} 条文本失去 {points} 分：{=cause}",
    "{run}: extracting the answers with --extract {rule} changes accuracy from {old} to {new}":
        "{run}：按 --extract {rule} 抽取答案使正确率从 {old} 变为 {new}",
    "{run}: 1 text ended at the token limit before it named an option":
        "{run}：1 条文本在给出选项之前到达词元上限",
    "{run}: {n} texts ended at the token limit before they named an option":
        "{run}：{n} 条文本在给出选项之前到达词元上限",
    "{run}: no option was lost in extraction":
        "{run}：抽取中没有丢失选项",
    "all questions have options, and no generated texts were saved":
        "所有题目都有选项，且没有保存生成的文本",
    "accuracy %": "正确率 %", "no option": "未抽取出选项",
    "Texts without an extracted option": "未抽取出选项的文本",
    "Answers extracted again from the texts": "从文本重新抽取的答案",
    "extraction": "抽取方式", "--extract {rule}": "--extract {rule}",
    "{run}: no answer was cut, and no other stop raises {metric} F1":
        "{run}：没有答案被截断，换停止串也不会提高 {metric} F1",
    "{run}: no other stop raises {metric} F1; {points} points are lost in 1 text: {=cause}":
        "{run}：换停止串不会提高 {metric} F1；1 条文本失去 {points} 分：{=cause}",
    "{run}: no other stop raises {metric} F1; {points} points are lost in {n} texts: {=cause}":
        "{run}：换停止串不会提高 {metric} F1；{n} 条文本失去 {points} 分：{=cause}",
    "Scores with the texts cut at each stop": "在各停止串处截断后的得分",
    "changed answers": "改变的答案数", "as saved": "保存的原样", "no stop": "不截断",
    "a text can have several causes": "一条文本可有多种情况",
    "How texts ended": "文本如何结束",
    "F1 as saved %": "原样 F1 %",
    "F1 cut at {stop} %": "截于 {stop} 的 F1 %",
    "Score by text length": "按文本长度的得分", "characters": "字符数",
    "from, to: the {level} interval, from {n} resamples":
        "从、到：{level} 置信区间，重采样 {n} 次",
    "the texts were cut before they were saved: what followed the stop is lost, and no later "
    "cut recovers it": "文本在保存时已被截断：停止串之后的内容已丢失，事后截断无法找回",
    "failed": "阅读器出错", "the reader failed and returned no text": "阅读器出错，没有返回文字",
    "empty": "空文本", "the text is empty": "文本为空",
    "token limit": "词元上限", "the text ended at the token limit": "文本在词元上限处结束",
    "decimal cut": "小数被截断",
    "the text has only the part of a decimal gold answer before its point":
        "标准答案是小数，而文本只有小数点之前的部分",
    "gold cut": "答案被截断",
    "the text is the beginning of a gold answer, up to a stop string in it":
        "文本是标准答案的开头，止于其中的停止串",
    "ends in a number": "以数字结尾",
    "the text ends in a digit: a stop may have cut it": "文本以数字结尾，可能被停止串截断",
    "next example": "续写示例",
    "the text continues with headings as in the prompt": "文本继续写出提示中的标题",
    "run-on": "续写",
    "copied": "照抄",
    "the answer of one of the prompt's examples (see the notes)": "提示示例中的答案（见说明）",
    "copied: equal to the answer of an example in the question's own prompt, and neither in its "
    "passage nor accepted; the prompts are known, so the count is exact":
        "照抄：与该题提示中某个示例的答案相同，不在原文中，也不被接受；提示已知，因此计数是确切的",
    "copied: the same long text for ten or more questions on different passages, with a gold "
    "answer in it for fewer than one in ten; the prompts are not known, so this is a guess":
        "照抄：同一个长文本用于不同篇章的十题或更多，其中含有答案的不到十分之一；提示未知，因此只是推测",
    "copied by chance: {n} texts equal the answer of an example in another question's prompt":
        "偶然照抄：{n} 条文本与其他题目提示中某个示例的答案相同",
    "answer after": "答案在后",
    "a gold answer is in the text, but not on its first line":
        "文本中有标准答案，但不在第一行",
    "not taken": "未取到答案",
    "the extracted answer is not in the text, or is empty":
        "作为答案取出的内容不在文本中，或什么也没有取出",
}  # fmt: skip

_SHAPE = {
    "skipped columns that are not benchmarks: {columns}": "不是基准而略去的列：{columns}",
    "fewer than two models with scores": "有分数的模型不足两个",
    "{benchmark}: fewer than three models with scores, and no sign of a problem":
        "{benchmark}：有分数的模型不足三个，也没有问题迹象",
    "{n} models are stuck between {low} and {high} while the mean of their other scores ranges "
    "from {from} to {to}":
        "{n} 个模型停滞在 {low} 与 {high} 之间，而其余基准的平均从 {from} 升至 {to}",
    "{=what} ({count})": "{=what}（{count}）",
    "{=what} ({count} or more)": "{=what}（至少 {count}）",
    "{benchmark}: moves with the other benchmarks": "{benchmark}：与其他基准同步变化",
    "moves with the other benchmarks": "与其他基准同步变化",
    "1 sign at other benchmarks": "其他基准上有 1 处迹象",
    "{n} signs at other benchmarks": "其他基准上有 {n} 处迹象",
    "examples lower the score": "示例使分数降低",
    "the larger model scores lower": "较大的模型得分更低",
    "the same setting differs between runs": "同一设置的多次结果不同",
    "a weaker model scores twice as high": "较弱的模型得分翻倍",
    "zero for every model": "所有模型均为零",
    "{benchmark} against the other benchmarks": "{benchmark} 与其他基准",
    "mean of the other benchmarks": "其余基准的平均",
    "Pearson without the cluster": "除去该簇的 Pearson",
    "Models whose {benchmark} score hardly changes": "{benchmark} 分数几乎不变的模型",
    "mean of the other benchmarks %": "其余基准的平均 %",
    "Runs of these models against their other scores, cut at each stop":
        "这些模型的运行与其他分数：在各停止串处截断",
    "stuck": "停滞数",
    "one stop for all models; each run is scored by the scorer that fits its questions":
        "所有模型用同一停止串；运行按适合其题目的评分器评分",
    "Before and after": "之前与之后",
    "{scorer} F1 as saved %": "原样 {scorer} F1 %",
    "repeated rows with the same scores, counted once: {names}":
        "重复且分数相同的行，只计一次：{names}",
    "{n} of the runs belong to models in the table; scoring them at each stop needs at least three":
        "属于表中模型的运行有 {n} 次；在各停止串处评分至少需要三次",
    "scores without a standard error: {few} of {all}, assumed to come from {n} questions each "
    "(--questions changes this number)":
        "没有标准误的分数：{all} 个中有 {few} 个，按各 {n} 题计（可用 --questions 更改）",
    "{=shape}; no stop raises the scores of the {n} runs":
        "{=shape}；任何停止串都不会提高这 {n} 次运行的分数",
    "{=shape}; cutting the texts of {n} runs at {stop} changes Pearson's correlation with the "
    "other benchmarks from {before} to {after}":
        "{=shape}；将 {n} 次运行的文本截于 {stop}，与其余基准的 Pearson 相关从 {before} 变为 "
        "{after}",
    "no stop raises the scores of the {n} runs": "任何停止串都不会提高这 {n} 次运行的分数",
    "cutting the texts of {n} runs at {stop} changes Pearson's correlation with the other "
    "benchmarks from {before} to {after}":
        "将 {n} 次运行的文本截于 {stop}，与其余基准的 Pearson 相关从 {before} 变为 {after}",
    "Signs that the scores do not measure the models": "分数未能衡量模型的迹象",
}  # fmt: skip

_REPLAN = {
    "{=change}, new prompt": "{=change}，更换提示",
    "{=change}, new normaliser": "{=change}，更换归一化",
    "{=change}, new extraction": "{=change}，更换抽取规则",
    "stop at {stops}": "停止于 {stops}",
    "{n} runs, {=change}: {again} of {all} answers ({share} %) must be generated again":
        "{n} 次运行，{=change}：{all} 条答案中有 {again} 条（{share} %）必须重新生成",
    "What each run requires": "各次运行的要求", "again": "重新生成",
    "tokens": "词元",
    "{run}, {=change}: {again} of {all} answers ({share} %) must be generated again":
        "{run}，{=change}：{all} 条答案中有 {again} 条（{share} %）必须重新生成",
    "{run}, {=change}: {again} of {all} answers ({share} %) must be generated again: all can be "
    "scored from the saved data":
        "{run}，{=change}：{all} 条答案中有 {again} 条（{share} %）必须重新生成；"
        "全部可用已保存的数据评分",
    "stop at nothing": "不设停止串", "new extraction": "更换抽取规则",
    "new normaliser": "更换归一化",
    "What the change requires": "该改动的要求", "saved answers": "已保存的答案",
    "unaffected": "不受影响", "scored anew": "重新评分",
    "the change does not affect them": "改动与其无关",
    "the saved text contains all that the new rule needs": "保存的文本已含新规则所需的全部内容",
    "the text is the beginning of a decimal gold answer, cut at its point":
        "文本是小数标准答案的开头，在小数点处被截断",
    "the text is the beginning of a gold answer, cut at the old stop in it":
        "文本是标准答案的开头，在其中的旧停止串处被截断",
    "the text ends in a number, which the old stop may have cut":
        "文本以数字结尾，可能被旧停止串截断",
    "may go on": "可能未完", "the old stop ended the text; the new one might not":
        "文本因旧停止串而结束，新停止串未必如此",
    "new prompt": "更换提示", "the prompt changes": "提示改变",
    "no text": "无原文", "only the extracted answer was saved": "只保存了抽取出的答案",
    "nothing was saved, or the reader failed": "没有保存，或阅读器失败",
    "throughput measured in this run: {n} tokens per second; the number is too high if the run "
    "used a cache or was resumed": "本次运行测得的吞吐：每秒 {n} 个词元；使用过缓存或续跑时偏高",
    "Cost of generating again": "重新生成的代价",
    "prompt tokens": "提示词元", "new tokens": "新词元", "GPU-hours": "GPU 小时",
    "token counts are estimated from text lengths": "词元数按文本长度估计",
    "token counts are estimated from text lengths, without the examples that the prompts may have":
        "词元数按文本长度估计，不含提示中可能有的示例",
}  # fmt: skip

OF_TEXTS = _ORDER | _REPEATS | _GARBLED | _TRUNCATION | _SHAPE | _REPLAN
