"""A field of the duel: a column of beans of several kinds."""

from __future__ import annotations

from dataclasses import dataclass

from beanleague.games.core.kinds import Kind


@dataclass(frozen=True, slots=True)
class Column:
    """The cards of a field.

    Numbers of kinds never fall within a column, so each run is of a different kind.
    """

    cards: tuple[Kind, ...] = ()
    """The cards, first planted first."""
    runs: tuple[int, ...] = ()
    """How many cards of the same kind follow each other, first planted first."""

    @property
    def last(self) -> Kind | None:
        """The kind planted last, or None if the field is empty."""
        return self.cards[-1] if self.cards else None

    def grown(self, kind: Kind) -> Column:
        """Return the column with one more bean of `kind`."""
        if self.cards and self.cards[-1] == kind:
            return Column((*self.cards, kind), (*self.runs[:-1], self.runs[-1] + 1))
        return Column((*self.cards, kind), (*self.runs, 1))

    def ends_with(self, sequence: tuple[int, ...]) -> bool:
        """Return whether the field ends with runs of the lengths `sequence`; the first run may be longer."""
        tail = self.runs[-len(sequence) :]
        return len(tail) == len(sequence) and tail[0] >= sequence[0] and tail[1:] == sequence[1:]


EMPTY = Column()
