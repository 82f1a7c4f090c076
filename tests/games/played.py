"""Games that are played once and looked at again and again, move by move."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

from beanleague import wire
from beanleague.games import Fault, Game, Option, PlayedMove, Record, Rules, SetupError, View, new_game
from beanleague.games.records.faults import league_places
from beanproto.v1 import referee_pb2 as pb
from tests.games.families import checked, decision
from tests.games.helpers import chooser, dull, play, recorded

LOOKS = 6
"""Moments of a game at which what takes long is checked, beside the first of each decision."""


@dataclass(frozen=True, eq=False)
class Table:
    """A game that is played once and looked at by all claims."""

    ruleset: str
    seats: int
    options: Mapping[str, Option]
    luck: int = 0
    """Decides the seed and what the seats choose. With an odd number the last of several seats plays by default."""

    def new(self, **options: Option) -> Game:
        """Return the game before its first move, with `options` beside those of the table."""
        seed = b"contract %d" % self.luck
        return new_game(self.ruleset, seats=self.seats, seed=seed, options={**self.options, **options})

    @cached_property
    def moves(self) -> list[PlayedMove]:
        """All moves of the game."""
        return self._played[0]

    def replayed(self) -> Iterator[tuple[Game, PlayedMove]]:
        """Play the moves again; yield the game before each, and the move."""
        game = self.new()
        for move in self.moves:
            yield game, move
            game.apply(move.seat, move.action)

    @cached_property
    def over(self) -> Game:
        """The game after its last move."""
        game = self.new()
        for move in self.moves:
            game.apply(move.seat, move.action)
        return game

    @cached_property
    def rules(self) -> Rules:
        """The rules as they arrive at a bot when the match begins."""
        start = pb.MatchStart(ruleset=self.ruleset, seats=self.seats)
        wire.rules_to_pb(self.new().view(0), start)
        return wire.rules_from_pb(pb.MatchStart.FromString(start.SerializeToString()))

    @cached_property
    def decisions(self) -> list[str]:
        """What was asked before each move."""
        return self._played[1]

    @cached_property
    def _played(self) -> tuple[list[PlayedMove], list[str]]:
        choose, asked = chooser(self.luck), list[str]()
        last = self.seats - 1 if self.luck % 2 and self.seats > 1 else None
        moves = play(
            self.new(),
            lambda view: dull(view) if view.seat == last else choose(view),
            lambda view: asked.append(decision(view)),
        )
        return moves, asked

    def looked_at(self, looks: int = LOOKS) -> Iterator[tuple[Game, PlayedMove]]:
        """As `replayed`, at the first moment of each decision and about `looks` more."""
        moments = self.moments(looks)
        for index, played in enumerate(self.replayed()):
            if index in moments:
                yield played

    def moments(self, looks: int = LOOKS) -> set[int]:
        """Return the numbers of the moves that `looked_at` yields."""
        first = {self.decisions.index(asked) for asked in set(self.decisions)}
        every = max(1, len(self.moves) // looks)
        return first | set(range(every // 2, len(self.moves), every))


def own_options(name: str, seats: int) -> Iterator[dict[str, Option]]:
    """Yield the options registered for the family, as far as this ruleset takes them."""
    for options in checked(new_game(name, seats=seats, seed=b"seed")).options:
        with suppress(SetupError):
            yield dict(new_game(name, seats=seats, seed=b"seed", options=options).options)


def sent(view: View, table: Table) -> View:
    """Return `view` as it arrives at a bot."""
    request = pb.Request(match=1, decision=2)
    wire.view_to_pb(view, request, map(wire.event_to_pb, view.news))
    return wire.view_from_pb(pb.Request.FromString(request.SerializeToString()), table.rules, view.seat)


def forfeited(table: Table, first: int, gone: set[int]) -> Record:
    """Return the record of the match in which the seats `gone` forfeit at their first decision from `first` on.

    From then on the others play by default, too, but by their own choice.
    """
    game = table.new()
    moves: list[PlayedMove] = []
    faults: list[Fault] = []
    moments: list[int] = []
    for move in table.moves[:first]:
        moments.append(game.moment)
        game.apply(move.seat, move.action)
        moves.append(move)
    while not game.over:
        for seat in game.to_act():
            failed = seat in gone
            if failed and all(fault.seat != seat for fault in faults):
                faults.append(Fault(seat, len(moves), "crash", "exit code 1", forfeited=True))
            action = game.default(seat)
            moments.append(game.moment)
            game.apply(seat, action)
            moves.append(PlayedMove(seat, action, by_default=failed))
    assert game.outcome is not None
    places = league_places(game.outcome.places, moments, faults)
    return replace(recorded(game, moves, faults), places=places)
