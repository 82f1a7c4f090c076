"""What a player of Bohnanza for two sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from beanleague.games.bohnanza.rules import CardRules
from beanleague.games.bohnanza.view import Field, FieldsView
from beanleague.games.core.game import Action, Event
from beanleague.games.core.kinds import Kind
from beanleague.games.two.decision import TwoDecision
from beanleague.games.two.legal import default_action, legal_actions


@dataclass(frozen=True, slots=True)
class BohnanzaTwoView(FieldsView):
    """All that `seat` may know.

    `rules`: the rules in force. `turn`: 1, 2, ... `active`: the seat whose turn it is.
    `hand`: own cards, the first to be planted first. `hand_sizes`, `dollars`: per seat.
    `fields[seat][i]`: the fields of both seats. `open`: in step 1 what the opponent left, in step 3 what was drawn.
    `pile`: cards in the draw pile. `discard`: the whole discard pile, its top card last.
    `harvestable`: own fields that may be harvested now, as a free step. `can_buy`: whether a field may be bought now.
    `news`: the events this seat may see since it was last asked.
    """

    rules: CardRules
    seat: int
    decision: TwoDecision
    turn: int
    active: int
    hand: tuple[Kind, ...]
    hand_sizes: tuple[int, int]
    fields: tuple[tuple[Field, ...], tuple[Field, ...]]
    dollars: tuple[int, int]
    open: tuple[Kind, ...]
    pile: int
    discard: tuple[Kind, ...]
    harvestable: tuple[int, ...]
    can_buy: bool
    news: Sequence[Event]

    def legal(self) -> tuple[Action, ...]:
        return legal_actions(self)

    def default(self) -> Action:
        return default_action(self)
