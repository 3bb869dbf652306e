"""The promises of an answer scorer, as transformations of a gold answer.

Each relation takes the spans of one gold answer and yields trials: a gold answer, two answers of a
reader, and the demand on their scores. The relations are independent of the scorer: a
transformation is harmless (equal scores), changes the answer (a lower second score), or loosens it
(a second score that is not lower).
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

Spans = tuple[str, ...]
Demand = Literal["same", "lower", "not lower", "above zero", "one"]
Edit = Callable[[str], Iterable[str]]  # yields other texts for a text

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_HAN = re.compile("[\u4e00-\u9fff]")
_HYPHEN = re.compile(r"(?<=\w)-(?=\w)")
_WORDS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 10: "ten"}
_FULL_WIDTH = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}


class Trial(NamedTuple):
    """One gold answer with two predictions; the second may have further accepted answers."""

    gold: Spans
    first_answer: Spans
    second_answer: Spans
    golds_before: tuple[Spans, ...] = ()
    golds_after: tuple[Spans, ...] = ()


@dataclass(frozen=True)
class Relation:
    """A promise: its name, its wording, the demand, and its trials for a gold answer."""

    name: str
    promise: str
    demand: Demand
    trials: Callable[[Spans], Iterator[Trial]]


def _on_span(edit: Edit) -> Callable[[Spans], Iterator[Trial]]:
    """Apply an edit of one string to the answers of one span."""

    def trials(gold: Spans) -> Iterator[Trial]:
        if len(gold) == 1 and gold[0].strip():
            for text in edit(gold[0]):
                if text != gold[0]:
                    yield Trial(gold, gold, (text,))

    return trials


def _on_number(edit: Edit) -> Callable[[Spans], Iterator[Trial]]:
    """Apply an edit to answers that are a bare number."""
    return _on_span(lambda text: edit(text) if _NUMBER.fullmatch(text) else ())


def _spelled(text: str) -> Iterator[str]:
    if text.isdecimal() and int(text) in _WORDS:
        yield _WORDS[int(text)]


def _grouped(text: str) -> Iterator[str]:
    whole, point, rest = text.partition(".")
    if len(whole) > 3 and whole[0] != "0":
        yield f"{int(whole):,}{point}{rest}"


def _no_point(text: str) -> Iterator[str]:
    if "." in text and text[0] != "0":
        yield text.replace(".", "")
    elif len(text) > 1 and text.isdecimal() and text[-1] != "0":
        yield f"{text[:-1]}.{text[-1]}"
        yield f"${text[:-1]}.{text[-1]}"


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


def _repeated_word(text: str) -> Iterator[str]:
    if text.replace(" ", "").isalnum() and not _HAN.search(text):
        yield f"{text} {text}"


def _negative_forms(gold: Spans) -> Iterator[Trial]:
    if len(gold) == 1 and _NUMBER.fullmatch(gold[0]):
        yield Trial((f"-{gold[0]}",), (f"-{gold[0]}",), (f"\u2212{gold[0]}",))


def _groups_differ(gold: Spans) -> Iterator[Trial]:
    if len(gold) == 1 and gold[0].isdecimal() and len(gold[0]) > 3 and gold[0][0] != "0":
        grouped = f"{int(gold[0]):,}"
        other = grouped[:-3] + ("771" if grouped[-3:] != "771" else "772")
        yield Trial((grouped,), (grouped,), (other,))


def _shortened(gold: Spans) -> Iterator[Trial]:
    """Yield answers without their last word, or last character in scripts without spaces."""
    if len(gold) != 1:
        return
    text = gold[0]
    if len(text) >= 3 and all(map(_HAN.match, text)):
        yield Trial(gold, gold, (text[:-1],))
    words = text.split(" ")
    if len(words) >= 3 and all(word.isalpha() and len(word) > 3 for word in words):
        yield Trial(gold, gold, (" ".join(words[:-1]),))


def _parts(gold: Spans) -> Iterator[Trial]:
    """Yield the answer, and each of its words, as a gold answer with an equal prediction."""
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
    partial_answer = (gold[0].split(" ")[0], *gold[1:])
    for answer in (gold, partial_answer, ("qqq",)):
        yield Trial(gold, answer, answer, golds_before=(("qq q",),))
        yield Trial(gold, answer, answer, golds_after=(("qq q",),))


def _gold_twice(gold: Spans) -> Iterator[Trial]:
    yield Trial(gold, gold, gold, golds_after=(gold,))
    yield Trial(gold, ("qqq",), ("qqq",), golds_before=(gold,))


RELATIONS: tuple[Relation, ...] = (
    Relation("itself", "an answer equal to the gold answer scores 1", "one", _parts),
    Relation("case", "letter case is ignored", "same",
             _on_span(lambda text: (text.upper(), text.lower()))),
    Relation("blanks-around", "surrounding white space is ignored", "same",
             _on_span(lambda text: (f" {text}", f"{text} ", f"{text}\n"))),
    Relation("blanks-doubled", "two spaces equal one", "same",
             _on_span(lambda text: (text.replace(" ", "  "),))),
    # Not a line break, because the next relation covers text on later lines.
    Relation("other-blanks", "any white space separates words", "same",
             _on_span(lambda text: [text.replace(" ", blank) for blank in "\t\u00a0\u3000"])),
    Relation("run-on", "text on later lines is ignored", "same",
             _on_span(lambda text: (f"{text}\nx", f"{text}\n\nPassage: The town has 7 wards"))),
    Relation("full-width", "full-width and ASCII characters are equal", "same",
             _on_span(lambda text: (text.translate(_FULL_WIDTH),))),
    Relation("full-stop", "a final full stop is ignored", "same",
             _on_span(lambda text: (text + ("。" if _HAN.search(text) else "."),))),
    Relation("comma", "a final comma is ignored", "same",
             _on_span(lambda text: (text + ("，" if _HAN.search(text) else ","),))),
    Relation("quotes", "surrounding quotes and brackets are ignored", "same",
             _on_span(lambda text: (f'"{text}"', f"\u201c{text}\u201d", f"({text})"))),
    Relation("apostrophes", "all apostrophes are equal", "same",
             _on_span(lambda text: (text.replace("'", "\u2019"),))),
    Relation("articles", "an article is ignored", "same",
             _on_span(lambda text: [f"{article} {text}" for article in ("the", "a", "an")
                                 if re.match(r"[A-Za-z]", text)])),
    Relation("hyphens", "a hyphen equals a space", "same",
             _on_span(lambda text: (_HYPHEN.sub(" ", text),))),
    Relation("dashes", "a dash equals a hyphen", "same",
             _on_span(lambda text: (_HYPHEN.sub("\u2013", text),))),
    Relation("decimals", "10, 10.0 and 10. are the same number", "same",
             _on_number(lambda text: (f"{text}0",) if "." in text else (f"{text}.0", f"{text}."))),
    Relation("thousands", "thousands separators are ignored", "same", _on_number(_grouped)),
    Relation("leading-zero", "leading zeros are ignored", "same",
             _on_number(lambda text: (f"0{text}",))),
    Relation("currency", "a currency sign is ignored", "same",
             _on_number(lambda text: (f"${text}",))),
    Relation("percent", "a percent sign is ignored", "same",
             _on_number(lambda text: (f"{text}%",))),
    Relation("point-behind", "a full stop after a number is ignored", "same",
             _on_number(lambda text: (f"{text}.\n",))),
    Relation("number-words", "a number in words equals its digits", "same", _on_number(_spelled)),
    Relation("minus", "all minus signs are equal", "same", _negative_forms),
    Relation("sign", "the opposite number is a different answer", "lower",
             _on_number(lambda text: (f"-{text}",) if float(text) else ())),
    Relation("other-decimals", "other decimals make a different answer", "lower",
             _on_number(lambda text: (f"{text}7", text.partition(".")[0]) if "." in text
                     else (f"{text}.7",))),
    Relation("lost-point", "the decimal point distinguishes numbers", "lower",
             _on_number(_no_point)),
    Relation("other-digits", "extra digits make a different number", "lower",
             _on_number(lambda text: (f"{text}1", f"1{text}"))),
    Relation("other-thousands", "digits after a thousands separator count", "lower",
             _groups_differ),
    Relation("fraction", "a fraction or a time is not a whole number", "lower",
             _on_number(_fraction)),
    Relation("other-word", "a different last word makes a different answer", "lower",
             _on_span(_last_word)),
    Relation("other-letters", "a longer word is a different word", "lower",
             _on_span(lambda text: (f"q{text}q",) if text.isalpha() else ())),
    Relation("repeated-word", "a repeated text is a different answer", "lower",
             _on_span(_repeated_word)),
    Relation("nothing", "an empty answer is wrong", "lower",
             _on_span(lambda text: ("",) if any(map(str.isalnum, text)) else ())),
    Relation("nearly", "a nearly correct answer scores above 0", "above zero", _shortened),
    Relation("span-order", "the order of spans is ignored", "same", _order),
    Relation("span-joined", "spans joined by a comma are the same answer", "same", _joined),
    Relation("span-text-order", "the order of spans in one text is ignored", "same",
             _order_in_text),
    Relation("span-repeated", "a repeated span makes a different answer", "lower", _repeated_span),
    Relation("span-other", "every span counts", "lower", _other_span),
    Relation("more-golds", "a further gold answer never lowers a score", "not lower",
             _more_golds),
    Relation("gold-twice", "a repeated gold answer changes nothing", "same", _gold_twice),
)  # fmt: skip
