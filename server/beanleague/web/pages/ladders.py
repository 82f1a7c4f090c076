"""Ladder pages: entries, an author's own entries, entering a bot."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from urllib.parse import quote

from anyio import to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from beanleague.web.pages.leagues import league_of, league_page
from beanleague.web.reading import TIMEOUT_S
from beanleague.web.security import Visitor
from beanleague.web.site import Site, number_of
from beanproto.v1 import league_pb2 as pb

_FRESH_S = 5.0
_MAX_PLACING = 20  # entries shown with the progress of their placing
_MAX_OFFERED = 200  # bots offered for entering
_MAX_NOTICES = 30


def entries(request: Request) -> Response:
    """Show the entries of a ladder: those in placement, all others with state and reason, and the days."""
    site, info = Site.of(request), league_of(request)
    if not info.has_entries:
        raise HTTPException(404, "This league is not a ladder.")
    fresh = 0.0 if "changed" in request.query_params else _FRESH_S
    ladder = site.reader.get(site.stub.ShowLadder, pb.ShowLadderRequest(name=info.name), fresh=fresh)
    after, page = number_of(request.query_params.get("after", "0"), "the number of an entry"), site.settings.page
    placing = sorted(
        (entry for entry in ladder.entries if entry.HasField("forecast")),
        key=lambda entry: (entry.forecast.before, -entry.deals),
    )
    return league_page(
        request,
        info,
        "entries",
        ladder=ladder,
        placing=placing[:_MAX_PLACING],
        waiting=len(placing[_MAX_PLACING:]),
        shown=ladder.entries[after : after + page],
        after=after,
        next_after=after + page if len(ladder.entries) > after + page else 0,
        size=page,
        offered=() if site.settings.static else _bots_to_enter(site, site.caller(request), ladder),
    )


def _bots_to_enter(site: Site, caller: Visitor, ladder: pb.LadderInfo) -> Sequence[pb.BotInfo]:
    """Return the newest versions of bots that a visitor may still enter into a ladder."""
    if not caller.may_submit or ladder.state == pb.LADDER_STATE_CLOSED:
        return ()
    gone = {pb.ENTRY_STATE_PAUSED, pb.ENTRY_STATE_LEFT}
    there = {(entry.bot, entry.version) for entry in ladder.entries if entry.state not in gone}
    listed = site.reader.get(site.stub.ListBots, pb.ListBotsRequest()).bots
    return [
        bot
        for bot in listed
        if ladder.ruleset in bot.games and caller.may_read_log(bot.owner) and (bot.name, bot.version) not in there
    ][:_MAX_OFFERED]


async def change(request: Request) -> Response:
    """Enter or withdraw a bot."""
    async with request.form(max_files=0, max_fields=4) as fields:
        bot, what = str(fields.get("bot", ""))[:80], str(fields.get("what", ""))
    return await to_thread.run_sync(_change, request, bot, what)


def _change(request: Request, bot: str, what: str) -> Response:
    site, name = Site.of(request), request.path_params["league"]
    caller = site.caller(request)
    if not caller.may_submit:
        raise HTTPException(403, "Only authors may enter bots; sign in with a token first.")
    if what == "leave":
        asked = pb.LeaveLadderRequest(name=name, bot=bot)
        site.stub.LeaveLadder(asked, metadata=caller.metadata, timeout=TIMEOUT_S)
    else:
        site.stub.EnterLadder(pb.EnterLadderRequest(name=name, bot=bot), metadata=caller.metadata, timeout=TIMEOUT_S)
    return RedirectResponse(f"/ladders/{quote(name, safe='')}?changed=1", 303)


def author(request: Request) -> Response:
    """Show an author's bots: places in ladders, recent changes, and the entries left for today.

    On their own page authors also sign out.
    """
    site, name = Site.of(request), request.path_params["name"]
    status = site.reader.get(site.stub.LadderStatus, pb.LadderStatusRequest(owner=name), fresh=_FRESH_S)
    bots = [bot for bot in site.reader.get(site.stub.ListBots, pb.ListBotsRequest()).bots if bot.owner == name]
    caller = site.caller(request)
    signed_in = caller.signed_in and caller.name == name
    if not (bots or status.entries or signed_in):
        raise HTTPException(404, "No author of this name has bots here.")
    return site.page(
        request,
        "author.html",
        title=name,
        name=name,
        bots=bots,
        ladders=[(ladder, list(own)) for ladder, own in groupby(status.entries, lambda each: each.ladder)],
        quotas={quota.ladder: quota for quota in status.quotas},
        notices=_notices(status.entries),
        own=caller.may_read_log(name),
        signed_in=signed_in,
    )


def _notices(entries: Iterable[pb.EntryStatus]) -> Sequence[tuple[pb.EntryStatus, pb.EntryChange]]:
    """Return the latest changes of entries, newest first."""
    every = ((each, what) for each in entries for what in each.changes)
    return sorted(every, key=lambda notice: -notice[1].happened.ToMicroseconds())[:_MAX_NOTICES]


routes = {
    "GET /leagues/{league}/entries": entries,
    "GET /ladders/{league}": entries,
    "POST /ladders/{league}": change,
    "GET /authors/{name}": author,
}
