"""What is done for ladders beside playing them: pairs of bots are compared by night."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Self

from beanleague.model import LADDER, League
from beanleague.service.backend import Backend
from beanleague.store import StoreError

_LOOK_INTERVAL_S = 10.0

_log = logging.getLogger(__name__)


class Upkeep:
    """Looks after the ladders of a database in a thread, as a context manager. `now`: the time of the machine.

    Several servers may do so over one database: what one has done the others find done.
    """

    def __init__(self, backend: Backend, now: Callable[[], float] = time.time) -> None:
        self._backend = backend
        self._now = now
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._work, name="upkeep", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        self._thread.join()

    def look(self) -> None:
        """Do what is due for each ladder.

        Raises:
            StoreError: if the database cannot be used.
        """
        for league in self._backend.store.leagues.list(hidden=True):
            if league.format == LADDER and not self._closed.is_set():
                self._look_at(league)

    def _look_at(self, league: League) -> None:
        from beanleague.league.integrity import check_by_night

        check_by_night(self._backend.store, league, self._now())

    def _work(self) -> None:
        while not self._closed.wait(_LOOK_INTERVAL_S):
            try:
                self.look()
            except StoreError as away:  # the database may come back
                _log.warning("cannot look after ladders: %s", away)
            except Exception:  # noqa: BLE001  # the server goes on, whatever it is
                _log.exception("looking after ladders ended with an unexpected error")
