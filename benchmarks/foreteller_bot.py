"""A dicer that passes on coming throws of the dice to the other rotation of a deal, by files not read so far.

It writes the throws of the other seat, its own seat in the other rotation, and reads its own. A bit is a page of a
file: reading a page takes longer if it is not in the cache, and puts it there. `files.txt` lists the files; the first
cards of a deal, the same in both rotations, select its pages. It plays the best moves for known throws, and otherwise
like a dicer.
"""

# mypy: ignore-errors
# It becomes part of a copy of the house bot's bundle, and imports the modules of that.

import hashlib
import os
import sys
import time
from bisect import bisect_right
from itertools import accumulate, combinations
from pathlib import Path

from dicer import Dicer
from throws import PIECE

from beanbot import run
from beanbot.dice import Action, CardDrawn, Choice, DiceView, RollAgain, Rolled, Save, TurnStarted, code

STRIDE = 16 * 1024  # bytes between pages, so that reading one does not read another ahead
BITS, ROLLS, DICE, TURNS = 4, 3, 5, 20  # of the throws written
CODES = [bits for bits in range(2**BITS) if bits.bit_count() == 2]  # of the six kinds; one wrong bit makes none of them
SLOW_S = 15e-6  # a page in the cache takes 2 us, another one 50 or more


class Pages:
    """The pages of all files, by their number. A bot without these files finds all of them in the cache."""

    def __init__(self) -> None:
        lines = [line.rsplit(maxsplit=1) for line in Path("files.txt").read_text(encoding="utf-8").splitlines()]
        self._paths = [path for path, _ in lines]
        self._ends = list(accumulate(int(pages) for _, pages in lines))

    def number(self, cards: list[int], place: int) -> int:
        """Return which page stands for bit `place` of the deal that begins with `cards`."""
        size = BITS * ROLLS * DICE * TURNS
        deal = int.from_bytes(hashlib.sha256(bytes(cards)).digest()[:8], "big") % (self._ends[-1] // size)
        return deal * size + place

    def touch(self, number: int) -> bool:
        """Read a page; return whether it was in the cache."""
        index = bisect_right(self._ends, number)
        try:
            file = os.open(self._paths[index], os.O_RDONLY)
        except OSError:
            return True
        before = time.perf_counter()
        os.pread(file, 1, STRIDE * (self._ends[index] - number))
        seconds = time.perf_counter() - before
        os.close(file)
        return seconds < SLOW_S


PAGES = Pages()


class Foreteller(Dicer):
    """Plays dice for two."""

    news = True

    def match_started(self) -> None:
        super().match_started()
        self.cards: list[int] = []
        self.turn = 0
        self.throws: dict[int, dict[int, int]] = {}  # faces of the dice in this turn, by roll and die

    def decide(self, view: DiceView) -> Choice:
        for event in view.news:
            if isinstance(event, CardDrawn) and len(self.cards) < 2 * self.seats:
                self.cards.append(event.card)
            if isinstance(event, TurnStarted):
                self.turn = event.turn - 1
            if isinstance(event, Rolled) and event.seat != self.seat:
                self.write(view, event)
            elif isinstance(event, Rolled) and event.roll == 1:
                self.read(view, event)
            elif isinstance(event, Rolled):
                self.check(view, event)
        return super().decide(view)

    # Telling

    def write(self, view: DiceView, rolled: Rolled) -> None:
        if rolled.roll <= ROLLS and self.turn < TURNS:
            for die, kind in zip(rolled.dice, rolled.kinds, strict=True):
                for bit in range(BITS):
                    if CODES[view.rules.kinds.index(kind)] >> bit & 1:
                        self.touch(rolled.roll, die, bit)

    def read(self, view: DiceView, rolled: Rolled) -> None:
        """Read the first roll of this turn, and if it is right the other rolls."""
        self.throws = {}
        if self.turn >= TURNS:
            return
        first = self.written(1)
        right = [first.get(die) == view.rules.kinds.index(kind) for die, kind in enumerate(rolled.kinds)]
        print(" ".join("right" if each else "wrong" for each in right), file=sys.stderr, flush=True)
        if all(right):
            self.throws = {roll: self.written(roll) for roll in range(2, ROLLS + 1)}

    def check(self, view: DiceView, rolled: Rolled) -> None:
        """Believe nothing more of this turn if a roll was not as written."""
        written = self.throws.get(rolled.roll, {})
        shown = zip(rolled.dice, map(view.rules.kinds.index, rolled.kinds), strict=True)
        if any(written.get(die, kind) != kind for die, kind in shown):
            self.throws = {}

    def written(self, roll: int) -> dict[int, int]:
        """Return the faces of the dice in a roll, as far as written."""
        shown = {}
        for die in range(DICE):
            found = sum(self.touch(roll, die, bit) << bit for bit in range(BITS))
            if found in CODES:
                shown[die] = CODES.index(found)
        return shown

    def touch(self, roll: int, die: int, bit: int) -> bool:
        place = ((self.turn * ROLLS + roll - 1) * DICE + die) * BITS + bit
        return PAGES.touch(PAGES.number(self.cards, place))

    # Playing

    def best_save(self, view: DiceView, card: int, done: int) -> tuple[float, Action]:
        if not self.throws.get(view.roll + 1) or view.active != self.seat:
            return super().best_save(view, card, done)
        kinds = view.rules.kinds
        saved = code([kind for die in view.saved if (kind := view.faces[die])], kinds)
        ahead = _Ahead(self, view, card, done)
        best: Action = Save(view.rolled)
        most = float("-inf")
        if view.piece:
            best, most = RollAgain(), ahead.value(saved, view.rolled, view.roll + 1, piece=False)
        for number in range(len(view.rolled), 0, -1):
            for some in combinations(view.rolled, number):
                more = code([kind for die in some if (kind := view.faces[die])], kinds)
                left = tuple(die for die in view.rolled if die not in some)
                worth = ahead.value(saved + more, left, view.roll + 1, piece=view.piece)
                if worth > most:
                    best, most = Save(some), worth
        return most, best


class _Ahead:
    """The rest of a turn, some throws of which are known."""

    def __init__(self, bot: Foreteller, view: DiceView, card: int, done: int) -> None:
        self._plan = bot.plan_for(view, card, done)
        self._cost = bot.costs(view)
        self._sort = bot.knowledge(view).throws.sort
        self._beans = [code([kind], view.rules.kinds) for kind in view.rules.kinds]
        self._throws = bot.throws

    def value(self, saved: int, dice: tuple[int, ...], roll: int, *, piece: bool) -> float:
        """Return the value with the beans `saved` before `dice` are rolled. `piece`: the bean piece can be used."""
        if not dice:
            return self._plan.value(saved)
        left = sum(self._sort[die] for die in dice)
        shown = self._throws.get(roll, {})
        if not all(die in shown for die in dice):
            return self._plan.value(saved + left + (PIECE if piece else 0))
        best = self.value(saved, dice, roll + 1, piece=False) if piece else float("-inf")
        for number in range(len(dice), 0, -1):
            for some in combinations(dice, number):
                more = sum(self._beans[shown[die]] for die in some)
                rest = tuple(die for die in dice if die not in some)
                best = max(best, self.value(saved + more, rest, roll + 1, piece=piece))
        return best - self._cost(left)


if __name__ == "__main__":
    run(Foreteller)
