"""Answers of nodes as messages, and checks of their plausibility.

Any holder of a certificate of the cluster can pose as a node. So answers are read as protobuf, which executes nothing,
and accepted only if they are possible for their task: numbers, seats and sizes must match. Whether the moves are the
bots' own cannot be checked here.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from google.protobuf.message import DecodeError

from beanleague.league.run.cluster.orders import Answer, Broken, Lacking, Left, NodeJoined, NodeRefused, Reports
from beanleague.model import Node, PlayedDeal, PlayedMatch, SeatResult, TradeFlow
from beanleague.names import one_line
from beanleague.referee.messages import BotLog, DealTask, MatchTask, VoidDeal, WorkerCounts
from beanleague.referee.sandbox.layers import Layer
from beanleague.wire import FAULT, WireError, unpacked
from beanleague.wire.codec import Codec
from beanproto.v1 import node_pb2 as pb

MAX_BYTES = 2**26
"""Maximum size of an answer in bytes; a node answers a few times per second."""

_MAX_NAME = 200  # maximum length of a node's description in characters
_MAX_WHY = 1_000  # maximum length of a failure's description in characters
_MAX_REASON = 2**17  # maximum length of a fault's reason in characters; a bot's message may have half as many bytes
_MAX_FAULTS = 10_000  # maximum number of faults in a match
_MAX_RECORD_BYTES = 2**20  # maximum size of a packed record: thirty times a long match
_MAX_LOG = 2**22  # maximum length of a bot's log since the last report, in characters
_MAX_WORKERS = 2**12
_MAX_AT_ONCE = 2**20
_MAX_DELAY_S = 2.0**30
_MAX_COUNT = 2**40
_LAYERS = {"", *Layer}


class WrongAnswerError(Exception):
    """Raised for an answer that no correct node sends; the message describes it."""


_WHOLE: dict[str, Codec[Any, Any]] = {
    "lacking": Codec(Lacking, pb.NodeAnswer.Lacking),
    "node_joined": Codec(NodeJoined, pb.NodeAnswer.NodeJoined, parts={"node": Codec(Node, pb.NodeAnswer.Node)}),
    "node_refused": Codec(NodeRefused, pb.NodeAnswer.NodeRefused),
    "broken": Codec(Broken, pb.NodeAnswer.Broken),
    "left": Codec(Left, pb.NodeAnswer.Left),
}
_NAMES = {Lacking: "lacking", NodeJoined: "node_joined", NodeRefused: "node_refused", Broken: "broken", Left: "left"}
_MATCH = Codec(
    PlayedMatch,
    pb.NodeAnswer.PlayedMatch,
    apart=("id",),
    parts={
        "seats": Codec(SeatResult, pb.NodeAnswer.SeatResult),
        "faults": FAULT,
        "flows": Codec(TradeFlow, pb.NodeAnswer.TradeFlow),
    },
)
_VOID = Codec(VoidDeal, pb.NodeAnswer.VoidDeal, apart=("node", "lost", "over"))
_LOG = Codec(BotLog, pb.NodeAnswer.BotLog)
_COUNTS = Codec(WorkerCounts, pb.NodeAnswer.WorkerCounts)


def answer_to_bytes(answer: Answer) -> bytes:
    """Serialise an answer."""
    if not isinstance(answer, Reports):
        name = _NAMES[type(answer)]
        return pb.NodeAnswer(**{name: _WHOLE[name].encode(answer)}).SerializeToString()
    reports = pb.NodeAnswer.Reports(partial=answer.partial)
    if answer.counts:
        _COUNTS.write(answer.counts, reports.counts)
    for report in answer.reports:
        if isinstance(report, PlayedDeal):
            reports.played.add(number=report.number, matches=map(_MATCH.encode, report.matches))
        elif isinstance(report, VoidDeal):
            _VOID.write(report, reports.void.add())
        else:
            _LOG.write(report, reports.logs.add())
    return pb.NodeAnswer(reports=reports).SerializeToString()


def answer_from_bytes(data: bytes) -> Answer:
    """Parse an answer. Seeds and nodes of deals are not part of it, since the run knows them.

    Raises:
        WrongAnswerError: if it is malformed.
    """
    if len(data) > MAX_BYTES:
        raise WrongAnswerError(f"more than {MAX_BYTES >> 20} MiB")
    try:
        message = pb.NodeAnswer.FromString(data)
        name = message.WhichOneof("answer")
        if name is None:
            raise WrongAnswerError("nothing")
        if name != "reports":
            answer: Answer = _WHOLE[name].decode(getattr(message, name))
            return _sanitise(answer)
        return _reports(message.reports)
    except (DecodeError, WireError) as error:
        raise WrongAnswerError(str(error)) from None


def _reports(message: pb.NodeAnswer.Reports) -> Reports:
    reports: list[PlayedDeal | VoidDeal | BotLog] = list(map(_LOG.decode, message.logs))
    for deal in message.played:
        matches = (_MATCH.decode(match, id=rotation) for rotation, match in enumerate(deal.matches))
        reports.append(PlayedDeal(deal.number, b"", tuple(matches)))
    for void in message.void:
        read_void = _VOID.decode(void)
        reports.append(replace(read_void, why=one_line(read_void.why, _MAX_WHY)))
    counts = _COUNTS.decode(message.counts) if message.HasField("counts") else None
    return Reports(reports, message.partial, counts)


def _sanitise(answer: Answer) -> Answer:
    """Return an answer with its texts sanitised and shortened."""
    match answer:
        case NodeJoined(node, workers, at_once):
            _see(0 < workers <= _MAX_WORKERS, "a wrong number of workers")
            _see(0 < at_once <= _MAX_AT_ONCE, "a wrong number of matches at once")
            words = (one_line(word, _MAX_NAME) for word in (node.name, node.cpu, node.beanleague, node.python))
            return replace(answer, node=Node(*words))
        case NodeRefused(why, name):
            return replace(answer, why=one_line(why, _MAX_WHY), name=one_line(name, _MAX_NAME))
        case Broken(why):
            return Broken(one_line(why, _MAX_WHY))
        case _:
            return answer


@dataclass(frozen=True, slots=True)
class Results:
    """Reports of a node that have been checked."""

    deals: Mapping[int, PlayedDeal | VoidDeal]
    """Results of the node's deals, by number; each carries the node's description."""
    logs: Sequence[BotLog]
    """Logs of the node's bots."""

    @property
    def failed(self) -> VoidDeal | None:
        """First deal that is void because of the node, not of a bot."""
        voids = (deal for deal in self.deals.values() if isinstance(deal, VoidDeal))
        return next((void for void in voids if void.killed is None), None)


