"""Guide pages: first steps, starter bots to download, and the documentation for authors.

Documentation is rendered from Markdown here.
"""

import io
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import count, pairwise
from pathlib import Path
from types import MappingProxyType

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

import beanleague
from beanleague.games import UnknownRulesetError, rulesets
from beanleague.names import NAME
from beanleague.starter import LANGUAGES, StarterError, starter
from beanleague.web.site import Site

_PACKAGE = Path(beanleague.__file__).parent
_HOMES = (_PACKAGE / "_docs", _PACKAGE.parents[1] / "docs")  # locations in an installation and in a checkout
_BOX = '<div class="table" tabindex="0" role="region" aria-label="Table {}"><table>'
_NOT_IN_ANCHORS = re.compile(r"[^\w\- ]")


def document(name: str) -> str:
    """Return the text of docs/`name`.md."""
    return next(file.read_text("utf-8") for home in _HOMES if (file := home / f"{name}.md").is_file())


def prose(text: str, addresses: Mapping[str, str] = MappingProxyType({})) -> Markup:
    """Return Markdown as HTML; headings get the same anchors as on GitHub.

    `addresses`: site addresses of documentation files. Other links become plain text; pictures are removed.
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(text)
    for before, token in pairwise(tokens):
        if before.type == "heading_open":
            before.attrSet("id", _NOT_IN_ANCHORS.sub("", token.content.lower()).replace(" ", "-"))
    for token in tokens:
        token.children = list(_rewrite_links(token.children, addresses)) if token.children else token.children
    html: str = parser.renderer.render(tokens, parser.options, {})
    numbers = count(1)  # numbers that make the names of tables unique; each table scrolls in its own box
    html = re.sub("<table>", lambda _: _BOX.format(next(numbers)), html.replace("<th></th>", "<td></td>"))
    html = html.replace("</table>", "</table></div>").replace("<pre>", '<pre tabindex="0">')
    return Markup(html)  # noqa: S704 - of our own text, and without HTML in it


def _rewrite_links(tokens: Sequence[Token], addresses: Mapping[str, str]) -> Iterator[Token]:
    """Rewrite links to addresses of the site; links without one become plain text."""
    shown = True
    for token in tokens:
        if token.type == "link_open":
            file, sharp, anchor = str(token.attrGet("href")).partition("#")
            address = addresses.get(file) if file else ""
            shown = address is not None
            token.attrSet("href", f"{address}{sharp}{anchor}")
        if token.type != "image" and (shown or token.type not in {"link_open", "link_close"}):
            yield token


_PAGES = (
    ("tutorial", "Your first bot", "from nothing to a bot in a league, and to the decision that lost it a match"),
    ("sdk", "Writing a bot", "all that a bot in Python can see, decide and use"),
    ("languages", "Bots in other languages", "TypeScript, Java, C++ and others"),
    ("search", "Bots that search", "bots that try what they could do in games that could be the one they play"),
    ("bots", "House bots", "how those that are here already think, from the simplest to the best"),
)
_ADDRESSES = MappingProxyType({"rules.md": "/games"} | {f"{name}.md": f"/guide/{name}" for name, *_ in _PAGES})
_NAMES = MappingProxyType({"python": "Python", "typescript": "TypeScript", "java": "Java", "cpp": "C++"})
_OLD = (1980, 1, 1, 0, 0, 0)  # constant time of the files in a zip, so that its bytes are reproducible
_PROGRAM, _TEXT = 0o100755 << 16, 0o100644 << 16


def guide(request: Request) -> Response:
    """Show the first steps."""
    return Site.of(request).page(
        request,
        "guide.html",
        title="Write a bot",
        pages=_PAGES,
        games=[(each.id, each.summary) for each in rulesets()],
        languages=[(language, _NAMES[language]) for language in LANGUAGES],
    )


def page(request: Request) -> Response:
    """Show a documentation page."""
    found = next((each for each in _PAGES if each[0] == request.path_params["page"]), None)
    if found is None:
        raise HTTPException(404)
    name, title, _ = found
    return Site.of(request).page(
        request, "prose.html", title=title, text=_page(name, Site.of(request).settings.prefix), pages=_PAGES, here=name
    )


@cache
def _page(name: str, root: str) -> Markup:
    return prose(document(name), {file: f"{root}{address}" for file, address in _ADDRESSES.items()})


def beginning(request: Request) -> Response:
    """Send a starter bot as a zip file that can be submitted unchanged."""
    language, game, name = (request.path_params[part] for part in ("language", "game", "name"))
    if not NAME.fullmatch(name):
        raise HTTPException(404)
    try:
        files = starter(name, game, language)
    except (UnknownRulesetError, StarterError) as error:
        raise HTTPException(404, str(error)) from None
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, text in files.items():
            entry = zipfile.ZipInfo(file, _OLD)
            entry.external_attr = _PROGRAM if text.startswith("#!") else _TEXT
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, text)
    return Response(packed.getvalue(), media_type="application/zip")


routes = {
    "GET /guide": guide,
    "GET /guide/{page}": page,
    "GET /guide/{language}/{game}/{name}.zip": beginning,
}
