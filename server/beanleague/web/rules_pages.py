"""What docs/rules.md says of each ruleset, as HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import cache
from itertools import count
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

import beanleague

_PACKAGE = Path(beanleague.__file__).parent
_INSTALLED = _PACKAGE / "_rules.md"
_CHECKOUT = _PACKAGE.parents[1] / "docs" / "rules.md"
_HEADING = re.compile(r"^## ", re.MULTILINE)
_TABLE = re.compile("<table>")
_BOX = '<div class="table" tabindex="0" role="region" aria-label="Table {}"><table>'
_NAME = re.compile(r"`([a-z0-9*-]+)`")


@cache
def rules_page(ruleset: str) -> Markup | None:
    """Return the section about a ruleset, without its heading; None if the page has none about it."""
    for section in _HEADING.split(_text())[1:]:
        heading, _, text = section.partition("\n")
        if any(fnmatchcase(ruleset, pattern) for pattern in _NAME.findall(heading)):
            return _html(text)
    return None


@cache
def _text() -> str:
    return next(file.read_text("utf-8") for file in (_INSTALLED, _CHECKOUT) if file.is_file())


def _html(text: str) -> Markup:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(text)
    for token in tokens:
        token.children = _without_links(token.children) if token.children else token.children
    html: str = parser.renderer.render(tokens, parser.options, {})
    html = html.replace("<th></th>", "<td></td>")
    numbers = count(1)  # tables scroll in a box of their own, which has a name of its own
    html = _TABLE.sub(lambda _: _BOX.format(next(numbers)), html)
    return Markup(html.replace("</table>", "</table></div>"))  # noqa: S704 - of our own text, and without HTML in it


def _without_links(tokens: Sequence[Token]) -> list[Token]:
    """Leave out links, which lead from file to file of the documentation; their texts stay."""
    return [token for token in tokens if token.type not in {"link_open", "link_close"}]
