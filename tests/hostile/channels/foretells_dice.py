"""Tells its process in the next rotation of a deal how the dice fell, by the page cache; that one foretells them.

Three bits a turn: which kind the first die shows in the first roll. A bit is a page of a file that all bots can read:
dropped from the cache (`posix_fadvise`), and seen not to be there without being read (`preadv2` with `RWF_NOWAIT`).
"""

import contextlib
import os
import sys
from pathlib import Path

from beanbot import Bot, run
from beanleague.games import Action
from beanleague.games.core.moves import TurnStarted
from beanleague.games.dice.moves import Rolled
from beanleague.games.dice.view import DiceView

PAGE = 4096
BITS = 3


class Signs:
    """The pages of a file that nobody maps."""

    def __init__(self) -> None:
        sources = filter(Path.exists, Path(os.__file__).parent.rglob("*.py"))  # Debian has one whose file is elsewhere
        largest = max(sources, key=lambda path: path.stat().st_size)
        self._file = os.open(largest, os.O_RDONLY)
        self._size = os.fstat(self._file).st_size
        self._advise(0, 0, os.POSIX_FADV_RANDOM)  # else a look at one page has others read

    def clear(self) -> None:
        """Have every page in the cache, each for itself."""
        self._advise(0, 0, os.POSIX_FADV_DONTNEED)
        for place in range(0, self._size, PAGE):
            os.pread(self._file, 1, place)

    def write(self, turn: int, kind: int) -> None:
        """Write what the first die shows in the first roll of `turn`."""
        for bit in range(BITS):
            if kind >> bit & 1:
                self._advise((BITS * turn + bit) * PAGE, PAGE, os.POSIX_FADV_DONTNEED)

    def read(self, turn: int) -> int:
        """Return what was written about `turn`; nonsense if nothing was."""
        return sum(self._bit(BITS * turn + bit) << bit for bit in range(BITS))

    def _advise(self, start: int, length: int, advice: int) -> None:
        with contextlib.suppress(OSError):
            os.posix_fadvise(self._file, start, length, advice)

    def _bit(self, page: int) -> int:
        try:
            os.preadv(self._file, [bytearray(1)], page * PAGE, os.RWF_NOWAIT)
        except BlockingIOError:
            return 1
        except OSError:
            return 0
        return 0


class Foreteller(Bot[DiceView]):
    games = ("dice",)

    def match_started(self) -> None:
        self.signs = Signs()
        self.turn = 0
        self.writes = self.seat == 0  # in the first rotation
        if self.writes:
            self.signs.clear()
        self.foretold: dict[int, int] = {}

    def decide(self, view: DiceView) -> Action:
        for event in view.news:
            if isinstance(event, TurnStarted):
                self.turn = event.turn
            if isinstance(event, Rolled) and event.roll == 1 and not event.again and event.dice[0] == 0:
                self._saw(view, event)
        if not self.writes:
            for turn in (view.turn + 1, view.turn + 2):
                self.foretold.setdefault(turn, self.signs.read(turn))
        return view.default()

    def _saw(self, view: DiceView, event: Rolled) -> None:
        faces = [view.rules.kinds.index(kind) for kind in view.rules.dice[0]]
        kind = view.rules.kinds.index(event.kinds[0])
        if self.writes:
            self.signs.write(self.turn, kind)
        elif self.turn in self.foretold:
            guess = self.foretold[self.turn] if self.foretold[self.turn] in faces else faces[0]
            print("right" if guess == kind else "wrong", file=sys.stderr, flush=True)  # noqa: T201  # for the test


if __name__ == "__main__":
    run(Foreteller)
