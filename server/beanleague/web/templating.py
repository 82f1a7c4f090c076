"""The templates, and how values are written in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import jinja2
from google.protobuf.timestamp_pb2 import Timestamp
from markupsafe import Markup

from beanleague.games.core.errors import UnknownRulesetError
from beanleague.games.rulesets import points_per_dollar
from beanleague.safe_text import replace_controls
from beanleague.web.numbers import number, percent, signed
from beanproto.v1.league_pb2 import LeagueState, SeatResult

_STATES = {
    LeagueState.LEAGUE_STATE_CREATED: "not begun",
    LeagueState.LEAGUE_STATE_STOPPED: "stopped",
    LeagueState.LEAGUE_STATE_RUNNING: "running",
    LeagueState.LEAGUE_STATE_DONE: "finished",
}


class Templates:
    """Renders templates. Whatever stands in a value is text: escaped, without characters that turn the direction."""

    def __init__(self, *, static: bool = False) -> None:
        """`static`: whether pages become files; templates know it by this name, and leave out what needs a server."""
        self._environment = jinja2.Environment(
            loader=jinja2.PackageLoader("beanleague.web"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            finalize=_safe,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        self._environment.globals["static"] = static
        self._environment.filters |= {
            "number": number,
            "signed": signed,
            "percent": percent,
            "clip": clip,
            "league_state": league_state,
            "day": day,
            "iso": iso,
            "dollars": dollars,
            "by_place": by_place,
        }

    def render(self, name: str, values: Mapping[str, object]) -> str:
        """Return a page, or a part of one."""
        return self._environment.get_template(name).render(values)


def _safe(value: object) -> object:
    return replace_controls(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def clip(text: str, most: int = 80) -> str:
    """Return the beginning of a long text."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def league_state(state: LeagueState.ValueType) -> str:
    """Write the state of a league."""
    return _STATES.get(state, "unknown")


def day(time: Timestamp) -> str:
    """Write a time as its day and minute, in UTC."""
    return _datetime(time).strftime("%Y-%m-%d %H:%M")


def dollars(score: int, game: str) -> str:
    """Write the score of a seat in dollars, e.g. 7, or 3.40 in a game with cents."""
    try:
        unit = points_per_dollar(game)
    except UnknownRulesetError:  # the service may know more games than this program
        return str(score)
    return str(score) if unit == 1 else f"{score / unit:.2f}"


def by_place(seats: Sequence[SeatResult]) -> list[tuple[int, SeatResult]]:
    """Return seats with their numbers, the best first."""
    return sorted(enumerate(seats), key=lambda numbered: numbered[1].place)


def iso(time: Timestamp) -> str:
    """Write a time for programs."""
    return _datetime(time).strftime("%Y-%m-%dT%H:%M:%SZ")


def _datetime(time: Timestamp) -> datetime:
    return time.ToDatetime()
