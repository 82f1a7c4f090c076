"""Values of the league and the store as messages for people.

Fields of the same names are translated by `Codec`s; what differs is written out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from beanleague.league.errors import RequestError
from beanleague.league.schedule.owners import SharedOwner, shared_owners
from beanleague.league.standings import Standing
from beanleague.model import (
    BotVersion,
    Deal,
    Entrant,
    FaultCount,
    League,
    Log,
    Manifest,
    Match,
    Node,
    NodeTotals,
    Rating,
    SeatEffect,
    SeatResult,
    Snapshot,
    Token,
    Void,
)
from beanleague.names import format_match
from beanleague.service.access import Role
from beanleague.wire.codec import Codec, Names, WireError, timestamp
from beanproto.v1 import league_pb2 as pb

if TYPE_CHECKING:
    from beanleague.league.matrix import Matrix

MANIFEST = Codec(Manifest, pb.Manifest)
_BOT_VERSION = Codec(BotVersion, pb.BotVersion, apart=("id", "number", "owner", "hidden"), parts={"manifest": MANIFEST})
_FAULT_COUNT = Codec(FaultCount, pb.FaultCount, apart=("deal", "rotation"))
_LOG = Codec(Log, pb.BotLog)
_TOKEN = Codec(Token, pb.TokenInfo)
_LEAGUE = Codec(
    League,
    pb.LeagueInfo,
    apart=(
        "id",
        "options",
        "limits",
        "secret",
        "deals",
        "entrants",
        "seated",
        "hero",
        "test",
        "anchor",
    ),
)
ENTRANT = Codec(Entrant, pb.Entrant, apart=("number", "version_id", "retired", "suspended", "owner"))
_ABSENTEE = Codec(Entrant, pb.Absentee, apart=("number", "version_id", "owner"))
SHARED_OWNER = Codec(SharedOwner, pb.SharedOwner)
NODE = Codec(Node, pb.Node)
_NODE_TOTALS = Codec(NodeTotals, pb.NodeTotals, parts={"node": NODE})
_VOID = Codec(Void, pb.Void, parts={"node": NODE})
_SEAT_EFFECT = Codec(SeatEffect, pb.SeatEffect, apart=("seats",))
_PAST_RATING = Codec(Rating, pb.PastRating, apart=("entrant", "best_rank", "worst_rank", "anchor", "provisional"))
_SNAPSHOT = Codec(Snapshot, pb.RatingSnapshot, apart=("ratings", "better", "seats", "luck"))
_STANDING = Codec(Standing, pb.Standing, apart=("entrant",))
_DEAL = Codec(Deal, pb.Deal, apart=("table", "seed", "played"), parts={"node": NODE})
_MATCH = Codec(Match, pb.MatchInfo, apart=("seats",))
_SEAT_RESULT = Codec(SeatResult, pb.SeatResult, apart=("entrant",))

_ROLES: Names[str] = Names(pb.Role.DESCRIPTOR)


class _HasEntrant(Protocol):
    bot: str
    version: int


def _name(message: _HasEntrant, entrant: Entrant) -> None:
    """Write the entrant that a message is about."""
    message.bot, message.version = entrant.bot, entrant.version


def role_to_pb(role: Role) -> pb.Role.ValueType:
    """Return the number that stands for `role`."""
    return pb.Role.Value(f"ROLE_{role.name}")


def role_from_pb(number: pb.Role.ValueType) -> Role:
    """Return the role that `number` stands for.

    Raises:
        RequestError: if it stands for none.
    """
    try:
        return Role[_ROLES.name(number).upper()]
    except WireError:
        raise RequestError("a token needs a role: viewer, author or organiser") from None


def token_to_pb(token: Token) -> pb.TokenInfo:
    """Describe a token."""
    return _TOKEN.encode(token)


def bot_to_pb(version: BotVersion) -> pb.BotInfo:
    """Describe a bot by its newest version."""
    manifest = version.manifest
    return pb.BotInfo(
        name=manifest.name,
        version=version.number,
        games=manifest.games,
        description=manifest.description,
        author=manifest.author,
        submitted=timestamp(version.submitted),
        owner=version.owner,
        hidden=version.hidden,
    )


def version_to_pb(version: BotVersion, entries: Iterable[pb.BotEntry]) -> pb.BotVersion:
    """Describe a version; `entries`: how it did in its leagues."""
    message = _BOT_VERSION.encode(version)
    message.version = version.number
    message.entries.extend(entries)
    return message


def entry_to_pb(league: League, standing: Standing, faults: Iterable[FaultCount]) -> pb.BotEntry:
    """Return how a version did in a league."""
    return pb.BotEntry(
        league=league.name,
        ruleset=league.ruleset,
        standing=standing_to_pb(standing),
        entrants=league.entrants,
        faults=[_fault_count_to_pb(league.name, fault) for fault in faults],
    )


def _fault_count_to_pb(league: str, fault: FaultCount) -> pb.FaultCount:
    message = _FAULT_COUNT.encode(fault)
    message.match = format_match(league, fault.deal, fault.rotation)
    return message


def log_to_pb(log: Log) -> pb.BotLog:
    """Return what a bot wrote in a league."""
    return _LOG.encode(log)


def league_state(league: League, *, running: bool) -> pb.LeagueState.ValueType:
    """Return how far a league is."""
    if running:
        return pb.LEAGUE_STATE_RUNNING
    if league.deals_done == league.deals:
        return pb.LEAGUE_STATE_DONE
    return pb.LEAGUE_STATE_STOPPED if league.deals_done else pb.LEAGUE_STATE_CREATED


def league_to_pb(league: League, *, running: bool, entrants: Sequence[Entrant] = (), workers: int = 0) -> pb.LeagueInfo:
    """Describe a league. `workers`: that a run has by default, 0 to leave it out."""
    message = _LEAGUE.encode(league)
    message.workers = workers
    message.state = league_state(league, running=running)
    message.deals_total = league.deals
    message.matches_total = league.matches
    message.entrant_count = league.entrants
    message.options.extend(_option_to_pb(name, value) for name, value in sorted(league.options.items()))
    message.limits.CopyFrom(pb.Limits(**league.limits))
    if entrants:
        message.entrants.extend(map(ENTRANT.encode, entrants))
        message.anchor.extend(ENTRANT.encode(entrants[number]) for number in league.anchor)
        if league.hero is not None:
            ENTRANT.write(entrants[league.hero], message.hero)
    message.shared_owners.extend(map(SHARED_OWNER.encode, shared_owners(league, entrants)))
    message.absent.extend(_ABSENTEE.encode(entrant) for entrant in entrants if not entrant.active)
    return message


def add_findings(
    message: pb.LeagueInfo, snapshot: Snapshot | None, voids: Iterable[Void], nodes: Iterable[NodeTotals]
) -> None:
    """Add to a league what seats and luck are worth by its ratings, which deals were played again, and who played."""
    if snapshot:
        message.seat_effects.extend(map(_SEAT_EFFECT.encode, snapshot.seats))
        if snapshot.luck is not None:
            message.luck = snapshot.luck
    message.voids.extend(map(_VOID.encode, voids))
    message.nodes.extend(map(_NODE_TOTALS.encode, nodes))


def _option_to_pb(name: str, value: int | str) -> pb.OptionValue:
    return pb.OptionValue(name=name, number=value) if isinstance(value, int) else pb.OptionValue(name=name, text=value)


def snapshot_to_pb(snapshot: Snapshot, entrants: Sequence[Entrant]) -> pb.RatingSnapshot:
    """Return the ratings after a number of deals."""
    message = _SNAPSHOT.encode(snapshot)
    for rating in snapshot.ratings:
        past = message.ratings.add()
        _PAST_RATING.write(rating, past)
        _name(past, entrants[rating.entrant])
    return message


def matrix_to_pb(matrix: Matrix) -> list[pb.MatrixRow]:
    """Return who is better than whom."""
    return [
        pb.MatrixRow(better=better, pair_score=scores)
        for better, scores in zip(matrix.better, matrix.pair_scores, strict=True)
    ]


def standing_to_pb(standing: Standing) -> pb.Standing:
    """Return how a bot stands."""
    message = _STANDING.encode(standing)
    _name(message, standing.entrant)
    message.owner = standing.entrant.owner
    return message


def deal_to_pb(deal: Deal, entrants: Sequence[Entrant]) -> pb.Deal:
    """Describe a deal; its seed only once it was played."""
    message = _DEAL.encode(deal)
    message.state = pb.DEAL_STATE_SCHEDULED
    message.table.extend(ENTRANT.encode(entrants[number]) for number in deal.table)
    if deal.played is not None and deal.seed is not None:
        message.state = pb.DEAL_STATE_DONE
        message.seed = deal.seed
        message.played.CopyFrom(timestamp(deal.played))
    return message


def match_to_pb(league: League, match: Match, entrants: Sequence[Entrant]) -> pb.MatchInfo:
    """Describe a match without its record."""
    message = _MATCH.encode(match)
    message.match = format_match(league.name, match.deal, match.rotation)
    message.league = league.name
    message.ruleset = league.ruleset
    for result in match.seats:
        seat = message.seats.add()
        _SEAT_RESULT.write(result, seat)
        _name(seat, entrants[result.entrant])
    return message
