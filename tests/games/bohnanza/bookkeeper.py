"""An independent check: follows a trading game by its events alone and checks that each is allowed.

It shares only the classes of the events with the engine.
"""

from __future__ import annotations

import tomllib
from collections import Counter as Multiset
from collections.abc import Callable, Sequence
from pathlib import Path

from beanleague.games import Event, core
from beanleague.games.bohnanza import Answered, Offered, Refused, Traded, TradingEnded
from tests.games.bohnanza.helpers import TABLES, Table

BEANS = tomllib.loads(
    (Path(__file__).parents[3] / "server/beanleague/games/data/beans.toml").read_text(encoding="utf-8")
)
RAREST_FIRST = list(BEANS)


def cards_of(table: Table) -> dict[str, int]:
    """How many cards of each kind are in play, in the order of the rules."""
    return {kind: row["cards"] for kind, row in BEANS.items() if kind not in table.left_out}


def dollars_for(kind: str, cards: int) -> int:
    """What the beanometer of `kind` pays for so many cards."""
    earned = 0
    for dollars, needed in enumerate(BEANS[kind]["beanometer"], 1):
        if needed and needed <= cards:
            earned = dollars
    return earned


class Bookkeeper:
    """The table as the events describe it. Each method named after an event checks and applies it."""

    def __init__(self, seats: int, max_rounds: int = 6, ruleset: str = "bohnanza") -> None:
        self.seats = seats
        self.max_rounds = max_rounds
        self.table = TABLES[ruleset, seats]
        self.cards = cards_of(self.table)
        self.pile = Multiset(self.cards)
        self.discard = Multiset[str]()
        self.bank: list[list[str]] = [[] for _ in range(seats)]  # cards turned to dollars, in the order earned
        self.hands: list[list[str]] = [[] for _ in range(seats)]
        self.fields: list[list[list[str]]] = [[[] for _ in range(self.table.fields)] for _ in range(seats)]
        self.aside: list[list[str]] = [[] for _ in range(seats)]
        self.turned: list[str] = []
        self.run_outs = 0
        self.passes = 0
        self.turn = 0
        self.active = -1
        self.phase = 0
        self.planted = 0  # in phase 1 of this turn
        self.passed = False
        self.tries = 0  # draws of this phase, also those that found no card
        self.rounds = 0
        self.offer: Offered | None = None
        self.answers: list[Answered] = []
        self.just_emptied = False
        self.to_shuffle = False
        self.final_in_phase_2 = False
        self.closing = False  # the last harvest of all
        self.ended = False

    def follow(self, events: Sequence[Event], look: Callable[[], object] = lambda: None) -> Bookkeeper:
        """Check all `events` of a game that is over; `look` is called after each."""
        last_own = len(events) - 1
        while last_own and isinstance(events[last_own - 1], core.Harvested):
            last_own -= 1
        for index, event in enumerate(events):
            self.closing = index >= last_own
            self.see(event)
            look()
        assert self.ended
        return self

    def see(self, event: Event) -> None:
        """Check `event` and carry it out."""
        assert not self.ended, "nothing happens after the end"
        assert not self.just_emptied or isinstance(event, core.RanOut), "an empty pile has run out"
        assert not self.to_shuffle or isinstance(event, core.Shuffled), "a pile that ran out is shuffled at once"
        if self.offer and len(self.answers) < len(self.offer.to):
            assert isinstance(event, Answered), "nothing shows while answers are collected"
        getattr(self, f"on_{type(event).__name__.lower()}")(event)
        self.check_conservation()

    def written(self) -> dict[str, object]:
        """Return what lies on the table, as JSON."""
        return {
            "turn": self.turn,
            "active": self.active,
            "hands": self.hands,
            "fields": self.fields,
            "dollars": list(map(len, self.bank)),
            "aside": self.aside,
            "turned": self.turned,
            "pile": self.pile.total(),
            "discards": sorted(self.discard.elements()),
            "runOuts": self.run_outs,
        }

    def check_conservation(self) -> None:
        there = self.pile + self.discard
        for cards in (
            *self.bank,
            *self.hands,
            *self.aside,
            self.turned,
            *(field for own in self.fields for field in own),
        ):
            there.update(cards)
        assert there == self.cards

    # Drawing

    @property
    def draws(self) -> int:
        """How many cards are drawn in phase 4."""
        return self.table.drawn * (self.seats if self.table.all_draw else 1)

    def draw(self, cards: Sequence[str], to: list[str]) -> None:
        assert cards
        assert not self.just_emptied
        for kind in cards:
            assert self.pile[kind] > 0
            self.pile[kind] -= 1
            to.append(kind)
        self.tries += len(cards)
        self.just_emptied = self.pile.total() == 0 and self.turn > 0

    def on_dealt(self, event: core.Dealt) -> None:
        assert self.turn == 0
        assert not self.hands[event.seat]
        assert all(self.hands[seat] for seat in range(event.seat)), "in the order of the seats"
        assert event.count == len(event.cards) == self.table.dealt[event.seat]
        self.draw(event.cards, self.hands[event.seat])

    def on_turnedover(self, event: core.TurnedOver) -> None:
        if self.phase == 1:
            self.begin_phase_2()
        assert self.phase == 2
        assert event.seat == self.active
        assert self.rounds == 0
        assert self.offer is None
        self.draw(event.cards, self.turned)
        assert self.tries <= 2

    def on_drew(self, event: core.Drew) -> None:
        if self.phase == 3:
            self.begin_phase_4()
        assert self.phase == 4
        first = self.tries // self.table.drawn if self.table.all_draw else 0
        assert event.seat == (self.active + first) % self.seats, "the active player, or everybody, clockwise"
        assert event.count == len(event.cards)
        self.draw(event.cards, self.hands[event.seat])
        assert self.tries <= self.draws

    def on_ranout(self, event: core.RanOut) -> None:
        assert self.pile.total() == 0
        if not self.just_emptied:
            self.begin_drawing()
            assert not self.discard, "there would have been something to shuffle"
            self.tries += 1
        self.just_emptied = False
        self.run_outs += 1
        assert event.time == self.run_outs <= self.table.last_run_out
        self.to_shuffle = self.run_outs < self.table.last_run_out and bool(self.discard)
        self.final_in_phase_2 = self.run_outs == self.table.last_run_out and self.phase == 2

    def on_shuffled(self, event: core.Shuffled) -> None:
        if not self.to_shuffle:
            self.begin_drawing()
        self.to_shuffle = False
        assert self.pile.total() == 0
        assert event.cards == self.discard.total() > 0
        self.passes += 1
        assert event.number == self.passes
        self.pile, self.discard = self.discard, Multiset()

    def begin_drawing(self) -> None:
        """A draw from the empty pile: the phase of drawing may begin with it."""
        if self.phase == 1:
            self.begin_phase_2()
        elif self.phase == 3:
            self.begin_phase_4()
        assert self.phase in {2, 4}

    # Turns and phases

    def on_turnstarted(self, event: core.TurnStarted) -> None:
        assert tuple(map(len, self.hands)) == self.table.dealt or self.turn
        assert self.phase in {0, 4}
        assert self.phase == 0 or self.tries == self.draws, "all cards of phase 4 are drawn"
        assert self.run_outs < self.table.last_run_out
        self.turn += 1
        self.active = (self.active + 1) % self.seats
        assert (event.turn, event.seat) == (self.turn, self.active)
        self.phase, self.planted, self.passed = 1, 0, False

    def begin_phase_2(self) -> None:
        hand = self.hands[self.active]
        assert self.planted or not hand, "the first card must be planted"
        assert self.planted == 2 or self.passed or not hand
        self.phase, self.tries, self.rounds = 2, 0, 0

    def begin_phase_4(self) -> None:
        assert not any(self.aside), "all cards aside are planted first"
        assert not self.final_in_phase_2
        self.phase, self.tries = 4, 0

    def on_planted(self, event: core.Planted) -> None:
        field = self.fields[event.seat][event.field]
        assert not field or field[0] == event.kind
        if event.source == "hand":
            assert self.phase == 1
            assert event.seat == self.active
            assert event.position == 0
            assert not self.passed
            self.planted += 1
            assert self.planted <= 2
            source = self.hands[event.seat]
        else:
            assert event.source == "aside"
            assert self.phase == 3
            clockwise = [(self.active + i) % self.seats for i in range(self.seats)]
            assert event.seat == next(seat for seat in clockwise if self.aside[seat])
            source = self.aside[event.seat]
        assert source.pop(event.position) == event.kind
        field.append(event.kind)

    def on_passed(self, event: core.Passed) -> None:
        assert self.phase == 1
        assert event.seat == self.active
        assert self.planted == 1
        assert self.hands[event.seat]
        self.passed = True

    def on_harvested(self, event: core.Harvested) -> None:
        own = self.fields[event.seat]
        field = own[event.field]
        assert field
        assert (event.kind, event.cards) == (field[0], len(field))
        assert event.dollars == dollars_for(event.kind, event.cards)
        if len(field) == 1 and not self.closing:
            assert all(len(other) <= 1 for other in own), "a single bean is protected by a larger field"
        self.bank[event.seat] += [event.kind] * event.dollars
        self.discard[event.kind] += event.cards - event.dollars
        field.clear()

    def on_fieldbought(self, event: core.FieldBought) -> None:
        bank = self.bank[event.seat]
        assert len(self.fields[event.seat]) == self.table.fields, "once in a game"
        assert 0 < event.price == self.table.price <= len(bank)
        paid = [bank.pop() for _ in range(event.price)]
        assert tuple(paid) == event.discarded, "those earned last are paid first"
        self.discard.update(paid)
        self.fields[event.seat].append([])

    # Trading

    def on_offered(self, event: Offered) -> None:
        if self.phase == 1:  # nothing could be turned over, as run-outs have shown
            self.begin_phase_2()
        assert self.phase == 2
        assert event.seat == self.active
        assert self.tries == 2 or self.run_outs == self.table.last_run_out
        self.rounds += 1
        assert self.rounds <= self.max_rounds
        assert event.to
        assert list(event.to) == sorted(set(event.to))
        assert event.seat not in event.to
        given = self.hand_kinds(event.hand, event.seat)
        assert self.kinds(event.turned, self.turned) + given == event.gives
        assert list(event.wants) == sorted(event.wants, key=RAREST_FIRST.index)
        assert max(len(event.gives), len(event.wants)) <= 8
        self.offer, self.answers = event, []

    def on_answered(self, event: Answered) -> None:
        offer = self.offer
        assert offer
        assert event.seat == offer.to[len(self.answers)], "by ascending seat, each once"
        assert self.hand_kinds(event.hand, event.seat) == event.gives
        assert list(event.wants) == sorted(event.wants, key=RAREST_FIRST.index)
        assert max(len(event.gives), len(event.turned) + len(event.wants)) <= 8
        if event.answer == "accept":
            assert offer.gives or offer.wants
            assert sorted(event.gives) == sorted(offer.wants)
        elif event.answer == "counter":
            assert event.gives or event.turned or event.wants
            self.kinds(event.turned, self.turned)
        else:
            assert event == Answered(event.seat, "decline")
        self.answers.append(event)
        if len(self.answers) == len(offer.to) and all(said.answer == "decline" for said in self.answers):
            self.offer = None

    def on_refused(self, event: Refused) -> None:
        assert event.seat == self.active
        assert self.offer
        self.offer = None

    def on_traded(self, event: Traded) -> None:
        offer = self.offer
        assert offer
        assert event.seat == self.active
        (answer,) = [said for said in self.answers if said.seat == event.partner]
        assert (event.partner_hand, event.receives) == (answer.hand, answer.gives)
        if answer.answer == "accept":
            assert (event.turned, event.hand, event.gives) == (offer.turned, offer.hand, offer.gives)
        else:
            assert answer.answer == "counter"
            assert event.turned == answer.turned
            given = self.hand_kinds(event.hand, event.seat)
            assert sorted(given) == sorted(answer.wants)
            assert self.kinds(event.turned, self.turned) + given == event.gives
        self.aside[event.partner] += event.gives
        self.aside[event.seat] += event.receives
        for positions, cards in (
            (event.turned, self.turned),
            (event.hand, self.hands[event.seat]),
            (event.partner_hand, self.hands[event.partner]),
        ):
            cards[:] = [kind for i, kind in enumerate(cards) if i not in positions]
        self.offer = None

    def on_tradingended(self, event: TradingEnded) -> None:
        if self.phase == 1:
            self.begin_phase_2()
        assert self.phase == 2
        assert self.offer is None
        assert self.tries == 2 or self.run_outs == self.table.last_run_out
        assert event.seat == self.active
        assert list(event.left) == self.turned
        self.aside[event.seat] += self.turned
        self.turned = []
        self.phase = 3

    def hand_kinds(self, positions: Sequence[int], seat: int) -> tuple[str, ...]:
        return tuple(sorted(self.kinds(positions, self.hands[seat]), key=RAREST_FIRST.index))

    @staticmethod
    def kinds(positions: Sequence[int], cards: Sequence[str]) -> tuple[str, ...]:
        assert list(positions) == sorted(set(positions))
        assert all(0 <= position < len(cards) for position in positions)
        return tuple(cards[position] for position in positions)

    # The end

    def on_gameended(self, event: core.GameEnded) -> None:
        assert self.run_outs == self.table.last_run_out
        assert self.phase == (3 if self.final_in_phase_2 else 4)
        assert not any(self.aside)
        assert not self.turned
        assert not any(field for own in self.fields for field in own)
        assert list(event.dollars) == list(map(len, self.bank))
        ties = [len(hand) for hand in self.hands] if self.table.hand_breaks_ties else range(self.seats)
        for seat, place in enumerate(event.places):
            better = [
                other
                for other in range(self.seats)
                if event.dollars[other] > event.dollars[seat]
                or (event.dollars[other] == event.dollars[seat] and ties[other] > ties[seat])
            ]
            assert place == 1 + len(better)
        self.ended = True
