"""Conversions of requests and answers shared by several subjects.

`Codec`s translate fields of equal names; other fields are converted by hand.
"""

from beanleague import model
from beanleague.league.errors import RequestError
from beanleague.league.schedule.owners import SharedOwner
from beanleague.league.standings import Standing
from beanleague.wire.codec import Codec
from beanproto.v1 import league_pb2 as pb

MANIFEST = Codec(model.Manifest, pb.Manifest)
ENTRANT = Codec(model.Entrant, pb.Entrant, apart=("number", "version_id", "owner", "last"))
"""Codec of an entrant's fields, also used in messages about an entrant."""
SHARED_OWNER = Codec(SharedOwner, pb.SharedOwner)
NODE = Codec(model.Node, pb.Node)
_STANDING_RATING = Codec(model.Rating, pb.Standing, apart=("entrant",))
_STANDING_ENTRANT = Codec(model.Entrant, pb.Standing, apart=("number", "version_id", "last"))
_STANDING_TOTALS = Codec(model.Totals, pb.Standing, apart=("score", "wins", "decisions", "faulted"))


def number(name: str, asked: int, default: int, limit: int) -> int:
    """Return the number of a request, or the default if it is 0.

    Raises:
        RequestError: if the number is above `limit`.
    """
    if asked > limit:
        raise RequestError(f"{name} must be at most {limit}, not {asked}")
    return asked or default


def standing_to_pb(standing: Standing) -> pb.Standing:
    """Convert a standing."""
    message = _STANDING_RATING.encode(
        standing.rating,
        rank=standing.rank,
        mean_score=standing.mean_score,
        wins=standing.wins,
        win_share=standing.win_share,
        moved=standing.moved,
        fault_share=standing.fault_share,
    )
    _STANDING_ENTRANT.write(standing.entrant, message)
    message.suspended = standing.entrant.suspended
    _STANDING_TOTALS.write(standing.totals, message)
    return message


def league_state(league: model.League, *, running: bool) -> pb.LeagueState.ValueType:
    """Return the state of a league for messages."""
    if running:
        return pb.LEAGUE_STATE_RUNNING
    if league.deals_done == league.deals and not league.traits.endless:
        return pb.LEAGUE_STATE_DONE
    return pb.LEAGUE_STATE_STOPPED if league.deals_done else pb.LEAGUE_STATE_CREATED
