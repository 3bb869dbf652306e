"""Find names and subjects in Chinese, from the bigrams that are particular to a passage."""

import re
from collections.abc import Iterator, Set

from closeread.attacks.borrowed.similarity import ZH_FUNCTION, fold

_TIME = re.compile(
    r"^(?:[于在自到至从]?(?:公元前?|西元前?)?[\d〇零一二三四五六七八九十百]+(?:年代?|世纪|月|[日号]|时期?)"
    r"(?:[初末中]期?|间|底|起|后|前|以[来前后])?[，,]?)+"
)
_REFERS_BACK = re.compile(
    r"[他她它其此该这那我你您俺咱]|本[片剧书作校市县地人文站队馆店专游节片曲机车种属科]|前者|后者|上述|以上|以下|如[下上]"
    r"|下[列图表]|上[图表文]|同[年月日时样]|次[年月日]|当[时年地]|随后|之后|然后|于是|因此|因而|所以|但是?|然而|不过"
    r"|而且|另外|此外|例如|比如|总之|可见|两[者人]|双方"
)
# A first clause that only gives a time or place: the subject comes later, or is omitted.
_ENDS_IN_TIME = re.compile(r"[后时前间中里下起初末]$|以来$")
_DEICTIC = re.compile(
    r"[他她它牠我你您俺咱]|前者|后者|上述|以上|以下|如[下上]|下[列图表]|上[图表文]"
)
_PRONOUN = re.compile(r"[他她它牠此该这本那其]")
_HAN_RUN = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+")
_TITLE_MARK = re.compile(r"^《([^《》]{2,30})》")
_CONTINUATIONS = frozenset("也又还而则却并且为是由于位属曾即")
_MIN_NAME = 3  # characters: a shorter run is often a common word


def find_subject(sentence: str, own_bigrams: Set[str], title: str) -> str:
    """Return the subject with which a Chinese sentence begins; "" if it does not name it.

    Args:
        sentence: The sentence, folded.
        own_bigrams: Character bigrams that only its passage repeats.
        title: The passage's title, folded, or "".
    """
    if _DEICTIC.search(sentence):
        return ""
    opening = _TIME.sub("", sentence)
    if quoted := _TITLE_MARK.match(opening):
        return quoted[1]
    if len(title) > 1 and opening.startswith(title):
        return title
    name = _own_run(opening, 0, own_bigrams)
    clause = re.split(r"[，,；;：:]", opening, maxsplit=1)[0]
    if len(name) < _MIN_NAME or _REFERS_BACK.search(clause) or _ENDS_IN_TIME.search(clause):
        return ""
    return name


def iter_own_runs(text: str, own_bigrams: Set[str]) -> Iterator[str]:
    """Yield the longest runs of a folded text whose bigrams are all particular to a passage."""
    offset = 0
    while offset < len(text) - 1:
        if run := _own_run(text, offset, own_bigrams):
            yield run
        offset += max(1, len(run) - 1)


def _own_run(text: str, start: int, own_bigrams: Set[str]) -> str:
    end = start
    while end + 1 < len(text) and text[end : end + 2] in own_bigrams:
        end += 1
    return text[start : end + 1] if end > start else ""


def content_bigrams(text: str) -> set[str]:
    """Return the bigrams of a folded text's Chinese characters, without function characters."""
    return {
        run[offset : offset + 2]
        for run in _HAN_RUN.findall(text)
        for offset in range(len(run) - 1)
        if run[offset] not in ZH_FUNCTION and run[offset + 1] not in ZH_FUNCTION
    }


def asks_by_pronoun(question: str) -> bool:
    """Return whether a question has a pronoun, such as 他 or 该."""
    return bool(_PRONOUN.search(question))


def refers_back(sentence: str) -> bool:
    """Return whether a sentence begins with a reference to an earlier one."""
    opening = fold(sentence)[:8]
    return bool(_REFERS_BACK.search(opening)) or opening[:1] in _CONTINUATIONS
