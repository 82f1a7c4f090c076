"""How many matches of a site have been written."""

from __future__ import annotations

import time

from rich.console import Console
from rich.text import Text

from beanleague.cli.views.live import LiveOutput, can_draw
from beanleague.cli.views.text import count_of

_DRAW_INTERVAL_S = 0.1


class SiteProgress(LiveOutput):
    """Counts on a terminal, otherwise in a line every few seconds, on stderr."""

    def __init__(self, console: Console) -> None:
        super().__init__(console, draw=can_draw(console), transient=True)
        self._drawn_at = self._printed_at = time.monotonic()

    def show(self, done: int, total: int) -> None:
        """Show that `done` of `total` matches of a league are written."""
        now = time.monotonic()
        line = f"Writing {count_of(done, total, 'match', 'matches')}"
        if not self.draws:
            self._print_if_due(line, now)
        elif now - self._drawn_at >= _DRAW_INTERVAL_S:
            self._drawn_at = now
            self._draw(Text(line))