def results_of(answer: Reports, deals: Mapping[int, DealTask], node: Node | None, bots: Collection[int]) -> Results:
    """Return the results of `deals`, a node's unfinished deals by number; results of other deals are left out.

    `node`: the node's description, None if it has not joined and so has no deals. `bots`: the numbers of the run's
        bots.

    Raises:
        WrongAnswerError: if a report is impossible.
    """
    results: dict[int, PlayedDeal | VoidDeal] = {}
    logs: list[BotLog] = []
    for report in answer.reports:
        if isinstance(report, BotLog):
            logs.append(report)
        elif task := deals.get(report.number):
            assert node is not None
            if isinstance(report, VoidDeal):
                _check_void(task, report)
                results[report.number] = replace(report, node=node)
            else:
                results[report.number] = _as_played(task, report, node)
    _check_rest(answer, bots)
    return Results(results, logs)


def _as_played(task: DealTask, deal: PlayedDeal, node: Node) -> PlayedDeal:
    """Return a deal played by `node`, completed with the run's own data.

    Raises:
        WrongAnswerError: if the deal is not a possible result of `task`.
    """
    _see(len(deal.matches) == len(task.matches), f"{len(deal.matches)} of {len(task.matches)} matches")
    for match, played in zip(task.matches, deal.matches, strict=True):
        _check_match(match, played)
    return replace(deal, seed=task.matches[0].seed, node=node)


