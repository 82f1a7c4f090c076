"""Why a program in Python ended, from what it wrote: in the words in which practice says it."""

from __future__ import annotations

import re

_ERROR = re.compile(r"(?:\w+\.)*([A-Z]\w*)(: .*)?")
_PLACE = re.compile(r'  File "(.+)", line (\d+)(?:, in (.+))?')


def last_words(text: str, *folders: str) -> str:
    """Return the error in whose traceback `text` ends, and where it was raised; "" if it does not end in one.

    That is the last place in a file below `folders`, if one is there.
    """
    *before, last = text.rstrip().splitlines() or [""]
    error = _ERROR.fullmatch(last)
    places = [place for line in before if (place := _PLACE.fullmatch(line))]
    if not error or not places:
        return ""
    own = [place for place in places if place[1].startswith(folders)] or places
    path, line, name = own[-1].groups()
    where = f"{path.rpartition('/')[2]}, line {line}" + (f", in {name}" if name else "")
    return f"{error[1]}{error[2] or ''} ({where})"
