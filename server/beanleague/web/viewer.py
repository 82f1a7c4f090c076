"""Records for the viewer, and the viewer outside the site: a replay as one self-contained file.

A record lists moves and events separately. Their relation and meaning follow only from the rules, which exist only in
Python. Therefore the viewer gets the decision and the number of events before each move, with sentences. This module
does not need the extra `web`, since the command line writes such files, too.
"""

import re
import zlib
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from itertools import pairwise
from json import dumps
from pathlib import Path
from typing import Any, TypeAlias

from beanleague.games import Action, Event, GameError, MatchVerdict, Record, View, record_to_object, verify
from beanleague.games.core.words import Beans, GameWords, Money, Part, Said, Value, Who, fault_said
from beanleague.games.families import snake, words_of
from beanleague.games.records.replay import set_up

FORMAT = 6
"""Version of the data format in match pages: pages with another version are rewritten."""

_Phrase = int | tuple[int, Mapping[str, Value]]
"""Number of a sentence, and the values of its slots that are not fields."""


class ToldRecord:
    """Record with the results of its replay, and sentences."""

    def __init__(self, record: Record) -> None:
        """Replay `record`."""
        self.record = record
        self._words = _words(record)
        self._texts: dict[str, int] = {}
        self._did: list[tuple[str, _Phrase]] = []
        self._asks: dict[str, str] = {}
        self.verdict: MatchVerdict = verify(record, self._watch if self._words else None)
        """Result of the replay."""

    def _watch(self, view: View, action: Action, events: Sequence[Event]) -> None:
        assert self._words is not None
        self._asks.setdefault(view.decision.name.lower(), self._words.asks(view.decision))
        self._did.append((snake(type(action).__name__), self._phrase(self._words.action(action, view), events)))

    def _phrase(self, said: Said, caused: Sequence[Event] = ()) -> _Phrase:
        number = self._texts.setdefault(said.text, len(self._texts))
        first = caused[0] if caused else None
        more = {name: value for name, value in said.more.items() if getattr(first, name, None) != value}
        return (number, more) if more else number

    def data(self) -> dict[str, Any]:
        """Return the record's JSON object with additional lists.

        `words`: sentences (see `games/core/words.py`), with the indices of those for events (`lines`) and faults. If
        the rules reproduce the events, also: `asked`, the decision before each move; `happened`, the number of events
        between the previous decision and this one; in `words`, the sentences of moves (`did`) and of decisions
        (`asks`). A slot that is not a field of its move takes the value from the first event that the move caused.
        """
        data = record_to_object(self.record)
        if not self._words:
            return data
        events, faults = self.record.events, self.record.faults
        lines = [(snake(type(event).__name__), self._phrase(self._words.event(event))) for event in events]
        words: dict[str, Any] = {
            "lines": _by_name(lines),
            "faults": [self._phrase(fault_said(fault)) for fault in faults],
        }
        if self._words.cards:
            words["cards"] = self._words.cards
        if self.verdict.asked:
            data["asked"] = [decision.name.lower() for decision in self.verdict.asked]
            data["happened"] = [after - before for before, after in pairwise((0, *self.verdict.happened))]
            words |= {"did": _by_name(self._did), "asks": self._asks}
        data["words"] = {"texts": list(self._texts), **words}
        return data

    def json(self) -> str:
        """Return the JSON of `data`."""
        return dumps(self.data(), separators=(",", ":"), ensure_ascii=False)


def _by_name(phrases: Iterable[tuple[str, _Phrase]]) -> dict[str, int | list[_Phrase]]:
    """Group phrases by the name of event or action: a list in order, or a single number if all are equal."""
    found: dict[str, list[_Phrase]] = {}
    for name, phrase in phrases:
        found.setdefault(name, []).append(phrase)
    return {
        name: first if isinstance(first := each[0], int) and each.count(first) == len(each) else each
        for name, each in found.items()
    }


def _words(record: Record) -> GameWords | None:
    """Return the sentences of a match; None for an unknown game."""
    try:
        game = set_up(record)
    except GameError:
        return None
    return words_of(game.view(0, news=False).rules)


def inline(record: Record) -> str:
    """Return the JSON of a `ToldRecord` for inlining in a page: deflated, base64."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return b64encode(deflate.compress(ToldRecord(record).json().encode()) + deflate.flush()).decode()


def parts_json(parts: Iterable[Part]) -> list[object]:
    """Convert the parts of a sentence to JSON."""
    return [_part_json(part) for part in parts]


def _part_json(part: Part) -> object:
    match part:
        case Who(seat):
            return {"seat": seat}
        case Beans(kinds):
            return {"kinds": kinds}
        case Money(text):
            return {"money": text}
        case _:
            return part


_IMPORT = re.compile(r'^import (?:\* as (?P<module>\w+)|(?P<names>\{[^}]*\})) from "(?P<path>[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_LEFT = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
Json: TypeAlias = str | int | list["Json"] | None

STATIC = Path(__file__).with_name("static")
"""Folder of static files: styles, scripts and the viewer."""

_ENTRY = STATIC / "viewer/page.js"
_PAGE = Path(__file__).with_name("single_file.html")
_STYLES = ("viewer/page.css", "viewer/viewer.css")


def bundled(entry: Path) -> str:
    """Return the module in the file `entry` and all its imports bundled as one script.

    Each imported module becomes a function that returns its exports. Supported are imports of names and of whole
    modules, one per line, and exports of functions, classes and constants.
    """
    modules: dict[Path, str] = {}  # imported modules, in the order in which they run

    def read(file: Path) -> tuple[str, list[str]]:
        def imported(found: re.Match[str]) -> str:
            module = (file.parent / found["path"]).resolve()
            if module not in modules:
                body, exported = read(module)
                exports = f"{body}\nreturn {{ {', '.join(exported)} }};"
                modules[module] = f"const m{len(modules)} = (() => {{\n{exports}\n}})();"
            names = found["module"] or found["names"].replace(" as ", ": ")
            return f"const {names} = m{list(modules).index(module)};\n"

        text = _IMPORT.sub(imported, file.read_text("utf-8"))
        exported = _EXPORT.findall(text)
        text = _EXPORT.sub("", text)
        left = _LEFT.findall(text)
        assert not left, f"{file.name}: {left[0]!r} cannot be put into one script"
        return text, exported

    body, _ = read(entry)
    text = "\n".join([*modules.values(), body])
    return f'(async () => {{\n"use strict";\n{text}\n}})();\n'


def single_file(record: Record, title: str, options: Mapping[str, Json] | None = None) -> str:
    """Return a self-contained HTML page that shows `record`: no requests, no scripts but the viewer.

    `title`: name of the match. `options`: options of the viewer, such as "ratings" or "seat"; see `viewer.js`.
    """
    script, style = _script(), _style()
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return _PAGE.read_text("utf-8").format(
        policy=policy,
        title=escape(title),
        style=style,
        options=escape(dumps({"match": title, **(options or {})})),
        record=inline(record),
        script=script,
    )


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


@cache
def _style() -> str:
    return "".join((STATIC / name).read_text("utf-8") for name in _STYLES)


@cache
def _script() -> str:
    return bundled(_ENTRY).replace("</", "<\\/")
