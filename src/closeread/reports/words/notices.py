"""The notices in English and Chinese: ``notice.`` and the code of each."""

# As in ``closeread.reports.words.page``.
NOTICES: dict[str, tuple[str, str]] = {
    "notice.set-missing": (
        "The data set {name} was not found ({path}), so its questions are not shown; pass "
        "its new path with --dataset.",
        "未找到数据集 {name}（{path}），因此不显示题目；可用 --dataset 指定位置。",
    ),
    "notice.set-changed": (
        "The file {path} has changed since the run, so the questions of {name} are not shown.",
        "文件 {path} 在运行之后已被改动，因此不显示 {name} 的题目。",
    ),
    "notice.set-another": (
        "The data set given for {name} is not the file that the run answers: passages may differ.",
        "为 {name} 指定的文件不是该运行所答的文件：原文可能对不上。",
    ),
    "notice.defects": ("{n} defects in the data of {name}", "{name} 的数据中有 {n} 处缺陷"),
    "notice.sampled": (
        "The page shows {n} of the {all} questions of {name} (every k-th passage); "
        "the scores above cover all of them.",
        "本页只显示 {name} 全部 {all} 题中的 {n} 题（等距抽取篇章）；上方分数基于全部题目。",
    ),
    "notice.licence-non-commercial": (
        "{name} may not be used commercially: {license}",
        "{name} 不得用于商业用途：{license}",
    ),
    "notice.licence-unknown": (
        "The licence of {name} is unknown; ask before you redistribute its text.",
        "{name} 的许可不明；再分发其文本前请先确认。",
    ),
    "notice.files-changed": (
        "This run's files were changed after scoring, so its scores may not match what is shown "
        "({why}): closeread verify {name}",
        "该运行的文件在评分后被改动，分数与所示内容可能不符（{why}）：closeread verify {name}",
    ),
    "notice.not-scored": ("The run has not been scored.", "该运行尚未评分。"),
    "notice.handed-in-missing": (
        "{n} of {all} questions have no prediction: {ids}.",
        "{all} 题中有 {n} 题没有预测：{ids}。",
    ),
    "notice.handed-in-strangers": (
        "{n} of {all} predictions match no question in this data set: {ids}.",
        "{all} 条预测中有 {n} 条不对应本数据集的任何题目：{ids}。",
    ),
    "notice.handed-in-repeated": (
        "Ids that appear more than once: {n} ({ids}). The last prediction counts, unless the "
        "official program does otherwise.",
        "重复出现的 id：{n} 个（{ids}）。除非官方程序另有规定，每个只计最后一条。",
    ),
    "notice.handed-in-no-options": (
        "Answers that are not among their questions' options and count as wrong: {n} ({ids}).",
        "不属于该题任何选项的答案：{n} 个，按答错计（{ids}）。",
    ),
    "notice.handed-in-typed": (
        "Option letters that are not written as A, B, ..., the form that official programs "
        "accept: {n} ({ids}).",
        "选项字母写法不同于官方程序所认的 A、B：{n} 个（{ids}）。",
    ),
    "notice.handed-in-numbers": (
        "Answers that are numbers although options have letters: {n} ({ids}).",
        "以数字代替选项字母：{n} 个（{ids}）。",
    ),
    "notice.handed-in-garbled": (
        "Answers that were garbled, probably by a wrong encoding, HTML entities or escapes: {n} "
        "({ids}).",
        "传递中变成乱码的答案（编码、实体或转义有误）：{n} 个（{ids}）。",
    ),
    "notice.handed-in-declined": (
        "Answers that are null or say in words that there is no answer; an empty string means no "
        "answer: {n} ({ids}).",
        "以 null 或文字表示无答案（应为空文本）：{n} 个（{ids}）。",
    ),
    "notice.handed-in-several": (
        "Answers that list several texts although the gold answer is one; most programs score "
        "only the first: {n} ({ids}).",
        "给出多段文字而标准答案为单段的答案（多数程序只评第一段）：{n} 个（{ids}）。",
    ),
    "notice.handed-in-odds": (
        "No-answer odds below 0 or above 1, probably log-odds; values above na_threshold are "
        "scored as no answer: {n} ({ids}).",
        "无答案概率小于 0 或大于 1（似为对数几率）；高于 na_threshold 的按无答案评："
        "{n} 个（{ids}）。",
    ),
    "notice.handed-in-other-options": (
        "Predictions whose options differ from the question's, probably from another version of "
        "the data set: {n} ({ids}).",
        "预测所附选项与题目不同，似为数据集的另一版本所作：{n} 条（{ids}）。",
    ),
    "notice.handed-in-misplaced": (
        "Evidence whose spans and text differ, probably found in other passages: {n} ({ids}).",
        "证据位置上的文字与所附文字不同，似取自其他原文：{n} 条（{ids}）。",
    ),
    "notice.read-as-letters": (
        "If read as the letters that a person sees in them (current score in brackets): {values}.",
        "若按人所读出的字母计（括号内为现值）：{values}。",
    ),
    "notice.read-as-numbers-from-0": (
        "If read as option numbers from 0 (current score in brackets): {values}.",
        "若按从 0 起的选项序号计（括号内为现值）：{values}。",
    ),
    "notice.read-as-numbers-from-1": (
        "If read as option numbers from 1 (current score in brackets): {values}.",
        "若按从 1 起的选项序号计（括号内为现值）：{values}。",
    ),
    "notice.read-as-no-answer": (
        "If read as no answer (current score in brackets): {values}.",
        "若按无答案计（括号内为现值）：{values}。",
    ),
    "notice.read-as-no-null-odds": (
        "Without these odds (current score in brackets): {values}.",
        "不计这些概率（括号内为现值）：{values}。",
    ),
    "notice.read-as-ungarbled": (
        "With the garbled text restored (current score in brackets): {values}.",
        "若按还原后的文字计（括号内为现值）：{values}。",
    ),
    "notice.failed": (
        "{n} questions failed and count as wrong.",
        "{n} 题运行失败，按答错计。",
    ),
    "notice.truncated": (
        "{n} generations were cut off by the length limit.",
        "{n} 条生成因长度上限被截断。",
    ),
    "notice.shortened": (
        "{n} answers have texts of more than {most} characters, shortened here (…); the run's "
        "predictions.jsonl has the full texts.",
        "{n} 个回答含超过 {most} 字符的文本，本页只显示开头并以 … 结尾；全文见 predictions.jsonl。",
    ),
    "notice.server-stop": (
        "The server ended {n} generations at a stop string; the text after it was never generated.",
        "{n} 条生成在服务器端遇停止串结束；其后的文本没有生成。",
    ),
    "notice.denominator": (
        "{n} of {all} questions count in {metrics}: the others are of another kind, or the "
        "official denominator excludes them.",
        "{metrics} 只计 {all} 题中的 {n} 题：其余题目不属其类，或不计入官方分母。",
    ),
    "notice.limit": (
        "Only the first {n} questions of the data set were read.",
        "只读了数据集的前 {n} 题。",
    ),
    "notice.different-sets": (
        "The runs answer {n} different data sets; their scores are not comparable.",
        "这些运行回答 {n} 个不同的数据集，分数不可直接比较。",
    ),
    "notice.signatures": (
        "The runs were scored with different settings: {metrics}.",
        "各次运行的评分设置不同：{metrics}。",
    ),
}
