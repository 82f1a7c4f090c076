"""Values of the league and the store as messages for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite

from google.protobuf.timestamp_pb2 import Timestamp

from beanleague.games import Ruleset
from beanleague.league.bots.submission import Report
from beanleague.league.bots.trial import Trial
from beanleague.league.errors import RequestError
from beanleague.league.matrix import Matrix
from beanleague.league.ratings.sprt import Comparison, Verdict
from beanleague.league.recompute import Recomputed
from beanleague.league.run.progress import Progress, RunState
from beanleague.league.standings import Standing
from beanleague.model import (
    COMPARISON,
    GAUNTLET,
    LEAGUE,
    BotVersion,
    Deal,
    Entrant,
    FaultCount,
    League,
    Log,
    Manifest,
    Match,
    Snapshot,
    Void,
)
from beanleague.wire import FAULTS
from beanproto.v1 import league_pb2 as pb

_MOST_FAULTS = 20  # of a trial told one by one

_RUN_STATE = {
    RunState.STARTING: pb.RUN_STATE_STARTING,
    RunState.PLAYING: pb.RUN_STATE_PLAYING,
    RunState.DONE: pb.RUN_STATE_DONE,
}

_FORMAT = {
    LEAGUE: pb.LEAGUE_FORMAT_LEAGUE,
    GAUNTLET: pb.LEAGUE_FORMAT_GAUNTLET,
    COMPARISON: pb.LEAGUE_FORMAT_COMPARISON,
}

_VERDICT = {
    Verdict.OPEN: pb.VERDICT_OPEN,
    Verdict.BETTER: pb.VERDICT_BETTER,
    Verdict.NOT_BETTER: pb.VERDICT_NOT_BETTER,
}


def moment(seconds: float) -> Timestamp:
    """Return a time given in seconds since 1970."""
    told = Timestamp()
    told.FromMicroseconds(round(seconds * 1e6))
    return told


def match_id(league: str, deal: int, rotation: int) -> str:
    """Return how a match is written."""
    return f"{league}/{deal}.{rotation}"


def ruleset_to_pb(game: Ruleset) -> pb.RulesetInfo:
    """Describe a game."""
    return pb.RulesetInfo(
        id=game.id,
        least_seats=game.least_seats,
        most_seats=game.most_seats,
        source=game.source,
        summary=game.summary,
        options=[pb.OptionInfo(name=name, summary=summary) for name, summary in game.options.items()],
    )


def manifest_to_pb(manifest: Manifest) -> pb.Manifest:
    """Tell a manifest."""
    return pb.Manifest(
        name=manifest.name,
        games=manifest.games,
        command=manifest.command,
        description=manifest.description,
        author=manifest.author,
    )


def report_to_pb(report: Report) -> pb.BotReport:
    """Tell what was found about a bundle."""
    told = pb.BotReport(
        problems=[pb.Problem(where=problem.where, what=problem.what) for problem in report.problems],
        trials=map(_trial_to_pb, report.trials),
    )
    if report.bundle:
        told.manifest.CopyFrom(manifest_to_pb(report.bundle.manifest))
        told.digest = report.bundle.digest
        told.files = len(report.bundle.files)
        told.unpacked_bytes = report.bundle.size
    return told


def _trial_to_pb(trial: Trial) -> pb.Trial:
    told = pb.Trial(
        ruleset=trial.ruleset,
        seats=trial.seats,
        decisions=trial.decisions,
        fault_count=len(trial.faults),
        forfeited_seats=trial.forfeited,
        log=trial.log,
    )
    for fault in trial.faults[:_MOST_FAULTS]:
        told.faults.add(
            seat=fault.seat,
            move=fault.move,
            kind=FAULTS.number[fault.kind],
            reason=fault.reason,
            forfeited=fault.forfeited,
        )
    return told


def bot_to_pb(version: BotVersion) -> pb.BotInfo:
    """Describe a bot by its newest version."""
    return pb.BotInfo(
        name=version.bot,
        version=version.number,
        games=version.manifest.games,
        description=version.manifest.description,
        author=version.manifest.author,
        submitted=moment(version.submitted),
        owner=version.owner,
    )


def version_to_pb(version: BotVersion, entries: Iterable[pb.BotEntry]) -> pb.BotVersion:
    """Tell a version and how it did in its leagues."""
    return pb.BotVersion(
        version=version.number,
        manifest=manifest_to_pb(version.manifest),
        digest=version.digest,
        bundle_bytes=version.bundle_bytes,
        submitted=moment(version.submitted),
        entries=entries,
    )


def fault_count_to_pb(league: str, fault: FaultCount) -> pb.FaultCount:
    """Tell how often a kind of fault happened in a league."""
    return pb.FaultCount(
        kind=FAULTS.number[fault.kind],
        count=fault.count,
        reason=fault.reason,
        match=match_id(league, fault.deal, fault.rotation),
    )


def log_to_pb(log: Log) -> pb.BotLog:
    """Tell what a bot wrote in a league."""
    return pb.BotLog(league=log.league, text=log.text, truncated=log.truncated, updated=moment(log.updated))


def league_state(league: League, *, running: bool) -> pb.LeagueState.ValueType:
    """Return what a league is at."""
    if running:
        return pb.LEAGUE_STATE_RUNNING
    if league.deals_done == league.deals:
        return pb.LEAGUE_STATE_DONE
    return pb.LEAGUE_STATE_STOPPED if league.deals_done else pb.LEAGUE_STATE_CREATED


def league_to_pb(league: League, *, running: bool, entrants: Sequence[Entrant] = ()) -> pb.LeagueInfo:
    """Describe a league."""
    return pb.LeagueInfo(
        name=league.name,
        ruleset=league.ruleset,
        seats=league.seats,
        state=league_state(league, running=running),
        deals_done=league.deals_done,
        deals_total=league.deals,
        matches_done=league.matches_done,
        matches_total=league.matches,
        entrants=map(entrant_to_pb, entrants),
        entrant_count=league.entrants,
        options=[_option_to_pb(name, value) for name, value in sorted(league.options.items())],
        limits=pb.Limits(**league.limits),
        show_names=league.show_names,
        all_seatings=league.all_seatings,
        created=moment(league.created),
        format=_FORMAT[league.format],
        hero=entrant_to_pb(entrants[league.hero]) if entrants and league.hero is not None else None,
        anchor=[entrant_to_pb(entrants[number]) for number in league.anchor] if entrants else (),
        absent=[
            pb.Absentee(bot=entrant.bot, version=entrant.version, retired=entrant.retired, suspended=entrant.suspended)
            for entrant in entrants
            if not entrant.active
        ],
    )


def add_findings(told: pb.LeagueInfo, found: Snapshot | None, voids: Iterable[Void]) -> None:
    """Add to a league what its ratings tell of the seats and of luck, and which deals were played again."""
    if found:
        for effect in found.seats:
            told.seat_effects.add(seat=effect.seat, elo=effect.elo, interval=effect.interval)
        if found.luck is not None:
            told.luck = found.luck
    for void in voids:
        told.voids.add(deal=void.deal, reason=void.reason, happened=moment(void.happened))


def snapshot_to_pb(found: Snapshot, entrants: Sequence[Entrant]) -> pb.RatingSnapshot:
    """Tell the ratings after so many deals."""
    return pb.RatingSnapshot(
        deals=found.deals,
        created=moment(found.created),
        ratings=[
            pb.PastRating(
                bot=entrants[rating.entrant].bot,
                version=entrants[rating.entrant].version,
                rating=rating.rating,
                interval=rating.interval,
            )
            for rating in found.ratings
        ],
    )


def matrix_to_pb(matrix: Matrix) -> list[pb.MatrixRow]:
    """Tell who is better than whom."""
    return [
        pb.MatrixRow(better=better, pair_score=scores)
        for better, scores in zip(matrix.better, matrix.pair_scores, strict=True)
    ]


def recomputed_to_pb(name: str, found: Recomputed) -> pb.RecomputeResponse:
    """Tell whether a league is reproduced."""
    return pb.RecomputeResponse(
        league=name,
        reproduced=not found.problems,
        problems=found.problems,
        deals=found.deals,
        matches=found.matches,
        ratings=found.ratings,
    )


def comparison_to_pb(
    league: League, entrants: Sequence[Entrant], found: Comparison, *, seconds: float, speed: float, layer: str
) -> pb.ComparisonProgress:
    """Tell how a comparison goes."""
    least, most = found.interval
    return pb.ComparisonProgress(
        league=league.name,
        a=entrant_to_pb(entrants[0]),
        b=entrant_to_pb(entrants[1]),
        verdict=_VERDICT[found.verdict],
        deals=found.deals,
        matches=found.deals * league.matches_a_deal,
        score=found.score,
        elo=_finite(found.elo),
        elo_least=_finite(least),
        elo_most=_finite(most),
        llr=found.llr,
        lower=found.test.lower,
        upper=found.test.upper,
        elo0=found.test.elo0,
        elo1=found.test.elo1,
        seconds=seconds,
        matches_per_second=speed,
        layer=layer,
    )


def _finite(number: float) -> float | None:
    return number if isfinite(number) else None


def entrant_to_pb(entrant: Entrant) -> pb.Entrant:
    """Tell a bot of a league."""
    return pb.Entrant(bot=entrant.bot, version=entrant.version)


def _option_to_pb(name: str, value: int | str) -> pb.OptionValue:
    return pb.OptionValue(name=name, number=value) if isinstance(value, int) else pb.OptionValue(name=name, text=value)


def options_from_pb(options: Iterable[pb.OptionValue]) -> dict[str, int | str]:
    """Return the options that were set.

    Raises:
        RequestError: one is given twice.
    """
    found: dict[str, int | str] = {}
    for option in options:
        if option.name in found:
            raise RequestError(f"the option {option.name!r:.80} is given twice; give it once")
        found[option.name] = option.number if option.HasField("number") else option.text
    return found


def limits_from_pb(limits: pb.Limits) -> dict[str, int]:
    """Return the limits that were set."""
    return {field.name: value for field, value in limits.ListFields()}


def progress_to_pb(progress: Progress) -> pb.Progress:
    """Tell how a run goes."""
    return pb.Progress(
        state=_RUN_STATE[progress.state],
        deals_done=progress.deals_done,
        deals_total=progress.deals_total,
        matches_done=progress.matches_done,
        matches_total=progress.matches_total,
        deals_played=progress.deals_played,
        matches_played=progress.matches_played,
        decisions=progress.decisions,
        seconds=progress.seconds,
        matches_per_second=progress.matches_per_second,
        decisions_per_second=progress.decisions_per_second,
        seconds_left=progress.seconds_left,
        voided_deals=progress.voided_deals,
        standings=map(standing_to_pb, progress.standings or ()),
        layer=progress.layer,
        host_delay=progress.host_delay,
    )


def standing_to_pb(standing: Standing) -> pb.Standing:
    """Tell how a bot stands."""
    return pb.Standing(
        rank=standing.rank,
        bot=standing.entrant.bot,
        version=standing.entrant.version,
        rating=standing.rating,
        interval=standing.interval,
        deals=standing.deals,
        matches=standing.matches,
        mean_score=standing.mean_score,
        wins=standing.wins,
        faults=standing.faults,
        fault_share=standing.fault_share,
        forfeits=standing.forfeits,
        provisional=standing.provisional,
        best_rank=standing.best_rank,
        worst_rank=standing.worst_rank,
    )


def deal_to_pb(deal: Deal, entrants: Sequence[Entrant]) -> pb.Deal:
    """Tell a deal; its seed only once it was played."""
    told = pb.Deal(
        number=deal.number,
        state=pb.DEAL_STATE_SCHEDULED,
        table=[entrant_to_pb(entrants[number]) for number in deal.table],
        seed_digest=deal.seed_digest,
        voids=deal.voids,
        published=moment(deal.published),
    )
    if deal.played is not None and deal.seed is not None:
        told.state = pb.DEAL_STATE_DONE
        told.seed = deal.seed
        told.played.CopyFrom(moment(deal.played))
    return told


def match_to_pb(league: League, match: Match, entrants: Sequence[Entrant]) -> pb.MatchInfo:
    """Tell a match without its record."""
    return pb.MatchInfo(
        match=match_id(league.name, match.deal, match.rotation),
        league=league.name,
        deal=match.deal,
        rotation=match.rotation,
        ruleset=league.ruleset,
        played=moment(match.played),
        layer=match.layer,
        seats=[
            pb.SeatResult(
                bot=entrants[seat.entrant].bot,
                version=entrants[seat.entrant].version,
                score=seat.score,
                place=seat.place,
                decisions=seat.decisions,
                faults=seat.faults,
                forfeited=seat.forfeited,
            )
            for seat in match.seats
        ],
    )
