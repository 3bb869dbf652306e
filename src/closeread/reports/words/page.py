"""The reports' own words in English and Chinese; ``{name}`` is filled in."""

from collections.abc import Mapping

from closeread.reports.words.differences import DIFFERENCES
from closeread.reports.words.names import NAMES
from closeread.reports.words.notices import NOTICES
from closeread.reports.words.plots import PLOTS

LANGUAGES = ("en", "zh")

# Key -> (English, Chinese). The page carries both, so that a reader may switch.
WORDS: dict[str, tuple[str, str]] = {
    "overview": ("Overview", "概览"),
    "questions": ("Questions", "题目"),
    "runs-and-sets": ("{n} runs on {sets} data sets", "{sets} 个数据集上的 {n} 次运行"),
    "reader": ("Reader", "阅读器"),
    "recalibrated": ("confidences calibrated ({method})", "置信度经过校准（{method}）"),
    "elsewhere": (
        "fitted on another reader's answers, or other weights or options: no guarantee here",
        "由另一阅读器（或其他权重、选项）的作答拟合，其保证在此不成立",
    ),
    "silent-below": ("withholds answers below {least}", "低于 {least} 时弃答"),
    "silent": (
        "withholds every answer, because no threshold meets the guarantee",
        "全部弃答，因为没有阈值能满足所要的保证",
    ),
    "dataset": ("Data set", "数据集"),
    "licence": ("Licence", "许可"),
    "licence-unknown": ("not stated", "未注明"),
    "run": ("Run", "运行"),
    "n-runs": ("{n} runs compared", "{n} 次运行的对比"),
    "n-questions": ("{n} questions", "{n} 题"),
    "all-metrics": ("All {n} metrics", "全部 {n} 项指标"),
    "metric": ("Metric", "指标"),
    "value-interval": ("Value [interval], %", "值 [区间]，%"),
    "interval-line": ("{level}% interval {low} to {high}", "{level}% 区间 {low} 至 {high}"),
    "interval-of": ("{value}, interval {low} to {high}", "{value}，区间 {low} 至 {high}"),
    "no-interval": ("no interval was computed", "未计算区间"),
    "no-value": ("no value here", "此处没有值"),
    "uncounted": ("—: the metric applies to no question there", "—：该指标不适用于其中任何题"),
    "uncounted-or-unscored": (
        "—: the metric applies to no question there, or the run was not scored by this tag",
        "—：该指标不适用于其中任何题，或该运行未按此标签分组评分",
    ),
    "no-metrics": ("This run has not been scored.", "该运行尚未评分。"),
    "not-computed": ("not computed for {run}", "{run} 未计算此项"),
    "show-signature": ("Show the signature", "显示签名"),
    "proof": (
        "{n} questions, {scored} scored, {answered} answered, {failed} failed; unit: {unit}.",
        "共 {n} 题，计分 {scored}，作答 {answered}，失败 {failed}；单位：{unit}。",
    ),
    "unit.question": ("questions", "题"),
    "unit.passage": ("questions, by passage", "题（按篇章）"),
    "unit.group": ("questions, by triple", "题（按题组）"),
    "scored": ("scored", "计分"),
    "answered": ("answered", "作答"),
    "failed": ("failed", "失败"),
    "trust": ("Before you trust the number", "采信之前请注意"),
    "show-them": ("Show them", "查看"),
    "which-to-read": ("Which questions should I read?", "该看哪些题？"),
    "where-from": ("Where does it come from?", "分数从何而来？"),
    "made-by": ("Made by closeread {version}", "由 closeread {version} 生成"),
    "way.surest-first": ("most confident first", "置信度最高的在前"),
    "way.unsure-first": ("least confident first", "置信度最低的在前"),
    "way.worst-first": ("lowest score first", "得分最低的在前"),
    "way.most-first": ("largest disagreement first", "分歧最大的在前"),
    "status.right": ("right", "正确"),
    "status.partly": ("partly right", "部分正确"),
    "status.wrong": ("wrong", "错误"),
    "status.unanswered": ("unanswered", "未作答"),
    "status.failed": ("failed", "失败"),
    "status.unscored": ("not scored", "未计分"),
    "status.differ": ("runs differ", "答案不一"),
    "filter": ("Filter the questions", "筛选题目"),
    "filter-status": ("Filter by result", "按结果筛选"),
    "tag": ("Tag", "标签"),
    "all-tags": ("All tags", "全部标签"),
    "sort": ("Order", "排序"),
    "sort.order": ("In order", "原顺序"),
    "sort.score": ("By score", "按得分"),
    "sort.confidence": ("By confidence", "按置信度"),
    "sort.disagreement": ("By disagreement", "按分歧"),
    "turn-round": ("Reverse the order", "反转顺序"),
    "clear": ("clear", "清除"),
    "n-of": ("{n} of {all}", "{n} / {all} 题"),
    "nothing-found": ("No question matches.", "没有符合条件的题目。"),
    "choose": ("Select a question; j and k step through them.", "请选择一题；按 j、k 逐题浏览。"),
    "no-such-question": ("This page has no question {id}.", "本页没有题目 {id}。"),
    "list": ("List", "列表"),
    "previous": ("Previous question", "上一题"),
    "next": ("Next question", "下一题"),
    "no-passage": ("The passage is not in this page.", "本页不含原文。"),
    "asks-for": ("Asks for the option that the passage", "要求选出原文"),
    "polarity.supported": ("supports", "支持的选项"),
    "polarity.contradicted": ("contradicts", "不支持的选项"),
    "gold": ("gold", "标准答案"),
    "predicted": ("predicted", "模型答案"),
    "predicted-by": ("chosen by {run}", "{run} 所选"),
    "evidence": ("Evidence", "证据"),
    "evidence.gold": ("annotated", "标注"),
    "evidence.predicted": ("chosen by the reader", "阅读器所选"),
    "evidence.all": ("compared", "对比"),
    "evidence.option": ("Mark the evidence of", "标出哪个选项的证据"),
    "evidence.every": ("all options", "全部选项"),
    "evidence.nothing": ("found nothing", "未找到"),
    "evidence.shared": (
        "The annotated evidence belongs to the whole question: it is compared with all "
        "evidence that was found for the options.",
        "标注证据属于整道题：与为各选项找到的全部证据对比。",
    ),
    "finding.is-gold": ("gold", "标注证据"),
    "finding.hit": ("found, gold", "找到，正确"),
    "finding.extra": ("found, not gold", "找到，非标注"),
    "finding.missed": ("gold, missed", "漏掉的标注"),
    "finding.plain": ("found", "找到"),
    "attention": ("What it looked for at each step", "每一步在找什么"),
    "attention.found": ("found", "找到"),
    "retriever": ("Retriever", "检索方法"),
    "joined.title": ("Right for the right reason?", "答对是否因为依据正确？"),
    "joined.lead": (
        "Number of questions by answer and evidence; right means an F1 of at least 50%. "
        "If options have their own evidence, the chosen option's counts.",
        "按答案与证据统计题数，F1 达到 50% 即为正确；选项各有证据时，以所选选项的证据为准。",
    ),
    "joined.evidence-right": ("evidence right", "证据对"),
    "joined.evidence-wrong": ("evidence wrong", "证据错"),
    "joined.answer-right": ("answer right", "答案对"),
    "joined.answer-wrong": ("answer wrong", "答案错"),
    "joined.overall": ("Answer F1 times evidence F1:", "答案 F1 × 证据 F1："),
    "joined.gold": ("Gold evidence", "标注证据"),
    "joined.f1": ("Evidence F1, %", "证据 F1，%"),
    "joined.options": ("n", "数量"),
    "joined.sentences": ("sentences:", "句数："),
    "joined.distance": ("sentences apart:", "相隔句数："),
    "joined.missing": (
        "Not computed: {why} ({cure}).",
        "未计算：{why}（{cure}）。",
    ),
    "joined.all": ("Answers by evidence", "答案与证据"),
    "cell.both": ("right answer, right evidence", "答案对，证据对"),
    "cell.answer_only": ("right answer, wrong evidence", "答案对，证据错"),
    "cell.evidence_only": ("wrong answer, right evidence", "答案错，证据对"),
    "cell.neither": ("wrong answer, wrong evidence", "答案错，证据错"),
    "evidence-n": ("evidence {n}", "证据 {n}"),
    "to-evidence": ("Go to evidence {n}", "查看证据 {n}"),
    "said": ("covered by sentence", "由该句覆盖"),
    "said-n": ("covered by sentence {n}", "由第 {n} 句覆盖"),
    "loose": ("not covered by the evidence", "证据未覆盖"),
    "option-score": ("the reader's score of this option", "阅读器给该选项的分数"),
    "true": ("true according to the passage", "符合原文"),
    "false": ("false according to the passage", "不符合原文"),
    "no-answer": ("no answer", "无答案"),
    "no-gold": ("no gold answer", "没有标准答案"),
    "n-references": ("references: {n}", "参考答案：{n}"),
    "confidence": ("confidence", "置信度"),
    "n-best": ("n-best ({n})", "候选答案（{n}）"),
    "generation": ("Generation", "模型原文"),
    "tokens": ("tokens", "词元"),
    "cut-by-stop": ("cut by the stop rule", "被停止规则截去"),
    "cut-by-length": ("cut off by the length limit", "达到长度上限而中断"),
    "side-by-side": ("Original and variants", "原题与变式"),
    "side-note": (
        "Differences from the original: underlined text is new, struck-through text was removed.",
        "与原题的差异：下划线为新增，删除线为删去。",
    ),
    "role.original": ("Original", "原题"),
    "role.positive": ("Positive variant", "正向变式"),
    "role.negative": ("Negative variant", "负向变式"),
    "role.none": ("Question", "题目"),
    **PLOTS,
    **DIFFERENCES,
    "mrqa.title": ("Compared with the shared task's baselines", "与共享任务公布的基线对比"),
    "mrqa.lead": (
        "EM / F1 in percent, MRQA 2019 development sets; baselines as published by the organisers.",
        "EM / F1（%），MRQA 2019 开发集；基线为主办方公布的数字。",
    ),
    "mrqa.part": (
        "n: number of questions scored, where it differs from the development set's size",
        "n：计分题数与该开发集题数不同",
    ),
    "mrqa.ours": ("These runs", "本页运行"),
    "mrqa.in": ("in-domain", "域内"),
    "mrqa.out": ("out-of-domain", "域外"),
    "mrqa.none": ("not published", "未公布"),
    "mrqa.no-run": ("no run on this data set", "没有该数据集上的运行"),
    "mrqa.average-in": ("Macro-average, in-domain", "宏平均，域内"),
    "mrqa.average-out": ("Macro-average, out-of-domain", "宏平均，域外"),
    "mrqa.average-all": ("Macro-average, all 12", "宏平均，全部 12 个"),
    **NOTICES,
    "help": ("Help", "帮助"),
    "keys": ("Keys", "快捷键"),
    "key.filter": ("Filter the questions", "筛选题目"),
    "key.overview": ("Overview", "概览"),
    "key.close": ("Close, or leave the filter", "关闭，或离开筛选框"),
    "help.link": (
        "The page's address always links to what you see: copy it to share a question.",
        "地址栏随时对应当前所见：复制即可分享某一题。",
    ),
    "close": ("Close", "关闭"),
    "column.group": ("Group", "组"),
    "column.run": ("Run", "运行"),
    "column.value": ("Value", "值"),
    "column.low": ("Low", "下限"),
    "column.high": ("High", "上限"),
    "column.coverage": ("Answered, %", "作答，%"),
    "column.rank": ("Length rank", "长度名次"),
    "column.gold": ("Gold, %", "标准，%"),
    "column.predicted": ("Chosen, %", "所选，%"),
    "column.right": ("right", "对"),
    "column.wrong": ("wrong", "错"),
    "column.rows-columns": ("rows: first; columns: second", "行：前者；列：后者"),
    **NAMES,
    "noscript": (
        "Enable JavaScript to see plots and questions; this page loads nothing from the network.",
        "请启用 JavaScript 以查看图和题目；本页不联网。",
    ),
    "table.fewer": (
        "{run}: {metrics} over {n} questions, other runs over {all}.",
        "{run}：{metrics} 只计 {n} 题，其他运行计 {all} 题。",
    ),
    "table.breakdown": ("By {tag}", "按{tag}"),
    "table.signatures": ("Signatures", "签名"),
}


def word(key: str, language: str, params: Mapping[str, object] | None = None) -> str:
    """Return the words of a key, filled in; the key's last part if it has none."""
    pair = WORDS.get(key)
    if pair is None:
        return key.partition(".")[2] or key
    text = pair[LANGUAGES.index(language)]
    for name, value in (params or {}).items():
        text = text.replace("{" + name + "}", str(value))
    return text


def by_language() -> dict[str, dict[str, str]]:
    """Return all words, language first, as the page carries them."""
    return {
        language: {key: pair[number] for key, pair in WORDS.items()}
        for number, language in enumerate(LANGUAGES)
    }
