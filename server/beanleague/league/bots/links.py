"""Symbolic links in a bundle: each is replaced by a copy of what it leads to, so no bundle on disk has any."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from beanleague.league.errors import BundleError, Problem

_MAX_HOPS = 40  # from link to link, as in the kernel

T = TypeVar("T")
_Folder = dict[str, object]
_Place = tuple[str, ...]


class Link(str):
    """Where a link leads to, from the folder that it is in."""

    __slots__ = ()


class _LeftOutError(Exception):
    """Raised for links to what is left out."""


def follow(entries: Mapping[str, T | Link], left_out: Callable[[str], bool]) -> Iterator[tuple[str, T | None]]:
    """Give the names of all files and folders, with the files; where there were links, what they lead to.

    No name of `entries` may lie below another.

    Links to what is left out are left out. The caller looks at the lengths of names and at how many there are: links
    to folders may stand for far more than `entries` has.

    Raises:
        BundleError: if a link leads out of the bundle, to nothing, or in a circle.
    """
    root: _Folder = {}
    for name, entry in entries.items():
        *folders, last = name.split("/")
        folder = root
        for part in folders:
            inner = folder.setdefault(part, {})
            assert isinstance(inner, dict)
            folder = inner
        folder[last] = entry
    yield from _walk(root, "", (), frozenset(), left_out)


def _walk(
    root: _Folder, name: str, place: _Place, above: frozenset[_Place], left_out: Callable[[str], bool]
) -> Iterator[tuple[str, T | None]]:
    """Give what is at `place`, which has no link in it, under `name`. `above`: the folders that it is reached by."""
    entry = _at(root, place)
    if not isinstance(entry, dict):
        yield name, entry  # type: ignore[misc]  # all other entries are of the caller's type
        return
    if place in above:
        raise BundleError(Problem(f"{name:.100}", "is a link to a folder that it lies in"))
    if name:
        yield name, None
    for part, inner in entry.items():
        inside = f"{name}/{part}" if name else part
        if left_out(inside):
            continue
        try:
            target = _resolved(root, place, inner, inside, left_out) if isinstance(inner, Link) else (*place, part)
        except _LeftOutError:
            continue
        yield from _walk(root, inside, target, above | {place}, left_out)


def _resolved(root: _Folder, folder: _Place, link: Link, name: str, left_out: Callable[[str], bool]) -> _Place:
    """Return what a link in `folder` leads to in the end, as a place without links in it."""
    place = list(folder)
    ahead: list[str] = []
    hops = 0
    entry: object = link
    while isinstance(entry, Link) or ahead:
        if isinstance(entry, Link):
            hops += 1
            if hops > _MAX_HOPS:
                raise BundleError(Problem(name, "is a link that leads in a circle"))
            if entry.startswith("/"):
                raise _leads_out(name, link)
            ahead += reversed(entry.split("/"))
        part = ahead.pop()
        if part == ".." and not place:
            raise _leads_out(name, link)
        if part == "..":
            place.pop()
        elif part not in {"", "."}:
            place.append(part)
        entry = _at(root, tuple(place))
        if entry is None:
            if left_out("/".join(place)):
                raise _LeftOutError
            raise BundleError(Problem(name, f"is a link to {link!r:.100}, which is not in the bundle"))
        if isinstance(entry, Link):
            place.pop()
    return tuple(place)


def _at(root: _Folder, place: _Place) -> object:
    """Return what is at `place`, None for nothing."""
    entry: object = root
    for part in place:
        if not isinstance(entry, dict):
            return None
        entry = entry.get(part)
    return entry


def _leads_out(name: str, link: Link) -> BundleError:
    return BundleError(Problem(name, f"is a link to {link!r:.100}, which leads out of the bundle"))
