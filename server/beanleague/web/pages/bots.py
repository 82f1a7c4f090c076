"""Bot pages: the list, and each bot's versions, ratings, results, faults, times, matches and log."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

import grpc
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from beanleague.answers import next_above, shape
from beanleague.house_folder import TRADING
from beanleague.names import format_bot, replace_controls
from beanleague.web.charts import history_chart
from beanleague.web.pages.match import worked_on
from beanleague.web.reading import TIMEOUT_S, refused
from beanleague.web.site import LISTED, Site, number_of, trial_page
from beanleague.wire import WireError, record_from_pb
from beanproto.v1 import league_pb2 as pb

_PAGE = 20  # matches listed per page
_OPPONENTS = 100
_FRESH_S = 5.0
_TIMES_FRESH_S = 30.0  # computed from records, which is slow
_MAX_LOG_LINES = 60  # log lines shown on the page


def bots(request: Request) -> Response:
    """Show the list of bots."""
    site = Site.of(request)
    answer = site.reader.get(site.stub.ListBots, pb.ListBotsRequest())

    def words(bot: pb.BotInfo) -> str:
        return f"{bot.name} {bot.owner or bot.author} {' '.join(bot.games)}"

    bots = site.listed(request, answer.bots, words, lambda bot: bot.owner)
    return site.page(request, "bots.html", title="Bots", bots=bots, size=LISTED)


def bot(request: Request) -> Response:
    """Show a bot, with the results of the version and league given by `version` and `league`."""
    site, shown = Site.of(request), _bot(request)
    chosen = _requested_entry(request, shown)
    reads_log = site.may_read_log(request, shown.owner)
    return site.page(
        request,
        "bot.html",
        title=shown.name,
        about=_about(shown),
        shown=shown,
        newest=shown.versions[0],
        entries=_entries(shown),
        chosen=chosen,
        reports=_reports(chosen),
        has_trial=chosen is None and _has_trial(site, shown.name),
        reads_log=reads_log,
        logs=_logs(request, shown, chosen) if reads_log and chosen else (),
        most_lines=_MAX_LOG_LINES,
        **(_results(request, shown, chosen) if chosen else {}),
    )


def _about(shown: pb.ShowBotResponse) -> str:
    """Return a sentence for previews of links: what the bot is, or else what it plays, and its author."""
    manifest = shown.versions[0].manifest
    author = shown.owner or manifest.author
    plays = manifest.description or f"A bot that plays {', '.join(manifest.games)}"
    return f"{plays} (by {author})" if author else plays


def trial(request: Request) -> Response:
    """Show the trial match of a version, by default the newest; `version` selects another."""
    site, name = Site.of(request), request.path_params["name"]
    number = number_of(request.query_params.get("version", "0"), "the number of a version", 2**31)
    found = site.reader.get(site.stub.ShowTrial, pb.ShowTrialRequest(name=name, version=number), fresh=_FRESH_S)
    try:
        record = record_from_pb(found.record)
    except WireError as error:
        raise HTTPException(502, f"the trial match of {name} cannot be read: {error}") from None
    return trial_page(request, f"Trial match of {name}", record, f"/bots/{found.name}", found.name)


def report(request: Request) -> Response:
    """Show the form for a report on a version in a league; by default it is compared with the next better bot."""
    site, shown = Site.of(request), _bot(request)
    chosen = _requested_entry(request, shown)
    if chosen is None or not _reports(chosen):
        raise HTTPException(404, f"reports exist for trading games only, and {shown.name} has played none in a league")
    standings = site.read_standings(chosen.league).standings
    first = max(0, _place(standings, chosen.standing) - _OPPONENTS // 2)
    others = [each for each in standings[first : first + _OPPONENTS] if each.rank and each.bot != shown.name]
    return site.page(
        request,
        "bot-report.html",
        title=f"Report of {shown.name}",
        bot=format_bot(shown.name, chosen.standing.version),
        chosen=chosen,
        others=[format_bot(each.bot, each.version) for each in others],
        above=(above := next_above(standings, shown.name)),
        against=request.query_params.get("against", above)[:80],
        may=site.caller(request).may_submit,
    )


def start_report(request: Request) -> Response:
    """Start a report and stream its progress."""
    league, version, against = (request.query_params.get(name, "") for name in ("league", "version", "against"))
    asked = pb.ReportBotRequest(league=league, bot=f"{request.path_params['name']}@{version}", against=against)
    return worked_on(request, lambda **how: Site.of(request).stub.ReportBot(asked, **how))


def _reports(entry: pb.BotEntry | None) -> bool:
    """Return whether the league's game has trades, which reports require."""
    return entry is not None and entry.ruleset in TRADING


def _has_trial(site: Site, name: str) -> bool:
    try:
        site.reader.get(site.stub.ShowTrial, pb.ShowTrialRequest(name=name), fresh=_FRESH_S)
    except grpc.RpcError as error:
        if refused(error, posted=False)[0] != HTTPStatus.NOT_FOUND:
            raise
        return False
    return True


def log(request: Request) -> Response:
    """Send the log of a version in a league, to visitors who may read it."""
    shown = _bot(request)
    chosen = _requested_entry(request, shown)
    if chosen is None:
        raise HTTPException(404, f"{shown.name} has not played in any league yet")
    text = "".join(log.text for log in _logs(request, shown, chosen))
    return PlainTextResponse(replace_controls(text), headers={"cache-control": "no-store"})


