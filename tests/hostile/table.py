"""The table of attacks in docs/sandbox.md.

    python -m tests.hostile.table

plays every attack under every layer that works here and writes the table anew; columns of other layers stay.
"""

from pathlib import Path

from beanleague.referee.messages import Limits
from beanleague.referee.sandbox.layers import CONFINING, Layer
from beanleague.referee.sandbox.probe import examine
from tests.hostile.arena import Arena, attacks, play, summary

PAGE = Path(__file__).parents[2] / "docs" / "sandbox.md"
_BEGIN, _END = "<!-- attacks: written by tests/hostile/table.py -->\n", "<!-- end of attacks -->"
UNKNOWN = "not tried"


def outcomes(arena: Arena) -> dict[str, str]:
    """Return the column of a layer: what became of each attack."""
    return {name: outcome.word for name, outcome in arena.outcomes.items()}


def committed() -> dict[Layer, dict[str, str]]:
    """Return the columns of the page as it is."""
    columns: dict[Layer, dict[str, str]] = {layer: {} for layer in CONFINING}
    _, begun, rest = PAGE.read_text(encoding="utf-8").partition(_BEGIN)
    if not begun:
        return columns
    header, _, *lines = rest.partition(_END)[0].splitlines()
    layers = _cells(header)[2:]
    for line in lines:
        name, _, *words = _cells(line)
        for layer, word in zip(layers, words, strict=True):
            if layer in columns:
                columns[Layer(layer)][name.strip("`")] = word.strip("*")
    return columns


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def write(columns: dict[Layer, dict[str, str]]) -> None:
    """Put a table of these columns into the page."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(_BEGIN)
    lines = [f"| attack | what it does | {' | '.join(CONFINING)} |", "|---|---|" + "---|" * len(CONFINING)]
    for name, file in attacks().items():
        words = [columns[layer].get(name, UNKNOWN) for layer in CONFINING]
        cells = [f"**{word}**" if word.isupper() else word for word in words]
        lines.append(f"| `{name}` | {summary(file).rstrip('.')} | {' | '.join(cells)} |")
    table = "\n".join(lines)
    PAGE.write_text(f"{before}{_BEGIN}{table}\n{_END}{rest.partition(_END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    found = committed()
    for layer in CONFINING:
        if examine(layer, Limits()).sandbox:
            found[layer] = outcomes(play(attacks(), layer))
    write(found)
