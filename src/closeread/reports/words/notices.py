"""The notices in English and Chinese: ``notice.`` and the code of each."""

# As in ``closeread.reports.words.page``.
NOTICES: dict[str, tuple[str, str]] = {
    "notice.set-missing": (
        "The data set {name} was not found ({path}), so its questions are not shown; "
        "--dataset says where it is.",
        "未找到数据集 {name}（{path}），因此不显示题目；可用 --dataset 指定位置。",
    ),
    "notice.set-changed": (
        "The file {path} is not the one that was answered, so questions of {name} are not shown.",
        "文件 {path} 已不是当时作答的文件，因此不显示 {name} 的题目。",
    ),
    "notice.set-another": (
        "The data set given for {name} is not the file that was answered: passages may not fit.",
        "为 {name} 指定的文件不是当时作答的文件：原文可能对不上。",
    ),
    "notice.defects": ("{n} defects in the data of {name}", "{name} 的数据中有 {n} 处缺陷"),
    "notice.sampled": (
        "The page holds {n} of the {all} questions of {name} (passages at even steps); "
        "the numbers above are over all.",
        "本页只含 {name} 全部 {all} 题中的 {n} 题（等距抽取篇章）；上方数字基于全部题目。",
    ),
    "notice.licence-non-commercial": (
        "{name} may not be used commercially: {license}",
        "{name} 不得用于商业用途：{license}",
    ),
    "notice.licence-unknown": (
        "{name} states no known licence; ask before you pass its text on.",
        "{name} 未注明许可；转发其文本前请先确认。",
    ),
    "notice.files-changed": (
        "This run's files were changed after scoring, so its numbers may not be of what is shown "
        "({why}): closeread verify {name}",
        "该运行的文件在评分后被改动，数字与所示内容可能不符（{why}）：closeread verify {name}",
    ),
    "notice.not-scored": ("The run has not been scored.", "该运行尚未评分。"),
    "notice.failed": (
        "{n} questions failed and count as wrong.",
        "{n} 题运行失败，按答错计。",
    ),
    "notice.truncated": (
        "{n} generations were cut off by the length limit.",
        "{n} 条生成因长度上限被截断。",
    ),
    "notice.shortened": (
        "{n} answers hold texts of more than {most} characters, which end here in …; the run's "
        "predictions have them whole.",
        "{n} 个回答含超过 {most} 字符的文本，本页只显示开头并以 … 结尾；全文在运行的预测文件中。",
    ),
    "notice.server-stop": (
        "{n} generations were ended by the server at a stop string; what followed is lost.",
        "{n} 条生成在服务器端遇停止串结束；其后内容已丢失。",
    ),
    "notice.denominator": (
        "{n} of {all} questions count in {metrics}: the others are of another kind, or the "
        "official denominator leaves them out.",
        "{metrics} 只计 {all} 题中的 {n} 题：其余题目不属其类，或被官方分母略去。",
    ),
    "notice.limit": (
        "Only the first {n} questions of the data set were read.",
        "只读了数据集的前 {n} 题。",
    ),
    "notice.different-sets": (
        "The runs answer {n} different data sets; their numbers are not comparable.",
        "这些运行回答 {n} 个不同的数据集，数字不可直接比较。",
    ),
    "notice.signatures": (
        "The runs were scored with different settings: {metrics}.",
        "各次运行的评分设置不同：{metrics}。",
    ),
}
