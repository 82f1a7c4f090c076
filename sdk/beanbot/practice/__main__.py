"""`python -m beanbot.practice`: play bots against each other and print how they did."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import islice

from beanbot._runtime.loading import LoadError, load_bot
from beanbot.practice import PracticeError, PracticeResult, deals, matches_a_deal, seats_for, summarise
from beanbot.practice.options import typed_option
from beanbot.practice.report import as_text
from beanleague.games import GameError, Option

MOST_REPORTS = 3  # of each bot are shown; a bot that fails always would bury the rest


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0, or 1 if the bots cannot play; wrong usage exits with 2."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    options = dict(asked.option)
    if len(options) < len(asked.option):
        parser.error("an option of the game is given twice; give it once")
    try:
        result = _practise(asked.bots, asked.game, asked.games, asked.seats, asked.seed, options)
    except LoadError as problem:
        print(*filter(None, (problem.details, f"practice: {problem}")), sep="\n", file=sys.stderr)
        return 1
    except (PracticeError, GameError) as problem:
        print(f"practice: {problem}", file=sys.stderr)
        return 1
    if result is None:
        return 1
    print(as_text(result))
    return 0


def _practise(
    paths: Sequence[str], game: str, games: int, seats: int | None, seed: int, options: Mapping[str, Option]
) -> PracticeResult | None:
    """Play; when interrupted, return what was played so far, None if nothing was."""
    bots = list(map(cache(load_bot), paths))
    seats = seats or seats_for(bots, game)
    endless = deals(bots, game=game, seats=seats, seed=seed, options=options, report=_Reports().show)
    played = []
    with suppress(KeyboardInterrupt):
        for deal in islice(endless, -(-games // matches_a_deal(bots, seats))):
            played.append(deal)  # noqa: PERF402  # what an interrupted list() has read would be lost
    return summarise(game, seats, played) if played else None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m beanbot.practice",
        description="Play bots against each other in this process, every deal once in each rotation of the seats.",
    )
    parser.add_argument("bots", nargs="+", metavar="BOT", help="a Python file, or a folder with bot.toml")
    parser.add_argument("--games", type=_positive, default=100, help="matches to play, up to whole deals (100)")
    parser.add_argument("--seats", type=_positive, help="at the table (as many as bots, if the game allows)")
    parser.add_argument("--game", default="bohnanza", help="the ruleset (bohnanza)")
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        type=typed_option,
        metavar="NAME=VALUE",
        help="of the game, e.g. max_rounds=6 or deck=FILE; repeat it",
    )
    parser.add_argument("--seed", type=int, default=1, help="decides all luck (1)")
    return parser


def _positive(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


class _Reports:
    """Shows the first few problems of each bot."""

    def __init__(self) -> None:
        self._shown: Counter[str] = Counter()

    def show(self, name: str, what: str) -> None:
        self._shown[name] += 1
        if self._shown[name] <= MOST_REPORTS:
            print(f"{name}: {what}\n", file=sys.stderr)
        if self._shown[name] == MOST_REPORTS:
            print(f"{name}: what else goes wrong is only counted\n", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
