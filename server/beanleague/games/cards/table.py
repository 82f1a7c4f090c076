"""What all card games have: hands, fields, dollars and the draw pile, and what is done with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from beanleague.games.cards.decision import Decision
from beanleague.games.cards.events import Dealt, Drew, GameEnded, Harvested, Planted, RanOut, Shuffled, TurnedOver
from beanleague.games.cards.pile import Pile
from beanleague.games.cards.rules import CardRules
from beanleague.games.cards.setup import Deck, deck
from beanleague.games.cards.view import Field
from beanleague.games.chance import check_seed
from beanleague.games.errors import IllegalActionError, shown
from beanleague.games.game import Event, Game, Option, Outcome

_HIDDEN = frozenset({Dealt, Drew})


class CardTable(Game):
    """A card game at any moment. Cards are numbers, kind by kind in the order of the rules; players see kinds only.

    A game adds its phases: it says who is asked what, and what an answer does.
    """

    __slots__ = (
        "_active",
        "_asked",
        "_counts",
        "_decision",
        "_deck",
        "_discarded",
        "_dollars",
        "_events",
        "_fields",
        "_hands",
        "_outcome",
        "_pile",
        "_run_outs",
        "_seen",
        "_turn",
        "options",
        "rules",
        "ruleset",
        "seats",
        "seed",
    )

    def __init__(self, rules: CardRules, seed: bytes, options: Mapping[str, Option]) -> None:
        """Set up and deal. `options`: checked, with nothing left out."""
        seats = rules.seats
        self.rules = rules
        self.ruleset = rules.ruleset
        self.seats = seats
        self.seed = check_seed(seed)
        self.options = options
        self._deck: Deck = deck(self.rules)
        self._pile = Pile(seed, self.rules.cards, seats)
        self._run_outs = 0
        self._discarded = [0] * len(self.rules.kinds)
        self._hands: list[list[int]] = [[] for _ in range(seats)]
        self._fields: list[list[list[int]]] = [[[] for _ in range(self.rules.fields)] for _ in range(seats)]
        self._counts: list[tuple[Field, ...]] = [(self._deck.empty,) * self.rules.fields] * seats
        self._dollars: list[int] = [0] * seats
        self._turn = 0
        self._active = -1
        self._asked: tuple[int, ...] = ()
        self._decision = Decision.WAIT
        self._outcome: Outcome | None = None
        self._events: list[Event] = []
        self._seen = [0] * seats  # per seat: events that were there when it last acted
        self._deal()

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

    # Who is asked, and what they see

    def _ask(self, decision: Decision, seat: int) -> None:
        self._decision = decision
        self._asked = self._deck.alone[seat]

    def _clockwise_from(self, first: int) -> list[int]:
        return [(first + i) % self.seats for i in range(self.seats)]

    def _news(self, seat: int) -> tuple[Event, ...]:
        since = self._events[self._seen[seat] :]
        return tuple([event.seen_by(seat) if type(event) in _HIDDEN else event for event in since])

    # Planting

    def _check_own_field(self, field: int) -> None:
        if type(field) is not int or not 0 <= field < self.rules.fields:
            raise IllegalActionError(f"there is no field {shown(field)}; your fields are 0 to {self.rules.fields - 1}")

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

    # Harvesting

    def _harvestable(self, seat: int) -> tuple[int, ...]:
        """Return the fields `seat` may harvest: the bean protection rule spares single beans beside larger fields."""
        counts = [field.count for field in self._counts[seat]]
        least = 2 if max(counts) > 1 else 1
        return tuple([i for i, count in enumerate(counts) if count >= least])

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

    # Drawing

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
