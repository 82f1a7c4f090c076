"""What a player of the duel sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from beanleague.games.core.game import Action, Event, View
from beanleague.games.core.kinds import Kind
from beanleague.games.duel.actions import Fulfil
from beanleague.games.duel.bohnus import DOLLAR
from beanleague.games.duel.column import Column
from beanleague.games.duel.decision import DuelDecision
from beanleague.games.duel.legal import default_action, legal_actions
from beanleague.games.duel.rules import DuelRules


@dataclass(frozen=True, slots=True)
class DuelView(View):
    """All that `seat` may know. Bo(h)nus cards are told by their place in `rules.bohnus`.

    `rules`: the rules in force. `turn`: 1, 2, ... `active`: the seat whose turn it is.
    `hand`: own cards, the first to be planted first. `hand_sizes`, `dollars` (bean dollars): per seat.
    `fields[seat][i]`: the fields of both seats. `turned`: turned-over cards.
    `offered`: the kinds offered in this phase, in order; when answering, the last is the offer.
    `gifts[seat]`: the gift that lies beside the fields, to be planted in phase 3, else None.
    `may_discard`: whether a turned-over card may still be discarded in phase 3.
    `bohnus`: own bo(h)nus cards. `bohnus_sizes`: how many each has. `earned[seat]`: those among its dollars.
    `pile`: cards in the draw pile. `discard`: discarded beans of each kind, as in `rules.kinds`.
    `bohnus_pile`: cards in the bo(h)nus pile. `bohnus_discard`: discarded bo(h)nus cards.
    `harvestable`: own fields that may be harvested now; `fulfillable`: what may be fulfilled now; as free steps.
    `news`: the events this seat may see since it was last asked.
    """

    rules: DuelRules
    seat: int
    decision: DuelDecision
    turn: int
    active: int
    hand: tuple[Kind, ...]
    hand_sizes: tuple[int, int]
    fields: tuple[tuple[Column, ...], tuple[Column, ...]]
    dollars: tuple[int, int]
    turned: tuple[Kind, ...]
    offered: tuple[Kind, ...]
    gifts: tuple[Kind | None, Kind | None]
    may_discard: bool
    bohnus: tuple[int, ...]
    bohnus_sizes: tuple[int, int]
    earned: tuple[tuple[int, ...], tuple[int, ...]]
    pile: int
    discard: tuple[int, ...]
    bohnus_pile: int
    bohnus_discard: tuple[int, ...]
    harvestable: tuple[int, ...]
    fulfillable: tuple[Fulfil, ...]
    news: Sequence[Event]

    @property
    def own_fields(self) -> tuple[Column, ...]:
        """The fields of this seat."""
        return self.fields[self.seat]

    @property
    def gift(self) -> Kind | None:
        """The gift this seat has received and not yet planted."""
        return self.gifts[self.seat]

    @property
    def offer(self) -> Kind | None:
        """The kind offered last in this phase, None before the first offer."""
        return self.offered[-1] if self.offered else None

    def places_for(self, kind: Kind) -> tuple[int, ...]:
        """Return the own fields that take a card of `kind`."""
        may_follow = self.rules.may_follow
        return tuple(i for i, field in enumerate(self.fields[self.seat]) if may_follow(kind, field.last))

    def earns(self, field: int) -> int:
        """Return the dollars that harvesting the own field `field` earns now."""
        own = self.fields[self.seat][field]
        return self.rules.dollars(own.last, len(own.cards)) if own.last else 0

    def cents(self, seat: int) -> int:
        """Return the money `seat` has, in cents, not counting what lies on its fields."""
        return DOLLAR * self.dollars[seat] + sum(self.rules.bohnus[card].worth for card in self.earned[seat])

    def legal(self) -> tuple[Action, ...]:
        return legal_actions(self)

    def default(self) -> Action:
        return default_action(self)
