"""Shows claims with the evidence of several retrievers and gold (Table 4), or prints them as JSON.

It also shows how a masking retriever's attention moves over the claim by step (Figure 1).
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import click

from closeread.cli.evidence.methods import Method
from closeread.cli.evidence.selection import Selection
from closeread.cli.evidence.shown import ShownClaim, claim_as_json, iter_claims
from closeread.cli.terminal.output import make_console, print_json
from closeread.cli.terminal.typeset import to_glyphs, wrap_glyphs
from closeread.evidence.claims.explanation import Explanation
from closeread.evidence.claims.terms import units
from closeread.types import Evidence, Span
from closeread.wording import in_one_line, visible_sign

# Okabe and Ito's palette; the circled number says the same without colour.
_COLOURS = ("#E69F00", "#56B4E9", "#009E73", "#CC79A7", "#D55E00", "#F0E442", "#0072B2")
_SHADES = ((0.75, "bold reverse"), (0.5, "bold"), (0.25, ""), (0.0, "dim"))
_LONGEST_LIST = 8
_CLOSE = 2
_NO_PART = (Span(0, 0), -1)


def show_evidence(selection: Selection, methods: list[Method], *, why: bool, json_: bool) -> None:
    """Print every claim with its evidence and, with ``why``, what each sentence covers."""
    records = []
    claims = 0
    for passage, questions in selection.items():
        for question in questions:
            for shown in iter_claims(methods, passage, question, selection.label):
                claims += 1
                if json_:
                    records.append(claim_as_json(shown, why))
                else:
                    _print_claim(shown, why)
    selection.must_have(claims)
    if json_:
        print_json({"evidence": records})


def _print_claim(shown: ShownClaim, why: bool) -> None:
    """Print a claim, the sentences of each retriever and gold, and their text."""
    out = make_console()
    with out.capture() as captured:
        for line in _iter_lines(shown, why, out.width):
            out.print(line)
    click.echo(captured.get(), nl=False)


def _iter_lines(shown: ShownClaim, why: bool, width: int) -> Iterator[Any]:
    from rich.text import Text

    numbers = {span: n for n, span in enumerate(_all_spans(shown), 1)}
    label = f" {shown.option.label}" if shown.option is not None else ""
    yield Text(f"── {in_one_line(shown.question.question_id)}{label}", style="bold")
    yield _colour_claim(shown, numbers)
    yield ""
    widest = max(len(name) for name in (*shown.evidence_by_label, "gold"))
    for name, spans in _iter_sources(shown):
        line = Text(f"  {in_one_line(name):<{widest}}  ")
        for span in spans:
            line.append(_circled_number(numbers[span]) + " ", style=_colour(numbers[span]))
        yield line.append("" if spans else "—")
    yield ""
    for span, number in numbers.items():
        style = ("bold " if span in shown.gold else "") + _colour(number)
        yield from wrap_block(_circled_number(number), style, span.of(shown.passage.text), width)
    if why:
        for name, (retriever, evidence) in shown.evidence_by_label.items():
            yield ""
            yield from _iter_reasons(name, evidence, shown, numbers, width)
            if hasattr(retriever, "steps"):
                yield from _iter_attention(name, retriever, shown, width)
    yield ""


def _iter_sources(shown: ShownClaim) -> Iterator[tuple[str, tuple[Span, ...]]]:
    for name, (_, evidence) in shown.evidence_by_label.items():
        yield name, evidence.spans
    if shown.gold:
        yield "gold", shown.gold


def _all_spans(shown: ShownClaim) -> list[Span]:
    return sorted({span for _, spans in _iter_sources(shown) for span in spans})


def _colour_claim(shown: ShownClaim, numbers: dict[Span, int]) -> Any:
    """Colour each part of the claim like the gold (or first found) sentence that covers it."""
    first = next(iter(shown.evidence_by_label.values()))[1].spans
    evidence = Evidence(spans=shown.gold or first)
    return _paint_claim(shown.claim, shown.explain(evidence), numbers)


def _paint_claim(
    claim: str, explanation: Explanation, numbers: dict[Span, int], *, numbered: bool = False
) -> Any:
    """Colour each part of the claim like its sentence, optionally followed by its number."""
    from rich.text import Text

    text = Text("")
    numbers_after = _number_places(explanation, numbers) if numbered else {}
    styles = [""] * len(claim)
    for match in explanation.covered:
        style = _colour(numbers[explanation.evidence.spans[match.sentence_index]])
        styles[match.option_span.start : match.option_span.end] = [style] * (
            match.option_span.end - match.option_span.start
        )
    for span in explanation.uncovered:
        styles[span.start : span.end] = ["underline"] * (span.end - span.start)
    for place, (character, style) in enumerate(zip(claim, styles, strict=True), 1):
        text.append(visible_sign(character), style=style)
        text.append(numbers_after.get(place, ""), style=style)
    return text


def _number_places(explanation: Explanation, numbers: dict[Span, int]) -> dict[int, str]:
    """Return the sentence number after each position of the claim.

    Nearby parts of one sentence share its number.
    """
    parts = [
        (match.option_span, numbers[explanation.evidence.spans[match.sentence_index]])
        for match in explanation.covered
    ]
    parts = sorted([*parts, *((span, 0) for span in explanation.uncovered)])
    numbers_after = {}
    for (span, number), (following, next_number) in pairwise([*parts, _NO_PART]):
        is_near = following.start - span.end <= _CLOSE
        if number and not (is_near and next_number == number):
            numbers_after[span.end] = _circled_number(number)
    return numbers_after


def _iter_reasons(
    name: str, evidence: Evidence, shown: ShownClaim, numbers: dict[Span, int], width: int
) -> Iterator[Any]:
    """Yield what each sentence of the evidence covers, and what is uncovered."""
    from rich.text import Text

    explanation = shown.explain(evidence)
    yield Text(f"{in_one_line(name)}:", style="bold")
    if evidence.spans:
        yield Text("  ") + _paint_claim(shown.claim, explanation, numbers, numbered=True)
    for place, span in enumerate(evidence.spans):
        parts = [
            match.option_span.of(shown.claim)
            for match in explanation.covered
            if match.sentence_index == place
        ]
        number = numbers[span]
        covers = "covers " + (" · ".join(parts) or "no part of it")
        yield from wrap_block(f"  {_circled_number(number)}", _colour(number), covers, width)
    if not units(shown.claim):
        yield Text("  nothing to look for: the claim has no letter, digit or Chinese character")
        return
    uncovered = " · ".join(span.of(shown.claim) for span in explanation.uncovered)
    yield from wrap_block("  uncovered:", "", uncovered or "nothing", width)


def _iter_attention(name: str, retriever: Any, shown: ShownClaim, width: int) -> Iterator[Any]:
    """Yield, for every step, the claim shaded by word weight, and the heaviest words."""
    from rich.text import Text

    for number, step in enumerate(retriever.steps(shown.question, shown.passage, shown.option), 1):
        yield Text(f"{in_one_line(name)} step {number}:")
        text = Text("")
        max_weight = max((weight for _, weight in step.weights), default=0.0) or 1.0
        level = [0.0] * len(shown.query)
        for word, weight in step.weights:
            for place in range(word.span.start, word.span.end):
                level[place] = max(level[place], weight / max_weight)
        for character, share in zip(shown.query, level, strict=True):
            style = next(style for least, style in _SHADES if share >= least)
            text.append(visible_sign(character), style=style)
        yield text
        heaviest = sorted(step.weights, key=lambda pair: (-pair[1], pair[0].span))
        heaviest_words = "  ".join(
            f"{in_one_line(word.text)} {weight:.2f}" for word, weight in heaviest[:_LONGEST_LIST]
        )
        yield Text(f"    {heaviest_words}", style="dim")
        yield from wrap_block("    found:", "", step.sentence.of(shown.passage.text), width)


def wrap_block(head: str, style: str, text: str, width: int) -> Iterator[Any]:
    """Yield a text wrapped after its head, also between Chinese characters."""
    from rich.text import Text

    first_head = Text().append(head + " ", style=style)
    indent = first_head.cell_len
    for number, line in enumerate(wrap_glyphs(to_glyphs(text), max(width - indent, 8))):
        line_head = first_head if number == 0 else Text(" " * indent)
        yield line_head.copy().append("".join(glyph.text for glyph in line))


def _circled_number(number: int) -> str:
    return chr(0x2460 + number - 1) if number <= 20 else f"({number})"


def _colour(number: int) -> str:
    return _COLOURS[(number - 1) % len(_COLOURS)]
