"""The whole picture: ratings, their history, and both matrices."""

from __future__ import annotations

from pathlib import Path

from beanleague.cli.errors import CliError
from beanleague.cli.views.plot.bars import draw_bars
from beanleague.cli.views.plot.history import draw_history
from beanleague.cli.views.plot.looks import look
from beanleague.cli.views.plot.matrix import draw_matrix
from beanleague.extras import installation
from beanproto.v1.league_pb2 import RatingsResponse

_KINDS = (".png", ".svg")
_DPI = 150
_LETTER_INCHES = 0.07  # the width of a letter of a name
_ROW_INCHES = 0.26  # the height of a bot
_MIN_HEIGHT = 2.0  # inches of a part of the picture, without its labels
_MIN_WIDTH = 4.6
_LABELS_INCHES = 1.2  # above and below a part


def write_plot(rated: RatingsResponse, path: Path) -> None:
    """Write the ratings with their 95 % intervals, their history, and each bot against each other, as PNG or SVG.

    Raises:
        CliError: the format is unknown, nothing was played, matplotlib is not installed, or the file cannot be written.
    """
    if path.suffix.lower() not in _KINDS:
        raise CliError(f"{path} must end in {' or '.join(_KINDS)}, which selects the format of the picture")
    if not any(standing.rank for standing in rated.standings):
        raise CliError(f"no deals of {rated.league} have been played yet, so there is nothing to draw")
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        raise CliError(f"pictures need matplotlib; install it with: {installation('plot')}") from None
    looks = [look(standing, number) for number, standing in enumerate(rated.standings)]
    names = max(len(style.name) for style in looks) * _LETTER_INCHES
    height = max(_MIN_HEIGHT, _ROW_INCHES * len(looks))
    width = 2 * (max(_MIN_WIDTH, height) + names)
    figure = Figure(figsize=(width, 2 * (height + _LABELS_INCHES)), layout="constrained", dpi=_DPI)
    figure.suptitle(rated.league)
    (bars, history), (better, won) = figure.subplots(2, 2)
    played = [number for number, standing in enumerate(rated.standings) if standing.rank]
    bots, styles = [rated.standings[number] for number in played], [looks[number] for number in played]
    draw_bars(bars, bots, styles)
    draw_matrix(better, rated, lambda row: row.better, "Probability (%) that the row's bot is better", looks)
    draw_matrix(won, rated, lambda row: row.pair_score, "Share (%) of their pairs that it won", looks)
    draw_history(history, rated, bots, styles)  # last: it places its names in the finished layout
    try:
        figure.savefig(path)
    except OSError as error:
        raise CliError(f"cannot write {path}: {error.strerror}") from None
