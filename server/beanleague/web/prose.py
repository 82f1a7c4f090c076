"""Pages of the documentation on the site: from Markdown to HTML."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, pairwise
from pathlib import Path
from types import MappingProxyType

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

import beanleague

_PACKAGE = Path(beanleague.__file__).parent
_HOMES = (_PACKAGE / "_docs", _PACKAGE.parents[1] / "docs")  # installed, and in a checkout
_BOX = '<div class="table" tabindex="0" role="region" aria-label="Table {}"><table>'
_NOT_IN_ANCHORS = re.compile(r"[^\w\- ]")


def document(name: str) -> str:
    """Return the text of docs/`name`.md."""
    return next(file.read_text("utf-8") for home in _HOMES if (file := home / f"{name}.md").is_file())


def prose(text: str, addresses: Mapping[str, str] = MappingProxyType({})) -> Markup:
    """Return our own Markdown as HTML; its headings have the anchors that they have on GitHub.

    `addresses`: where other files of the documentation are on the site. Other links become texts; pictures go.
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(text)
    for before, token in pairwise(tokens):
        if before.type == "heading_open":
            before.attrSet("id", _NOT_IN_ANCHORS.sub("", token.content.lower()).replace(" ", "-"))
    for token in tokens:
        token.children = list(_linked(token.children, addresses)) if token.children else token.children
    html: str = parser.renderer.render(tokens, parser.options, {})
    numbers = count(1)  # tables scroll in a box of their own, which has a name of its own
    html = re.sub("<table>", lambda _: _BOX.format(next(numbers)), html.replace("<th></th>", "<td></td>"))
    html = html.replace("</table>", "</table></div>").replace("<pre>", '<pre tabindex="0">')
    return Markup(html)  # noqa: S704 - of our own text, and without HTML in it


def _linked(tokens: Sequence[Token], addresses: Mapping[str, str]) -> Iterator[Token]:
    """Lead links to where their targets are on the site; of those that lead nowhere only the texts stay."""
    shown = True
    for token in tokens:
        if token.type == "link_open":
            file, sharp, anchor = str(token.attrGet("href")).partition("#")
            address = addresses.get(file) if file else ""
            shown = address is not None
            token.attrSet("href", f"{address}{sharp}{anchor}")
        if token.type != "image" and (shown or token.type not in {"link_open", "link_close"}):
            yield token
