"""The words of plots, in English and Chinese: titles, notes and axes."""

# As in ``closeread.reports.words.page``.
PLOTS: dict[str, tuple[str, str]] = {
    "numbers": ("Numbers in this plot", "图中数据"),
    "whole": ("the whole set: {value}", "整体：{value}"),
    "chance": ("chance level", "随机水平"),
    "axis.coverage": ("answered, % (most confident first)", "作答比例，%（置信度最高的在前）"),
    "rank.longest": ("longest", "最长"),
    "rank.shortest": ("shortest", "最短"),
    "rank.nth": ("length rank {n}", "长度第 {n}"),
    "original.right": ("original right", "原题对"),
    "original.wrong": ("original wrong", "原题错"),
    "variant.right": ("variant right", "变式对"),
    "variant.wrong": ("variant wrong", "变式错"),
    "first.right": ("first right", "前者对"),
    "first.wrong": ("first wrong", "前者错"),
    "second.right": ("second right", "后者对"),
    "second.wrong": ("second wrong", "后者错"),
    "plot.runs": ("How do the runs compare?", "各次运行相比如何？"),
    "plot.group": ("Does it depend on “{tag}”?", "得分是否因“{tag}”而异？"),
    "plot.strategy": ("Which strategies break it?", "哪些改写策略能难倒它？"),
    "plot.role": ("Does it hold when questions are rewritten?", "题目改写后还答得对吗？"),
    "plot.coverage": ("What would it score if it could decline?", "允许弃答时能得多少分？"),
    "plot.length": (
        "Does an option's length give the answer away?",
        "选项长度会泄露答案吗？",
    ),
    "plot.flips": ("Does a right answer survive? {role}", "答对的题改写后还对吗？{role}"),
    "plot.pair": ("Where do the two runs differ?", "两次运行在哪里不同？"),
    "plot-note.runs": ("{metric}, %, with its interval", "{metric}（%）及其区间"),
    "plot-note.group": (
        "{metric}, % with interval; the dashed line is the whole set",
        "{metric}（%）及区间；虚线为整体",
    ),
    "plot-note.strategy": (
        "{metric}, % with interval, by how the question or its right option was changed",
        "{metric}（%）及区间，按题目或正确选项的改写方式分组",
    ),
    "plot-note.role": (
        "{metric}, % with interval; the dashed line is the whole set",
        "{metric}（%）及区间；虚线为整体",
    ),
    "plot-note.coverage": (
        "Mean {metric}, %, over the questions answered; marks at 80% and 90%",
        "所答题目的平均 {metric}（%）；标记处为作答 80% 与 90%",
    ),
    "plot-note.band": (
        "Shaded: pointwise {level}% interval ({resamples} resamples)",
        "阴影：逐点的 {level}% 区间（{resamples} 次重抽样）",
    ),
    "plot-note.bands": (
        "Shaded: pointwise {level}% intervals ({resamples} resamples); to tell which run is "
        "better, look at their difference",
        "阴影：逐点的 {level}% 区间（{resamples} 次重抽样）；孰优孰劣须看两次运行的差值",
    ),
    "plot-note.bounds": (
        "The numbers in this plot have pointwise {level}% intervals",
        "图中数据附逐点的 {level}% 区间",
    ),
    "plot-note.length": (
        "Share of {n} questions, %, whose gold or chosen option has this length rank",
        "{n} 题中标准答案与所选选项在各长度名次上的比例（%）",
    ),
    "plot-note.flips": ("Questions, {run}", "题数，{run}"),
    "plot-note.pair": ("Questions; first: {a}; second: {b}", "题数；前者：{a}；后者：{b}"),
}
