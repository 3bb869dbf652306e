"""Chinese translations of the audit's findings: sentences, headings and cells."""

from closeread.reports.words.audit_of_scorers import OF_SCORERS
from closeread.reports.words.audit_of_texts import OF_TEXTS
from closeread.reports.words.phrases import Phrases

# English -> Chinese. ``{name}`` is kept as it is, ``{=part}`` is one of these sentences itself.
_SHARED = {
    "scorer": "评分器", "value": "分值", "cause": "原因", "questions": "题数",
    "for example": "例如",
    "share %": "占比 %", "texts": "文本数", "stop": "停止串", "model": "模型", "benchmark": "基准",
    "models": "模型数", "why": "原因", "triples": "题组数", "trials": "试验数", "found": "找到",
    "p": "p", "label": "标签", "where": "位置", "from %": "从 %", "to %": "到 %", "sign": "迹象",
    "no run was given, and a score table holds no answers": "没有给出运行，而分数表中没有答案",
    "no questions are left to examine": "没有可审查的题目",
    "all questions have options, and the check needs text answers":
        "所有题目都有选项，而该项检查需要文字答案",
    "no answer": "没有答案",
    "{few} of {all} questions are in a language that the scorers do not support: audit each "
    "language separately": "{all} 题中有 {few} 题的语言不受这些评分器支持：请按语言分别审计",
}  # fmt: skip

# Sentences that only cells hold.
_CELLS = {
    "gold {answers}": "标准答案 {answers}",
    "{n} questions, {before} and {after} rows: {old} → {new}":
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

_CHECKS = _SHARED | OF_SCORERS | OF_TEXTS

SENTENCES = Phrases(_LOOSE | _CHECKS)
CELLS = Phrases(_CHECKS | _CELLS)

# Only under these headings do cells hold our own words; all other cells are a stranger's.
OUR_CELLS = frozenset((
    "benchmark", "cause", "how", "letters", "promise", "extraction", "reads only", "saved answers",
    "scored", "shared", "sign", "smallest example", "stop", "their examples", "where", "whose",
    "why",
))  # fmt: skip
