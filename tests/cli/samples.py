"""Messages as a server might send them."""

from google.protobuf.timestamp_pb2 import Timestamp

from beanproto.v1 import league_pb2 as pb

WHEN = Timestamp(seconds=1_700_000_000)

STANDINGS = (
    pb.Standing(
        rank=1,
        bot="trader",
        version=1,
        rating=1712.3,
        best_rank=1,
        worst_rank=2,
        interval=22.6,
        deals=60,
        matches=180,
        mean_score=15.2,
        wins=120.5,
        win_share=120.5 / 180,
    ),
    pb.Standing(
        rank=2,
        bot="farmer",
        version=3,
        rating=1502.4,
        interval=9.4,
        deals=60,
        matches=180,
        mean_score=11.25,
        wins=50.5,
        win_share=50.5 / 180,
        faults=3,
        fault_share=0.0111,
    ),
    pb.Standing(bot="new", version=12),
)


def info(state: pb.LeagueState.ValueType = pb.LEAGUE_STATE_STOPPED, deals_done: int = 40) -> pb.LeagueInfo:
    """A league of 100 deals of three bots."""
    return pb.LeagueInfo(
        name="spring",
        ruleset="bohnanza",
        seats=3,
        state=state,
        deals_done=deals_done,
        deals_total=100,
        matches_done=3 * deals_done,
        matches_total=300,
        entrants=[
            pb.Entrant(bot="trader", version=1),
            pb.Entrant(bot="farmer", version=3),
            pb.Entrant(bot="new", version=12),
        ],
        entrant_count=3,
        options=[pb.OptionValue(name="max_rounds", number=6)],
        limits=pb.Limits(move_ms=1000, bank_ms=10_000, strikes=3, connect_ms=10_000, match_ms=60_000),
        created=WHEN,
        rules=2,
    )


def standings(state: pb.LeagueState.ValueType = pb.LEAGUE_STATE_DONE, deals_done: int = 60) -> pb.StandingsResponse:
    """The standings of the league."""
    return pb.StandingsResponse(
        league="spring",
        ruleset="bohnanza",
        state=state,
        deals_done=deals_done,
        deals_total=60,
        standings=STANDINGS,
    )


def progress(
    state: pb.RunState.ValueType = pb.RUN_STATE_PLAYING, deals_done: int = 30, seconds: float = 12.0
) -> pb.Progress:
    """A run of 100 deals, of which 10 were done before."""
    message = pb.Progress(
        state=state,
        deals_done=deals_done,
        deals_total=100,
        matches_done=3 * deals_done + 2,
        matches_total=300,
        deals_played=max(0, deals_done - 10),
        matches_played=3 * max(0, deals_done - 10) + 2,
        decisions=20_000,
        seconds=seconds,
        standings=STANDINGS,
    )
    if state != pb.RUN_STATE_STARTING:
        message.matches_per_second = 35.25
        message.decisions_per_second = 9812.0
    if state == pb.RUN_STATE_PLAYING:
        message.seconds_left = 127.0
    if state == pb.RUN_STATE_DONE:
        message.deals_done = message.deals_total
    return message


def match_info() -> pb.MatchInfo:
    """A match that seat 1 forfeited."""
    return pb.MatchInfo(
        match="spring/12.0",
        league="spring",
        deal=12,
        rotation=0,
        ruleset="bohnanza",
        seats=[
            pb.SeatResult(bot="trader", version=1, score=12, place=1, decisions=310),
            pb.SeatResult(bot="farmer", version=3, score=9, place=3, decisions=20, faults=4, forfeited=True),
            pb.SeatResult(bot="new", version=12, score=3, place=2, decisions=290),
        ],
        played=WHEN,
    )
