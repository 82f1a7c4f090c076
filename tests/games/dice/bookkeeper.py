"""An independent check: follows a dice game by its events alone and checks that each is allowed and none is missing.

It shares only the classes of the events with the engine.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Sequence

from beanleague.games import Event
from beanleague.games.core import GameEnded, TurnStarted
from beanleague.games.dice import moves
from tests.games.dice.matching import cards, faces, met

LAST_TURN = 500
LAST_SOLO_TURN = 200


class Bookkeeper:
    """The table as the events describe it. Each method named after an event checks and applies it."""

    def __init__(self, ruleset: str, seats: int, deck: str | None = None) -> None:
        edition = "2022" if ruleset == "dice" else "2012"
        self.solo = ruleset.startswith("bean-thief")
        self.level = ruleset.removeprefix("bean-thief-")
        self.target = 10 if edition == "2022" else 13
        self.seats = seats
        self.faces = faces(edition)
        deck_cards = tomllib.loads(deck)["cards"] if deck else cards(edition)
        self.orders = [[str(order) for order in card["orders"]] for card in deck_cards]
        self.deck = set(range(len(self.orders)))
        self.cards: list[list[int]] = [[] for _ in range(seats)]
        self.completed = [0] * seats
        holders = seats + self.solo
        self.dollars = [0] * holders
        self.singles: list[set[int]] = [set() for _ in range(holders)]
        self.markers = 0
        self.turn = 0
        self.active = 0
        self.roll = 0
        self.piece = False
        self.shows: dict[int, str] = {}
        self.rolled: tuple[int, ...] = ()
        self.saved: set[int] = set()
        self.stolen: set[int] = set()
        self.must: list[Event] = []  # what follows from what happened: it comes next, in this order
        self.owed: list[tuple[str, int]] = []  # "dollar" or "card", and to whom
        self.may_steal = False  # the Thief rolled and must take a die
        self.progress = False
        self.super_stolen = False
        self.idle_taken = False
        self.ending = False
        self.last_harvest = False  # nothing is checked any more
        self.ended = False

    def follow(self, events: Sequence[Event], look: Callable[[], object] = lambda: None) -> Bookkeeper:
        """Check all `events` of a game that is over; `look` is called after each."""
        for event in events:
            self.see(event)
            look()
        assert self.ended
        return self

    def see(self, event: Event) -> None:
        """Check `event` and carry it out."""
        assert not self.ended, "nothing happens after the end"
        if self.must:
            assert event == self.must.pop(0)
            assert isinstance(event, moves.OrdersCompleted)
            self.completed[event.seat] = event.completed
        else:
            assert not isinstance(event, moves.OrdersCompleted), "orders are completed when dice meet them"
            if self.owed:
                assert isinstance(event, (moves.CardDrawn, moves.DollarsDrawn, moves.DeckRenewed))
            getattr(self, f"on_{type(event).__name__.lower()}")(event)
        held = [card for own in (*self.cards, *self.singles) for card in own]
        assert sorted([*held, *self.deck]) == list(range(len(self.orders))), "no card is lost"
        assert sum(self.dollars) == sum(map(len, self.singles)) + 5 * self.markers + self.owed_dollars()

    def written(self) -> dict[str, object]:
        """Return what lies on the table, as JSON."""
        held = [[*own, None, None][:2] for own in self.cards]
        return {
            "turn": self.turn,
            "active": self.active if self.turn else -1,
            "roll": self.roll,
            "faces": [self.shows.get(die) for die in range(len(self.faces))],
            "saved": sorted(self.saved),
            "stolen": sorted(self.stolen),
            "piece": self.piece,
            "tops": [top for top, _ in held],
            "bottoms": [bottom for _, bottom in held],
            "completed": self.completed,
            "dollars": self.dollars[: self.seats],
            "thief": self.dollars[-1] if self.solo else 0,
            "deck": len(self.deck),
        }

    def owed_dollars(self) -> int:
        return sum(what == "dollar" for what, _ in self.owed)

    # Orders

    def check(self, seat: int, dice: Iterable[int], *, card: int | None = None) -> None:
        """Expect `seat` to complete what `dice` meet."""
        beans = tuple(sorted(self.shows[die] for die in dice))
        done = self.completed[seat]
        orders = self.orders[self.cards[seat][0] if card is None else card]
        while done < len(orders) and met(orders[done], beans):
            done += 1
        if done > self.completed[seat]:
            self.must.append(moves.OrdersCompleted(seat, done - self.completed[seat], done))
            self.progress = True

    def others(self) -> list[int]:
        return [(self.active + i) % self.seats for i in range(1, self.seats)]

    # Dice

    def on_turnstarted(self, event: TurnStarted) -> None:
        assert not self.ending
        if self.turn:
            assert self.saved | self.stolen == set(range(len(self.faces)))
            self.check_super_steal()
        assert all(len(own) == 2 for own in self.cards)
        assert event.turn == self.turn + 1
        assert event.seat == self.turn % self.seats
        self.turn, self.active = event.turn, event.seat
        self.shows, self.rolled, self.saved, self.stolen = {}, (), set(), set()
        self.roll = 0
        self.piece = self.target == 10
        self.progress = self.super_stolen = self.idle_taken = False

    def on_rolled(self, event: moves.Rolled) -> None:
        assert not self.ending
        assert not self.may_steal
        assert event.seat == self.active
        self.roll += 1
        assert event.roll == self.roll
        if event.again:
            assert self.piece
            self.piece = False
            assert event.dice == self.rolled
        else:
            assert not self.rolled, "dice just rolled are saved first"
            assert list(event.dice) == self.left()
        self.throw(event.dice, event.kinds)
        self.shows.update(zip(event.dice, event.kinds, strict=True))
        self.rolled = event.dice
        if not self.solo:
            for seat in self.others():
                self.check(seat, event.dice)

    def left(self) -> list[int]:
        return [die for die in range(len(self.faces)) if die not in self.saved | self.stolen]

    def throw(self, dice: Sequence[int], kinds: Sequence[str]) -> None:
        assert dice
        assert all(kind in self.faces[die] for die, kind in zip(dice, kinds, strict=True))

    def on_saved(self, event: moves.Saved) -> None:
        assert event.seat == self.active
        assert event.dice
        assert list(event.dice) == sorted(set(event.dice))
        assert set(event.dice) <= set(self.rolled)
        assert not self.ending or event.dice == self.rolled, "at the end all dice are saved"
        self.saved |= set(event.dice)
        self.rolled = ()
        if self.solo or not self.left():
            self.check(self.active, self.saved)

    # Cards and dollars

    def on_cardharvested(self, event: moves.CardHarvested) -> None:
        assert event.completed == self.completed[event.seat] >= 3
        assert event.dollars == event.completed - 2
        assert event.card == self.cards[event.seat].pop(0)
        self.completed[event.seat] = 0
        self.pay(event.seat, event.card, event.dollars)
        self.owed.append(("card", event.seat))
        self.last_harvest = self.ending
        self.ending |= self.dollars[event.seat] >= self.target

    def pay(self, holder: int, card: int, dollars: int) -> None:
        self.dollars[holder] += dollars
        self.singles[holder].add(card)
        self.owed += [("dollar", holder)] * (dollars - 1)

    def on_dollarsdrawn(self, event: moves.DollarsDrawn) -> None:
        assert event.count == len(event.cards) > 0
        for card in event.cards:
            assert self.owed.pop(0) == ("dollar", event.seat)
            self.deck.remove(card)
            self.singles[event.seat].add(card)

    def on_carddrawn(self, event: moves.CardDrawn) -> None:
        self.deck.remove(event.card)
        self.cards[event.seat].append(event.card)
        assert len(self.cards[event.seat]) <= 2
        if not self.turn:
            return
        assert self.owed.pop(0) == ("card", event.seat)
        if self.super_stolen or self.idle_taken or self.last_harvest:
            return
        if self.solo:
            self.check(event.seat, self.saved)
        elif event.seat != self.active:
            self.check(event.seat, self.rolled)

    def on_deckrenewed(self, event: moves.DeckRenewed) -> None:
        assert not self.deck
        able = [holder for holder, own in enumerate(self.singles) if len(own) >= 5]
        assert event.seat in able
        assert self.dollars[event.seat] == max(self.dollars[holder] for holder in able)
        assert len(set(event.cards)) == 5
        assert set(event.cards) <= self.singles[event.seat]
        self.singles[event.seat] -= set(event.cards)
        self.deck = set(event.cards)
        self.markers += 1

    # The Thief

    def on_thiefrolled(self, event: moves.ThiefRolled) -> None:
        assert list(event.dice) == self.left()
        self.throw(event.dice, event.kinds)
        self.may_steal = any(self.shows[die] in event.kinds for die in self.saved)
        self.thief_shows = set(event.kinds)

    def on_diestolen(self, event: moves.DieStolen) -> None:
        assert self.may_steal
        assert self.shows[event.die] in self.thief_shows
        self.saved.remove(event.die)
        self.stolen.add(event.die)
        self.may_steal = False

    def on_superstealrolled(self, event: moves.SuperStealRolled) -> None:
        assert self.solo
        assert not self.left()
        assert not self.super_stolen
        assert self.progress or self.level != "easy"
        assert self.idle_taken == (self.level == "very-hard" and not self.progress)
        self.throw(range(7), event.kinds)
        self.super_stolen = True
        beans = tuple(sorted(event.kinds))
        top, bottom = self.cards[0]
        ripe = self.completed[0] >= 3
        self.stealing = [(top, self.best(top, self.completed[0], beans), False)]
        if ripe and self.level in {"hard", "very-hard"}:
            self.stealing.insert(0, (bottom, self.best(bottom, 0, beans), True))
        self.stealing = [theft for theft in self.stealing if theft[1]]

    def best(self, card: int, completed: int, beans: tuple[str, ...]) -> int:
        """The most valuable order the Thief can take of a card, counted from 1; 0 for none."""
        able = [order for order in (4, 5, 6) if order > completed and met(self.orders[card][order - 1], beans)]
        return max(able, default=0)

    def on_cardstolen(self, event: moves.CardStolen) -> None:
        if self.super_stolen:
            assert (event.card, event.order, event.bottom) == self.stealing.pop(0)
            assert event.dollars == event.order - 3
        else:
            assert self.level == "very-hard"
            assert not self.progress
            assert not self.idle_taken
            assert not self.left()
            self.idle_taken = True
            assert (event.order, event.bottom, event.dollars) == (0, False, 1)
            assert event.card == self.cards[0][0]
        self.cards[0].remove(event.card)
        self.completed[0] = 0
        self.pay(1, event.card, event.dollars)
        if not (self.super_stolen and self.stealing):
            self.owed += [("card", 0)] * (2 - len(self.cards[0]))
        self.ending |= self.dollars[1] >= self.target

    def check_super_steal(self) -> None:
        """The Thief has taken all it could in the turn that ends."""
        if self.solo:
            assert self.super_stolen or (self.level == "easy" and not self.progress) or self.dollars[1] >= self.target
            assert not self.super_stolen or not self.stealing

    # The end

    def on_gameended(self, event: GameEnded) -> None:
        assert not self.solo
        assert self.ending or self.turn == LAST_TURN
        assert not self.rolled
        assert all(done < 3 for done in self.completed), "everything ripe is harvested"
        assert list(event.dollars) == self.dollars
        for own, place in zip(event.dollars, event.places, strict=True):
            assert place == 1 + sum(other > own for other in event.dollars)
        self.ended = True

    def on_soloended(self, event: moves.SoloEnded) -> None:
        assert self.solo
        assert self.ending or self.turn == LAST_SOLO_TURN
        if self.dollars[0] < self.target:
            self.check_super_steal()
        assert [event.dollars, event.thief] == self.dollars
        assert event.won == (event.dollars > event.thief)
        self.ended = True
