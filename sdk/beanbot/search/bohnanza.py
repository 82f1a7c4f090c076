"""A seat's memory of a trading game, from the events that it has seen."""

from __future__ import annotations

from collections import Counter as Multiset
from collections.abc import Mapping
from random import Random
from typing import Any, ClassVar

from beanbot.search.hidden_cards import HiddenCards
from beanbot.search.memory import FamilyMemory
from beanleague.games import Event, Kind
from beanleague.games.bohnanza import Answered, BohnanzaView, CardRules, CardsHidden, Decision, Offered, Traded
from beanleague.games.core import Dealt, Drew, FieldBought, Harvested, Planted, Shuffled, TurnedOver, TurnStarted

_ROUNDS = 6  # trade rounds per turn in most leagues


class CardsMemory(FamilyMemory[Any]):
    """A seat's memory of a card game with one kind per field; hands and the pile are hidden."""

    rules: CardRules

    def __init__(self, view: Any) -> None:  # noqa: ANN401 - of either family
        super().__init__(view)
        self._hidden = HiddenCards(_all_cards(self.rules))
        self._dollars: list[list[Kind]] = [[] for _ in range(self.rules.seats)]  # per seat: kinds in the order earned
        self._left: list[Kind] = []  # cards paid for fields, which are out of the game
        self._discard: list[Kind] = []
        # cards to deal from, for the view of the last guess
        self._dealt_from: tuple[Any, HiddenCards[Kind], bool] | None = None

    def known(self, seat: int) -> tuple[Kind, ...]:
        return self._hidden.known(seat)

    def guess(self, view: Any, random: Random) -> CardsHidden:  # noqa: ANN401 - of either family
        if self._dealt_from is None or self._dealt_from[0] is not view:
            self._dealt_from = (view, *self._fitting(view))
        _, hidden, remembered = self._dealt_from
        dealt = hidden.deal(random)
        seats = range(self.rules.seats)
        return CardsHidden(
            hands=tuple([tuple(dealt.get(seat, ())) for seat in seats]),
            dollars=tuple([tuple(self._dollars[seat] if remembered else dealt[_dollars_of(seat)]) for seat in seats]),
            left=tuple(self._left if remembered else dealt.get(_LEFT, ())),
            given=self._positions(view, dealt, random),
            options=self._options(view),
        )

    def _fitting(self, view: Any) -> tuple[HiddenCards[Kind], bool]:  # noqa: ANN401 - of either family
        """Return the cards hidden from `view`, and whether the memory fits it; if not, only `view` is used."""
        unseen = _all_cards(self.rules)
        unseen.subtract(self._visible_cards(view))
        sizes = {seat: count for seat, count in enumerate(view.hand_sizes) if seat != self.seat}
        remembered = unseen.copy()
        remembered.subtract([*self._left, *(kind for kinds in self._dollars for kind in kinds)])
        dollars = tuple(map(len, self._dollars))
        shown = self._offered_cards(view)
        heard = all(Multiset(kinds) <= Multiset(self._hidden.known(seat)) for seat, kinds in shown.items())
        if heard and dollars == tuple(view.dollars) and self._hidden.fit(+remembered, sizes):
            return self._hidden, True
        hidden = HiddenCards(+unseen)
        for seat, count in sizes.items():
            hidden.draws(seat, count)
        for seat, count in enumerate(view.dollars):
            hidden.draws(_dollars_of(seat), count)
        hidden.draws(_LEFT, self._count_left(view))
        for seat, kinds in shown.items():
            hidden.shows(seat, kinds)
        return hidden, False

    def _visible_cards(self, view: Any) -> list[Kind]:  # noqa: ANN401 - of either family
        """Return all cards that `view` shows."""
        return [
            *view.hand,
            *(field.kind for fields in view.fields for field in fields if field.kind for _ in range(field.count)),
        ]

    def _count_left(self, view: Any) -> int:  # noqa: ANN401 - of either family
        """Return the number of cards that left the game."""
        del view
        return 0

    def _offered_cards(self, view: Any) -> Mapping[int, tuple[Kind, ...]]:  # noqa: ANN401 - of either family
        """Return the hand cards that other seats openly offer in `view`."""
        del view
        return {}

    def _positions(self, view: Any, dealt: Mapping[int, list[Kind]], random: Random) -> dict[int, tuple[int, ...]]:  # noqa: ANN401 - of either family
        """Return possible positions, in the hands `dealt`, of the cards that other seats openly offer in `view`."""
        given = {}
        for seat, kinds in self._offered_cards(view).items():
            places: list[int] = []
            for kind in kinds:
                here = [place for place, other in enumerate(dealt[seat]) if other == kind and place not in places]
                places.append(random.choice(here))
            given[seat] = tuple(sorted(places))
        return given

    def _options(self, view: Any) -> dict[str, Any]:  # noqa: ANN401 - of either family
        """Return the options of the game."""
        del view
        return {}

    def _received(self, event: Dealt | Drew) -> None:
        if event.cards:
            self._hidden.turns_up(event.cards)
        else:
            self._hidden.draws(event.seat, event.count)

    def _turned_over(self, event: TurnedOver) -> None:
        self._hidden.turns_up(event.cards)

    def _planted(self, event: Planted) -> None:
        if event.source == "hand" and event.seat != self.seat:
            self._hidden.leaves(event.seat, event.kind, first=True)

    def _harvested(self, event: Harvested) -> None:
        self._dollars[event.seat] += [event.kind] * event.dollars
        self._discard += [event.kind] * (event.cards - event.dollars)

    def _field_bought(self, event: FieldBought) -> None:
        earned = self._dollars[event.seat]
        if not event.discarded:
            self._left += earned[-event.price :]
        del earned[-event.price :]
        self._discard += event.discarded

    HEARD: ClassVar[Mapping[type[Event], Any]] = {
        Dealt: _received,
        Drew: _received,
        TurnedOver: _turned_over,
        Planted: _planted,
        Harvested: _harvested,
        FieldBought: _field_bought,
    }


