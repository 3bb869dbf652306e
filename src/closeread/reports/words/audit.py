"""The audit page's own words in Chinese; ``audit_sentences`` has those of the checks."""

from closeread.reports.words.phrases import Phrases

# English -> Chinese. ``{name}`` is kept as it is.
_FRAME: dict[str, str] = {
    "Audit of {names}": "审计：{names}",
    "{names} and {n} more": "{names} 等（另有 {n} 个）",
    "audit: can the number be believed?": "审计：分数可信吗？",
    "Examined": "审查对象",
    "Skipped as unusable": "因无法使用而跳过",
    "{n} verdicts, the most severe first": "{n} 项结论，最严重的在前",
    "sound": "可信",
    "doubtful": "存疑",
    "broken": "不可用",
    "skipped": "未查",
    "the check found nothing": "未发现问题",
    "read the check's tables before you use the number": "使用该分数之前，请先看该项检查的表格",
    "do not use the number as it is": "请勿直接使用该分数",
    "the sources lack what the check needs": "来源缺少该项检查所需的内容",
    "Nothing to show.": "没有内容。",
    "a model": "一个模型",
    "a model of the cluster that hardly moves": "停滞的一簇中的模型",
    "a run as saved": "保存原样的运行",
    "the same run, cut at {stop}": "同一运行，截于 {stop}",
    "{benchmark} over the mean of the other benchmarks, model by model":
        "各模型的 {benchmark} 与其余基准的平均",
    "mean of the other benchmarks, %": "其余基准的平均，%", "{benchmark}, %": "{benchmark}，%",
    "the first {shown} of {all} rows; all are in the output of --json":
        "前 {shown} 行，共 {all} 行；全部见 --json 的输出",
    "{n} characters": "共 {n} 个字符",
    "no value": "没有值",
    "Made by closeread {version}": "由 closeread {version} 生成",
    "metamorphic": "蜕变测试（metamorphic）",
    "recorded": "所存分数（recorded）",
    "disagreement": "评分器分歧（disagreement）",
    "order": "错位（order）",
    "repeats": "重复（repeats）",
    "garbled": "乱码（garbled）",
    "truncation": "截断（truncation）",
    "shape": "分数形态（shape）",
    "shortcuts": "捷径（shortcuts）",
    "leakage": "泄漏（leakage）",
    "replan": "重跑计划（replan）",
    "Does the scorer behave as it should on these questions?":
        "评分器在这些题目上的行为符合要求吗？",
    "Can the scores that the harness saved be reproduced?": "评测框架保存的分数能否重新得出？",
    "Where do scorers disagree about the same answers, and why?":
        "各评分器对同样的答案在哪里有分歧？为什么？",
    "Do the answers belong to their questions?": "答案与题目对得上吗？",
    "Does a question occur more than once?": "有题目重复出现吗？",
    "Did encodings or escapes change texts, and what does that cost?":
        "编码或转义改变了文字吗？代价多大？",
    "How did the texts end, and what would another stop or extraction give?":
        "文本如何结束？换停止串或抽取规则会怎样？",
    "Does this benchmark move over models as the others do?":
        "该基准随模型的变化与其他基准一致吗？",
    "What can be answered without reading?": "哪些题不读原文也能答对？",
    "Has the reader seen what it should not?": "阅读器看到了不该看的内容吗？",
    "After a change, what must be generated again?":
        "改动之后，哪些必须重新生成？",
    "missing-gold": "缺标准答案（missing-gold）",
    "nan-score": "分数为 NaN（nan-score）",
    "odd-shots": "示例数不是数字（odd-shots）",
    "different-questions": "题目不一致（different-questions）",
    "no-samples": "日志只有整体分数，没有题目和答案（no-samples）",
}  # fmt: skip

FRAME = Phrases(_FRAME)

QUESTIONS = {
    "metamorphic": "Does the scorer behave as it should on these questions?",
    "recorded": "Can the scores that the harness saved be reproduced?",
    "disagreement": "Where do scorers disagree about the same answers, and why?",
    "order": "Do the answers belong to their questions?",
    "repeats": "Does a question occur more than once?",
    "garbled": "Did encodings or escapes change texts, and what does that cost?",
    "truncation": "How did the texts end, and what would another stop or extraction give?",
    "shape": "Does this benchmark move over models as the others do?",
    "shortcuts": "What can be answered without reading?",
    "leakage": "Has the reader seen what it should not?",
    "replan": "After a change, what must be generated again?",
}

MEANINGS = {
    "sound": "the check found nothing",
    "doubtful": "read the check's tables before you use the number",
    "broken": "do not use the number as it is",
    "skipped": "the sources lack what the check needs",
}
