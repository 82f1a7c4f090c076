"""Records inside pages: `static/viewer/page.js` reads them."""

from __future__ import annotations

import zlib
from base64 import b64encode
from json import dumps

from beanleague.games import Record, record_to_object

FORMAT = 3
"""The version of this format: pages written in another one are written again."""


def inline(record: Record) -> str:
    """Return a record as a page has it: its JSON, deflated, in base64."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    text = dumps(record_to_object(record), separators=(",", ":")).encode()
    return b64encode(deflate.compress(text) + deflate.flush()).decode()
