"""Bohnanza for three and more players: the four phases of a turn, in the rule book's order."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from enum import IntEnum
from functools import partial
from itertools import chain, repeat
from typing import ClassVar, TypeVar

from beanleague.games.bohnanza import moves
from beanleague.games.bohnanza.rules import CardRuleset, CardsHidden, CardsOfKinds, card_rulesets, take
from beanleague.games.bohnanza.table import CardTable, trading_options
from beanleague.games.bohnanza.view import BohnanzaView
from beanleague.games.core import game
from beanleague.games.core.moves import Drew, Pass, Passed, TurnedOver
from beanleague.games.core.phased_game import InterludeGame, Step, wrong_action

_new_view = game.quick(BohnanzaView)

OfferedOrAnswered = TypeVar("OfferedOrAnswered", moves.Offered, moves.Answered)


class Bohnanza(InterludeGame, CardTable):
    """A game of `bohnanza`, `bohnanza-extended` or `bohnanza-classic`, depending on the rules."""

    __slots__ = (
        "_answers",
        "_aside",
        "_offer",
        "_rounds_left",
        "_turned",
    )

    _WAIT = moves.Decision.WAIT
    _INTERLUDE = moves.Decision.INTERLUDE
    _TRADES: ClassVar[frozenset[IntEnum]] = frozenset({moves.Decision.TRADE, moves.Decision.ANSWER})
    _HIDDEN: ClassVar[frozenset[type[game.Event]]] = CardTable._HIDDEN | {moves.Offered, moves.Answered, moves.Traded}
    _NESTED: ClassVar[tuple[str, ...]] = ("_aside", *CardTable._NESTED)

    def __init__(self, ruleset: CardRuleset, seats: int, seed: bytes, options: Mapping[str, game.Option]) -> None:
        rules = ruleset.rules(seats)
        super().__init__(rules, seed, trading_options(options, rules.seats))
        self._aside: list[list[int]] = [[] for _ in range(seats)]
        self._turned: list[int] = []
        self._offer: moves.Offered | None = None
        self._answers: list[moves.Answered] = []
        self._rounds_left = 0
        self._start_turn()

    def _resume_more(self, view: BohnanzaView, hidden: CardsHidden, cards: CardsOfKinds) -> None:
        self._run_outs = view.run_outs
        self._aside = [cards.of(aside) for aside in view.aside]
        self._turned = cards.of(view.turned)
        self._rounds_left = view.rounds_left
        self._offer = self._resumed(view.offer, hidden) if view.offer else None
        self._answers = [self._resumed(answered, hidden) for answered in view.answers]
        if view.offer and view.decision is moves.Decision.ANSWER:
            self._ask(moves.Decision.ANSWER, *view.offer.to)
        elif view.decision is moves.Decision.PLANT_ASIDE:
            self._queue = [seat for seat in self._from(view.seat, self._active) if self._aside[seat]]
        elif view.decision is moves.Decision.INTERLUDE:
            self._queue = self._interludes_from(view.seat)

    def _resumed(self, named: OfferedOrAnswered, hidden: CardsHidden) -> OfferedOrAnswered:
        """Return an offer or answer, completed with the hand positions that the view hides from its seat."""
        hand = hidden.given.get(named.seat, named.hand)
        turned = len(named.turned) if isinstance(named, moves.Offered) else 0
        moves.check_positions(hand, len(self._hands[named.seat]), "hidden cards")
        if self._kinds_at(named.seat, hand) != named.gives[turned:]:
            raise game.SetupError(
                f"seat {named.seat} names the hand cards {named.gives[turned:]}, but the hidden cards at {hand} "
                "are others"
            )
        return replace(named, hand=hand)

    def _discarded_kinds(self, view: BohnanzaView) -> Iterable[game.Kind]:
        return chain.from_iterable(map(repeat, self._deck.cards_of, view.discard))

    # Views

    def view(self, seat: int, *, news: bool = True) -> BohnanzaView:
        asked = seat in self._asked
        decision = self._decision if asked else moves.Decision.WAIT
        kinds = self._deck.kinds
        answering = decision is moves.Decision.ANSWER
        return _new_view(
            self.rules,
            seat,
            decision,
            self._turn,
            self._active,
            tuple([kinds[card] for card in self._hands[seat]]),
            tuple([len(hand) for hand in self._hands]),
            tuple(self._counts),
            tuple(self._dollars),
            tuple([tuple([kinds[card] for card in cards]) if cards else () for cards in self._aside]),
            tuple([kinds[card] for card in self._turned]),
            self._offer.seen_by(seat) if self._offer else None,
            tuple([answered.seen_by(seat) for answered in self._answers]) if decision is moves.Decision.PICK else (),
            self._rounds_left,
            self._pile.size,
            tuple(self._discarded),
            self._run_outs,
            self._harvestable(seat) if asked and not answering else (),
            asked and not answering and self._may_buy(seat),
            self._news(seat) if news else (),
        )

    # Phase 1: plant bean cards from your hand

    def _start_turn(self) -> None:
        self._begin_turn()
        if self._hands[self._active]:
            self._ask(moves.Decision.PLANT_FIRST, self._active)
        else:
            self._turn_over()

    def _plant_first(self, seat: int, action: game.Action) -> None:
        self._plant_from_hand(seat, action, "plant the first card of the hand, or harvest")
        if self._hands[seat]:
            self._ask(moves.Decision.PLANT_SECOND, seat)
        else:
            self._turn_over()

    def _plant_second(self, seat: int, action: game.Action) -> None:
        if type(action) is Pass:
            self._events.append(Passed(seat))
        else:
            self._plant_from_hand(seat, action, "plant the next card of the hand, pass, or harvest")
        self._turn_over()

    # Phase 2: turn over and trade bean cards

    def _turn_over(self) -> None:
        self._draw(self._active, self.rules.turned, self._turned, TurnedOver)
        self._rounds_left = int(self.options["max_rounds"])  # type: ignore[arg-type]
        self._lead_round()

    def _lead_round(self) -> None:
        self._offer = None
        self._answers = []
        if self._rounds_left:
            self._ask(moves.Decision.TRADE, self._active)
        else:
            self._end_trading()

    def _trade(self, seat: int, action: game.Action) -> None:
        if type(action) is moves.Stop:
            self._rounds_left = 0
            self._end_trading()
            return
        if type(action) is moves.Offer:
            offered = self._offered(seat, action)
        elif type(action) is moves.Call:
            moves.check_addressed(action.to, seat, self.seats)
            offered = moves.Offered(seat, action.to, (), (), (), ())
        else:
            raise wrong_action(action, "offer, call, stop, or harvest")
        self._offer = offered
        self._events.append(offered)
        self._ask(moves.Decision.ANSWER, *offered.to)

    def _offered(self, seat: int, action: moves.Offer) -> moves.Offered:
        turned_over, held, cards_of = len(self._turned), len(self._hands[seat]), self._deck.cards_of
        moves.check_offer(action, seat=seat, seats=self.seats, turned=turned_over, hand=held, cards_of=cards_of)
        turned = [self._deck.kinds[self._turned[i]] for i in action.turned]
        gives = (*turned, *self._kinds_at(seat, action.hand))
        return moves.Offered(seat, action.to, action.turned, action.hand, gives, self._sorted(action.wants))

    def _answer(self, seat: int, action: game.Action) -> None:
        if type(action) is moves.Decline:
            answered = moves.Answered(seat, "decline")
        elif type(action) is moves.Accept:
            answered = self._accepted(seat, action)
        elif type(action) is moves.Counter:
            turned, hand, cards_of = len(self._turned), len(self._hands[seat]), self._deck.cards_of
            moves.check_counter(action, turned=turned, hand=hand, cards_of=cards_of)
            gives = self._kinds_at(seat, action.hand)
            answered = moves.Answered(seat, "counter", action.hand, gives, action.turned, self._sorted(action.wants))
        else:
            raise wrong_action(action, "accept, decline or counter (and may not harvest while answers are collected)")
        self._answers.append(answered)
        if not self._await_others(seat):
            self._reveal_answers()

    def _accepted(self, seat: int, action: moves.Accept) -> moves.Answered:
        offer = self._offer
        assert offer is not None
        if not (offer.gives or offer.wants):
            raise game.IllegalActionError("a call cannot be accepted: counter with what you would trade, or decline")
        moves.check_positions(action.hand, len(self._hands[seat]), "cards in your hand")
        gives = self._kinds_at(seat, action.hand)
        moves.check_given(gives, offer.wants)
        return moves.Answered(seat, "accept", action.hand, gives)

    def _kinds_at(self, seat: int, positions: tuple[int, ...]) -> tuple[game.Kind, ...]:
        """Return the kinds of hand cards, rarest first, so that their order does not reveal their positions."""
        hand = self._hands[seat]
        return tuple([self._deck.kinds[card] for card in sorted([hand[i] for i in positions])])

    def _sorted(self, wants: tuple[game.Kind, ...]) -> tuple[game.Kind, ...]:
        """Return the kinds `wants` rarest first, so that their order reveals nothing."""
        return tuple(sorted(wants, key=self._deck.cards_of.__getitem__)) if len(wants) > 1 else wants

    def _reveal_answers(self) -> None:
        self._answers.sort(key=lambda answered: answered.seat)
        self._events.extend(self._answers)
        if any(answered.answer != "decline" for answered in self._answers):
            self._ask(moves.Decision.PICK, self._active)
        else:
            self._end_round()

    def _pick(self, seat: int, action: game.Action) -> None:
        if type(action) is moves.Refuse:
            self._events.append(moves.Refused(seat))
        elif type(action) is moves.Pick:
            self._carry_out(seat, action)
        else:
            raise wrong_action(action, "pick an answer, refuse all, or harvest")
        self._end_round()

    def _carry_out(self, seat: int, action: moves.Pick) -> None:
        offer = self._offer
        assert offer is not None
        chosen = action.seat if type(action.seat) is int else None
        answered = next((a for a in self._answers if a.seat == chosen and a.answer != "decline"), None)
        if answered is None:
            raise game.IllegalActionError(f"seat {game.brief(action.seat)} has neither accepted nor countered")
        hand = self._hands[seat]
        if answered.answer == "accept":
            if type(action.hand) is not tuple or action.hand:
                raise game.IllegalActionError(
                    "an acceptance must be picked without naming cards: the offer has named them"
                )
            turned, given = offer.turned, offer.hand
        else:
            moves.check_positions(action.hand, len(hand), "cards in your hand")
            moves.check_given(self._kinds_at(seat, action.hand), answered.wants)
            turned, given = answered.turned, action.hand
        gives = take(self._turned, turned) + sorted(take(hand, given))
        receives = sorted(take(self._hands[answered.seat], answered.hand))
        self._aside[answered.seat] += gives
        self._aside[seat] += receives
        kinds = self._deck.kinds
        self._events.append(
            moves.Traded(
                seat,
                answered.seat,
                turned,
                given,
                tuple([kinds[card] for card in gives]),
                answered.hand,
                tuple([kinds[card] for card in receives]),
            )
        )

    def _end_round(self) -> None:
        self._rounds_left -= 1
        self._lead_round()

    def _end_trading(self) -> None:
        left = self._turned
        self._events.append(moves.TradingEnded(self._active, tuple([self._deck.kinds[card] for card in left])))
        self._aside[self._active] += left
        self._turned = []
        self._queue = [seat for seat in self._clockwise_from(self._active) if self._aside[seat]]
        self._next_planter()

    # Phase 3: plant turned-over and traded bean cards

    def _next_planter(self) -> None:
        if self._queue:
            self._ask(moves.Decision.PLANT_ASIDE, self._queue[0])
        elif self._run_outs >= self.rules.run_outs:  # the draw pile ran out in phase 2 or earlier
            self._end_game()
        else:
            self._draw_phase()

    def _plant_aside(self, seat: int, action: game.Action) -> None:
        if type(action) is not moves.PlantAside:
            raise wrong_action(action, "plant a card set aside, or harvest")
        aside = self._aside[seat]
        moves.check_positions((action.card,), len(aside), "cards aside")
        self._check_place(seat, aside[action.card], action.field)
        self._plant(seat, aside.pop(action.card), action.field, "aside", action.card)
        if not aside:
            self._queue.pop(0)
            self._next_planter()

    # Phase 4: draw bean cards

    def _draw_phase(self) -> None:
        drawers = self._clockwise_from(self._active) if self.rules.all_draw else [self._active]
        for seat in drawers:
            self._draw(seat, self.rules.draws, self._hands[seat], Drew)
        if self._run_outs >= self.rules.run_outs:
            self._end_game()
        else:
            self._start_interlude()

    # At any time: harvest beans, buy a field

    def _has_free_step(self, seat: int) -> bool:
        return bool(self._harvestable(seat)) or self._may_buy(seat)

    # Answers are simultaneous: a harvest seen before an answer would give information to the other seats.
    _NOT_FREE: ClassVar[frozenset[IntEnum]] = frozenset({moves.Decision.ANSWER})
    _PHASES: ClassVar[Mapping[moves.Decision, Step]] = {
        moves.Decision.PLANT_FIRST: _plant_first,
        moves.Decision.PLANT_SECOND: _plant_second,
        moves.Decision.TRADE: _trade,
        moves.Decision.ANSWER: _answer,
        moves.Decision.PICK: _pick,
        moves.Decision.PLANT_ASIDE: _plant_aside,
        moves.Decision.INTERLUDE: InterludeGame._pass_interlude,
    }


RULESETS = tuple(
    game.Ruleset.of(
        cards,
        new=partial(Bohnanza, cards),
        from_view=Bohnanza.from_view,
        options={"max_rounds": "trade rounds a turn (default 6)"},
        interludes=True,
    )
    for cards in card_rulesets().values()
    if cards.least_seats > 2  # the game for two has no trading
)
"""Rulesets of the games with trading."""
