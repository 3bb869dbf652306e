"""The words around differences between runs, in English and Chinese."""

# As in ``closeread.reports.words.page``.
DIFFERENCES: dict[str, tuple[str, str]] = {
    "difference": ("Difference", "差值"),
    "difference.title": ("How much do the runs differ?", "相差多少？"),
    "difference.of": ("{metric}: difference from {run}", "{metric}：与 {run} 之差"),
    "difference.smallest": ("would show", "可辨"),
    "difference.how": (
        "Values in percent, differences in points from {run} on the same questions, with {level}% "
        "intervals.",
        "数值为百分比；差值为百分点，与 {run} 同题配对，附 {level}% 区间。",
    ),
    "difference.tests": ("p: {tests}.", "p：{tests}。"),
    "difference.holm-runs": (
        "Holm: p adjusted for all runs that are compared.",
        "Holm：p 按所比较的全部运行校正。",
    ),
    "difference.holm-sets": (
        "Holm: p adjusted for all data sets and runs.",
        "Holm：p 按全部数据集与运行校正。",
    ),
    "difference.holm-averages": (
        "Holm: p adjusted for all data sets and runs; that of an average only for the runs.",
        "Holm：p 按全部数据集与运行校正；平均值的 p 只按运行校正。",
    ),
    "difference.shows": (
        "would show: the smallest difference that this many questions would show (power 0.8).",
        "可辨：这么多题能看出的最小差异（功效 0.8）。",
    ),
    "difference.sure": (
        "* sure: p below {level} after Holm.",
        "* 可确定：Holm 校正后 p 小于 {level}。",
    ),
    "difference.spread": (
        "±: the standard deviation of a system's seeds.",
        "±：同一系统各随机种子间的标准差。",
    ),
    "macro.all": ("macro-average", "宏平均"),
    "macro.in": ("macro-average, in domain", "宏平均，域内"),
    "macro.out": ("macro-average, out of domain", "宏平均，域外"),
}
