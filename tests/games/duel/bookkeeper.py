"""An independent check: follows a duel by its seed and its events alone and checks that each is allowed.

It shares only the classes of the events with the engine. Every card drawn is predicted from the seed.
"""

from __future__ import annotations

import tomllib
from collections import Counter as Multiset
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import blake2b
from itertools import groupby
from pathlib import Path

from beanleague.games.core.game import Event
from beanleague.games.core.moves import Dealt, Drew, Passed, Planted, RanOut, TurnedOver, TurnStarted
from beanleague.games.duel import moves

DATA = Path(__file__).parents[3] / "server/beanleague/games/data"
BEANS = tomllib.loads((DATA / "beans.toml").read_text(encoding="utf-8"))
KINDS = ["garden", "red", "black_eyed", "soy", "green", "stink", "chili", "blue"]
CARDS = {kind: BEANS[kind]["cards"] for kind in KINDS}


def dollars_for(kind: str, cards: int) -> int:
    """What the beanometer of `kind` pays for so many cards."""
    return max((i for i, needed in enumerate(BEANS[kind]["beanometer"], 1) if 0 < needed <= cards), default=0)


@cache
def draw_order(seed: bytes, key: str, cards: int) -> list[int]:
    """All cards in the order in which they are drawn under `key`."""
    luck = []
    for card in range(cards):
        digest = blake2b(f"{key}/{card // 8}".encode(), key=seed).digest()
        luck.append((int.from_bytes(digest[card % 8 * 8 :][:8], "little"), card))
    return [card for _, card in sorted(luck)]


