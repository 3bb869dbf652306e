"""Plot models: a benchmark's score against the mean of the others, before and after cutting."""

import html
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

_WIDTH, _HEIGHT = 640, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 16, 14, 46
_MAX_DOTS = 5000  # dots; a page with more is slow to draw

Translate = Callable[..., str]
Point = tuple[str, float, float]


def scatter(data: Mapping[str, Any], translate: Translate) -> str:
    """Return the plot of a ``shape`` finding as an SVG figure; empty without points.

    Args:
        data: The finding's: ``target``, ``points``, ``cluster``, ``recut``. If no stop helped,
            runs keep their place.
        translate: Fills in and escapes a template of the page's words.
    """
    points = [tuple(point) for point in data.get("points", ())][:_MAX_DOTS]
    recut = data.get("recut") or {}
    pairs = list(recut.get("points", ()))[:_MAX_DOTS]
    if not points and not pairs:
        return ""
    recut_names = {name for name, *_ in pairs}
    fixed_points = [point for point in points if point[0] not in recut_names]
    cluster = frozenset(data.get("cluster", ()))
    is_cut = recut.get("stop") is not None
    scores = [score for *_, score in points] + [score for pair in pairs for score in pair[2:]]
    levels = [point[1] for point in (*points, *pairs)]
    x, y = _scale(levels, _LEFT, _WIDTH - _RIGHT), _scale(scores, _HEIGHT - _BOTTOM, _TOP)
    dots = [
        _dot(x(level), y(score), _kind(name, cluster), (name, level, score))
        for name, level, score in fixed_points
    ]
    dots += _iter_pair_dots(pairs, is_cut, x, y)
    kinds = {_kind(name, cluster) for name, *_ in fixed_points}
    if pairs:
        kinds |= {"before", "after"} if is_cut else {"before"}
    target = str(data.get("target", ""))
    label = translate(
        "{benchmark} over the mean of the other benchmarks, model by model", benchmark=target
    )
    return (
        f'<figure class="scatter"><svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{label}">{_axes(levels, scores, x, y)}'
        f'<text class="name" x="{(_LEFT + _WIDTH - _RIGHT) / 2:.0f}" y="{_HEIGHT - 8}">'
        f"{translate('mean of the other benchmarks, %')}</text>"
        f'<text class="name" transform="translate(14 {(_TOP + _HEIGHT - _BOTTOM) / 2:.0f}) '
        f'rotate(-90)">{translate("{benchmark}, %", benchmark=target)}</text>{"".join(dots)}</svg>'
        f"{_key(kinds, recut.get('cut_at', ''), translate)}</figure>"
    )


def _kind(name: str, cluster: Collection[str]) -> str:
    return "stuck" if name in cluster else "free"


def _iter_pair_dots(
    pairs: Iterable[tuple[str, float, float, float]],
    is_cut: bool,
    x: Callable[[float], float],
    y: Callable[[float], float],
) -> Iterator[str]:
    """Yield the dots of runs as saved and, if they were cut, the line to their new place."""
    for name, level, before, after in pairs:
        if is_cut:
            yield (
                f'<line class="move" x1="{x(level):.1f}" y1="{y(before):.1f}" '
                f'x2="{x(level):.1f}" y2="{y(after):.1f}"/>'
            )
        yield _dot(x(level), y(before), "before", (name, level, before))
        if is_cut:
            yield _dot(x(level), y(after), "after", (name, level, after))


def _key(kinds: Collection[str], cut_at: str, translate: Translate) -> str:
    """Return the list that explains the kinds of dots in the plot."""
    labels = {
        "free": translate("a model"),
        "stuck": translate("a model of the cluster that hardly moves"),
        "before": translate("a run as saved"),
        "after": translate("the same run, cut at {stop}", stop=cut_at),
    }
    items = (
        f'<li><svg viewBox="0 0 12 12" aria-hidden="true"><circle class="{kind}" cx="6" cy="6" '
        f'r="4"/></svg> {label}</li>'
        for kind, label in labels.items()
        if kind in kinds
    )
    return f'<ul class="key">{"".join(items)}</ul>'


def _scale(numbers: Sequence[float], start: float, end: float) -> Callable[[float], float]:
    low, high = _tenths_around(numbers)
    return lambda number: start + (end - start) * (number - low) / (high - low)


def _tenths_around(numbers: Sequence[float]) -> tuple[float, float]:
    """Return the tenths that enclose all numbers."""
    low, high = min(numbers) * 10 // 1 / 10, -(-max(numbers) * 10 // 1) / 10
    return low, max(high, low + 0.1)


def _axes(
    levels: Sequence[float],
    scores: Sequence[float],
    x: Callable[[float], float],
    y: Callable[[float], float],
) -> str:
    parts = []
    for mark in _tick_marks(levels):
        parts.append(
            f'<line class="grid" x1="{x(mark):.1f}" y1="{_TOP}" x2="{x(mark):.1f}" '
            f'y2="{_HEIGHT - _BOTTOM}"/>'
            f'<text x="{x(mark):.1f}" y="{_HEIGHT - _BOTTOM + 16}">{100 * mark:.0f}</text>'
        )
    for mark in _tick_marks(scores):
        parts.append(
            f'<line class="grid" x1="{_LEFT}" y1="{y(mark):.1f}" x2="{_WIDTH - _RIGHT}" '
            f'y2="{y(mark):.1f}"/>'
            f'<text class="side" x="{_LEFT - 6}" y="{y(mark) + 4:.1f}">{100 * mark:.0f}</text>'
        )
    return "".join(parts)


def _tick_marks(numbers: Sequence[float]) -> list[float]:
    low, high = (round(10 * end) for end in _tenths_around(numbers))
    return [tenth / 10 for tenth in range(low, high + 1)]


def _dot(x: float, y: float, kind: str, point: Point) -> str:
    name, level, score = point
    title = html.escape(f"{name[:80]}: {100 * level:.1f}, {100 * score:.1f}")
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="4"><title>{title}</title></circle>'
