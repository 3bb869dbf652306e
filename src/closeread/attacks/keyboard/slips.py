"""Typing errors in one word that do not make another word."""

import random
from collections.abc import Iterator, Set
from typing import NamedTuple

_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_VOWELS = frozenset("aeiou")

# Of these words, and those that come of them by one slip, most read as the other word.
_ELSE = (
    "from form trail trial angel angle quiet quite diary dairy lion loin calm clam barn bran"
    " beast baste untied united bowl blow later latter super supper desert dessert dinner"
    " diner coma comma lose loose chose choose sacred scared silver sliver casual causal"
    " martial marital complaint compliant perfect prefect through though thorough board broad"
    " bread beard abroad aboard tired tried spilt split signal single county country costume"
    " custom statue stature status state planed planned hoped hopped filed filled tiled tilled"
    " rated ratted baring barring staring starring writing public pubic region religion"
    " message massage island inland person prison contact contract content contest context"
    " contend extent extend intent intend invent affect effect accept except expect aspect"
    " inspect respect suspect adopt adapt adept expand expend accede exceed precede proceed"
    " personal personnel moral morale human humane local locale born borne lightning"
    " lightening reign resign design assign singed signed reined resined major mayor"
    " conscience conscious principle principal decent descent dissent there three their where"
    " were wear tear year fear near bear dear hear gear rear slow show snow know now sign sing"
    " string sting stung strong song wrong thing think thin than then them they when went want"
    " what whit white while whole hole house horse hose nose note vote rote role rule ruler"
    " rural cause clause pause place palace plane plain plan plant planet pant part party past"
    " paste taste waste haste skate stake steak speak peak break brake bride bridge bird bids"
    " world word work wore more mores moves loves lives lines links likes lakes takes tales"
    " sales males makes named names games gamed genes gains grains brains trains drains rains"
    " river rivet driver diver drive dive give gives five fires first fist firs fits hits this"
    " these those other mother another others order older colder holder border boarder broader"
    " water waiter wafer alter altar after matter master faster father farther feather weather"
    " whether leather lather rather gather heather health wealth"
)
READS_AS_ANOTHER = frozenset(_ELSE.split())


class Slip(NamedTuple):
    """What a word becomes, and by which rule."""

    rule: str
    word: str


def slips(
    word: str, draw: random.Random, keyboard: bool, usual: Set[str] = frozenset()
) -> Iterator[Slip]:
    """Yield what a word becomes by one slip, in an order that is drawn.

    Its first letter stays, by which a reader knows a word best. Short words are only typed in the
    wrong order or with a letter doubled: without a letter, or with another one, they are easily
    another word.

    Args:
        word: Small letters.
        draw: Decides which slips come first.
        keyboard: Whether a neighbour on a QWERTY keyboard may be hit.
        usual: Runs of three letters that known words have: what has none but these may be a word,
            and is left out.
    """
    rules = ["exchanged", "exchanged", "doubled"]
    if len(word) > 5:
        rules += ["left out", "left out"]
        if keyboard:
            rules += ["neighbour", "neighbour"]
    draw.shuffle(rules)
    for rule in dict.fromkeys(rules):
        places = list(range(1, len(word) - 1))
        draw.shuffle(places)
        for at in places:
            made = _apply_slip(word, at, rule, draw)
            if made is None or made in READS_AS_ANOTHER:
                continue
            if not trigrams(made) <= usual:
                yield Slip(rule, made)


def _apply_slip(word: str, at: int, rule: str, draw: random.Random) -> str | None:
    """Return a word with one slip at a place inside it; None where it would not be seen."""
    letter, following = word[at], word[at + 1]
    if rule == "exchanged":
        if letter == following:
            return None
        return word[:at] + following + letter + word[at + 2 :]
    if rule == "doubled":
        if letter in (word[at - 1], following):
            return None
        return word[:at] + letter + word[at:]
    if rule == "left out":
        return word[:at] + word[at + 1 :]
    near = [one for one in _neighbours(letter) if (one in _VOWELS) == (letter in _VOWELS)]
    return word[:at] + draw.choice(near) + word[at + 1 :] if near else None


def _neighbours(letter: str) -> str:
    """Return the letters left and right of one on the keyboard."""
    for row in _ROWS:
        if (at := row.find(letter)) >= 0:
            return row[max(0, at - 1) : at] + row[at + 1 : at + 2]
    return ""


def trigrams(word: str) -> set[str]:
    """Return the runs of three letters of a word, its borders among them."""
    framed = f"^{word}$"
    return {framed[at : at + 3] for at in range(len(framed) - 2)}
