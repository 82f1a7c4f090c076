"""Values of the calls that play, prepare or check as messages for people. See `messages`."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from beanleague.games.rulesets import points_per_dollar
from beanleague.league.bots.submission import Report, Submitted
from beanleague.league.bots.trial import Trial, TrialFault
from beanleague.league.errors import Problem, RequestError
from beanleague.league.integrity.pairs import PairFlow
from beanleague.league.integrity.report import Integrity
from beanleague.league.ratings.deal_score import By
from beanleague.league.ratings.sprt import Comparison
from beanleague.league.run.progress import NodeProgress, Progress
from beanleague.league.verify.findings import Finding
from beanleague.league.verify.verification import Verification
from beanleague.model import Entrant, League, LeagueRequest, TradeFlow
from beanleague.service.messages import ENTRANT, MANIFEST, NODE, SHARED_OWNER, standing_to_pb
from beanleague.wire import FAULT
from beanleague.wire.codec import Codec, Names
from beanproto.v1 import league_pb2 as pb

_MAX_FAULTS = 20  # of a trial that are listed

_PROBLEM = Codec(Problem, pb.Problem)
_TRIAL = Codec(Trial, pb.Trial, apart=("faults", "distinct", "forfeited", "refused"))
_TRIAL_FAULT = Codec(TrialFault, pb.TrialFault, parts={"fault": FAULT})
_LEAGUE_REQUEST = Codec(LeagueRequest, pb.CreateLeagueRequest, apart=("options", "limits"))
_VERIFICATION = Codec(Verification, pb.VerifyProgress, parts={"findings": Codec(Finding, pb.Finding)})
_PAIR_FLOW = Codec(PairFlow, pb.PairFlow, apart=("giver", "receiver"))
_NODE_PROGRESS = Codec(NodeProgress, pb.NodeProgress, parts={"node": NODE})
_PROGRESS = Codec(
    Progress, pb.Progress, apart=("standings",), parts={"shared_owners": SHARED_OWNER, "nodes": _NODE_PROGRESS}
)
_VERDICTS: Names[str] = Names(pb.Verdict.DESCRIPTOR)
_MEASURES: Names[str] = Names(pb.Measure.DESCRIPTOR)


def report_to_pb(report: Report) -> pb.BotReport:
    """Return what was found about a bundle."""
    message = pb.BotReport(problems=map(_PROBLEM.encode, report.problems), trials=map(_trial_to_pb, report.trials))
    if report.bundle:
        MANIFEST.write(report.bundle.manifest, message.manifest)
        message.digest = report.bundle.digest
        message.files = len(report.bundle.files)
        message.unpacked_bytes = report.bundle.size
    return message


def submitted_to_pb(submitted: Submitted) -> pb.SubmittedBot:
    """Return what became of a bundle that was stored."""
    return pb.SubmittedBot(
        name=submitted.version.bot,
        version=submitted.version.number,
        digest=submitted.version.digest,
        created=submitted.created,
        report=report_to_pb(submitted.report),
    )


def trying_to_pb(known: Report | Submitted) -> pb.TryBotProgress:
    """Return what is known of a bundle."""
    if isinstance(known, Report):
        return pb.TryBotProgress(report=report_to_pb(known))
    return pb.TryBotProgress(report=report_to_pb(known.report), submitted=submitted_to_pb(known))


def _trial_to_pb(trial: Trial) -> pb.Trial:
    message = _TRIAL.encode(trial)
    message.fault_count = len(trial.faults)
    message.forfeited_seats.extend(trial.forfeited)
    message.faults.extend(map(FAULT.encode, trial.faults[:_MAX_FAULTS]))
    message.distinct.extend(map(_TRIAL_FAULT.encode, trial.distinct[:_MAX_FAULTS]))
    return message


def league_from_pb(request: pb.CreateLeagueRequest) -> LeagueRequest:
    """Return the league that is asked for.

    Raises:
        RequestError: if an option is given twice.
    """
    options: dict[str, int | str] = {}
    for option in request.options:
        if option.name in options:
            raise RequestError(f"the option {option.name!r:.80} is given twice; give it once")
        options[option.name] = option.number if option.HasField("number") else option.text
    limits = {field.name: value for field, value in request.limits.ListFields()}
    return _LEAGUE_REQUEST.decode(request, options=options, limits=limits)


def verification_to_pb(name: str, verification: Verification) -> pb.VerifyProgress:
    """Return the progress of a verification."""
    message = _VERIFICATION.encode(verification)
    message.league = name
    return message


def integrity_to_pb(league: League, found: Integrity, entrants: Sequence[Entrant]) -> pb.IntegrityResponse:
    """Return what the bots of a league gave each other."""
    message = pb.IntegrityResponse(league=league.name, deals=found.deals)
    for pair, given, received in found.pairs:
        flow = message.pairs.add()
        _PAIR_FLOW.write(pair, flow)
        ENTRANT.write(entrants[pair.giver], flow.giver)
        ENTRANT.write(entrants[pair.receiver], flow.receiver)
        flow.trades = given.trades
        flow.given.CopyFrom(_side_to_pb(given))
        flow.received.CopyFrom(_side_to_pb(received))
    return message


def _side_to_pb(flow: TradeFlow) -> pb.Side:
    return pb.Side(cards=flow.cards, gifts=flow.gifts, dollars=flow.cents / 100)


def comparison_to_pb(
    league: League, entrants: Sequence[Entrant], comparison: Comparison, progress: Progress
) -> pb.ComparisonProgress:
    """Return how a comparison goes."""
    message = test_to_pb(league, entrants[0], entrants[1], comparison)
    message.matches = comparison.deals * league.matches_a_deal
    message.seconds = progress.seconds
    message.matches_per_second = progress.matches_per_second
    message.layer = progress.layer
    message.nodes.extend(map(_NODE_PROGRESS.encode, progress.nodes))
    message.remarks.extend(progress.remarks)
    return message


def test_to_pb(league: League, a: Entrant, b: Entrant, comparison: Comparison) -> pb.ComparisonProgress:
    """Return what a sequential test of `a` against `b` says."""
    least, most = comparison.interval
    message = pb.ComparisonProgress(
        league=league.name,
        a=ENTRANT.encode(a),
        b=ENTRANT.encode(b),
        verdict=_VERDICTS.number[comparison.verdict],
        deals=comparison.deals,
        score=comparison.score,
        elo=finite(comparison.elo),
        elo_least=finite(least),
        elo_most=finite(most),
        llr=comparison.llr,
        lower=comparison.test.lower,
        upper=comparison.test.upper,
        elo0=comparison.test.elo0,
        elo1=comparison.test.elo1,
        obvious=comparison.obvious,
        by=_MEASURES.number[comparison.test.by],
    )
    if comparison.test.by is By.DOLLARS:
        set_lead(message, league, comparison)
    return message


def set_lead(message: pb.ComparisonProgress | pb.PairScore, league: League, comparison: Comparison) -> None:
    """Write the lead of a comparison by dollars, as far as it is known."""
    dollar = points_per_dollar(league.ruleset)
    ends = comparison.lead_interval
    for name, value in zip(("lead", "lead_least", "lead_most"), (comparison.lead, *ends), strict=True):
        if isfinite(value):
            setattr(message, name, value / dollar)


def measure_from_pb(number: pb.Measure.ValueType) -> str | None:
    """Return what bots are to be compared by: a value of `By`; None if it is not said.

    Raises:
        WireError: if `number` stands for nothing.
    """
    return _MEASURES.name_or_none(number)


def finite(number: float) -> float | None:
    """Return `number`, None if it is infinite."""
    return number if isfinite(number) else None


def progress_to_pb(progress: Progress) -> pb.Progress:
    """Return how a run goes."""
    message = _PROGRESS.encode(progress)
    message.standings.extend(map(standing_to_pb, progress.standings or ()))
    return message
