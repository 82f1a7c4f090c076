"""Records of several matches as lines of JSON, as exports have them and reports of bots read them."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence

from beanleague.games.records.record import Record, record_to_object


def record_to_line(record: Record, match: str, counts_for: Sequence[str] = ()) -> str:
    """Return `record` as a line of JSON that begins with the name of its match.

    `counts_for`: the bots in whose figures of a report it counts; empty if in those of all its players.
    """
    line = {"match": match, **({"for": counts_for} if counts_for else {}), **record_to_object(record)}
    return f"{json.dumps(line, ensure_ascii=False, separators=(',', ':'))}\n"


def counted_matches(newest: Iterable[tuple[str, Iterable[str]]]) -> Mapping[str, Sequence[str]]:
    """Return the bots in whose figures of a report each match counts, by its name, in order of first mention.

    `newest`: pairs of a bot and the names of its matches; a bot may come again with others.
    """
    counts: dict[str, list[str]] = {}
    for bot, matches in newest:
        for match in matches:
            bots = counts.setdefault(match, [])
            if bot not in bots:
                bots.append(bot)
    return counts


def report_lines(counts: Mapping[str, Sequence[str]], record_of: Callable[[str], Record]) -> str:
    """Return the lines that a report is made of: the matches of `counts`, as `counted_matches` returns them."""
    return "".join(record_to_line(record_of(match), match, bots) for match, bots in counts.items())
