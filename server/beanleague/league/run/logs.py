"""Logs of bots during a run, collected in memory and written periodically."""

from collections.abc import Callable, Mapping

from beanleague.model import Entrant
from beanleague.referee.messages import BotLog
from beanleague.store import Store
from beanleague.store.bots import newest

_WRITE_INTERVAL_S = 2.0
_MAX_BYTES = 512 * 1024  # maximum size of a bot's log between two writes


class BotLogs:
    """Collects logs and writes them periodically. `versions`: `BotVersion.id` by entrant; `clock`: in seconds."""

    def __init__(self, store: Store, league_id: int, versions: Mapping[int, int], clock: Callable[[], float]) -> None:
        self._store = store
        self._league_id = league_id
        self._versions = dict(versions)
        self._clock = clock
        self._texts: dict[int, str] = {}
        self._due = clock() + _WRITE_INTERVAL_S

    def add(self, log: BotLog) -> None:
        version = self._versions[log.number]
        self._texts[version], _ = newest(self._texts.get(version, "") + log.text, _MAX_BYTES)

    def join(self, entrant: Entrant) -> None:
        if entrant.version_id is not None:
            self._versions[entrant.number] = entrant.version_id

    def write(self, *, now: bool = False) -> None:
        """Write the collected logs if due, or immediately if `now`."""
        if now or self._clock() >= self._due:
            self._store.logs.append(self._league_id, self._texts)
            self._texts = {}
            self._due = self._clock() + _WRITE_INTERVAL_S
