"""What the bots of a run write to stderr, on its way to the store."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from beanleague.referee.messages import BotLog
from beanleague.store.bots import newest
from beanleague.store.store import Store

_WRITE_INTERVAL_S = 2.0
_MAX_BYTES = 512 * 1024  # kept between two writes, for each bot


class BotLogs:
    """Gathers logs and writes them now and then. `versions`: `BotVersion.id` by entrant; `clock`: seconds."""

    def __init__(self, store: Store, league_id: int, versions: Mapping[int, int], clock: Callable[[], float]) -> None:
        self._store = store
        self._league_id = league_id
        self._versions = versions
        self._clock = clock
        self._texts: dict[int, str] = {}
        self._due = clock() + _WRITE_INTERVAL_S

    def add(self, log: BotLog) -> None:
        """Take in what a bot wrote."""
        version = self._versions[log.number]
        self._texts[version], _ = newest(self._texts.get(version, "") + log.text, _MAX_BYTES)

    def write(self, *, now: bool = False) -> None:
        """Write what was gathered if it is time, or `now`."""
        if now or self._clock() >= self._due:
            self._store.logs.append(self._league_id, self._texts)
            self._texts = {}
            self._due = self._clock() + _WRITE_INTERVAL_S
