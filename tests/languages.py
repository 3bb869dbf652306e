"""A short passage in each of XQuAD's languages and in some others, with a question.

The second sentence answers; the question shares words with it alone.
"""

from typing import NamedTuple


class Sample(NamedTuple):
    """Sentences as they should be split, what stands between them, a question, its answer."""

    sentences: tuple[str, ...]
    question: str
    answer: str
    glue: str = " "

    @property
    def text(self) -> str:
        """The passage."""
        return self.glue.join(self.sentences)


SAMPLES = {
    "ar": Sample(
        ("وصلت العبّارة إلى الميناء.", "هل حملت السفينة أغنامًا؟", "نام الحارس، ثم عاد إلى بيته."),
        "ماذا حملت السفينة؟",
        "أغنامًا",
    ),
    "de": Sample(
        ("Die Fähre lag am Ufer.", "Frau Müller trug vierzehn Schafe an Bord.", "Niemand sang."),
        "Wer trug die Schafe an Bord?",
        "Frau Müller",
    ),
    "el": Sample(
        ("Το πλοίο έφτασε αργά.", "Ποιος έφερε τα πρόβατα στο νησί;", "Κανείς δεν μίλησε· έβρεχε."),
        "Τι έφερε στο νησί;",
        "πρόβατα",
    ),
    "en": Sample(
        ("The ferry lay at the quay.", "Mrs. Marl carried sheep on board.", "Nobody sang."),
        "Who carried sheep on board?",
        "Marl",
    ),
    "es": Sample(
        ("La barca llegó tarde.", "¿Quién llevaba ovejas a la isla?", "Nadie cantó."),
        "¿Qué llevaba a la isla?",
        "ovejas",
    ),
    "hi": Sample(
        ("नाव देर से पहुँची।", "किसान चौदह भेड़ें द्वीप पर लाया।", "क्या कोई गाया? नहीं॥"),
        "किसान द्वीप पर क्या लाया?",
        "भेड़ें",
    ),
    "ro": Sample(
        ("Barca a ajuns târziu.", "Țăranul a adus paisprezece oi pe insulă.", "Nimeni nu cânta."),
        "Ce a adus țăranul pe insulă?",
        "oi",
    ),
    "ru": Sample(
        ("Паром стоял у берега.", "Крестьянин привёз на остров овец.", "«Кто пел?» спросил он."),
        "Что привёз крестьянин на остров?",
        "овец",
    ),
    "th": Sample(
        ("เรือมาถึงช้า", "ชาวนานำแกะมาที่เกาะ", "ไม่มีใครร้องเพลง"),
        "ชาวนานำอะไรมาที่เกาะ",
        "แกะ",
    ),
    "tr": Sample(
        ("Vapur geç geldi.", "Çiftçi adaya on dört koyun getirdi.", "Kimse şarkı söylemedi."),
        "Çiftçi adaya ne getirdi?",
        "koyun",
    ),
    "vi": Sample(
        ("Chuyến phà đến muộn.", "Người nông dân chở cừu ra đảo.", "Không ai hát cả."),
        "Người nông dân chở gì ra đảo?",
        "cừu",
    ),
    "zh": Sample(
        ("渡船来得很晚。", "农夫把十四只羊带到岛上。", "没有人唱歌！"),
        "农夫把什么带到岛上？",
        "羊",
        glue="",
    ),
    "fa": Sample(
        ("قایق دیر رسید.", "آیا کشاورز گوسفند به جزیره می‌برد؟", "هیچ‌کس آواز نخواند."),
        "کشاورز چه به جزیره می‌برد؟",
        "گوسفند",
    ),
    "ur": Sample(
        ("کشتی دیر سے آئی۔", "کسان بھیڑیں جزیرے پر لایا۔", "کیا کسی نے گایا؟"),
        "کسان جزیرے پر کیا لایا؟",
        "بھیڑیں",
    ),
    "ja": Sample(
        ("船は遅く着いた。", "農夫は羊を島に運んだ！", "誰も歌わなかった。"),
        "農夫は何を島に運んだか。",
        "羊",
        glue="",
    ),
    "km": Sample(
        ("ទូកមកដល់យឺត។", "កសិករនាំចៀមមកកោះ។", "គ្មាននរណាច្រៀងទេ៕"),
        "កសិករនាំអ្វីមកកោះ?",
        "ចៀម",
        glue="",
    ),
    "ko": Sample(
        ("배가 늦게 왔다.", "농부가 양을 섬으로 데려왔다.", "아무도 노래하지 않았다."),
        "농부가 무엇을 섬으로 데려왔나?",
        "양",
    ),
}
# What the letters show, where that is another language.
SHOWN = dict.fromkeys(("de", "es", "ro", "tr"), "en") | {"fa": "ar", "ur": "ar"}
