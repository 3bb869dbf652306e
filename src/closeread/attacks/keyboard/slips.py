"""Typing errors in one word that do not make another word."""

import random
from collections.abc import Iterator, Set
from typing import NamedTuple

_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_VOWELS = frozenset("aeiou")

# Most of these words become another of them by one slip.
_AMBIGUOUS = (
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
AMBIGUOUS_WORDS = frozenset(_AMBIGUOUS.split())


class Slip(NamedTuple):
    """A slip: its rule and the misspelled word."""

    rule: str
    word: str


def iter_slips(
    word: str, rng: random.Random, keyboard: bool, known_trigrams: Set[str] = frozenset()
) -> Iterator[Slip]:
    """Yield the misspellings of a word with one slip, in random order.

    The first letter stays, because a reader recognizes a word by it. In short words letters are
    only exchanged or doubled: with a letter left out or replaced, they easily become another word.

    Args:
        word: The word, in lower case.
        rng: Decides the order.
        keyboard: Whether a neighbouring key of a QWERTY keyboard may be hit.
        known_trigrams: Letter trigrams of known words. A misspelling that has only these may be a
            word, and is left out.
    """
    rules = ["exchanged", "exchanged", "doubled"]
    if len(word) > 5:
        rules += ["left out", "left out"]
        if keyboard:
            rules += ["neighbour", "neighbour"]
    rng.shuffle(rules)
    for rule in dict.fromkeys(rules):
        offsets = list(range(1, len(word) - 1))
        rng.shuffle(offsets)
        for offset in offsets:
            misspelled = _apply_slip(word, offset, rule, rng)
            if misspelled is None or misspelled in AMBIGUOUS_WORDS:
                continue
            if not trigrams(misspelled) <= known_trigrams:
                yield Slip(rule, misspelled)


def _apply_slip(word: str, offset: int, rule: str, rng: random.Random) -> str | None:
    """Return a word with one slip at an offset; None if the slip changes nothing visible."""
    letter, following = word[offset], word[offset + 1]
    if rule == "exchanged":
        if letter == following:
            return None
        return word[:offset] + following + letter + word[offset + 2 :]
    if rule == "doubled":
        if letter in (word[offset - 1], following):
            return None
        return word[:offset] + letter + word[offset:]
    if rule == "left out":
        return word[:offset] + word[offset + 1 :]
    neighbours = [
        neighbour
        for neighbour in _neighbours(letter)
        if (neighbour in _VOWELS) == (letter in _VOWELS)
    ]
    return word[:offset] + rng.choice(neighbours) + word[offset + 1 :] if neighbours else None


def _neighbours(letter: str) -> str:
    """Return the letters left and right of a letter on the keyboard."""
    for row in _ROWS:
        if (index := row.find(letter)) >= 0:
            return row[max(0, index - 1) : index] + row[index + 1 : index + 2]
    return ""


def trigrams(word: str) -> set[str]:
    """Return the letter trigrams of a word, with ``^`` and ``$`` as its borders."""
    framed = f"^{word}$"
    return {framed[at : at + 3] for at in range(len(framed) - 2)}
