"""Bohnanza for two: its ruleset, and the four steps of a turn, in order."""

from collections.abc import Iterable, Mapping
from typing import ClassVar

from beanleague.games.bohnanza.moves import check_positions
from beanleague.games.bohnanza.rules import CardsHidden, CardsOfKinds, card_rulesets
from beanleague.games.bohnanza.table import CardTable
from beanleague.games.core.game import Action, Event, Kind, Option, Ruleset, check_option_names, quick
from beanleague.games.core.moves import Drew, Pass, Passed, TurnedOver
from beanleague.games.core.phased_game import Step, wrong_action
from beanleague.games.two import moves
from beanleague.games.two.view import BohnanzaTwoView

TWO = card_rulesets()["bohnanza-two"]

_new_view = quick(BohnanzaTwoView)


class BohnanzaTwo(CardTable):
    """A game of `bohnanza-two`."""

    __slots__ = ("_open",)

    _WAIT = moves.TwoDecision.WAIT
    _HIDDEN: ClassVar[frozenset[type[Event]]] = CardTable._HIDDEN | {moves.HandDiscarded}

    def __init__(self, seats: int, seed: bytes, options: Mapping[str, Option]) -> None:
        check_option_names(options, ())
        super().__init__(TWO.rules(seats), seed, {})
        # cards drawn in step 3; the remaining cards are offered to the opponent in the next step 1
        self._open: list[int] = []
        self._start_turn()

    def _resume_more(self, view: BohnanzaTwoView, hidden: CardsHidden, cards: CardsOfKinds) -> None:
        self._open = cards.of(view.open)
        self._run_outs = int(not view.pile)
        cards.of(hidden.left)

    def _discarded_kinds(self, view: BohnanzaTwoView) -> Iterable[Kind]:
        return view.discard

    # Views

    def view(self, seat: int, *, news: bool = True) -> BohnanzaTwoView:
        asked = seat in self._asked
        kinds = self._deck.kinds
        return _new_view(
            rules=self.rules,
            seat=seat,
            decision=self._decision if asked else moves.TwoDecision.WAIT,
            turn=self._turn,
            active=self._active,
            hand=tuple([kinds[card] for card in self._hands[seat]]),
            hand_sizes=(len(self._hands[0]), len(self._hands[1])),
            fields=(self._counts[0], self._counts[1]),
            dollars=(self._dollars[0], self._dollars[1]),
            open=tuple([kinds[card] for card in self._open]),
            pile=self._pile.size,
            discard=tuple([kinds[card] for card in self._pile.discards]),
            harvestable=self._harvestable(seat) if asked else (),
            can_buy=asked and self._may_buy(seat),
            news=self._news(seat) if news else (),
        )

    # Step 1: the offer of the opponent

    def _start_turn(self) -> None:
        self._begin_turn()
        self._next_offered()

    def _next_offered(self) -> None:
        if self._open:
            self._ask(moves.TwoDecision.PLANT_OFFERED, self._active)
        elif self._hands[self._active]:
            self._ask(moves.TwoDecision.PLANT_FIRST, self._active)
        else:
            self._draw_three()

    def _plant_offered(self, seat: int, action: Action) -> None:
        if type(action) is moves.PlantOpen:
            self._plant_open(seat, action)
        elif type(action) is moves.DiscardOpen:
            check_positions((action.card,), len(self._open), "open cards")
            card = self._open.pop(action.card)
            self._discard(card)
            self._events.append(moves.OpenDiscarded(seat, action.card, self._deck.kinds[card]))
        else:
            raise wrong_action(action, "plant or discard an open card, harvest, or buy a field")
        self._next_offered()

    def _plant_open(self, seat: int, action: moves.PlantOpen) -> None:
        check_positions((action.card,), len(self._open), "open cards")
        self._check_place(seat, self._open[action.card], action.field)
        self._plant(seat, self._open.pop(action.card), action.field, "open", action.card)

    # Step 2: the hand

    def _plant_first(self, seat: int, action: Action) -> None:
        self._plant_from_hand(seat, action, "plant the first card of the hand, harvest, or buy a field")
        if self._hands[seat]:
            self._ask(moves.TwoDecision.PLANT_SECOND, seat)
        else:
            self._draw_three()

    def _plant_second(self, seat: int, action: Action) -> None:
        if type(action) is Pass:
            self._events.append(Passed(seat))
        else:
            self._plant_from_hand(seat, action, "plant the next card of the hand, pass, harvest, or buy a field")
        if self._hands[seat]:
            self._ask(moves.TwoDecision.DISCARD_HAND, seat)
        else:
            self._draw_three()

    def _discard_hand(self, seat: int, action: Action) -> None:
        if type(action) is moves.DiscardHand:
            hand = self._hands[seat]
            check_positions((action.card,), len(hand), "cards in your hand")
            card = hand.pop(action.card)
            self._discard(card)
            self._events.append(moves.HandDiscarded(seat, action.card, self._deck.kinds[card]))
        elif type(action) is Pass:
            self._events.append(Passed(seat))
        else:
            raise wrong_action(action, "discard a card of your hand, pass, harvest, or buy a field")
        self._draw_three()

    # Step 3: draw three face up

    def _draw_three(self) -> None:
        self._draw(self._active, self.rules.turned, self._open, TurnedOver)
        self._join()
        self._next_drawn()

    def _join(self) -> None:
        """Move cards from the top of the discard pile to the open cards as long as these include their kind."""
        index, discards = self._deck.index, self._pile.discards
        kinds = {index[card] for card in self._open}
        joined = []
        while discards and index[discards[-1]] in kinds:
            joined.append(discards.pop())
        if joined:
            for card in joined:
                self._discarded[index[card]] -= 1
            self._open += joined
            self._events.append(moves.Joined(self._active, tuple([self._deck.kinds[card] for card in joined])))

    def _next_drawn(self) -> None:
        if self._open:
            self._ask(moves.TwoDecision.PLANT_DRAWN, self._active)
        else:
            self._end_step_3()

    def _plant_drawn(self, seat: int, action: Action) -> None:
        if type(action) is moves.PlantOpen:
            self._plant_open(seat, action)
            self._next_drawn()
        elif type(action) is Pass:
            self._events.append(Passed(seat))
            self._end_step_3()
        else:
            raise wrong_action(action, "plant an open card, pass, harvest, or buy a field")

    def _end_step_3(self) -> None:
        if self._run_outs >= self.rules.run_outs:
            self._end_game()
        else:
            self._draw_two()

    # Step 4: draw two to the hand

    def _draw_two(self) -> None:
        seat = self._active
        self._draw(seat, self.rules.draws, self._hands[seat], Drew)
        if self._run_outs >= self.rules.run_outs:
            self._end_game()
        else:
            self._start_turn()

    # Discarding, and buying a field

    def _discard(self, card: int) -> None:
        self._discarded[self._deck.index[card]] += 1
        self._pile.discards.append(card)

    def _discard_paid(self, paid: list[int]) -> list[int]:
        """Remove the cards paid for a field from the game."""
        del paid
        return []

    _PHASES: ClassVar[Mapping[moves.TwoDecision, Step]] = {
        moves.TwoDecision.PLANT_OFFERED: _plant_offered,
        moves.TwoDecision.PLANT_FIRST: _plant_first,
        moves.TwoDecision.PLANT_SECOND: _plant_second,
        moves.TwoDecision.DISCARD_HAND: _discard_hand,
        moves.TwoDecision.PLANT_DRAWN: _plant_drawn,
    }


RULESETS = (Ruleset.of(TWO, BohnanzaTwo, BohnanzaTwo.from_view),)
"""Ruleset of the game for two."""
