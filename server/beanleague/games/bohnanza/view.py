"""What a player of the trading card games sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from beanleague.games.bohnanza.decision import Decision
from beanleague.games.bohnanza.events import Answered, Offered
from beanleague.games.bohnanza.legal import default_action, legal_actions
from beanleague.games.bohnanza.rules import CardRules
from beanleague.games.core.game import Action, Event, View
from beanleague.games.core.kinds import Kind


@dataclass(frozen=True, slots=True)
class Field:
    """A bean field: `count` cards of `kind`; an empty one has no kind and count 0."""

    kind: Kind | None
    count: int


EMPTY = Field(None, 0)


class FieldsView(View):
    """A view of a game with one kind a field."""

    __slots__ = ()

    rules: CardRules
    fields: tuple[tuple[Field, ...], ...]
    harvestable: tuple[int, ...]

    @property
    def own_fields(self) -> tuple[Field, ...]:
        """The fields of this seat."""
        return self.fields[self.seat]

    def places_for(self, kind: Kind) -> tuple[int, ...]:
        """Return the own fields that take a card of `kind`: those of its kind and the empty ones."""
        return tuple(i for i, field in enumerate(self.fields[self.seat]) if field.kind == kind or not field.count)

    def earns(self, field: int) -> int:
        """Return the dollars that harvesting the own field `field` earns now."""
        own = self.fields[self.seat][field]
        return self.rules.kind(own.kind).dollars(own.count) if own.kind else 0


@dataclass(frozen=True, slots=True)
class BohnanzaView(FieldsView):
    """All that `seat` may know.

    `rules`: the rules in force. `turn`: 1, 2, ... `active`: the seat whose turn it is.
    `hand`: own cards, the first to be planted first. `hand_sizes`, `dollars`: per seat.
    `fields[seat][i]`: the fields of every seat. `aside[seat]`: cards received or turned over, to be planted in phase 3.
    `turned`: turned-over cards. `offer`: the offer being answered or picked, else None.
    `answers`: the answers to it when picking. `rounds_left`: trade rounds left this turn, the one under way counted.
    `pile`: cards in the draw pile. `discard`: discarded cards of each kind, as in `rules.kinds`.
    `run_outs`: how often the pile ran out. `harvestable`: own fields that may be harvested now, as a free step.
    `can_buy`: whether a field may be bought now, likewise.
    `news`: the events this seat may see since it was last asked.
    """

    rules: CardRules
    seat: int
    decision: Decision
    turn: int
    active: int
    hand: tuple[Kind, ...]
    hand_sizes: tuple[int, ...]
    fields: tuple[tuple[Field, ...], ...]
    dollars: tuple[int, ...]
    aside: tuple[tuple[Kind, ...], ...]
    turned: tuple[Kind, ...]
    offer: Offered | None
    answers: tuple[Answered, ...]
    rounds_left: int
    pile: int
    discard: tuple[int, ...]
    run_outs: int
    harvestable: tuple[int, ...]
    can_buy: bool
    news: Sequence[Event]

    @property
    def own_aside(self) -> tuple[Kind, ...]:
        """The cards this seat has aside."""
        return self.aside[self.seat]

    def legal(self) -> tuple[Action, ...]:
        return legal_actions(self)

    def default(self) -> Action:
        return default_action(self)
