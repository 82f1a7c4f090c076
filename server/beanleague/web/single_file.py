"""A replay as one file: the viewer and a record in a page that needs nothing else, not even a server."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from html import escape
from json import dumps
from pathlib import Path
from typing import TypeAlias

from beanleague.games import Record
from beanleague.web.bundle import bundled
from beanleague.web.viewer_records import inline

Json: TypeAlias = str | int | list["Json"] | None

_STATIC = Path(__file__).with_name("static")
_ENTRY = _STATIC / "viewer/page.js"
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
    return "".join((_STATIC / name).read_text("utf-8") for name in _STYLES)


@cache
def _script() -> str:
    return bundled(_ENTRY).replace("</", "<\\/")
