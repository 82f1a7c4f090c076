"""Programs of a cluster that run until a signal stops them."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine
from contextlib import suppress

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def run_until_signal(work: Coroutine[object, object, None]) -> None:
    """Run `work` in the main thread until SIGINT or SIGTERM cancels it. A second signal ends the process at once."""

    async def run() -> None:
        task = asyncio.ensure_future(work)
        loop = asyncio.get_running_loop()

        def end() -> None:
            for number in _SIGNALS:
                loop.remove_signal_handler(number)
                signal.signal(number, signal.SIG_DFL)
            task.cancel()

        for number in _SIGNALS:
            loop.add_signal_handler(number, end)
        with suppress(asyncio.CancelledError):
            await task

    asyncio.run(run())
