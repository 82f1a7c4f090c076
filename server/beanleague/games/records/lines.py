"""Records of several matches as lines of JSON, the format of exports and of the input of reports."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence

from beanleague.games.records.record import Record, record_to_object


def record_to_line(record: Record, match: str, counts_for: Sequence[str] = ()) -> str:
    """Return `record` as a line of JSON that begins with the name of its match.

    `counts_for`: bots whose report figures include the match; empty for all its players.
    """
    line = {"match": match, **({"for": counts_for} if counts_for else {}), **record_to_object(record)}
    return f"{json.dumps(line, ensure_ascii=False, separators=(',', ':'))}\n"


def counted_matches(newest: Iterable[tuple[str, Iterable[str]]]) -> Mapping[str, Sequence[str]]:
    """Return the bots whose report figures include each match, by name of the match, in order of first mention.

    `newest`: pairs of a bot and the names of its matches; a bot may occur more than once.
    """
    counts: dict[str, list[str]] = {}
    for bot, matches in newest:
        for match in matches:
            bots = counts.setdefault(match, [])
            if bot not in bots:
                bots.append(bot)
    return counts


def report_lines(counts: Mapping[str, Sequence[str]], record_of: Callable[[str], Record]) -> str:
    """Return the input lines of a report: the matches of `counts`, which `counted_matches` returned."""
    return "".join(record_to_line(record_of(match), match, bots) for match, bots in counts.items())
