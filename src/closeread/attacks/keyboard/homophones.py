"""Find Chinese characters that are often confused with homophones or near homophones.

A reader overlooks these typos: the result is no word, or no word that makes sense in its place.
The lists were written for this project.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from closeread.text.traditional import SIMPLIFIED, to_simplified

_MISSPELLINGS = (
    "已经:以经 以及:已及 可以:可已 以后:已后 以前:已前 所以:所已 以来:已来 即使:既使"
    " 既然:即然 立即:立既 即将:既将 再次:在次 正在:正再 现在:现再 存在:存再 再现:在现"
    " 再度:在度 好像:好象 现象:现像 形象:形像 对象:对像 印象:印像 景象:景像 图像:图象"
    " 雕像:雕象 偶像:偶象 录像:录象 气象:气像 象征:像征 部分:部份 成分:成份 身份:身分"
    " 绝对:决对 坚决:坚绝 决定:绝定 需要:须要 坐落:座落 座位:坐位 位于:位与 由于:由与"
    " 关于:关与 对于:对与 处于:处与 用于:用与 在于:在与 等于:等与 介于:介与 出生于:出生与"
    " 毕业于:毕业与 建于:建与 始于:始与 源于:源与 死于:死与 致力于:致力与 给予:给与"
    " 授予:授与 参与:参予 联系:连系 连接:联接 制作:制做 作为:做为 当作:当做 叫作:叫做"
    " 叫做:叫作 称作:称做 看作:看做 作用:做用 作品:做品 工作:工做 合作:合做 运作:运做"
    " 作战:做战 设置:设制 位置:位制 布置:布制 厉害:历害 经历:经厉 历史:厉史 类型:类形"
    " 形状:型状 形成:型成 形式:型式 最近:最进 附近:附进 提出:题出 主题:主提 问题:问提"
    " 知道:知到 达到:达道 导致:导至 大致:大至 原因:源因 来源:来原 资源:资原 起源:起原"
    " 辨别:辩别 分辨:分辩 度过:渡过 汽车:气车 天气:天汽 气候:汽候 锻炼:锻练 训练:训炼"
    " 练习:炼习 篮球:蓝球 竟然:竞然 竞争:竟争 究竟:究竞 毕竟:毕竞 竞选:竟选 影响:影向"
    " 开始:开使 建立:建力 独立:独力 世纪:世记 纪念:记念 记录:纪录 重新:从新"
    " 觉得:觉的 获得:获的 取得:取的 变得:变的 显得:显的 使得:使的 赢得:赢的 懂得:懂的"
    " 值得:值的 其他:其它 按照:安照 安排:按排 帮助:邦助 贡献:供献 长期:常期 经常:经长"
    " 通常:通长 担任:担认 责任:责认 认为:任为 成绩:成积 账户:帐户 账号:帐号 佩戴:佩带"
    " 急躁:急燥 干燥:干躁 烦躁:烦燥 部署:布署 爆发:暴发 暴露:爆露 规定:规订 固定:固订"
    " 指定:指订 稳定:稳订 签订:签定 预订:预定 设计:设记 计划:记划 统计:统记 记者:计者"
    " 登记:登计 杂志:杂致 战争:站争 车站:车战 占领:站领 城市:成市 时候:时侯"
)
_MISSPELLED_BY_WORD = dict(pair.split(":") for pair in _MISSPELLINGS.split())
_WORD = re.compile("|".join(sorted(_MISSPELLED_BY_WORD, key=lambda word: (-len(word), word))))
_HAN = r"[\u3400-\u4dbf\u4e00-\u9fff]"
# 目的, 的确 and 有的 are words; 正确的 and 错误的 belong to what is asked; and after some
# characters 地 would name a place: 出生地, 山地.
_NO_PARTICLE_AFTER = (
    "目标有别真似是确误错当理符妥实到等各某当外内本此两国省市县区站生住产源在息布发行栖驻殖营"
    "山林田草水土陆海湿盆高平谷沙园城农工圣属腹空场宅墓绿天大心白地"
)
_NO_PARTICLE_BEFORE = "确士话是一地产中上下方区点位名址图理形带铁球面主板域势震段盘"
_PARTICLE = re.compile(
    rf"(?<={_HAN})(?<![{_NO_PARTICLE_AFTER}])的(?=(?![{_NO_PARTICLE_BEFORE}]){_HAN})"
)
_ADVERB = re.compile(rf"(?<=渐渐|慢慢|深深|逐渐|迅速|成功|大量|广泛|完全|积极)地(?={_HAN})")
_SIMPLIFIED_ONLY = frozenset(SIMPLIFIED.values())


class HomophoneTypo(NamedTuple):
    """A typo: its rule, its offset in the text and the character that replaces the right one."""

    rule: str
    offset: int
    character: str


def find_homophones(text: str) -> Iterator[HomophoneTypo]:
    """Yield the possible homophone typos of a text, in simplified or traditional characters.

    A text in traditional characters gets no character that is only simplified.
    """
    in_simplified = to_simplified(text)
    typos = []
    for word in _WORD.finditer(in_simplified):
        misspelled = _MISSPELLED_BY_WORD[word[0]]
        index = next(
            n
            for n, (typo, other) in enumerate(zip(word[0], misspelled, strict=True))
            if typo != other
        )
        typos.append(
            HomophoneTypo(
                f"{word[0][index]}>{misspelled[index]}", word.start() + index, misspelled[index]
            )
        )
    typos += [
        HomophoneTypo("的>地", particle.start(), "地")
        for particle in _PARTICLE.finditer(in_simplified)
    ]
    typos += [
        HomophoneTypo("地>的", particle.start(), "的")
        for particle in _ADVERB.finditer(in_simplified)
    ]
    for typo in typos:
        if in_simplified == text or typo.character not in _SIMPLIFIED_ONLY:
            yield typo
