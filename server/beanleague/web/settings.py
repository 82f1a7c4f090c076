"""Settings of a site: its addresses and its visitors."""

from dataclasses import dataclass

LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})
"""Host names that browsers on this machine use for it."""

MAX_BUNDLE_BYTES = 5 * 2**20
"""Maximum size of an uploaded bundle in bytes."""


@dataclass(frozen=True, slots=True)
class SiteSettings:
    """The settings of a site."""

    hosts: frozenset[str] = LOOPBACK_NAMES
    """Host names of the site, in lower case and without a port; requests to other names are refused."""
    tls: bool = False
    """Whether the site itself uses TLS."""
    behind_proxy: bool = False
    """Whether the site is behind a proxy, whose X-Forwarded-For and X-Forwarded-Proto headers are trusted."""
    prefix: str = ""
    """Path prefix of the site, e.g. "/beans", if it shares its host with others; "" if not."""
    static: bool = False
    """Whether pages are exported as files, without the parts that need a server."""
    page: int = 100
    """Number of deals, matches or entries per page."""
    public: bool = False
    """Whether the site is open to everybody. Then pages of other sites may fetch records and tables, too.

    A site for users of this machine shows their private data, and any page that they open could request it.
    """
    contact: str = ""
    """Instructions for getting a token; "" for none."""
