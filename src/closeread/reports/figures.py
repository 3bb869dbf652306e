"""Draw the page's plots as PNG and PDF files for papers, from the same numbers."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.cells import cell_len, set_cell_size

from closeread.errors import StorageError
from closeread.registry.extras import missing_extra
from closeread.reports.groups import run_plots
from closeread.reports.material import Material
from closeread.reports.plot import Plot, percent
from closeread.reports.plots import make_plots
from closeread.reports.words.page import WORDS, word
from closeread.system import folders

_BLUE, _INK, _SOFT, _RED = "#0072b2", "#1b1c1e", "#8a8d92", "#d55e00"
_MAX_BANDS = 2  # more would overlap
_MAX_NAME_CELLS = 32  # of a name: a longer one would leave no room for the plot
_MAX_FILENAME = 60  # of a file name, which systems limit to 255 bytes
_MARKERS = "os^D"
_DASHES = ("-", "--", ":", "-.")
# Latin first: only a plot with Chinese words embeds the large Chinese font.
_FONTS = (
    "DejaVu Sans",
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "PingFang SC",
    "Microsoft YaHei",
    "WenQuanYi Micro Hei",
)


def write_plots(material: Material, folder: Path, language: str) -> list[Path]:
    """Write every plot of the report as ``NN-title.png`` and ``.pdf``; no folder if there is none.

    Raises:
        MissingExtraError: matplotlib is not installed.
        StorageError: The folder cannot be written.
    """
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise missing_extra("--plots", error.name or "matplotlib", "plots") from error
    plots = make_plots(material)
    if len(material.runs) > 1:
        plots = run_plots(material) + plots
    if not plots:
        return []
    paths = []
    settings: Any = {
        "font.family": _fonts(),
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "pdf.fonttype": 42,
        "axes.unicode_minus": False,
    }
    try:
        with folders.create_folder(folder), matplotlib.rc_context(settings):
            for number, plot in enumerate(plots, 1):
                figure = Figure(figsize=(5.2, _height(plot)), layout="constrained")
                axes = figure.add_subplot()
                _DRAW[plot.kind](axes, plot, language)
                axes.set_title(
                    plot_title(plot, language), loc="left", fontsize=10, fontweight="bold"
                )
                for ending in ("png", "pdf"):
                    path = folder / f"{number:02d}-{_safe_filename(_file_stem(plot))}.{ending}"
                    figure.savefig(path, dpi=200, metadata=_metadata(ending))
                    paths.append(path)
    except OSError as error:
        raise StorageError(
            f"cannot be written: {error.strerror}", where=str(folder), cure="choose another folder"
        ) from error
    return paths


def _file_stem(plot: Plot) -> str:
    """Return the stem of a plot's files; the run's name distinguishes plots of several runs."""
    parts = [plot.title, *(plot.params.get(key) for key in ("tag", "role", "run"))]
    return "-".join(filter(None, parts))


def plot_title(plot: Plot, language: str) -> str:
    """Return the question that a plot answers."""
    params = dict(plot.params)
    if "tag" in params:
        params["tag"] = _translate_name("tag", params["tag"], language)
    if "role" in params:
        params["role"] = word(f"role.{params['role']}", language)
    title = word(f"plot.{plot.title}", language, params)
    return f"{title} · {params['set']}" if "set" in params else title


def _dots(axes: Any, plot: Plot, language: str) -> None:
    runs, rows = plot.data["runs"], plot.data["rows"]
    for number, run in enumerate(runs):
        # The more runs there are, the more of the row they fill.
        shift = 0.0 if len(runs) == 1 else 0.9 / len(runs) * (number - (len(runs) - 1) / 2)
        for place, row in enumerate(rows):
            point = row["points"][number]
            if point is None or point["value"] is None:
                _right_label(axes, "—", place + shift)
                continue
            _interval(axes, point, place + shift, number)
            label = f"{percent(point['value'])}  n {point['n']:,}"
            _right_label(axes, label, place + shift)
        if len(runs) > 1:
            marker = _MARKERS[number % len(_MARKERS)]
            axes.plot([], [], marker, color=_BLUE, label=_shorten_name(run))
    overall = plot.data["whole"]
    if len(runs) == 1 and overall[0] is not None:
        axes.axvline(overall[0] * 100, color=_SOFT, linestyle="--", linewidth=0.8)
    if len(runs) > 1:
        axes.figure.legend(loc="outside lower left", frameon=False, ncols=_columns(runs))
    _rows(axes, [_translate_name("value", row["label"], language) for row in rows])
    dash = plot.data.get("dash")
    explanation = f"\n{word(dash, language)}" if dash else ""
    axes.set_xlabel(f"{plot.params['metric']}, %{explanation}")


def _ranks(axes: Any, plot: Plot, language: str) -> None:
    rows = plot.data["rows"]
    for place, row in enumerate(rows):
        for side, shift, marker in (("gold", -0.17, "s"), ("said", 0.17, "o")):
            value, low, high = row[side]
            color = _INK if side == "gold" else _BLUE
            y = place + shift
            if low is not None and high is not None:
                axes.plot([100 * low, 100 * high], [y, y], color=color, linewidth=1.3)
            face = "white" if side == "gold" else color
            axes.plot([100 * value], [y], marker, color=color, markerfacecolor=face, markersize=5)
            _right_label(axes, percent(value), y)
    names = [word("rank.nth", language, {"n": place}) for place in range(1, len(rows) + 1)]
    names[0], names[-1] = word("rank.longest", language), word("rank.shortest", language)
    axes.axvline(100 * plot.data["chance"], color=_SOFT, linestyle="--", linewidth=0.8)
    _rows(axes, names, 100 * plot.data["most"])
    predicted_by = word("predicted-by", language, {"run": _shorten_name(plot.data["run"])})
    axes.set_xlabel(f"□ {word('gold', language)}    ● {predicted_by}    (%)")


def _curve(axes: Any, plot: Plot, language: str) -> None:
    for number, curve in enumerate(plot.data["curves"]):
        coverages = [100 * point[0] for point in curve["points"]]
        values = [100 * point[1] for point in curve["points"]]
        banded = [point for point in curve["points"] if len(point) > 2]
        if banded and len(plot.data["curves"]) <= _MAX_BANDS:
            places, _, low, high = (
                [100 * coordinate for coordinate in part_of_points]
                for part_of_points in zip(*banded, strict=True)
            )
            axes.fill_between(places, low, high, color=_BLUE, alpha=0.16, linewidth=0)
        dashes = _DASHES[number % 4]
        axes.plot(
            coverages, values, dashes, color=_BLUE, linewidth=1.5, label=_shorten_name(curve["run"])
        )
    if plot.data["named"]:
        # Curves of nearly equal runs begin in one place: names at their ends would overlap.
        axes.legend(frameon=False, fontsize=8, handlelength=3.5)
    axes.set_xlim(0, 100)
    axes.set_ylim(0, 100)
    axes.set_xlabel(word("axis.coverage", language))
    axes.set_ylabel(f"{plot.params['metric']}, %")


def _square(axes: Any, plot: Plot, language: str) -> None:
    cells = plot.data["cells"]
    total = sum(map(sum, cells)) or 1
    for line in range(2):
        for column in range(2):
            lost = (line, column) == (0, 1) and plot.data["above"] == "variant"
            face, edge = ("#fbe6d8", _RED) if lost else ("#f3f3ef", "white")
            corner = (column - 0.48, line - 0.48)
            axes.add_patch(_rectangle(corner, face, edge))
            n = cells[line][column]
            text = f"{n:,}\n{percent(n / total)} %"
            axes.text(column, line, text, ha="center", va="center", color=_INK)
    axes.set_xlim(-0.55, 1.55)
    axes.set_ylim(1.55, -0.55)
    sides = ("right", "wrong")
    axes.set_xticks([0, 1], [word(f"{plot.data['above']}.{key}", language) for key in sides])
    axes.set_yticks([0, 1], [word(f"{plot.data['side']}.{key}", language) for key in sides])
    params = {name: _shorten_name(value) for name, value in plot.params.items()}
    axes.set_xlabel(word(f"plot-note.{plot.title}", language, params))
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


_DRAW: dict[str, Callable[[Any, Plot, str], None]] = {
    "dots": _dots,
    "ranks": _ranks,
    "curve": _curve,
    "square": _square,
}


def _interval(axes: Any, point: dict[str, Any], y: float, number: int) -> None:
    low, high = point["low"], point["high"]
    if low is not None and high is not None:
        axes.plot([100 * low, 100 * high], [y, y], color=_BLUE, linewidth=1.3)
    marker = _MARKERS[number % len(_MARKERS)]
    # A marker at 0 or 100 would be cut in half.
    axes.plot([100 * point["value"]], [y], marker, color=_BLUE, markersize=5, clip_on=False)


def _right_label(axes: Any, text: str, y: float) -> None:
    axes.annotate(
        text,
        (1, y),
        (4, 0),
        ("axes fraction", "data"),
        textcoords="offset points",
        va="center",
        fontsize=8,
    )


def _rows(axes: Any, labels: Sequence[str], maximum: float = 100) -> None:
    axes.set_yticks(range(len(labels)), list(map(_shorten_name, labels)))
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.set_xlim(0, maximum)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x", color="#e4e4e0", linewidth=0.6)
    axes.set_axisbelow(True)


def _rectangle(corner: tuple[float, float], face: str, edge: str) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle(corner, 0.96, 0.96, facecolor=face, edgecolor=edge)


def _height(plot: Plot) -> float:
    if plot.kind == "dots":
        runs = len(plot.data["runs"])
        lines = -(-runs // _columns(plot.data["runs"])) if runs > 1 else 0
        return 1.2 + len(plot.data["rows"]) * (0.24 + 0.14 * (runs - 1)) + 0.25 * lines
    return {"ranks": 2.4, "curve": 3.0, "square": 2.8}[plot.kind]


def _shorten_name(name: str) -> str:
    """Shorten a name to its beginning and end."""
    if cell_len(name) <= _MAX_NAME_CELLS:
        return name
    return f"{set_cell_size(name, _MAX_NAME_CELLS // 2)}…{name[-_MAX_NAME_CELLS // 4 :]}"


def _columns(names: Sequence[str]) -> int:
    """Return the number of columns of a legend."""
    return 2 if all(cell_len(name) <= _MAX_NAME_CELLS // 2 for name in names) else 1


def _fonts() -> list[str]:
    from matplotlib import font_manager

    installed = {font.name for font in font_manager.fontManager.ttflist}
    return [name for name in _FONTS if name in installed] or ["sans-serif"]


def _metadata(ending: str) -> dict[str, None]:
    """Leave out the time of writing, so that the same numbers give the same file."""
    return {"CreationDate": None} if ending == "pdf" else {"Software": None}


def _translate_name(prefix: str, name: str, language: str) -> str:
    parts = [f"{prefix}.{part}" for part in name.split("+")]  # strategies applied together
    return "+".join(word(part, language) for part in parts) if WORDS.keys() >= {*parts} else name


def _safe_filename(text: str) -> str:
    """Return a safe file name, cut to length; the number before it keeps it unique."""
    return "".join(character if character.isalnum() else "-" for character in text[:_MAX_FILENAME])
