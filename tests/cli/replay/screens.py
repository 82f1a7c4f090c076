"""What a terminal shows, for the tests of replays."""

import io

from rich.console import Console, RenderableType


def text(drawn: RenderableType, width: int = 100) -> str:
    """Return what is drawn without its colours."""
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(drawn)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def marked(drawn: RenderableType, width: int = 100) -> list[str]:
    """Return the pieces that are drawn in reverse."""
    console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system="standard")
    return ["".join(pieces) for pieces in _runs(console, drawn)]


def _runs(console: Console, drawn: RenderableType) -> list[list[str]]:
    runs: list[list[str]] = [[]]
    for segment in console.render(drawn):
        if segment.style and segment.style.reverse:
            runs[-1].append(segment.text)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]
