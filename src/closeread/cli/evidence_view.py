"""One claim with the evidence of several retrievers beside gold, in a terminal (Table 4).

And how a masking retriever's attention moves over the claim from step to step (Figure 1).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from closeread.cli.output import console
from closeread.cli.typeset import visible
from closeread.evidence.query import query_text
from closeread.protocols import Retriever
from closeread.types import Evidence, Option, Passage, Question, Span

# Okabe and Ito's palette; the circled number says the same without colour.
_COLOURS = ("#E69F00", "#56B4E9", "#009E73", "#CC79A7", "#D55E00", "#F0E442", "#0072B2")
_SHADES = ((0.75, "bold reverse"), (0.5, "bold"), (0.25, ""), (0.0, "dim"))
_LONGEST_LIST = 8


@dataclass(frozen=True)
class Shown:
    """A claim and what each retriever, by its label, found for it."""

    passage: Passage
    question: Question
    option: Option | None
    found: dict[str, tuple[Retriever, Evidence]]

    @property
    def claim(self) -> str:
        """Return the text that evidence is sought for."""
        return query_text(self.question, self.option)

    @property
    def gold(self) -> tuple[Span, ...]:
        """Return the gold sentences of this claim; the first reference where there are several."""
        label = self.option.label if self.option is not None else ""
        mine = [one for one in self.question.gold_evidence if one.option_label == label]
        right = {answer.label for answer in self.question.answers}
        if not mine and (not label or label in right):
            mine = [one for one in self.question.gold_evidence if not one.option_label][:1]
        return tuple(sorted({span for one in mine for span in one.spans}))


def record(shown: Shown, explain: bool) -> dict[str, Any]:
    """Return a claim and its evidence for ``--json``."""
    made: dict[str, Any] = {
        "question_id": shown.question.question_id,
        "option": shown.option.label if shown.option is not None else "",
        "claim": shown.claim,
        "gold": [_piece(shown.passage, span) for span in shown.gold],
    }
    for label, (retriever, evidence) in shown.found.items():
        told: dict[str, Any] = {
            "sentences": [_piece(shown.passage, span) for span in evidence.spans],
            "score": evidence.score,
        }
        if explain:
            told |= _explained(retriever, shown)
        made.setdefault("retrievers", {})[label] = told
    return made


def _piece(passage: Passage, span: Span) -> dict[str, Any]:
    return {"span": [span.start, span.end], "text": span.of(passage.text)}


def _explained(retriever: Retriever, shown: Shown) -> dict[str, Any]:
    if not hasattr(retriever, "steps"):
        return {}
    return {
        "steps": [
            {
                "found": _piece(shown.passage, step.sentence),
                "weights": [
                    {"word": word.text, "span": [word.span.start, word.span.end], "weight": weight}
                    for word, weight in step.weights
                ],
            }
            for step in retriever.steps(shown.question, shown.passage, shown.option)
        ]
    }


def view(shown: Shown, explain: bool) -> None:
    """Print a claim, which sentences each retriever and gold name, and those sentences."""
    from rich.text import Text

    out = console()
    numbers = {span: n for n, span in enumerate(_union(shown), 1)}
    label = f" {shown.option.label}" if shown.option is not None else ""
    out.print(Text(f"── {_safe(shown.question.question_id)}{label}", style="bold"))
    out.print(_coloured_claim(shown, numbers))
    out.print()
    width = max(len(name) for name in (*shown.found, "gold"))
    for name, spans in _rows(shown):
        line = Text(f"  {_safe(name):<{width}}  ")
        for span in spans:
            line.append(_circled(numbers[span]) + " ", style=_colour(numbers[span]))
        line.append("" if spans else "—")
        out.print(line)
    out.print()
    for span, number in numbers.items():
        style = "bold " if span in shown.gold else ""
        head = Text(f"{_circled(number)} ", style=style + _colour(number))
        out.print(head.append(_safe(span.of(shown.passage.text)), style=""))
    if explain:
        for name, (retriever, _) in shown.found.items():
            if hasattr(retriever, "steps"):
                out.print()
                for line in _attention(name, retriever, shown):
                    out.print(line)
    out.print()


def _rows(shown: Shown) -> Iterator[tuple[str, tuple[Span, ...]]]:
    for name, (_, evidence) in shown.found.items():
        yield name, evidence.spans
    if shown.gold:
        yield "gold", shown.gold


def _union(shown: Shown) -> list[Span]:
    return sorted({span for _, spans in _rows(shown) for span in spans})


def _coloured_claim(shown: Shown, numbers: dict[Span, int]) -> Any:
    """Paint each part of the claim in the colour of the gold (or first found) sentence with it."""
    from rich.text import Text

    text = Text("".join(visible(one) for one in shown.claim))
    if len(text) != len(shown.claim):
        return text
    first = next(iter(shown.found.values()))[1].spans
    for span in shown.gold or first:
        for start, end in _shared(shown.claim, span.of(shown.passage.text)):
            text.stylize(_colour(numbers[span]), start, end)
    return text


def _shared(claim: str, sentence: str) -> Iterator[tuple[int, int]]:
    """Yield the longest pieces of the claim, two characters or more, that the sentence repeats."""
    start = 0
    while start < len(claim) - 1:
        end = start
        while end < len(claim) and claim[start : end + 1] in sentence:
            end += 1
        if end - start >= 2 and any(one.isalnum() for one in claim[start:end]):
            yield start, end
        start = max(end, start + 1)


def _attention(name: str, retriever: Any, shown: Shown) -> Iterator[Any]:
    """Yield, for every step, the claim shaded by its words' weights, and the weightiest words."""
    from rich.text import Text

    for number, step in enumerate(retriever.steps(shown.question, shown.passage, shown.option), 1):
        text = Text(f"{_safe(name)} step {number}: ")
        most = max((weight for _, weight in step.weights), default=0.0) or 1.0
        level = [0.0] * len(shown.claim)
        for word, weight in step.weights:
            for place in range(word.span.start, word.span.end):
                level[place] = max(level[place], weight / most)
        for character, share in zip(shown.claim, level, strict=True):
            style = next(style for least, style in _SHADES if share >= least)
            text.append(visible(character), style=style)
        yield text
        heaviest = sorted(step.weights, key=lambda pair: (-pair[1], pair[0].span))
        listed = "  ".join(
            f"{_safe(word.text)} {weight:.2f}" for word, weight in heaviest[:_LONGEST_LIST]
        )
        found = _safe(step.sentence.of(shown.passage.text))
        yield Text(f"    {listed}", style="dim")
        yield Text(f"    found: {found}")


def _safe(text: str) -> str:
    return "".join(visible(one) for one in text)


def _circled(number: int) -> str:
    return chr(0x2460 + number - 1) if number <= 20 else f"({number})"


def _colour(number: int) -> str:
    return _COLOURS[(number - 1) % len(_COLOURS)]
