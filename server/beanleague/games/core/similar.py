"""What to say of names that do not exist."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

_MAX_LISTED = 12
_MAX_COMPARED = 1000  # strangers may ask for names that do not exist as often as they like


def suggestion(name: object, known: Iterable[str]) -> str:
    """Return the end of a sentence about a `name` that is none of `known`: the one it is like, or which there are."""
    from difflib import get_close_matches  # bots that make no mistake need not load it

    names = list(islice(known, _MAX_COMPARED))
    similar = get_close_matches(str(name), names, n=1)
    if similar:
        return f"did you mean {similar[0]!r}?"
    more = ", ..." if len(names) > _MAX_LISTED else ""
    return f"there are: {', '.join(names[:_MAX_LISTED]) or 'none'}{more}"
