"""Bohnanza for three and more players: the four phases of a turn, in the rule book's order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from beanleague.games.cards.actions import (
    Accept,
    Call,
    Counter,
    Decline,
    Harvest,
    Offer,
    Pass,
    Pick,
    Plant,
    PlantAside,
    Refuse,
    Stop,
)
from beanleague.games.cards.events import (
    Answered,
    Dealt,
    Drew,
    GameEnded,
    Harvested,
    Offered,
    Passed,
    Planted,
    RanOut,
    Refused,
    Shuffled,
    Traded,
    TradingEnded,
    TurnedOver,
    TurnStarted,
)
from beanleague.games.cards.pile import Pile
from beanleague.games.cards.rules import CardRules, card_rules
from beanleague.games.cards.setup import Deck, deck, trading_options
from beanleague.games.cards.trading import check_addressed, check_given, check_kinds, check_positions
from beanleague.games.cards.view import BohnanzaView, Decision, Field
from beanleague.games.chance import check_seed
from beanleague.games.errors import IllegalActionError
from beanleague.games.game import Action, Event, Game, Option, Outcome

_HIDDEN = frozenset({Dealt, Drew})


class Bohnanza(Game):
    """A game of `bohnanza`. Cards are numbers, kind by kind in the order of the rules; players see kinds only."""

    __slots__ = (
        "_active",
        "_answers",
        "_aside",
        "_asked",
        "_counts",
        "_deck",
        "_decision",
        "_discarded",
        "_dollars",
        "_events",
        "_fields",
        "_hands",
        "_interlude",
        "_last_turn",
        "_offer",
        "_outcome",
        "_pile",
        "_planters",
        "_rounds_left",
        "_run_outs",
        "_seen",
        "_turn",
        "_turned",
        "options",
        "rules",
        "ruleset",
        "seats",
        "seed",
    )

    def __init__(self, ruleset: str, seats: int, seed: bytes, options: Mapping[str, Option]) -> None:
        self.rules: CardRules = card_rules(ruleset, seats)
        self.ruleset = ruleset
        self.seats = seats
        self.seed = check_seed(seed)
        self.options = trading_options(options, seats)
        self._deck: Deck = deck(self.rules)
        self._pile = Pile(seed, self.rules.cards, seats)
        self._run_outs = 0
        self._last_turn = False  # the final run-out came in phase 2: the game ends after phase 3
        self._discarded = [0] * len(self.rules.kinds)
        self._hands: list[list[int]] = [[] for _ in range(seats)]
        self._fields: list[list[list[int]]] = [[[] for _ in range(self.rules.fields)] for _ in range(seats)]
        self._counts: list[tuple[Field, ...]] = [(self._deck.empty,) * self.rules.fields] * seats
        self._dollars: list[int] = [0] * seats
        self._aside: list[list[int]] = [[] for _ in range(seats)]
        self._turned: list[int] = []
        self._offer: Offered | None = None
        self._answers: list[Answered] = []
        self._rounds_left = 0
        self._planters: list[int] = []
        self._interlude: list[int] = []
        self._turn = 0
        self._active = -1
        self._asked: tuple[int, ...] = ()
        self._decision = Decision.WAIT
        self._outcome: Outcome | None = None
        self._events: list[Event] = []
        self._seen = [0] * seats  # per seat: events that were there when it last acted
        self._deal()
        self._start_turn()

    # What everybody may ask

    @property
    def over(self) -> bool:
        return self._outcome is not None

    @property
    def outcome(self) -> Outcome | None:
        return self._outcome

    @property
    def events(self) -> Sequence[Event]:
        return self._events

    def to_act(self) -> tuple[int, ...]:
        return self._asked

    def view(self, seat: int) -> BohnanzaView:
        asked = seat in self._asked
        decision = self._decision if asked else Decision.WAIT
        kinds = self._deck.kinds
        answering = decision is Decision.ANSWER
        return BohnanzaView(
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
            self._offer,
            tuple(self._answers) if decision is Decision.PICK else (),
            self._rounds_left,
            self._pile.size,
            tuple(self._discarded),
            self._run_outs,
            self._harvestable(seat) if asked and not answering else (),
            self._news(seat),
        )

    def apply(self, seat: int, action: Action) -> None:
        if seat not in self._asked:
            raise IllegalActionError(
                f"seat {seat} is not asked now; asked: {self._asked or 'nobody, the game is over'}"
            )
        seen = len(self._events)
        if type(action) is Harvest and self._decision is not Decision.ANSWER:
            self._harvest_first(seat, action)
        else:
            self._PHASES[self._decision](self, seat, action)
        self._seen[seat] = seen

    def copy(self) -> Bohnanza:
        new = Bohnanza.__new__(Bohnanza)
        for name in Bohnanza.__slots__:
            value = getattr(self, name)
            setattr(new, name, value[:] if type(value) is list else value)
        new._pile = self._pile.copy()
        new._hands = [hand[:] for hand in self._hands]
        new._fields = [[field[:] for field in fields] for fields in self._fields]
        new._aside = [cards[:] for cards in self._aside]
        return new

    # Phase 1: plant bean cards from your hand

    def _start_turn(self) -> None:
        self._turn += 1
        self._active = (self._active + 1) % self.seats
        self._events.append(TurnStarted(self._turn, self._active))
        if self._hands[self._active]:
            self._ask(Decision.PLANT_FIRST, self._active)
        else:
            self._turn_over()

    def _plant_first(self, seat: int, action: Action) -> None:
        self._plant_from_hand(seat, action, "plant the first card of the hand, or harvest")
        if self._hands[seat]:
            self._ask(Decision.PLANT_SECOND, seat)
        else:
            self._turn_over()

    def _plant_second(self, seat: int, action: Action) -> None:
        if type(action) is Pass:
            self._events.append(Passed(seat))
        else:
            self._plant_from_hand(seat, action, "plant the next card of the hand, pass, or harvest")
        self._turn_over()

    def _plant_from_hand(self, seat: int, action: Action, asked: str) -> None:
        if type(action) is not Plant:
            raise _wrong_action(action, asked)
        hand = self._hands[seat]
        self._check_place(seat, hand[0], action.field)
        self._plant(seat, hand.pop(0), action.field, "hand", 0)

    # Phase 2: turn over and trade bean cards

    def _turn_over(self) -> None:
        self._draw(self._active, self.rules.turned, self._turned, TurnedOver)
        self._last_turn = self._run_outs >= self.rules.run_outs
        self._rounds_left = int(self.options["max_rounds"])  # type: ignore[arg-type]
        self._lead_round()

    def _lead_round(self) -> None:
        self._offer = None
        self._answers = []
        if self._rounds_left:
            self._ask(Decision.TRADE, self._active)
        else:
            self._end_trading()

    def _trade(self, seat: int, action: Action) -> None:
        if type(action) is Stop:
            self._rounds_left = 0
            self._end_trading()
            return
        if type(action) is Offer:
            offered = self._offered(seat, action)
        elif type(action) is Call:
            check_addressed(action.to, seat, self.seats)
            offered = Offered(seat, action.to, (), (), (), ())
        else:
            raise _wrong_action(action, "offer, call, stop, or harvest")
        self._offer = offered
        self._events.append(offered)
        self._decision = Decision.ANSWER
        self._asked = offered.to

    def _offered(self, seat: int, action: Offer) -> Offered:
        check_addressed(action.to, seat, self.seats)
        check_positions(action.turned, len(self._turned), "turned-over cards")
        check_positions(action.hand, len(self._hands[seat]), "cards in your hand")
        check_kinds(action.wants, self._deck.known)
        if not (action.turned or action.hand or action.wants):
            raise IllegalActionError("an offer must give or want something; to ask for offers, call")
        kinds, hand = self._deck.kinds, self._hands[seat]
        gives = [kinds[self._turned[i]] for i in action.turned] + [kinds[hand[i]] for i in action.hand]
        return Offered(seat, action.to, action.turned, action.hand, tuple(gives), action.wants)

    def _answer(self, seat: int, action: Action) -> None:
        if type(action) is Decline:
            answered = Answered(seat, "decline")
        elif type(action) is Accept:
            answered = self._accepted(seat, action)
        elif type(action) is Counter:
            answered = self._countered(seat, action)
        else:
            raise _wrong_action(action, "accept, decline or counter (and may not harvest while answers are collected)")
        self._answers.append(answered)
        self._asked = tuple([other for other in self._asked if other != seat])
        if not self._asked:
            self._reveal_answers()

    def _accepted(self, seat: int, action: Accept) -> Answered:
        offer = self._offer
        assert offer is not None
        if not (offer.gives or offer.wants):
            raise IllegalActionError("a call cannot be accepted: counter with what you would trade, or decline")
        hand = self._hands[seat]
        check_positions(action.hand, len(hand), "cards in your hand")
        gives = [self._deck.kinds[hand[i]] for i in action.hand]
        check_given(gives, offer.wants)
        return Answered(seat, "accept", action.hand, tuple(gives))

    def _countered(self, seat: int, action: Counter) -> Answered:
        hand = self._hands[seat]
        check_positions(action.hand, len(hand), "cards in your hand")
        check_positions(action.turned, len(self._turned), "turned-over cards")
        check_kinds(action.wants, self._deck.known)
        if not (action.hand or action.turned or action.wants):
            raise IllegalActionError("a counter must give or want something; to say no, decline")
        gives = tuple([self._deck.kinds[hand[i]] for i in action.hand])
        return Answered(seat, "counter", action.hand, gives, action.turned, action.wants)

    def _reveal_answers(self) -> None:
        self._answers.sort(key=lambda answered: answered.seat)
        self._events.extend(self._answers)
        if any(answered.answer != "decline" for answered in self._answers):
            self._ask(Decision.PICK, self._active)
        else:
            self._end_round()

    def _pick(self, seat: int, action: Action) -> None:
        if type(action) is Refuse:
            self._events.append(Refused(seat))
        elif type(action) is Pick:
            self._carry_out(seat, action)
        else:
            raise _wrong_action(action, "pick an answer, refuse all, or harvest")
        self._end_round()

    def _carry_out(self, seat: int, action: Pick) -> None:
        offer = self._offer
        answered = next((a for a in self._answers if a.seat == action.seat and a.answer != "decline"), None)
        if answered is None or offer is None:
            raise IllegalActionError(f"seat {action.seat!r} has neither accepted nor countered")
        hand = self._hands[seat]
        if answered.answer == "accept":
            if action.hand:
                raise IllegalActionError("an acceptance is picked without naming cards: the offer named them")
            turned, given = offer.turned, offer.hand
        else:
            check_positions(action.hand, len(hand), "cards in your hand")
            check_given([self._deck.kinds[hand[i]] for i in action.hand], answered.wants)
            turned, given = answered.turned, action.hand
        gives = _take(self._turned, turned) + _take(hand, given)
        receives = _take(self._hands[answered.seat], answered.hand)
        self._aside[answered.seat] += gives
        self._aside[seat] += receives
        kinds = self._deck.kinds
        self._events.append(
            Traded(
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
        self._events.append(TradingEnded(self._active, tuple([self._deck.kinds[card] for card in left])))
        self._aside[self._active] += left
        self._turned = []
        self._planters = [seat for seat in self._clockwise_from(self._active) if self._aside[seat]]
        self._next_planter()

    # Phase 3: plant turned-over and traded bean cards

    def _next_planter(self) -> None:
        if self._planters:
            self._ask(Decision.PLANT_ASIDE, self._planters[0])
        elif self._last_turn:
            self._end_game()
        else:
            self._draw_phase()

    def _plant_aside(self, seat: int, action: Action) -> None:
        if type(action) is not PlantAside:
            raise _wrong_action(action, "plant a card that lies aside, or harvest")
        aside = self._aside[seat]
        check_positions((action.card,), len(aside), "cards aside")
        self._check_place(seat, aside[action.card], action.field)
        self._plant(seat, aside.pop(action.card), action.field, "aside", action.card)
        if not aside:
            self._planters.pop(0)
            self._next_planter()

    # Phase 4: draw bean cards

    def _draw_phase(self) -> None:
        seat = self._active
        self._draw(seat, self.rules.draws, self._hands[seat], Drew)
        if self._run_outs >= self.rules.run_outs:
            self._end_game()
            return
        asked_for = self.options["interludes"]
        assert isinstance(asked_for, tuple)
        self._interlude = [other for other in self._clockwise_from(seat + 1) if other in asked_for]
        self._next_interlude()

    # Between turns

    def _next_interlude(self) -> None:
        while self._interlude and not self._harvestable(self._interlude[0]):
            self._interlude.pop(0)
        if self._interlude:
            self._ask(Decision.INTERLUDE, self._interlude[0])
        else:
            self._start_turn()

    def _pass_interlude(self, seat: int, action: Action) -> None:
        del seat
        if type(action) is not Pass:
            raise _wrong_action(action, "harvest or pass")
        self._interlude.pop(0)
        self._next_interlude()

    # Harvesting beans

    def _harvestable(self, seat: int) -> tuple[int, ...]:
        """Return the fields `seat` may harvest: the bean protection rule spares single beans beside larger fields."""
        counts = [field.count for field in self._counts[seat]]
        least = 2 if max(counts) > 1 else 1
        return tuple([i for i, count in enumerate(counts) if count >= least])

    def _harvest_first(self, seat: int, action: Harvest) -> None:
        field = action.field
        self._check_own_field(field)
        if field not in self._harvestable(seat):
            if not self._fields[seat][field]:
                raise IllegalActionError(f"field {field} is empty")
            raise IllegalActionError(f"field {field} has one bean and is protected: another field has more than one")
        self._harvest(seat, field)
        if self._decision is Decision.INTERLUDE:
            self._next_interlude()

    def _harvest(self, seat: int, field: int) -> None:
        """Turn the cards planted last into dollars, as many as the beanometer says, and discard the rest."""
        cards = self._fields[seat][field]
        kind = self._deck.index[cards[0]]
        count = len(cards)
        dollars = self._deck.earnings[kind][count]
        self._discarded[kind] += count - dollars
        self._pile.discards += cards[: count - dollars]
        self._fields[seat][field] = []
        self._set_count(seat, field, self._deck.empty)
        self._dollars[seat] += dollars
        self._events.append(Harvested(seat, field, self._deck.kinds[cards[0]], count, dollars))

    # Planting and drawing

    def _check_own_field(self, field: int) -> None:
        if type(field) is not int or not 0 <= field < self.rules.fields:
            raise IllegalActionError(f"there is no field {field!r}; your fields are 0 to {self.rules.fields - 1}")

    def _check_place(self, seat: int, card: int, field: int) -> None:
        self._check_own_field(field)
        there = self._counts[seat][field].kind
        kind = self._deck.kinds[card]
        if there is not None and there != kind:
            raise IllegalActionError(
                f"{kind} cannot be planted in field {field}, where {there} grows: harvest it first"
            )

    def _plant(self, seat: int, card: int, field: int, source: str, position: int) -> None:
        cards = self._fields[seat][field]
        cards.append(card)
        self._set_count(seat, field, self._deck.filled[self._deck.index[card]][len(cards)])
        self._events.append(Planted(seat, field, self._deck.kinds[card], source, position))

    def _set_count(self, seat: int, field: int, count: Field) -> None:
        counts = list(self._counts[seat])
        counts[field] = count
        self._counts[seat] = tuple(counts)

    def _draw(self, seat: int, count: int, to: list[int], event: Callable[..., Event]) -> None:
        """Let `seat` draw `count` cards, shuffling as the pile runs out; after the final run-out nothing is drawn."""
        pile, drawn = self._pile, 0
        for _ in range(count):
            if self._run_outs >= self.rules.run_outs:
                break
            if not pile.size:
                self._shuffle_or_run_out()
                if not pile.size:
                    continue
            to.append(pile.draw(seat))
            drawn += 1
            if not pile.size:
                self._tell_drawn(seat, drawn, to, event)
                drawn = 0
                self._run_out()
                if self._run_outs < self.rules.run_outs and pile.discards:
                    self._shuffle()
        self._tell_drawn(seat, drawn, to, event)

    def _tell_drawn(self, seat: int, drawn: int, to: list[int], event: Callable[..., Event]) -> None:
        if drawn:
            kinds = self._deck.kinds
            cards = tuple([kinds[card] for card in to[-drawn:]])
            self._events.append(event(seat, cards) if event is TurnedOver else event(seat, drawn, cards))

    def _shuffle_or_run_out(self) -> None:
        """A draw from an empty pile: shuffle what was discarded meanwhile, or count one more run-out."""
        if self._pile.discards:
            self._shuffle()
        else:
            self._run_out()

    def _run_out(self) -> None:
        self._run_outs += 1
        self._events.append(RanOut(self._run_outs))

    def _shuffle(self) -> None:
        cards = self._pile.shuffle()
        self._discarded = [0] * len(self._discarded)
        self._events.append(Shuffled(self._pile.number, cards))

    # Beginning and end

    def _deal(self) -> None:
        for _ in range(self.rules.start_hand):
            for seat, hand in enumerate(self._hands):
                hand.append(self._pile.draw(seat))
        for seat, hand in enumerate(self._hands):
            self._events.append(Dealt(seat, len(hand), tuple([self._deck.kinds[card] for card in hand])))

    def _end_game(self) -> None:
        """Harvest every field, and rank: most dollars first, of equals the one furthest clockwise from seat 0."""
        for seat in range(self.seats):
            for field, cards in enumerate(self._fields[seat]):
                if cards:
                    self._harvest(seat, field)
        dollars = tuple(self._dollars)
        ranking = sorted(range(self.seats), key=lambda seat: (dollars[seat], seat), reverse=True)
        places = [0] * self.seats
        for place, seat in enumerate(ranking, 1):
            places[seat] = place
        self._outcome = Outcome(dollars, tuple(places))
        self._events.append(GameEnded(dollars, tuple(places)))
        self._decision = Decision.WAIT
        self._asked = ()

    # Who is asked, and what they see

    def _ask(self, decision: Decision, seat: int) -> None:
        self._decision = decision
        self._asked = self._deck.alone[seat]

    def _clockwise_from(self, first: int) -> list[int]:
        return [(first + i) % self.seats for i in range(self.seats)]

    def _news(self, seat: int) -> tuple[Event, ...]:
        since = self._events[self._seen[seat] :]
        return tuple([event.seen_by(seat) if type(event) in _HIDDEN else event for event in since])

    _PHASES: ClassVar[dict[Decision, Callable[[Bohnanza, int, Action], None]]] = {
        Decision.PLANT_FIRST: _plant_first,
        Decision.PLANT_SECOND: _plant_second,
        Decision.TRADE: _trade,
        Decision.ANSWER: _answer,
        Decision.PICK: _pick,
        Decision.PLANT_ASIDE: _plant_aside,
        Decision.INTERLUDE: _pass_interlude,
    }


def _take(cards: list[int], positions: tuple[int, ...]) -> list[int]:
    """Take the cards at `positions` (ascending) out of `cards`."""
    taken = [cards[i] for i in positions]
    for i in reversed(positions):
        del cards[i]
    return taken


def _wrong_action(action: Action, allowed: str) -> IllegalActionError:
    return IllegalActionError(f"{type(action).__name__} is not an answer to what is asked: {allowed}")