class Remembered(CardsMemory):
    """A seat's memory of a Bohnanza game with trading."""

    def __init__(self, view: BohnanzaView) -> None:
        super().__init__(view)
        self._rounds = 0
        self._interludes = set[int]()
        self._between_turns = False

    def see(self, view: BohnanzaView) -> None:
        super().see(view)
        self._rounds = max(self._rounds, view.rounds_left)
        if view.decision is Decision.INTERLUDE:
            self._interludes.add(view.seat)

    def _visible_cards(self, view: BohnanzaView) -> list[Kind]:
        discard = (kind.name for kind, count in zip(self.rules.kinds, view.discard, strict=True) for _ in range(count))
        aside = (kind for cards in view.aside for kind in cards)
        return [*super()._visible_cards(view), *view.turned, *aside, *discard]

    def _offered_cards(self, view: BohnanzaView) -> Mapping[int, tuple[Kind, ...]]:
        shown = {answer.seat: answer.gives for answer in view.answers}
        if view.offer:
            shown[view.offer.seat] = view.offer.gives[len(view.offer.turned) :]
        return {seat: kinds for seat, kinds in shown.items() if kinds and seat != self.seat}

    def _options(self, view: BohnanzaView) -> dict[str, Any]:
        del view
        return {"max_rounds": self._rounds or _ROUNDS, "interludes": tuple(sorted(self._interludes))}

    def _offered(self, event: Offered) -> None:
        if event.seat != self.seat:
            self._hidden.shows(event.seat, event.gives[len(event.turned) :])

    def _answered(self, event: Answered) -> None:
        if event.seat != self.seat:
            self._hidden.shows(event.seat, event.gives)

    def _traded(self, event: Traded) -> None:
        sides = ((event.seat, event.gives[len(event.turned) :]), (event.partner, event.receives))
        for seat, kinds in sides:
            if seat != self.seat:
                for kind in kinds:
                    self._hidden.leaves(seat, kind)

    def _shuffled(self, event: Shuffled) -> None:
        del event
        self._hidden.shuffled(self._discard)
        self._discard = []

    def _drew(self, event: Drew) -> None:
        self._between_turns = True
        self._received(event)

    def _turn_started(self, event: TurnStarted) -> None:
        del event
        self._between_turns = False

    def _harvested_or_bought(self, event: Harvested | FieldBought) -> None:
        """Record that the seat takes interludes if this happened between turns, then handle the event."""
        if self._between_turns:
            self._interludes.add(event.seat)
        CardsMemory.HEARD[type(event)](self, event)

    HEARD: ClassVar[Mapping[type[Event], Any]] = {
        **CardsMemory.HEARD,
        Drew: _drew,
        TurnStarted: _turn_started,
        Harvested: _harvested_or_bought,
        FieldBought: _harvested_or_bought,
        Offered: _offered,
        Answered: _answered,
        Traded: _traded,
        Shuffled: _shuffled,
    }


_LEFT = -100


def _dollars_of(seat: int) -> int:
    """Return the place number of `seat` for dollar cards of unknown kinds."""
    return -1 - seat


def _all_cards(rules: CardRules) -> Multiset[Kind]:
    return Multiset({kind.name: kind.cards for kind in rules.kinds})
