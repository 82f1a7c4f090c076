"""The bots of a league: their bundles against digests, and the manifests in these against the versions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from beanleague.league.bots.bundles import digest
from beanleague.league.bots.entries import read_zip
from beanleague.league.bots.manifest import MANIFEST, admitted_manifest
from beanleague.league.errors import BundleError
from beanleague.league.verify.findings import Finding, differs
from beanleague.model import BotVersion, Entrant, League, Manifest
from beanleague.store import MissingError
from beanleague.store.store import Store


def check_bots(store: Store, league: League) -> Iterator[Finding]:
    """Yield what is wrong with the versions that play in a league, one entrant at a time."""
    for entrant in store.leagues.entrants(league.id):
        if entrant.version_id is None:
            if not league.solo:
                yield Finding(f"entrant {entrant.number}", "entrant.version_id", "is not set")
            continue
        try:
            version = store.bots.version(entrant.bot, entrant.version)
        except MissingError:
            missing = f"there is no version with the id {entrant.version_id}, or no bot of it"
            yield Finding(f"entrant {entrant.number}", "entrant.version_id", missing)
            continue
        yield from _check_version(store, league, entrant, version)


def _check_version(store: Store, league: League, entrant: Entrant, version: BotVersion) -> Iterator[Finding]:
    where = entrant.label
    try:
        data = store.bots.bundle(version.digest)
        files = read_zip(data)
        found = digest(files)
        manifest = admitted_manifest(files[MANIFEST].content)
    except (MissingError, BundleError, KeyError) as error:
        yield Finding(where, "bundle.data", f"cannot be read: {error}")
        return
    if found != version.digest:
        yield Finding(where, "bundle.data", f"its files have the digest {found}, and should have {version.digest}")
    yield from differs(where, "bot_version.bundle_bytes", version.bundle_bytes, len(data), "the bundle has")
    for field in fields(Manifest):
        table = "bot" if field.name == "name" else "bot_version"
        stored, said = getattr(version.manifest, field.name), getattr(manifest, field.name)
        yield from differs(where, f"{table}.{field.name}", stored, said, "bot.toml in the bundle says")
    if league.ruleset not in manifest.games:
        yield Finding(where, "league.ruleset", f"by its bot.toml this bot does not play {league.ruleset}")