class Bookkeeper:
    """The table as the events describe it. Each method named after an event checks and applies it.

    `deck`: the text of the bo(h)nus deck that is played with.
    """

    def __init__(self, seed: bytes, deck: str = "") -> None:
        self.seed = seed
        text = deck or (DATA / "bohnus.toml").read_text(encoding="utf-8")
        self.deck = [(card["sequence"].split("-"), card["cents"]) for card in tomllib.loads(text)["cards"]]
        self.beans = [kind for kind in KINDS for _ in range(CARDS[kind])]
        self.pile = set(range(len(self.beans)))
        self.bohnus_pile = set(range(len(self.deck)))
        self.passes = 0
        self.bohnus_discard: set[int] = set()
        self.bohnus: list[set[int]] = [set(), set()]
        self.earned: list[set[int]] = [set(), set()]
        self.hands: list[list[str]] = [[], []]
        self.fields: list[list[list[str]]] = [[[], [], []], [[], [], []]]
        self.dollars: list[list[str]] = [[], []]
        self.discard: list[str] = []
        self.turned: list[str] = []
        self.gifts: list[str] = ["", ""]
        self.offered: list[str] = []
        self.turn = 0
        self.active = 1
        self.offerer = -1
        self.owed = False  # an offer was accepted
        self.planted = 0  # in phase 1 of this turn
        self.passed = False
        self.discarded_turned = False
        self.discarded_bohnus: list[int] = []  # seats, in this turn
        self.drew = False  # in phase 4 of this turn
        self.drew_bohnus: list[int] = []  # seats, in this turn
        self.to_shuffle = False  # the bo(h)nus cards
        self.closing = False  # what happens when the game is over
        self.ended = False

    def follow(self, events: Sequence[Event], look: Callable[[], object] = lambda: None) -> Bookkeeper:
        """Check all `events` of a duel that is over; `look` is called after each."""
        first_closing = len(events) - 1
        while isinstance(events[first_closing - 1], (moves.ColumnHarvested, moves.Fulfilled)):
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
        assert not self.to_shuffle or isinstance(event, moves.BohnusShuffled), (
            "an empty bo(h)nus pile is refilled at once"
        )
        getattr(self, f"on_{type(event).__name__.lower()}")(event)
        there = Multiset(self.beans[card] for card in self.pile)
        for cards in (*self.hands, *self.dollars, self.discard, self.turned, filter(None, self.gifts)):
            there.update(cards)
        for field in (*self.fields[0], *self.fields[1]):
            there.update(field)
        assert there == CARDS
        held = [*self.bohnus, *self.earned, self.bohnus_pile, self.bohnus_discard]
        assert sorted(card for cards in held for card in cards) == list(range(len(self.deck)))

    def written(self) -> dict[str, object]:
        """Return what lies on the table, as JSON."""
        return {
            "turn": self.turn,
            "active": self.active if self.turn else -1,
            "hands": self.hands,
            "fields": self.fields,
            "dollars": list(map(len, self.dollars)),
            "turned": self.turned,
            "gifts": [kind or None for kind in self.gifts],
            "offers": self.offered,
            "pile": len(self.pile),
            "discards": self.discard,
            "bohnus": list(map(sorted, self.bohnus)),
            "earned": list(map(sorted, self.earned)),
            "bohnusPile": len(self.bohnus_pile),
            "bohnusDiscards": sorted(self.bohnus_discard),
        }

    def predicted(self, name: str, pile: set[int], cards: int, passes: int, seat: int) -> int:
        """Take the card out of `pile` that `seat` draws."""
        card = next(card for card in draw_order(self.seed, f"{name}/{passes}/{seat}", cards) if card in pile)
        pile.remove(card)
        return card

    def draw(self, seat: int) -> str:
        return self.beans[self.predicted("draw", self.pile, len(self.beans), 0, seat)]

    # Setup. Both are dealt their cards alternately, which the events tell seat by seat.

    def on_firstdollars(self, event: moves.FirstDollars) -> None:
        assert event.count == len(event.cards) == 3
        if event.seat == 0:
            for _ in range(3):
                for seat in (0, 1):
                    self.dollars[seat].append(self.draw(seat))
            for _ in range(5):
                for seat in (0, 1):
                    self.hands[seat].append(self.draw(seat))
        assert tuple(self.dollars[event.seat]) == event.cards

    def on_dealt(self, event: Dealt) -> None:
        assert event.count == len(event.cards) == 5
        assert tuple(self.hands[event.seat]) == event.cards

    # Phase 1

    def on_turnstarted(self, event: TurnStarted) -> None:
        assert self.turn == 0 or len(self.drew_bohnus) == len(set(self.drew_bohnus))
        self.turn += 1
        self.active = 1 - self.active
        assert (event.turn, event.seat) == (self.turn, self.active)
        self.planted, self.passed, self.discarded_turned, self.drew = 0, False, False, False
        self.discarded_bohnus, self.drew_bohnus, self.offered = [], [], []
        self.offerer, self.owed = self.active, False

    def on_planted(self, event: Planted) -> None:
        if event.source == "hand":
            assert event.seat == self.active
            assert event.position == 0
            assert not self.passed
            assert not self.turned
            self.planted += 1
            assert self.planted <= 2
            kind = self.hands[event.seat].pop(0)
        elif event.source == "turned":
            assert event.seat == self.active
            kind = self.turned.pop(event.position)
        else:
            assert event.source == "gift"
            assert event.seat == self.active or not (self.turned or self.gifts[self.active])
            kind, self.gifts[event.seat] = self.gifts[event.seat], ""
        assert kind == event.kind
        field = self.fields[event.seat][event.field]
        assert not field or KINDS.index(kind) - KINDS.index(field[-1]) in {0, 1}
        field.append(kind)

    def on_passed(self, event: Passed) -> None:
        assert event.seat == self.active
        assert self.planted == 1
        self.passed = True

    # Phase 2

    def on_turnedover(self, event: TurnedOver) -> None:
        hand = self.hands[self.active]
        assert event.seat == self.active
        assert self.planted == 2 or self.passed or not hand
        assert 0 < len(event.cards) <= 3
        assert len(event.cards) == 3 or len(self.pile) < 3
        self.turned = [self.draw(event.seat) for _ in event.cards]
        assert tuple(self.turned) == event.cards

    def on_giftoffered(self, event: moves.GiftOffered) -> None:
        assert self.turned or not self.pile
        assert event.seat == self.offerer
        assert event.kind in CARDS
        assert event.kind not in self.offered
        self.offered.append(event.kind)

    def on_giftdeclined(self, event: moves.GiftDeclined) -> None:
        assert event.seat == 1 - self.offerer
        self.offerer = event.seat

    def on_giftaccepted(self, event: moves.GiftAccepted) -> None:
        assert event.seat == 1 - self.offerer
        self.owed = True

    def on_giftgiven(self, event: moves.GiftGiven) -> None:
        assert self.owed
        assert event.seat == self.offerer
        assert event.kind == self.offered[-1]
        assert event.source in {"hand", "turned"}
        assert event.source == "hand" or event.seat == self.active
        cards = self.hands[event.seat] if event.source == "hand" else self.turned
        assert cards.pop(event.position) == event.kind
        self.gifts[1 - event.seat] = event.kind
        self.owed = False

    def on_bluffpaid(self, event: moves.BluffPaid) -> None:
        assert self.owed
        payer = event.seat
        assert payer == self.offerer
        assert self.offered[-1] not in self.hands[payer]
        assert payer != self.active or self.offered[-1] not in self.turned
        if self.dollars[payer]:
            assert (event.dollars, event.bohnus) == (1, ())
            self.dollars[1 - payer].append(self.dollars[payer].pop())
        elif self.earned[payer]:
            (card,) = event.bohnus
            assert event.dollars == 0
            assert self.deck[card][1] == min(self.deck[own][1] for own in self.earned[payer])
            self.earned[payer].remove(card)
            self.earned[1 - payer].add(card)
        else:
            assert (event.dollars, event.bohnus) == (0, ())
        self.owed = False

    # Phase 3

    def on_turneddiscarded(self, event: moves.TurnedDiscarded) -> None:
        assert event.seat == self.active
        assert not self.discarded_turned
        assert not self.owed
        assert self.turned.pop(event.position) == event.kind
        self.discard.append(event.kind)
        self.discarded_turned = True

    # Phase 4

    def on_drew(self, event: Drew) -> None:
        assert not self.turned
        assert not any(self.gifts)
        assert event.seat == self.active
        assert event.count == len(event.cards) == min(2, len(self.pile))
        drawn = tuple(self.draw(event.seat) for _ in event.cards)
        assert drawn == event.cards
        self.hands[event.seat] += drawn
        self.drew = True

    def on_bohnusdiscarded(self, event: moves.BohnusDiscarded) -> None:
        assert self.drew
        assert self.discarded_bohnus in ([], [self.active])
        assert event.seat not in self.discarded_bohnus
        self.discarded_bohnus.append(event.seat)
        self.bohnus[event.seat].remove(event.card)
        self.bohnus_discard.add(event.card)

    def on_bohnusdrawn(self, event: moves.BohnusDrawn) -> None:
        assert self.drew or self.turn == 0
        assert event.count == len(event.cards) > 0
        for card in event.cards:
            assert card == self.predicted("bohnus", self.bohnus_pile, len(self.deck), self.passes, event.seat)
            self.bohnus[event.seat].add(card)
        assert len(self.bohnus[event.seat]) == 3 or (len(self.bohnus[event.seat]) < 3 and not self.bohnus_pile)
        self.to_shuffle = not self.bohnus_pile and bool(self.bohnus_discard)
        if not self.drew_bohnus or self.drew_bohnus[-1] != event.seat:
            self.drew_bohnus.append(event.seat)

    def on_bohnusshuffled(self, event: moves.BohnusShuffled) -> None:
        assert not self.bohnus_pile
        self.to_shuffle = False
        self.passes += 1
        assert (event.number, event.cards) == (self.passes, len(self.bohnus_discard))
        self.bohnus_pile, self.bohnus_discard = self.bohnus_discard, set()

    # At any time

    def on_fulfilled(self, event: moves.Fulfilled) -> None:
        wanted = list(map(int, self.deck[event.card][0]))
        field = self.fields[event.owner][event.field]
        last = field[len(field) - sum(wanted) :] if sum(wanted) <= len(field) else []
        assert [len(list(run)) for _, run in groupby(last)] == wanted
        self.bohnus[event.seat].remove(event.card)
        self.earned[event.seat].add(event.card)

    def on_columnharvested(self, event: moves.ColumnHarvested) -> None:
        own = self.fields[event.seat]
        field = own[event.field]
        assert tuple(field) == event.cards != ()
        assert event.dollars == dollars_for(field[-1], len(field))
        if len(field) == 1 and not self.closing:
            assert all(len(other) <= 1 for other in own)
        self.dollars[event.seat] += field[len(field) - event.dollars :]
        self.discard += field[: len(field) - event.dollars]
        own[event.field] = []

    # The end

    def on_ranout(self, event: RanOut) -> None:
        assert event.time == 1
        assert not self.pile

    def on_duelended(self, event: moves.DuelEnded) -> None:
        assert not self.pile
        assert not any(field for own in self.fields for field in own)
        for seat in (0, 1):
            bohnus = sum(100 + self.deck[card][1] for card in self.earned[seat])
            assert event.cents[seat] == 100 * len(self.dollars[seat]) + bohnus
        assert event.places == ((1, 2) if event.cents[0] > event.cents[1] else (2, 1))
        self.ended = True