def _bot(request: Request) -> pb.ShowBotResponse:
    site = Site.of(request)
    return site.reader.get(site.stub.ShowBot, pb.ShowBotRequest(name=request.path_params["name"]), fresh=_FRESH_S)


def _entries(shown: pb.ShowBotResponse) -> list[pb.BotEntry]:
    return [entry for version in shown.versions for entry in version.entries]


def _requested_entry(request: Request, shown: pb.ShowBotResponse) -> pb.BotEntry | None:
    """Return the requested entry, by default the newest version in its busiest league; None without any.

    Raises:
        HTTPException: if the bot does not play in the requested league.
    """
    league, version = (request.query_params.get(name, "") for name in ("league", "version"))
    if not league and not version:
        return max(_entries(shown), key=lambda each: (each.standing.version, each.standing.deals), default=None)
    for each in _entries(shown):
        if league in {"", each.league} and version in {"", str(each.standing.version)}:
            return each
    which = f"version {version[:20]} of " if version else ""
    raise HTTPException(404, f"{which}{request.path_params['name']} does not play in {league[:40] or 'any league'}")


def _results(request: Request, shown: pb.ShowBotResponse, chosen: pb.BotEntry) -> dict[str, Any]:
    """Return the template values for the results of a version in a league."""
    site, league = Site.of(request), chosen.league
    standing = chosen.standing
    version = pb.Entrant(bot=standing.bot, version=standing.version)
    rated = pb.RatingsRequest(league=league, matrix=pb.MatrixWindow(), history_of=version)
    history = site.reader.get(site.stub.Ratings, rated, fresh=_FRESH_S).history
    asked = pb.ThinkingTimesRequest(name=shown.name, version=standing.version, league=league)
    times = site.reader.get(site.stub.ThinkingTimes, asked, fresh=_TIMES_FRESH_S).times
    bot, after = format_bot(shown.name, standing.version), request.query_params.get("after", "")[:80]
    listed = pb.ListMatchesRequest(league=league, bot=bot, after=after, newest_first=True, limit=_PAGE)
    matches = site.reader.get(site.stub.ListMatches, listed)
    return {
        "opponents": _opponents(site, league, standing),
        "chart": history_chart([standing], history),
        "faults": [(shape(fault)["kind"], fault) for fault in chosen.faults],
        "time": times[0] if times else None,
        "in_ladder": _status(site, shown.name, chosen),
        "matches": matches.matches,
        "next_after": matches.next_after,
        "later": "after" in request.query_params,
    }


def _status(site: Site, name: str, chosen: pb.BotEntry) -> pb.EntryStatus | None:
    """Return the status of a version in a ladder; None in other leagues."""
    asked = pb.LadderStatusRequest(bot=format_bot(name, chosen.standing.version))
    answer = site.reader.get(site.stub.LadderStatus, asked, fresh=_FRESH_S)
    return next((status for status in answer.entries if status.ladder == chosen.league), None)


def _opponents(site: Site, league: str, own: pb.Standing) -> list[Mapping[str, object]]:
    """Return the results against each opponent in order of the standings; if there are many, the nearest ones.

    `score`: share of pairs that the bot won, 0 to 1. `better`: probability that the bot is the stronger one; None if
        unknown.
    """
    standings = site.read_standings(league).standings
    place = _place(standings, own)
    first = max(0, min(place - _OPPONENTS // 2, len(standings) - _OPPONENTS))
    if place < 0:
        return []  # the bot has just joined, and has no standing yet
    window = pb.MatrixWindow(row=place, rows=1, column=first, columns=_OPPONENTS)
    asked = pb.RatingsRequest(league=league, matrix=window, no_history=True)
    rated = site.reader.get(site.stub.Ratings, asked, fresh=_FRESH_S)
    if _place(rated.standings, own) != place:
        return []  # the bot's rank has just changed
    (row,) = rated.matrix
    return [
        {"standing": standing, "score": score, "better": better if better >= 0 else None}
        for standing, score, better in zip(
            rated.standings[first : first + _OPPONENTS], row.pair_score, row.better, strict=True
        )
        if score >= 0
    ]


def _place(standings: Sequence[pb.Standing], own: pb.Standing) -> int:
    """Return the index of the bot in the standings; -1 if it is missing."""
    own_name = (own.bot, own.version)
    return next((place for place, each in enumerate(standings) if (each.bot, each.version) == own_name), -1)


def _logs(request: Request, shown: pb.ShowBotResponse, chosen: pb.BotEntry) -> Sequence[pb.BotLog]:
    """Return the log of a version in a league, as far as the visitor may read it."""
    site = Site.of(request)
    asked = pb.BotLogsRequest(name=shown.name, version=chosen.standing.version, league=chosen.league)
    return site.stub.BotLogs(asked, metadata=site.caller(request).metadata, timeout=TIMEOUT_S).logs


routes = {
    "GET /bots": bots,
    "GET /bots/{name}": bot,
    "GET /bots/{name}/log": log,
    "GET /bots/{name}/report": report,
    "POST /bots/{name}/report": start_report,
    "GET /bots/{name}/trial": trial,
}
