"""What the weights that ship must see: statements that differ in one plain fact of a passage."""

import pytest

from closeread.api.asking import open_reader

FLEET = (
    "北洋舰队于1888年正式成立，丁汝昌任提督。1894年，甲午战争爆发，北洋舰队在黄海"
    "与日本联合舰队激战五个小时，损失军舰五艘。次年，威海卫陷落，北洋舰队全军覆没。"
)
LIBRARY = (
    "青石镇图书馆建于1956年，原是一座粮仓。2012年改造时，设计师林岚保留了十二根木"
    "柱，又在南墙开了三扇长窗。如今馆内藏书四万余册，每周三闭馆。镇上的老人常在上午来读报"
    "，孩子们则多在放学以后来。"
)
BEES = (
    "研究人员把六十只蜜蜂分成两组，一组在蓝色灯光下觅食，另一组在黄色灯光下觅食。三天后，"
    "蓝光组返回蜂巢的时间平均缩短了两成，黄光组没有变化。研究人员认为，蓝光可能有助于蜜蜂"
    "辨认方向。"
)
TEA = (
    "茶马古道起于唐代，兴于宋代。马帮从普洱出发，经大理、丽江，翻过雪山，把茶叶运到拉萨，"
    "再把马匹和药材带回来。一趟往返需要大约一年。由于山路险峻，马帮通常在春天出发，冬天返"
    "回。"
)
RICE = (
    "海水稻不是在海水里种的稻，而是能在盐碱地里生长的稻。普通水稻在盐度超过千分之三的土地"
    "上就会减产，海水稻却能忍受千分之六。因为盐碱地虫害较少，种植海水稻时农药用得也少。"
)
PAIRS = [
    (FLEET, "1894年甲午战争爆发。", "1895年甲午战争爆发。"),
    (FLEET, "北洋舰队成立于1888年。", "北洋舰队成立于1889年。"),
    (FLEET, "黄海海战持续了五个小时。", "黄海海战持续了六个小时。"),
    (FLEET, "北洋舰队在黄海损失军舰五艘。", "北洋舰队在黄海损失军舰四艘。"),
    (FLEET, "丁汝昌担任北洋舰队提督。", "李鸿章担任北洋舰队提督。"),
    (FLEET, "北洋舰队与日本联合舰队激战。", "北洋舰队与英国联合舰队激战。"),
    (FLEET, "丁汝昌任北洋舰队提督。", "丁汝昌不任北洋舰队提督。"),
    (LIBRARY, "图书馆原是一座粮仓。", "图书馆原是一座祠堂。"),
    (LIBRARY, "设计师保留了十二根木柱。", "设计师保留了二十根木柱。"),
    (LIBRARY, "改造时在南墙开了三扇长窗。", "改造时在北墙开了三扇长窗。"),
    (LIBRARY, "图书馆每周三闭馆。", "图书馆每周五闭馆。"),
    (LIBRARY, "馆内藏书四万余册。", "馆内藏书六万余册。"),
    (LIBRARY, "老人常在上午来读报。", "老人常在下午来读报。"),
    (LIBRARY, "图书馆改造于2012年。", "图书馆改造于2021年。"),
    (LIBRARY, "改造由设计师林岚完成。", "改造由设计师陈岚完成。"),
    (BEES, "研究人员把六十只蜜蜂分成两组。", "研究人员把八十只蜜蜂分成两组。"),
    (BEES, "蓝光组返回蜂巢的时间缩短了。", "蓝光组返回蜂巢的时间延长了。"),
    (BEES, "蓝光可能有助于蜜蜂辨认方向。", "蓝光一定有助于蜜蜂辨认方向。"),
    (BEES, "黄光组返回蜂巢的时间没有变化。", "黄光组返回蜂巢的时间有变化。"),
    (BEES, "三天后蓝光组返回的时间缩短了两成。", "三天后蓝光组返回的时间缩短了三成。"),
    (BEES, "蓝光有助于蜜蜂辨认方向。", "蓝光有助于蜜蜂辨认花蜜。"),
    (TEA, "茶马古道起于唐代。", "茶马古道起于汉代。"),
    (TEA, "马帮从普洱出发。", "马帮从昆明出发。"),
    (TEA, "马帮把茶叶运到拉萨。", "马帮把丝绸运到拉萨。"),
    (TEA, "一趟往返大约需要一年。", "一趟往返大约需要两年。"),
    (TEA, "马帮通常在春天出发。", "马帮通常在秋天出发。"),
    (TEA, "马帮通常在春天出发。", "马帮必须在春天出发。"),
    (TEA, "马帮把马匹和药材带回来。", "马帮把布匹和药材带回来。"),
    (RICE, "海水稻能在盐碱地里生长。", "海水稻只能在盐碱地里生长。"),
    (RICE, "海水稻能忍受千分之六的盐度。", "海水稻能忍受千分之八的盐度。"),
    (RICE, "海水稻不是在海水里种的稻。", "海水稻是在海水里种的稻。"),
    (RICE, "盐碱地虫害较少。", "盐碱地没有虫害。"),
    (RICE, "种植海水稻时农药用得少。", "种植海水稻时肥料用得少。"),
    (
        RICE,
        "普通水稻在盐度超过千分之三的土地上会减产。",
        "普通水稻在盐度超过千分之五的土地上会减产。",
    ),
]


@pytest.fixture(scope="module")
def reader():
    return open_reader("cues")


def test_numbers_names_places_and_times_that_were_changed_are_seen(reader):
    """Of 34 pairs at least 30 with either statement first; cue words alone told 11 apart."""
    missed = []
    for passage, true, false in PAIRS:
        for options, label in (((true, false), "A"), ((false, true), "B")):
            if reader.ask("下列说法正确的一项是", passage, options).answer.label != label:
                missed.append(false)
    assert len(set(missed)) <= 4, missed


def test_a_statement_about_something_else_is_no_rival(reader):
    """It has no word that makes it false, and nothing of the passage either."""
    for passage, true, _ in PAIRS:
        strange = "火山喷发以后，附近居民迁往海岛。"
        told = reader.ask("下列说法正确的一项是", passage, (strange, true))
        assert told.answer.label == "B", true
