"""What house bots did in some matches, as digests: `pinned.toml` has those that they are to keep.

A change that is not meant to change their play leaves the digests as they are. After one that is, with a line in the
changelog, this writes them anew:

    python -m tests.bots.pinning > tests/bots/pinned.toml
"""

import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import blake2b
from itertools import cycle, islice
from pathlib import Path

from beanbot import load_bot
from beanbot._runtime.program import BotProgram
from beanbot.practice.match import PracticePlayer, play_match
from beanleague.games import Record, ruleset
from beanleague.league.bots.house_bots import house_bots

FILE = Path(__file__).with_name("pinned.toml")
HOME = house_bots()[0].parent

TRADING = ("bohnanza", "bohnanza-extended", "bohnanza-classic")
TRADERS = ("beginner", "farmer", "haggler", "merchant", "trader", "grandmaster")
MISTAKEN = ("novice", "pupil")
BOTS = (*TRADERS, *MISTAKEN)
"""The bots whose play is pinned: those that share code."""

SHORT = (
    ("bohnanza", ("trader", "grandmaster", "merchant")),
    ("bohnanza", ("grandmaster", "grandmaster", "trader", "grandmaster")),
    ("bohnanza", ("trader", "trader", "merchant", "trader")),
    ("bohnanza", ("grandmaster", "farmer", "haggler", "trader")),
    ("bohnanza", ("trader", "beginner", "merchant", "haggler", "farmer")),
    ("bohnanza-extended", ("merchant", "trader", "grandmaster", "haggler", "beginner", "farmer")),
    ("bohnanza-classic", ("trader", "farmer", "merchant", "grandmaster", "haggler", "beginner", "trader")),
    ("bohnanza-classic", ("trader", "trader", "merchant", "haggler")),
    ("bohnanza-classic", ("grandmaster", "trader", "grandmaster")),
    ("bohnanza-classic", ("trader", "farmer", "farmer")),
    ("bohnanza-two", ("novice", "novice")),
    ("duel", ("novice", "pupil")),
    ("dice", ("pupil", "novice", "pupil")),
    ("dice-2012", ("novice", "pupil")),
    *((f"bean-thief-{level}", ("novice",)) for level in ("easy", "normal", "hard", "very-hard")),
)
"""Game and bots of the matches that are quick: every bot, in each of its games but grandmaster's duel."""


@cache
def bot(name: str) -> BotProgram:
    """Return a house bot."""
    return load_bot(HOME / name)


def match_name(game: str, bots: Iterable[str], seed: int) -> str:
    """Return the name of a match, e.g. "dice: novice, pupil: 1"."""
    return f"{game}: {', '.join(bots)}: {seed}"


def short_matches() -> list[str]:
    """Return the names of the quick matches."""
    return [match_name(game, bots, 1) for game, bots in SHORT]


def long_matches() -> list[str]:
    """Return the names of matches at every size of table: of each bot alone, with all others, and with farmers."""
    names = [match_name("duel", ("grandmaster", "novice"), 1), match_name("duel", ("grandmaster", "grandmaster"), 2)]
    for game in (*TRADING, "bohnanza-two", "duel", "dice", "dice-2012"):
        family = TRADERS if game in TRADING else MISTAKEN
        players = [name for name in family if HOME / name in house_bots(game)]
        rules = ruleset(game)
        for seats in range(rules.least_seats, rules.most_seats + 1):
            for number, name in enumerate(players):
                others = players[number:] + players[:number]
                names.append(match_name(game, [name] * seats, 10 * seats))
                names.append(match_name(game, islice(cycle(others), seats), 10 * seats + 1))
                names.append(match_name(game, [name, name, *["farmer" if game in TRADING else name] * (seats - 2)], 5))
    names.extend(match_name(f"bean-thief-{level}", ["novice"], 7) for level in ("easy", "normal", "hard", "very-hard"))
    return list(dict.fromkeys(names))


def record_of(name: str) -> Record:
    """Play the match of this name, in which each bot is seeded as in practice: by 16 bytes that its seat gets.

    Raises:
        AssertionError: if a bot makes a mistake.
    """
    game, bots, seed = name.split(": ")
    entrants = [_entrant(each, game) for each in bots.split(", ")]
    kept: list[Record] = []
    play_match(
        entrants,
        game=game,
        seed=_bytes(f"{seed}/deal", 32),
        lucks=[_bytes(f"{seed}/luck/{seat}", 16) for seat in range(len(entrants))],
        report=_refuse,
        keep=kept.append,
    )
    return kept[0]


def digests(name: str) -> dict[str, str]:
    """Return the digest of the events of a match, and those of the actions of each bot in it."""
    record = record_of(name)
    players = name.split(": ")[1].split(", ")
    found = {"events": _digest(record.events)}
    for each in sorted(set(players)):
        found[each] = _digest((move.seat, move.action) for move in record.moves if players[move.seat] == each)
    return found


def pinned() -> dict[str, dict[str, str]]:
    """Return the digests that are kept, by the name of the match."""
    return tomllib.loads(FILE.read_text("utf-8"))


def _entrant(name: str, game: str) -> PracticePlayer:
    program = bot(name)
    bot_class = program.class_for(game)
    assert bot_class, f"{name} does not play {game}"
    return PracticePlayer(name, bot_class, program.home, program.settings)


def _bytes(text: str, size: int) -> bytes:
    return blake2b(text.encode(), digest_size=size).digest()


def _digest(things: Iterable[object]) -> str:
    return _bytes("\n".join(map(repr, things)), 8).hex()


def _refuse(name: str, what: str) -> None:
    raise AssertionError(f"{name}: {what}")


def _lines() -> Iterator[str]:
    yield "# What house bots did: see pinning.py, which writes this file."
    for name in [*short_matches(), *long_matches()]:
        found = ", ".join(f'{key} = "{digest}"' for key, digest in digests(name).items())
        yield f'"{name}" = {{ {found} }}'


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in _lines())
