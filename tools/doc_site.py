"""Hooks of MkDocs (see mkdocs.yml): pages that are made when the site is built, and links that lead out of docs/.

These pages are made: the index from README.md, a page for each other text at the root, the references of the
protocols and of the Python packages, and a page for each file or folder of the project that another page links to.
On GitHub the same links lead to the files themselves.
"""

from __future__ import annotations

import ast
import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from proto_pages import describe, page, type_names

from beanleague.games.families import FAMILIES

ROOT = Path(__file__).parents[1]

TEXTS = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
}
"""Texts of the project outside of docs/, and the pages they become."""

PROTOS = {
    "proto/beanproto/v1/referee.proto": "reference/referee.md",
    "proto/beanproto/v1/league.proto": "reference/league.md",
    "proto/beanproto/v1/table.proto": "reference/table.md",
}

MODULES = (
    "beanbot",
    "beanbot.practice",
    *(f"beanbot.{family.name}" for family in FAMILIES),
    "beanbot.thief",
    "beanbot.helpers",
    "beanbot.search",
    "beanbot.policies",
    *(
        f"beanbot.policies.{name}"
        for name in ("worth", "planting", "scales", "trading", "trader", "barter", "farmer", "mistakes")
    ),
    "beanleague.games",
    "beanleague.games.core",
    *(f"beanleague.games.{family.name}" for family in FAMILIES),
)
"""The modules that have a page in the Python reference, in the order of the navigation."""

REFERENCE = "Python reference"
"""The section of the navigation for these pages."""

HIDDEN = {"beanleague.games": ("beanleague.games.families.rulesets",)}
"""Functions that Griffe does not find in a module, because a submodule has the same name."""

LINK = re.compile(r"(?<=\]\()(?P<path>[^)#:\s]+)(?P<anchor>#[^)\s]*)?(?=\))")
"""The target of a relative link to a file."""

FOREIGN = re.compile(
    r"""<(?:script|img|iframe|source|audio|video)\b[^>]*\ssrc=["']?(?:https?:)?//"""
    r"""|<link\b(?=[^>]*\srel=["']?(?:stylesheet|preload|preconnect|icon))[^>]*\shref=["']?(?:https?:)?//"""
    r"""|url\(["']?(?:https?:)?//""",
    re.IGNORECASE,
)
"""Markup that makes a browser ask another host when the page is shown."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List the pages of the Python reference in the navigation."""
    (section,) = [entry for entry in config.nav or [] if isinstance(entry, dict) and REFERENCE in entry]
    section[REFERENCE] = [reference_page(module) for module in MODULES]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made."""
    sources = {f"docs/{file.src_uri}": file.content_string for file in files.documentation_pages()}
    sources |= {name: (ROOT / name).read_text("utf-8") for name in TEXTS if (ROOT / name).exists()}
    for name, text in sources.items():
        for path in linked_files(name, text):
            if site_path(path) == source_page(path):
                _add(files, config, source_page(path), _source_text(path))
    for name, target in TEXTS.items():
        if name in sources:
            _add(files, config, target, with_site_links(name, target, sources[name]))
    described = {name: describe(name.removeprefix("proto/")) for name in PROTOS}
    for name, file in described.items():
        others = {
            each: posixpath.basename(PROTOS[other])
            for other, other_file in described.items()
            if other != name
            for each in type_names(other_file)
        }
        _add(files, config, PROTOS[name], page(file, others))
    for module in MODULES:
        _add(files, config, reference_page(module), _reference(module))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Point links out of docs/ to the pages made of the linked files."""
    del config, files
    if page.file.generated_by:
        return markdown
    return with_site_links(f"docs/{page.file.src_uri}", page.file.src_uri, markdown)


def on_post_page(output: str, *, page: Page, config: MkDocsConfig) -> str:
    """Refuse pages that ask other hosts."""
    del config
    if found := FOREIGN.search(output):
        raise PluginError(f"{page.file.src_uri} asks another host when it is shown: {output[found.start() :][:120]}")
    return output


def linked_files(name: str, text: str) -> list[str]:
    """Return the files and folders outside of docs/ that the text `name` links to, by their paths from the root."""
    paths = (_resolved(name, link["path"]) for link in LINK.finditer(text))
    return [path for path in paths if not path.startswith("docs/") and (ROOT / path).exists()]


def with_site_links(name: str, target: str, text: str) -> str:
    """Return the text of the file `name` as the page `target`, its relative links with it."""

    def moved(link: re.Match[str]) -> str:
        path = _resolved(name, link["path"])
        if not (ROOT / path).exists():
            return link[0]  # MkDocs complains of it
        return posixpath.relpath(site_path(path), posixpath.dirname(target) or ".") + (link["anchor"] or "")

    return LINK.sub(moved, text)


def site_path(path: str) -> str:
    """Return the page of the site that stands for a file of the project."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return TEXTS.get(path) or PROTOS.get(path) or source_page(path)


def source_page(path: str) -> str:
    """Return the page that shows a file, or the files in a folder, as they are."""
    return f"files/{path}.md"


def reference_page(module: str) -> str:
    """Return the page of a module in the Python reference."""
    return f"reference/{module}.md"


def _reference(module: str) -> str:
    blocks = [f"# {module}", f"::: {module}\n    options: {{ members: {_own_names(module)} }}"]
    for name in HIDDEN.get(module, ()):
        blocks += [f"## {name.rpartition('.')[2]}", f"::: {name}"]
    return "\n\n".join(blocks)


def _own_names(module: str) -> str:
    """Return the list of a module's own definitions if it imports everything else from other modules, else "null"."""
    folder = ROOT / ("sdk" if module.startswith("beanbot") else "server") / module.replace(".", "/")
    file = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    body = ast.parse(file.read_text("utf-8")).body
    if not any(isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in body):
        return "null"
    names = [node.name for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    return str([name for name in names if not name.startswith("_")])


def _source_text(path: str) -> str:
    """Return the page of a file, or of the files in a folder."""
    target = ROOT / path
    parts = [f"# {target.name}"]
    for file in sorted(each for each in target.iterdir() if each.is_file()) if target.is_dir() else [target]:
        language = file.suffix.removeprefix(".") or "text"
        name = file.relative_to(ROOT)
        try:
            parts.append(f"`{name}`\n\n~~~~{language}\n{file.read_text('utf-8')}~~~~\n")
        except UnicodeDecodeError:
            parts.append(f"`{name}`: {file.stat().st_size:,} bytes that are no text\n")
    return "\n\n".join(parts)


def _resolved(name: str, link: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), link))


def _add(files: Files, config: MkDocsConfig, path: str, text: str) -> None:
    if path not in files.src_uris:
        files.append(File.generated(config, path, content=text))
