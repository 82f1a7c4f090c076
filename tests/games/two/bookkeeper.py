"""An independent check: follows a game for two by its seed and its events alone and checks that each is allowed.

It shares only the classes of the events with the engine. Every card drawn is predicted from the seed.
"""

from __future__ import annotations

from collections import Counter as Multiset
from collections.abc import Callable, Sequence

from beanleague.games import Event, core
from beanleague.games.two import HandDiscarded, Joined, OpenDiscarded
from tests.games.bohnanza.bookkeeper import BEANS, dollars_for
from tests.games.bohnanza.oracle import draw_order

CARDS = {kind: row["cards"] for kind, row in BEANS.items() if kind not in {"cocoa", "garden"}}
PRICE = 3


class Bookkeeper:
    """The table as the events describe it. Each method named after an event checks and applies it."""

    def __init__(self, seed: bytes) -> None:
        self.names = [kind for kind, count in CARDS.items() for _ in range(count)]
        self.pile = set(range(len(self.names)))
        self.orders = [draw_order(seed, 0, seat, len(self.names)) for seat in (0, 1)]
        self.discard: list[str] = []
        self.bank: list[list[str]] = [[], []]
        self.gone: list[str] = []  # paid for fields
        self.hands: list[list[str]] = [[], []]
        self.fields: list[list[list[str]]] = [[[], []], [[], []]]
        self.open: list[str] = []
        self.to_join: list[str] = []
        self.turn = 0
        self.active = 1
        self.step = 0  # of the turn
        self.done: list[str] = []  # in step 2
        self.drawn = 0  # in the step
        self.closing = False  # the last harvests of all
        self.ran_out = self.ended = False

    def follow(self, events: Sequence[Event], look: Callable[[], object] = lambda: None) -> Bookkeeper:
        """Check all `events` of a game that is over; `look` is called after each."""
        first_closing = len(events) - 1
        while isinstance(events[first_closing - 1], core.Harvested):
            first_closing -= 1
        for index, event in enumerate(events):
            self.closing = index >= first_closing
            self.see(event)
            look()
        assert self.ended
        return self

    def see(self, event: Event) -> None:
        """Check `event` and carry it out."""
        assert not self.ended
        assert not self.to_join or isinstance(event, (core.RanOut, Joined)), "cards join at once"
        getattr(self, f"on_{type(event).__name__.lower()}")(event)
        there = Multiset(self.names[card] for card in self.pile)
        there.update([*self.discard, *self.gone, *self.open])
        for cards in (*self.bank, *self.hands, *self.fields[0], *self.fields[1]):
            there.update(cards)
        assert there == CARDS

    def written(self) -> dict[str, object]:
        """Return what lies on the table, as JSON."""
        return {
            "turn": self.turn,
            "active": self.active if self.turn else -1,
            "hands": self.hands,
            "fields": self.fields,
            "dollars": list(map(len, self.bank)),
            "turned": self.open,
            "pile": len(self.pile),
            "discards": self.discard,
            "runOuts": int(self.ran_out),
        }

    def draw(self, seat: int) -> str:
        card = next(card for card in self.orders[seat] if card in self.pile)
        self.pile.remove(card)
        return self.names[card]

    def on_dealt(self, event: core.Dealt) -> None:
        if event.seat == 0:
            for _ in range(5):
                for seat in (0, 1):
                    self.hands[seat].append(self.draw(seat))
        assert event.count == len(event.cards) == 5
        assert tuple(self.hands[event.seat]) == event.cards

    def on_turnstarted(self, event: core.TurnStarted) -> None:
        assert not self.ran_out
        assert self.turn == 0 or (self.step, self.drawn) == (4, 2)
        self.turn, self.active, self.step, self.done = self.turn + 1, 1 - self.active, 1, []
        assert (event.turn, event.seat) == (self.turn, self.active)

    def begin_step_2(self) -> None:
        if self.step == 1:
            assert not self.open, "all that was offered is planted or discarded"
            self.step = 2
        assert self.step == 2

    def on_planted(self, event: core.Planted) -> None:
        assert event.seat == self.active
        if event.source == "hand":
            self.begin_step_2()
            assert self.done in ([], ["planted"])
            assert event.position == 0
            self.done.append("planted")
            cards = self.hands[event.seat]
        else:
            assert event.source == "open"
            assert self.step in {1, 3}
            cards = self.open
        assert cards.pop(event.position) == event.kind
        field = self.fields[event.seat][event.field]
        assert not field or field[0] == event.kind
        field.append(event.kind)

    def on_passed(self, event: core.Passed) -> None:
        if self.step == 3:
            assert self.open
            self.step = 4
            self.drawn = 0
            return
        assert self.step == 2
        assert self.hands[event.seat]
        assert 0 < len(self.done) < 3
        self.done.append("passed")

    def on_opendiscarded(self, event: OpenDiscarded) -> None:
        assert self.step == 1
        assert self.open.pop(event.position) == event.kind
        self.discard.append(event.kind)

    def on_handdiscarded(self, event: HandDiscarded) -> None:
        assert self.step == 2
        assert len(self.done) == 2
        self.done.append("discarded")
        assert self.hands[event.seat].pop(event.position) == event.kind
        self.discard.append(event.kind)

    def on_turnedover(self, event: core.TurnedOver) -> None:
        self.begin_step_2()
        assert self.done or not self.hands[event.seat]
        assert len(self.done) == 3 or not self.hands[event.seat]
        assert len(event.cards) == 3 or (len(event.cards) == len(self.pile) < 3)
        self.open = [self.draw(event.seat) for _ in event.cards]
        assert tuple(self.open) == event.cards
        self.step = 3
        self.joining()

    def joining(self) -> None:
        """Note what must join: the run of kinds that are open, from the top of the discard pile down."""
        for kind in reversed(self.discard):
            if kind not in self.open:
                break
            self.to_join.append(kind)

    def on_joined(self, event: Joined) -> None:
        assert list(event.cards) == self.to_join != []
        del self.discard[-len(self.to_join) :]
        self.open += self.to_join
        self.to_join = []

    def on_drew(self, event: core.Drew) -> None:
        if self.step == 3:
            assert not self.open, "all are planted, or the player has passed"
            self.step = 4
        assert self.step == 4
        assert event.count == len(event.cards) == min(2, len(self.pile))
        drawn = tuple(self.draw(event.seat) for _ in event.cards)
        assert drawn == event.cards
        self.hands[event.seat] += drawn
        self.drawn = event.count

    def on_harvested(self, event: core.Harvested) -> None:
        assert event.seat == self.active or self.closing, "one harvests on one's own turn only"
        own = self.fields[event.seat]
        field = own[event.field]
        assert (event.kind, event.cards) == (field[0], len(field))
        assert event.dollars == dollars_for(event.kind, event.cards)
        if len(field) == 1 and not self.closing:
            assert all(len(other) <= 1 for other in own)
        self.bank[event.seat] += [event.kind] * event.dollars
        self.discard += [event.kind] * (event.cards - event.dollars)
        own[event.field] = []

    def on_fieldbought(self, event: core.FieldBought) -> None:
        assert event.seat == self.active
        assert (event.price, event.discarded) == (PRICE, ())
        assert len(self.fields[event.seat]) == 2
        assert len(self.bank[event.seat]) >= PRICE
        self.gone += [self.bank[event.seat].pop() for _ in range(PRICE)]
        self.fields[event.seat].append([])

    def on_ranout(self, event: core.RanOut) -> None:
        assert event.time == 1
        assert not self.pile
        self.ran_out = True

    def on_gameended(self, event: core.GameEnded) -> None:
        assert self.ran_out
        assert not any(field for own in self.fields for field in own)
        assert event.dollars == (len(self.bank[0]), len(self.bank[1]))
        ranks = [(event.dollars[seat], len(self.hands[seat])) for seat in (0, 1)]
        assert event.places == ((1, 1) if ranks[0] == ranks[1] else (1, 2) if ranks[0] > ranks[1] else (2, 1))
        self.ended = True
