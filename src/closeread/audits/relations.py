"""What an answer scorer promises, as transformations of a gold answer.

Each relation takes the spans of one gold answer and yields trials: a gold answer, what a reader
says first, what it says instead, and the demand on the two scores. Nothing here knows of any
scorer: a transformation is either harmless (the scores must be the same), a change of the answer
(the second must be lower), or a loosening (it must not be lower).
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

Spans = tuple[str, ...]
Demand = Literal["same", "lower", "not lower", "above zero", "one"]

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_HAN = re.compile("[\u4e00-\u9fff]")
_WORDS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 10: "ten"}
_WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}


class Trial(NamedTuple):
    """One gold answer with two predictions; the second may have further accepted answers."""

    gold: Spans
    said: Spans
    instead: Spans
    first: tuple[Spans, ...] = ()
    further: tuple[Spans, ...] = ()


@dataclass(frozen=True)
class Relation:
    """A promise: its name, what it says, the demand, and the trials for a gold answer."""

    name: str
    promise: str
    demand: Demand
    trials: Callable[[Spans], Iterator[Trial]]


def _each(edit: Callable[[str], Iterator[str]]) -> Callable[[Spans], Iterator[Trial]]:
    """Apply an edit of one string to the answers of one span."""

    def trials(gold: Spans) -> Iterator[Trial]:
        if len(gold) == 1 and gold[0].strip():
            for text in edit(gold[0]):
                if text != gold[0]:
                    yield Trial(gold, gold, (text,))

    return trials


def _case(text: str) -> Iterator[str]:
    yield text.upper()
    yield text.lower()


def _outside(text: str) -> Iterator[str]:
    yield f" {text}"
    yield f"{text} "
    yield f"{text}\n"


def _doubled(text: str) -> Iterator[str]:
    yield text.replace(" ", "  ")


def _other_blanks(text: str) -> Iterator[str]:
    # Not a line break: what stands behind one is text on a later line, which another promise is of.
    for blank in ("\t", "\u00a0", "\u3000"):
        yield text.replace(" ", blank)


def _run_on(text: str) -> Iterator[str]:
    yield f"{text}\nx"
    yield f"{text}\n\nPassage: The town has 7 wards"


def _full_width(text: str) -> Iterator[str]:
    yield text.translate(_WIDE)


def _full_stop(text: str) -> Iterator[str]:
    yield text + ("。" if _HAN.search(text) else ".")


def _comma(text: str) -> Iterator[str]:
    yield text + ("，" if _HAN.search(text) else ",")


def _quotes(text: str) -> Iterator[str]:
    yield f'"{text}"'
    yield f"\u201c{text}\u201d"
    yield f"({text})"


def _apostrophes(text: str) -> Iterator[str]:
    yield text.replace("'", "\u2019")


def _article(text: str) -> Iterator[str]:
    if re.match(r"[A-Za-z]", text):
        yield f"the {text}"
        yield f"a {text}"
        yield f"an {text}"


def _hyphens(text: str) -> Iterator[str]:
    yield re.sub(r"(?<=\w)-(?=\w)", " ", text)


def _dashes(text: str) -> Iterator[str]:
    yield re.sub(r"(?<=\w)-(?=\w)", "\u2013", text)


def _number_form(make: Callable[[str], Iterator[str]]) -> Callable[[str], Iterator[str]]:
    """Apply an edit to answers that are a bare number."""

    def edit(text: str) -> Iterator[str]:
        if _NUMBER.fullmatch(text):
            yield from make(text)

    return edit


def _decimals(text: str) -> Iterator[str]:
    yield f"{text}0" if "." in text else f"{text}.0"
    if "." not in text:
        yield f"{text}."


def _grouped(text: str) -> Iterator[str]:
    whole, point, rest = text.partition(".")
    if len(whole) > 3 and whole[0] != "0":
        yield f"{int(whole):,}{point}{rest}"


def _spelled(text: str) -> Iterator[str]:
    if text.isdecimal() and int(text) in _WORDS:
        yield _WORDS[int(text)]


def _leading_zero(text: str) -> Iterator[str]:
    yield f"0{text}"


def _other_decimals(text: str) -> Iterator[str]:
    if "." in text:
        yield f"{text}7"
        yield text.partition(".")[0]
    else:
        yield f"{text}.7"


def _no_point(text: str) -> Iterator[str]:
    if "." in text and text[0] != "0":
        yield text.replace(".", "")
    elif len(text) > 1 and text.isdecimal() and text[-1] != "0":
        yield f"{text[:-1]}.{text[-1]}"
        yield f"${text[:-1]}.{text[-1]}"


def _more_digits(text: str) -> Iterator[str]:
    yield f"{text}1"
    yield f"1{text}"


def _fraction(text: str) -> Iterator[str]:
    if len(text) > 1 and text.isdecimal():
        yield f"{text[:-1]}/{text[-1]}"
        yield f"{text[:-1]}:{text[-1]}"


def _last_word(text: str) -> Iterator[str]:
    head, blank, last = text.rpartition(" ")
    if blank and any(map(str.isalnum, last)):
        yield f"{head} qqq"
        if any(map(str.isalnum, head)):
            yield f"{head.replace(',', '')}, qqq"


def _grown_word(text: str) -> Iterator[str]:
    if text.isalpha():
        yield f"q{text}q"


def _repeated_word(text: str) -> Iterator[str]:
    if text.replace(" ", "").isalnum() and not _HAN.search(text):
        yield f"{text} {text}"


def _empty(text: str) -> Iterator[str]:
    if any(map(str.isalnum, text)):
        yield ""


def _negative_forms(gold: Spans) -> Iterator[Trial]:
    if len(gold) == 1 and _NUMBER.fullmatch(gold[0]):
        yield Trial((f"-{gold[0]}",), (f"-{gold[0]}",), (f"\u2212{gold[0]}",))


def _groups_differ(gold: Spans) -> Iterator[Trial]:
    if len(gold) == 1 and gold[0].isdecimal() and len(gold[0]) > 3 and gold[0][0] != "0":
        grouped = f"{int(gold[0]):,}"
        other = grouped[:-3] + ("771" if grouped[-3:] != "771" else "772")
        yield Trial((grouped,), (grouped,), (other,))


def _shortened(gold: Spans) -> Iterator[Trial]:
    """All but the last word, or the last character where words are not written apart."""
    if len(gold) != 1:
        return
    text = gold[0]
    if len(text) >= 3 and all(map(_HAN.match, text)):
        yield Trial(gold, gold, (text[:-1],))
    words = text.split(" ")
    if len(words) >= 3 and all(word.isalpha() and len(word) > 3 for word in words):
        yield Trial(gold, gold, (" ".join(words[:-1]),))


def _parts(gold: Spans) -> Iterator[Trial]:
    """The answer, and each of its words, as a gold answer that is said exactly."""
    yield Trial(gold, gold, gold)
    for text in gold:
        for word in text.split(" ") if " " in text else ():
            if word:
                yield Trial((word,), (word,), (word,))


def _several(gold: Spans) -> Spans | None:
    distinct = tuple(dict.fromkeys(text for text in gold if any(map(str.isalnum, text))))
    return distinct if len(distinct) > 1 else None


def _order(gold: Spans) -> Iterator[Trial]:
    if spans := _several(gold):
        yield Trial(spans, spans, spans[::-1])


def _joined(gold: Spans) -> Iterator[Trial]:
    if spans := _several(gold):
        yield Trial(spans, spans, (", ".join(spans),))


def _order_in_text(gold: Spans) -> Iterator[Trial]:
    if spans := _several(gold):
        yield Trial(spans, (", ".join(spans),), (", ".join(spans[::-1]),))


def _repeated_span(gold: Spans) -> Iterator[Trial]:
    if any(map(str.isalnum, "".join(gold))):
        yield Trial(gold, gold, (*gold, gold[0]))
    if spans := _several(gold):
        twice = (spans[0], *spans)
        yield Trial(twice, twice, (*spans, spans[-1]))


def _other_span(gold: Spans) -> Iterator[Trial]:
    if spans := _several(gold):
        yield Trial(spans, spans, (*spans[:-1], "qqq"))
        yield Trial(spans, spans, ("qqq", *spans[1:]))
        yield Trial(spans, spans, spans[:-1])


def _more_golds(gold: Spans) -> Iterator[Trial]:
    part = (gold[0].split(" ")[0], *gold[1:])
    for said in (gold, part, ("qqq",)):
        yield Trial(gold, said, said, first=(("qq q",),))
        yield Trial(gold, said, said, further=(("qq q",),))


def _gold_twice(gold: Spans) -> Iterator[Trial]:
    yield Trial(gold, gold, gold, further=(gold,))
    yield Trial(gold, ("qqq",), ("qqq",), first=(gold,))


RELATIONS: tuple[Relation, ...] = (
    Relation("itself", "an answer equal to the gold one scores 1", "one", _parts),
    Relation("case", "letter case does not count", "same", _each(_case)),
    Relation("blanks-around", "white space around does not count", "same", _each(_outside)),
    Relation("blanks-doubled", "two blanks are one", "same", _each(_doubled)),
    Relation("other-blanks", "any white space separates words", "same", _each(_other_blanks)),
    Relation("run-on", "text on later lines does not count", "same", _each(_run_on)),
    Relation("full-width", "full-width characters are the same", "same", _each(_full_width)),
    Relation("full-stop", "a full stop at the end does not count", "same", _each(_full_stop)),
    Relation("comma", "a comma at the end does not count", "same", _each(_comma)),
    Relation("quotes", "quotes and brackets around do not count", "same", _each(_quotes)),
    Relation("apostrophes", "apostrophes are one character", "same", _each(_apostrophes)),
    Relation("articles", "an article does not count", "same", _each(_article)),
    Relation("hyphens", "a hyphen is a blank", "same", _each(_hyphens)),
    Relation("dashes", "a dash is a hyphen", "same", _each(_dashes)),
    Relation("decimals", "10, 10.0 and 10. are one number", "same",
             _each(_number_form(_decimals))),
    Relation("thousands", "separators of thousands do not count", "same",
             _each(_number_form(_grouped))),
    Relation("leading-zero", "leading zeros do not count", "same",
             _each(_number_form(_leading_zero))),
    Relation("currency", "a currency sign does not count", "same",
             _each(_number_form(lambda text: iter((f"${text}",))))),
    Relation("percent", "a percent sign does not count", "same",
             _each(_number_form(lambda text: iter((f"{text}%",))))),
    Relation("point-behind", "a full stop behind a number does not count", "same",
             _each(_number_form(lambda text: iter((f"{text}.\n",))))),
    Relation("number-words", "a number in words is the same", "same",
             _each(_number_form(_spelled))),
    Relation("minus", "every minus sign is one", "same", _negative_forms),
    Relation("sign", "the opposite number is another answer", "lower",
             _each(_number_form(lambda text: iter((f"-{text}",) if float(text) else ())))),
    Relation("other-decimals", "other decimals are another answer", "lower",
             _each(_number_form(_other_decimals))),
    Relation("lost-point", "the point tells numbers apart", "lower",
             _each(_number_form(_no_point))),
    Relation("other-digits", "more digits are another number", "lower",
             _each(_number_form(_more_digits))),
    Relation("other-thousands", "what follows a separator counts", "lower", _groups_differ),
    Relation("fraction", "a fraction or a time is no whole number", "lower",
             _each(_number_form(_fraction))),
    Relation("other-word", "another last word is another answer", "lower", _each(_last_word)),
    Relation("other-letters", "a longer word is another word", "lower", _each(_grown_word)),
    Relation("repeated-word", "saying it twice is another answer", "lower",
             _each(_repeated_word)),
    Relation("nothing", "saying nothing is wrong", "lower", _each(_empty)),
    Relation("nearly", "nearly right is better than nothing", "above zero", _shortened),
    Relation("span-order", "the order of spans does not count", "same", _order),
    Relation("span-joined", "spans joined by a comma are the same answer", "same", _joined),
    Relation("span-text-order", "their order in the text does not count", "same",
             _order_in_text),
    Relation("span-repeated", "a repeated span is another answer", "lower", _repeated_span),
    Relation("span-other", "every span counts", "lower", _other_span),
    Relation("more-golds", "a further gold answer never lowers a score", "not lower",
             _more_golds),
    Relation("gold-twice", "a repeated gold answer changes nothing", "same", _gold_twice),
)  # fmt: skip
