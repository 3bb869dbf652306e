"""What is some passage's own in Chinese, and what a sentence is about that begins with it."""

import re
from collections.abc import Iterator, Set

from closeread.attacks.borrowed.similarity import ZH_FUNCTION, fold

_TIME = re.compile(
    r"^(?:[于在自到至从]?(?:公元前?|西元前?)?[\d〇零一二三四五六七八九十百]+(?:年代?|世纪|月|[日号]|时期?)"
    r"(?:[初末中]期?|间|底|起|后|前|以[来前后])?[，,]?)+"
)
_BACK = re.compile(
    r"[他她它其此该这那我你您俺咱]|本[片剧书作校市县地人文站队馆店专游节片曲机车种属科]|前者|后者|上述|以上|以下|如[下上]"
    r"|下[列图表]|上[图表文]|同[年月日时样]|次[年月日]|当[时年地]|随后|之后|然后|于是|因此|因而|所以|但是?|然而|不过"
    r"|而且|另外|此外|例如|比如|总之|可见|两[者人]|双方"
)
# A first clause that only says when or where: who acts comes later, or is left out.
_WHEN = re.compile(r"[后时前间中里下起初末]$|以来$")
_SPEAKS = re.compile(
    r"[他她它牠我你您俺咱]|前者|后者|上述|以上|以下|如[下上]|下[列图表]|上[图表文]"
)
_PRONOUN = re.compile(r"[他她它牠此该这本那其]")
_HAN_RUN = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+")
_TITLE_MARK = re.compile(r"^《([^《》]{2,30})》")
_GOES_ON = frozenset("也又还而则却并且为是由于位属曾即")
_ENTRY = 3  # characters of a run that is a name; shorter ones are often words


def subject(sentence: str, own: Set[str], title: str) -> str:
    """Return what a Chinese sentence begins with and is about; "" where it says it nowhere.

    Args:
        sentence: The sentence, folded.
        own: Pairs of characters that only its passage is about.
        title: The passage's title, folded, or "".
    """
    if _SPEAKS.search(sentence):
        return ""
    opening = _TIME.sub("", sentence)
    if quoted := _TITLE_MARK.match(opening):
        return quoted[1]
    if len(title) > 1 and opening.startswith(title):
        return title
    name = _run(opening, 0, own)
    clause = re.split(r"[，,；;：:]", opening, maxsplit=1)[0]
    if len(name) < _ENTRY or _BACK.search(clause) or _WHEN.search(clause):
        return ""
    return name


def runs(text: str, own: Set[str]) -> Iterator[str]:
    """Yield the longest runs of a folded text all whose pairs are a passage's own."""
    at = 0
    while at < len(text) - 1:
        if run := _run(text, at, own):
            yield run
        at += max(1, len(run) - 1)


def _run(text: str, start: int, own: Set[str]) -> str:
    end = start
    while end + 1 < len(text) and text[end : end + 2] in own:
        end += 1
    return text[start : end + 1] if end > start else ""


def pairs(text: str) -> set[str]:
    """Return a folded text's pairs of neighbouring Chinese characters without function ones."""
    return {
        run[at : at + 2]
        for run in _HAN_RUN.findall(text)
        for at in range(len(run) - 1)
        if run[at] not in ZH_FUNCTION and run[at + 1] not in ZH_FUNCTION
    }


def asks_by_pronoun(question: str) -> bool:
    """Return whether a question says 他 or 该 of what only its passage can name."""
    return bool(_PRONOUN.search(question))


def refers_back(sentence: str) -> bool:
    """Return whether a sentence begins with what another before it must explain."""
    opening = fold(sentence)[:8]
    return bool(_BACK.search(opening)) or opening[:1] in _GOES_ON
