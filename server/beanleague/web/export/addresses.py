"""Which file holds the page of an address, and links between files that work wherever the folder is."""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Callable
from urllib.parse import parse_qsl, quote, unquote, urlsplit

_WRITTEN = ("leagues", "bots", "games", "matches", "static")  # first parts of the addresses that become files
_SAFE = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")  # names of files and folders; those of a server may be anything
_MODULE = '<script type="module" '
_LINK = re.compile(r'\s(href|src|action|data-record)="(/[^"]*)"')


def file_of(address: str) -> str | None:
    """Return the file for an address of the site, e.g. "leagues/spring.html"; None if it does not become a file.

    A query is part of the file's name: "/bots/ann?after=20" is "bots/ann-after-20.html".
    """
    parts = urlsplit(address)
    path = unquote(parts.path).strip("/")
    if not path:
        return None if parts.query else "index.html"
    names = path.split("/")
    names[-1] += "".join(f"-{key}-{value}" for key, value in parse_qsl(parts.query))
    if path.split("/")[0] not in _WRITTEN or not all(_SAFE.fullmatch(name) for name in names):
        return None
    return "/".join(names) if names[0] == "static" or path.endswith((".csv", ".json")) else "/".join(names) + ".html"


def relative_link(file: str, address: str) -> str | None:
    """Return a link from `file` to what is at an address of the site; None if that does not become a file."""
    target = file_of(address)
    if target is None:
        return None
    fragment = urlsplit(address).fragment
    link = quote(posixpath.relpath(target, posixpath.dirname(file) or "."))
    return f"{link}#{fragment}" if fragment else link


def with_relative_links(page: str, file: str, found: Callable[[str], None] = lambda _: None) -> str:
    """Return the HTML of `page` for `file`, its links to the site relative; links to what does not become a file go.

    Scripts are no modules any more. `found` is called with each address that is linked.
    """

    def link(match: re.Match[str]) -> str:
        address = html.unescape(match[2])
        relative = None if address.startswith("//") else relative_link(file, address)
        if relative is None:
            return ""
        found(urlsplit(address)._replace(fragment="").geturl())
        return f' {match[1]}="{html.escape(relative)}"'

    return _LINK.sub(link, page).replace(_MODULE, "<script defer ")
