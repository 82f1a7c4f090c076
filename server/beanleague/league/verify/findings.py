"""What a verification finds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong in the database."""

    where: str
    """What it concerns: a match, a deal, an entrant or the league."""
    column: str
    """Table and column, e.g. "match_seat.score"; the table alone if it concerns a whole row."""
    problem: str
    """What is wrong."""

    def __str__(self) -> str:
        return f"{self.where}: {self.column}: {self.problem}"


def differs(where: str, column: str, stored: object, derived: object, source: str, about: str = "") -> list[Finding]:
    """Return a finding if a stored value is not what follows from `source`. `about`: which row of several."""
    if stored == derived:
        return []
    row = f"{about} " if about else ""
    return [Finding(where, column, f"{row}{stored!r:.200} is stored, but {source} {derived!r:.200}")]


def unreadable(where: str, table: str, error: Exception) -> Finding:
    """Return the finding for rows that cannot even be checked."""
    return Finding(where, table, f"cannot be checked: {type(error).__name__}: {error!s:.200}")
