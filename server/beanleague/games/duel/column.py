"""A field of the duel: a column of beans of several kinds."""

from __future__ import annotations

from dataclasses import dataclass

from beanleague.games.core.kinds import Kind


@dataclass(frozen=True, slots=True)
class Column:
    """The cards of a field. `cards`: first planted first. `runs`: how many of one kind lie in a row, first ones first.

    Kinds only rise in a column, so every run is of another kind.
    """

    cards: tuple[Kind, ...] = ()
    runs: tuple[int, ...] = ()

    @property
    def last(self) -> Kind | None:
        """The kind planted last, None if the field is empty."""
        return self.cards[-1] if self.cards else None

    def grown(self, kind: Kind) -> Column:
        """Return the column with one more bean of `kind`."""
        if self.cards and self.cards[-1] == kind:
            return Column((*self.cards, kind), (*self.runs[:-1], self.runs[-1] + 1))
        return Column((*self.cards, kind), (*self.runs, 1))

    def ends_with(self, sequence: tuple[int, ...]) -> bool:
        """Return whether the last cards, the very last included, are runs of the lengths `sequence`."""
        tail = self.runs[-len(sequence) :]
        return len(tail) == len(sequence) and tail[0] >= sequence[0] and tail[1:] == sequence[1:]


EMPTY = Column()
