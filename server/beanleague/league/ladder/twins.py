"""Entries of a ladder that differ only in their names, so that organisers of courses can find copied programs."""

import json
import re
import tomllib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise

from beanleague.league.bots.bundles import digest
from beanleague.league.bots.manifest import MANIFEST
from beanleague.league.bots.reading import read_zip
from beanleague.league.errors import BundleError
from beanleague.model import Entrant
from beanleague.store import MissingError, Store

_NAME_BYTES = 128  # maximum difference in bytes between bundles that differ only in their bot's name


def same_files(store: Store, entrants: Sequence[Entrant]) -> dict[int, list[str]]:
    """Return by entry number the labels of entries whose files differ only in the bot's name.

    Reads only bundles of about the same size as another one.
    """
    near = _near_in_size(store, entrants)
    alike = defaultdict[str, list[Entrant]](list)
    for entrant in entrants:
        if entrant.number in near:
            alike[_nameless(store, entrant)].append(entrant)
    return {
        one.number: [other.label for other in group if other is not one]
        for group in alike.values()
        if len(group) > 1
        for one in group
    }


def _near_in_size(store: Store, entrants: Sequence[Entrant]) -> set[int]:
    """Return the numbers of entries whose bundle is about as large as another one."""
    sized = sorted((store.bots.version(each.bot, each.version).bundle_bytes, each.number) for each in entrants)
    near = set[int]()
    for (size, one), (next_size, other) in pairwise(sized):
        near |= {one, other} if next_size - size <= _NAME_BYTES else set()
    return near


def _nameless(store: Store, entrant: Entrant) -> str:
    """Return a digest of an entry's files without its name; a unique one if the files cannot be read."""
    try:
        files = read_zip(store.bots.bundle(store.bots.version(entrant.bot, entrant.version).digest))
        manifest = tomllib.loads(files.pop(MANIFEST).content.decode())
    except (BundleError, MissingError, KeyError, ValueError):
        return f"unreadable/{entrant.number}"
    manifest.pop("name", None)
    # 'bot new' writes the bot's name into its program and notes, too: my-bot, class MyBot.
    parts = map(re.escape, re.split(r"[-_.]", entrant.bot))
    word = re.compile(rf"\b{'[-_.]?'.join(parts)}\b".encode(), re.IGNORECASE)
    files = {each: replace(file, content=word.sub(b"", file.content)) for each, file in files.items()}
    return digest(files) + sha256(json.dumps(manifest, sort_keys=True, default=str).encode()).hexdigest()
