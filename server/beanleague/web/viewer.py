"""The viewer of records outside the site: a replay as one file that needs nothing else.

Needs nothing of the extra `web`: the command line writes such files too.
"""

import re
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from html import escape
from json import dumps
from pathlib import Path
from typing import TypeAlias

from beanleague.games import Record
from beanleague.web.told import inline

_IMPORT = re.compile(r'^import (?:\* as (?P<module>\w+)|(?P<names>\{[^}]*\})) from "(?P<path>[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_LEFT = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
Json: TypeAlias = str | int | list["Json"] | None

STATIC = Path(__file__).with_name("static")
"""The folder of what browsers fetch: styles, scripts, the viewer."""

_ENTRY = STATIC / "viewer/page.js"
_STYLES = ("viewer/page.css", "viewer/viewer.css")

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<main>
<div id="replay" data-record="#record" data-options="{options}"><noscript>This replay needs JavaScript.</noscript></div>
</main>
<script type="text/plain" id="record">{record}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def bundled(entry: Path) -> str:
    """Return the module in the file `entry`, and all that it imports, as one script, a module or not.

    Each imported module is a function of its own that returns what the module exports. It may have imports of names and
    of whole modules, a line each, and exports of functions, classes and constants, as the viewer has them.
    """
    return f'(async () => {{\n"use strict";\n{_Modules().text(entry)}\n}})();\n'


class _Modules:
    """The modules that others import, in the order in which they run."""

    def __init__(self) -> None:
        self._numbers: dict[Path, int] = {}
        self._parts: list[str] = []

    def text(self, entry: Path) -> str:
        """Return the module `entry` after all that it imports."""
        body, _ = self._read(entry)
        return "\n".join([*self._parts, body])

    def _module(self, file: Path) -> str:
        """Add a module unless it is there, and return the name of its exports."""
        if file not in self._numbers:
            body, exported = self._read(file)
            number = self._numbers[file] = len(self._numbers)
            self._parts.append(f"const m{number} = (() => {{\n{body}\nreturn {{ {', '.join(exported)} }};\n}})();")
        return f"m{self._numbers[file]}"

    def _read(self, file: Path) -> tuple[str, list[str]]:
        def imported(found: re.Match[str]) -> str:
            module = self._module((file.parent / found["path"]).resolve())
            names = found["module"] or found["names"].replace(" as ", ": ")
            return f"const {names} = {module};\n"

        text = _IMPORT.sub(imported, file.read_text("utf-8"))
        exported = _EXPORT.findall(text)
        text = _EXPORT.sub("", text)
        left = _LEFT.findall(text)
        assert not left, f"{file.name}: {left[0]!r} cannot be put into one script"
        return text, exported


def single_file(record: Record, title: str, options: Mapping[str, Json] | None = None) -> str:
    """Return an HTML page that shows `record`. It asks nothing of anybody, and runs nothing but the viewer.

    `title`: the match. `options`: those of the viewer, such as "ratings" or "seat"; see `viewer.js`.
    """
    script, style = _script(), _style()
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return _PAGE.format(
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
