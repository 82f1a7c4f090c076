"""What a report on a bot says of it, over all of its trial matches."""

from __future__ import annotations

from dataclasses import dataclass

from beanproto.v1.league_pb2 import BotReport, TrialFault

_WARNING = "warning: "  # begins a line of a log that is advice of the bots' library to the author


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake of a bot in its trial matches."""

    where: str
    """The match and the move in which it was made first."""
    decision: str
    """What the bot was asked, e.g. "TRADE"; "" if that is not known."""
    reason: str
    """What was wrong."""
    count: int
    """How often it was made, in all trial matches."""


def warnings(report: BotReport) -> tuple[str, ...]:
    """Return what the bots' library warned of, each sentence once."""
    lines = (line for trial in report.trials for line in trial.log.splitlines())
    return tuple(dict.fromkeys(line.removeprefix(_WARNING) for line in lines if line.startswith(_WARNING)))


def mistakes(report: BotReport) -> tuple[Mistake, ...]:
    """Return the mistakes that are not alike, in the order in which they were made first."""
    made: dict[tuple[str, str], list[tuple[str, TrialFault]]] = {}
    for trial in report.trials:
        for mistake in trial.distinct:
            where = f"{trial.ruleset}, {trial.seats} seats, move {mistake.fault.move}"
            made.setdefault((mistake.decision, mistake.fault.reason), []).append((where, mistake))
    return tuple(
        Mistake(found[0][0], decision, reason, sum(mistake.count for _, mistake in found))
        for (decision, reason), found in made.items()
    )