def _check_match(task: MatchTask, played: PlayedMatch) -> None:
    entrants = tuple(seat.entrant for seat in played.seats)
    _see(entrants in {task.bots, (*task.bots, task.thief)}, "the seats of another match")
    _check_places([seat.place for seat in played.seats], alone=len(task.bots) == 1)
    _check_faults(len(task.bots), played)
    _check_flows(len(task.bots), played.flows)
    _see(played.layer in _LAYERS, "an unknown sandbox layer")
    _see(len(played.record) <= _MAX_RECORD_BYTES, f"a record of more than {_MAX_RECORD_BYTES >> 20} MiB")
    try:
        unpacked(played.record)
    except WireError as error:
        raise WrongAnswerError(f"a record that cannot be read: {error}") from None


def _check_places(places: Sequence[int], *, alone: bool) -> None:
    """Check that each place is one more than the number of better places; a bot `alone` may also be second."""
    ranked = all(place == 1 + sum(other < place for other in places) for place in places)
    _see(ranked or (alone and places in ([1], [2])), "impossible places")


def _check_faults(seats: int, played: PlayedMatch) -> None:
    """Check that faults refer to existing seats, and that each seat's result counts its faults."""
    _see(len(played.faults) <= _MAX_FAULTS, f"more than {_MAX_FAULTS} faults in a match")
    _see(all(fault.seat < seats and len(fault.reason) <= _MAX_REASON for fault in played.faults), "a wrong fault")
    faults = Counter(fault.seat for fault in played.faults)
    forfeited = {fault.seat for fault in played.faults if fault.forfeited}
    for number, seat in enumerate(played.seats):
        agrees = seat.faults == faults[number] and seat.forfeited == (number in forfeited) and seat.decisions >= 0
        _see(agrees, "a result that contradicts its faults")


def _check_flows(seats: int, flows: Sequence[TradeFlow]) -> None:
    """Check that each ordered pair of seats has at most one flow, without negative counts."""
    pairs = {(flow.giver, flow.receiver) for flow in flows}
    possible = all(giver != receiver and {giver, receiver} <= set(range(seats)) for giver, receiver in pairs)
    counted = all(min(flow.trades, flow.cards, flow.gifts) >= 0 for flow in flows)
    _see(len(pairs) == len(flows) and possible and counted, "impossible trades")


def _check_void(task: DealTask, void: VoidDeal) -> None:
    """Check that `task` can be void for this reason: a killed bot is an excuse only a limited number of times.

    Raises:
        WrongAnswerError: if the reason is impossible.
    """
    if void.killed is not None:
        _see(
            any(void.killed in match.bots and void.killed not in match.unforgiven for match in task.matches),
            "a killed bot that is no reason for a void deal",
        )


def _check_rest(answer: Reports, bots: Collection[int]) -> None:
    """Check the logs and counts of an answer. `bots`: the numbers of the run's bots.

    Raises:
        WrongAnswerError: if they are impossible.
    """
    for report in answer.reports:
        if isinstance(report, BotLog):
            _see(report.number in bots and len(report.text) <= _MAX_LOG, "the log of a bot that is not in the run")
    _see(answer.partial >= 0, "a wrong number of finished matches")
    if counts := answer.counts:
        numbers = (counts.messages, counts.requests, counts.batches, counts.starts)
        _see(abs(counts.host_delay) <= _MAX_DELAY_S, "a wrong delay")
        _see(all(0 <= number <= _MAX_COUNT for number in numbers), "a wrong count")


def _see(right: bool, wrong: str) -> None:  # noqa: FBT001
    if not right:
        raise WrongAnswerError(wrong)
