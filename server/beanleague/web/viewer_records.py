"""Records as the viewer reads them: as exported, and with what was asked before each move and what had happened.

A record lists moves and events apart. Which belong together, only the rules can tell; they are in Python alone.
"""

from __future__ import annotations

import zlib
from base64 import b64encode
from itertools import pairwise
from json import dumps
from typing import Any

from beanleague.games import MatchVerdict, Record, record_to_object, verify

FORMAT = 4
"""The version of what pages of matches have in them: pages with another are written again."""


def viewer_record(record: Record, verdict: MatchVerdict) -> dict[str, Any]:
    """Return the object of the record's JSON with two more lists, unless the rules do not give its events.

    `asked`: the name of the decision before each move. `happened`: the number of events between the decision before
    and this one. `verdict`: that of `verify`.
    """
    data = record_to_object(record)
    if verdict.asked:
        data["asked"] = [decision.name.lower() for decision in verdict.asked]
        data["happened"] = [after - before for before, after in pairwise((0, *verdict.happened))]
    return data


def viewer_json(record: Record, verdict: MatchVerdict | None = None) -> str:
    """Return the JSON of `viewer_record`. Without a verdict, the record is played again."""
    return dumps(viewer_record(record, verdict or verify(record)), separators=(",", ":"))


def inline(record: Record) -> str:
    """Return the JSON of `viewer_record` as a page has it in it: deflated, in base64."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return b64encode(deflate.compress(viewer_json(record).encode()) + deflate.flush()).decode()
